/* The C reference: the text that every kernel is compared with. Plain loops, a lane and a section at a time. A file that includes it
   defines MR_FMA(a, b, c), MR_FUSED, MR_ISA_LEVEL and MR_ISA_NAME.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <string.h>

#include "kernel.h"

static void run_chains(double* x, size_t stride, uint32_t n, const double* coef, double* state, uint32_t sections, uint32_t lanes) {
  for (uint32_t k = 0; k < sections; k++, coef += MR_COEF_STRIDE, state += MR_STATE_STRIDE) {
    for (uint32_t l = 0; l < lanes; l++) {
      const double s = coef[l], r = coef[MR_LANES + l], D = coef[2 * MR_LANES + l];
      const double e1 = coef[3 * MR_LANES + l], e = coef[4 * MR_LANES + l];
      double w = state[l], d = state[MR_LANES + l];
      for (uint32_t f = 0; f < n; f++) {
        const double u = x[f * stride + l];
        const double next = MR_FMA(-s, w, u) + MR_FMA(-r, d, d);
        x[f * stride + l] = MR_FMA(D, u, MR_FMA(e, d, e1 * w));
        w = w + d;
        d = next;
      }
      state[l] = w;
      state[MR_LANES + l] = d;
    }
  }
}

static void run_settled(double* x, uint32_t n, const double* coef, double* state, uint32_t sections, uint32_t lanes) {
  run_chains(x, MR_LANES, n, coef, state, sections, lanes);
}

static void run_moving(double* x, uint32_t n, const MrMoving* row, double* state, const double* mask, uint32_t sections, uint32_t lanes) {
  for (uint32_t k = 0; k < sections; k++, row += MR_CELL, state += MR_STATE_STRIDE) {
    for (uint32_t l = 0; l < lanes; l++) {
      uint64_t member;
      memcpy(&member, mask + l, sizeof member);
      if (!member) continue;
      double z1 = state[l], z2 = state[MR_LANES + l];
      for (uint32_t f = 0; f < n; f++) {
        const MrMoving* r = row + f;
        const double u = x[f * MR_LANES + l], v = MR_FMA(r->K, u, -z2);
        x[f * MR_LANES + l] = MR_FMA(r->D, u, MR_FMA(r->C1, z1, r->C2 * z2));
        const double next = MR_FMA(r->F, v, MR_FMA(r->E, z1, z1));
        z2 = MR_FMA(r->G, v, MR_FMA(r->F, z1, z2));
        z1 = next;
      }
      state[l] = z1;
      state[MR_LANES + l] = z2;
    }
  }
}

static void rows(const MrMoving* control, uint32_t first, uint32_t n, MrMoving* row) {
  const double* p = (const double*)control;
  for (uint32_t c = 0; c < 8; c++) {
    const double p0 = p[c], p1 = p[8 + c], p2 = p[16 + c], p3 = p[24 + c];
    const double second = (p0 + p2) - (p1 + p1);
    const double a0 = MR_FMA(second, 1.0 / 6, p1), a1 = (p2 - p0) * 0.5, a2 = second * 0.5;
    const double a3 = MR_FMA(3.0, p1 - p2, p3 - p0) * (1.0 / 6);
    for (uint32_t f = 0; f < n; f++) {
      const double t = (double)(first + f) * (1.0 / MR_CELL);
      ((double*)(row + f))[c] = MR_FMA(MR_FMA(MR_FMA(a3, t, a2), t, a1), t, a0);
    }
  }
}

static void ramp(double* x, uint32_t n, const double* w) {
  for (uint32_t f = 0; f < n; f++)
    for (uint32_t l = 0; l < MR_LANES; l++) x[f * MR_LANES + l] *= w[f];
}

static void mix(double* x, const double* y, uint32_t n, const double* w) {
  for (uint32_t i = 0; i < n * MR_LANES; i++) x[i] = MR_FMA(w[i / MR_LANES], y[i] - x[i], x[i]);
}

#define MR_REFERENCE_IO(TYPE, SUFFIX)                                                                                                 \
  static void load_##SUFFIX(const TYPE* const* in, uint32_t n, double* x) {                                                           \
    for (uint32_t l = 0; l < MR_LANES; l++)                                                                                           \
      for (uint32_t f = 0; f < n; f++) x[f * MR_LANES + l] = (double)in[l][f];                                                        \
  }                                                                                                                                   \
  static void store_##SUFFIX(const double* x, uint32_t n, const double* gain, TYPE* const* out) {                                     \
    for (uint32_t l = 0; l < MR_LANES; l++)                                                                                           \
      for (uint32_t f = 0; f < n; f++) out[l][f] = (TYPE)(x[f * MR_LANES + l] * gain[l]);                                             \
  }                                                                                                                                   \
  static void load_interleaved_##SUFFIX(const TYPE* in, size_t stride, uint32_t lanes, uint32_t n, double* x) {                       \
    for (uint32_t f = 0; f < n; f++)                                                                                                  \
      for (uint32_t l = 0; l < lanes; l++) x[f * MR_LANES + l] = (double)in[f * stride + l];                                          \
  }                                                                                                                                   \
  static void store_interleaved_##SUFFIX(const double* x, uint32_t n, const double* gain, TYPE* out, size_t stride, uint32_t lanes) { \
    for (uint32_t f = 0; f < n; f++)                                                                                                  \
      for (uint32_t l = 0; l < lanes; l++) out[f * stride + l] = (TYPE)(x[f * MR_LANES + l] * gain[l]);                               \
  }

MR_REFERENCE_IO(float, f32)
MR_REFERENCE_IO(double, f64)

#include "peak.h"

const MrKernels MR_ISA_NAME = {
    .level = MR_ISA_LEVEL,
    .fused = MR_FUSED,
    .shape = {1, 1, 0},
    .load_f32 = load_f32,
    .load_f64 = load_f64,
    .store_f32 = store_f32,
    .store_f64 = store_f64,
    .load_interleaved_f32 = load_interleaved_f32,
    .load_interleaved_f64 = load_interleaved_f64,
    .store_interleaved_f32 = store_interleaved_f32,
    .store_interleaved_f64 = store_interleaved_f64,
    .run_settled = run_settled,
    .run_chains = run_chains,
    .run_moving = run_moving,
    .rows = rows,
    .ramp = ramp,
    .mix = mix,
    .peak_f32 = peak_f32,
};
