/* The engine: its memory, and the walk over cells and tiles that filters a block.
   SPDX-License-Identifier: ISC */
#include "engine.h"

#include <math.h>

#include "../kernel/fpmode.h"
#include "few_channels.h"
#include "memory.h"

#define FADE_CELLS_AT_48K 16.0
#define MAX_BANDS         256u
#define SECTIONS_A_BAND   8u
#define SILENCE_FRAMES    MR_SILENCE_FRAMES

static bool make_parametric(MrEngine* engine) {
  const MrEngineOptions* o = &engine->options;
  engine->settings.band = mr_memory_new(o->max_bands, sizeof(MrBand));
  if (!engine->settings.band) return false;
  for (uint32_t b = 0; b < o->max_bands; b++) engine->settings.band[b].design = mr_design_default(MR_NONE);
  for (int i = 0; i < 2; i++) {
    MrSide* side = engine->parametric[i] = mr_side_new(o->channels, o->max_sections);
    if (!side) return false;
    side->motion = mr_motion_new(o->channels, o->fs, o->max_bands, o->max_sections);
    if (!side->motion || !mr_sharing_make(engine->sharer, side)) return false;
  }
  return true;
}

static bool make_fade(MrEngine* engine) {
  engine->fade_cells = (uint32_t)fmax(1, round(FADE_CELLS_AT_48K * engine->options.fs / 48000));
  const size_t frames = (size_t)engine->fade_cells * MR_CELL;
  engine->fade = mr_memory_new(frames, sizeof *engine->fade);
  if (!engine->fade) return false;
  for (size_t i = 0; i < frames; i++) {
    const double t = (double)i / (double)frames;
    engine->fade[i] = t - sin(2 * M_PI * t) / (2 * M_PI);
  }
  return true;
}

MrEngine* mr_engine_new(const MrEngineOptions* options, MrStatus* status) {
  MrStatus ignored;
  if (!status) status = &ignored;
  *status = MR_ERR_ARGUMENT;
  if (!options || options->max_bands > MAX_BANDS) return NULL;
  if (options->precision > MR_PRECISION_FAST || (options->precision == MR_PRECISION_FAST && options->max_bands)) return NULL;
  const MrKernels* kernels = mr_kernels_choose(options->cpu_level);
  if (!kernels) return NULL;
  *status = MR_ERR_CHANNELS;
  if (!options->channels || options->channels > MR_MAX_CHANNELS) return NULL;
  *status = MR_ERR_RANGE;
  if (!(options->fs >= MR_MIN_RATE && options->fs <= MR_MAX_RATE)) return NULL;
  *status = MR_ERR_MEMORY;
  MrEngine* engine = mr_memory_new(1, sizeof *engine);
  if (!engine) return NULL;
  engine->options = *options;
  engine->kernels = kernels;
  if (options->precision == MR_PRECISION_FAST) {
    engine->fast = mr_fast_new(options, status);
    if (engine->fast) return engine;
    mr_engine_free(engine);
    return NULL;
  }
  if (!engine->options.max_sections) engine->options.max_sections = SECTIONS_A_BAND * options->max_bands;
  engine->tiles = MR_TILES(options->channels);
  const MrCosts costs = options->costs ? *options->costs : mr_costs_estimate(kernels->level);
  mr_schedule_make(&engine->schedule, &kernels->shape, (MrPlanarWay){MR_FEW_PLANAR, MR_LANES}, options->channels, &costs);
  engine->options.costs = NULL; /* copied */
  bool failed;
  engine->sharer = mr_sharer_new(&options->threads, options->fs, options->channels, kernels, &engine->schedule, &failed);
  engine->pass = engine->current = mr_side_new(options->channels, 0);
  engine->silence = mr_side_new(options->channels, 0);
  engine->gain = mr_gain_new(options->fs);
  engine->staged = mr_memory_new((size_t)engine->tiles * MR_CELL, MR_LANES * sizeof(double));
  engine->x = mr_memory_new(MR_CELL, MR_LANES * sizeof(double));
  engine->y = mr_memory_new(MR_CELL, MR_LANES * sizeof(double));
  engine->few = mr_memory_new(MR_FEW_SAMPLES, sizeof(double));
  engine->unity = mr_memory_new(MR_LANES, sizeof(double));
  engine->nowhere = mr_memory_new(MR_CELL, sizeof(double));
  if (failed || !engine->pass || !engine->silence || !engine->gain || !engine->staged || !engine->x || !engine->y || !engine->few ||
      !engine->unity || !engine->nowhere || !make_fade(engine) || (options->max_bands && !make_parametric(engine))) {
    mr_engine_free(engine);
    return NULL;
  }
  engine->silence->passes = false;
  engine->silence->silent = true;
  for (uint32_t l = 0; l < MR_LANES; l++) engine->unity[l] = 1;
  *status = MR_OK;
  return engine;
}

