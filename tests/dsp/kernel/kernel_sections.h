/* Checks of what works on tiles: settled and moving sections, rows, ramp and mix, each against the reference of its class.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_SECTIONS_H
#define MILLRACE_TESTS_KERNEL_SECTIONS_H

#include "kernel_doubles.h"

/* What a case puts into the samples. */
typedef enum Signal { SIGNAL_NOISE, SIGNAL_ZEROS, SIGNAL_TINY, SIGNAL_FLUSHED, SIGNAL_EDGES, SIGNALS } Signal;

static double random_sample(Signal signal) {
  switch (signal) {
    case SIGNAL_ZEROS:
      return random_below(2) ? 0.0 : -0.0;
    case SIGNAL_TINY:
    case SIGNAL_FLUSHED:
      return random_tiny();
    case SIGNAL_EDGES:
      return random_below(4) ? random_signed() : random_edge();
    default:
      return random_signed();
  }
}

static void fill(double* x, size_t count, Signal signal) {
  for (size_t i = 0; i < count; i++) x[i] = random_sample(signal);
}

/* Arrays of one case: as the variant gets them, and copies that the reference works on. */
static struct {
  Region x, y, coef, state, row, mask, w;
  double x0[MR_CELL * MR_LANES], state0[MAX_SECTIONS * MR_STATE_STRIDE];
  _Alignas(MR_ALIGN) double x1[MR_CELL * MR_LANES], y1[MR_CELL * MR_LANES], coef1[MAX_SECTIONS * MR_COEF_STRIDE];
  _Alignas(MR_ALIGN) double state1[MAX_SECTIONS * MR_STATE_STRIDE], mask1[MR_LANES], w1[MR_CELL];
  _Alignas(MR_ALIGN) MrMoving row1[MAX_SECTIONS * MR_CELL];
} tile;

static void make_tile_regions(void) {
  tile.x = new_region(sizeof tile.x1);
  tile.y = new_region(sizeof tile.y1);
  tile.coef = new_region(sizeof tile.coef1);
  tile.state = new_region(sizeof tile.state1);
  tile.row = new_region(sizeof tile.row1);
  tile.mask = new_region(sizeof tile.mask1);
  tile.w = new_region(sizeof tile.w1 + sizeof(double));
}

static void expect_tile_untouched(void) {
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.y, "the second samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
  expect_untouched(&tile.row, "the rows");
  expect_untouched(&tile.mask, "the mask");
  expect_untouched(&tile.w, "the weights");
}

/* The length of the next part of a random split; some splits have one part. */
static uint32_t next_part(uint32_t left, bool whole) { return whole ? left : 1 + random_below(left); }

static void settled_case(const MrKernels* k, const MrKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n, Signal signal) {
  begin_case("settled", sections, lanes, n, signal, 0);
  const bool at_end = random_below(2), whole = random_below(2);
  double* x = place_doubles(&tile.x, n * MR_LANES, at_end);
  double* coef = place_doubles(&tile.coef, sections * MR_COEF_STRIDE, at_end);
  double* state = place_doubles(&tile.state, sections * MR_STATE_STRIDE, at_end);
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_LANES; l++) put_section(coef + s * MR_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, n * MR_LANES, signal);
  fill(state, sections * MR_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_LANES * sizeof *x);
  memcpy(tile.coef1, coef, sections * MR_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_settled(tile.x1, n, tile.coef1, tile.state1, sections, lanes);
  for (uint32_t f = 0; f < n;) {
    const uint32_t part = next_part(n - f, whole);
    k->run_settled(x + f * MR_LANES, part, coef, state, sections, lanes);
    f += part;
  }
  if (n == 0) k->run_settled(x, 0, coef, state, sections, lanes);
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, lanes, "samples");
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, lanes, "state");
  expect_equal(coef, tile.coef1, sections * MR_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_tile_untouched();
}

