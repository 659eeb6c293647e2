/* The renderer: a program over a whole stream, with the kernels that need not keep a host's blocks.
   SPDX-License-Identifier: ISC

   Segments: an engine of segments x channels channels plays the program repeated. A chunk of the stream is a segment for each; all begin at the
   chunk's start plus their place, `early` frames before that from rest. Those frames are kept from chunk to chunk. */
#include "blocks.h"
#include "engine.h"
#include "memory.h"
#include "segments.h"
#include "tile_flow.h"

struct MrRenderer {
  MrRendererOptions options;
  MrSegments segments;
  MrBlocks* blocks; /* NULL: the engine */
  MrEngine* engine;
  MrTileFlow* tiles; /* its tiles shared by threads; NULL: one thread */
  bool ended;        /* a call was no whole number of chunks */
  uint64_t troubles; /* in frames that were kept */
  size_t frame;      /* bytes */
  char *in, *out;    /* [early + chunk][channels], [early or chunk][channels] */
};

static uint32_t chunk_of(const MrRenderer* r) { return r->segments.count * r->segments.frames; }

static bool make_buffers(MrRenderer* r) {
  const uint32_t early = r->segments.early, chunk = chunk_of(r);
  r->in = mr_memory_new((size_t)early + chunk, r->frame);
  r->out = mr_memory_new(chunk > early ? chunk : early, r->frame);
  return r->in && r->out;
}

/* Takes the program, whatever comes of it. */
static MrStatus make_engine(MrRenderer* r, MrProgram* program) {
  MrEngineOptions options = r->options.engine;
  options.max_bands = 0;
  if (r->segments.count > 1) {
    MrProgram* repeated = mr_program_repeat(program, r->segments.count);
    mr_program_free(program);
    if (!repeated) return MR_ERR_MEMORY;
    program = repeated;
    options.channels *= r->segments.count;
  }
  MrStatus status = MR_OK;
  r->engine = mr_engine_new(&options, &status);
  if (r->engine) return mr_engine_give(r->engine, program);
  mr_program_free(program);
  return status;
}

/* The numeric plan: multi-block for few channels by themselves, segments for few others, else an engine's lanes. */
static MrStatus make(MrRenderer* r, MrProgram* program) {
  const MrEngineOptions* options = &r->options.engine;
  const bool single = options->precision == MR_PRECISION_FAST;
  const MrParallelNeed need = {.threads = r->options.threads, .grain = r->options.grain, .stages = r->options.stages};
  MrStatus status = MR_OK;
  r->segments = (MrSegments){1, 0, 0};
  if (!r->options.realtime_kernels && mr_blocks_suit(program, single)) {
    r->blocks = mr_blocks_new(program, single, r->options.wide, options->cpu_level, &status);
    mr_program_free(program);
    return status == MR_OK ? mr_blocks_share(r->blocks, &need) : status;
  }
  if (!r->options.realtime_kernels && !single) r->segments = mr_segments_plan(program, MR_LANES); /* the fast engine has none */
  status = make_engine(r, program);
  if (status != MR_OK) return status;
  if (r->segments.count > 1) return make_buffers(r) ? MR_OK : MR_ERR_MEMORY;
  r->tiles = mr_tile_flow_new(r->engine, r->options.wide, &need, &status);
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
  r->frame = options->engine.channels * (options->wide ? sizeof(double) : sizeof(float));
  *status = make(r, program);
  if (*status == MR_OK) return r;
  mr_renderer_free(r);
  return NULL;
}

void mr_renderer_free(MrRenderer* r) {
  if (!r) return;
  mr_blocks_free(r->blocks);
  mr_tile_flow_free(r->tiles);
  mr_engine_free(r->engine);
  free(r->in);
  free(r->out);
  free(r);
}

uint32_t mr_renderer_chunk(const MrRenderer* r) { return r->blocks ? MR_BLOCKS_CHUNK : r->segments.count > 1 ? chunk_of(r) : 1; }

static MrParallelPlan parallel_of(const MrRenderer* r) {
  const MrParallelPlan alone = {.threads = 1, .strands = 1, .stages = 1, .grain = 1};
  return r->blocks ? mr_blocks_parallel(r->blocks) : r->tiles ? mr_tile_flow_plan(r->tiles) : alone;
}

