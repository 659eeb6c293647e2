/* An engine's tiles shared by threads.
   SPDX-License-Identifier: ISC */
#include "tile_flow.h"

#include "../threads/flow.h"
#include "memory.h"
#include "tile_way.h"

#define NONE UINT32_MAX
#define LINE 64u /* bytes that two threads should not write at once */

/* Neighbouring tiles: of interleaved samples they share cache lines. */
typedef struct Strand {
  uint32_t first, end;
} Strand;

/* What a group under way holds. */
typedef struct Slot {
  uint32_t group;        /* the last that counted when it was loaded */
  char* staged;          /* [cells][tiles][MR_CELL][lanes]: inputs, where there are routes */
  char* x;               /* [tiles][cells][MR_CELL][lanes], where there are stages, as what follows */
  char** kept;           /* [tiles]: the state at its start */
  uint32_t *loud, *held; /* [tiles][looks]: lanes, where silence is looked for */
} Slot;

struct MrTileFlow {
  MrTileWay way;
  MrParallelPlan plan;
  bool wide, delayed;
  MrFlow* flow;
  Strand* strand;
  Slot* slot;
  uint32_t cells, looks; /* of a group at most */
  uint64_t* position;    /* the engine's */
  /* the call */
  MrBuffers buffers;
  uint32_t first, frames, grain; /* frames first .. first + frames - 1 of the call, whole cells */
  uint64_t begin;                /* of the stream, at `first` */
  _Atomic uint32_t bad;          /* the first group that counts for nothing, or NONE */
};

typedef MrTileFlow Flow;

/* ------------------------------------------------------------- the nodes */

static size_t cell_bytes(const Flow* f) { return (size_t)MR_CELL * f->way.lanes * f->way.number; }
static uint32_t cells_of(const Flow* f, uint32_t group) {
  const uint32_t begin = group * f->grain, left = f->frames - begin;
  return (left < f->grain ? left : f->grain) / MR_CELL;
}
static uint32_t frame_of(const Flow* f, uint32_t group, uint32_t cell) { return f->first + group * f->grain + cell * MR_CELL; }
static uint64_t position_of(const Flow* f, uint32_t group, uint32_t cell) {
  return f->begin + (uint64_t)group * f->grain + (uint64_t)cell * MR_CELL;
}
static bool looks_at(uint64_t position) { return position % MR_SILENCE_FRAMES == 0; }
static uint32_t bad_of(Flow* f) { return atomic_load_explicit(&f->bad, memory_order_acquire); }
static char* staged_cell(const Flow* f, uint32_t slot, uint32_t cell) {
  return f->slot[slot].staged + (size_t)cell * f->way.tiles * cell_bytes(f);
}
static char* slot_cell(const Flow* f, uint32_t slot, uint32_t t, uint32_t cell) {
  return f->slot[slot].x + ((size_t)t * f->cells + cell) * cell_bytes(f);
}

static void load(void* handle, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (group > bad_of(f)) return; /* the slot may hold the state to go back to */
  f->slot[slot].group = group;
  for (uint32_t c = 0; f->way.routed && c < cells_of(f, group); c++)
    for (uint32_t t = 0; t < f->way.tiles; t++)
      f->way.verbs->load(&f->way, &f->buffers, t, frame_of(f, group, c), MR_CELL, staged_cell(f, slot, c) + t * cell_bytes(f));
}

/* A tile's input of a cell. With routes all of it was read when the group was loaded: another strand may have written since. */
static void take(const Flow* f, uint32_t group, uint32_t slot, uint32_t t, uint32_t c, void* x) {
  if (!f->way.routed)
    f->way.verbs->load(&f->way, &f->buffers, t, frame_of(f, group, c), MR_CELL, x);
  else if (f->way.verbs->view(&f->way, t).routed)
    f->way.verbs->route(&f->way, staged_cell(f, slot, c), t, MR_CELL, x);
  else
    memcpy(x, staged_cell(f, slot, c) + t * cell_bytes(f), cell_bytes(f));
}

