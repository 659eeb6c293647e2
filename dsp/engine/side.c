/* A side: cascades for all channels in lane tiles, with their routes, delays and state.
   SPDX-License-Identifier: ISC */
#include "side.h"

#include <math.h>

#include "../kernel/bounds.h"
#include "../kernel/state.h"
#include "few_channels.h"
#include "memory.h"
#include "motion.h"
#include "sharing.h"

MrSide* mr_side_new(uint32_t channels, uint32_t capacity) {
  MrSide* side = mr_memory_new(1, sizeof *side);
  if (!side) return NULL;
  const uint32_t tiles = MR_TILES(channels);
  side->channels = channels;
  side->tiles = tiles;
  side->capacity = capacity;
  side->passes = true;
  side->share_from[0] = side->share_from[1] = UINT32_MAX;
  side->tile = mr_memory_new(tiles, sizeof *side->tile);
  side->coef = mr_memory_new((size_t)tiles * capacity, MR_COEF_STRIDE * sizeof(double));
  side->state = mr_memory_new((size_t)tiles * capacity, MR_STATE_STRIDE * sizeof(double));
  side->gain = mr_memory_new(tiles, MR_LANES * sizeof(double));
  side->kept = mr_memory_new(capacity, MR_STATE_STRIDE * sizeof(double));
  if (!side->tile || !side->coef || !side->state || !side->gain || !side->kept) {
    mr_side_free(side);
    return NULL;
  }
  for (uint32_t t = 0; t < tiles; t++) {
    MrTile* tile = &side->tile[t];
    tile->first = t * MR_LANES;
    tile->version = 1;
    tile->lanes = channels - tile->first < MR_LANES ? channels - tile->first : MR_LANES;
    tile->coef = side->coef + (size_t)t * capacity * MR_COEF_STRIDE;
    tile->state = side->state + (size_t)t * capacity * MR_STATE_STRIDE;
    tile->gain = side->gain + (size_t)t * MR_LANES;
    for (uint32_t l = 0; l < MR_LANES; l++) tile->gain[l] = 1;
  }
  return side;
}

void mr_side_free(MrSide* side) {
  if (!side) return;
  for (uint32_t i = 0; i < side->delays; i++) free(side->delay[i].line);
  mr_sharing_free(side->sharing);
  mr_motion_free(side->motion);
  free(side->delay);
  free(side->route);
  free(side->route_end);
  free(side->tile);
  free(side->coef);
  free(side->state);
  free(side->gain);
  free(side->kept);
  free(side);
}

bool mr_side_make_routes(MrSide* side, size_t routes) {
  side->route = mr_memory_new(routes, sizeof *side->route);
  side->route_end = mr_memory_new(side->channels, sizeof *side->route_end);
  return side->route && side->route_end;
}

void mr_tile_set_section(MrTile* tile, uint32_t slot, uint32_t lane, const MrSection* section) {
  tile->version++;
  static const MrSection identity = {.s = 1, .P = 1, .D = 1, .e1 = 0, .e2 = 0};
  if (!section) section = &identity;
  double* c = tile->coef + (size_t)slot * MR_COEF_STRIDE + lane;
  double row[MR_SETTLED_ROWS];
  mr_settled_from_section(section, row);
  for (uint32_t r = 0; r < MR_SETTLED_ROWS; r++) c[r * MR_LANES] = row[r];
}

static void clear_lane(MrTile* tile, uint32_t lane) {
  for (uint32_t i = 0; i < tile->sections * MR_STATE_ROWS; i++) tile->state[i * MR_LANES + lane] = 0;
}

void mr_side_reset(MrSide* side) {
  for (uint32_t t = 0; t < side->tiles; t++) {
    memset(side->tile[t].state, 0, side->tile[t].sections * MR_STATE_STRIDE * sizeof(double));
    side->tile[t].careful = false;
  }
  for (uint32_t i = 0; i < side->delays; i++) side->delay[i].position = side->delay[i].filled = 0;
}

void mr_side_route(const MrSide* side, const double* staged, uint32_t t, uint32_t n, double* x) {
  const MrTile* tile = &side->tile[t];
  memset(x, 0, n * MR_LANES * sizeof *x);
  for (uint32_t l = 0; l < tile->lanes; l++) {
    const uint32_t channel = tile->first + l;
    for (uint32_t i = channel ? side->route_end[channel - 1] : 0; i < side->route_end[channel]; i++) {
      const uint32_t source = side->route[i].source;
      const double gain = side->route[i].gain;
      const double* from = staged + (size_t)(source / MR_LANES) * MR_CELL * MR_LANES + source % MR_LANES;
      for (uint32_t f = 0; f < n; f++) x[f * MR_LANES + l] += gain * from[f * MR_LANES];
    }
  }
}

