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

/* Sections in lanes: n frames of `lanes` channels, a power of two to a chain, as section_lanes.h runs them. */
static double chains_ns(const MrCosts* costs, const MrKernelShape* shape, uint32_t n, uint32_t sections, uint32_t lanes) {
  double ns = 0;
  for (uint32_t l = 0, width; l < lanes; l += width) {
    width = 1;
    while (2 * width <= lanes - l) width *= 2;
    const uint32_t slots = shape->vector / width, reach = shape->chain * slots;
    uint32_t left = sections;
    for (uint32_t passes = (sections + reach - 1) / reach; passes; passes--) {
      const uint32_t K = (left + passes - 1) / passes, vectors = (K + slots - 1) / slots;
      ns +=
          (costs->step_fixed + costs->step_vector * vectors) * (n + MR_SKEW * (K - 1)) + costs->chain_fixed + costs->chain_vector * vectors;
      left -= K;
    }
  }
  return ns;
}

double mr_schedule_tile_ns(const MrSchedule* schedule, uint32_t n, uint32_t sections, uint32_t lanes) {
  if (!sections) return 0;
  const MrKernelShape* shape = &schedule->shape;
  const uint32_t chains = mr_schedule_chains(schedule, n, sections, lanes), vectors = (lanes - chains + shape->vector - 1) / shape->vector;
  return vectors * n * side_by_side_ns(&schedule->costs, shape, sections) +
         (chains ? chains_ns(&schedule->costs, shape, n, sections, chains) : 0);
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

void mr_schedule_make(MrSchedule* schedule, const MrKernelShape* shape, uint32_t channels, const MrCosts* costs) {
  schedule->costs = *costs;
  schedule->shape = *shape;
  schedule->rest = channels % shape->vector;
  for (uint32_t i = 0; i < MR_SCHEDULE_SECTIONS; i++)
    schedule->chain_from[i] = schedule->rest && shape->chain ? chain_from(costs, shape, i + 1, schedule->rest) : UINT32_MAX;
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
  if (chains) kernels->run_chains(x + side, n, coef + side, state + side, sections, chains);
}