/* A strand of one stage: the engine's walk over cells and tiles. */
static void run_whole(Flow* f, const Strand* strand, uint32_t group, uint32_t slot) {
  const MrTileVerbs* verbs = f->way.verbs;
  _Alignas(MR_ALIGN) char x[MR_CELL * MR_LANES * sizeof(double)];
  _Static_assert(MR_LANES * sizeof(double) == MR_SINGLE_LANES * sizeof(float), "tiles of either arithmetic are as large");
  uint64_t found = 0;
  for (uint32_t c = 0; c < cells_of(f, group); c++)
    for (uint32_t t = strand->first; t < strand->end; t++) {
      if (looks_at(position_of(f, group, c))) verbs->settle(&f->way, t);
      take(f, group, slot, t, c, x);
      found += verbs->run(&f->way, t, 0, MR_CELL, x);
      verbs->store(&f->way, &f->buffers, t, frame_of(f, group, c), MR_CELL, x);
    }
  if (found) atomic_fetch_add_explicit(&f->way.engine->troubles, found, memory_order_relaxed);
}

static void give_up(Flow* f, uint32_t group) {
  uint32_t bad = atomic_load_explicit(&f->bad, memory_order_relaxed);
  while (group < bad)
    if (atomic_compare_exchange_weak_explicit(&f->bad, &bad, group, memory_order_acq_rel, memory_order_relaxed)) break;
}

/* What the last stage finds of a tile's group: whether one thread would have set something to zero in it. */
static bool is_good(const Flow* f, uint32_t t, uint32_t group, uint32_t slot) {
  const Slot* s = &f->slot[slot];
  bool good = true;
  for (uint32_t c = 0, look = 0; c < cells_of(f, group) && good; c++) {
    if (looks_at(position_of(f, group, c))) {
      good = (s->held[t * f->looks + look] & ~s->loud[t * f->looks + look]) == 0;
      look++;
    }
    good = good && !f->way.verbs->is_poisoned(&f->way, t, slot_cell(f, slot, t, c) + cell_bytes(f) - f->way.lanes * f->way.number);
  }
  return good;
}

static void run_stage(Flow* f, uint32_t t, uint32_t stage, uint32_t group, uint32_t slot) {
  const MrTileWay* way = &f->way;
  if (group > bad_of(f)) return; /* of the bad group itself the state is still to be kept */
  const uint32_t sections = way->verbs->view(way, t).sections, first = sections * stage / f->plan.stages;
  const uint32_t count = sections * (stage + 1) / f->plan.stages - first;
  Slot* s = &f->slot[slot];
  memcpy(s->kept[t] + first * way->state_bytes, way->verbs->state(way, t, first), count * way->state_bytes);
  for (uint32_t c = 0, look = 0; c < cells_of(f, group); c++) {
    char* x = slot_cell(f, slot, t, c);
    if (looks_at(position_of(f, group, c))) {
      uint32_t *loud = &s->loud[t * f->looks + look], *held = &s->held[t * f->looks + look];
      if (!stage) *loud = *held = 0;
      way->verbs->look(way, t, first, count, loud, held);
      look++;
    }
    if (!stage) take(f, group, slot, t, c, x);
    way->verbs->run_stage(way, t, first, count, MR_CELL, x);
  }
  if (stage + 1 == f->plan.stages && !is_good(f, t, group, slot)) give_up(f, group);
}

static void run(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (f->plan.stages == 1)
    run_whole(f, &f->strand[strand], group, slot);
  else
    for (uint32_t t = f->strand[strand].first; t < f->strand[strand].end; t++) run_stage(f, t, stage, group, slot);
}

/* After all stages of all strands; in order where there are delays, which no one could take back. */
static void store(void* handle, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (group >= bad_of(f)) return;
  for (uint32_t c = 0; c < cells_of(f, group); c++)
    for (uint32_t t = 0; t < f->way.tiles; t++) {
      char* x = slot_cell(f, slot, t, c);
      if (f->delayed) f->way.verbs->run_delays(&f->way, t, MR_CELL, x);
      f->way.verbs->store(&f->way, &f->buffers, t, frame_of(f, group, c), MR_CELL, x);
    }
}

/* --------------------------------------------------------------- the call */

