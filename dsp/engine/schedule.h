/* The schedule plan: which kernels run a tile's settled sections, by a cost model. It never changes a bit.
   SPDX-License-Identifier: ISC

   Channels in lanes is the rule. The channels that are left over, fewer than a vector has lanes, may have their sections in lanes instead: which is
   faster depends on how many they are, on their sections and on the frames of a call. The plan is a table of the last, made when
   the engine is; running looks it up. */
#ifndef MILLRACE_ENGINE_SCHEDULE_H
#define MILLRACE_ENGINE_SCHEDULE_H

#include "../kernel/kernel.h"

#define MR_SCHEDULE_SECTIONS 64u /* more sections of one tile count as so many */

typedef struct MrSchedule {
  MrCosts costs;
  MrKernelShape shape;
  uint32_t rest;                             /* channels left over */
  uint32_t chain_from[MR_SCHEDULE_SECTIONS]; /* [sections - 1]: frames of a call from which they are run as chains; UINT32_MAX: never */
} MrSchedule;

/* Thread: control. */
void mr_schedule_make(MrSchedule* schedule, const MrKernelShape* shape, uint32_t channels, const MrCosts* costs);

/* Frames from which so many sections of what is left over run as chains. */
uint32_t mr_schedule_chain_from(const MrSchedule* schedule, uint32_t sections);

/* How many of a tile's `lanes` are run as chains, in a call of n frames: those that a whole number of vectors leaves over, or none. Real-time. */
uint32_t mr_schedule_chains(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes);

/* run_settled() of kernel.h by the plan. Real-time. */
void mr_schedule_run(const MrSchedule* schedule, const MrKernels* kernels, double* x, uint32_t n, const double* coef, double* state,
                     uint32_t sections, uint32_t lanes);

/* Nanoseconds of n frames of a tile of so many lanes and sections, without its samples' way in and out. */
double mr_schedule_tile_ns(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes);

#endif
