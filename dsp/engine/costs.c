/* Costs for the schedule plan: estimated from the CPU level, or measured.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../kernel/few_io.h"
#include "../kernel/fpmode.h"
#include "memory.h"
#include "schedule.h"

/* Cycles of a core of today at 3 GHz. AVX2's were measured; the other vector levels have the same pipes and chains of instructions, and SSE2 an
   addition for each fused operation. */
MrCosts mr_costs_estimate(MrCpuLevel level) {
  MrCosts costs = {.pass_fixed = 0.4,
                   .pass_section = 0.97,
                   .pass_least = 2.4,
                   .step_fixed = 1.6,
                   .step_vector = 0.87,
                   .chain_fixed = 0,
                   .chain_vector = 18,
                   .planar = 0.4,
                   .single = 1.3,
                   .interleaved = 0.35,
                   .cell = 60,
                   .few_run = 40,
                   .few_sample = 0.5};
  const double scale = level == MR_CPU_SSE2 ? 1.3 : 1;
  costs.pass_section *= scale;
  costs.pass_least *= scale;
  costs.step_fixed *= scale;
  costs.step_vector *= scale;
  if (level == MR_CPU_REFERENCE || level == MR_CPU_REFERENCE_NOFMA) { /* a lane at a time */
    costs.pass_fixed = 0;
    costs.pass_section = costs.pass_least = 2.7;
    costs.planar = costs.interleaved = costs.single;
  }
  return costs;
}

/* ------------------------------------------------------------- measuring */

#define ROUNDS 31u
#define CALLS  200u

typedef struct Bench {
  const MrKernels* kernels;
  double *x, *coef, *state, *gain;
  float* samples; /* [MR_LANES][MR_CELL] */
} Bench;

/* One call of what is measured; n frames. */
typedef void Work(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes);

static void work_settled(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes) {
  b->kernels->run_settled(b->x, n, b->coef, b->state, sections, lanes);
}

static void work_chains(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes) {
  b->kernels->run_chains(b->x, MR_LANES, n, b->coef, b->state, sections, lanes);
}

static void work_planar(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes) {
  float* channel[MR_LANES];
  (void)sections;
  (void)lanes;
  for (uint32_t l = 0; l < MR_LANES; l++) channel[l] = b->samples + l * MR_CELL;
  b->kernels->load_f32((const float* const*)channel, n, b->x);
  b->kernels->store_f32(b->x, n, b->gain, channel);
}

static void work_interleaved(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes) {
  (void)sections;
  b->kernels->load_interleaved_f32(b->samples, lanes, lanes, n, b->x);
  b->kernels->store_interleaved_f32(b->x, n, b->gain, b->samples, lanes, lanes);
}

static void work_few(Bench* b, uint32_t n, uint32_t sections, uint32_t lanes) {
  (void)sections;
  const float* in = b->samples;
  mr_few_take_f32_f64(&in, lanes, n, b->x);
  mr_few_give_f64_f32(b->x, lanes, n, b->gain, &b->samples);
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The fastest of the rounds: what interrupts a round only adds. */
static double ns_of(Bench* b, Work* work, uint32_t n, uint32_t sections, uint32_t lanes) {
  double least = 1e300;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    const double start = now_ns();
    for (uint32_t j = 0; j < CALLS; j++) work(b, n, sections, lanes);
    const double taken = (now_ns() - start) / CALLS;
    if (taken < least) least = taken;
  }
  return least;
}

static void measure_passes(Bench* b, MrCosts* costs) {
  const uint32_t deep = b->kernels->shape.sections_per_pass, lanes = b->kernels->shape.vector, shallow = deep / 2 + 1;
  costs->pass_least = ns_of(b, work_settled, MR_CELL, 1, lanes) / MR_CELL;
  if (deep == 1) { /* the reference */
    costs->pass_fixed = 0;
    costs->pass_section = costs->pass_least;
    return;
  }
  const double half = ns_of(b, work_settled, MR_CELL, shallow, lanes) / MR_CELL,
               whole = ns_of(b, work_settled, MR_CELL, deep, lanes) / MR_CELL;
  costs->pass_section = fmax(0, (whole - half) / (deep - shallow)); /* of a machine with other work, anything may come out */
  costs->pass_fixed = fmax(0, whole - deep * costs->pass_section);
}

/* One channel with a vector full of sections, and with as many vectors as a chain has. */
static void measure_chains(Bench* b, MrCosts* costs) {
  const uint32_t most = b->kernels->shape.chain, slots = b->kernels->shape.vector;
  double step[2], call[2];
  if (!most) return;
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t sections = slots * (i ? most : 1), n = MR_CHAIN_FRAMES(sections);
    const double some = ns_of(b, work_chains, n, sections, 1), more = ns_of(b, work_chains, MR_CELL, sections, 1);
    step[i] = (more - some) / (MR_CELL - n);
    call[i] = more - step[i] * (MR_CELL + MR_SKEW * (sections - 1));
  }
  costs->step_vector = fmax(0, (step[1] - step[0]) / (most - 1));
  costs->step_fixed = fmax(0, step[0] - costs->step_vector);
  costs->chain_vector = fmax(0, (call[1] - call[0]) / (most - 1));
  costs->chain_fixed = fmax(0, call[0] - costs->chain_vector);
}

