/* A block shared with the crew: whether it is, and the caller's part.
   SPDX-License-Identifier: ISC */
#include "sharing.h"

#include "../threads/processors.h"
#include "memory.h"
#include "sharing_choice.h"
#include "sharing_work.h"

/* ----------------------------------------------------------------- control */

MrSharer* mr_sharer_new(const MrThreadOptions* options, double fs, uint32_t channels, const MrKernels* kernels, const MrSchedule* schedule,
                        bool* failed) {
  *failed = false;
  const uint32_t threads = options->threads ? options->threads : mr_processors();
  if (options->policy == MR_THREADS_ONE || threads < 2) return NULL;
  MrSharer* sharer = mr_memory_new(1, sizeof *sharer);
  *failed = !sharer;
  if (!sharer) return NULL;
  sharer->options = *options;
  sharer->options.threads = threads < MR_CREW_MOST + 1 ? threads : MR_CREW_MOST + 1;
  sharer->fs = fs;
  sharer->channels = channels;
  sharer->kernels = kernels;
  sharer->schedule = schedule;
  sharer->judge.fs = fs;
  sharer->judge.always = options->policy == MR_THREADS_ALWAYS;
  mr_judge_reset(&sharer->judge);
  return sharer;
}

void mr_sharer_stop(MrSharer* sharer) {
  if (!sharer) return;
  mr_crew_leave(sharer->post);
  sharer->post = NULL;
}

void mr_sharer_free(MrSharer* sharer) {
  if (!sharer) return;
  mr_jobs_free(sharer->job);
  free(sharer);
}

/* Beside a side that can gain, the others have slots too: they fade into it and out of it. */
bool mr_sharing_make(MrSharer* sharer, MrSide* side) {
  if (!sharer || side->sharing || !side->capacity || (!sharer->post && !mr_sharing_can_gain(sharer, side))) return true;
  if (!sharer->job) {
    sharer->job = mr_jobs_new(sharer);
    if (!sharer->job) return false;
  }
  if (!sharer->post) sharer->post = mr_crew_join(sharer->options.threads - 1, sharer->options.awake);
  if (!sharer->post) return true; /* no threads to be had: one will do */
  side->sharing = mr_slots_new(sharer, side);
  if (side->sharing) mr_sharing_look_at(sharer, side);
  return side->sharing != NULL;
}

/* ------------------------------------------------------------- the caller */

void mr_sharer_reset(MrSharer* sharer) { mr_judge_reset(&sharer->judge); }

void mr_sharer_let_go(MrSharer* sharer) { sharer->held = sharer->shared ? (1u << MR_JOBS) - 1 : 0; }

bool mr_sharer_has_let_go(MrSharer* sharer) {
  for (uint32_t j = 0; j < MR_JOBS && sharer->held; j++)
    if (mr_crew_is_left(&sharer->job[j].job)) sharer->held &= ~(1u << j);
  return !sharer->held;
}

/* A job that no worker is in; NULL: there is none, or a worker is in one for more than a period after it was closed: it has stalled, and the engine goes
   on without help. */
static MrBlockJob* free_job_of(MrSharer* sharer, double now) {
  MrBlockJob* found = NULL;
  bool stalled = false;
  for (uint32_t j = 0; j < MR_JOBS; j++) {
    MrBlockJob* job = &sharer->job[j];
    if (mr_crew_is_left(&job->job)) {
      job->stalled = false;
      found = job;
      continue;
    }
    if (!job->stalled && now - job->closed_ns < sharer->judge.block / sharer->fs * 1e9) continue;
    mr_judge_stall(&sharer->judge, !job->stalled);
    stalled = job->stalled = true;
  }
  return stalled ? NULL : found;
}