static void free_list(MrProgram* program) {
  for (MrProgram* next; program; program = next) {
    next = program->next_idle;
    mr_program_free(program);
  }
}

void mr_engine_free(MrEngine* engine) {
  if (!engine) return;
  mr_sharer_stop(engine->sharer);
  mr_fast_free(engine->fast);
  free_list(atomic_load(&engine->idle));
  free_list(engine->lingering);
  mr_program_free(atomic_load(&engine->given));
  mr_program_free(engine->program);
  mr_program_free(engine->leaving);
  mr_side_free(engine->pass);
  mr_side_free(engine->silence);
  mr_side_free(engine->parametric[0]);
  mr_side_free(engine->parametric[1]);
  mr_sharer_free(engine->sharer); /* its sides are gone */
  mr_gain_free(engine->gain);
  free(engine->settings.band);
  free(engine->fade);
  free(engine->staged);
  free(engine->x);
  free(engine->y);
  free(engine->few);
  free(engine->unity);
  free(engine->nowhere);
  free(engine);
}

/* ------------------------------------------------------------- process */

static double* staged_tile(const MrEngine* engine, uint32_t t) { return engine->staged + (size_t)t * MR_CELL * MR_LANES; }

static void stage(MrEngine* engine, const MrBuffers* buffers, uint32_t frame, uint32_t n) {
  for (uint32_t t = 0; t < engine->tiles; t++)
    mr_buffers_load(buffers, engine->kernels, &engine->pass->tile[t], frame, n, staged_tile(engine, t));
}

/* A side's input of one tile: through its routes, from the stage, or from the buffers at once. */
static void input(const MrEngine* engine, const MrSide* side, const MrBuffers* buffers, bool staged, uint32_t t, uint32_t frame, uint32_t n,
                  double* x) {
  if (side->silent)
    memset(x, 0, n * MR_LANES * sizeof *x);
  else if (side->tile[t].routed)
    mr_side_route(side, engine->staged, t, n, x);
  else if (staged)
    memcpy(x, staged_tile(engine, t), n * MR_LANES * sizeof *x);
  else
    mr_buffers_load(buffers, engine->kernels, &side->tile[t], frame, n, x);
}

/* Channels of a tile among the lanes in trouble. */
static uint32_t count_lanes(uint32_t lanes) {
  uint32_t count = 0;
  for (; lanes; lanes &= lanes - 1) count++;
  return count;
}

/* A side over n frames of a tile, with the engine's gain; those of its channels are left to the caller. */
static uint32_t run_side(const MrEngine* engine, MrSide* side, uint32_t t, uint32_t at, uint32_t n, double* x) {
  const uint32_t found = mr_side_run(side, engine->kernels, &engine->schedule, t, at, n, x);
  if (side != engine->pass) mr_gain_apply(engine->gain, engine->kernels, at, n, x);
  return found;
}

/* One tile through both sides of a fade: the new side's input and the output follow the same window. */
static uint32_t run_fade(MrEngine* engine, const MrBuffers* buffers, uint32_t t, uint32_t at, uint32_t frame, uint32_t n) {
  const MrKernels* kernels = engine->kernels;
  const double* window = engine->fade + (size_t)engine->fade_cell * MR_CELL + at;
  input(engine, engine->current, buffers, true, t, frame, n, engine->x);
  input(engine, engine->next, buffers, true, t, frame, n, engine->y);
  kernels->ramp(engine->y, n, window);
  uint32_t found = run_side(engine, engine->current, t, at, n, engine->x);
  found |= run_side(engine, engine->next, t, at, n, engine->y);
  mr_tile_apply_gain(&engine->current->tile[t], n, engine->x);
  mr_tile_apply_gain(&engine->next->tile[t], n, engine->y);
  kernels->mix(engine->x, engine->y, n, window);
  mr_buffers_store(buffers, kernels, &engine->pass->tile[t], frame, n, engine->x, engine->unity);
  return found;
}

