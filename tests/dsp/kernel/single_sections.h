/* Checks of float32 sections against the reference of their class, and what all checks of float32 kernels share. Text of the
   check_single*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_SINGLE_SECTIONS_H
#define MILLRACE_TESTS_SINGLE_SECTIONS_H

#include "../../../dsp/kernel/single.h"
#include "kernel_cases.h"

#define MAX_STRIDE  70u
#define MAX_SHIFT   13u /* planar channels lie up to 2^13 samples apart */
#define BLOCK_BYTES ((MR_SINGLE_LANES << MAX_SHIFT) * sizeof(double))

static struct {
  Region x, coef, state, gain, channel[MR_SINGLE_LANES], block;
  unsigned char *before, *expected; /* copies of the block */
  _Alignas(MR_ALIGN) float x1[MR_CELL * MR_SINGLE_LANES], coef1[MAX_SECTIONS * MR_SINGLE_COEF_STRIDE],
      state1[MAX_SECTIONS * MR_SINGLE_STATE_STRIDE], gain1[MR_SINGLE_LANES];
} tile;

static void make_regions(void) {
  tile.x = new_region(sizeof tile.x1);
  tile.coef = new_region(sizeof tile.coef1);
  tile.state = new_region(sizeof tile.state1);
  tile.gain = new_region(sizeof tile.gain1);
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) tile.channel[l] = new_region(2 * MR_CELL * sizeof(double));
  tile.block = new_region(BLOCK_BYTES + sizeof(double)); /* at any sample */
  const size_t bytes = BLOCK_BYTES;
  tile.before = malloc(bytes);
  tile.expected = malloc(bytes);
  if (!tile.before || !tile.expected) exit(2);
}

/* Aligned as tiles and coefficients are: every count of them is a whole number of MR_ALIGN bytes. */
static float* place_floats(Region* r, size_t count) { return place(r, count * sizeof(float), random_below(2), 0); }

static void put_single_section(float* coef, uint32_t lane, const MrSection* q) {
  coef[lane] = (float)q->s;
  coef[MR_SINGLE_LANES + lane] = (float)(q->P + q->s);
  coef[2 * MR_SINGLE_LANES + lane] = (float)q->D;
  coef[3 * MR_SINGLE_LANES + lane] = (float)q->e1;
  coef[4 * MR_SINGLE_LANES + lane] = (float)(q->e1 + q->e2);
}

/* ---------------------------------------------------------------- samples */

typedef enum Signal { SIGNAL_NOISE, SIGNAL_ZEROS, SIGNAL_TINY, SIGNAL_FLUSHED, SIGNAL_EDGES, SIGNALS } Signal;

static double random_sample(Signal signal) {
  switch (signal) {
    case SIGNAL_ZEROS:
      return random_below(2) ? 0.0 : -0.0;
    case SIGNAL_TINY:
    case SIGNAL_FLUSHED: /* subnormal floats, and floats that products of two make subnormal */
      return ldexp(random_signed(), random_below(2) ? -130 : -70);
    case SIGNAL_EDGES:
      return random_below(4) ? random_signed() : random_edge();
    default:
      return random_signed();
  }
}

static void fill(float* x, size_t count, Signal signal) {
  for (size_t i = 0; i < count; i++) x[i] = (float)random_sample(signal);
}

/* Equal to the bit; but which of two NaN an operation passes on is left open. */
static bool same_floats(float a, float b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* Lanes 0 .. lanes-1 of `rows` rows of a tile. */
static void expect_lanes(const float* got, const float* expected, uint32_t rows, uint32_t lanes, const char* name) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t l = 0; l < lanes; l++)
      if (!same_floats(got[i * MR_SINGLE_LANES + l], expected[i * MR_SINGLE_LANES + l])) {
        fail("%s, row %u, lane %u: %a, the reference %a", name, i, l, (double)got[i * MR_SINGLE_LANES + l],
             (double)expected[i * MR_SINGLE_LANES + l]);
        return;
      }
}

/* ---------------------------------------------------------------- sections */

