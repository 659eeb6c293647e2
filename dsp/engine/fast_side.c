/* What a fast engine plays: a program's cascades, routes and delays in float32, in lane tiles of floats.
   SPDX-License-Identifier: ISC */
#include "fast_side.h"

#include "../kernel/bounds.h"

#include <math.h>

#include "../kernel/state.h"
#include "fast_scale.h"
#include "few_channels.h"
#include "memory.h"

/* ---------------------------------------------------------- making one */

static void set_section(MrFastTile* tile, uint32_t slot, uint32_t lane, const MrSection* section) {
  static const MrSection identity = {.s = 1, .P = 1, .D = 1, .e1 = 0, .e2 = 0};
  if (!section) section = &identity;
  float* c = tile->coef + (size_t)slot * MR_SINGLE_COEF_STRIDE + lane;
  double row[MR_SETTLED_ROWS];
  mr_settled_from_section(section, row);
  for (uint32_t r = 0; r < MR_SETTLED_ROWS; r++) c[r * MR_SINGLE_LANES] = (float)row[r];
}

/* The power of two that a section's numerator was multiplied by. */
static int shift_of(const MrSection* from, const MrSection* to) {
  const double old = from->D != 0 ? from->D : from->e1 != 0 ? from->e1 : from->e2;
  const double now = from->D != 0 ? to->D : from->e1 != 0 ? to->e1 : to->e2;
  return old != 0 ? ilogb(now) - ilogb(old) : 0;
}

/* A channel's sections and gain; false where the gain is beyond float32. scaled: room for its sections. */
static bool set_lane(MrFastSide* side, MrFastTile* tile, uint32_t lane, const MrProgram* program, MrSection* scaled) {
  const uint32_t channel = tile->first + lane, sections = mr_program_sections(program, channel);
  const int exponent = sections ? mr_fast_scale(mr_program_section(program, channel, 0), sections, program->fs, scaled) : 0;
  for (uint32_t k = 0; k < tile->sections; k++) set_section(tile, k, lane, k < sections ? &scaled[k] : NULL);
  int level = 0;
  for (uint32_t k = 0; k < sections; k++) {
    side->level[(size_t)channel * side->sections + k] = (int16_t)level;
    level += shift_of(mr_program_section(program, channel, k), &scaled[k]);
  }
  tile->gain[lane] = (float)ldexp(mr_program_gain(program, channel), exponent);
  return isfinite(tile->gain[lane]);
}

static bool fill_tile(MrFastSide* side, MrFastTile* tile, const MrProgram* program, MrSection* scaled) {
  bool possible = true;
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) {
    if (l < tile->lanes)
      possible = set_lane(side, tile, l, program, scaled) && possible;
    else
      for (uint32_t k = 0; k < tile->sections; k++) set_section(tile, k, l, NULL);
  }
  return possible;
}

static MrStatus make_tiles(MrFastSide* side, const MrProgram* program) {
  side->channels = program->channels;
  for (uint32_t c = 0; c < program->channels; c++) {
    const uint32_t sections = mr_program_sections(program, c);
    if (sections > side->sections) side->sections = sections;
  }
  side->tile = mr_memory_new(side->tiles, sizeof *side->tile);
  side->coef = mr_memory_new((size_t)side->tiles * side->sections, MR_SINGLE_COEF_STRIDE * sizeof(float));
  side->state = mr_memory_new((size_t)side->tiles * side->sections, MR_SINGLE_STATE_STRIDE * sizeof(float));
  side->gain = mr_memory_new(side->tiles, MR_SINGLE_LANES * sizeof(float));
  side->kept = mr_memory_new(side->sections, MR_SINGLE_STATE_STRIDE * sizeof(float));
  side->level = mr_memory_new((size_t)side->channels * side->sections, sizeof *side->level);
  if (!side->tile || !side->coef || !side->state || !side->gain || !side->kept || !side->level) return MR_ERR_MEMORY;
  MrSection* scaled = mr_memory_new(side->sections, sizeof *scaled);
  if (!scaled) return MR_ERR_MEMORY;
  MrStatus status = MR_OK;
  for (uint32_t t = 0; t < side->tiles; t++) {
    MrFastTile* tile = &side->tile[t];
    tile->first = t * MR_SINGLE_LANES;
    tile->lanes = program->channels - tile->first < MR_SINGLE_LANES ? program->channels - tile->first : MR_SINGLE_LANES;
    tile->coef = side->coef + (size_t)t * side->sections * MR_SINGLE_COEF_STRIDE;
    tile->state = side->state + (size_t)t * side->sections * MR_SINGLE_STATE_STRIDE;
    tile->gain = side->gain + (size_t)t * MR_SINGLE_LANES;
    for (uint32_t l = 0; l < tile->lanes; l++) {
      const uint32_t sections = mr_program_sections(program, tile->first + l);
      if (sections > tile->sections) tile->sections = sections;
    }
    if (!fill_tile(side, tile, program, scaled)) status = MR_ERR_RANGE;
  }
  free(scaled);
  return status;
}