/* One tile through the side that plays. */
static uint32_t run_steady(MrEngine* engine, const MrBuffers* buffers, bool staged, uint32_t t, uint32_t at, uint32_t frame, uint32_t n) {
  MrSide* side = engine->current;
  input(engine, side, buffers, staged, t, frame, n, engine->x);
  const uint32_t found = run_side(engine, side, t, at, n, engine->x);
  mr_buffers_store(buffers, engine->kernels, &side->tile[t], frame, n, engine->x, side->tile[t].gain);
  return found;
}

/* Whether a stretch of the stream goes from buffer to buffer without a tile. */
static bool copies(const MrEngine* engine) {
  return !engine->next && (engine->current->silent || mr_engine_side_passes(engine, engine->current));
}

/* Frames from here that a tile of few channels may take at once, of n; 0: it goes cell by cell. */
static uint32_t few_frames(const MrEngine* engine, const MrBuffers* buffers, bool staged, uint32_t t, uint64_t position, uint32_t n) {
  const MrTile* tile = &engine->current->tile[t];
  if (tile->lanes >= engine->schedule.shape.vector || staged || (buffers->interleaved && engine->tiles > 1) || buffers->width) return 0;
  if (tile->careful || mr_gain_moves(engine->gain) || !mr_side_rests(engine->current, t)) return 0;
  const uint32_t most = mr_schedule_few_most(tile->lanes), to_look = SILENCE_FRAMES - (uint32_t)(position % SILENCE_FRAMES);
  n = n < most ? n : most;
  n = n < to_look ? n : to_look;
  return n >= mr_schedule_few_from(&engine->schedule, buffers->interleaved, tile->sections, tile->lanes) ? n : 0;
}

/* n frames of a tile of few channels at once; false, with nothing done, where they have to go cell by cell. */
static bool run_few(MrEngine* engine, const MrBuffers* buffers, uint32_t t, uint32_t at, uint32_t frame, uint32_t n) {
  MrSide* side = engine->current;
  const MrTile* tile = &side->tile[t];
  mr_few_load_f64(buffers, tile->first, tile->lanes, frame, n, engine->few);
  if (!mr_side_run_few(side, engine->kernels, t, at, n, engine->few)) return false;
  if (side != engine->pass) mr_gain_apply_rested(engine->gain, n * tile->lanes, engine->few);
  mr_few_store_f64(buffers, tile->first, tile->lanes, frame, n, engine->few, tile->gain);
  return true;
}

static bool bands_move(const MrSide* side) { return side && side->motion && mr_motion_moves(side->motion); }

/* Whether the side that plays goes on as it is. */
static bool is_still(const MrEngine* engine) { return !engine->next && !mr_gain_moves(engine->gain) && !bands_move(engine->current); }

/* Frames that may be run a tile after the other. From a cell's start, where every output depends on its own tile alone and nothing
   changes, that is all of the rest: planar channels are then read as long streams. Otherwise no further than the cell's end, where changes
   wait; and so with interleaved samples of several tiles, of which a cell's worth stays in the cache for the next tile. */
static uint32_t span_of(const MrEngine* engine, const MrBuffers* buffers, bool independent, uint32_t rest) {
  const MrSide* side = engine->current;
  const uint32_t at = (uint32_t)(engine->position % MR_CELL), to_end = MR_CELL - at;
  const bool streams = !side->route && (!buffers->interleaved || engine->tiles == 1);
  const bool free = at == 0 && is_still(engine) && independent && (streams || copies(engine));
  return free || rest < to_end ? rest : to_end;
}

static void count_troubles(MrEngine* engine, uint64_t found) {
  if (found) atomic_fetch_add_explicit(&engine->troubles, found, memory_order_relaxed);
}

