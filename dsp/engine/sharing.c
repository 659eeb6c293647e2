/* A block shared with the crew: its jobs' memory, and the caller's part.
   SPDX-License-Identifier: ISC */
#include "sharing.h"

#include <math.h>
#include <time.h>

#include "../kernel/pause.h"
#include "../threads/processors.h"
#include "memory.h"
#include "sharing_cut.h"

#define JOBS          3u  /* of a side: workers that are late hold one each, and the next block needs one */
#define AUTO_SHARE    0.2 /* of a block's period that one thread may take before others are called for */
#define AUTO_GAIN     1.3 /* that sharing has to promise then */
#define EAGER_GAIN    1.1
#define WORTH         1.03 /* gain below which sharing does not pay */
#define TRIALS        8u   /* blocks before that is judged */
#define SMOOTHING     0.125
#define FIRST_PAUSE   64u
#define LONGEST_PAUSE 8192u

/* What was reckoned for a block, until another kind of block comes. */
typedef struct Reckoned {
  uint32_t n, at;
  bool interleaved, promises;
  MrCut cut;
} Reckoned;

struct MrSharing {
  MrSharer* sharer;
  uint64_t built;    /* of the side, to which all that follows belongs */
  uint32_t least[2]; /* [interleaved]: frames below which no block is worth sharing */
  Reckoned reckoned;
  MrBlockJob job[JOBS];
};

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ----------------------------------------------------------------- control */

MrSharer* mr_sharer_new(const MrThreadOptions* options, double fs, const MrKernels* kernels, const MrSchedule* schedule, bool* failed) {
  *failed = false;
  const uint32_t threads = options->threads ? options->threads : mr_processors();
  if (options->policy == MR_THREADS_ONE || threads < 2) return NULL;
  MrSharer* sharer = mr_memory_new(1, sizeof *sharer);
  *failed = !sharer;
  if (!sharer) return NULL;
  sharer->options = *options;
  sharer->options.threads = threads < MR_CREW_MOST + 1 ? threads : MR_CREW_MOST + 1;
  sharer->fs = fs;
  sharer->kernels = kernels;
  sharer->schedule = schedule;
  sharer->gain = AUTO_GAIN;
  sharer->pause = FIRST_PAUSE;
  return sharer;
}

void mr_sharer_free(MrSharer* sharer) {
  if (!sharer) return;
  mr_crew_leave(sharer->post);
  free(sharer);
}

void mr_sharer_begin_block(MrSharer* sharer, uint32_t n) {
  sharer->rung = false;
  sharer->block = n;
}

void mr_sharer_reset(MrSharer* sharer) {
  sharer->gain = AUTO_GAIN;
  sharer->tried = sharer->paused = 0;
  sharer->pause = FIRST_PAUSE;
  atomic_store_explicit(&sharer->dropped, false, memory_order_relaxed);
}

static void free_job(MrBlockJob* job) {
  free(job->part);
  free(job->status);
  free(job->troubled);
  free(job->few);
  free(job->tile);
  free(job->version);
  free(job->coef);
  free(job->state);
  free((void*)job->in_pointer);
  free((void*)job->out_pointer);
  free(job->in_samples);
  free(job->out_samples);
  free(job->nowhere);
  for (int who = 0; who < 2; who++) {
    free(job->later[who]);
    free(job->x[who]);
  }
}

static void help(MrJob* job);
static void look_at_side(const MrSharer* sharer, const MrSide* side);

static bool make_samples(MrBlockJob* job, uint32_t channels) {
  const size_t bytes = MR_SHARED_FRAMES * sizeof(double);
  job->in_samples = mr_memory_new(channels, bytes);
  job->out_samples = mr_memory_new(channels, bytes);
  job->in_pointer = mr_memory_new(channels, sizeof *job->in_pointer);
  job->out_pointer = mr_memory_new(channels, sizeof *job->out_pointer);
  job->nowhere = mr_memory_new(MR_CELL, sizeof(double));
  if (!job->in_samples || !job->out_samples || !job->in_pointer || !job->out_pointer || !job->nowhere) return false;
  for (uint32_t c = 0; c < channels; c++) {
    job->in_pointer[c] = job->in_samples + c * bytes;
    job->out_pointer[c] = job->out_samples + c * bytes;
  }
  return true;
}

