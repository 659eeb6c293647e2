/* Reading, filtering and writing at the same time.
   SPDX-License-Identifier: ISC

   Three threads, or two where there are no more processors, share the blocks; each takes its own through all stages, and each stage takes the
   blocks in turn: while one thread filters, another writes the block before and the third reads the one after. So a block stays in the
   cache of one core, and on two processors no thread that filters waits for one that reads. */
#ifndef MR_HOST_PIPELINE_H
#define MR_HOST_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MR_PIPELINE_STAGES = 3, MR_PIPELINE_THREADS = 3 /* at most */ };

/* What passes through the stages. */
typedef struct MrBlock {
  void* samples; /* as read, filtered in place */
  void* result;  /* a second buffer, for stages that cannot work in place; NULL if none was asked for */
  uint32_t frames;
  bool last; /* set by the first stage: no block follows */
} MrBlock;

/* Does a stage's work on a block. False stops everything. One call of a stage at a time, on each block in turn, on any of the threads. */
typedef bool (*MrStage)(void* handle, MrBlock* block);

/* Called on the caller's thread about every `tick_ms` milliseconds. */
typedef void (*MrTick)(void* handle);

/* Runs until the last block has passed all stages (true) or one failed (false; also where threads or memory lack: then *started is
   false). Blocks have sample_bytes and result_bytes bytes, aligned to 64. */
bool mr_pipeline_run(const MrStage stage[MR_PIPELINE_STAGES], void* handle, size_t sample_bytes, size_t result_bytes, MrTick tick,
                     unsigned tick_ms, bool* started);

#endif
