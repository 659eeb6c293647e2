/* Measures an engine in a simulated callback: a block each period, on one thread and shared with others in turn.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_BENCH_CALLBACK_H
#define MR_HOST_BENCH_CALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"

typedef struct MrCallbackCase {
  uint32_t channels, order, block, threads;
  bool paced;  /* a clock keeps the period, at 48 kHz; else a block follows the other */
  bool awake;  /* workers never sleep for long */
  bool loaded; /* every processor is kept busy by a thread of the caller's class */
  MrThreadPolicy policy;
  uint32_t stages, grain; /* 0: planned */
} MrCallbackCase;

/* Of the blocks' times, microseconds. */
typedef struct MrCallbackTimes {
  double median, p99, worst;
} MrCallbackTimes;

typedef struct MrCallbackResult {
  MrCallbackTimes one, shared;
  double gain;         /* median of one thread's time over the other, pair by pair */
  double shared_share; /* of the blocks, in stretches of 1024 frames: those that were shared */
  MrThreadReport report;
} MrCallbackResult;

/* Blocks of each kind: so many. MR_ERR_MEMORY, or what an engine says. */
MrStatus mr_bench_callback(const MrCallbackCase* c, uint32_t blocks, MrCallbackResult* result);

#endif