static bool make_job(const MrSharer* sharer, const MrSide* side, MrBlockJob* job) {
  const uint32_t tiles = side->tiles, stages = mr_cut_stages_most(sharer, side);
  const size_t sections = (size_t)tiles * side->capacity;
  job->job.help = help;
  job->kernels = sharer->kernels;
  job->schedule = sharer->schedule;
  job->route = side->route;
  job->route_end = side->route_end;
  job->tiles = tiles;
  job->capacity = side->capacity;
  atomic_store(&job->closed, true);
  job->part = mr_memory_new(MR_PARTS_MOST, sizeof *job->part);
  job->status = mr_memory_new(MR_PARTS_MOST, sizeof *job->status);
  job->troubled = mr_memory_new(tiles, sizeof *job->troubled);
  job->few = mr_memory_new(tiles, sizeof *job->few);
  job->tile = mr_memory_new(tiles, sizeof *job->tile);
  job->version = mr_memory_new(tiles, sizeof *job->version);
  job->coef = mr_memory_new(sections, MR_COEF_STRIDE * sizeof(double));
  job->state = mr_memory_new(sections, MR_STATE_STRIDE * sizeof(double));
  bool made = job->part && job->status && job->troubled && job->few && job->tile && job->version && job->coef && job->state;
  for (int who = 0; who < 2; who++) {
    job->later[who] = mr_memory_new(sections * mr_cut_chunks_most(sharer, side), MR_STATE_STRIDE * sizeof(double));
    job->x[who] = stages > 1 || side->delays ? mr_memory_new((size_t)stages * tiles * MR_SHARED_FRAMES, MR_LANES * sizeof(double)) : NULL;
    made = made && job->later[who] && (job->x[who] || !(stages > 1 || side->delays));
  }
  return make_samples(job, side->channels) && made;
}

/* Whether blocks of the side can ever be worth sharing. */
static bool can_gain(const MrSharer* sharer, const MrSide* side) {
  if (!side->capacity || side->tiles > MR_PARTS_MOST) return false;
  if (sharer->options.policy != MR_THREADS_AUTO) return true;
  return mr_cut_most_ns(sharer, side, MR_SHARED_FRAMES) >= AUTO_SHARE * MR_SHARED_FRAMES / sharer->fs * 1e9;
}

bool mr_sharing_make(MrSharer* sharer, MrSide* side) {
  if (!sharer || side->sharing || !can_gain(sharer, side)) return true;
  if (!sharer->post) sharer->post = mr_crew_join(sharer->options.threads - 1, sharer->options.awake);
  if (!sharer->post) return true; /* no threads to be had: one will do */
  MrSharing* sharing = mr_memory_new(1, sizeof *sharing);
  if (!sharing) return false;
  sharing->sharer = sharer;
  bool made = true;
  for (uint32_t j = 0; j < JOBS; j++) made &= make_job(sharer, side, &sharing->job[j]);
  if (!made) {
    mr_sharing_free(sharing);
    return false;
  }
  side->sharing = sharing;
  look_at_side(sharer, side);
  return true;
}

void mr_sharing_free(MrSharing* sharing) {
  if (!sharing) return;
  for (uint32_t j = 0; j < JOBS; j++) {
    mr_crew_await(sharing->sharer->post, &sharing->job[j].job);
    free_job(&sharing->job[j]);
  }
  free(sharing);
}

/* ----------------------------------------------------------------- workers */

static bool is_done(const MrBlockJob* job, uint32_t p) {
  return p == MR_NO_PART || atomic_load_explicit(&job->status[p], memory_order_acquire) != MR_PART_OPEN;
}

/* True where this is the first to have done it, so that its results count. */
static bool claim_result(MrBlockJob* job, uint32_t p, unsigned char who) {
  unsigned char open = MR_PART_OPEN;
  return atomic_compare_exchange_strong_explicit(&job->status[p], &open, who, memory_order_acq_rel, memory_order_acquire);
}

static bool is_closed(const MrBlockJob* job) { return atomic_load_explicit(&job->closed, memory_order_acquire); }

static void help(MrJob* base) {
  MrBlockJob* job = (MrBlockJob*)base;
  for (uint32_t p; (p = atomic_fetch_add(&job->claim, 1)) < job->parts;) {
    const MrPart* part = &job->part[p];
    while (!is_done(job, part->lower) || !is_done(job, part->earlier)) {
      if (is_closed(job)) return;
      mr_pause();
    }
    if (mr_job_run_part(job, part, 0, &job->out, 0, &job->status[p])) claim_result(job, p, MR_DONE_BY_WORKER);
  }
}

/* ------------------------------------------------------------- the caller */

/* A job that no worker is in; NULL: there is none. A worker that is in one for more than a period after it was closed has stalled: the engine
   goes on without help. */