uint32_t mr_renderer_call(const MrRenderer* r) {
  const uint32_t chunk = mr_renderer_chunk(r);
  const MrParallelPlan plan = parallel_of(r);
  const uint32_t frames = mr_parallel_call(&plan);
  return (frames + chunk - 1) / chunk * chunk;
}

/* ------------------------------------------------- one chunk, in segments */

/* Frames at .. at + n - 1 of each segment's input, those before the segment included. */
static void run(MrRenderer* r, uint32_t at, uint32_t n, void* out, uint32_t out_frames) {
  const uint32_t channels = r->options.engine.channels;
  const MrSegmented buffers = {.is_double = r->options.wide,
                               .width = channels,
                               .in = r->in + at * r->frame,
                               .out = out,
                               .in_hop = (size_t)r->segments.frames * channels,
                               .out_hop = (size_t)out_frames * channels};
  mr_engine_process_segments(r->engine, &buffers, n);
}

static void run_chunk(MrRenderer* r, const char* in, char* out, uint32_t n) {
  const uint32_t early = r->segments.early, frames = r->segments.frames;
  memmove(r->in, r->in + chunk_of(r) * r->frame, early * r->frame);
  memcpy(r->in + early * r->frame, in, n * r->frame);
  memset(r->in + ((size_t)early + n) * r->frame, 0, (chunk_of(r) - n) * r->frame);
  mr_engine_reset(r->engine);
  run(r, 0, early, r->out, 0);
  const uint64_t before = mr_engine_troubles(r->engine);
  char* to = n == chunk_of(r) ? out : r->out; /* the last one may end within its segments */
  run(r, early, n < frames ? n : frames, to, frames);
  r->troubles += mr_engine_troubles(r->engine) - before;
  if (to != out) memcpy(out, to, n * r->frame);
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
  if (r->blocks) {
    return mr_blocks_process(r->blocks, in, out, n, &r->troubles);
  } else if (r->tiles) {
    return mr_tile_flow_process(r->tiles, in, out, n);
  } else if (r->segments.count == 1) {
    run_engine(r, in, out, n);
  } else {
    for (uint32_t f = 0, piece; f < n; f += piece) {
      piece = n - f < chunk ? n - f : chunk;
      run_chunk(r, (const char*)in + f * r->frame, (char*)out + f * r->frame, piece);
    }
  }
  return MR_OK;
}

uint64_t mr_renderer_troubles(const MrRenderer* r) {
  return r->blocks || r->segments.count > 1 ? r->troubles : mr_engine_troubles(r->engine);
}

static MrPlan blocks_plan(const MrRenderer* r) {
  const bool single = r->options.engine.precision == MR_PRECISION_FAST, fused = mr_blocks_are_fused(r->blocks);
  const MrParallelPlan parallel = mr_blocks_parallel(r->blocks);
  return (MrPlan){
      .form = "delta DF2",
      .family = "multi-block, PH in states",
      .arithmetic = single  ? (fused ? "float32, fused" : "float32, unfused")
                    : fused ? "float64, fused"
                            : "float64, unfused",
      .segments = 1,
      .block_lanes = MR_BLOCKS_LANES,
      .blocks = MR_BLOCKS_N,
      .level = mr_blocks_level(r->blocks),
      .lanes = MR_BLOCKS_LANES,
      .tiles = r->options.engine.channels,
      .sections = mr_blocks_sections(r->blocks),
      .threads = parallel.threads,
      .strands = parallel.strands,
      .stages = parallel.stages,
      .grain = parallel.threads > 1 ? parallel.grain : 0,
  };
}

MrPlan mr_renderer_plan(const MrRenderer* r) {
  if (r->blocks) return blocks_plan(r);
  MrPlan plan = mr_engine_plan(r->engine);
  if (r->tiles) {
    const MrParallelPlan parallel = mr_tile_flow_plan(r->tiles);
    plan.threads = parallel.threads;
    plan.strands = parallel.strands;
    plan.stages = parallel.stages;
    plan.grain = parallel.grain;
  }
  if (r->segments.count == 1) return plan;
  plan.family = "time segments in lanes";
  plan.segments = r->segments.count;
  plan.segment_frames = r->segments.frames;
  plan.early_frames = r->segments.early;
  return plan;
}
