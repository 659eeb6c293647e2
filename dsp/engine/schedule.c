/* The schedule plan: which kernels run a tile's settled sections, by a cost model.
   SPDX-License-Identifier: ISC */
#include "schedule.h"

#include <math.h>

/* ------------------------------------------------------------- the model */

/* Channels in lanes, a frame of one vector: passes of nearly equal depth, bound by the pipes or by the recursion. */
static double side_by_side_ns(const MrCosts* costs, const MrKernels* kernels, uint32_t sections) {
  double ns = 0;
  for (uint32_t passes = (sections + kernels->sections_per_pass - 1) / kernels->sections_per_pass; passes; passes--) {
    const uint32_t K = (sections + passes - 1) / passes;
    ns += fmax(costs->pass_least, costs->pass_fixed + K * costs->pass_section);
    sections -= K;
  }
  return ns;
}

/* Sections in lanes: n frames of `lanes` channels, 4, 2 or 1 to a chain, as section_lanes.h runs them. */
static double chains_ns(const MrCosts* costs, const MrKernels* kernels, uint32_t n, uint32_t sections, uint32_t lanes) {
  double ns = 0;
  for (uint32_t l = 0, width; l < lanes; l += width) {
    width = lanes - l >= 4 ? 4 : lanes - l >= 2 ? 2 : 1;
    const uint32_t slots = kernels->vector / width, reach = kernels->chain * slots;
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

double mr_schedule_tile_ns(const MrSchedule* schedule, const MrKernels* kernels, uint32_t n, uint32_t sections, uint32_t lanes) {
  const uint32_t rest = lanes % kernels->vector, full = lanes / kernels->vector;
  if (!sections) return 0;
  const double vector = n * side_by_side_ns(&schedule->costs, kernels, sections);
  if (!rest) return full * vector;
  const bool chains = n >= mr_schedule_chain_from(schedule, sections);
  return full * vector + (chains ? chains_ns(&schedule->costs, kernels, n, sections, rest) : vector);
}

/* -------------------------------------------------------------- the plan */

/* Both ways cost so much a frame and so much a call, so there is one length from which chains are faster. */
static uint32_t chain_from(const MrCosts* costs, const MrKernels* kernels, uint32_t sections, uint32_t rest) {
  const double one = chains_ns(costs, kernels, 1, sections, rest), frame = chains_ns(costs, kernels, 2, sections, rest) - one;
  const double gain = side_by_side_ns(costs, kernels, sections) - frame, call = one - frame;
  if (!(gain > 0)) return UINT32_MAX;
  const double from = fmax(MR_CHAIN_FRAMES(sections), floor(call / gain) + 1);
  return from < UINT32_MAX ? (uint32_t)from : UINT32_MAX;
}

void mr_schedule_make(MrSchedule* schedule, const MrKernels* kernels, uint32_t channels, const MrCosts* costs) {
  schedule->costs = *costs;
  schedule->rest = channels % kernels->vector;
  for (uint32_t i = 0; i < MR_SCHEDULE_SECTIONS; i++)
    schedule->chain_from[i] = schedule->rest && kernels->chain ? chain_from(costs, kernels, i + 1, schedule->rest) : UINT32_MAX;
}

uint32_t mr_schedule_chain_from(const MrSchedule* schedule, uint32_t sections) {
  if (sections <= MR_SCHEDULE_SECTIONS) return schedule->chain_from[sections - 1];
  const uint32_t longest = MR_CHAIN_FRAMES(sections), from = schedule->chain_from[MR_SCHEDULE_SECTIONS - 1];
  return from > longest ? from : longest;
}

void mr_schedule_run(const MrSchedule* schedule, const MrKernels* kernels, double* x, uint32_t n, const double* coef, double* state,
                     uint32_t sections, uint32_t lanes) {
  const uint32_t rest = lanes % kernels->vector, full = lanes - rest;
  const bool chains = rest && sections && n >= mr_schedule_chain_from(schedule, sections);
  if (!chains || full) kernels->run_settled(x, n, coef, state, sections, chains ? full : lanes);
  if (chains) kernels->run_chains(x + full, n, coef + full, state + full, sections, rest);
}
