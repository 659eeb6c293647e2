/* A renderer's multi-block way, shared by threads: channels are strands, and their sections stages.
   SPDX-License-Identifier: ISC

   With one stage a strand goes on as the one-thread walk does. With more, stages run ahead of what the last one finds: that the output is poison,
   that a state is lost, or that all has fallen silent, after which one thread would have started from zero. The stages do as if that never happened;
   where it does in a group, that group and all after it count for nothing: none of them is stored, the state goes back to the group's start, one
   thread takes it, and the rest is shared again. */
#include <stdatomic.h>

#include "../threads/flow.h"
#include "blocks_parts.h"
#include "memory.h"

#define NONE UINT32_MAX

/* What a group under way holds. */
typedef struct Slot {
  uint32_t group;     /* the last that counted when it was loaded */
  char* x;            /* [pieces][channels][step] */
  char** kept;        /* [channels]: the state at its start */
  uint8_t* condition; /* [channels][pieces] */
} Slot;

typedef struct MrBlocksFlow {
  MrParallelPlan plan;
  MrFlow* flow;
  uint32_t pieces; /* of a group at most */
  Slot* slot;
  /* the call */
  MrBlocks* blocks;
  const char* in;
  char* out;
  uint32_t frames, grain;
  atomic_uint_fast64_t troubles;
  _Atomic uint32_t bad; /* the first group that counts for nothing, or NONE */
} Flow;

/* ------------------------------------------------------------- the nodes */

static uint32_t frames_of(const Flow* f, uint32_t group) {
  const uint32_t begin = group * f->grain;
  return f->frames - begin < f->grain ? f->frames - begin : f->grain;
}

static MrBlockShape shape_of(const Flow* f) { return (MrBlockShape){MR_BLOCKS_LANES, MR_BLOCKS_N, f->blocks->piece / MR_BLOCKS_GROUP}; }
static size_t piece_bytes(const MrBlocks* b) { return (size_t)b->channels * b->step * mr_blocks_size(b); }
static size_t offset_of(const Flow* f, uint32_t group, uint32_t piece) {
  return ((size_t)group * f->grain + (size_t)piece * f->blocks->piece) * f->blocks->channels * mr_blocks_sample(f->blocks);
}
static uint32_t bad_of(Flow* f) { return atomic_load_explicit(&f->bad, memory_order_acquire); }

static void load(void* handle, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (group > bad_of(f)) return; /* the slot may hold the state to go back to */
  f->slot[slot].group = group;
  const MrBlockShape shape = shape_of(f);
  const uint32_t pieces = frames_of(f, group) / f->blocks->piece;
  for (uint32_t p = 0; p < pieces; p++)
    mr_blocks_take(f->blocks, f->in + offset_of(f, group, p), &shape, f->slot[slot].x + p * piece_bytes(f->blocks));
}

static void store(void* handle, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (group >= bad_of(f)) return;
  const MrBlockShape shape = shape_of(f);
  const uint32_t pieces = frames_of(f, group) / f->blocks->piece;
  for (uint32_t p = 0; p < pieces; p++)
    mr_blocks_give(f->blocks, f->slot[slot].x + p * piece_bytes(f->blocks), &shape, f->out + offset_of(f, group, p));
}

/* A strand of one stage. */
static void run_whole(Flow* f, uint32_t c, uint32_t group, uint32_t slot) {
  const MrBlockShape shape = shape_of(f);
  const uint32_t pieces = frames_of(f, group) / f->blocks->piece;
  uint64_t found = 0;
  for (uint32_t p = 0; p < pieces; p++)
    found += mr_blocks_run_channel(f->blocks, c, f->in + offset_of(f, group, p), &shape, f->slot[slot].x + p * piece_bytes(f->blocks));
  if (found) atomic_fetch_add_explicit(&f->troubles, found, memory_order_relaxed);
}

