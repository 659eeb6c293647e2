/* Tables of one section for the multi-block kernels.
   SPDX-License-Identifier: ISC */
#include "block_tables.h"

#include <math.h>
#include <string.h>

typedef long double Wide;

/* [00, 01, 10, 11] */
typedef struct Matrix {
  Wide a, b, c, d;
} Matrix;

static Matrix product(Matrix x, Matrix y) {
  return (Matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

/* m^n for n a power of two. */
static Matrix power(Matrix m, uint32_t n) {
  for (; n > 1; n /= 2) m = product(m, m);
  return m;
}

/* A section in the terms of every family. */
typedef struct Terms {
  Wide b0, b1, b2, a1, a2;
  Matrix step;        /* of what is carried, one sample without input */
  Wide in[2], out[2]; /* in states: state' = step state + in x, y = out state + b0 x */
} Terms;

/* G and F of the state-variable filter (state.h, with K = 1). */
static void svf_terms(const MrSection* q, Wide* G, Wide* F) {
  const Wide s = q->s, P = q->P;
  *G = s / 2;
  *F = sqrtl(s * (4 - s - 2 * P)) / 2;
}

static Terms terms_of(MrBlockFamily family, const MrSection* q) {
  const Wide s = q->s, P = q->P, D = q->D, e1 = q->e1, e2 = q->e2;
  Terms t = {.b0 = D, .a1 = s + (P - 2), .a2 = 1 - P};
  t.b2 = D - (D * P + e2);
  t.b1 = (D * s + e1) - D - t.b2;
  switch (family) {
    case MR_BLOCK_PH_STATES:
      t.step = (Matrix){1 - s, 1 - P, -s, 1 - P};
      t.in[0] = t.in[1] = 1;
      t.out[0] = e1;
      t.out[1] = e2;
      break;
    case MR_BLOCK_SSPH: {
      Wide G, F;
      svf_terms(q, &G, &F);
      t.step = (Matrix){1 - (G + P), -F, F, 1 - G};
      t.in[0] = F;
      t.in[1] = G;
      t.out[1] = e1 / s;
      t.out[0] = (e2 + t.out[1] * G) / F;
      break;
    }
    default:
      t.step = (Matrix){0, 1, -t.a2, -t.a1};
      break;
  }
  return t;
}

/* Where numbers go, rounded to the kernels' precision; those that only make subnormals become 0. */
typedef struct Sink {
  void* table;
  bool single;
  uint32_t width;
} Sink;

static void put(const Sink* sink, size_t at, Wide value) {
  if (sink->single)
    ((float*)sink->table)[at] = fabsl(value) < 1e-30L ? 0.0F : (float)value;
  else
    ((double*)sink->table)[at] = fabsl(value) < 1e-290L ? 0.0 : (double)value;
}

static void put_row(const Sink* sink, uint32_t row, Wide value) {
  for (uint32_t l = 0; l < sink->width; l++) put(sink, (size_t)row * sink->width + l, value);
}

/* The row with a number of its own in lane 0. */
static void put_row_first(const Sink* sink, uint32_t row, Wide first, Wide value) {
  put_row(sink, row, value);
  put(sink, (size_t)row * sink->width, first);
}

static void put_matrix(const Sink* sink, uint32_t row, uint32_t lane, Matrix m) {
  const size_t at = (size_t)row * sink->width + lane, w = sink->width;
  put(sink, at, m.a);
  put(sink, at + w, m.b);
  put(sink, at + 2 * w, m.c);
  put(sink, at + 3 * w, m.d);
}

static void fill_scan(const Sink* sink, const Terms* t, uint32_t lanes, uint32_t blocks) {
  const Matrix M = power(t->step, blocks), none = {0};
  Matrix powers[MR_BLOCK_MAX_WIDTH];
  for (uint32_t l = 0; l < sink->width; l++) {
    powers[l] = l ? product(powers[l - 1], M) : M;
    put_matrix(sink, MR_BLOCK_POWER, l, powers[l]);
  }
  for (uint32_t s = 1, row = MR_BLOCK_SCAN; s < sink->width; s *= 2, row += 4)
    for (uint32_t l = 0; l < sink->width; l++) put_matrix(sink, row, l, (l & s) ? powers[l % s] : none);
  const Matrix map = power(M, lanes);
  for (uint32_t l = 0; l < sink->width; l++) put_matrix(sink, MR_BLOCK_MAP, l, map);
}

/* Five rows from MR_BLOCK_COEF + first on. */
static void put_coefficients(const Sink* sink, uint32_t first, const Wide value[5]) {
  for (uint32_t i = 0; i < 5; i++) put_row(sink, MR_BLOCK_COEF + first + i, value[i]);
}

/* Pairs [blocks][2] at `at`: row, row step, row step^2, ..; in reverse order of time step^(blocks-1) column, .., column. */
static void put_outputs(const Sink* sink, size_t at, Wide a, Wide b, Matrix step, uint32_t blocks) {
  for (uint32_t m = 0; m < blocks; m++) {
    put(sink, at + 2 * m, a);
    put(sink, at + 2 * m + 1, b);
    const Wide next = a * step.a + b * step.c;
    b = a * step.b + b * step.d;
    a = next;
  }
}

static void put_inputs(const Sink* sink, size_t at, Wide a, Wide b, Matrix step, uint32_t blocks) {
  for (uint32_t m = blocks; m-- > 0;) {
    put(sink, at + 2 * m, a);
    put(sink, at + 2 * m + 1, b);
    const Wide next = step.a * a + step.b * b;
    b = step.c * a + step.d * b;
    a = next;
  }
}

/* Coefficients of the levels: e = -(p^n + q^n) and f = (p q)^n of the poles p, q, n = 2^level; and of the carries in lane 0. */
typedef struct Level {
  Wide e, f, rho, g, h, p, q;
} Level;

static Level first_level(const Terms* t) { return (Level){.e = t->a1, .f = t->a2, .g = t->a1, .h = t->a2, .p = t->a2, .q = t->a1}; }

static void find_rho(Level* v) { v->rho = fabsl(v->f) < 1e-290L ? 0 : v->f / v->e; }

/* p and q are those of the even blocks, which begin at level 1. */
static Level next_level(const Level* v, uint32_t level) {
  Level n = {.e = 2 * v->f - v->e * v->e, .f = v->f * v->f, .g = v->f - v->e * v->g, .h = -v->e * v->h, .p = v->p, .q = v->q};
  if (level >= 1) {
    n.q = -v->e * v->q;
    n.p = v->f - v->e * v->p;
  }
  return n;
}

double mr_block_kappa(MrBlockFamily family, const MrSection* section, uint32_t blocks) {
  const Terms t = terms_of(family, section);
  Level v = first_level(&t);
  Wide largest = 0;
  for (uint32_t level = 0; 1U << level < blocks; level++) {
    find_rho(&v);
    if (level > 0 || family != MR_BLOCK_DTCR) largest = fmaxl(largest, fabsl(v.rho));
    v = next_level(&v, level);
  }
  return (double)largest;
}

static void fill_reduction(const Sink* sink, const Terms* t, uint32_t blocks) {
  Level v = first_level(t);
  uint32_t row = MR_BLOCK_BODY;
  for (uint32_t level = 0; 1U << level < blocks; level++, row += MR_BLOCK_LEVEL_ROWS) {
    find_rho(&v);
    const Wide c = v.e - v.rho, d = -v.f * v.rho;
    put_row(sink, row + MR_LEVEL_E, v.e);
    put_row(sink, row + MR_LEVEL_RHO, v.rho);
    put_row(sink, row + MR_LEVEL_C, c);
    put_row(sink, row + MR_LEVEL_D, d);
    put_row_first(sink, row + MR_LEVEL_ODD_C, v.g, c);
    put_row_first(sink, row + MR_LEVEL_ODD_D, v.h, d);
    put_row_first(sink, row + MR_LEVEL_EVEN_C, v.p, c);
    put_row_first(sink, row + MR_LEVEL_EVEN_D, v.q, d);
    v = next_level(&v, level);
  }
  /* The impulse response over the lanes of 1 / (1 + e R + f R^2), one lane down in each column. */
  Wide response[MR_BLOCK_MAX_WIDTH];
  for (uint32_t l = 0; l < sink->width; l++) response[l] = l ? -v.e * response[l - 1] - (l > 1 ? v.f * response[l - 2] : 0) : 1;
  for (uint32_t j = 0; j < sink->width; j++)
    for (uint32_t l = 0; l < sink->width; l++)
      put(sink, (MR_BLOCK_BODY + 7U * MR_BLOCK_LEVEL_ROWS + j) * (size_t)sink->width + l, l < j ? 0 : response[l - j]);
}

static void fill_pairs(const Sink* sink, const Terms* t, uint32_t blocks) {
  Matrix m = product(t->step, t->step);
  for (uint32_t level = 0, row = MR_BLOCK_BODY; 4U << level <= blocks; level++, row += MR_BLOCK_LEVEL_ROWS) {
    for (uint32_t l = 0; l < sink->width; l++) put_matrix(sink, row, l, m);
    m = product(m, m);
  }
}

/* The numerator of DTCR, B(z) A(-z), and what lane 0 of the first blocks has in its place. */
static void fill_folded(const Sink* sink, const Terms* t) {
  const Wide n[5] = {t->b0, t->b1 - t->a1 * t->b0, t->b2 + t->a2 * t->b0 - t->a1 * t->b1, t->a2 * t->b1 - t->a1 * t->b2, t->a2 * t->b2};
  put_coefficients(sink, MR_N0, n);
  put_row_first(sink, MR_BLOCK_COEF + MR_FIRST, t->b1, n[1]);
  put_row_first(sink, MR_BLOCK_COEF + MR_FIRST + 1, t->b2, n[2]);
  put_row_first(sink, MR_BLOCK_COEF + MR_SECOND, t->b2 - t->a1 * t->b1, n[2]);
  put_row_first(sink, MR_BLOCK_COEF + MR_SECOND + 1, -t->a1 * t->b2, n[3]);
}

static bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

size_t mr_block_table_size(MrBlockFamily family, uint32_t width, uint32_t blocks) {
  const size_t rows = (size_t)MR_BLOCK_BODY * width;
  switch (family) {
    case MR_BLOCK_PH:
    case MR_BLOCK_PH_STATES:
      return rows + ((2 * (size_t)blocks + 15) & ~(size_t)15);
    case MR_BLOCK_SSPH:
      return rows + ((4 * (size_t)blocks + 15) & ~(size_t)15);
    case MR_BLOCK_MCR:
      return rows + 7 * (size_t)MR_BLOCK_LEVEL_ROWS * width;
    default:
      return rows + (7 * (size_t)MR_BLOCK_LEVEL_ROWS + width) * width;
  }
}

MrStatus mr_block_table_fill(const MrBlockKernels* kernels, MrBlockFamily family, const MrSection* section, uint32_t lanes, uint32_t blocks,
                             void* table) {
  const bool single = kernels->single, reduction = family == MR_BLOCK_CR || family == MR_BLOCK_DTCR;
  const uint32_t width = kernels->width, least = family == MR_BLOCK_DTCR ? 4 : MR_BLOCK_MIN;
  if (!is_power_of_two(blocks) || blocks < least || blocks > MR_BLOCK_MAX) return MR_ERR_RANGE;
  if (!is_power_of_two(lanes) || lanes < width) return MR_ERR_RANGE;
  if (!(section->s > 0 && section->P > 0 && (4 - section->s) - 2 * section->P > 0)) return MR_ERR_UNSTABLE;
  if (reduction && !(mr_block_kappa(family, section, blocks) < (single ? MR_BLOCK_KAPPA_F32 : MR_BLOCK_KAPPA_F64))) return MR_ERR_SINGULAR;

  const Sink sink = {table, single, width};
  const Terms t = terms_of(family, section);
  const size_t body = (size_t)MR_BLOCK_BODY * width;
  memset(table, 0, mr_block_table_size(family, width, blocks) * (single ? sizeof(float) : sizeof(double)));
  fill_scan(&sink, &t, lanes, blocks);
  put_coefficients(&sink, MR_B0, (const Wide[5]){t.b0, t.b1, t.b2, t.a1, t.a2});
  switch (family) {
    case MR_BLOCK_PH:
      put_outputs(&sink, body, -t.a2, -t.a1, t.step, blocks);
      break;
    case MR_BLOCK_PH_STATES:
      put_coefficients(&sink, MR_D, (const Wide[5]){section->D, section->s, section->P, section->e1, section->e2});
      put_outputs(&sink, body, t.out[0], t.out[1], t.step, blocks);
      break;
    case MR_BLOCK_SSPH: /* E is the small part of the step's corner */
      put_coefficients(&sink, MR_SVF_E, (const Wide[5]){-(t.in[1] + section->P), t.in[0], t.in[1], t.out[0], t.out[1]});
      put_outputs(&sink, body, t.out[0], t.out[1], t.step, blocks);
      put_inputs(&sink, body + 2 * (size_t)blocks, t.in[0], t.in[1], t.step, blocks);
      break;
    case MR_BLOCK_MCR:
      fill_pairs(&sink, &t, blocks);
      break;
    case MR_BLOCK_DTCR:
      fill_folded(&sink, &t);
      fill_reduction(&sink, &t, blocks);
      break;
    default:
      fill_reduction(&sink, &t, blocks);
      break;
  }
  return MR_OK;
}

void mr_block_states_to_svf(const MrSection* section, double state[2]) {
  Wide G, F;
  svf_terms(section, &G, &F);
  const Wide w = state[0], d = state[1];
  state[0] = (double)(F * d);
  state[1] = (double)(G * (2 * w - d));
}

void mr_block_states_from_svf(const MrSection* section, double state[2]) {
  Wide G, F;
  svf_terms(section, &G, &F);
  const Wide d = state[0] / F;
  state[0] = (double)((state[1] / G + d) / 2);
  state[1] = (double)d;
}
