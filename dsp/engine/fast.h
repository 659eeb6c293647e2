/* The engine in float32 arithmetic: one program, played as it is. What MrEngine is where its options say MR_PRECISION_FAST.
   SPDX-License-Identifier: ISC

   Nothing moves, swaps or fades in it. As in float64, the samples do not depend on how the stream is cut into blocks, and channels with the
   same filters and input stay equal to the bit. */
#ifndef MILLRACE_ENGINE_FAST_H
#define MILLRACE_ENGINE_FAST_H

#include "program.h"
#include "sample_buffers.h"

typedef struct MrFast MrFast;

/* One that passes its input. The options have been looked at; MR_ERR_ARGUMENT where no kernel runs here that cpu_level allows,
   MR_ERR_MEMORY. Thread: control. */
MrFast* mr_fast_new(const MrEngineOptions* options, MrStatus* status);
void mr_fast_free(MrFast* fast); /* NULL is allowed */

/* What it plays from its first frame on; keeps nothing of the program. MR_ERR_ARGUMENT once frames have been processed since the last reset,
   MR_ERR_MEMORY, MR_ERR_RANGE for a channel's gain beyond float32 (it then plays what it did). Thread: control, while mr_fast_process() does not run. */
MrStatus mr_fast_give(MrFast* fast, const MrProgram* program);

/* Filters n frames; buffers->nowhere is set here. The floating-point mode is the caller's to set. Returns how many times a channel in trouble
   was restarted from zero. Thread: real-time. */
uint64_t mr_fast_process(MrFast* fast, MrBuffers* buffers, uint32_t n);

/* Whether outputs are inputs, to the bit. Thread: real-time. */
bool mr_fast_passes(const MrFast* fast);

/* As mr_engine_state() and mr_engine_set_state(). Thread: real-time. */
MrStatus mr_fast_state(const MrFast* fast, double* state);
MrStatus mr_fast_set_state(MrFast* fast, const double* state);

/* As fresh, with the same program. Thread: control or real-time. */
void mr_fast_reset(MrFast* fast);

/* What plays its tiles, for a walk of another kind over a stream; side is NULL where it passes. */
typedef struct MrFastParts {
  struct MrFastSide* side;
  const MrSingleKernels* kernels;
  const MrSchedule* schedule;
} MrFastParts;
MrFastParts mr_fast_parts(MrFast* fast);
/* Frames of the stream before the next one; that walk moves it on, or back. */
uint64_t* mr_fast_position(MrFast* fast);

/* Thread: control. */
MrPlan mr_fast_plan(const MrFast* fast);

#endif