static MrBlockJob* free_job_of(MrSharer* sharer, MrSharing* sharing, double now) {
  MrBlockJob* found = NULL;
  for (uint32_t j = 0; j < JOBS; j++) {
    MrBlockJob* job = &sharing->job[j];
    if (mr_crew_is_left(&job->job)) {
      found = job;
      continue;
    }
    if (now - job->closed_ns < sharer->block / sharer->fs * 1e9) continue;
    atomic_fetch_add_explicit(&sharer->stalls, 1, memory_order_relaxed);
    atomic_store_explicit(&sharer->dropped, true, memory_order_relaxed);
    return NULL;
  }
  return found;
}

static void take_tiles(MrBlockJob* job, const MrSide* side) {
  for (uint32_t t = 0; t < job->tiles; t++) {
    const MrTile* from = &side->tile[t];
    MrTile* to = &job->tile[t];
    double *coef = job->coef + (size_t)t * job->capacity * MR_COEF_STRIDE,
           *state = job->state + (size_t)t * job->capacity * MR_STATE_STRIDE;
    if (job->version[t] != from->version) {
      memcpy(coef, from->coef, from->sections * MR_COEF_STRIDE * sizeof *coef);
      job->version[t] = from->version;
      job->cut = (MrCut){0}; /* parts depend on sections */
    }
    *to = *from; /* gains do not change while a side lives */
    to->coef = coef;
    to->state = state;
    memcpy(state, from->state, from->sections * MR_STATE_STRIDE * sizeof *state);
    atomic_store_explicit(&job->troubled[t], false, memory_order_relaxed);
  }
}

static void take_inputs(MrBlockJob* job, const MrBuffers* host, uint32_t frame, uint32_t n) {
  const size_t size = host->is_double ? sizeof(double) : sizeof(float);
  job->in = job->out = *host;
  job->out.nowhere = job->nowhere;
  job->out.out = host->interleaved ? (void*)job->out_samples : (void*)job->out_pointer;
  if (!host->in) return;
  job->in.in = host->interleaved ? (const void*)job->in_samples : (const void*)job->in_pointer;
  if (host->interleaved)
    memcpy(job->in_samples, (const char*)host->in + frame * host->channels * size, n * host->channels * size);
  else
    for (uint32_t c = 0; c < host->channels; c++) memcpy((void*)job->in_pointer[c], mr_buffers_input(host, c) + frame * size, n * size);
}

/* Parts that the caller has run, and how long they took. */
typedef struct Own {
  const MrBuffers* out;
  uint32_t frame, parts;
  double ns;
} Own;

static void run_own(MrBlockJob* job, uint32_t p, Own* own) {
  const double begun = now_ns();
  if (!mr_job_run_part(job, &job->part[p], 1, own->out, own->frame, &job->status[p])) return;
  own->ns += now_ns() - begun;
  own->parts++;
  claim_result(job, p, MR_DONE_BY_CALLER);
}

/* Sees to it that part p is done: what a worker has begun and not finished is done again, unless it gets finished meanwhile. */
static uint32_t ensure(MrBlockJob* job, uint32_t p, Own* own) {
  if (is_done(job, p)) return 0;
  uint32_t again = 0;
  again += ensure(job, job->part[p].lower, own);
  again += ensure(job, job->part[p].earlier, own);
  run_own(job, p, own);
  return again + (atomic_load_explicit(&job->status[p], memory_order_relaxed) == MR_DONE_BY_CALLER);
}

/* Until every part is done. Returns how many were done again. */
static uint32_t work_through(MrBlockJob* job, Own* own) {
  uint32_t again = 0;
  for (uint32_t p; (p = atomic_fetch_add(&job->claim, 1)) < job->parts;) {
    again += ensure(job, job->part[p].lower, own) + ensure(job, job->part[p].earlier, own);
    run_own(job, p, own);
  }
  for (uint32_t p = 0; p < job->parts; p++) again += ensure(job, p, own);
  return again;
}

static uint32_t winner(const MrBlockJob* job, uint32_t p) {
  return atomic_load_explicit(&job->status[p], memory_order_acquire) == MR_DONE_BY_WORKER ? 0 : 1;
}