/* n frames of tiles first .. end - 1, from frame `frame` of the buffers on. */
static uint32_t run_tiles(MrEngine* engine, const MrBuffers* buffers, bool staged, uint32_t first, uint32_t end, uint32_t frame,
                          uint32_t n) {
  uint32_t found = 0;
  for (uint32_t t = first; t < end; t++) {
    for (uint32_t f = 0, piece; f < n; f += piece) {
      const uint64_t position = engine->position + f;
      const uint32_t at = (uint32_t)(position % MR_CELL);
      if (position % SILENCE_FRAMES == 0) {
        mr_side_settle_silence(engine->current, t);
        if (engine->next) mr_side_settle_silence(engine->next, t);
      }
      piece = few_frames(engine, buffers, staged, t, position, n - f);
      if (piece && run_few(engine, buffers, t, at, frame + f, piece)) continue;
      piece = n - f < MR_CELL - at ? n - f : MR_CELL - at;
      found += count_lanes(engine->next ? run_fade(engine, buffers, t, at, frame + f, piece)
                                        : run_steady(engine, buffers, staged, t, at, frame + f, piece));
    }
  }
  return found;
}

static void run_span(MrEngine* engine, const MrBuffers* buffers, bool independent, uint32_t frame, uint32_t n) {
  const MrSide* side = engine->current;
  if (copies(engine)) {
    MrBuffers copied = *buffers;
    if (side->silent) copied.in = NULL;
    mr_buffers_copy(&copied, frame, n, independent, engine->staged);
    return;
  }
  const bool staged = engine->next || side->route || !independent;
  if (staged) stage(engine, buffers, frame, n);
  count_troubles(engine, run_tiles(engine, buffers, staged, 0, engine->tiles, frame, n));
}

#define FADE_OR_GLIDE 4u /* times what the same frames cost at rest, at most */

/* Whether n frames from here can be worth sharing. */
static bool is_likely(const MrEngine* engine, bool interleaved, uint32_t n) {
  MrSide *side = engine->current, *next = engine->next;
  const uint32_t most = n < MR_SHARED_FRAMES ? n : MR_SHARED_FRAMES;
  if (!next && FADE_OR_GLIDE * most < side->share_from[interleaved]) return false; /* nearly always, and at no cost to speak of */
  if (is_still(engine)) return mr_sharing_is_likely(engine->sharer, side, interleaved, most);
  const uint32_t as_much = FADE_OR_GLIDE * most < MR_SHARED_FRAMES ? FADE_OR_GLIDE * most : MR_SHARED_FRAMES;
  return mr_sharing_is_likely(engine->sharer, side, interleaved, as_much) ||
         (next && mr_sharing_is_likely(engine->sharer, next, interleaved, as_much));
}

/* Frames from here, of n, that may be shared at once. */
static uint32_t shared_frames(const MrEngine* engine, uint32_t n) {
  const uint32_t at = (uint32_t)(engine->position % MR_CELL), to_look = SILENCE_FRAMES - (uint32_t)(engine->position % SILENCE_FRAMES);
  uint32_t most = engine->next ? MR_FADED_FRAMES : MR_SHARED_FRAMES;
  if (most > to_look) most = to_look;
  if (engine->next && most > (engine->fade_cells - engine->fade_cell) * MR_CELL - at)
    most = (engine->fade_cells - engine->fade_cell) * MR_CELL - at;
  if ((at || bands_move(engine->current) || bands_move(engine->next)) && most > MR_CELL - at)
    most = MR_CELL - at; /* changes wait at the cell's end, and there is one cell's rows */
  return n < most ? n : most;
}

/* Frames from here, of n, that have been filtered together with other threads; 0: none. Their buffers may lie in each other, since all inputs are
   copied first where they do. */
static uint32_t share(MrEngine* engine, const MrBuffers* buffers, bool apart, uint32_t frame, uint32_t n) {
  const MrSide *side = engine->current, *next = engine->next;
  const bool routed = side->route || (next && next->route);
  if (!is_likely(engine, buffers->interleaved, n) || copies(engine) || buffers->width) return 0;
  if (buffers->interleaved && (engine->tiles > 1 || routed)) return 0;
  const uint32_t at = (uint32_t)(engine->position % MR_CELL);
  const MrStretch stretch = {.side = engine->current,
                             .next = engine->next,
                             .gained = {side != engine->pass, next != engine->pass},
                             .window = engine->fade + (size_t)engine->fade_cell * MR_CELL + at,
                             .gain = engine->gain,
                             .buffers = buffers,
                             .apart = apart && !routed,
                             .looks = engine->position % SILENCE_FRAMES == 0,
                             .frame = frame,
                             .at = at,
                             .n = shared_frames(engine, n)};
  uint32_t first;
  MrBlockJob* const job = mr_sharing_begin(engine->sharer, &stretch, &first);
  if (!job) return 0;
  const uint32_t found = run_tiles(engine, buffers, false, 0, first, frame, stretch.n);
  count_troubles(engine, found + mr_sharing_end(engine->sharer, job, &stretch));
  return stretch.n;
}