static void take_tile(MrBlockJob* job, uint32_t k, uint32_t t) {
  MrLayer* layer = &job->layer[k];
  const MrTile* from = &layer->side->tile[t];
  MrTile* to = &layer->tile[t];
  *to = *from; /* gains do not change while a side lives */
  if (!layer->slot) return;
  to->coef = layer->slot->coef + (size_t)t * layer->capacity * MR_COEF_STRIDE;
  to->state = layer->slot->state + (size_t)t * layer->capacity * MR_STATE_STRIDE;
  if (layer->slot->version[t] != from->version) {
    memcpy(to->coef, from->coef, from->sections * MR_COEF_STRIDE * sizeof *to->coef);
    layer->slot->version[t] = from->version;
  }
  memcpy(to->state, from->state, from->sections * MR_STATE_STRIDE * sizeof *to->state);
}

static void take_channels(MrBlockJob* job, const MrStretch* s, uint32_t first, uint32_t end) {
  const MrBuffers* host = s->buffers;
  const size_t size = host->is_double ? sizeof(double) : sizeof(float);
  if (!host->in) return;
  if (host->interleaved) { /* one tile has them all */
    memcpy(job->in_samples, (const char*)host->in + s->frame * host->channels * size, s->n * host->channels * size);
    return;
  }
  for (uint32_t c = first; c < end; c++) memcpy((void*)job->in_pointer[c], mr_buffers_input(host, c) + s->frame * size, s->n * size);
}

/* The engine's gain in the stretch; it goes from cell to cell meanwhile. */
static void take_gain(MrBlockJob* job, const MrStretch* s) {
  job->gains = !mr_gain_is_unity(s->gain);
  for (uint32_t f = 0, n; f < s->n && job->gains; f += n) {
    const uint32_t at = (s->at + f) % MR_CELL;
    if (f) mr_gain_step(s->gain, job->kernels);
    n = MR_CELL - at < s->n - f ? MR_CELL - at : s->n - f;
    mr_gain_read(s->gain, at, n, job->gain + f);
  }
}

static void take_layer(MrBlockJob* job, uint32_t k, uint32_t j, MrSide* side, bool gained) {
  MrLayer* layer = &job->layer[k];
  layer->side = side;
  layer->route = side->route;
  layer->route_end = side->route_end;
  layer->mid_side = side->mid_side && side->tile[0].sections;
  layer->silent = side->silent;
  layer->gained = gained;
  layer->capacity = side->capacity;
  layer->slot = side->sharing ? &side->sharing->slot[j] : NULL;
  layer->moves = NULL;
  if (mr_sharing_moving_sections(side)) {
    mr_moves_copy(&side->sharing->slot[j].moves, mr_motion_moves_of_cell(side->motion));
    layer->moves = &layer->slot->moves;
  }
}

/* Samples between stages, or of sides with delays, of which one lends to the other. */
static void lend_x(MrBlockJob* job) {
  for (uint32_t k = 0; k < job->layers; k++)
    for (int who = 0; who < 2; who++) {
      job->layer[k].x[who] = job->x[k][who];
      for (uint32_t i = 0; i < job->layers && !job->layer[k].x[who]; i++)
        if (job->layer[i].slot) job->layer[k].x[who] = job->layer[i].slot->x[k][who];
    }
}

static void prepare(MrBlockJob* job, const MrSharer* sharer, const MrStretch* s, const MrCut* cut) {
  const uint32_t j = (uint32_t)(job - sharer->job);
  job->n = s->n;
  job->at = s->at;
  job->layers = s->next ? 2 : 1;
  job->window = s->window;
  take_layer(job, 0, j, s->side, s->gained[0]);
  if (s->next) take_layer(job, 1, j, s->next, s->gained[1]);
  lend_x(job);
  take_gain(job, s);
  if (memcmp(cut, &job->cut, sizeof *cut) != 0) mr_cut_parts(job, cut);
  job->few = job->layers == 1 && !job->layer[0].moves && mr_cut_is_few(job, &s->side->tile[job->tiles - 1], s->buffers->interleaved);
  job->in = job->out = *s->buffers;
  job->out.nowhere = job->nowhere;
  job->out.out = s->buffers->interleaved ? (void*)job->out_samples : (void*)job->out_pointer;
  if (s->buffers->in) job->in.in = s->buffers->interleaved ? (const void*)job->in_samples : (const void*)job->in_pointer;
  for (uint32_t t = 0; t < job->tiles; t++) atomic_store_explicit(&job->troubled[t], false, memory_order_relaxed);
  for (uint32_t p = 0; p < job->parts; p++) atomic_store_explicit(&job->status[p], MR_PART_OPEN, memory_order_relaxed);
  atomic_store_explicit(&job->prepared, 0, memory_order_relaxed);
  atomic_store_explicit(&job->claim, 0, memory_order_relaxed);
  atomic_store_explicit(&job->closed, false, memory_order_release);
}

