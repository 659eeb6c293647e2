/* The checks of multi-block kernels, for whatever levels a program has. Text of the check_block*.c programs.
   SPDX-License-Identifier: ISC

   One line a family, precision, level, L and N: all cases, in calls of ragged lengths, against the truth; the same by superposition.
   Then the permutation of each shape, a random family at every call, and the way of interleaved streams. */
#ifndef MILLRACE_TESTS_BLOCK_CHECKS_H
#define MILLRACE_TESTS_BLOCK_CHECKS_H

#include "../../../dsp/kernel/block_tables.h"
#include "../../../dsp/kernel/dense.h"
#include "block_cases.h"

typedef struct BlockLevel {
  const char* name;
  const MrBlockKernels* kernels;
} BlockLevel;

static struct { unsigned passed, failed; } block_total;
static struct {
  unsigned failures;
  double worst; /* error over its tolerance */
} block_line;

static Case block_case[MOST_CASES];
static uint32_t block_case_count;
static _Alignas(64) double block_out[CASE_MOST_FRAMES + 8], block_in[CASE_MOST_FRAMES + 8];

static void block_fail(const Case* c, const char* what, double error, double tolerance) {
  if (block_line.failures++ < 4) printf("  %s: %s (%.3g; %.3g is allowed)\n", c->name, what, error, tolerance);
}

static void put_input(const MrBlockKernels* k, const Case* c, uint32_t frames) {
  for (uint32_t i = 0; i < frames; i++) {
    if (k->single)
      ((float*)(void*)block_in)[i] = c->input[i];
    else
      block_in[i] = (double)c->input[i];
  }
}

static double got(const MrBlockKernels* k, uint32_t i) {
  return k->single ? (double)((const float*)(const void*)block_out)[i] : block_out[i];
}

static double tolerance_of(const MrBlockKernels* k, const Case* c, MrBlockFamily family, uint32_t blocks) {
  const bool reduction = family == MR_BLOCK_CR || family == MR_BLOCK_DTCR;
  const double loss = reduction ? fmax(1, case_kappa(c, family, blocks)) : 1;
  double roundoff = k->single ? 4e-6 * c->loose_f32 : 4e-14 * c->loose_f64;
  if (family == MR_BLOCK_SSPH && blocks > 16) roundoff *= pow(blocks / 16.0, 1.5); /* its particular solution is long */
  return roundoff * loss;
}

static void compare(const MrBlockKernels* k, const Case* c, uint32_t frames, const char* what, double tolerance) {
  double error = 0, peak = 0;
  for (uint32_t i = 0; i < frames; i++) peak = fmax(peak, fabs(c->truth[i]));
  for (uint32_t i = 0; i < frames; i++) {
    const double e = fabs(got(k, i) - c->truth[i]) / peak;
    error = e <= error ? error : e; /* a NaN counts */
    if (e != e) error = INFINITY;
  }
  block_line.worst = fmax(block_line.worst, error / tolerance);
  if (!(error <= tolerance)) block_fail(c, what, error, tolerance);
}

/* Lengths that leave every kind of rest, then the rest of the frames. */
static void run_ragged(MrBlockCascade* cascade, uint32_t group, uint32_t frames, size_t size, bool superposed) {
  const uint32_t lengths[] = {1, 2, 3, 0, group, group + 1, group - 1, 2 * group, 5, 3 * group + 7};
  uint32_t at = 0;
  for (uint32_t i = 0; at < frames; i++) {
    uint32_t n = i < sizeof lengths / sizeof *lengths ? lengths[i] : frames - at;
    n = n < frames - at ? n : frames - at;
    const char* in = (const char*)block_in + at * size;
    char* out = (char*)block_out + at * size;
    if (i % 2) { /* in place */
      memcpy(out, in, n * size);
      in = out;
    }
    if (superposed)
      mr_block_cascade_run_superposed(cascade, in, out, n);
    else
      mr_block_cascade_run(cascade, in, out, n);
    at += n;
  }
}

/* Several groups if that is no more than `most`, at least one and a ragged rest. */
static uint32_t frames_for(uint32_t group, uint32_t most) {
  const uint32_t several = 9 * group + 77, least = group + group / 4 + 77;
  const uint32_t frames = several < most ? several : least > most ? least : most;
  return frames < CASE_MOST_FRAMES ? frames : CASE_MOST_FRAMES;
}

