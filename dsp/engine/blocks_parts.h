/* The multi-block way's insides, for its one-thread walk and its shared one.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_BLOCKS_PARTS_H
#define MILLRACE_ENGINE_BLOCKS_PARTS_H

#include "../kernel/block_cascade.h"
#include "blocks.h"

#define MR_BLOCKS_GROUP (MR_BLOCKS_LANES * MR_BLOCKS_N)

typedef struct MrBlocksChannel {
  MrBlockCascade* cascade; /* NULL: no sections */
  uint32_t sections;
} MrBlocksChannel;

struct MrBlocks {
  uint32_t channels;
  bool single, wide;
  const MrBlockKernels* kernels;
  MrBlocksChannel* channel;
  void* gain;                /* [channels] float or double, as `single`, as what follows */
  uint32_t piece;            /* frames */
  size_t step;               /* numbers from channel to channel of x */
  void *x, *in_order;        /* [channels][step], in groups and in order */
  struct MrBlocksFlow* flow; /* NULL: one thread */
};

static inline size_t mr_blocks_size(const MrBlocks* b) { return b->single ? sizeof(float) : sizeof(double); }
static inline size_t mr_blocks_sample(const MrBlocks* b) { return b->wide ? sizeof(double) : sizeof(float); } /* the caller's */

/* Caller's samples to groups of all channels, [channels][step], and back. */
void mr_blocks_take(const MrBlocks* blocks, const void* in, const MrBlockShape* shape, void* x);
void mr_blocks_give(const MrBlocks* blocks, const void* x, const MrBlockShape* shape, void* out);

/* One channel of a piece through all of its sections; `in` is there for what is run again. Channels apart may run at once. */
uint64_t mr_blocks_run_channel(const MrBlocks* blocks, uint32_t channel, const void* in, const MrBlockShape* shape, void* x);

/* All on the calling thread, in the floating-point mode that is set. */
uint64_t mr_blocks_run(MrBlocks* blocks, const void* in, void* out, uint32_t n);

/* As mr_blocks_process(), where `flow` is not NULL. */
MrStatus mr_blocks_run_shared(MrBlocks* blocks, const void* in, void* out, uint32_t n, uint64_t* troubles);
void mr_blocks_unshare(MrBlocks* blocks);

#endif
