/* A renderer's segments: chunks of the stream.
   SPDX-License-Identifier: ISC */
#include "chunks.h"

#include "../threads/flow.h"
#include "blocks.h"
#include "engine.h"
#include "memory.h"

#define BATCH 4u /* chunks a thread, whose early frames are taken out of the input before any output is written */

/* What runs a chunk. */
typedef struct Worker {
  MrBlocks* blocks; /* of chunks of one segment; else NULL, as what follows is there */
  MrEngine* engine; /* of segments x channels channels */
  char* in;         /* [early + chunk][channels] */
  char* waste;      /* [early][channels] */
} Worker;

struct MrChunks {
  MrSegments segments;
  uint32_t channels;
  bool wide;
  size_t frame; /* bytes */
  MrParallelPlan plan;
  MrFlow* flow; /* NULL: one thread */
  Worker* worker;
  uint32_t workers, batch;
  char* early; /* [batch + 1][early][channels]: what comes before each chunk */
  char* last;  /* [chunk][channels]: a chunk that the stream does not fill */
  /* the batch */
  const char* from;
  char* to;
  uint32_t frames;
  atomic_uint_fast64_t troubles;
};

uint32_t mr_chunks_frames(const MrChunks* c) { return c->segments.count * c->segments.frames; }

static size_t early_bytes(const MrChunks* c) { return c->segments.early * c->frame; }
static char* early_of(const MrChunks* c, uint32_t chunk) { return c->early + chunk * early_bytes(c); }

/* ------------------------------------------------------------- one chunk */

/* Frames at .. at + n - 1 of each segment's input, those before the segment included. */
static void run(const MrChunks* c, const Worker* w, uint32_t at, uint32_t n, void* out, uint32_t out_frames) {
  const MrSegmented buffers = {.is_double = c->wide,
                               .width = c->channels,
                               .in = w->in + at * c->frame,
                               .out = out,
                               .in_hop = (size_t)c->segments.frames * c->channels,
                               .out_hop = (size_t)out_frames * c->channels};
  mr_engine_process_segments(w->engine, &buffers, n);
}

static void run_segment(MrChunks* c, uint32_t chunk, const Worker* w) {
  const uint32_t whole = mr_chunks_frames(c), begin = chunk * whole, n = c->frames - begin < whole ? c->frames - begin : whole;
  uint64_t found = 0, thrown_away = 0;
  mr_blocks_reset(w->blocks);
  mr_blocks_process(w->blocks, early_of(c, chunk), w->waste, c->segments.early, &thrown_away);
  mr_blocks_process(w->blocks, c->from + begin * c->frame, c->to + begin * c->frame, n, &found);
  atomic_fetch_add_explicit(&c->troubles, found, memory_order_relaxed);
}

static void run_chunk(MrChunks* c, uint32_t chunk, const Worker* w) {
  if (w->blocks) {
    run_segment(c, chunk, w);
    return;
  }
  const uint32_t whole = mr_chunks_frames(c), begin = chunk * whole, early = c->segments.early, frames = c->segments.frames;
  const uint32_t n = c->frames - begin < whole ? c->frames - begin : whole;
  char* out = c->to + begin * c->frame;
  memcpy(w->in, early_of(c, chunk), early_bytes(c));
  memcpy(w->in + early_bytes(c), c->from + begin * c->frame, n * c->frame);
  memset(w->in + early_bytes(c) + n * c->frame, 0, (whole - n) * c->frame);
  mr_engine_reset(w->engine);
  run(c, w, 0, early, w->waste, 0);
  const uint64_t before = mr_engine_troubles(w->engine); /* in frames that are thrown away */
  char* to = n == whole ? out : c->last;                 /* the last one may end within its segments */
  run(c, w, early, n < frames ? n : frames, to, frames);
  atomic_fetch_add_explicit(&c->troubles, mr_engine_troubles(w->engine) - before, memory_order_relaxed);
  if (to != out) memcpy(out, to, n * c->frame);
}

static void load(void* handle, uint32_t group, uint32_t slot) {
  MrChunks* c = handle;
  run_chunk(c, group, &c->worker[slot]);
}

/* --------------------------------------------------------------- the call */

static MrStatus run_batch(MrChunks* c, const char* in, char* out, uint32_t n) {
  const uint32_t whole = mr_chunks_frames(c), chunks = (n + whole - 1) / whole;
  c->from = in;
  c->to = out;
  c->frames = n;
  for (uint32_t k = 1; k <= n / whole; k++) memcpy(early_of(c, k), in + (k * whole - c->segments.early) * c->frame, early_bytes(c));
  MrStatus status = MR_OK;
  if (c->flow && chunks > 1)
    status = mr_flow_run(c->flow, chunks);
  else
    for (uint32_t k = 0; k < chunks; k++) run_chunk(c, k, &c->worker[0]);
  memmove(early_of(c, 0), early_of(c, n / whole), early_bytes(c));
  return status;
}