/* This group and all after it count for nothing; another strand may have said so of an earlier one, or may yet. */
static void give_up(Flow* f, uint32_t group) {
  uint32_t bad = atomic_load_explicit(&f->bad, memory_order_relaxed);
  while (group < bad)
    if (atomic_compare_exchange_weak_explicit(&f->bad, &bad, group, memory_order_acq_rel, memory_order_relaxed)) break;
}

static bool is_trouble(uint32_t condition) {
  return (condition & MR_BLOCK_LOST) || (condition & (MR_BLOCK_LOUD | MR_BLOCK_HELD)) == MR_BLOCK_HELD;
}

static void run_stage(Flow* f, uint32_t c, uint32_t stage, uint32_t group, uint32_t slot) {
  const MrBlocks* b = f->blocks;
  MrBlockCascade* cascade = b->channel[c].cascade;
  if (!cascade || group > bad_of(f)) return; /* of the bad group itself the state is still to be kept */
  const uint32_t sections = b->channel[c].sections, first = sections * stage / f->plan.stages;
  const uint32_t end = sections * (stage + 1) / f->plan.stages, pieces = frames_of(f, group) / b->piece;
  uint8_t* condition = f->slot[slot].condition + (size_t)c * f->pieces;
  bool good = true;
  mr_block_cascade_save_stage(cascade, first, end - first, f->slot[slot].kept[c]);
  for (uint32_t p = 0; p < pieces && good; p++) {
    char* x = f->slot[slot].x + p * piece_bytes(b) + c * b->step * mr_blocks_size(b);
    mr_block_cascade_run_stage(cascade, first, end - first, x, b->piece / MR_BLOCKS_GROUP);
    const uint32_t found = mr_block_cascade_condition(cascade, first, end - first);
    condition[p] = (uint8_t)(stage ? condition[p] | found : found);
    if (end == sections) good = !is_trouble(condition[p]) && !b->kernels->is_poisoned(x, b->piece);
  }
  if (!good) give_up(f, group);
}

static void run(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot) {
  Flow* f = handle;
  if (f->plan.stages == 1)
    run_whole(f, strand, group, slot);
  else
    run_stage(f, strand, stage, group, slot);
}

/* --------------------------------------------------------------- the call */

/* n frames, whole pieces, in groups of `grain`. *done: how many of them are stored; after trouble the state is that of their end. */
static MrStatus run_groups(Flow* f, const char* in, char* out, uint32_t n, uint32_t grain, uint32_t* done) {
  MrBlocks* b = f->blocks;
  f->in = in;
  f->out = out;
  f->frames = n;
  f->grain = grain;
  atomic_store(&f->bad, NONE);
  for (uint32_t i = 0; i < f->plan.slots; i++) f->slot[i].group = NONE;
  const MrStatus status = mr_flow_run(f->flow, (n + grain - 1) / grain);
  const uint32_t bad = atomic_load(&f->bad);
  *done = bad == NONE ? n : bad * grain;
  if (status != MR_OK || bad == NONE) return status;
  uint32_t slot = 0;
  while (f->slot[slot].group != bad) slot++;
  for (uint32_t c = 0; c < b->channels; c++)
    if (b->channel[c].cascade) mr_block_cascade_load(b->channel[c].cascade, f->slot[slot].kept[c]);
  return MR_OK;
}

MrStatus mr_blocks_run_shared(MrBlocks* b, const void* in, void* out, uint32_t n, uint64_t* troubles) {
  Flow* f = b->flow;
  const size_t frame = b->channels * mr_blocks_sample(b);
  const char* from = in;
  char* to = out;
  for (uint32_t done; n; n -= done, from += done * frame, to += done * frame) {
    const uint32_t whole = n / b->piece * b->piece, grain = mr_parallel_grain(&f->plan, whole);
    if (!grain) break;
    const MrStatus status = run_groups(f, from, to, whole, grain, &done);
    if (status != MR_OK) return status;
    if (done == whole) continue;
    const uint32_t again = whole - done < grain ? whole - done : grain; /* the bad group */
    *troubles += mr_blocks_run(b, from + done * frame, to + done * frame, again);
    done += again;
  }
  *troubles += mr_blocks_run(b, from, to, n) + atomic_exchange(&f->troubles, 0);
  return MR_OK;
}

