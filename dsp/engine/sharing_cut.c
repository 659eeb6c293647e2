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
#define MOVING         3u      /* times what a settled section costs */
#define OWN_SHARE_OF   4u      /* the caller keeps three of so many of the tiles that would be its own: copies make it late */
#define WAKE_NS        12000.0 /* to wake a worker that sleeps, for the caller */
#define WAKE_LATE_NS   40000.0 /* until it works */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t mr_cut_chunks_most(const MrSharer* sharer) {
  const uint32_t tiles = MR_TILES(sharer->channels);
  return tiles < PARTS_A_THREAD * sharer->options.threads ? least(MR_CHUNKS_MOST, MR_PARTS_MOST / tiles) : 1;
}

/* So many as keep the threads busy that tiles leave over, twice. */
static uint32_t stages_wanted(const MrSharer* sharer) {
  const uint32_t threads = sharer->options.threads, tiles = MR_TILES(sharer->channels);
  if (sharer->options.stages) return sharer->options.stages;
  return tiles < threads ? 2 * ((threads + tiles - 1) / tiles) : 1;
}

uint32_t mr_cut_stages_most(const MrSharer* sharer) {
  const uint32_t tiles = MR_TILES(sharer->channels);
  if (tiles * MR_CHUNKS_MOST > MR_PARTS_MOST) return 1;
  return least(least(MR_STAGES_MOST, MR_PARTS_MOST / (tiles * MR_CHUNKS_MOST)), stages_wanted(sharer));
}

static double tile_ns(const MrSharer* sharer, uint32_t sections, uint32_t lanes, bool may_be_few, bool interleaved, uint32_t n) {
  const MrSchedule* schedule = sharer->schedule;
  const uint32_t cells = n / MR_CELL, rest = n % MR_CELL;
  if (may_be_few && n >= mr_schedule_few_from(schedule, interleaved, sections, lanes))
    return mr_schedule_few_ns(schedule, n, sections, lanes);
  return (cells ? cells * mr_schedule_cell_ns(schedule, interleaved, MR_CELL, sections, lanes) : 0) +
         (rest ? mr_schedule_cell_ns(schedule, interleaved, rest, sections, lanes) : 0);
}

/* Sections of a tile in the time of settled ones. */
static uint32_t weight_of(const MrSide* side, const MrTile* tile) {
  const uint32_t moving = side->motion && mr_motion_moves(side->motion) ? mr_motion_moves_of_cell(side->motion)->sections : 0;
  return tile->sections + (MOVING - 1) * least(moving, tile->sections);
}