MrStatus mr_chunks_process(MrChunks* c, const void* in, void* out, uint32_t n, uint64_t* troubles) {
  MrStatus status = MR_OK;
  for (uint32_t f = 0, piece; f < n && status == MR_OK; f += piece) {
    piece = n - f < c->batch * mr_chunks_frames(c) ? n - f : c->batch * mr_chunks_frames(c);
    status = run_batch(c, (const char*)in + f * c->frame, (char*)out + f * c->frame, piece);
  }
  *troubles += atomic_exchange(&c->troubles, 0);
  return status;
}

/* -------------------------------------------------------------- making it */

static MrStatus make_worker(const MrChunks* c, Worker* w, const MrEngineOptions* options, const MrProgram* program) {
  if (!(w->waste = mr_memory_new(c->segments.early, c->frame))) return MR_ERR_MEMORY;
  if (c->segments.count == 1) {
    MrStatus made = MR_OK;
    w->blocks = mr_blocks_new(program, options->precision == MR_PRECISION_FAST, c->wide, options->cpu_level, &made);
    return made;
  }
  MrEngineOptions wanted = *options;
  wanted.max_bands = 0;
  wanted.channels *= c->segments.count;
  MrProgram* repeated = mr_program_repeat(program, c->segments.count);
  if (!repeated) return MR_ERR_MEMORY;
  MrStatus status = MR_OK;
  w->engine = mr_engine_new(&wanted, &status);
  if (!w->engine) {
    mr_program_free(repeated);
    return status;
  }
  status = mr_engine_give(w->engine, repeated);
  w->in = mr_memory_new((size_t)c->segments.early + mr_chunks_frames(c), c->frame);
  return status == MR_OK && !w->in ? MR_ERR_MEMORY : status;
}

static MrStatus make(MrChunks* c, const MrEngineOptions* options, const MrProgram* program, uint32_t threads) {
  c->worker = mr_memory_new(threads, sizeof *c->worker);
  c->early = mr_memory_new((size_t)c->batch + 1, early_bytes(c));
  c->last = mr_memory_new(mr_chunks_frames(c), c->frame);
  if (!c->worker || !c->early || !c->last) return MR_ERR_MEMORY;
  MrStatus status = MR_OK;
  for (c->workers = 0; c->workers < threads && status == MR_OK; c->workers++)
    status = make_worker(c, &c->worker[c->workers], options, program);
  if (status != MR_OK || threads < 2) return status;
  const MrFlowOptions flow = {.threads = threads, .strands = 0, .stages = 1, .slots = threads, .work = {c, load, NULL, NULL}};
  c->flow = mr_flow_new(&flow, &status);
  return status;
}

MrChunks* mr_chunks_new(const MrEngineOptions* options, bool wide, const MrSegments* segments, MrProgram* program,
                        const MrParallelNeed* wanted, MrStatus* status) {
  MrChunks* c = mr_memory_new(1, sizeof *c);
  *status = MR_ERR_MEMORY;
  if (c) {
    const uint32_t threads = mr_parallel_threads(wanted->threads);
    c->segments = *segments;
    c->channels = options->channels;
    c->wide = wide;
    c->frame = options->channels * (wide ? sizeof(double) : sizeof(float));
    c->batch = BATCH * threads;
    c->plan = (MrParallelPlan){.threads = threads, .strands = 1, .stages = 1, .grain = mr_chunks_frames(c), .unit = mr_chunks_frames(c)};
    *status = make(c, options, program, threads);
  }
  mr_program_free(program);
  if (*status == MR_OK) return c;
  mr_chunks_free(c);
  return NULL;
}

void mr_chunks_free(MrChunks* c) {
  if (!c) return;
  mr_flow_free(c->flow);
  for (uint32_t i = 0; c->worker && i < c->workers; i++) {
    mr_blocks_free(c->worker[i].blocks);
    mr_engine_free(c->worker[i].engine);
    free(c->worker[i].in);
    free(c->worker[i].waste);
  }
  free(c->worker);
  free(c->early);
  free(c->last);
  free(c);
}

MrPlan mr_chunks_plan(const MrChunks* c) {
  const Worker* w = &c->worker[0];
  MrPlan plan = w->blocks ? mr_blocks_plan(w->blocks) : mr_engine_plan(w->engine);
  if (!w->blocks) plan.family = "time segments in lanes";
  plan.segments = c->segments.count;
  plan.segment_frames = c->segments.frames;
  plan.early_frames = c->segments.early;
  return plan;
}

MrParallelPlan mr_chunks_parallel(const MrChunks* c) { return c->plan; }
struct MrFlow* mr_chunks_flow(const MrChunks* c) {
  return c->flow;
}
