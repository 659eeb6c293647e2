/* Threads of oneTBB for loops that last: the only part of the crew that is C++.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_THREADS_ARENA_H
#define MILLRACE_THREADS_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrArena MrArena;

/* Starts loop(context, i) for i in 0 .. loops - 1, each on a worker thread of oneTBB, which gets as many workers more than the process has by
   default: whoever else uses oneTBB keeps its own. A loop may start late, or never where the process allows no more threads. NULL: no memory, no
   oneTBB, or someone else's limit on its threads, from which loops that last would take. Thread: control, one at a time, as both. */
MrArena* mr_arena_new(uint32_t loops, void (*loop)(void* context, uint32_t index), void* context);

/* Waits for the loops, which have been told to end, and for oneTBB's threads as far as they are ours alone: a second or so at most. A loop that
   has not begun by then never does. False: others use oneTBB too, or something is still to run, so that the code that loops ran must stay in memory. */
bool mr_arena_free(MrArena* arena);

#ifdef __cplusplus
}
#endif

#endif