static void check_case(const MrBlockKernels* k, const Case* c, MrBlockFamily family, uint32_t lanes, uint32_t blocks, uint32_t most) {
  const MrBlockOptions options = {.families = 1U << family, .lanes = lanes, .blocks = blocks, .kernels = k};
  const bool reduction = family == MR_BLOCK_CR || family == MR_BLOCK_DTCR;
  const double kappa = reduction ? case_kappa(c, family, blocks) : 0, limit = k->single ? 50 : 1e8;
  MrStatus status;
  MrBlockCascade* cascade = mr_block_cascade_new(&options, c->section, c->sections, &status);
  if (kappa > 1.01 * limit) {
    if (status != MR_ERR_SINGULAR) block_fail(c, "a singular filter is not refused", kappa, limit);
    mr_block_cascade_free(cascade);
    return;
  }
  if (kappa > 0.99 * limit && status == MR_ERR_SINGULAR) return;
  if (status != MR_OK) {
    block_fail(c, mr_strerror(status), kappa, limit);
    return;
  }
  const uint32_t frames = frames_for(lanes * blocks, most);
  if (frames < lanes * blocks + 6) block_fail(c, "too few frames for a group", frames, lanes * blocks);
  const size_t size = k->single ? sizeof(float) : sizeof(double);
  const double tolerance = tolerance_of(k, c, family, blocks);
  put_input(k, c, frames);
  memset(block_out, 0xff, sizeof block_out);
  run_ragged(cascade, lanes * blocks, frames, size, false);
  compare(k, c, frames, "wrong", tolerance);
  mr_block_cascade_reset(cascade);
  memset(block_out, 0xff, sizeof block_out);
  run_ragged(cascade, lanes * blocks, frames, size, true);
  compare(k, c, frames, "wrong by superposition", tolerance);
  mr_block_cascade_free(cascade);
}

static void begin_line(void) {
  block_line.failures = 0;
  block_line.worst = 0;
}

static void end_line(const BlockLevel* level, const char* what, uint32_t lanes, uint32_t blocks) {
  printf("%s %s %s %s L=%u N=%u (%.2g of the tolerance)\n", block_line.failures ? "FAILED" : "ok    ", level->name,
         level->kernels->single ? "f32" : "f64", what, lanes, blocks, block_line.worst);
  if (block_line.failures)
    block_total.failed++;
  else
    block_total.passed++;
}

/* Sample n of a group is in block n mod N, lane n / N; and back. */
static void check_permutation(const BlockLevel* level, uint32_t lanes, uint32_t blocks) {
  const MrBlockKernels* k = level->kernels;
  const MrBlockShape shape = {lanes, blocks, 2};
  const uint32_t group = lanes * blocks, frames = 2 * group;
  static _Alignas(64) double in[4 * 128 * 128 + 8], x[4 * 128 * 128];
  begin_line();
  for (uint32_t offset = 0; offset < 2; offset++) {
    const size_t size = k->single ? sizeof(float) : sizeof(double);
    char* from = (char*)in + offset * size;
    for (uint32_t i = 0; i < frames; i++) {
      if (k->single)
        ((float*)(void*)from)[i] = (float)i;
      else
        ((double*)(void*)from)[i] = i;
    }
    k->permute(from, x, &shape);
    for (uint32_t i = 0; i < frames; i++) {
      const uint32_t g = i / group, n = i % group, at = g * group + n % blocks * lanes + n / blocks;
      const double value = k->single ? (double)((const float*)(const void*)x)[at] : x[at];
      if (value != i) block_line.failures++;
    }
    memset(from, 0, frames * size);
    k->depermute(x, from, &shape);
    for (uint32_t i = 0; i < frames; i++) {
      const double value = k->single ? (double)((const float*)(void*)from)[i] : ((const double*)(void*)from)[i];
      if (value != i) block_line.failures++;
    }
  }
  end_line(level, "permutation", lanes, blocks);
}

