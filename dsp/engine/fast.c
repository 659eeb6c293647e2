/* The engine in float32 arithmetic: its memory, and the walk over cells and tiles that filters a block.
   SPDX-License-Identifier: ISC */
#include "fast.h"

#include "fast_side.h"
#include "few_channels.h"
#include "memory.h"

#define SILENCE_FRAMES MR_SILENCE_FRAMES

#define SINGLE_SECTION 0.92 /* of the time that a float64 section takes in a pass, as measured */

struct MrFast {
  const MrSingleKernels* kernels;
  MrSchedule schedule;
  uint32_t tiles;
  uint64_t position; /* of the next frame, since reset */
  MrFastSide* side;  /* NULL: it passes */
  float* staged;     /* [tiles][MR_CELL][MR_SINGLE_LANES], twice: inputs of a piece, before any output is written; float64 ones in a copy */
  float* x;          /* [MR_CELL][MR_SINGLE_LANES] */
  float* few;        /* [MR_FEW_SAMPLES]: a run of few channels */
  void* nowhere;     /* MR_CELL samples that lanes without a channel write */
};

MrFast* mr_fast_new(const MrEngineOptions* options, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  const MrSingleKernels* kernels = mr_single_kernels_choose(options->cpu_level);
  if (!kernels) return NULL;
  *status = MR_ERR_MEMORY;
  MrFast* fast = mr_memory_new(1, sizeof *fast);
  if (!fast) return NULL;
  fast->kernels = kernels;
  MrCosts costs = options->costs ? *options->costs : mr_costs_estimate(kernels->level);
  costs.pass_section *= SINGLE_SECTION;
  mr_schedule_make(&fast->schedule, &kernels->shape, (MrPlanarWay){0, 4}, options->channels, &costs);
  fast->tiles = MR_FAST_TILES(options->channels);
  fast->staged = mr_memory_new((size_t)fast->tiles * MR_CELL, MR_SINGLE_LANES * sizeof(double));
  fast->x = mr_memory_new(MR_CELL, MR_SINGLE_LANES * sizeof(float));
  fast->few = mr_memory_new(MR_FEW_SAMPLES, sizeof(float));
  fast->nowhere = mr_memory_new(MR_CELL, sizeof(double));
  if (!fast->staged || !fast->x || !fast->few || !fast->nowhere) {
    mr_fast_free(fast);
    return NULL;
  }
  *status = MR_OK;
  return fast;
}

void mr_fast_free(MrFast* fast) {
  if (!fast) return;
  mr_fast_side_free(fast->side);
  free(fast->staged);
  free(fast->x);
  free(fast->few);
  free(fast->nowhere);
  free(fast);
}

MrStatus mr_fast_give(MrFast* fast, const MrProgram* program) {
  if (fast->position) return MR_ERR_ARGUMENT;
  MrStatus status;
  MrFastSide* side = mr_fast_side_new(program, &status);
  if (!side) return status;
  mr_fast_side_free(fast->side);
  fast->side = side;
  return MR_OK;
}

void mr_fast_reset(MrFast* fast) {
  fast->position = 0;
  if (fast->side) mr_fast_side_reset(fast->side);
}

/* ------------------------------------------------------------- process */

static float* staged_tile(const MrFast* fast, uint32_t t) { return fast->staged + (size_t)t * MR_CELL * MR_SINGLE_LANES; }

static void load(const MrFast* fast, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, float* x) {
  const MrFastTile* tile = &fast->side->tile[t];
  mr_buffers_load_single(buffers, fast->kernels, tile->first, tile->lanes, frame, n, x);
}

/* A tile's input: through its routes, from the stage, or from the buffers at once. */
static void input(const MrFast* fast, const MrBuffers* buffers, bool staged, uint32_t t, uint32_t frame, uint32_t n) {
  if (fast->side->tile[t].routed)
    mr_fast_side_route(fast->side, fast->staged, t, n, fast->x);
  else if (staged)
    memcpy(fast->x, staged_tile(fast, t), n * MR_SINGLE_LANES * sizeof *fast->x);
  else
    load(fast, buffers, t, frame, n, fast->x);
}

static uint32_t run_piece(MrFast* fast, const MrBuffers* buffers, bool staged, uint32_t t, uint64_t position, uint32_t frame, uint32_t n) {
  MrFastSide* side = fast->side;
  const MrFastTile* tile = &side->tile[t];
  input(fast, buffers, staged, t, frame, n);
  const uint32_t found = mr_fast_side_run(side, fast->kernels, &fast->schedule, t, n, (position + n) % MR_CELL == 0, fast->x);
  mr_buffers_store_single(buffers, fast->kernels, tile->first, tile->lanes, frame, n, fast->x, tile->gain);
  return found;
}

/* Frames from here that a tile of few channels may take at once, of n; 0: it goes cell by cell. */
static uint32_t few_frames(const MrFast* fast, const MrBuffers* buffers, bool staged, uint32_t t, uint64_t position, uint32_t n) {
  const MrFastTile* tile = &fast->side->tile[t];
  if (tile->lanes >= fast->schedule.shape.vector || staged || (buffers->interleaved && fast->tiles > 1)) return 0;
  if (tile->careful || !mr_fast_side_rests(fast->side, t)) return 0;
  const uint32_t most = mr_schedule_few_most(tile->lanes), to_look = SILENCE_FRAMES - (uint32_t)(position % SILENCE_FRAMES);
  n = n < most ? n : most;
  n = n < to_look ? n : to_look;
  return n >= mr_schedule_few_from(&fast->schedule, buffers->interleaved, tile->sections, tile->lanes) ? n : 0;
}

