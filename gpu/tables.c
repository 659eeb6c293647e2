/* Tables of sections for the group kernels.
   SPDX-License-Identifier: ISC */
#include "tables.h"

#include <math.h>
#include <string.h>

typedef long double Wide; /* tables are built wider than the kernels: powers of matrices near the unit circle lose digits */

/* [00, 01, 10, 11] */
typedef struct Matrix {
  Wide a, b, c, d;
} Matrix;

static const Matrix IDENTITY = {1, 0, 0, 1};

static Matrix product(Matrix x, Matrix y) {
  return (Matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

/* m^n for n a power of two. */
static Matrix power(Matrix m, uint32_t n) {
  for (; n > 1; n /= 2) m = product(m, m);
  return m;
}

/* Where numbers go, rounded once; those that would only make subnormals become 0. */
typedef struct Sink {
  void* table;
  bool single;
} Sink;

static void put(const Sink* sink, uint32_t at, Wide value) {
  if (sink->single)
    ((float*)sink->table)[at] = fabsl(value) < 1e-30L ? 0.0F : (float)value;
  else
    ((double*)sink->table)[at] = fabsl(value) < 1e-290L ? 0.0 : (double)value;
}

static void put_matrix(const Sink* sink, uint32_t at, Matrix m) {
  put(sink, at, m.a);
  put(sink, at + 1, m.b);
  put(sink, at + 2, m.c);
  put(sink, at + 3, m.d);
}

/* m^1, m^2, m^4, .. */
static void put_rounds(const Sink* sink, uint32_t at, Matrix m) {
  for (uint32_t r = 0; r < MR_TABLE_ROUNDS; r++, m = product(m, m)) put_matrix(sink, at + 4 * r, m);
}

/* m^1 .. m^n */
static void put_powers(const Sink* sink, uint32_t at, Matrix m, uint32_t n) {
  Matrix p = m;
  for (uint32_t i = 0; i < n; i++, p = product(p, m)) put_matrix(sink, at + 4 * i, p);
}

/* What a section is in the terms of a method. */
typedef struct Terms {
  Wide b0, b1, b2, a1, a2;
  Matrix step; /* of the pair that is carried, one sample without input */
  Wide out[2]; /* y = out pair, without input */
} Terms;

static Terms terms_of(MrGpuMethod method, const MrSection* q) {
  const Wide s = q->s, P = q->P, D = q->D;
  Terms t = {.b0 = D, .a1 = s + (P - 2), .a2 = 1 - P};
  t.b2 = D - (D * P + q->e2);
  t.b1 = (D * s + q->e1) - D - t.b2;
  if (method == MR_GPU_STATES) { /* d' = x - P d + d - s w, w' = w + d' */
    t.step = (Matrix){1 - s, 1 - P, -s, 1 - P};
    t.out[0] = q->e1;
    t.out[1] = q->e2;
  } else { /* (older, newer) -> (newer, -a2 older - a1 newer), and that is the next output */
    t.step = (Matrix){0, 1, -t.a2, -t.a1};
    t.out[0] = -t.a2;
    t.out[1] = -t.a1;
  }
  return t;
}

/* What one unit of the pair before the first sample adds to each sample. */
static void put_rows(const Sink* sink, uint32_t at, const Terms* t, uint32_t samples) {
  Wide a = t->out[0], b = t->out[1];
  for (uint32_t m = 0; m < samples; m++) {
    put(sink, at + 2 * m, a);
    put(sink, at + 2 * m + 1, b);
    const Wide next = a * t->step.a + b * t->step.c;
    b = a * t->step.b + b * t->step.d;
    a = next;
  }
}

/* A level of cyclic reduction: e = -(p^n + q^n) and f = (p q)^n of the poles p, q, n = 2^level; g, h and p, q weigh the carries in the group's
   first lane, of the odd samples and of the even ones, whose system begins at level 1. */
typedef struct Level {
  Wide e, f, rho, g, h, p, q;
} Level;

static Level first_level(const Terms* t) { return (Level){.e = t->a1, .f = t->a2, .g = t->a1, .h = t->a2, .p = t->a2, .q = t->a1}; }

static void find_rho(Level* v) { v->rho = fabsl(v->f) < 1e-290L ? 0 : v->f / v->e; }

static Level next_level(const Level* v, uint32_t level) {
  Level n = {.e = 2 * v->f - v->e * v->e, .f = v->f * v->f, .g = v->f - v->e * v->g, .h = -v->e * v->h, .p = v->p, .q = v->q};
  if (level >= 1) {
    n.q = -v->e * v->q;
    n.p = v->f - v->e * v->p;
  }
  return n;
}

double mr_gpu_table_loss(MrGpuMethod method, const MrSection* section, uint32_t samples) {
  if (method != MR_GPU_STCR && method != MR_GPU_DTCR) return 0;
  const Terms t = terms_of(method, section);
  Level v = first_level(&t);
  Wide largest = 0;
  for (uint32_t level = 0; 1U << level < samples; level++) {
    find_rho(&v);
    if (level > 0 || method != MR_GPU_DTCR) largest = fmaxl(largest, fabsl(v.rho));
    v = next_level(&v, level);
  }
  return (double)largest;
}

static void put_levels(const Sink* sink, const Terms* t, uint32_t samples) {
  Level v = first_level(t);
  for (uint32_t level = 0; 1U << level < samples; level++) {
    find_rho(&v);
    const Wide numbers[MR_TABLE_LEVEL] = {v.e, v.rho, v.e - v.rho, -v.f * v.rho, v.g, v.h, v.p, v.q};
    for (uint32_t i = 0; i < MR_TABLE_LEVEL; i++) put(sink, MR_TABLE_LEVEL_0 + MR_TABLE_LEVEL * level + i, numbers[i]);
    v = next_level(&v, level);
  }
  const Matrix terminal = {0, 1, -v.f, -v.e};
  put_rounds(sink, MR_TABLE_TERMINAL, terminal);
  put_powers(sink, MR_TABLE_TERMINAL_POWER, terminal, 32);
}

/* B(z) A(-z), and what its second and third tap are at a group's first sample, the third and fourth at its second. */
static void put_fold(const Sink* sink, const Terms* t) {
  const Wide taps[] = {t->b0,
                       t->b1 - t->a1 * t->b0,
                       t->b2 + t->a2 * t->b0 - t->a1 * t->b1,
                       t->a2 * t->b1 - t->a1 * t->b2,
                       t->a2 * t->b2,
                       t->b1,
                       t->b2,
                       t->b2 - t->a1 * t->b1,
                       -t->a1 * t->b2};
  for (uint32_t i = 0; i < sizeof taps / sizeof *taps; i++) put(sink, MR_TABLE_FOLD + i, taps[i]);
}

MrStatus mr_gpu_table_fill(MrGpuMethod method, const MrSection* q, bool single, uint32_t lanes, uint32_t samples, void* table) {
  if (!(q->s > 0 && q->P > 0 && (4 - q->s) - 2 * q->P > 0) && !(q->e1 == 0 && q->e2 == 0)) return MR_ERR_UNSTABLE;
  if (!(mr_gpu_table_loss(method, q, samples) < (single ? 50 : 1e8))) return MR_ERR_SINGULAR;
  const Sink sink = {table, single};
  const Terms t = terms_of(method, q);
  memset(table, 0, mr_table_size(lanes, samples) * (single ? sizeof(float) : sizeof(double)));
  const Wide of_states[] = {q->D, q->s, q->P, q->e1, q->e2}, of_histories[] = {t.b0, t.b1, t.b2, t.a1, t.a2};
  for (uint32_t i = 0; i < 5; i++) put(&sink, MR_TABLE_COEFFICIENTS + i, method == MR_GPU_STATES ? of_states[i] : of_histories[i]);
  const Matrix M = power(t.step, samples), map = power(M, lanes);
  put_rounds(&sink, MR_TABLE_SCAN, M);
  put_matrix(&sink, MR_TABLE_JUMP, IDENTITY);
  put_powers(&sink, MR_TABLE_JUMP + 4, map, MR_TABLE_BACK);
  put_powers(&sink, MR_TABLE_POWER, M, lanes);
  put_rows(&sink, MR_TABLE_POWER + 4 * lanes, &t, samples);
  if (method == MR_GPU_STCR || method == MR_GPU_DTCR) put_levels(&sink, &t, samples);
  if (method == MR_GPU_DTCR) put_fold(&sink, &t);
  return MR_OK;
}

/* p, of degree n, times q0 + q1 / z + q2 / z^2, in place. */
static void multiply(Wide* p, uint32_t n, Wide q0, Wide q1, Wide q2) {
  for (uint32_t i = n + 2;; i--) {
    const Wide now = i <= n ? p[i] : 0, before = i >= 1 && i - 1 <= n ? p[i - 1] : 0, last = i >= 2 ? p[i - 2] : 0;
    p[i] = q0 * now + q1 * before + q2 * last;
    if (i == 0) return;
  }
}

/* The response to a 1 that is j + 1 outputs back. */
static void fill_factors(const float* a, uint32_t order, uint32_t j, float* factor) {
  for (uint32_t q = 0; q < MR_PLR_GROUP; q++) {
    float sum = 0;
    for (uint32_t i = 1; i <= order; i++) {
      const float y = i <= q ? factor[q - i] : i - q == j + 1 ? 1.0F : 0.0F;
      sum -= a[i - 1] * y;
    }
    factor[q] = sum;
  }
}

void mr_gpu_plr_table_fill(const MrSection* section, uint32_t n, float* table) {
  Wide b[MR_PLR_ORDER + 3] = {1}, a[MR_PLR_ORDER + 3] = {1};
  for (uint32_t k = 0; k < n; k++) {
    const Terms t = terms_of(MR_GPU_PH, &section[k]);
    multiply(b, 2 * k, t.b0, t.b1, t.b2);
    multiply(a, 2 * k, 1, t.a1, t.a2);
  }
  memset(table, 0, MR_PLR_FACTORS * sizeof *table);
  for (uint32_t j = 1; j <= 2 * n; j++) table[j - 1] = (float)a[j];
  for (uint32_t j = 0; j <= 2 * n; j++) table[MR_PLR_ORDER + j] = (float)b[j];
  for (uint32_t j = 0; j < 2 * n; j++) fill_factors(table, 2 * n, j, table + MR_PLR_FACTORS + j * MR_PLR_GROUP);
}