/* Another family at every call, of those that the case bears. */
static void check_switching(const BlockLevel* level, uint32_t lanes, uint32_t blocks, uint32_t most) {
  const MrBlockKernels* k = level->kernels;
  const size_t size = k->single ? sizeof(float) : sizeof(double);
  begin_line();
  for (uint32_t i = 0; i < block_case_count; i++) {
    const Case* c = &block_case[i];
    uint32_t families = (1U << MR_BLOCK_FAMILIES) - 1;
    double tolerance = 0;
    for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) {
      if (family == MR_BLOCK_CR || family == MR_BLOCK_DTCR)
        if (case_kappa(c, (MrBlockFamily)family, blocks) > (k->single ? 10 : 100)) families &= ~(1U << family);
      if (families >> family & 1) tolerance = fmax(tolerance, 4 * tolerance_of(k, c, (MrBlockFamily)family, blocks));
    }
    const MrBlockOptions options = {.families = families, .lanes = lanes, .blocks = blocks, .kernels = k};
    MrStatus status;
    MrBlockCascade* cascade = mr_block_cascade_new(&options, c->section, c->sections, &status);
    if (!cascade) {
      block_fail(c, mr_strerror(status), 0, 0);
      continue;
    }
    put_input(k, c, most);
    memset(block_out, 0xff, sizeof block_out);
    for (uint32_t at = 0; at < most;) {
      uint32_t family = (uint32_t)(case_random() * MR_BLOCK_FAMILIES), n = (uint32_t)(case_random() * 2.5 * lanes * blocks);
      if (!(families >> family & 1)) family = MR_BLOCK_PH;
      n = n < most - at ? n : most - at;
      mr_block_cascade_choose(cascade, (MrBlockFamily)family);
      mr_block_cascade_run(cascade, (const char*)block_in + at * size, (char*)block_out + at * size, n);
      at += n;
    }
    compare(k, c, most, "wrong", tolerance);
    mr_block_cascade_free(cascade);
  }
  end_line(level, "a family at random each call", lanes, blocks);
}

/* From one cascade to another of any family by the state of transposed direct form 2. */
static void check_direct(const BlockLevel* level, uint32_t frames) {
  const MrBlockKernels* k = level->kernels;
  const size_t size = k->single ? sizeof(float) : sizeof(double);
  const uint32_t families = (1U << MR_BLOCK_FAMILIES) - 1 - (1U << MR_BLOCK_CR) - (1U << MR_BLOCK_DTCR);
  begin_line();
  for (uint32_t i = 0; i < block_case_count; i++) {
    const Case* c = &block_case[i];
    const MrBlockOptions options = {.families = families, .blocks = 8, .kernels = k};
    MrStatus status;
    MrBlockCascade* cascade[2] = {mr_block_cascade_new(&options, c->section, c->sections, &status),
                                  mr_block_cascade_new(&options, c->section, c->sections, &status)};
    put_input(k, c, frames);
    memset(block_out, 0xff, sizeof block_out);
    for (uint32_t at = 0, round = 0; at < frames && cascade[0] && cascade[1]; round++) {
      static const MrBlockFamily order[] = {MR_BLOCK_PH, MR_BLOCK_SSPH, MR_BLOCK_MCR, MR_BLOCK_PH_STATES};
      double state[CASE_MOST_SECTIONS][2];
      const uint32_t wanted = round % 5 == 3 ? 1 : 50 + (uint32_t)(300 * case_random()), n = wanted < frames - at ? wanted : frames - at;
      mr_block_cascade_get_direct(cascade[round % 2], state);
      mr_block_cascade_reset(cascade[1 - round % 2]);
      mr_block_cascade_choose(cascade[1 - round % 2], order[(uint32_t)(4 * case_random())]);
      mr_block_cascade_set_direct(cascade[1 - round % 2], (const double(*)[2])state);
      mr_block_cascade_run(cascade[1 - round % 2], (const char*)block_in + at * size, (char*)block_out + at * size, n);
      at += n;
    }
    compare(k, c, frames, "wrong", 4 * tolerance_of(k, c, MR_BLOCK_PH, 8));
    for (uint32_t j = 0; j < 2; j++) mr_block_cascade_free(cascade[j]);
  }
  end_line(level, "handed over as direct form 2", k->width, 8);
}