/* What workers read, tile after tile, while the first of them begin. */
static void hand_over(MrBlockJob* job, const MrStretch* s) {
  bool routed = false;
  for (uint32_t k = 0; k < job->layers; k++) routed |= job->layer[k].route != NULL;
  if (routed) take_channels(job, s, 0, s->buffers->channels);
  for (uint32_t t = job->cut.first; t < job->tiles; t++) {
    for (uint32_t k = 0; k < job->layers; k++) take_tile(job, k, t);
    const MrTile* tile = &s->side->tile[t];
    if (!routed) take_channels(job, s, tile->first, tile->first + tile->lanes);
    atomic_store_explicit(&job->prepared, t + 1, memory_order_release);
  }
}

MrBlockJob* mr_sharing_begin(MrSharer* sharer, const MrStretch* s, uint32_t* first) {
  MrCut cut;
  if (!mr_sharing_choose(sharer, s, &cut) || !mr_judge_lets(&sharer->judge) || !mr_crew_serves(sharer->post)) return NULL;
  const double begun = mr_job_now_ns();
  MrBlockJob* job = free_job_of(sharer, begun);
  if (!job) return NULL;
  job->begun_ns = begun;
  for (uint32_t t = cut.first; t < MR_TILES(sharer->channels) && s->looks; t++) {
    mr_side_settle_silence(s->side, t);
    if (s->next) mr_side_settle_silence(s->next, t);
  }
  prepare(job, sharer, s, &cut);
  const uint32_t helpers = sharer->options.threads - 1, of_use = job->parts - !cut.first;
  mr_crew_offer(sharer->post, &job->job, sharer->rung ? 0 : helpers < of_use ? helpers : of_use);
  sharer->rung = true;
  hand_over(job, s);
  if (cut.first) job->handed_ns = mr_job_now_ns();
  sharer->shared = true;
  *first = cut.first;
  return job;
}

static void copy_out(const MrBlockJob* job, const MrPart* part, const MrStretch* s) {
  const MrTile* tile = &job->layer[0].tile[part->tile];
  const MrBuffers* host = s->buffers;
  const size_t size = host->is_double ? sizeof(double) : sizeof(float);
  if (host->interleaved) {
    const size_t row = host->channels * size;
    memcpy((char*)host->out + (s->frame + part->frame) * row, job->out_samples + part->frame * row, part->n * row);
    return;
  }
  for (uint32_t c = tile->first; c < tile->first + tile->lanes; c++)
    memcpy(mr_buffers_output(host, c) + (s->frame + part->frame) * size, (const char*)job->out_pointer[c] + part->frame * size,
           part->n * size);
}

/* Delays of a tile's samples, and the rest of their way, cell by cell. */
static void put_out_late(MrBlockJob* job, const MrPart* part, uint32_t who, const MrStretch* s) {
  double *x[MR_LAYERS], *here[MR_LAYERS];
  for (uint32_t k = 0; k < job->layers; k++) {
    x[k] = mr_job_samples(job, k, part, who);
    mr_side_run_delays(job->layer[k].side, part->tile, part->n, x[k]);
  }
  for (uint32_t f = 0, n; f < part->n; f += n) {
    n = part->n - f < MR_CELL ? part->n - f : MR_CELL;
    for (uint32_t k = 0; k < job->layers; k++) here[k] = x[k] + (size_t)f * MR_LANES;
    mr_job_put_out(job, part->tile, s->buffers, s->frame, part->frame + f, n, here);
  }
}

