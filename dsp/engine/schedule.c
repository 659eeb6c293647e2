/* The schedule plan: which kernels run a tile's settled sections, by a cost model.
   SPDX-License-Identifier: ISC */
#include "schedule.h"

#include <math.h>

/* ------------------------------------------------------------- the model */

/* Channels in lanes, a frame of one vector: passes of nearly equal depth, bound by the pipes or by the recursion. */
static double side_by_side_ns(const MrCosts* costs, const MrKernelShape* shape, uint32_t sections) {
  double ns = 0;
  for (uint32_t passes = (sections + shape->sections_per_pass - 1) / shape->sections_per_pass; passes; passes--) {
    const uint32_t K = (sections + passes - 1) / passes;
    ns += fmax(costs->pass_least, costs->pass_fixed + K * costs->pass_section);
    sections -= K;
  }
  return ns;
}

#define WIDE_STEP  1.25 /* a step with more than two channels in a slot: their way in and out takes as long as the sections */
#define FEW_SINGLY 1.5  /* a sample of more channels than two: those go in and out in vectors */

/* Sections in lanes: n frames of `lanes` channels, a power of two to a chain, as section_lanes.h runs them. */
static double chains_ns(const MrCosts* costs, const MrKernelShape* shape, uint32_t n, uint32_t sections, uint32_t lanes) {
  double ns = 0;
  for (uint32_t l = 0, width; l < lanes; l += width) {
    width = 1;
    while (2 * width <= lanes - l) width *= 2;
    const uint32_t slots = shape->vector / width;
    uint32_t rest = (sections + slots - 1) / slots, left = sections;
    for (uint32_t passes = (rest + shape->chain - 1) / shape->chain; passes; passes--) {
      const uint32_t vectors = (rest + passes - 1) / passes, K = vectors * slots < left ? vectors * slots : left;
      const double step = (costs->step_fixed + costs->step_vector * vectors) * (width > 2 ? WIDE_STEP : 1);
      ns += step * (n + MR_SKEW * (K - 1)) + costs->chain_fixed + costs->chain_vector * vectors;
      left -= K;
      rest -= vectors;
    }
  }
  return ns;
}

static double sections_ns(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes) {
  if (!sections) return 0;
  const MrKernelShape* shape = &schedule->shape;
  const uint32_t chains = mr_schedule_chains(schedule, n, sections, lanes), vectors = (lanes - chains + shape->vector - 1) / shape->vector;
  return vectors * n * side_by_side_ns(&schedule->costs, shape, sections) +
         (chains ? chains_ns(&schedule->costs, shape, n, sections, chains) : 0);
}

/* A frame's way in and out, interleaved: the first lane costs as much as one alone, and all as many as there are. */
static double interleaved_ns(const MrCosts* costs, uint32_t lanes) {
  return costs->single + (lanes - 1) * (MR_LANES * costs->interleaved - costs->single) / (MR_LANES - 1);
}

static double planar_ns(const MrSchedule* schedule, uint32_t lanes) {
  const MrPlanarWay* way = &schedule->planar;
  if (lanes <= way->singly) return lanes * schedule->costs.single;
  const uint32_t groups = (lanes + way->together - 1) / way->together;
  return groups * way->together * schedule->costs.planar;
}

double mr_schedule_cell_ns(const MrSchedule* schedule, bool interleaved, uint32_t n, uint32_t sections, uint32_t lanes) {
  const double frame = interleaved ? interleaved_ns(&schedule->costs, lanes) : planar_ns(schedule, lanes);
  return schedule->costs.cell + n * frame + sections_ns(schedule, n, sections, lanes);
}

double mr_schedule_few_ns(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes) {
  const MrCosts* costs = &schedule->costs;
  const double sample = lanes > 2 ? FEW_SINGLY * costs->few_sample : costs->few_sample;
  return costs->few_run + n * lanes * sample + chains_ns(costs, &schedule->shape, n, sections, lanes);
}

/* -------------------------------------------------------------- the plan */

/* Both ways cost so much a frame and so much a call, so there is one length from which chains are faster. */
static uint32_t chain_from(const MrCosts* costs, const MrKernelShape* shape, uint32_t sections, uint32_t rest) {
  const double one = chains_ns(costs, shape, 1, sections, rest), frame = chains_ns(costs, shape, 2, sections, rest) - one;
  const double gain = side_by_side_ns(costs, shape, sections) - frame, call = one - frame;
  if (!(gain > 0)) return UINT32_MAX;
  const double from = fmax(MR_CHAIN_FRAMES(sections), floor(call / gain) + 1);
  return from < UINT32_MAX ? (uint32_t)from : UINT32_MAX;
}

