/* What a flow of tiles does with a tile, in float64.
   SPDX-License-Identifier: ISC */
#include "tile_way.h"

#include <math.h>

#include "../kernel/bounds.h"

static MrSide* side_of(const MrTileWay* way) { return way->engine->current; }
static MrTile* tile_of(const MrTileWay* way, uint32_t t) { return &side_of(way)->tile[t]; }

static MrTileView view(const MrTileWay* way, uint32_t t) {
  const MrTile* tile = tile_of(way, t);
  return (MrTileView){tile->lanes, tile->sections, tile->routed, tile->delay_begin != tile->delay_end};
}

static void load(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, void* x) {
  mr_buffers_load(buffers, way->engine->kernels, tile_of(way, t), frame, n, x);
}

static void route(const MrTileWay* way, const void* staged, uint32_t t, uint32_t n, void* x) {
  mr_side_route(side_of(way), staged, t, n, x);
}

static void store(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, const void* x) {
  mr_buffers_store(buffers, way->engine->kernels, tile_of(way, t), frame, n, x, tile_of(way, t)->gain);
}

static uint32_t run(const MrTileWay* way, uint32_t t, uint32_t at, uint32_t n, void* x) {
  uint32_t count = 0;
  for (uint32_t found = mr_side_run(side_of(way), way->engine->kernels, &way->engine->schedule, t, at, n, x); found; found &= found - 1)
    count++;
  return count;
}

static void settle(const MrTileWay* way, uint32_t t) { mr_side_settle_silence(side_of(way), t); }

static void* state_of(const MrTileWay* way, uint32_t t, uint32_t section) {
  return tile_of(way, t)->state + (size_t)section * MR_STATE_STRIDE;
}

static void run_stage(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t n, void* x) {
  const MrTile* tile = tile_of(way, t);
  const double* coef = tile->coef + (size_t)first * MR_COEF_STRIDE;
  if (count) mr_schedule_run(&way->engine->schedule, way->engine->kernels, x, n, coef, state_of(way, t, first), count, tile->lanes);
}

static void run_delays(const MrTileWay* way, uint32_t t, uint32_t n, void* x) { mr_side_run_delays(side_of(way), t, n, x); }

static bool is_poisoned(const MrTileWay* way, uint32_t t, const void* last) {
  const double* x = last;
  bool found = false;
  for (uint32_t l = 0; l < tile_of(way, t)->lanes; l++) found |= !(fabs(x[l]) < (double)MR_POISON);
  return found && tile_of(way, t)->sections;
}

static void look(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t* loud, uint32_t* held) {
  const double* state = state_of(way, t, first);
  for (uint32_t i = 0; i < count * MR_STATE_ROWS; i++)
    for (uint32_t l = 0; l < tile_of(way, t)->lanes; l++) {
      const double s = state[i * MR_LANES + l];
      *loud |= (uint32_t) !(fabs(s) < (double)MR_SILENCE) << l;
      *held |= (uint32_t)(s != 0 || signbit(s)) << l;
    }
}

static const MrTileVerbs verbs = {view, load, route, store, run, settle, run_stage, run_delays, is_poisoned, look, state_of};

MrTileWay mr_tile_way(MrEngine* engine) {
  if (engine->fast) return mr_tile_way_fast(engine);
  MrTileWay way = {.tiles = engine->tiles, .lanes = MR_LANES, .number = sizeof(double), .engine = engine};
  way.state_bytes = MR_STATE_STRIDE * sizeof(double);
  if (!engine->position) mr_engine_begin_cell(engine); /* takes the program */
  const MrSide* side = engine->current;
  const bool steady = !engine->next && !side->motion && !side->mid_side && !side->silent && mr_gain_stays_unity(engine->gain);
  if (steady && !mr_engine_side_passes(engine, side)) way.verbs = &verbs;
  way.routed = side->route != NULL;
  return way;
}

bool mr_tile_way_is_few(const MrTileWay* way) {
  const MrTileView v = way->verbs->view(way, 0);
  const MrSchedule* schedule = way->engine->fast ? way->fast.schedule : &way->engine->schedule;
  return way->tiles == 1 && !v.routed && !v.delayed &&
         mr_schedule_few_from(schedule, true, v.sections, v.lanes) <= mr_schedule_few_most(v.lanes);
}