/* -------------------------------------------------------------- making it */

static bool make_slot(const Flow* f, Slot* slot) {
  const MrBlocks* b = f->blocks;
  slot->group = NONE;
  slot->x = mr_memory_new(f->pieces, piece_bytes(b));
  slot->kept = mr_memory_new(b->channels, sizeof *slot->kept);
  slot->condition = mr_memory_new((size_t)b->channels * f->pieces, sizeof *slot->condition);
  if (!slot->x || !slot->kept || !slot->condition) return false;
  for (uint32_t c = 0; c < b->channels; c++) {
    if (!b->channel[c].cascade) continue;
    slot->kept[c] = mr_memory_new(1, mr_block_cascade_state_bytes(b->channel[c].cascade));
    if (!slot->kept[c]) return false;
  }
  return true;
}

static MrStatus make_flow(MrBlocks* b, const MrParallelPlan* plan) {
  Flow* f = b->flow = mr_memory_new(1, sizeof *f);
  if (!f) return MR_ERR_MEMORY;
  f->blocks = b;
  f->plan = *plan;
  f->pieces = plan->grain / b->piece;
  f->slot = mr_memory_new(plan->slots, sizeof *f->slot);
  if (!f->slot) return MR_ERR_MEMORY;
  for (uint32_t i = 0; i < plan->slots; i++)
    if (!make_slot(f, &f->slot[i])) return MR_ERR_MEMORY;
  const MrFlowOptions options = {
      .threads = plan->threads, .strands = b->channels, .stages = plan->stages, .slots = plan->slots, .work = {f, load, run, store}};
  MrStatus status = MR_OK;
  f->flow = mr_flow_new(&options, &status);
  return status;
}

/* ns of a frame: in and out, and each section; as `millrace bench --renderer` finds them on a core of a few GHz. They decide how long a node lasts, no
   more. */
#define FRAME_NS   0.8
#define SECTION_NS 0.5
#define OF_SINGLE  0.5

MrStatus mr_blocks_share(MrBlocks* b, const MrParallelNeed* wanted) {
  MrParallelNeed need = *wanted;
  const double scale = b->single ? OF_SINGLE : 1;
  need.strands = b->channels;
  need.sections = mr_blocks_sections(b);
  need.frame_ns = scale * FRAME_NS;
  need.section_ns = scale * SECTION_NS;
  need.frame_bytes = b->channels * mr_blocks_size(b);
  need.unit = b->piece;
  const MrParallelPlan plan = mr_parallel_plan(&need);
  return plan.threads > 1 ? make_flow(b, &plan) : MR_OK;
}

void mr_blocks_unshare(MrBlocks* b) {
  Flow* f = b->flow;
  if (!f) return;
  mr_flow_free(f->flow);
  for (uint32_t i = 0; f->slot && i < f->plan.slots; i++) {
    Slot* slot = &f->slot[i];
    for (uint32_t c = 0; slot->kept && c < b->channels; c++) free(slot->kept[c]);
    free(slot->kept);
    free(slot->x);
    free(slot->condition);
  }
  free(f->slot);
  free(f);
  b->flow = NULL;
}

MrParallelPlan mr_blocks_parallel(const MrBlocks* b) {
  const MrParallelPlan alone = {.threads = 1, .strands = 1, .stages = 1, .grain = b->piece};
  return b->flow ? b->flow->plan : alone;
}

struct MrFlow* mr_blocks_flow(const MrBlocks* b) {
  return b->flow ? b->flow->flow : NULL;
}
