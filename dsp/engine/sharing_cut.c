/* How a shared block is cut into parts, and whether sharing it promises anything.
   SPDX-License-Identifier: ISC */
#include "sharing_cut.h"

#include <math.h>

#define LEAST_PART_NS \
  4000.0                  /* that a part should take: claiming one and seeing its needs takes about 100 ns, and caches have to be filled */
#define PARTS_A_THREAD 4u /* for an even load, where they are long enough */
#define STAGE_SECTIONS 2u /* of a stage at least: passes of one section are bound by latency */
#define COPY_SHARE     0.06 /* of the time of one thread, for copies of inputs, outputs and states */
#define JOB_NS         1500.0
#define WAKE_NS        12000.0 /* to wake a worker that sleeps, for the caller */
#define WAKE_LATE_NS   40000.0 /* until it works */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t mr_cut_chunks_most(const MrSharer* sharer, const MrSide* side) {
  return side->tiles < PARTS_A_THREAD * sharer->options.threads ? least(MR_CHUNKS_MOST, MR_PARTS_MOST / side->tiles) : 1;
}

/* So many as keep the threads busy that tiles leave over, twice. */
static uint32_t stages_wanted(const MrSharer* sharer, const MrSide* side) {
  const uint32_t threads = sharer->options.threads;
  if (sharer->options.stages) return sharer->options.stages;
  return side->tiles < threads ? 2 * ((threads + side->tiles - 1) / side->tiles) : 1;
}

uint32_t mr_cut_stages_most(const MrSharer* sharer, const MrSide* side) {
  if (side->tiles * MR_CHUNKS_MOST > MR_PARTS_MOST) return 1;
  return least(least(MR_STAGES_MOST, MR_PARTS_MOST / (side->tiles * MR_CHUNKS_MOST)), stages_wanted(sharer, side));
}

static double tile_ns(const MrSharer* sharer, uint32_t sections, uint32_t lanes, bool may_be_few, bool interleaved, uint32_t n) {
  const MrSchedule* schedule = sharer->schedule;
  const uint32_t cells = n / MR_CELL, rest = n % MR_CELL;
  if (may_be_few && n >= mr_schedule_few_from(schedule, interleaved, sections, lanes))
    return mr_schedule_few_ns(schedule, n, sections, lanes);
  return (cells ? cells * mr_schedule_cell_ns(schedule, interleaved, MR_CELL, sections, lanes) : 0) +
         (rest ? mr_schedule_cell_ns(schedule, interleaved, rest, sections, lanes) : 0);
}

double mr_cut_alone_ns(const MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t n) {
  double ns = 0, one = 0;
  for (uint32_t t = 0; t < side->tiles; t++) {
    const MrTile *tile = &side->tile[t], *before = t ? tile - 1 : NULL;
    const bool rests = mr_side_rests(side, t), same = before && before->sections == tile->sections && before->lanes == tile->lanes;
    if (!same || rests != mr_side_rests(side, t - 1)) one = tile_ns(sharer, tile->sections, tile->lanes, rests, interleaved, n);
    ns += one;
  }
  return ns;
}

double mr_cut_most_ns(const MrSharer* sharer, const MrSide* side, uint32_t n) {
  double ns = 0;
  for (uint32_t t = 0; t < side->tiles; t++)
    ns += tile_ns(sharer, side->motion ? side->capacity : side->tile[t].sections, side->tile[t].lanes, false, false, n);
  return ns;
}

static uint32_t longest_of(const MrSide* side) {
  uint32_t most = 0;
  for (uint32_t t = 0; t < side->tiles; t++)
    if (side->tile[t].sections > most) most = side->tile[t].sections;
  return most;
}

static uint32_t cells_of(uint32_t n, uint32_t at) { return (at + n + MR_CELL - 1) / MR_CELL; }

MrCut mr_cut_plan(const MrSharer* sharer, const MrSide* side, double alone_ns, uint32_t n, uint32_t at) {
  const uint32_t threads = sharer->options.threads, cells = cells_of(n, at), sections = longest_of(side);
  const uint32_t stages_most = least(mr_cut_stages_most(sharer, side), sections / STAGE_SECTIONS ? sections / STAGE_SECTIONS : 1);
  MrCut cut = {.n = n, .at = at, .stages = stages_most, .chunks = 1};
  /* Chunks until parts are as short as they may be, or so many that the load is even. */
  const double parts = fmax(1, alone_ns / LEAST_PART_NS), wanted = fmin(parts, (double)threads * PARTS_A_THREAD * cut.stages);
  const uint32_t chunks = (uint32_t)fmin(MR_CHUNKS_MOST, ceil(wanted / (side->tiles * cut.stages)));
  cut.chunks = sharer->options.grain ? (n + sharer->options.grain - 1) / sharer->options.grain : chunks;
  cut.chunks = least(least(cut.chunks, cells), mr_cut_chunks_most(sharer, side));
  while (cut.chunks > 1 && cut.chunks * cut.stages * side->tiles > MR_PARTS_MOST) cut.chunks--;
  if (cut.chunks < 2 && !sharer->options.stages) cut.stages = 1; /* a wavefront has no width without frames to run ahead of */
  return cut;
}

