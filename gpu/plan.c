/* Which kernel a job is given to, and how its work is cut.
   SPDX-License-Identifier: ISC */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 64, DEEPEST = 256 };

static const double NEAR = 1.02; /* of the cheapest, to be as good */

const char* mr_gpu_kernel_name(MrGpuKernel kernel) {
  static const char* const name[MR_GPU_KERNELS] = {"auto",
                                                   "segments with warm-up",
                                                   "channels",
                                                   "runs of groups with warm-up",
                                                   "groups, fixed look-back",
                                                   "groups, look-back over windows",
                                                   "PH",
                                                   "STCR",
                                                   "DTCR",
                                                   "PLR"};
  return (unsigned)kernel < MR_GPU_KERNELS ? name[kernel] : "?";
}

uint64_t mr_gpu_decay_limit(uint64_t frames) {
  const uint64_t most = (uint64_t)1 << 20;
  return frames / 8 < most ? frames / 8 : most;
}

/* What the planner knows of the bank. */
typedef struct Bank {
  uint32_t sections;      /* of the longest channel */
  uint64_t decay;         /* of the slowest channel; UINT64_MAX: beyond the limit */
  uint64_t section_decay; /* of the slowest section by itself */
} Bank;

static Bank bank_of(const MrGpuJob* job) {
  Bank b = {0, 0, 0};
  const uint64_t limit = mr_gpu_decay_limit(job->chunk);
  for (uint32_t c = 0; c < job->channels; c++) {
    const MrGpuCascade* cascade = &job->cascade[c];
    if (cascade->sections > b.sections) b.sections = cascade->sections;
    if (cascade->decay > b.decay) b.decay = cascade->decay;
    for (uint32_t k = 0; k < cascade->sections; k++)
      if (cascade->section_decay[k] > b.section_decay) b.section_decay = cascade->section_decay[k];
  }
  if (b.decay > limit) b.decay = UINT64_MAX;
  return b;
}

/* A way to do it. */
typedef struct Way {
  const MrGpuResource* resource;
  MrGpuKernel kernel;
  MrGpuCut cut;
  MrGpuCost cost;
} Way;

typedef struct Planner {
  const MrGpuDevice* device;
  const MrGpuJob* job;
  Bank bank;
  MrGpuWork work;
  Way best[MR_GPU_KERNELS]; /* of each kernel; resource NULL: none */
} Planner;

static void consider(Planner* p, const MrGpuResource* r, MrGpuKernel kernel, const MrGpuCut* cut) {
  const MrGpuCost cost = mr_gpu_cost(p->device, r, &p->work, cut);
  Way* best = &p->best[kernel];
  if (cost.resident && (!best->resource || cost.total_s < best->cost.total_s)) *best = (Way){r, kernel, *cut, cost};
}

static uint64_t whole(uint64_t frames, uint64_t unit) { return (frames + unit - 1) / unit * unit; }

/* Pieces of the stream that start early: as many as fill the card once, twice, .. and powers of two between. */
static void consider_pieces(Planner* p, const MrGpuResource* r, MrGpuKernel kernel, uint64_t unit) {
  if (p->bank.decay == UINT64_MAX) return;
  const uint64_t early = whole(p->bank.decay, unit);
  for (uint64_t frames = whole(early / 8 + 1, unit); frames < p->work.frames; frames += whole(frames / 8 + 1, unit)) {
    const MrGpuCut cut = {
        .segment_frames = frames, .segments = (uint32_t)((p->work.frames + frames - 1) / frames), .early = (uint32_t)early};
    consider(p, r, kernel, &cut);
  }
}

static void consider_resource(Planner* p, const MrGpuResource* r) {
  const uint64_t group = (uint64_t)r->lanes * r->samples;
  const uint32_t groups = (uint32_t)((p->work.frames + group - 1) / group);
  const uint64_t depth = p->bank.section_decay / group + 1;
  const MrGpuCut one = {.segment_frames = whole(p->work.frames, CELL), .segments = 1}, all = {.segment_frames = group, .segments = groups};
  switch (r->kernel) {
    case MR_GPU_SEGMENTS:
      consider_pieces(p, r, MR_GPU_SEGMENTS, CELL);
      consider(p, r, MR_GPU_CHANNELS, &one);
      break;
    case MR_GPU_RUNS:
      consider_pieces(p, r, MR_GPU_RUNS, group);
      break;
    case MR_GPU_FIXED:
      if (depth <= DEEPEST) {
        MrGpuCut cut = all;
        cut.depth = (uint32_t)depth;
        consider(p, r, MR_GPU_FIXED, &cut);
      }
      break;
    default:
      consider(p, r, r->kernel, &all);
      break;
  }
}