static bool make_routes(MrFastSide* side, const MrProgram* program) {
  const MrSide* wide = program->side;
  if (!wide->route) return true;
  const uint32_t routes = wide->route_end[program->channels - 1];
  side->route = mr_memory_new(routes, sizeof *side->route);
  side->route_end = mr_memory_new(program->channels, sizeof *side->route_end);
  if (!side->route || !side->route_end) return false;
  for (uint32_t i = 0; i < routes; i++) side->route[i] = (MrFastRoute){wide->route[i].source, (float)wide->route[i].gain};
  memcpy(side->route_end, wide->route_end, program->channels * sizeof *side->route_end);
  for (uint32_t t = 0; t < wide->tiles; t++) side->tile[wide->tile[t].first / MR_SINGLE_LANES].routed |= wide->tile[t].routed;
  return true;
}

static bool make_delays(MrFastSide* side, const MrProgram* program) {
  const MrSide* wide = program->side;
  side->delay = mr_memory_new(wide->delays, sizeof *side->delay);
  if (!side->delay) return false;
  for (; side->delays < wide->delays; side->delays++) {
    MrFastDelay* delay = &side->delay[side->delays];
    delay->channel = wide->delay[side->delays].channel;
    delay->frames = wide->delay[side->delays].frames;
    delay->line = mr_memory_new(delay->frames, sizeof(float));
    if (!delay->line) return false;
  }
  for (uint32_t t = 0, i = 0; t < side->tiles; t++) {
    side->tile[t].delay_begin = i;
    while (i < side->delays && side->delay[i].channel < (t + 1) * MR_SINGLE_LANES) i++;
    side->tile[t].delay_end = i;
  }
  return true;
}

MrFastSide* mr_fast_side_new(const MrProgram* program, MrStatus* status) {
  *status = MR_ERR_MEMORY;
  MrFastSide* side = mr_memory_new(1, sizeof *side);
  if (!side) return NULL;
  side->tiles = MR_FAST_TILES(program->channels);
  side->passes = program->side->passes;
  *status = make_tiles(side, program);
  if (*status == MR_OK && !(make_routes(side, program) && make_delays(side, program))) *status = MR_ERR_MEMORY;
  if (*status == MR_OK) return side;
  mr_fast_side_free(side);
  return NULL;
}

void mr_fast_side_free(MrFastSide* side) {
  if (!side) return;
  for (uint32_t i = 0; i < side->delays; i++) free(side->delay[i].line);
  free(side->delay);
  free(side->route);
  free(side->route_end);
  free(side->tile);
  free(side->coef);
  free(side->state);
  free(side->gain);
  free(side->kept);
  free(side->level);
  free(side);
}

/* ------------------------------------------------------------- playing */

static void clear_lane(MrFastTile* tile, uint32_t lane) {
  for (uint32_t i = 0; i < tile->sections * MR_STATE_ROWS; i++) tile->state[i * MR_SINGLE_LANES + lane] = 0;
}

void mr_fast_side_reset(MrFastSide* side) {
  memset(side->state, 0, (size_t)side->tiles * side->sections * MR_SINGLE_STATE_STRIDE * sizeof(float));
  for (uint32_t t = 0; t < side->tiles; t++) side->tile[t].careful = false;
  for (uint32_t i = 0; i < side->delays; i++) side->delay[i].position = side->delay[i].filled = 0;
}

void mr_fast_side_route(const MrFastSide* side, const float* staged, uint32_t t, uint32_t n, float* x) {
  const MrFastTile* tile = &side->tile[t];
  memset(x, 0, n * MR_SINGLE_LANES * sizeof *x);
  for (uint32_t l = 0; l < tile->lanes; l++) {
    const uint32_t channel = tile->first + l;
    for (uint32_t i = channel ? side->route_end[channel - 1] : 0; i < side->route_end[channel]; i++) {
      const uint32_t source = side->route[i].source;
      const float gain = side->route[i].gain;
      const float* from = staged + (size_t)(source / MR_SINGLE_LANES) * MR_CELL * MR_SINGLE_LANES + source % MR_SINGLE_LANES;
      for (uint32_t f = 0; f < n; f++) x[f * MR_SINGLE_LANES + l] += gain * from[f * MR_SINGLE_LANES];
    }
  }
}

static uint32_t restart_poisoned(MrFastTile* tile, const float* last) {
  uint32_t found = 0;
  for (uint32_t l = 0; l < tile->lanes; l++) {
    if (fabsf(last[l]) < MR_POISON) continue;
    clear_lane(tile, l);
    found++;
  }
  return found;
}