static void copy_out(const MrBlockJob* job, const MrPart* part, const MrBuffers* host, uint32_t frame) {
  const MrTile* tile = &job->tile[part->tile];
  const size_t size = host->is_double ? sizeof(double) : sizeof(float);
  if (host->interleaved) {
    const size_t row = host->channels * size;
    memcpy((char*)host->out + (frame + part->frame) * row, job->out_samples + part->frame * row, part->n * row);
    return;
  }
  for (uint32_t c = tile->first; c < tile->first + tile->lanes; c++)
    memcpy(mr_buffers_output(host, c) + (frame + part->frame) * size, (const char*)job->out_pointer[c] + part->frame * size,
           part->n * size);
}

/* Delays, gain and store of a tile's samples, cell by cell. */
static void put_out_late(MrBlockJob* job, MrSide* side, const MrPart* part, uint32_t who, const MrBuffers* host, uint32_t frame) {
  double* x = mr_job_samples(job, part, who);
  MrTile* tile = &side->tile[part->tile];
  mr_side_run_delays(side, part->tile, part->n, x);
  for (size_t i = 0; i < (size_t)part->n * MR_LANES && job->gain != 1; i++) x[i] *= job->gain;
  for (uint32_t f = 0, n; f < part->n; f += n) {
    n = part->n - f < MR_CELL ? part->n - f : MR_CELL;
    mr_buffers_store(host, job->kernels, tile, frame + part->frame + f, n, x + (size_t)f * MR_LANES, tile->gain);
  }
}

/* A tile in trouble, as one thread does it. */
static uint32_t run_again(MrBlockJob* job, MrSide* side, uint32_t t, const MrBuffers* host, uint32_t frame) {
  _Alignas(MR_ALIGN) double x[MR_CELL * MR_LANES];
  uint32_t found = 0;
  for (uint32_t f = 0, n; f < job->n; f += n) {
    const uint32_t at = (job->at + f) % MR_CELL;
    n = job->n - f < MR_CELL - at ? job->n - f : MR_CELL - at;
    mr_job_load(job, t, f, n, x);
    for (uint32_t lanes = mr_side_run(side, job->kernels, job->schedule, t, at, n, x); lanes; lanes &= lanes - 1) found++;
    for (size_t i = 0; i < (size_t)n * MR_LANES && job->gain != 1; i++) x[i] *= job->gain;
    mr_buffers_store(host, job->kernels, &side->tile[t], frame + f, n, x, side->tile[t].gain);
  }
  return found;
}

static uint32_t finish(MrBlockJob* job, MrSide* side, const MrBuffers* host, uint32_t frame) {
  uint32_t found = 0;
  for (uint32_t t = 0; t < job->tiles; t++)
    if (atomic_load_explicit(&job->troubled[t], memory_order_relaxed)) found += run_again(job, side, t, host, frame);
  for (uint32_t p = 0; p < job->parts; p++) {
    const MrPart* part = &job->part[p];
    if (atomic_load_explicit(&job->troubled[part->tile], memory_order_relaxed)) continue;
    const uint32_t who = winner(job, p);
    const size_t place = (size_t)part->section * MR_STATE_STRIDE;
    if (part->chunk + 1 == job->cut.chunks)
      memcpy(side->tile[part->tile].state + place, mr_job_states(job, part->chunk, part->tile, who) + place,
             part->sections * MR_STATE_STRIDE * sizeof(double));
    if (!part->last) continue;
    if (mr_job_is_delayed(job, part->tile))
      put_out_late(job, side, part, who, host, frame);
    else if (who == 0)
      copy_out(job, part, host, frame);
  }
  return found;
}

static void judge(MrSharer* sharer, const MrBlockJob* job, const Own* own, double taken, uint32_t again) {
  uint64_t helped = 0;
  for (uint32_t p = 0; p < job->parts; p++) helped += winner(job, p) == 0;
  atomic_fetch_add_explicit(&sharer->blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&sharer->helped, helped, memory_order_relaxed);
  atomic_fetch_add_explicit(&sharer->redone, again, memory_order_relaxed);
  if (sharer->options.policy == MR_THREADS_ALWAYS || !own->parts) return;
  const double alone = own->ns / own->parts * job->parts;
  sharer->gain += SMOOTHING * (alone / taken - sharer->gain);
  if (++sharer->tried < TRIALS) return;
  if (sharer->gain > WORTH) {
    if (sharer->tried > FIRST_PAUSE) sharer->pause = FIRST_PAUSE;
    return;
  }
  sharer->paused = sharer->pause;
  sharer->pause = sharer->pause < LONGEST_PAUSE ? 2 * sharer->pause : LONGEST_PAUSE;
  sharer->tried = 0;
  sharer->gain = AUTO_GAIN;
}