/* The cascade as one matrix, in calls of ragged lengths. */
static void check_dense(const BlockLevel* level, uint32_t most) {
  const MrBlockKernels* k = level->kernels;
  const size_t size = k->single ? sizeof(float) : sizeof(double);
  MrStatus status;
  begin_line();
  for (uint32_t i = 0; i < block_case_count; i++) {
    const Case* c = &block_case[i];
    MrDense* form = mr_dense_new(k, c->section, c->sections, &status);
    if (!form) {
      block_fail(c, mr_strerror(status), 0, 0);
      continue;
    }
    for (uint32_t round = 0; round < 2; round++) { /* the second one after a NaN, and in place */
      put_input(k, c, most);
      if (round) memcpy(block_out, block_in, sizeof block_out);
      for (uint32_t at = 0, length = 1; at < most; length = length % 70 + 3) {
        const uint32_t n = length < most - at ? length : most - at;
        mr_dense_run(form, (const char*)(round ? block_out : block_in) + at * size, (char*)block_out + at * size, n);
        at += n;
      }
      compare(k, c, most, round ? "wrong in place, after a NaN" : "wrong", tolerance_of(k, c, MR_BLOCK_PH_STATES, 16));
      if (k->single)
        ((float*)(void*)block_in)[5] = NAN;
      else
        block_in[5] = NAN;
      mr_dense_run(form, block_in, block_out, 40);
    }
    mr_dense_free(form);
  }
  if (mr_dense_new(k, block_case[0].section, 0, &status) || status != MR_ERR_ARGUMENT)
    block_fail(&block_case[0], "no section is not refused", 0, 0);
  if (mr_dense_new(k, &(MrSection){1e-3, -0.1, 1, 0, 0}, 1, &status) || status != MR_ERR_UNSTABLE)
    block_fail(&block_case[0], "an unstable section is not refused", 0, 0);
  end_line(level, "dense", k->width, MR_DENSE_BLOCK);
}

/* All sections and groups in one call have the bits of a section and a group at a time, and those of one half after the other. */
static void check_bits(const BlockLevel* level, uint32_t lanes, uint32_t blocks) {
  enum { GROUPS = 11, MOST = GROUPS * 32 * 128 };
  const MrBlockKernels* k = level->kernels;
  const Case* c = &block_case[1];
  const size_t size = k->single ? sizeof(float) : sizeof(double), group = (size_t)lanes * blocks * size;
  static _Alignas(64) char together[MOST * sizeof(double)], apart[MOST * sizeof(double)], local[MOST * sizeof(double)];
  const MrBlockShape all = {lanes, blocks, GROUPS}, one = {lanes, blocks, 1};
  begin_line();
  if (GROUPS * lanes * blocks > MOST || 2 * lanes * GROUPS > MOST) abort();
  for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) {
    const size_t bytes = (mr_block_table_size((MrBlockFamily)family, k->width, blocks) * size + 63) / 64 * 64;
    char* tables = aligned_alloc(64, bytes * c->sections);
    _Alignas(64) double state[3][CASE_MOST_SECTIONS * MR_BLOCK_STATE];
    bool sound = tables;
    for (uint32_t i = 0; i < c->sections && sound; i++)
      sound = mr_block_table_fill(k, (MrBlockFamily)family, &c->section[i], lanes, blocks, tables + i * bytes) == MR_OK;
    if (sound) {
      put_input(k, c, CASE_MOST_FRAMES);
      for (size_t i = 0; i < GROUPS * group; i += 16) memcpy(together + i, (const char*)block_in + i % (1000 * size), 16);
      memcpy(apart, together, GROUPS * group);
      memset(state, 0, sizeof state);
      k->run[family](together, &all, tables, bytes, state[0], c->sections);
      for (uint32_t i = 0; i < c->sections; i++) {
        char* own = (char*)state[1] + i * MR_BLOCK_STATE * size;
        for (uint32_t g = 0; g < GROUPS; g++) {
          if (g % 2) {
            k->run[family](apart + g * group, &one, tables + i * bytes, bytes, own, 1);
          } else {
            k->zero[family](apart + g * group, &one, tables + i * bytes, own, local);
            k->homogeneous[family](apart + g * group, &one, tables + i * bytes, local, own);
          }
        }
      }
      if (memcmp(together, apart, GROUPS * group) || memcmp(state[0], state[1], c->sections * MR_BLOCK_STATE * size))
        block_fail(c, mr_block_family_name((MrBlockFamily)family), 1, 0);
    } else if (family != MR_BLOCK_CR && family != MR_BLOCK_DTCR) {
      block_fail(c, "no table", 1, 0);
    }
    free(tables);
  }
  end_line(level, "the same bits together and apart", lanes, blocks);
}