static void run_alone(Flow* f, uint32_t first, uint32_t n) {
  const size_t offset = (size_t)first * f->buffers.channels * (f->wide ? sizeof(double) : sizeof(float));
  const char* in = (const char*)f->buffers.in + offset;
  char* out = (char*)f->buffers.out + offset;
  if (f->wide)
    mr_engine_process_interleaved_f64(f->way.engine, (const double*)(const void*)in, (double*)(void*)out, n);
  else
    mr_engine_process_interleaved_f32(f->way.engine, (const float*)(const void*)in, (float*)(void*)out, n);
}

static void go_back(Flow* f, uint32_t group) {
  uint32_t slot = 0;
  while (f->slot[slot].group != group) slot++;
  for (uint32_t t = 0; t < f->way.tiles; t++)
    memcpy(f->way.verbs->state(&f->way, t, 0), f->slot[slot].kept[t], f->way.verbs->view(&f->way, t).sections * f->way.state_bytes);
}

/* Whole cells from a cell's start on. *done: frames that are stored, whose end the state is that of. */
static MrStatus run_groups(Flow* f, uint32_t first, uint32_t n, uint32_t grain, uint32_t* done) {
  f->first = first;
  f->frames = n;
  f->grain = grain;
  f->begin = *f->position;
  atomic_store(&f->bad, NONE);
  for (uint32_t i = 0; i < f->plan.slots; i++) f->slot[i].group = NONE;
  const MrStatus status = mr_flow_run(f->flow, (n + grain - 1) / grain);
  const uint32_t bad = atomic_load(&f->bad);
  *done = bad == NONE ? n : bad * grain;
  *f->position += *done;
  if (status == MR_OK && bad != NONE) go_back(f, bad);
  return status;
}

MrStatus mr_tile_flow_process(MrTileFlow* f, const void* in, void* out, uint32_t n) {
  f->buffers.in = in;
  f->buffers.out = out;
  const uint32_t to_cell = (uint32_t)(-*f->position % MR_CELL), head = to_cell < n ? to_cell : n;
  run_alone(f, 0, head);
  uint32_t frame = head;
  for (uint32_t done; frame < n; frame += done) {
    const uint32_t whole = (n - frame) / MR_CELL * MR_CELL, grain = mr_parallel_grain(&f->plan, whole);
    if (!grain) break;
    const MrStatus status = run_groups(f, frame, whole, grain, &done);
    if (status != MR_OK) return status;
    if (done == whole) continue;
    const uint32_t again = whole - done < grain ? whole - done : grain; /* the bad group */
    run_alone(f, frame + done, again);
    done += again;
  }
  if (frame < n) run_alone(f, frame, n - frame);
  return MR_OK;
}

/* -------------------------------------------------------------- making it */

static bool make_slot(const Flow* f, Slot* slot) {
  const MrTileWay* way = &f->way;
  const size_t cells = (size_t)f->cells * way->tiles;
  if (way->routed && !(slot->staged = mr_memory_new(cells, cell_bytes(f)))) return false;
  if (f->plan.stages == 1) return true;
  slot->x = mr_memory_new(cells, cell_bytes(f));
  slot->kept = mr_memory_new(way->tiles, sizeof *slot->kept);
  slot->loud = mr_memory_new((size_t)way->tiles * f->looks, sizeof *slot->loud);
  slot->held = mr_memory_new((size_t)way->tiles * f->looks, sizeof *slot->held);
  if (!slot->x || !slot->kept || !slot->loud || !slot->held) return false;
  for (uint32_t t = 0; t < way->tiles; t++)
    if (!(slot->kept[t] = mr_memory_new(way->verbs->view(way, t).sections, way->state_bytes))) return false;
  return true;
}

static bool make_strands(Flow* f) {
  f->strand = mr_memory_new(f->plan.strands, sizeof *f->strand);
  if (!f->strand) return false;
  for (uint32_t i = 0; i < f->plan.strands; i++)
    f->strand[i] = (Strand){f->way.tiles * i / f->plan.strands, f->way.tiles * (i + 1) / f->plan.strands};
  return true;
}