/* A tile in trouble, as one thread does it. */
static uint32_t run_again(MrBlockJob* job, uint32_t t, const MrStretch* s) {
  _Alignas(MR_ALIGN) double memory[MR_LAYERS][MR_CELL * MR_LANES];
  double* const x[MR_LAYERS] = {memory[0], memory[1]};
  uint32_t found = 0;
  for (uint32_t f = 0, n; f < job->n; f += n) {
    const uint32_t at = (job->at + f) % MR_CELL;
    uint32_t lanes = 0;
    n = job->n - f < MR_CELL - at ? job->n - f : MR_CELL - at;
    for (uint32_t k = 0; k < job->layers; k++) {
      mr_job_load(job, k, t, f, n, x[k]);
      lanes |= mr_side_run(job->layer[k].side, job->kernels, job->schedule, t, at, n, x[k]);
    }
    mr_job_put_out(job, t, s->buffers, s->frame, f, n, x);
    for (; lanes; lanes &= lanes - 1) found++;
  }
  return found;
}

/* States that the caller takes over from a part of the last frames. */
static void take_over(MrBlockJob* job, const MrPart* part, uint32_t who) {
  for (uint32_t k = 0; k < job->layers; k++) {
    if (!job->layer[k].slot) continue;
    const MrTile* tile = &job->layer[k].side->tile[part->tile];
    const size_t begin = mr_stage_begin(tile, part->stage, job->cut.stages), end = mr_stage_begin(tile, part->stage + 1, job->cut.stages);
    memcpy(tile->state + begin * MR_STATE_STRIDE, mr_job_states(job, k, part->chunk, part->tile, who) + begin * MR_STATE_STRIDE,
           (end - begin) * MR_STATE_STRIDE * sizeof(double));
  }
}

static uint32_t finish(MrBlockJob* job, const MrStretch* s) {
  uint32_t found = 0;
  for (uint32_t t = job->cut.first; t < job->tiles; t++)
    if (atomic_load_explicit(&job->troubled[t], memory_order_relaxed)) found += run_again(job, t, s);
  for (uint32_t p = 0; p < job->parts; p++) {
    const MrPart* part = &job->part[p];
    if (atomic_load_explicit(&job->troubled[part->tile], memory_order_relaxed)) continue;
    const uint32_t who = mr_job_winner(job, p);
    if (part->chunk + 1 == job->cut.chunks) take_over(job, part, who);
    if (!part->last) continue;
    if (mr_job_is_late(job, part->tile))
      put_out_late(job, part, who, s);
    else if (who == 0)
      copy_out(job, part, s);
  }
  return found;
}

uint32_t mr_sharing_end(MrSharer* sharer, MrBlockJob* job, const MrStretch* s) {
  MrOwn own = {.stretch = s};
  const uint32_t kept = job->cut.first * job->cut.chunks; /* parts that the caller's own tiles would have been */
  MrTaken taken = {.parts = job->parts + kept};
  if (kept) own = (MrOwn){s, kept, mr_job_now_ns() - job->handed_ns};
  taken.redone = mr_job_work_through(job, &own);
  atomic_store_explicit(&job->closed, true, memory_order_release);
  mr_crew_withdraw(sharer->post);
  const uint32_t found = finish(job, s);
  job->closed_ns = mr_job_now_ns();
  for (uint32_t p = 0; p < job->parts; p++) taken.helped += mr_job_winner(job, p) == 0;
  taken.own = own.parts;
  taken.own_ns = own.ns;
  taken.ns = job->closed_ns - job->begun_ns;
  mr_judge_take(&sharer->judge, &taken);
  return found;
}