static bool fits(const MrGpuJob* job, const MrGpuResource* r) {
  const bool shape =
      r->kernel == MR_GPU_SEGMENTS || ((!job->lanes || job->lanes == r->lanes) && (!job->samples || job->samples == r->samples));
  return r->wide == job->wide && r->fast == job->fast && shape;
}

static const Way* choose(const Planner* p) {
  const MrGpuKernel asked = p->job->kernel;
  if (asked != MR_GPU_AUTO) return p->best[asked].resource ? &p->best[asked] : NULL;
  const Way* cheapest = NULL;
  for (int k = MR_GPU_SEGMENTS; k <= MR_GPU_WINDOWS; k++)
    if (p->best[k].resource && (!cheapest || p->best[k].cost.total_s < cheapest->cost.total_s)) cheapest = &p->best[k];
  for (int k = MR_GPU_SEGMENTS; cheapest && k <= MR_GPU_WINDOWS; k++)
    if (p->best[k].resource && p->best[k].cost.total_s <= NEAR * cheapest->cost.total_s) return &p->best[k];
  return NULL;
}

static void say(MrGpuPlan* plan, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void say(MrGpuPlan* plan, const char* format, ...) {
  const size_t used = strlen(plan->reason);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(plan->reason + used, sizeof plan->reason - used, format, arguments);
  va_end(arguments);
}

static void explain(const Planner* p, const Way* way, MrGpuPlan* plan) {
  if (p->bank.decay == UINT64_MAX)
    say(plan, "rings longer than an eighth of a launch\n");
  else
    say(plan, "forgets within %llu frames\n", (unsigned long long)p->bank.decay);
  for (int k = MR_GPU_SEGMENTS; k < MR_GPU_KERNELS; k++) {
    const Way* other = &p->best[k];
    if (!other->resource || (k > MR_GPU_WINDOWS && other != way)) continue;
    const MrGpuCost* c = &other->cost;
    const char* bound = c->total_s - 1e-5 <= c->memory_s       ? "memory"
                        : c->total_s - 1e-5 <= c->arithmetic_s ? "arithmetic"
                        : c->total_s - 1e-5 <= c->hiding_s     ? "latency"
                                                               : "the chain of carries";
    say(plan, "%s: %.3g ms, bound by %s%s\n", mr_gpu_kernel_name((MrGpuKernel)k), 1e3 * c->total_s, bound, other == way ? " (taken)" : "");
  }
}

MrGpuStatus mr_gpu_plan(const MrGpuDevice* device, const MrGpuJob* job, const MrGpuResource* resource, uint32_t resources, MrGpuPlan* plan,
                        char* why) {
  Planner p = {.device = device, .job = job, .bank = bank_of(job)};
  p.work = (MrGpuWork){job->channels, p.bank.sections, job->chunk, job->wide, job->fast};
  for (uint32_t i = 0; i < resources; i++)
    if (fits(job, &resource[i])) consider_resource(&p, &resource[i]);
  const Way* way = choose(&p);
  memset(plan, 0, sizeof *plan);
  if (!way) {
    if (job->kernel == MR_GPU_AUTO)
      snprintf(why, MR_GPU_WHY, "no kernel was compiled for this arithmetic and these samples");
    else
      snprintf(why, MR_GPU_WHY, "the kernel asked for (%s) is not for this bank, arithmetic or shape", mr_gpu_kernel_name(job->kernel));
    return MR_GPU_REFUSED;
  }
  const MrGpuResource* r = way->resource;
  plan->kernel = way->kernel;
  plan->lanes = r->lanes;
  plan->samples = r->samples;
  plan->segment_frames = way->cut.segment_frames;
  plan->segments = way->cut.segments;
  plan->early = way->cut.segments > 1 ? way->cut.early : 0;
  plan->depth = way->cut.depth;
  plan->registers = r->registers;
  plan->resident = way->cost.resident;
  plan->memory_s = way->cost.memory_s;
  plan->arithmetic_s = way->cost.arithmetic_s;
  plan->waiting_s = way->cost.hiding_s > way->cost.chain_s ? way->cost.hiding_s : way->cost.chain_s;
  plan->kernel_s = way->cost.total_s;
  plan->transfer_s = mr_gpu_transfer(device, (uint64_t)job->chunk * job->channels * (job->wide ? 8 : 4));
  explain(&p, way, plan);
  return MR_GPU_OK;
}
