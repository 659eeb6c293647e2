/* A renderer's multi-block way: each channel by itself, many of its samples at a time.
   SPDX-License-Identifier: ISC

   For few channels, whose lanes would be empty, and filters that each have their own input: kernel/block.h's PH carried in states fills the
   lanes with samples of one channel, without filtering anything twice, however long the filters ring. Groups lie at fixed places of the
   stream. Only for a whole stream: where a call ends, a group must.

   A piece of the stream is taken from the caller's samples straight into the groups of all channels, run, and given back straight from them. Until
   it is given, the caller's samples are still there, though in and out may be the same: a channel whose output is poison is run again from them. */
#ifndef MILLRACE_ENGINE_BLOCKS_H
#define MILLRACE_ENGINE_BLOCKS_H

#include "parallel_plan.h"
#include "program.h"

#define MR_BLOCKS_LANES 16u   /* L */
#define MR_BLOCKS_N     64u   /* N */
#define MR_BLOCKS_CHUNK 4096u /* frames: whole groups and cells */

typedef struct MrBlocks MrBlocks;

/* Whether a program is for this way: few channels (more in float32 arithmetic), no routes, no delays, and sections. Thread: any. */
bool mr_blocks_suit(const MrProgram* program, bool single);

/* single: float32 arithmetic; wide: float64 streams. Keeps nothing of the program. MR_ERR_ARGUMENT where no kernel runs that cpu_level
   allows, MR_ERR_RANGE for a gain beyond float32, MR_ERR_MEMORY. Thread: control. */
MrBlocks* mr_blocks_new(const MrProgram* program, bool single, bool wide, uint32_t cpu_level, MrStatus* status);
void mr_blocks_free(MrBlocks* blocks); /* NULL is allowed */

/* Shares the work with threads from now on, where the plan it makes of these wishes has any; the same bits. need: threads, grain and
   stages. MR_ERR_MEMORY. Thread: control, before the first frame. */
MrStatus mr_blocks_share(MrBlocks* blocks, const MrParallelNeed* wanted);
MrParallelPlan mr_blocks_parallel(const MrBlocks* blocks);
struct MrFlow* mr_blocks_flow(const MrBlocks* blocks); /* NULL: nothing is shared */

/* As new. */
void mr_blocks_reset(MrBlocks* blocks);

/* Filters the next n frames, interleaved; n is a multiple of MR_BLOCKS_CHUNK in every call but the last. in and out may be the same. Adds to
   *troubles how many times a channel in trouble was restarted from zero. MR_ERR_MEMORY (threads alone): the stream is lost. */
MrStatus mr_blocks_process(MrBlocks* blocks, const void* in, void* out, uint32_t n, uint64_t* troubles);

uint32_t mr_blocks_sections(const MrBlocks* blocks); /* of the longest channel */
MrPlan mr_blocks_plan(const MrBlocks* blocks);       /* on one thread */

#endif