static void reckon(const MrSharer* sharer, const MrSide* side, Reckoned* r) {
  const MrThreadOptions* options = &sharer->options;
  const double alone = mr_cut_alone_ns(sharer, side, r->interleaved, r->n), period = r->n / sharer->fs * 1e9;
  r->cut = mr_cut_plan(sharer, side, alone, r->n, r->at);
  const double gain = mr_cut_gain(sharer, side, &r->cut, alone);
  r->promises = options->policy == MR_THREADS_ALWAYS  ? true
                : options->policy == MR_THREADS_EAGER ? gain >= EAGER_GAIN
                                                      : alone >= AUTO_SHARE * period && gain >= AUTO_GAIN;
  if (r->cut.stages * r->cut.chunks * side->tiles < 2) r->promises = false;
}

/* Longer blocks gain more: a search by halves. Above the longest, if nothing ever gains. */
static uint32_t least_frames(const MrSharer* sharer, const MrSide* side, bool interleaved) {
  uint32_t least = 1, beyond = MR_SHARED_FRAMES + 1;
  while (least < beyond) {
    Reckoned r = {.n = (least + beyond) / 2, .interleaved = interleaved};
    reckon(sharer, side, &r);
    if (r.promises)
      beyond = r.n;
    else
      least = r.n + 1;
  }
  return least;
}

static void look_at_side(const MrSharer* sharer, const MrSide* side) {
  MrSharing* sharing = side->sharing;
  sharing->built = side->built;
  sharing->reckoned.n = 0;
  for (int interleaved = 0; interleaved < 2; interleaved++) sharing->least[interleaved] = least_frames(sharer, side, interleaved);
}

bool mr_sharing_is_likely(const MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t n) {
  const MrSharing* sharing = side->sharing;
  if (!sharing) return false;
  if (sharing->built != side->built) look_at_side(sharer, side);
  return n >= sharing->least[interleaved];
}

/* Whether the block is worth sharing, as far as can be said beforehand; and how it is then cut. */
static bool choose(MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t at, uint32_t n, MrCut* cut) {
  Reckoned* r = &side->sharing->reckoned;
  if (r->n != n || r->at != at || r->interleaved != interleaved) {
    *r = (Reckoned){.n = n, .at = at, .interleaved = interleaved};
    reckon(sharer, side, r);
  }
  *cut = r->cut;
  if (!r->promises) return false;
  if (!sharer->paused) return true;
  sharer->paused--;
  return false;
}

static bool is_careful(const MrSide* side) {
  for (uint32_t t = 0; t < side->tiles; t++)
    if (side->tile[t].careful) return true;
  return false;
}

bool mr_sharing_run(MrSharer* sharer, MrSide* side, const MrBuffers* buffers, double gain, uint32_t frame, uint32_t at, uint32_t n,
                    bool looks, uint32_t* found) {
  if (atomic_load_explicit(&sharer->dropped, memory_order_relaxed) || is_careful(side)) return false;
  MrCut cut;
  if (!choose(sharer, side, buffers->interleaved, at, n, &cut) || !mr_crew_serves(sharer->post)) return false;
  const double begun = now_ns();
  MrBlockJob* job = free_job_of(sharer, side->sharing, begun);
  if (!job) return false;
  for (uint32_t t = 0; t < side->tiles && looks; t++) mr_side_settle_silence(side, t);
  take_tiles(job, side);
  take_inputs(job, buffers, frame, n);
  job->mid_side = side->mid_side && side->tile[0].sections;
  job->n = n;
  job->at = at;
  job->gain = gain;
  if (memcmp(&cut, &job->cut, sizeof cut) != 0) mr_cut_parts(job, &cut);
  for (uint32_t p = 0; p < job->parts; p++) atomic_store_explicit(&job->status[p], MR_PART_OPEN, memory_order_relaxed);
  atomic_store_explicit(&job->claim, 0, memory_order_relaxed);
  atomic_store_explicit(&job->closed, false, memory_order_release);
  const uint32_t helpers = sharer->options.threads - 1, of_use = job->parts - 1;
  mr_crew_offer(sharer->post, &job->job, sharer->rung ? 0 : helpers < of_use ? helpers : of_use);
  sharer->rung = true;
  Own own = {.out = buffers, .frame = frame};
  const uint32_t again = work_through(job, &own);
  atomic_store_explicit(&job->closed, true, memory_order_release);
  mr_crew_withdraw(sharer->post);
  *found = finish(job, side, buffers, frame);
  job->closed_ns = now_ns();
  judge(sharer, job, &own, job->closed_ns - begun, again);
  return true;
}
