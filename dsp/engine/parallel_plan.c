/* How a renderer's work is shared by threads: strands, stages, grain.
   SPDX-License-Identifier: ISC */
#include "parallel_plan.h"

#include <math.h>
#include <unistd.h>

#include "../threads/flow.h"
#include "../threads/processors.h"

#define STAGES_2_THREADS 3u           /* of the wavefront: so that a thread rarely waits for the stage before it, and few are cut apart */
#define CALL_GROUPS      6u           /* groups of a call for each thread: what the wavefront's ends cost is shared by so many */
#define L2_BYTES         (512u << 10) /* where the system does not say */
#define MOST_STAGES      64u

static size_t cache_bytes(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return (size_t)bytes;
#endif
  return L2_BYTES;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t up(double frames, uint32_t unit) {
  const double units = ceil(frames / unit);
  return units >= 1 ? (uint32_t)fmin(units, 1u << 20) * unit : unit;
}

static uint32_t stages_of(const MrParallelNeed* need, uint32_t threads) {
  const uint32_t most = least(need->sections ? need->sections : 1, MOST_STAGES);
  if (!need->strands) return 1;
  if (need->stages) return least(need->stages, most);
  if (need->strands >= threads) return 1;
  return least((STAGES_2_THREADS * threads + 2 * need->strands - 1) / (2 * need->strands), most);
}

uint32_t mr_parallel_threads(uint32_t wanted) {
  return mr_flow_has_threads() ? least(wanted ? wanted : mr_processors(), MR_FLOW_THREADS) : 1;
}

MrParallelPlan mr_parallel_plan(const MrParallelNeed* need) {
  MrParallelPlan plan = {.threads = 1, .strands = 1, .stages = 1, .grain = need->unit, .slots = 1, .unit = need->unit};
  uint32_t threads = mr_parallel_threads(need->threads);
  /* a wavefront is as wide as there are stages, and beside them groups are loaded and stored */
  const uint32_t width = need->strands * (need->sections ? need->sections : 1) + 1;
  if (need->strands) threads = least(threads, width);
  if (threads < 2) return plan;
  plan.threads = threads;
  plan.strands = need->strands;
  plan.stages = stages_of(need, threads);
  const double stage_ns = need->section_ns * need->sections / plan.stages, all_ns = need->frame_ns + need->section_ns * need->sections;
  plan.frame_ns = all_ns * (need->strands ? need->strands : 1);
  plan.fixed = need->grain != 0;
  plan.slots = need->strands ? threads + 1 : threads; /* no more than stay in the caches, and one that waits */
  const double node_ns = need->strands ? fmax(stage_ns, need->frame_ns / 2) : all_ns;
  const size_t fit = cache_bytes() / 2 / (need->frame_bytes ? need->frame_bytes : 1);
  plan.grain = up(plan.fixed ? need->grain : fmin(MR_NODE_NS / node_ns, (double)fit), need->unit);
  return plan;
}

uint32_t mr_parallel_call(const MrParallelPlan* plan) {
  const double groups = plan->threads > 1 ? (double)CALL_GROUPS * plan->threads : 1;
  return (uint32_t)fmin(groups * plan->grain, 1u << 30);
}

uint32_t mr_parallel_grain(const MrParallelPlan* plan, uint32_t n) {
  if (plan->threads < 2) return 0;
  if (plan->fixed) return n > plan->grain ? plan->grain : 0;
  if (n * plan->frame_ns < 4 * MR_NODE_LEAST_NS * plan->threads) return 0;
  uint32_t grain = least(plan->grain, up((double)n / (CALL_GROUPS * plan->threads), plan->unit));
  /* nodes of a short call are short, but not too short */
  const double node_ns = plan->frame_ns / (plan->strands ? (double)plan->strands * plan->stages : 1);
  const uint32_t shortest = up(MR_NODE_LEAST_NS / node_ns, plan->unit);
  if (grain < shortest) grain = least(shortest, plan->grain);
  return n > grain ? grain : 0;
}
