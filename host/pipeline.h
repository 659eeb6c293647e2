/* Reading, filtering and writing at the same time.
   SPDX-License-Identifier: ISC

   Three threads, or two where there are no more processors, share the blocks; each takes its own through all stages, and each stage takes the
   blocks in turn: while one thread filters, another writes the block before and the third reads the one after. So a block stays in the
   cache of one core, and on two processors no thread that filters waits for one that reads. Where stages wait for a card, there are more blocks. */
#ifndef MR_HOST_PIPELINE_H
#define MR_HOST_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MR_PIPELINE_STAGES = 4, MR_PIPELINE_BLOCKS = 8 /* at most */ };

/* What passes through the stages. */
typedef struct MrBlock {
  void* samples; /* as read; may be worked on in place */
  void* result;  /* a second buffer, for stages that cannot work in place; NULL if none was asked for */
  uint32_t frames;
  bool last; /* set by the first stage: no block follows */
  /* The stages' own; as the block before left them where a stage sets nothing. */
  const void* output;
  bool away;
} MrBlock;

/* Does a stage's work on a block. False stops everything. One call of a stage at a time, on each block in turn, on any of the threads. */
typedef bool (*MrStage)(void* handle, MrBlock* block);

/* Called on the caller's thread about every `tick_ms` milliseconds. */
typedef void (*MrTick)(void* handle);

typedef struct MrPipeline {
  MrStage stage[MR_PIPELINE_STAGES]; /* in order; NULL after the last */
  void* handle;
  unsigned blocks;                               /* at once; 0: as many as keep the processors busy, of stages that only compute */
  size_t sample_bytes, result_bytes;             /* of a block; result_bytes may be 0 */
  void* (*allocate)(void* handle, size_t bytes); /* a buffer, which stays its giver's; NULL: ordinary memory, aligned to 64 bytes */
  MrTick tick;
  unsigned tick_ms;
} MrPipeline;

/* Runs until the last block has passed all stages (true) or one failed (false; also where threads or memory lack: then *started is
   false). */
bool mr_pipeline_run(const MrPipeline* pipeline, bool* started);

#endif