double mr_cut_gain(const MrSharer* sharer, const MrSide* side, const MrCut* cut, double alone_ns) {
  /* Parts that can run at once: of every tile, stages on different chunks, which fill and drain. */
  const double run_up = cut->stages + cut->chunks - 1, width = side->tiles * (double)(cut->stages * cut->chunks) / run_up;
  const double threads = fmin(sharer->options.threads, width),
               even = ceil(side->tiles * cut->stages / threads) * threads / (side->tiles * cut->stages);
  const double late = sharer->options.awake ? 0 : WAKE_LATE_NS, wake = sharer->options.awake ? 0 : WAKE_NS;
  const double shared = fmax(alone_ns / threads * (cut->chunks > 1 ? 1 : even), (alone_ns + late * (threads - 1)) / threads);
  return alone_ns / (fmin(shared, alone_ns) + COPY_SHARE * alone_ns + JOB_NS + wake);
}

static uint32_t part_at(const MrBlockJob* job, const MrCut* cut, uint32_t tile, uint32_t stage, uint32_t chunk) {
  uint32_t before = 0; /* whole diagonals */
  for (uint32_t d = 0; d < stage + chunk; d++) {
    const uint32_t low = d >= cut->chunks ? d - cut->chunks + 1 : 0, high = least(d, cut->stages - 1);
    before += high - low + 1;
  }
  const uint32_t low = stage + chunk >= cut->chunks ? stage + chunk - cut->chunks + 1 : 0;
  return (before + stage - low) * job->tiles + tile;
}

static MrPart part_of(const MrBlockJob* job, const MrCut* cut, uint32_t tile, uint32_t stage, uint32_t chunk) {
  const uint32_t cells = cells_of(cut->n, cut->at), sections = job->tile[tile].sections;
  const uint32_t first = chunk * cells / cut->chunks * MR_CELL, end = (chunk + 1) * cells / cut->chunks * MR_CELL;
  const uint32_t from = first > cut->at ? first - cut->at : 0, to = least(end - cut->at, cut->n);
  const uint32_t section = stage * sections / cut->stages;
  return (MrPart){.tile = tile,
                  .stage = stage,
                  .chunk = chunk,
                  .frame = from,
                  .n = to - from,
                  .section = section,
                  .sections = (stage + 1) * sections / cut->stages - section,
                  .lower = stage ? part_at(job, cut, tile, stage - 1, chunk) : MR_NO_PART,
                  .earlier = chunk ? part_at(job, cut, tile, stage, chunk - 1) : MR_NO_PART,
                  .last = stage + 1 == cut->stages};
}

/* Whether each of a tile's parts can be run as few channels, from lengths that gain by it. */
static bool is_few(const MrBlockJob* job, uint32_t t) {
  const MrTile* tile = &job->tile[t];
  if (tile->lanes >= job->kernels->shape.vector || tile->routed || mr_job_is_delayed(job, t) || (job->in.interleaved && job->tiles > 1))
    return false;
  for (uint32_t p = 0; p < job->parts; p++) {
    const MrPart* part = &job->part[p];
    if (part->tile != t) continue;
    const uint32_t from =
        part->sections ? mr_schedule_few_from(job->schedule, job->in.interleaved, part->sections, tile->lanes) : UINT32_MAX;
    const uint32_t last = part->n % mr_schedule_few_most(tile->lanes); /* pieces are no longer than that, and each must be long enough */
    if (part->n < from || (last && last < from)) return false;
  }
  return true;
}

void mr_cut_parts(MrBlockJob* job, const MrCut* cut) {
  job->cut = *cut;
  job->parts = cut->stages * cut->chunks * job->tiles;
  uint32_t p = 0;
  for (uint32_t d = 0; d < cut->stages + cut->chunks - 1; d++)
    for (uint32_t stage = d >= cut->chunks ? d - cut->chunks + 1 : 0; stage <= d && stage < cut->stages; stage++)
      for (uint32_t t = 0; t < job->tiles; t++) job->part[p++] = part_of(job, cut, t, stage, d - stage);
  for (uint32_t t = 0; t < job->tiles; t++) job->few[t] = is_few(job, t);
}