/* n frames of a tile of few channels at once; false, with nothing done, where they have to go cell by cell. */
static bool run_few(MrFast* fast, const MrBuffers* buffers, uint32_t t, uint32_t at, uint32_t frame, uint32_t n) {
  const MrFastTile* tile = &fast->side->tile[t];
  mr_few_load_f32(buffers, tile->first, tile->lanes, frame, n, fast->few);
  if (!mr_fast_side_run_few(fast->side, fast->kernels, t, at, n, fast->few)) return false;
  mr_few_store_f32(buffers, tile->first, tile->lanes, frame, n, fast->few, tile->gain);
  return true;
}

/* Frames that may be run a tile after the other: all, where every output depends on its own tile alone and channels are planar,
   to be read as long streams. Otherwise no further than the cell's end: the stage holds no more, and of interleaved samples of several tiles a
   cell's worth stays in the cache for the next tile. */
static uint32_t span_of(const MrFast* fast, const MrBuffers* buffers, bool independent, uint32_t rest) {
  const uint32_t to_end = MR_CELL - (uint32_t)(fast->position % MR_CELL);
  const bool free = independent && (!buffers->interleaved || fast->tiles == 1) && !(fast->side && fast->side->route);
  return free || rest < to_end ? rest : to_end;
}

bool mr_fast_passes(const MrFast* fast) { return !fast->side || fast->side->passes; }

static uint64_t run_span(MrFast* fast, const MrBuffers* buffers, bool independent, uint32_t frame, uint32_t n) {
  if (mr_fast_passes(fast)) {
    mr_buffers_copy(buffers, frame, n, independent, fast->staged);
    return 0;
  }
  const bool staged = fast->side->route || !independent;
  for (uint32_t t = 0; staged && t < fast->tiles; t++) load(fast, buffers, t, frame, n, staged_tile(fast, t));
  uint64_t found = 0;
  for (uint32_t t = 0; t < fast->tiles; t++)
    for (uint32_t f = 0, piece; f < n; f += piece) {
      const uint64_t position = fast->position + f;
      const uint32_t at = (uint32_t)(position % MR_CELL), to_end = MR_CELL - at;
      if (position % SILENCE_FRAMES == 0) mr_fast_side_settle_silence(fast->side, t);
      piece = few_frames(fast, buffers, staged, t, position, n - f);
      if (piece && run_few(fast, buffers, t, at, frame + f, piece)) continue;
      piece = n - f < to_end ? n - f : to_end;
      found += run_piece(fast, buffers, staged, t, position, frame + f, piece);
    }
  return found;
}

uint64_t mr_fast_process(MrFast* fast, MrBuffers* buffers, uint32_t n) {
  const bool independent = mr_buffers_independent(buffers, n);
  uint64_t found = 0;
  buffers->nowhere = fast->nowhere;
  for (uint32_t frame = 0, span; frame < n; frame += span) {
    span = span_of(fast, buffers, independent, n - frame);
    found += run_span(fast, buffers, independent, frame, span);
    fast->position += span;
  }
  return found;
}

static bool has_state(const MrFast* fast) { return fast->side && !fast->side->delays && fast->position % MR_CELL == 0; }

MrStatus mr_fast_state(const MrFast* fast, double* state) {
  if (!has_state(fast)) return MR_ERR_ARGUMENT;
  mr_fast_side_state(fast->side, state);
  return MR_OK;
}

MrStatus mr_fast_set_state(MrFast* fast, const double* state) {
  if (!has_state(fast)) return MR_ERR_ARGUMENT;
  return mr_fast_side_set_state(fast->side, state) ? MR_OK : MR_ERR_NOT_FINITE;
}

MrFastParts mr_fast_parts(MrFast* fast) { return (MrFastParts){fast->side, fast->kernels, &fast->schedule}; }
uint64_t* mr_fast_position(MrFast* fast) { return &fast->position; }

/* ---------------------------------------------------------------- plan */

/* Frames of a planar block from which the channels that are left over have their sections in lanes, in a cell or over several; UINT32_MAX: never. */
static uint32_t chains_from(const MrFast* fast, uint32_t sections) {
  if (!sections) return UINT32_MAX;
  const uint32_t t = fast->tiles - 1, cell = mr_schedule_chain_from(&fast->schedule, sections);
  const bool apart = fast->side->route || !mr_fast_side_rests(fast->side, t);
  const uint32_t few = apart ? UINT32_MAX : mr_schedule_few_from(&fast->schedule, false, sections, fast->side->tile[t].lanes);
  return cell <= MR_CELL && cell < few ? cell : few;
}

MrPlan mr_fast_plan(const MrFast* fast) {
  const uint32_t sections = fast->side ? fast->side->sections : 0,
                 rest_sections = sections ? fast->side->tile[fast->tiles - 1].sections : 0;
  const uint32_t from = chains_from(fast, rest_sections);
  return (MrPlan){
      .form = "delta DF2",
      .family = "channels in lanes",
      .arithmetic = fast->kernels->fused ? "float32, fused" : "float32, unfused",
      .segments = 1,
      .level = fast->kernels->level,
      .lanes = MR_SINGLE_LANES,
      .tiles = fast->tiles,
      .sections_per_pass = fast->kernels->shape.sections_per_pass,
      .sections = sections,
      .chains = from < UINT32_MAX ? fast->schedule.rest : 0,
      .chain_from = from < UINT32_MAX ? from : 0,
      .threads = 1,
      .strands = 1,
      .stages = 1,
  };
}
