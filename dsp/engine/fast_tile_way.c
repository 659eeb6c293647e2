/* What a flow of tiles does with a tile, in float32.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "../kernel/bounds.h"
#include "fast_side.h"
#include "tile_way.h"

static MrFastTile* tile_of(const MrTileWay* way, uint32_t t) { return &way->fast.side->tile[t]; }

static MrTileView view(const MrTileWay* way, uint32_t t) {
  const MrFastTile* tile = tile_of(way, t);
  return (MrTileView){tile->lanes, tile->sections, tile->routed, tile->delay_begin != tile->delay_end};
}

static void load(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, void* x) {
  mr_buffers_load_single(buffers, way->fast.kernels, tile_of(way, t)->first, tile_of(way, t)->lanes, frame, n, x);
}

static void route(const MrTileWay* way, const void* staged, uint32_t t, uint32_t n, void* x) {
  mr_fast_side_route(way->fast.side, staged, t, n, x);
}

static void store(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, const void* x) {
  const MrFastTile* tile = tile_of(way, t);
  mr_buffers_store_single(buffers, way->fast.kernels, tile->first, tile->lanes, frame, n, x, tile->gain);
}

static uint32_t run(const MrTileWay* way, uint32_t t, uint32_t at, uint32_t n, void* x) {
  return mr_fast_side_run(way->fast.side, way->fast.kernels, way->fast.schedule, t, n, at + n == MR_CELL, x);
}

static void settle(const MrTileWay* way, uint32_t t) { mr_fast_side_settle_silence(way->fast.side, t); }

static void* state_of(const MrTileWay* way, uint32_t t, uint32_t section) {
  return tile_of(way, t)->state + (size_t)section * MR_SINGLE_STATE_STRIDE;
}

static void run_stage(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t n, void* x) {
  const MrFastTile* tile = tile_of(way, t);
  if (count)
    mr_fast_schedule_run(way->fast.schedule, way->fast.kernels, x, n, tile->coef + (size_t)first * MR_SINGLE_COEF_STRIDE,
                         state_of(way, t, first), count, tile->lanes);
}

static void run_delays(const MrTileWay* way, uint32_t t, uint32_t n, void* x) { mr_fast_side_run_delays(way->fast.side, t, n, x); }

static bool is_poisoned(const MrTileWay* way, uint32_t t, const void* last) {
  const float* x = last;
  bool found = false;
  for (uint32_t l = 0; l < tile_of(way, t)->lanes; l++) found |= !(fabsf(x[l]) < MR_POISON);
  return found && tile_of(way, t)->sections;
}

static void look(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t* loud, uint32_t* held) {
  const float* state = state_of(way, t, first);
  for (uint32_t i = 0; i < count * MR_STATE_ROWS; i++)
    for (uint32_t l = 0; l < tile_of(way, t)->lanes; l++) {
      const float s = state[i * MR_SINGLE_LANES + l];
      *loud |= (uint32_t) !(fabsf(s) < MR_SILENCE) << l;
      *held |= (uint32_t)(s != 0 || signbit(s)) << l;
    }
}

static const MrTileVerbs verbs = {view, load, route, store, run, settle, run_stage, run_delays, is_poisoned, look, state_of};

MrTileWay mr_tile_way_fast(MrEngine* engine) {
  MrTileWay way = {.lanes = MR_SINGLE_LANES, .number = sizeof(float), .engine = engine, .fast = mr_fast_parts(engine->fast)};
  way.state_bytes = MR_SINGLE_STATE_STRIDE * sizeof(float);
  if (mr_fast_passes(engine->fast)) return way;
  way.tiles = way.fast.side->tiles;
  way.routed = way.fast.side->route != NULL;
  way.verbs = &verbs;
  return way;
}
