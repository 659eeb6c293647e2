/* Measures one case of the engine against the C reference, in turn.
   SPDX-License-Identifier: ISC */
#include "bench_run.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double fs = 48000;

/* The engine that is measured, and what it is compared with. */
enum { KERNEL = 0, REFERENCE, SIDES = 3 };

typedef struct Side {
  MrRenderer* renderer; /* or the engine */
  MrEngine* engine;
  uint64_t blocks; /* processed, for what moves */
  uint64_t repeat; /* blocks of one measurement */
  double* ns;      /* a place a round */
} Side;

typedef struct Bench {
  MrBenchCase c;
  void *in, *out; /* block x channels samples */
  const void** in_channel;
  void** out_channel;
  MrBand* band;
  MrFastRule rule;
  Side side[SIDES];
} Bench;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* value, uint32_t n) {
  qsort(value, n, sizeof *value, compare);
  return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/* -------------------------------------------------------------- set-up */

static bool make_buffers(Bench* b) {
  const size_t size = b->c.wide ? sizeof(double) : sizeof(float);
  const size_t n = (size_t)b->c.block * b->c.channels;
  b->in = calloc(n, size);
  b->out = calloc(n, size);
  b->in_channel = calloc(b->c.channels, sizeof *b->in_channel);
  b->out_channel = calloc(b->c.channels, sizeof *b->out_channel);
  if (!b->in || !b->out || !b->in_channel || !b->out_channel) return false;
  uint32_t noise = 1;
  for (size_t i = 0; i < n; ++i) {
    noise = noise * 1664525u + 1013904223u;
    const double x = (double)(int32_t)noise / 4294967296.0;
    if (b->c.wide) {
      ((double*)b->in)[i] = x;
    } else {
      ((float*)b->in)[i] = (float)x;
    }
  }
  for (uint32_t k = 0; k < b->c.channels; ++k) {
    b->in_channel[k] = (char*)b->in + k * b->c.block * size;
    b->out_channel[k] = (char*)b->out + k * b->c.block * size;
  }
  return true;
}

/* NULL with *status. */
static MrProgram* cascades_of(Bench* b, MrStatus* status_out) {
  MrBank* const bank = mr_bank_new(b->c.channels);
  MrStatus status = bank ? MR_OK : MR_ERR_MEMORY;
  for (uint32_t k = 0; status == MR_OK && k < b->c.channels; ++k) {
    MrDesign design = mr_design_default(b->c.sections ? MR_PEAK : MR_BUTTERWORTH);
    design.fc = 500 * exp2(4.0 * k / b->c.channels);
    design.gain_db = 1;
    for (uint32_t i = 0; status == MR_OK && i < b->c.sections; ++i) status = mr_bank_add_filter(bank, k, &design);
    for (uint32_t left = b->c.sections ? 0 : b->c.order; status == MR_OK && left; left -= design.order) {
      design.order = left < MR_MAX_ORDER ? left : MR_MAX_ORDER;
      status = mr_bank_add_filter(bank, k, &design);
    }
  }
  MrProgram* const program = status == MR_OK ? mr_program_new(bank, fs, NULL, &status) : NULL;
  mr_bank_free(bank);
  if (program) b->rule = mr_program_fast_rule(program);
  *status_out = status;
  return program;
}

static MrStatus give_cascades(Bench* b, MrEngine* engine) {
  MrStatus status = MR_OK;
  MrProgram* const program = cascades_of(b, &status);
  return program ? mr_engine_give(engine, program) : status;
}

/* Bells an octave or less apart; `step` moves all of them, up and down within a tenth of an octave. */
static MrStatus set_bands(Bench* b, MrEngine* engine, uint64_t step) {
  const double triangle = fabs((double)(step % 64) / 32 - 1);
  for (uint32_t i = 0; i < b->c.bands; ++i) {
    b->band[i].design.fc = 40 * exp2(9.0 * i / b->c.bands + 0.1 * triangle);
    b->band[i].design.gain_db = (i % 2 ? -3 : 3) + (b->c.moving ? triangle : 0);
  }
  const MrBands bands = {.band = b->band, .bands = b->c.bands};
  return mr_engine_set_bands(engine, &bands);
}

static bool make_bands(Bench* b) {
  b->band = calloc(b->c.bands ? b->c.bands : 1, sizeof *b->band);
  for (uint32_t i = 0; b->band && i < b->c.bands; ++i) {
    b->band[i].on = true;
    b->band[i].design = mr_design_default(MR_PEAK);
    b->band[i].design.width = 1.5;
    memset(b->band[i].set, 0xff, sizeof b->band[i].set);
  }
  return b->band != NULL;
}

static MrStatus make_side(Bench* b, Side* side, uint32_t level, const MrCosts* costs, uint32_t rounds) {
  const MrEngineOptions options = {.channels = b->c.channels,
                                   .fs = fs,
                                   .largest_block = b->c.block,
                                   .max_bands = b->c.bands,
                                   .cpu_level = level,
                                   .costs = costs,
                                   .precision = b->c.fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE};
  MrStatus status = MR_OK;
  side->ns = calloc(rounds, sizeof *side->ns);
  side->engine = mr_engine_new(&options, &status);
  if (!side->ns || !side->engine) return status != MR_OK ? status : MR_ERR_MEMORY;
  return b->c.bands ? set_bands(b, side->engine, 0) : give_cascades(b, side->engine);
}

static MrRenderer* renderer_of(Bench* b, const MrCosts* costs, uint32_t threads, MrStatus* status) {
  const MrRendererOptions options = {
      .engine = {.channels = b->c.channels, .fs = fs, .costs = costs, .precision = b->c.fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE},
      .wide = b->c.wide,
      .threads = threads,
      .grain = b->c.grain,
      .stages = b->c.stages};
  MrProgram* const program = cascades_of(b, status);
  return program ? mr_renderer_new(&options, program, status) : NULL;
}

static MrStatus make_renderer_side(Bench* b, Side* side, const MrCosts* costs, uint32_t threads, uint32_t rounds) {
  MrStatus status = MR_OK;
  side->ns = calloc(rounds, sizeof *side->ns);
  side->renderer = side->ns ? renderer_of(b, costs, threads, &status) : NULL;
  return side->ns ? status : MR_ERR_MEMORY;
}

/* Blocks of a renderer are whole chunks. */
static MrStatus fit_block(Bench* b) {
  MrStatus status = MR_OK;
  MrRenderer* const renderer = renderer_of(b, NULL, b->c.threads ? b->c.threads : 1, &status);
  if (!renderer) return status;
  const uint32_t chunk = mr_renderer_chunk(renderer);
  if (!b->c.block) b->c.block = mr_renderer_call(renderer);
  b->c.block = (b->c.block + chunk - 1) / chunk * chunk;
  b->c.interleaved = true;
  mr_renderer_free(renderer);
  return MR_OK;
}

/* ----------------------------------------------------------- measuring */

static void process(Bench* b, Side* side) {
  MrEngine* const engine = side->engine;
  const uint32_t n = b->c.block;
  ++side->blocks;
  if (side->renderer) {
    mr_renderer_process(side->renderer, b->in, b->out, n);
    return;
  }
  if (b->c.moving) set_bands(b, engine, side->blocks);
  if (b->c.interleaved && b->c.wide) {
    mr_engine_process_interleaved_f64(engine, b->in, b->out, n);
  } else if (b->c.interleaved) {
    mr_engine_process_interleaved_f32(engine, b->in, b->out, n);
  } else if (b->c.wide) {
    mr_engine_process_f64(engine, (const double* const*)b->in_channel, (double* const*)b->out_channel, n);
  } else {
    mr_engine_process_f32(engine, (const float* const*)b->in_channel, (float* const*)b->out_channel, n);
  }
}

/* Seconds of `repeat` blocks. */
static double time_blocks(Bench* b, Side* side) {
  const double start = now();
  for (uint64_t i = 0; i < side->repeat; ++i) process(b, side);
  return now() - start;
}

/* Warms up, lets fades end, and finds how many blocks fill a measurement. */
static void calibrate(Bench* b, Side* side, double seconds) {
  side->repeat = 1;
  for (uint32_t i = 0; i < 8192 / b->c.block + 2; ++i) process(b, side);
  for (;;) {
    const double taken = time_blocks(b, side);
    if (taken >= seconds || side->repeat > (uint64_t)1 << 30) return;
    side->repeat = taken < seconds / 16 ? side->repeat * 8 : (uint64_t)ceil((double)side->repeat * seconds / taken * 1.05);
  }
}

/* The first sides in turn, round after round. */
static void measure(Bench* b, uint32_t sides, uint32_t rounds, double seconds) {
  const double samples = (double)b->c.block * b->c.channels * (b->c.bands ? b->c.bands : 1);
  for (uint32_t s = 0; s < sides; ++s) calibrate(b, &b->side[s], seconds);
  for (uint32_t i = 0; i < rounds; ++i)
    for (uint32_t s = 0; s < sides; ++s) b->side[s].ns[i] = 1e9 * time_blocks(b, &b->side[s]) / ((double)b->side[s].repeat * samples);
}

static MrStatus begin(Bench* b, const MrBenchCase* c, const MrCosts* costs, uint32_t rounds) {
  memset(b, 0, sizeof *b);
  b->c = *c;
  const MrStatus status = c->renderer ? fit_block(b) : MR_OK;
  if (status != MR_OK) return status;
  if (c->renderer) return make_buffers(b) ? make_renderer_side(b, &b->side[KERNEL], costs, 1, rounds) : MR_ERR_MEMORY;
  return make_buffers(b) && make_bands(b) ? make_side(b, &b->side[KERNEL], 0, costs, rounds) : MR_ERR_MEMORY;
}

static void finish(Bench* b) {
  for (uint32_t s = 0; s < SIDES; ++s) {
    mr_renderer_free(b->side[s].renderer);
    mr_engine_free(b->side[s].engine);
    free(b->side[s].ns);
  }
  free(b->in);
  free(b->out);
  free(b->in_channel);
  free(b->out_channel);
  free(b->band);
}

MrStatus mr_bench_run(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchResult* result) {
  Bench b;
  memset(result, 0, sizeof *result);
  MrStatus status = begin(&b, c, costs, rounds);
  if (status == MR_OK) status = make_side(&b, &b.side[REFERENCE], MR_CPU_REFERENCE, NULL, rounds);
  double* const ratio = calloc(rounds, sizeof *ratio);
  if (status == MR_OK && !ratio) status = MR_ERR_MEMORY;
  if (status == MR_OK) {
    measure(&b, 2, rounds, seconds);
    for (uint32_t i = 0; i < rounds; ++i) ratio[i] = b.side[REFERENCE].ns[i] / b.side[KERNEL].ns[i];
    result->ratio = median(ratio, rounds);
    result->ns = median(b.side[KERNEL].ns, rounds);
    result->reference_ns = median(b.side[REFERENCE].ns, rounds);
    result->plan = c->renderer ? mr_renderer_plan(b.side[KERNEL].renderer) : mr_engine_plan(b.side[KERNEL].engine);
    result->block = b.c.block;
    result->rule = b.rule;
    if (!c->bands && !c->fast && !c->renderer)
      result->predicted_ns = mr_engine_predict(b.side[KERNEL].engine, c->block, c->interleaved) / ((double)c->block * c->channels);
  }
  free(ratio);
  finish(&b);
  return status;
}

MrStatus mr_bench_choice(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchChoice* choice) {
  Bench b;
  memset(choice, 0, sizeof *choice);
  MrCosts never = *costs, always = *costs;
  never.step_fixed = 1e9;
  always.step_fixed = always.step_vector = always.chain_fixed = always.chain_vector = always.few_run = always.few_sample = 0;
  MrStatus status = begin(&b, c, &never, rounds);
  if (status == MR_OK) status = make_side(&b, &b.side[1], 0, &always, rounds);
  if (status == MR_OK) status = make_side(&b, &b.side[2], 0, costs, rounds); /* for its plan alone */
  if (status == MR_OK) {
    const MrPlan plan = mr_engine_plan(b.side[2].engine), other = mr_engine_plan(b.side[1].engine);
    choice->chains = plan.chains && c->block >= plan.chain_from;
    choice->free = other.chains && c->block >= other.chain_from;
  }
  double* const ratio = calloc(rounds, sizeof *ratio);
  if (status == MR_OK && !ratio) status = MR_ERR_MEMORY;
  if (status == MR_OK && choice->free) {
    measure(&b, 2, rounds, seconds);
    for (uint32_t i = 0; i < rounds; ++i) ratio[i] = b.side[0].ns[i] / b.side[1].ns[i];
    choice->gain = median(ratio, rounds);
    choice->without = median(b.side[0].ns, rounds);
    choice->with = median(b.side[1].ns, rounds);
  }
  free(ratio);
  finish(&b);
  return status;
}

enum { LONGEST = 1 << 14 }; /* blocks of a round */

/* Processor time of all threads, seconds. */
static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double at_part(const double* sorted, uint64_t n, double part) { return sorted[(uint64_t)(part * (double)(n - 1) + 0.5)]; }

/* Nodes of a block, if groups are as long as the plan has them. */
static double nodes_of(const MrPlan* plan, uint32_t block) {
  const double groups = plan->grain ? ceil((double)block / plan->grain) : 0;
  return groups * (plan->segments > 1 ? 1 : (double)plan->strands * plan->stages + 2);
}

/* Renderers that share nothing, at once. */
typedef struct Apart {
  pthread_t thread;
  bool started;
  MrRenderer* renderer;
  const Bench* bench;
  void* out;
  uint64_t repeat;
} Apart;

static void* run_apart(void* handle) {
  Apart* const a = handle;
  for (uint64_t i = 0; i < a->repeat; ++i) mr_renderer_process(a->renderer, a->bench->in, a->out, a->bench->c.block);
  return NULL;
}

/* Seconds until all have run `repeat` blocks; 0 where a thread does not start. */
static double time_apart(Apart* apart, uint32_t n, uint64_t repeat) {
  const double start = now();
  bool all = true;
  for (uint32_t i = 0; i < n; ++i) {
    apart[i].repeat = repeat;
    apart[i].started = pthread_create(&apart[i].thread, NULL, run_apart, &apart[i]) == 0;
    all &= apart[i].started;
  }
  for (uint32_t i = 0; i < n; ++i)
    if (apart[i].started) pthread_join(apart[i].thread, NULL);
  return all ? now() - start : 0;
}

static void free_apart(Apart* apart, uint32_t n) {
  for (uint32_t i = 0; apart && i < n; ++i) {
    mr_renderer_free(apart[i].renderer);
    free(apart[i].out);
  }
  free(apart);
}

/* NULL with *status. */
static Apart* make_apart(Bench* b, const MrCosts* costs, uint32_t n, MrStatus* status) {
  Apart* const apart = calloc(n, sizeof *apart);
  *status = apart ? MR_OK : MR_ERR_MEMORY;
  for (uint32_t i = 0; i < n && *status == MR_OK; ++i) {
    apart[i].bench = b;
    apart[i].out = calloc((size_t)b->c.block * b->c.channels, b->c.wide ? sizeof(double) : sizeof(float));
    apart[i].renderer = apart[i].out ? renderer_of(b, costs, 1, status) : NULL;
    if (!apart[i].out) *status = MR_ERR_MEMORY;
  }
  if (*status == MR_OK) return apart;
  free_apart(apart, n);
  return NULL;
}

static void compare_shared(Bench* b, uint32_t rounds, double seconds, Apart* apart, double* ratio, double* each, MrBenchShared* result) {
  const double samples = 1e-9 * b->c.block * b->c.channels;
  Side *one = &b->side[0], *many = &b->side[1];
  double cpu[2] = {0, 0};
  uint64_t blocks = 0;
  calibrate(b, one, seconds);
  calibrate(b, many, 1e-6);
  if (one->repeat > LONGEST) one->repeat = LONGEST;
  many->repeat = one->repeat;
  for (uint32_t i = 0; i < rounds; ++i) {
    const double begin = processor_time();
    one->ns[i] = time_blocks(b, one) / ((double)one->repeat * samples);
    const double middle = processor_time();
    double sum = 0;
    for (uint64_t k = 0; k < many->repeat; ++k) {
      const double start = now();
      process(b, many);
      const double taken = now() - start;
      sum += taken;
      each[blocks++] = taken / samples;
    }
    cpu[0] += middle - begin;
    cpu[1] += processor_time() - middle;
    const uint32_t threads = b->c.threads;
    const double together = time_apart(apart, threads, one->repeat);
    many->ns[i] = together > 0 ? threads * one->ns[i] * (double)one->repeat * samples / together : 0;
    ratio[i] = one->ns[i] * (double)many->repeat * samples / sum;
  }
  qsort(each, blocks, sizeof *each, compare);
  result->gain = median(ratio, rounds); /* sorts */
  result->low = at_part(ratio, rounds, 0.1);
  result->high = at_part(ratio, rounds, 0.9);
  result->ns = at_part(each, blocks, 0.5);
  result->p99_ns = at_part(each, blocks, 0.99);
  result->worst_ns = each[blocks - 1];
  result->one_ns = median(one->ns, rounds);
  result->machine = median(many->ns, rounds);
  result->cpu = cpu[1] / cpu[0];
}

MrStatus mr_bench_shared(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchShared* result) {
  Bench b;
  MrBenchCase wanted = *c;
  wanted.renderer = true;
  memset(result, 0, sizeof *result);
  memset(&b, 0, sizeof b);
  b.c = wanted;
  MrStatus status = fit_block(&b);
  if (status == MR_OK && !make_buffers(&b)) status = MR_ERR_MEMORY;
  if (status == MR_OK) status = make_renderer_side(&b, &b.side[0], costs, 1, rounds);
  if (status == MR_OK) status = make_renderer_side(&b, &b.side[1], costs, c->threads, rounds);
  double* const ratio = calloc(rounds, sizeof *ratio);
  Apart* const apart = status == MR_OK ? make_apart(&b, costs, c->threads, &status) : NULL;
  double* const each = calloc((size_t)rounds * LONGEST, sizeof *each);
  if (status == MR_OK && !(ratio && each)) status = MR_ERR_MEMORY;
  if (status == MR_OK) {
    compare_shared(&b, rounds, seconds, apart, ratio, each, result);
    mr_renderer_trace(b.side[1].renderer, c->trace);
    if (c->trace) process(&b, &b.side[1]);
    mr_renderer_trace(b.side[1].renderer, NULL);
    result->block = b.c.block;
    result->plan = mr_renderer_plan(b.side[1].renderer);
    result->nodes = nodes_of(&result->plan, b.c.block);
  }
  free_apart(apart, c->threads);
  free(ratio);
  free(each);
  finish(&b);
  return status;
}