/* Chains of any lanes of a tile, in turn with the reference where a part is too short for them; the other lanes keep what they have. */
static void chains_case(const MrKernels* k, const MrKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n, Signal signal) {
  const uint32_t most = k->shape.vector > 1 ? k->shape.vector - 1 : MR_LANES;
  if (lanes > most || !sections) return;
  begin_case("chains", sections, lanes, n, signal, 0);
  const uint32_t first = random_below(MR_LANES - lanes + 1);
  const bool whole = random_below(2);
  double* x = place_doubles(&tile.x, n * MR_LANES, random_below(2));
  double* coef = place_doubles(&tile.coef, sections * MR_COEF_STRIDE, random_below(2));
  double* state = place_doubles(&tile.state, sections * MR_STATE_STRIDE, random_below(2));
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_LANES; l++) put_section(coef + s * MR_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, n * MR_LANES, signal);
  fill(state, sections * MR_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_LANES * sizeof *x);
  memcpy(tile.coef1, coef, sections * MR_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_settled(tile.x1 + first, n, tile.coef1 + first, tile.state1 + first, sections, lanes);
  for (uint32_t f = 0, part; f < n; f += part) {
    part = next_part(n - f, whole);
    if (part >= MR_CHAIN_FRAMES(sections))
      k->run_chains(x + f * MR_LANES + first, MR_LANES, part, coef + first, state + first, sections, lanes);
    else
      reference->run_settled(x + f * MR_LANES + first, part, coef + first, state + first, sections, lanes);
  }
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, MR_LANES, "samples");
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, MR_LANES, "state");
  expect_equal(coef, tile.coef1, sections * MR_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_tile_untouched();
}