/* An engine of so many bells on each of so many channels, planned by the costs: nanoseconds of a planar block of one cell. */
static MrStatus measure_engine(Bench* b, const MrEngineOptions* options, uint32_t sections, double* ns) {
  MrStatus status = MR_ERR_MEMORY;
  MrBank* bank = mr_bank_new(options->channels);
  MrDesign design = mr_design_default(MR_PEAK);
  design.gain_db = 3;
  for (uint32_t i = 0; bank && i < options->channels * sections; i++) mr_bank_add_filter(bank, i / sections, &design);
  MrProgram* program = bank ? mr_program_new(bank, options->fs, NULL, &status) : NULL;
  MrEngine* engine = program ? mr_engine_new(options, &status) : NULL;
  mr_bank_free(bank);
  if (!engine) {
    mr_program_free(program);
    return status;
  }
  status = mr_engine_give(engine, program);
  float* channel[MR_LANES];
  for (uint32_t l = 0; l < MR_LANES; l++) channel[l] = b->samples + l * MR_CELL;
  double least = 1e300;
  for (uint32_t i = 0; status == MR_OK && i < ROUNDS; i++) {
    const double start = now_ns();
    for (uint32_t j = 0; j < CALLS; j++) mr_engine_process_f32(engine, (const float* const*)channel, channel, MR_CELL);
    const double taken = (now_ns() - start) / CALLS;
    if (taken < least) least = taken;
  }
  mr_engine_free(engine);
  *ns = least;
  return status;
}

/* What an engine's cell costs beyond its parts. */
static MrStatus measure_cell(Bench* b, uint32_t cpu_level, MrCosts* costs) {
  double ns;
  const MrEngineOptions options = {.channels = MR_LANES, .fs = 48000, .cpu_level = cpu_level};
  const MrStatus status = measure_engine(b, &options, 1, &ns);
  const double parts = ns_of(b, work_planar, MR_CELL, 0, MR_LANES) + ns_of(b, work_settled, MR_CELL, 1, MR_LANES);
  if (status == MR_OK) costs->cell = ns > parts + 1 ? ns - parts : 1;
  return status;
}

/* The same of a run of few channels: one, with a vector full of sections. */
static MrStatus measure_few(Bench* b, uint32_t cpu_level, MrCosts* costs) {
  double ns;
  const uint32_t sections = b->kernels->shape.vector;
  if (!b->kernels->shape.chain) return MR_OK;
  MrCosts always = *costs;
  always.step_fixed = always.step_vector = always.chain_fixed = always.chain_vector = always.few_run = always.few_sample = 0;
  const MrEngineOptions options = {.channels = 1, .fs = 48000, .cpu_level = cpu_level, .costs = &always};
  const MrStatus status = measure_engine(b, &options, sections, &ns);
  costs->few_sample = ns_of(b, work_few, MR_CELL * MR_LANES, 0, 1) / (MR_CELL * MR_LANES);
  const double parts = MR_CELL * costs->few_sample + ns_of(b, work_chains, MR_CELL, sections, 1);
  if (status == MR_OK) costs->few_run = ns > parts + 1 ? ns - parts : 1;
  return status;
}

static bool make_bench(Bench* b, uint32_t cpu_level) {
  static const double row[MR_SETTLED_ROWS] = {0.01, 0.11, 1, -0.01, -0.11}; /* a high-pass: what is run again and again stays small */
  const uint32_t sections = 64;
  b->kernels = mr_kernels_choose(cpu_level);
  b->x = mr_memory_new(MR_CELL, MR_LANES * sizeof(double));
  b->coef = mr_memory_new(sections, MR_COEF_STRIDE * sizeof(double));
  b->state = mr_memory_new(sections, MR_STATE_STRIDE * sizeof(double));
  b->gain = mr_memory_new(MR_LANES, sizeof(double));
  b->samples = mr_memory_new(MR_CELL, MR_LANES * sizeof(float));
  if (!b->kernels || !b->x || !b->coef || !b->state || !b->gain || !b->samples) return false;
  for (uint32_t i = 0; i < sections * MR_COEF_STRIDE; i++) b->coef[i] = row[i / MR_LANES % MR_SETTLED_ROWS];
  for (uint32_t l = 0; l < MR_LANES; l++) b->gain[l] = 1;
  return true;
}

MrStatus mr_costs_measure(uint32_t cpu_level, MrCosts* costs) {
  Bench b = {0};
  MrStatus status = MR_ERR_MEMORY;
  if (make_bench(&b, cpu_level)) {
    const MrFpMode host = mr_fpmode_enter();
    ns_of(&b, work_settled, MR_CELL, 8, MR_LANES); /* the clock comes up */
    *costs = mr_costs_estimate(b.kernels->level);
    measure_passes(&b, costs);
    measure_chains(&b, costs);
    costs->planar = ns_of(&b, work_planar, MR_CELL, 0, MR_LANES) / (MR_CELL * MR_LANES);
    costs->interleaved = ns_of(&b, work_interleaved, MR_CELL, 0, MR_LANES) / (MR_CELL * MR_LANES);
    costs->single = ns_of(&b, work_interleaved, MR_CELL, 0, 1) / MR_CELL;
    status = measure_cell(&b, cpu_level, costs);
    if (status == MR_OK) status = measure_few(&b, cpu_level, costs);
    mr_fpmode_leave(host);
  }
  free(b.x);
  free(b.coef);
  free(b.state);
  free(b.gain);
  free(b.samples);
  return status;
}