void mr_fast_side_run_delays(MrFastSide* side, uint32_t t, uint32_t n, float* x) {
  const MrFastTile* tile = &side->tile[t];
  for (uint32_t i = tile->delay_begin; i < tile->delay_end; i++) {
    MrFastDelay* delay = &side->delay[i];
    float* lane = x + (delay->channel - tile->first);
    for (uint32_t f = 0; f < n; f++) {
      const float late = delay->filled == delay->frames ? delay->line[delay->position] : 0;
      delay->line[delay->position] = lane[f * MR_SINGLE_LANES];
      lane[f * MR_SINGLE_LANES] = late;
      if (++delay->position == delay->frames) delay->position = 0;
      if (delay->filled < delay->frames) delay->filled++;
    }
  }
}

void mr_fast_schedule_run(const MrSchedule* schedule, const MrSingleKernels* kernels, float* x, uint32_t n, const float* coef, float* state,
                          uint32_t sections, uint32_t lanes) {
  const uint32_t chains = mr_schedule_chains(schedule, n, sections, lanes), beside = lanes - chains;
  if (beside) kernels->run_settled(x, n, coef, state, sections, beside);
  if (chains) kernels->run_chains(x + beside, MR_SINGLE_LANES, n, coef + beside, state + beside, sections, chains);
}

uint32_t mr_fast_side_run(MrFastSide* side, const MrSingleKernels* kernels, const MrSchedule* schedule, uint32_t t, uint32_t n,
                          bool cell_ends, float* x) {
  MrFastTile* tile = &side->tile[t];
  uint32_t found = 0;
  if (tile->sections) {
    mr_fast_schedule_run(schedule, kernels, x, n, tile->coef, tile->state, tile->sections, tile->lanes);
    if (cell_ends) found = restart_poisoned(tile, x + (size_t)(n - 1) * MR_SINGLE_LANES);
  }
  mr_fast_side_run_delays(side, t, n, x);
  return found;
}

bool mr_fast_side_rests(const MrFastSide* side, uint32_t t) {
  const MrFastTile* tile = &side->tile[t];
  return !tile->routed && tile->delay_begin == tile->delay_end;
}

bool mr_fast_side_run_few(MrFastSide* side, const MrSingleKernels* kernels, uint32_t t, uint32_t at, uint32_t n, float* x) {
  MrFastTile* tile = &side->tile[t];
  const size_t bytes = tile->sections * MR_SINGLE_STATE_STRIDE * sizeof(float);
  memcpy(side->kept, tile->state, bytes);
  kernels->run_chains(x, tile->lanes, n, tile->coef, tile->state, tile->sections, tile->lanes);
  if (!mr_few_poisoned_f32(x, tile->lanes, at, n)) return true;
  memcpy(tile->state, side->kept, bytes);
  tile->careful = true;
  return false;
}

void mr_fast_side_settle_silence(MrFastSide* side, uint32_t t) {
  MrFastTile* tile = &side->tile[t];
  tile->careful = false;
  bool loud[MR_SINGLE_LANES] = {false};
  for (uint32_t i = 0; i < tile->sections * MR_STATE_ROWS; i++)
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) loud[l] |= !(fabsf(tile->state[i * MR_SINGLE_LANES + l]) < MR_SILENCE);
  for (uint32_t l = 0; l < tile->lanes; l++)
    if (!loud[l]) clear_lane(tile, l);
}

/* --------------------------------------------------------------- state */

/* Kernels keep w one frame behind, see kernel.h. */
void mr_fast_side_state(const MrFastSide* side, double* state) {
  memset(state, 0, (size_t)side->channels * side->sections * 2 * sizeof *state);
  for (uint32_t c = 0; c < side->channels; c++) {
    const MrFastTile* tile = &side->tile[c / MR_SINGLE_LANES];
    for (uint32_t k = 0; k < tile->sections; k++) {
      const float* at = tile->state + (size_t)k * MR_SINGLE_STATE_STRIDE + c % MR_SINGLE_LANES;
      const double w = (double)at[0], d = (double)at[MR_SINGLE_LANES];
      const size_t i = (size_t)c * side->sections + k;
      state[2 * i] = ldexp(w + d, -side->level[i]);
      state[2 * i + 1] = ldexp(d, -side->level[i]);
    }
  }
}

bool mr_fast_side_set_state(MrFastSide* side, const double* state) {
  for (size_t i = 0; i < (size_t)side->channels * side->sections * 2; i++)
    if (!isfinite(state[i])) return false;
  for (uint32_t c = 0; c < side->channels; c++) {
    const MrFastTile* tile = &side->tile[c / MR_SINGLE_LANES];
    for (uint32_t k = 0; k < tile->sections; k++) {
      float* at = tile->state + (size_t)k * MR_SINGLE_STATE_STRIDE + c % MR_SINGLE_LANES;
      const size_t i = (size_t)c * side->sections + k;
      at[0] = (float)ldexp(state[2 * i] - state[2 * i + 1], side->level[i]);
      at[MR_SINGLE_LANES] = (float)ldexp(state[2 * i + 1], side->level[i]);
    }
  }
  return true;
}