/* Chains over frames without gaps, from any place, and over more frames than a tile has; against the reference, tile by tile. */
static void gapless_case(const MrKernels* k, const MrKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n, Signal signal) {
  const uint32_t most = k->shape.vector > 1 ? k->shape.vector - 1 : MR_LANES;
  if (lanes > most || !sections || n < MR_CHAIN_FRAMES(sections)) return;
  begin_case("chains without gaps", sections, lanes, n, signal, lanes);
  const uint32_t first = random_below(MR_LANES - lanes + 1);
  const size_t bytes = (size_t)n * lanes * sizeof(double);
  double* x = place(&tile.x, bytes, random_below(2), random_below(8) * sizeof(double));
  double* coef = place_doubles(&tile.coef, sections * MR_COEF_STRIDE, random_below(2));
  double* state = place_doubles(&tile.state, sections * MR_STATE_STRIDE, random_below(2));
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_LANES; l++) put_section(coef + s * MR_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, (size_t)n * lanes, signal);
  fill(state, sections * MR_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  static double expected[MR_CELL * MR_LANES];
  memcpy(expected, x, bytes);
  memcpy(tile.coef1, coef, sections * MR_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  for (uint32_t f = 0, part; f < n; f += part) {
    part = n - f < MR_CELL ? n - f : MR_CELL;
    for (uint32_t i = 0; i < part * lanes; i++) tile.x1[i / lanes * MR_LANES + i % lanes] = expected[f * lanes + i];
    reference->run_settled(tile.x1, part, tile.coef1 + first, tile.state1 + first, sections, lanes);
    for (uint32_t i = 0; i < part * lanes; i++) expected[f * lanes + i] = tile.x1[i / lanes * MR_LANES + i % lanes];
  }
  k->run_chains(x, lanes, n, coef + first, state + first, sections, lanes);
  flush_subnormals(false);
  for (uint32_t i = 0; i < n * lanes; i++)
    if (!same_bits(x[i], expected[i])) {
      fail("sample %u of lane %u: %a, the reference %a", i / lanes, i % lanes, (double)x[i], (double)expected[i]);
      break;
    }
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, MR_LANES, "state");
  expect_equal(coef, tile.coef1, sections * MR_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
}

/* All lanes with some sections, and runs as short and as long as the arrays allow. */
static void check_gapless(const MrKernels* k, const MrKernels* reference, bool quick) {
  for (uint32_t sections = 1; sections <= 24; sections += quick ? 5 : 1)
    for (uint32_t lanes = 1; lanes <= MR_LANES; lanes++) {
      const uint32_t least = MR_CHAIN_FRAMES(sections), most = (MR_CELL * MR_LANES - 7) / lanes; /* from any place */
      gapless_case(k, reference, sections, lanes, least, SIGNAL_NOISE);
      for (uint32_t i = 0; i < (quick ? 1u : 6u) && least < most; i++)
        gapless_case(k, reference, sections, lanes, i ? least + random_below(most - least) : most, (Signal)random_below(SIGNALS));
    }
}

static void random_rows(MrMoving* row, uint32_t first, uint32_t n, bool constant) {
  const MrSection *a = &section_pool[random_below(POOL)], *b = &section_pool[random_below(POOL)];
  const MrMoving from = moving_of(a), to = moving_of(constant ? a : b);
  const double *p = (const double*)&from, *q = (const double*)&to;
  for (uint32_t f = 0; f < n; f++) {
    const double t = (double)(first + f) / MR_CELL;
    for (uint32_t c = 0; c < 8; c++) ((double*)(row + f))[c] = p[c] + t * (q[c] - p[c]);
  }
}

static void moving_case(const MrKernels* k, const MrKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n, Signal signal) {
  const uint32_t first = random_below(MR_CELL - n + 1);
  begin_case("moving", sections, lanes, n, first, signal);
  const bool at_end = random_below(2), whole = random_below(2);
  /* from the first row used to the last: what lies before and after is a canary or a guard page */
  const size_t row_count = sections && n ? (sections - 1) * MR_CELL + n : 0;
  double* x = place_doubles(&tile.x, n * MR_LANES, at_end);
  double* state = place_doubles(&tile.state, sections * MR_STATE_STRIDE, at_end);
  double* mask = place_doubles(&tile.mask, MR_LANES, at_end);
  MrMoving* row = (MrMoving*)place_doubles(&tile.row, row_count * 8, at_end);
  for (uint32_t s = 0; s < sections && n; s++) random_rows(row + s * MR_CELL, first, n, random_below(3) == 0);
  const uint32_t members = random_below(4) ? (uint32_t)random_bits() : ~0u;
  for (uint32_t l = 0; l < MR_LANES; l++) memset(mask + l, members >> l & 1 ? 0xff : 0, sizeof *mask);
  fill(x, n * MR_LANES, signal);
  fill(state, sections * MR_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_LANES * sizeof *x);
  memcpy(tile.x0, x, n * MR_LANES * sizeof *x);
  memcpy(tile.row1, row, row_count * sizeof *row);
  memcpy(tile.mask1, mask, sizeof tile.mask1);
  memcpy(tile.state1, state, sections * MR_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_moving(tile.x1, n, tile.row1, tile.state1, tile.mask1, sections, lanes);
  for (uint32_t f = 0; f < n;) {
    const uint32_t part = next_part(n - f, whole);
    k->run_moving(x + f * MR_LANES, part, row + f, state, mask, sections, lanes);
    f += part;
  }
  if (n == 0) k->run_moving(x, 0, row, state, mask, sections, lanes);
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, lanes, "samples");
  for (uint32_t l = 0; l < lanes; l++) {
    const bool member = members >> l & 1;
    for (uint32_t f = 0; f < n && !member; f++)
      if (memcmp(x + f * MR_LANES + l, tile.x0 + f * MR_LANES + l, sizeof *x)) fail("lane %u is masked, but its sample %u changed", l, f);
    for (uint32_t i = 0; i < sections * MR_STATE_ROWS; i++) {
      const double got = state[i * MR_LANES + l], expected = tile.state1[i * MR_LANES + l];
      if (member && !same_bits(got, expected)) fail("state, row %u, lane %u: %a, the reference %a", i, l, got, expected);
      if (!member && signal != SIGNAL_EDGES && !isfinite(got)) fail("masked lane %u: its state is not finite", l);
    }
  }
  expect_equal(row, tile.row1, row_count * sizeof *row, "the rows");
  expect_equal(mask, tile.mask1, sizeof tile.mask1, "the mask");
  expect_tile_untouched();
}

typedef void SectionCase(const MrKernels*, const MrKernels*, uint32_t, uint32_t, uint32_t, Signal);

/* Every number of sections with every number of lanes; every number of frames, in the complete run with each of those. */
static void all_sizes(SectionCase* run, const MrKernels* k, const MrKernels* reference, bool quick) {
  uint32_t n = 0;
  for (uint32_t s = 0; s <= 21; s++) {
    const uint32_t sections = s == 21 ? MAX_SECTIONS : s;
    for (uint32_t lanes = 1; lanes <= MR_LANES; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : MR_CELL + 1); i++) {
        run(k, reference, sections, lanes, n, (Signal)random_below(SIGNALS));
        n = (n + 1) % (MR_CELL + 1);
      }
  }
}