static void process(MrEngine* engine, const MrBuffers* buffers, uint32_t n) {
  const MrFpMode host = mr_fpmode_enter();
  const bool apart = mr_buffers_independent(buffers, n);
  bool alone = !engine->sharer, changes_alone = false; /* what is not worth sharing is not looked at again within the block */
  if (engine->sharer) mr_sharer_begin_block(engine->sharer, n);
  if (engine->lingering) mr_engine_release(engine);
  for (uint32_t frame = 0, span; frame < n; frame += span) {
    const bool at_begin = engine->position % MR_CELL == 0;
    if (at_begin) mr_engine_begin_cell(engine);
    const bool tries = !alone && !(changes_alone && !is_still(engine));
    span = tries ? share(engine, buffers, apart, frame, n - frame) : 0;
    if (!span) {
      if (tries && at_begin) *(is_still(engine) ? &alone : &changes_alone) = true;
      const bool independent =
          apart || (engine->tiles == 1 && !copies(engine)); /* a tile's inputs are read before its outputs are written */
      span = span_of(engine, buffers, independent, n - frame);
      run_span(engine, buffers, independent, frame, span);
    }
    uint64_t ends = (engine->position % MR_CELL + span) / MR_CELL;
    engine->position += span;
    for (; engine->next && ends; ends--) mr_engine_end_fade_cell(engine);
  }
  mr_fpmode_leave(host);
}

static void process_fast(MrEngine* engine, MrBuffers* buffers, uint32_t n) {
  const MrFpMode host = mr_fpmode_enter();
  count_troubles(engine, mr_fast_process(engine->fast, buffers, n));
  mr_fpmode_leave(host);
}

static void process_any(MrEngine* engine, bool interleaved, bool is_double, const void* in, void* out, uint32_t n) {
  MrBuffers buffers = {.interleaved = interleaved,
                       .is_double = is_double,
                       .channels = engine->options.channels,
                       .in = in,
                       .out = out,
                       .nowhere = engine->nowhere};
  if (engine->fast)
    process_fast(engine, &buffers, n);
  else
    process(engine, &buffers, n);
}

void mr_engine_process_segments(MrEngine* engine, const MrSegmented* s, uint32_t n) {
  const MrBuffers buffers = {.interleaved = true,
                             .is_double = s->is_double,
                             .channels = engine->options.channels,
                             .in = s->in,
                             .out = s->out,
                             .nowhere = engine->nowhere,
                             .width = s->width,
                             .in_hop = s->in_hop,
                             .out_hop = s->out_hop};
  process(engine, &buffers, n);
}

void mr_engine_process_f32(MrEngine* engine, const float* const* in, float* const* out, uint32_t n) {
  process_any(engine, false, false, in, (void*)out, n);
}

void mr_engine_process_f64(MrEngine* engine, const double* const* in, double* const* out, uint32_t n) {
  process_any(engine, false, true, in, (void*)out, n);
}

void mr_engine_process_interleaved_f32(MrEngine* engine, const float* in, float* out, uint32_t n) {
  process_any(engine, true, false, in, out, n);
}

void mr_engine_process_interleaved_f64(MrEngine* engine, const double* in, double* out, uint32_t n) {
  process_any(engine, true, true, in, out, n);
}

void mr_engine_drain_f32(MrEngine* engine, float* const* out, uint32_t n) { process_any(engine, false, false, NULL, (void*)out, n); }

void mr_engine_drain_f64(MrEngine* engine, double* const* out, uint32_t n) { process_any(engine, false, true, NULL, (void*)out, n); }

void mr_engine_drain_interleaved_f32(MrEngine* engine, float* out, uint32_t n) { process_any(engine, true, false, NULL, out, n); }

void mr_engine_drain_interleaved_f64(MrEngine* engine, double* out, uint32_t n) { process_any(engine, true, true, NULL, out, n); }

uint64_t mr_engine_troubles(const MrEngine* engine) { return atomic_load_explicit(&engine->troubles, memory_order_relaxed); }

float mr_engine_peak_f32(const MrEngine* engine, const float* x, uint32_t n) { return engine->kernels->peak_f32(x, n); }
