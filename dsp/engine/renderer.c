/* The renderer: a program over a whole stream, with the kernels that need not keep a host's blocks, on as many threads as wanted.
   SPDX-License-Identifier: ISC */
#include "../threads/flow.h"
#include "blocks.h"
#include "chunks.h"
#include "engine.h"
#include "memory.h"
#include "tile_flow.h"

/* One of the three: blocks, chunks, or an engine. */
struct MrRenderer {
  MrRendererOptions options;
  MrBlocks* blocks;
  MrChunks* chunks;
  MrEngine* engine;
  MrTileFlow* tiles; /* of the engine, shared by threads; NULL: one thread */
  bool ended;        /* a call was no whole number of chunks */
  uint64_t troubles; /* of blocks and chunks */
};

/* Takes the program, whatever comes of it. */
static MrStatus make_engine(MrRenderer* r, MrProgram* program, const MrParallelNeed* need) {
  MrEngineOptions options = r->options.engine;
  options.max_bands = 0;
  MrStatus status = MR_OK;
  r->engine = mr_engine_new(&options, &status);
  if (!r->engine) {
    mr_program_free(program);
    return status;
  }
  status = mr_engine_give(r->engine, program);
  if (status == MR_OK) r->tiles = mr_tile_flow_new(r->engine, r->options.wide, need, &status);
  return status;
}

/* The numeric plan: multi-block for few channels by themselves, segments for few others, else an engine's lanes. */
static MrStatus make(MrRenderer* r, MrProgram* program) {
  const MrEngineOptions* options = &r->options.engine;
  const bool single = options->precision == MR_PRECISION_FAST;
  const MrParallelNeed need = {.threads = r->options.threads, .grain = r->options.grain, .stages = r->options.stages};
  MrStatus status = MR_OK;
  const bool in_groups = !r->options.realtime_kernels && mr_blocks_suit(program, single);
  const MrSegments row = in_groups ? mr_segments_in_row(program, MR_BLOCKS_CHUNK / 4, MR_BLOCKS_CHUNK) : (MrSegments){1, 0, 0};
  if (row.early) {
    r->chunks = mr_chunks_new(options, r->options.wide, &row, program, &need, &status);
    return status;
  }
  if (in_groups) {
    r->blocks = mr_blocks_new(program, single, r->options.wide, options->cpu_level, &status);
    mr_program_free(program);
    return status == MR_OK ? mr_blocks_share(r->blocks, &need) : status;
  }
  const MrSegments none = {1, 0, 0}; /* the fast engine has none either */
  const MrSegments segments = r->options.realtime_kernels || single ? none : mr_segments_plan(program, MR_LANES);
  if (segments.count == 1) return make_engine(r, program, &need);
  r->chunks = mr_chunks_new(options, r->options.wide, &segments, program, &need, &status);
  return status;
}

MrRenderer* mr_renderer_new(const MrRendererOptions* options, MrProgram* program, MrStatus* status) {
  MrStatus ignored;
  if (!status) status = &ignored;
  MrRenderer* r = mr_memory_new(1, sizeof *r);
  *status = !r                                              ? MR_ERR_MEMORY
            : program->channels != options->engine.channels ? MR_ERR_CHANNELS
            : program->fs != options->engine.fs             ? MR_ERR_RATE
                                                            : MR_OK;
  if (*status != MR_OK) {
    mr_program_free(program);
    free(r);
    return NULL;
  }
  r->options = *options;
  *status = make(r, program);
  if (*status == MR_OK) return r;
  mr_renderer_free(r);
  return NULL;
}

void mr_renderer_free(MrRenderer* r) {
  if (!r) return;
  mr_blocks_free(r->blocks);
  mr_chunks_free(r->chunks);
  mr_tile_flow_free(r->tiles);
  mr_engine_free(r->engine);
  free(r);
}

uint32_t mr_renderer_chunk(const MrRenderer* r) { return r->blocks ? MR_BLOCKS_CHUNK : r->chunks ? mr_chunks_frames(r->chunks) : 1; }

static MrParallelPlan parallel_of(const MrRenderer* r) {
  const MrParallelPlan alone = {.threads = 1, .strands = 1, .stages = 1, .grain = 1};
  if (r->blocks) return mr_blocks_parallel(r->blocks);
  if (r->chunks) return mr_chunks_parallel(r->chunks);
  return r->tiles ? mr_tile_flow_plan(r->tiles) : alone;
}

uint32_t mr_renderer_call(const MrRenderer* r) {
  const uint32_t chunk = mr_renderer_chunk(r);
  const MrParallelPlan plan = parallel_of(r);
  const uint32_t frames = r->chunks ? (plan.threads > 1 ? 2 * plan.threads : 1) * chunk : mr_parallel_call(&plan);
  return (frames + chunk - 1) / chunk * chunk;
}

static void run_engine(MrRenderer* r, const void* in, void* out, uint32_t n) {
  if (r->options.wide)
    mr_engine_process_interleaved_f64(r->engine, in, out, n);
  else
    mr_engine_process_interleaved_f32(r->engine, in, out, n);
}

MrStatus mr_renderer_process(MrRenderer* r, const void* in, void* out, uint32_t n) {
  const uint32_t chunk = mr_renderer_chunk(r);
  if (!n) return MR_OK;
  if (r->ended) return MR_ERR_ARGUMENT;
  r->ended = n % chunk != 0;
  if (r->blocks) return mr_blocks_process(r->blocks, in, out, n, &r->troubles);
  if (r->chunks) return mr_chunks_process(r->chunks, in, out, n, &r->troubles);
  if (r->tiles) return mr_tile_flow_process(r->tiles, in, out, n);
  run_engine(r, in, out, n);
  return MR_OK;
}

MrStatus mr_renderer_state(const MrRenderer* r, double* state) { return r->engine ? mr_engine_state(r->engine, state) : MR_ERR_ARGUMENT; }

MrStatus mr_renderer_set_state(MrRenderer* r, const double* state) {
  return r->engine ? mr_engine_set_state(r->engine, state) : MR_ERR_ARGUMENT;
}

uint64_t mr_renderer_troubles(const MrRenderer* r) { return r->engine ? mr_engine_troubles(r->engine) : r->troubles; }

void mr_renderer_trace(MrRenderer* r, MrTrace* trace) {
  MrFlow* flow = r->blocks   ? mr_blocks_flow(r->blocks)
                 : r->chunks ? mr_chunks_flow(r->chunks)
                 : r->tiles  ? mr_tile_flow_graph(r->tiles)
                             : NULL;
  if (flow) mr_flow_trace(flow, trace);
}

MrPlan mr_renderer_plan(const MrRenderer* r) {
  MrPlan plan = r->blocks ? mr_blocks_plan(r->blocks) : r->chunks ? mr_chunks_plan(r->chunks) : mr_engine_plan(r->engine);
  const MrParallelPlan parallel = parallel_of(r);
  plan.threads = parallel.threads;
  plan.strands = parallel.strands;
  plan.stages = parallel.stages;
  plan.grain = parallel.threads > 1 ? parallel.grain : 0;
  return plan;
}