/* What is not finite ends with the call; what cannot be is refused. */
static void check_bounds(const BlockLevel* level) {
  const MrBlockKernels* k = level->kernels;
  const Case* c = &block_case[0];
  MrStatus status;
  begin_line();
  for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) {
    MrBlockOptions options = {.families = 1U << family, .blocks = 4, .kernels = k};
    MrBlockCascade* cascade = mr_block_cascade_new(&options, c->section, c->sections, &status);
    if (!cascade) {
      if (status != MR_ERR_SINGULAR) block_fail(c, mr_strerror(status), 0, 0);
      continue;
    }
    const uint32_t frames = 20 * k->width;
    put_input(k, c, frames);
    if (k->single)
      ((float*)(void*)block_in)[k->width] = NAN;
    else
      block_in[k->width] = NAN;
    mr_block_cascade_run(cascade, block_in, block_out, frames);
    put_input(k, c, frames);
    mr_block_cascade_run(cascade, block_in, block_out, frames);
    compare(k, c, frames, "does not start afresh after a NaN", tolerance_of(k, c, (MrBlockFamily)family, 4));
    mr_block_cascade_free(cascade);
    const uint32_t wrong_blocks[] = {0, 1, 3, 256, family == MR_BLOCK_DTCR ? 2 : 6};
    for (uint32_t i = 0; i < sizeof wrong_blocks / sizeof *wrong_blocks; i++) {
      options.blocks = wrong_blocks[i];
      if (mr_block_cascade_new(&options, c->section, c->sections, &status) || status != MR_ERR_RANGE)
        block_fail(c, "a number of blocks that cannot be is not refused", wrong_blocks[i], 0);
    }
    options.blocks = 4;
    options.lanes = 3 * k->width;
    if (mr_block_cascade_new(&options, c->section, c->sections, &status) || status != MR_ERR_RANGE)
      block_fail(c, "a number of lanes that cannot be is not refused", options.lanes, 0);
    options.lanes = 0;
    if (mr_block_cascade_new(&options, &(MrSection){-1e-3, 0.1, 1, 0, 0}, 1, &status) || status != MR_ERR_UNSTABLE)
      block_fail(c, "an unstable section is not refused", 0, 0);
  }
  end_line(level, "NaN, refusals", k->width, 4);
}

#include "block_stream_checks.h" /* with the lines and cases above */

static void check_block_level(const BlockLevel* level, bool quick, uint32_t most) {
  const MrBlockKernels* k = level->kernels;
  for (uint32_t registers = 1; registers <= (quick ? 4U : 8U); registers *= quick ? 4 : 2) {
    const uint32_t lanes = registers * k->width;
    for (uint32_t blocks = 2; blocks <= 128; blocks *= quick && blocks == 4 ? 16 : 2) check_permutation(level, lanes, blocks);
    for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) {
      for (uint32_t blocks = family == MR_BLOCK_DTCR ? 4 : 2; blocks <= 128; blocks *= quick ? 8 : 2) {
        begin_line();
        for (uint32_t i = 0; i < block_case_count; i++) check_case(k, &block_case[i], (MrBlockFamily)family, lanes, blocks, most);
        end_line(level, mr_block_family_name((MrBlockFamily)family), lanes, blocks);
      }
    }
  }
  check_switching(level, k->width, 8, most < 3000 ? most : 3000);
  check_switching(level, 2 * k->width, 16, most < 3000 ? most : 3000);
  check_direct(level, most < 3000 ? most : 3000);
  check_dense(level, most < 3000 ? most : 3000);
  check_bits(level, k->width, 4);
  check_bits(level, 2 * k->width, 32);
  check_streams(level, k->width, MR_BLOCK_MAX_WIDTH);
  check_streams(level, 2 * k->width, 64);
  check_poison(level);
  check_groups(level, 2 * k->width, 16);
  check_bounds(level);
}

/* All levels; returns the exit status. */
static int check_block_levels(int argc, char** argv, const BlockLevel* levels, size_t count, bool slow) {
  bool quick = slow;
  const char* only = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--quick")) {
      quick = true;
    } else if (!strncmp(argv[i], "--level=", 8)) {
      only = argv[i] + 8;
    } else {
      printf("use: %s [--quick] [--level=NAME]\n", argv[0]);
      return 2;
    }
  }
  const uint32_t frames = quick ? 700 : 4000;
  setvbuf(stdout, NULL, _IOLBF, 0);
  block_case_count = make_cases(block_case, CASE_MOST_FRAMES, quick);
  for (size_t i = 0; i < count; i++)
    if (!only || !strcmp(only, levels[i].name)) check_block_level(&levels[i], quick, frames);
  printf("%u passed, %u failed\n", block_total.passed, block_total.failed);
  return block_total.failed || !block_total.passed ? 1 : 0;
}

#endif