uint32_t mr_schedule_few_most(uint32_t lanes) {
  const uint32_t most = MR_FEW_SAMPLES / lanes / MR_CELL * MR_CELL;
  return most < MR_FEW_FRAMES ? most : MR_FEW_FRAMES;
}

/* Whether a run of n frames takes less than the same cell by cell. */
static bool few_gains(const MrSchedule* schedule, bool interleaved, uint32_t n, uint32_t sections) {
  const uint32_t lanes = schedule->rest, whole = n / MR_CELL, last = n % MR_CELL;
  const double cells = whole ? whole * mr_schedule_cell_ns(schedule, interleaved, MR_CELL, sections, lanes) : 0;
  return mr_schedule_few_ns(schedule, n, sections, lanes) <
         cells + (last ? mr_schedule_cell_ns(schedule, interleaved, last, sections, lanes) : 0);
}

/* The cost of a run grows with its frames, that of the same cell by cell with cells too: where the longest run gains, there is a length from
   which runs do. */
static uint32_t few_from(const MrSchedule* schedule, bool interleaved, uint32_t sections) {
  uint32_t least = MR_CHAIN_FRAMES(sections), most = mr_schedule_few_most(schedule->rest);
  if (least > most || !few_gains(schedule, interleaved, most, sections)) return UINT32_MAX;
  while (least < most) {
    const uint32_t middle = (least + most) / 2;
    if (few_gains(schedule, interleaved, middle, sections))
      most = middle;
    else
      least = middle + 1;
  }
  return most;
}

void mr_schedule_make(MrSchedule* schedule, const MrKernelShape* shape, MrPlanarWay planar, uint32_t channels, const MrCosts* costs) {
  schedule->planar = planar;
  schedule->costs = *costs;
  schedule->shape = *shape;
  schedule->rest = channels % shape->vector;
  const bool free = schedule->rest && shape->chain;
  for (uint32_t i = 0; i < MR_SCHEDULE_SECTIONS; i++)
    schedule->chain_from[i] = free ? chain_from(costs, shape, i + 1, schedule->rest) : UINT32_MAX;
  for (uint32_t i = 0; i < 2 * MR_SCHEDULE_SECTIONS; i++)
    schedule->few_from[i % 2][i / 2] = free ? few_from(schedule, i % 2, i / 2 + 1) : UINT32_MAX;
}

uint32_t mr_schedule_few_from(const MrSchedule* schedule, bool interleaved, uint32_t sections, uint32_t lanes) {
  if (lanes >= schedule->shape.vector || !sections) return UINT32_MAX;
  if (sections <= MR_SCHEDULE_SECTIONS) return schedule->few_from[interleaved][sections - 1];
  const uint32_t longest = MR_CHAIN_FRAMES(sections), from = schedule->few_from[interleaved][MR_SCHEDULE_SECTIONS - 1];
  return from > longest ? from : longest;
}

uint32_t mr_schedule_chain_from(const MrSchedule* schedule, uint32_t sections) {
  if (sections <= MR_SCHEDULE_SECTIONS) return schedule->chain_from[sections - 1];
  const uint32_t longest = MR_CHAIN_FRAMES(sections), from = schedule->chain_from[MR_SCHEDULE_SECTIONS - 1];
  return from > longest ? from : longest;
}

uint32_t mr_schedule_chains(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes) {
  const uint32_t rest = lanes % schedule->shape.vector;
  return rest && sections && n >= mr_schedule_chain_from(schedule, sections) ? rest : 0;
}

void mr_schedule_run(const MrSchedule* schedule, const MrKernels* kernels, double* x, uint32_t n, const double* coef, double* state,
                     uint32_t sections, uint32_t lanes) {
  const uint32_t chains = mr_schedule_chains(schedule, n, sections, lanes), side = lanes - chains;
  if (side) kernels->run_settled(x, n, coef, state, sections, side);
  if (chains) kernels->run_chains(x + side, MR_LANES, n, coef + side, state + side, sections, chains);
}