static MrStatus make(Flow* f) {
  f->cells = f->plan.grain / MR_CELL;
  f->looks = f->plan.grain / MR_SILENCE_FRAMES + 1;
  f->slot = mr_memory_new(f->plan.slots, sizeof *f->slot);
  if (!f->slot || !make_strands(f)) return MR_ERR_MEMORY;
  for (uint32_t i = 0; i < f->plan.slots; i++)
    if (!make_slot(f, &f->slot[i])) return MR_ERR_MEMORY;
  const bool stages = f->plan.stages > 1;
  const MrFlowOptions options = {.threads = f->plan.threads,
                                 .strands = f->plan.strands,
                                 .stages = f->plan.stages,
                                 .slots = f->plan.slots,
                                 .store_in_order = stages && f->delayed,
                                 .work = {f, stages || f->way.routed ? load : NULL, run, stages ? store : NULL}};
  MrStatus status = MR_OK;
  f->flow = mr_flow_new(&options, &status);
  return status;
}

/* ns of a frame of a tile: in and out, and each section; in either arithmetic, as `millrace bench` finds them on a core of a few GHz. They decide how
   long a node lasts, no more. */
#define FRAME_NS   3.0
#define SECTION_NS 3.0

/* Strands of whole cache lines, where there are enough for all threads. */
static uint32_t strands_of(const Flow* f, uint32_t threads) {
  const uint32_t tiles = f->way.tiles, line = LINE / (f->way.lanes * (f->wide ? 8u : 4u)), apart = line ? (tiles + line - 1) / line : tiles;
  const uint32_t wanted = 2 * threads;
  return apart >= threads ? (apart < wanted ? apart : wanted) : tiles;
}

MrTileFlow* mr_tile_flow_new(MrEngine* engine, bool wide, const MrParallelNeed* wanted, MrStatus* status) {
  *status = MR_OK;
  const MrTileWay way = mr_tile_way(engine);
  if (!way.verbs || (!wanted->stages && mr_tile_way_is_few(&way))) return NULL;
  Flow base = {.way = way, .wide = wide};
  MrParallelNeed need = *wanted;
  need.threads = mr_parallel_threads(wanted->threads);
  need.strands = strands_of(&base, need.threads);
  for (uint32_t t = 0; t < way.tiles; t++) {
    const MrTileView view = way.verbs->view(&way, t);
    if (view.sections > need.sections) need.sections = view.sections;
    base.delayed |= view.delayed;
  }
  const double tiles = (double)way.tiles / need.strands;
  need.frame_ns = FRAME_NS * tiles;
  need.section_ns = SECTION_NS * tiles;
  need.frame_bytes = (size_t)way.tiles * way.lanes * (way.number + (wide ? 8 : 4));
  need.unit = MR_CELL;
  base.plan = mr_parallel_plan(&need);
  if (base.plan.threads < 2) return NULL;
  *status = MR_ERR_MEMORY;
  Flow* f = mr_memory_new(1, sizeof *f);
  if (!f) return NULL;
  *f = base;
  f->buffers = (MrBuffers){.interleaved = true, .is_double = wide, .channels = engine->options.channels};
  f->position = engine->fast ? mr_fast_position(engine->fast) : &engine->position;
  *status = make(f);
  if (*status == MR_OK) return f;
  mr_tile_flow_free(f);
  return NULL;
}

void mr_tile_flow_free(MrTileFlow* f) {
  if (!f) return;
  mr_flow_free(f->flow);
  for (uint32_t i = 0; f->slot && i < f->plan.slots; i++) {
    Slot* slot = &f->slot[i];
    for (uint32_t t = 0; slot->kept && t < f->way.tiles; t++) free(slot->kept[t]);
    free(slot->staged);
    free(slot->x);
    free(slot->kept);
    free(slot->loud);
    free(slot->held);
  }
  free(f->slot);
  free(f->strand);
  free(f);
}

MrParallelPlan mr_tile_flow_plan(const MrTileFlow* f) { return f->plan; }
struct MrFlow* mr_tile_flow_graph(const MrTileFlow* f) {
  return f->flow;
}