/* A lane that is poisoned changes no bit of the others. */
static void lane_isolation(const MrKernels* k, bool moving) {
  static const double poison[] = {NAN, -NAN, INFINITY, -INFINITY, 1.7e308};
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t sections = 1 + random_below(9), bad = i % MR_LANES, n = 1 + random_below(MR_CELL);
    begin_case(moving ? "moving, one lane poisoned" : "settled, one lane poisoned", sections, MR_LANES, n, bad, 0);
    double *x = place_doubles(&tile.x, n * MR_LANES, false), *state = place_doubles(&tile.state, sections * MR_STATE_STRIDE, false);
    memset(tile.mask1, 0xff, sizeof tile.mask1);
    for (uint32_t s = 0; s < sections; s++) {
      for (uint32_t l = 0; l < MR_LANES; l++) put_section(tile.coef1 + s * MR_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
      random_rows(tile.row1 + s * MR_CELL, 0, n, false);
    }
    fill(x, n * MR_LANES, SIGNAL_NOISE);
    fill(state, sections * MR_STATE_STRIDE, SIGNAL_NOISE);
    memcpy(tile.x1, x, n * MR_LANES * sizeof *x);
    memcpy(tile.state1, state, sections * MR_STATE_STRIDE * sizeof *state);
    const double value = poison[i % 5];
    for (uint32_t s = 0; s < sections && i % 3 == 0; s++) state[s * MR_STATE_STRIDE + bad] = value;
    if (i % 3 == 1 && !moving) tile.coef1[random_below(MR_SETTLED_ROWS) * MR_LANES + bad] = value;
    for (uint32_t f = 0; f < n; f++) x[f * MR_LANES + bad] = value;
    for (uint32_t pass = 0; pass < 2; pass++) {
      double *samples = pass ? x : tile.x1, *states = pass ? state : tile.state1;
      if (moving)
        k->run_moving(samples, n, tile.row1, states, tile.mask1, sections, MR_LANES);
      else
        k->run_settled(samples, n, tile.coef1, states, sections, MR_LANES);
    }
    for (uint32_t f = 0; f < n; f++) x[f * MR_LANES + bad] = tile.x1[f * MR_LANES + bad];
    expect_equal(x, tile.x1, n * MR_LANES * sizeof *x, "another lane's samples");
    for (uint32_t j = 0; j < sections * MR_STATE_ROWS; j++) state[j * MR_LANES + bad] = tile.state1[j * MR_LANES + bad];
    expect_equal(state, tile.state1, sections * MR_STATE_STRIDE * sizeof *state, "another lane's state");
  }
}

static void check_settled(const MrKernels* k, const MrKernels* reference, bool quick) {
  all_sizes(settled_case, k, reference, quick);
  lane_isolation(k, false);
}

static void check_chains(const MrKernels* k, const MrKernels* reference, bool quick) {
  all_sizes(chains_case, k, reference, quick);
  for (uint32_t sections = 1; sections <= 24 && !quick; sections++) /* as short as a call may be */
    for (uint32_t n = MR_CHAIN_FRAMES(sections); n <= MR_CELL && n < MR_CHAIN_FRAMES(sections) + 3; n++)
      for (uint32_t lanes = 1; lanes < MR_LANES; lanes++) chains_case(k, reference, sections, lanes, n, SIGNAL_NOISE);
  check_gapless(k, reference, quick);
}