double mr_cut_alone_ns(const MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t n) {
  double ns = 0, one = 0;
  for (uint32_t t = 0; t < side->tiles; t++) {
    const MrTile *tile = &side->tile[t], *before = t ? tile - 1 : NULL;
    const bool rests = mr_side_rests(side, t), same = before && before->sections == tile->sections && before->lanes == tile->lanes;
    if (!same || rests != mr_side_rests(side, t - 1)) one = tile_ns(sharer, weight_of(side, tile), tile->lanes, rests, interleaved, n);
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
  for (uint32_t t = 0; side && t < side->tiles; t++)
    if (side->tile[t].sections > most) most = side->tile[t].sections;
  return most;
}

static uint32_t cells_of(uint32_t n, uint32_t at) { return (at + n + MR_CELL - 1) / MR_CELL; }

MrCut mr_cut_plan(const MrSharer* sharer, const MrCutAsked* asked, double alone_ns) {
  const MrThreadOptions* options = &sharer->options;
  const uint32_t tiles = asked->side->tiles, longest = longest_of(asked->side), other = longest_of(asked->next);
  const uint32_t sections = longest > other ? longest : other, cells = cells_of(asked->n, asked->at);
  MrCut cut = {.n = asked->n, .at = asked->at, .stages = 1, .chunks = 1};
  if (!asked->moves) {
    cut.stages = least(mr_cut_stages_most(sharer), sections / STAGE_SECTIONS ? sections / STAGE_SECTIONS : 1);
    /* Chunks until parts are as short as they may be, or so many that the load is even. */
    const double parts = fmax(1, alone_ns / LEAST_PART_NS), wanted = fmin(parts, (double)options->threads * PARTS_A_THREAD * cut.stages);
    const uint32_t chunks = (uint32_t)fmin(MR_CHUNKS_MOST, ceil(wanted / (tiles * cut.stages)));
    cut.chunks = options->grain ? (asked->n + options->grain - 1) / options->grain : chunks;
    cut.chunks = least(least(cut.chunks, cells), mr_cut_chunks_most(sharer));
    while (cut.chunks > 1 && cut.chunks * cut.stages * tiles > MR_PARTS_MOST) cut.chunks--;
    if (cut.chunks < 2 && !options->stages) cut.stages = 1; /* a wavefront has no width without frames to run ahead of */
  }
  if (asked->apart && cut.stages == 1) cut.first = (OWN_SHARE_OF - 1) * tiles / (OWN_SHARE_OF * options->threads);
  return cut;
}

double mr_cut_gain(const MrSharer* sharer, const MrCut* cut, double alone_ns, double fixed_ns) {
  /* Parts that can run at once: of every tile, stages on different chunks, which fill and drain. */
  const uint32_t tiles = MR_TILES(sharer->channels);
  const double run_up = cut->stages + cut->chunks - 1, width = tiles * (double)(cut->stages * cut->chunks) / run_up;
  const double threads = fmin(sharer->options.threads, width), even = ceil(tiles * cut->stages / threads) * threads / (tiles * cut->stages);
  const double late = sharer->options.awake ? 0 : WAKE_LATE_NS, wake = sharer->options.awake ? 0 : WAKE_NS;
  const double shared = fmax(alone_ns / threads * (cut->chunks > 1 ? 1 : even), (alone_ns + late * (threads - 1)) / threads);
  return (alone_ns + fixed_ns) / (fmin(shared, alone_ns) + COPY_SHARE * alone_ns + JOB_NS + wake + fixed_ns);
}

/* Parts on the diagonals before d. */
static uint32_t before_diagonal(const MrCut* cut, uint32_t diagonal) {
  uint32_t before = 0;
  for (uint32_t d = 0; d < diagonal; d++) {
    const uint32_t low = d >= cut->chunks ? d - cut->chunks + 1 : 0, high = least(d, cut->stages - 1);
    before += high - low + 1;
  }
  return before;
}

static uint32_t part_at(const MrBlockJob* job, const MrCut* cut, uint32_t tile, uint32_t stage, uint32_t chunk) {
  const uint32_t low = stage + chunk >= cut->chunks ? stage + chunk - cut->chunks + 1 : 0;
  return (before_diagonal(cut, stage + chunk) + stage - low) * (job->tiles - cut->first) + tile - cut->first;
}

static MrPart part_of(const MrBlockJob* job, const MrCut* cut, uint32_t tile, uint32_t stage, uint32_t chunk) {
  const uint32_t cells = cells_of(cut->n, cut->at);
  const uint32_t first = chunk * cells / cut->chunks * MR_CELL, end = (chunk + 1) * cells / cut->chunks * MR_CELL;
  const uint32_t from = first > cut->at ? first - cut->at : 0, to = least(end - cut->at, cut->n);
  return (MrPart){.tile = tile,
                  .stage = stage,
                  .chunk = chunk,
                  .frame = from,
                  .n = to - from,
                  .lower = stage ? part_at(job, cut, tile, stage - 1, chunk) : MR_NO_PART,
                  .earlier = chunk ? part_at(job, cut, tile, stage, chunk - 1) : MR_NO_PART,
                  .last = stage + 1 == cut->stages};
}

void mr_cut_parts(MrBlockJob* job, const MrCut* cut) {
  job->cut = *cut;
  job->parts = cut->stages * cut->chunks * (job->tiles - cut->first);
  uint32_t p = 0;
  for (uint32_t d = 0; d < cut->stages + cut->chunks - 1; d++)
    for (uint32_t stage = d >= cut->chunks ? d - cut->chunks + 1 : 0; stage <= d && stage < cut->stages; stage++)
      for (uint32_t t = cut->first; t < job->tiles; t++) job->part[p++] = part_of(job, cut, t, stage, d - stage);
}

bool mr_cut_is_few(const MrBlockJob* job, const MrTile* last, bool interleaved) {
  if (last->lanes >= job->kernels->shape.vector || last->routed || last->delay_begin != last->delay_end || (interleaved && job->tiles > 1))
    return false;
  const uint32_t shared = job->tiles - job->cut.first, most = mr_schedule_few_most(last->lanes);
  for (uint32_t p = shared - 1; p < job->parts; p += shared) {
    const MrPart* part = &job->part[p];
    const uint32_t sections = mr_stage_begin(last, part->stage + 1, job->cut.stages) - mr_stage_begin(last, part->stage, job->cut.stages);
    const uint32_t from = sections ? mr_schedule_few_from(job->schedule, interleaved, sections, last->lanes) : UINT32_MAX;
    const uint32_t rest = part->n % most; /* pieces are no longer than that, and each must be long enough */
    if (part->n < from || (rest && rest < from)) return false;
  }
  return true;
}
