/* How long kernels take on a card.
   SPDX-License-Identifier: ISC */
#include "cost_model.h"

#include <math.h>

/* Clocks and instructions. */
enum {
  WARP = 32,
  SYSTEM_SHARED = 1024,
  LATENCY_SINGLE = 4, /* of an operation whose result the next one waits for */
  LATENCY_DOUBLE = 8,
  RECURSION_CHAIN = 3, /* operations in a row from one sample's state to the next */
  SECTION_FLOPS = 6,   /* of a sample: see section.cuh */
  INHERIT_FLOPS = 2,   /* and what a group inherits */
  INHERIT_LOADS = 1,
  SECTION_FIXED = 14, /* instructions of a lane for each section and row: numbers, states, loop */
  SCAN_FLOPS = 5 * 4 + 8,
  SCAN_OTHER = 5 * 10 + 20,
  SAMPLE_OTHER = 3, /* instructions a sample for coming and going */
  SHUFFLE_CLOCKS = 24,
  BARRIER_CLOCKS = 30,
  GLOBAL_CLOCKS = 700, /* global memory, there and back */
  WINDOW = 32
};

static const double LAUNCH_S = 4e-6;
static const double REACHED = 0.92; /* of what memory is said to do, a copy reaches */
static const double ISSUED = 0.85;  /* of the instructions that could be issued, long loops do */

uint32_t mr_gpu_resident(const MrGpuDevice* d, uint32_t threads, uint32_t registers, uint32_t shared) {
  if (shared + SYSTEM_SHARED > d->shared || shared > d->block_shared) return 0;
  const uint32_t warps = (threads + WARP - 1) / WARP, of_warp = (registers + 7) / 8 * 8 * WARP;
  uint32_t least = d->threads / (warps * WARP);
  const uint32_t by_registers = of_warp ? d->registers / of_warp / warps : least, by_shared = d->shared / (shared + SYSTEM_SHARED);
  if (d->blocks < least) least = d->blocks;
  if (by_registers < least) least = by_registers;
  if (by_shared < least) least = by_shared;
  return least;
}

double mr_gpu_transfer(const MrGpuDevice* d, uint64_t bytes) { return (double)bytes / d->host_bandwidth; }

/* Instructions of one sample on its lane, and those of them on the units of the arithmetic's type. */
typedef struct Mix {
  double all, flops;
} Mix;

static Mix mix_of(const MrGpuResource* r, uint32_t sections) {
  const double row = r->samples;
  Mix m = {SAMPLE_OTHER, 1};
  m.flops += sections * (double)SECTION_FLOPS;
  m.all += sections * (SECTION_FLOPS + SECTION_FIXED / row);
  if (r->kernel != MR_GPU_SEGMENTS) {
    m.flops += sections * (INHERIT_FLOPS + SCAN_FLOPS / row);
    m.all += sections * (INHERIT_FLOPS + INHERIT_LOADS + (SCAN_FLOPS + SCAN_OTHER) / row);
  }
  m.all += 1;
  return m;
}

static double arithmetic(const MrGpuDevice* d, const MrGpuResource* r, const MrGpuWork* w, double samples) {
  const Mix m = mix_of(r, w->sections);
  const double clocks = d->processors * d->clock;
  const double issue = samples * m.all / (d->singles * clocks * ISSUED), units = w->fast ? 0 : samples * m.flops / (d->doubles * clocks);
  return fmax(issue, units);
}

/* Clocks that one lane's row waits for itself in one section. */
static double section_wait(const MrGpuResource* r, const MrGpuWork* w) {
  const double latency = w->fast ? LATENCY_SINGLE : LATENCY_DOUBLE;
  const double row = r->samples * (double)RECURSION_CHAIN * latency;
  if (r->kernel == MR_GPU_SEGMENTS) return row;
  const double warps = r->lanes / (double)WARP;
  const double scan = 5 * (SHUFFLE_CLOCKS + 2 * latency) + (warps > 1 ? BARRIER_CLOCKS + warps * 2 * latency : 0);
  const double own = r->kernel == MR_GPU_RUNS;
  return row + scan + (own ? BARRIER_CLOCKS : 3 * GLOBAL_CLOCKS + (warps > 1 ? BARRIER_CLOCKS : 0));
}

MrGpuCost mr_gpu_cost(const MrGpuDevice* d, const MrGpuResource* r, const MrGpuWork* w, const MrGpuCut* cut) {
  MrGpuCost c = {.resident = mr_gpu_resident(d, r->lanes, r->registers, r->shared + r->section_shared * w->sections)};
  if (!c.resident) return c;
  const bool segments = r->kernel == MR_GPU_SEGMENTS, run = r->kernel == MR_GPU_RUNS;
  const double samples = (double)w->frames * w->channels, size = w->wide ? 8 : 4;
  const double again = segments || run ? 1 + (cut->segments > 1 ? cut->early / (double)cut->segment_frames : 0) : 1;
  const double group = (double)r->lanes * r->samples;
  const double pairs =
      segments || run ? 0 : (w->fast ? 20.0 : 36.0) * 2 * w->sections / group; /* local, carry and flag of each group, written and read */
  c.memory_s = samples * (size * (1 + again) + pairs) / (d->bandwidth * REACHED);
  c.arithmetic_s = arithmetic(d, r, w, samples * again);

  /* Blocks, and rows that each runs one after the other. */
  const double lanes = (double)cut->segments * w->channels;
  const double blocks = segments ? ceil(lanes / r->lanes) : lanes;
  const double rows = segments || run ? (cut->segment_frames + cut->early) / (segments ? (double)r->samples : group) : 1;
  const double waves = ceil(blocks / ((double)c.resident * d->processors));
  c.hiding_s = waves * rows * (w->sections * section_wait(r, w) + GLOBAL_CLOCKS) / d->clock;
  if (r->kernel == MR_GPU_WINDOWS) c.chain_s = cut->segments / (double)WINDOW * 2 * GLOBAL_CLOCKS / d->clock;
  c.total_s = LAUNCH_S + fmax(fmax(c.memory_s, c.arithmetic_s), fmax(c.hiding_s, c.chain_s));
  return c;
}
