/* The schedule plan: which kernels run a tile's settled sections, by a cost model. It never changes a bit.
   SPDX-License-Identifier: ISC

   Channels in lanes is the rule. The channels that are left over, fewer than a vector has lanes, may have their sections in lanes instead: which is
   faster depends on how many they are, on their sections and on the frames of a call. A tile that has no others is run over several cells at
   once, without gaps between its frames (few_channels.h), from a length that is reckoned likewise. The plan is a table of these lengths, made
   when the engine is; running looks it up. */
#ifndef MILLRACE_ENGINE_SCHEDULE_H
#define MILLRACE_ENGINE_SCHEDULE_H

#include "../kernel/kernel.h"

#define MR_SCHEDULE_SECTIONS 64u   /* more sections of one tile count as so many */
#define MR_FEW_PLANAR        3u    /* planar channels of a tile that are faster one by one than transposed together */
#define MR_FEW_SAMPLES       2048u /* of one run of few channels: with the caller's samples they stay in the L1 cache */
#define MR_FEW_FRAMES        1024u /* of one run of few channels: no more is gained by longer ones */

/* How a tile's planar channels are read and written: so many of them one by one, of more so many together, transposed. */
typedef struct MrPlanarWay {
  uint32_t singly, together;
} MrPlanarWay;

typedef struct MrSchedule {
  MrCosts costs;
  MrKernelShape shape;
  MrPlanarWay planar;
  uint32_t rest;                              /* channels left over */
  uint32_t chain_from[MR_SCHEDULE_SECTIONS];  /* [sections - 1]: frames of a call from which they are run as chains; UINT32_MAX: never */
  uint32_t few_from[2][MR_SCHEDULE_SECTIONS]; /* [interleaved][sections - 1]: frames of a run of few channels; UINT32_MAX: never */
} MrSchedule;

/* Thread: control. */
void mr_schedule_make(MrSchedule* schedule, const MrKernelShape* shape, MrPlanarWay planar, uint32_t channels, const MrCosts* costs);

/* Frames from which so many sections of what is left over run as chains. */
uint32_t mr_schedule_chain_from(const MrSchedule* schedule, uint32_t sections);

/* How many of a tile's `lanes` are run as chains, in a call of n frames: those that a whole number of vectors leaves over, or none. Real-time. */
uint32_t mr_schedule_chains(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes);

/* Frames from which so many sections of a tile's `lanes`, fewer than a vector has, are run without gaps and over ends of cells. */
uint32_t mr_schedule_few_from(const MrSchedule* schedule, bool interleaved, uint32_t sections, uint32_t lanes);

/* Frames that a run of so many lanes may have: whole cells. Real-time. */
uint32_t mr_schedule_few_most(uint32_t lanes);

/* run_settled() of kernel.h by the plan. Real-time. */
void mr_schedule_run(const MrSchedule* schedule, const MrKernels* kernels, double* x, uint32_t n, const double* coef, double* state,
                     uint32_t sections, uint32_t lanes);

/* Nanoseconds of n frames of a tile of so many lanes and sections: of a cell or what a block leaves of it, and of a run of few channels. */
double mr_schedule_cell_ns(const MrSchedule* schedule, bool interleaved, uint32_t n, uint32_t sections, uint32_t lanes);
double mr_schedule_few_ns(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes);

#endif