static void settled_case(const MrSingleKernels* k, const MrSingleKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n,
                         Signal signal) {
  begin_case("settled", sections, lanes, n, signal, 0);
  float* x = place_floats(&tile.x, n * MR_SINGLE_LANES);
  float* coef = place_floats(&tile.coef, sections * MR_SINGLE_COEF_STRIDE);
  float* state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
  const bool whole = random_below(2);
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
      put_single_section(coef + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, n * MR_SINGLE_LANES, signal);
  fill(state, sections * MR_SINGLE_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
  memcpy(tile.coef1, coef, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_settled(tile.x1, n, tile.coef1, tile.state1, sections, lanes);
  for (uint32_t f = 0; f < n;) { /* in one part or in several: that changes no bit */
    const uint32_t part = whole ? n : 1 + random_below(n - f);
    k->run_settled(x + f * MR_SINGLE_LANES, part, coef, state, sections, lanes);
    f += part;
  }
  if (n == 0) k->run_settled(x, 0, coef, state, sections, lanes);
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, lanes, "samples");
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, lanes, "state");
  expect_equal(coef, tile.coef1, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
}

/* Chains of any lanes of a tile, in turn with the reference where a part is too short for them; the other lanes keep what they have. */
static void chains_case(const MrSingleKernels* k, const MrSingleKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n,
                        Signal signal) {
  const uint32_t most = k->shape.vector > 1 ? k->shape.vector - 1 : MR_SINGLE_LANES;
  if (lanes > most) return;
  begin_case("chains", sections, lanes, n, signal, 0);
  const uint32_t first = random_below(MR_SINGLE_LANES - lanes + 1);
  float* x = place_floats(&tile.x, n * MR_SINGLE_LANES);
  float* coef = place_floats(&tile.coef, sections * MR_SINGLE_COEF_STRIDE);
  float* state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
  const bool whole = random_below(2);
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
      put_single_section(coef + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, n * MR_SINGLE_LANES, signal);
  fill(state, sections * MR_SINGLE_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
  memcpy(tile.coef1, coef, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_settled(tile.x1 + first, n, tile.coef1 + first, tile.state1 + first, sections, lanes);
  for (uint32_t f = 0, part; f < n; f += part) {
    part = whole ? n : 1 + random_below(n - f);
    if (part >= MR_CHAIN_FRAMES(sections))
      k->run_chains(x + f * MR_SINGLE_LANES + first, MR_SINGLE_LANES, part, coef + first, state + first, sections, lanes);
    else
      reference->run_settled(x + f * MR_SINGLE_LANES + first, part, coef + first, state + first, sections, lanes);
  }
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, MR_SINGLE_LANES, "samples");
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, MR_SINGLE_LANES, "state");
  expect_equal(coef, tile.coef1, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
}

/* Chains over frames without gaps, from any place, and over more frames than a tile has; against the reference, tile by tile. */
static void gapless_case(const MrSingleKernels* k, const MrSingleKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n,
                         Signal signal) {
  const uint32_t most = k->shape.vector > 1 ? k->shape.vector - 1 : MR_SINGLE_LANES;
  if (lanes > most || !sections || n < MR_CHAIN_FRAMES(sections)) return;
  begin_case("chains without gaps", sections, lanes, n, signal, lanes);
  const uint32_t first = random_below(MR_SINGLE_LANES - lanes + 1);
  const size_t bytes = (size_t)n * lanes * sizeof(float);
  float* x = place(&tile.x, bytes, random_below(2), random_below(8) * sizeof(float));
  float* coef = place_floats(&tile.coef, sections * MR_SINGLE_COEF_STRIDE);
  float* state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
      put_single_section(coef + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, (size_t)n * lanes, signal);
  fill(state, sections * MR_SINGLE_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  static float expected[MR_CELL * MR_SINGLE_LANES];
  memcpy(expected, x, bytes);
  memcpy(tile.coef1, coef, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  for (uint32_t f = 0, part; f < n; f += part) {
    part = n - f < MR_CELL ? n - f : MR_CELL;
    for (uint32_t i = 0; i < part * lanes; i++) tile.x1[i / lanes * MR_SINGLE_LANES + i % lanes] = expected[f * lanes + i];
    reference->run_settled(tile.x1, part, tile.coef1 + first, tile.state1 + first, sections, lanes);
    for (uint32_t i = 0; i < part * lanes; i++) expected[f * lanes + i] = tile.x1[i / lanes * MR_SINGLE_LANES + i % lanes];
  }
  k->run_chains(x, lanes, n, coef + first, state + first, sections, lanes);
  flush_subnormals(false);
  for (uint32_t i = 0; i < n * lanes; i++)
    if (!same_floats(x[i], expected[i])) {
      fail("sample %u of lane %u: %a, the reference %a", i / lanes, i % lanes, (double)x[i], (double)expected[i]);
      break;
    }
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, MR_SINGLE_LANES, "state");
  expect_equal(coef, tile.coef1, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
}

/* All lanes with some sections, and runs as short and as long as the arrays allow. */
static void check_gapless(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick) {
  for (uint32_t sections = 1; sections <= 24; sections += quick ? 5 : 1)
    for (uint32_t lanes = 1; lanes <= MR_SINGLE_LANES; lanes++) {
      const uint32_t least = MR_CHAIN_FRAMES(sections), most = (MR_CELL * MR_SINGLE_LANES - 7) / lanes; /* from any place */
      gapless_case(k, reference, sections, lanes, least, SIGNAL_NOISE);
      for (uint32_t i = 0; i < (quick ? 1u : 6u) && least < most; i++)
        gapless_case(k, reference, sections, lanes, i ? least + random_below(most - least) : most, (Signal)random_below(SIGNALS));
    }
}

static void check_chains(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick) {
  uint32_t n = 0;
  for (uint32_t s = 1; s <= 21; s++)
    for (uint32_t lanes = 1; lanes <= MR_SINGLE_LANES; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : 9u); i++) {
        chains_case(k, reference, s == 21 ? MAX_SECTIONS : s, lanes, n, (Signal)random_below(SIGNALS));
        n = (n + 1) % (MR_CELL + 1);
      }
  for (uint32_t sections = 1; sections <= 24 && !quick; sections++) /* as short as a call may be */
    for (uint32_t lanes = 1; lanes < MR_SINGLE_LANES; lanes++)
      chains_case(k, reference, sections, lanes, MR_CHAIN_FRAMES(sections), SIGNAL_NOISE);
  check_gapless(k, reference, quick);
}

/* A lane that is poisoned changes no bit of the others. */
static void lane_isolation(const MrSingleKernels* k) {
  static const float poison[] = {NAN, -NAN, INFINITY, -INFINITY, 3e38f};
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t sections = 1 + random_below(9), bad = i % MR_SINGLE_LANES, n = 1 + random_below(MR_CELL);
    begin_case("settled, one lane poisoned", sections, MR_SINGLE_LANES, n, bad, 0);
    float *x = place_floats(&tile.x, n * MR_SINGLE_LANES), *state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
    for (uint32_t s = 0; s < sections; s++)
      for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
        put_single_section(tile.coef1 + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
    fill(x, n * MR_SINGLE_LANES, SIGNAL_NOISE);
    fill(state, sections * MR_SINGLE_STATE_STRIDE, SIGNAL_NOISE);
    memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
    memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
    for (uint32_t f = 0; f < n; f++) x[f * MR_SINGLE_LANES + bad] = poison[i % 5];
    k->run_settled(tile.x1, n, tile.coef1, tile.state1, sections, MR_SINGLE_LANES);
    k->run_settled(x, n, tile.coef1, state, sections, MR_SINGLE_LANES);
    for (uint32_t f = 0; f < n; f++) x[f * MR_SINGLE_LANES + bad] = tile.x1[f * MR_SINGLE_LANES + bad];
    expect_equal(x, tile.x1, n * MR_SINGLE_LANES * sizeof *x, "another lane's samples");
    for (uint32_t j = 0; j < sections * MR_STATE_ROWS; j++) state[j * MR_SINGLE_LANES + bad] = tile.state1[j * MR_SINGLE_LANES + bad];
    expect_equal(state, tile.state1, sections * MR_SINGLE_STATE_STRIDE * sizeof *state, "another lane's state");
  }
}

/* Every number of sections with every number of lanes; every number of frames, in the complete run with each of those. */
static void check_settled(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick) {
  uint32_t n = 0;
  for (uint32_t s = 0; s <= 21; s++)
    for (uint32_t lanes = 1; lanes <= MR_SINGLE_LANES; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : 9u); i++) {
        settled_case(k, reference, s == 21 ? MAX_SECTIONS : s, lanes, n, (Signal)random_below(SIGNALS));
        n = (n + 1) % (MR_CELL + 1);
      }
  lane_isolation(k);
}

#endif