static void check_moving(const MrKernels* k, const MrKernels* reference, bool quick) {
  all_sizes(moving_case, k, reference, quick);
  lane_isolation(k, true);
}

/* All first frames with all lengths; a part has the bits of the whole cell. */
static void check_rows(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)quick;
  _Alignas(MR_ALIGN) MrMoving control[4], copy[4], whole[MR_CELL];
  for (uint32_t first = 0; first <= MR_CELL; first++) {
    for (uint32_t i = 0; i < 4; i++) control[i] = moving_of(&section_pool[random_below(POOL)]);
    if (first % 8 == 5) fill((double*)control, 32, SIGNAL_ZEROS);
    memcpy(copy, control, sizeof copy);
    k->rows(control, 0, MR_CELL, whole);
    for (uint32_t n = 0; first + n <= MR_CELL; n++) {
      begin_case("rows", 1, ANY_LANES, n, first, 0);
      MrMoving* row = place(&tile.row, n * sizeof *row, n & 1, 0);
      k->rows(control, first, n, row);
      reference->rows(copy, first, n, tile.row1);
      expect_lanes((double*)row, (double*)tile.row1, n, MR_LANES, "rows");
      expect_equal(row, whole + first, n * sizeof *row, "a part of the rows");
      expect_equal(control, copy, sizeof copy, "the control points");
      expect_untouched(&tile.row, "the rows");
    }
  }
}

static void ramp_or_mix(const MrKernels* k, const MrKernels* reference, bool quick, bool mix) {
  for (uint32_t i = 0; i < (quick ? 2u : 20u); i++)
    for (uint32_t n = 0; n <= MR_CELL; n++) {
      const Signal signal = (Signal)random_below(SIGNALS);
      begin_case(mix ? "mix" : "ramp", 0, ANY_LANES, n, signal, 0);
      const bool at_end = random_below(2), whole = random_below(2);
      double *x = place_doubles(&tile.x, n * MR_LANES, at_end), *y = place_doubles(&tile.y, n * MR_LANES, at_end);
      /* A part of a ramp starts at any double. One more is readable: QEMU 7.2 reads 16 bytes for the scalar operand of an FMA. */
      double* w = place(&tile.w, (n + 1) * sizeof *w, at_end, 0);
      w[n] = 0;
      fill(x, n * MR_LANES, signal);
      fill(y, n * MR_LANES, signal);
      for (uint32_t f = 0; f < n; f++) w[f] = f % 5 == 4 ? 1 : f % 7 == 6 ? 0 : random_unit();
      memcpy(tile.x1, x, n * MR_LANES * sizeof *x);
      memcpy(tile.y1, y, n * MR_LANES * sizeof *y);
      memcpy(tile.w1, w, n * sizeof *w);
      flush_subnormals(signal == SIGNAL_FLUSHED);
      if (mix)
        reference->mix(tile.x1, tile.y1, n, tile.w1);
      else
        reference->ramp(tile.x1, n, tile.w1);
      for (uint32_t f = 0; f < n || n == 0;) {
        const uint32_t part = n ? next_part(n - f, whole) : 0;
        if (mix)
          k->mix(x + f * MR_LANES, y + f * MR_LANES, part, w + f);
        else
          k->ramp(x + f * MR_LANES, part, w + f);
        f += part;
        if (n == 0) break;
      }
      flush_subnormals(false);
      expect_lanes(x, tile.x1, n, MR_LANES, "samples");
      expect_equal(y, tile.y1, n * MR_LANES * sizeof *y, "the second samples");
      expect_equal(w, tile.w1, n * sizeof *w, "the weights");
      expect_tile_untouched();
    }
}

static void check_ramp(const MrKernels* k, const MrKernels* reference, bool quick) { ramp_or_mix(k, reference, quick, false); }
static void check_mix(const MrKernels* k, const MrKernels* reference, bool quick) { ramp_or_mix(k, reference, quick, true); }

#endif