static uint32_t restart_poisoned(MrTile* tile, const double* last) {
  uint32_t found = 0;
  for (uint32_t l = 0; l < tile->lanes; l++) {
    if (fabs(last[l]) < (double)MR_POISON) continue;
    clear_lane(tile, l);
    found |= 1u << l;
  }
  return found;
}

void mr_side_run_delays(MrSide* side, uint32_t t, uint32_t n, double* x) {
  const MrTile* tile = &side->tile[t];
  for (uint32_t i = tile->delay_begin; i < tile->delay_end; i++) {
    MrDelay* delay = &side->delay[i];
    double* lane = x + (delay->channel - tile->first);
    for (uint32_t f = 0; f < n; f++) {
      const double late = delay->filled == delay->frames ? delay->line[delay->position] : 0;
      delay->line[delay->position] = lane[f * MR_LANES];
      lane[f * MR_LANES] = late;
      if (++delay->position == delay->frames) delay->position = 0;
      if (delay->filled < delay->frames) delay->filled++;
    }
  }
}

void mr_side_encode(double* x, uint32_t stride, uint32_t n) {
  for (uint32_t f = 0; f < n; f++) {
    double* frame = x + (size_t)f * stride;
    const double left = 0.5 * frame[0], right = 0.5 * frame[1];
    frame[0] = left + right;
    frame[1] = left - right;
  }
}

void mr_side_decode(double* x, uint32_t stride, uint32_t n) {
  for (uint32_t f = 0; f < n; f++) {
    double* frame = x + (size_t)f * stride;
    const double mid = frame[0], side = frame[1];
    frame[0] = mid + side;
    frame[1] = mid - side;
  }
}

uint32_t mr_side_run(MrSide* side, const MrKernels* kernels, const MrSchedule* schedule, uint32_t t, uint32_t at, uint32_t n, double* x) {
  MrTile* tile = &side->tile[t];
  const bool mid_side = side->mid_side && tile->sections;
  if (mid_side) mr_side_encode(x, MR_LANES, n);
  if (side->motion)
    mr_motion_run(side->motion, tile, t, kernels, schedule, at, n, x);
  else if (tile->sections)
    mr_schedule_run(schedule, kernels, x, n, tile->coef, tile->state, tile->sections, tile->lanes);
  uint32_t found = 0;
  if (tile->sections && at + n == MR_CELL) found = restart_poisoned(tile, x + (size_t)(n - 1) * MR_LANES);
  if (mid_side) mr_side_decode(x, MR_LANES, n);
  mr_side_run_delays(side, t, n, x);
  return found;
}

bool mr_side_rests(const MrSide* side, uint32_t t) {
  const MrTile* tile = &side->tile[t];
  return !tile->routed && tile->delay_begin == tile->delay_end && !(side->motion && mr_motion_moves(side->motion));
}

bool mr_side_run_few(MrSide* side, const MrKernels* kernels, uint32_t t, uint32_t at, uint32_t n, double* x) {
  MrTile* tile = &side->tile[t];
  const size_t bytes = tile->sections * MR_STATE_STRIDE * sizeof(double);
  memcpy(side->kept, tile->state, bytes);
  if (side->mid_side) mr_side_encode(x, tile->lanes, n);
  kernels->run_chains(x, tile->lanes, n, tile->coef, tile->state, tile->sections, tile->lanes);
  if (mr_few_poisoned_f64(x, tile->lanes, at, n)) {
    memcpy(tile->state, side->kept, bytes);
    tile->careful = true;
    return false;
  }
  if (side->mid_side) mr_side_decode(x, tile->lanes, n);
  return true;
}

void mr_tile_apply_gain(const MrTile* tile, uint32_t n, double* x) {
  for (uint32_t f = 0; f < n; f++)
    for (uint32_t l = 0; l < MR_LANES; l++) x[f * MR_LANES + l] *= tile->gain[l];
}

void mr_side_settle_silence(MrSide* side, uint32_t t) {
  MrTile* tile = &side->tile[t];
  tile->careful = false;
  bool loud[MR_LANES] = {false};
  for (uint32_t i = 0; i < tile->sections * MR_STATE_ROWS; i++)
    for (uint32_t l = 0; l < MR_LANES; l++) loud[l] |= !(fabs(tile->state[i * MR_LANES + l]) < (double)MR_SILENCE);
  for (uint32_t l = 0; l < tile->lanes; l++)
    if (!loud[l]) clear_lane(tile, l);
}
