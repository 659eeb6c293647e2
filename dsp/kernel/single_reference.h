/* The C reference in float32: the text that every float32 kernel is compared with. Plain loops, a lane and a section at a time. A file
   that includes it defines MR_FMA(a, b, c), MR_FUSED, MR_ISA_LEVEL and MR_ISA_NAME.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "single.h"

#define LANES MR_SINGLE_LANES

static void run_chains(float* x, size_t stride, uint32_t n, const float* coef, float* state, uint32_t sections, uint32_t lanes) {
  for (uint32_t k = 0; k < sections; k++, coef += MR_SINGLE_COEF_STRIDE, state += MR_SINGLE_STATE_STRIDE) {
    for (uint32_t l = 0; l < lanes; l++) {
      const float s = coef[l], r = coef[LANES + l], D = coef[2 * LANES + l];
      const float e1 = coef[3 * LANES + l], e = coef[4 * LANES + l];
      float w = state[l], d = state[LANES + l];
      for (uint32_t f = 0; f < n; f++) {
        const float u = x[f * stride + l];
        const float next = MR_FMA(-s, w, u) + MR_FMA(-r, d, d);
        x[f * stride + l] = MR_FMA(D, u, MR_FMA(e, d, e1 * w));
        w = w + d;
        d = next;
      }
      state[l] = w;
      state[LANES + l] = d;
    }
  }
}

static void run_settled(float* x, uint32_t n, const float* coef, float* state, uint32_t sections, uint32_t lanes) {
  run_chains(x, LANES, n, coef, state, sections, lanes);
}

#define MR_REFERENCE_IO(TYPE, SUFFIX)                                                                                               \
  static void load_##SUFFIX(const TYPE* const* in, uint32_t lanes, uint32_t n, float* x) {                                          \
    for (uint32_t l = 0; l < (lanes + 3) / 4 * 4; l++)                                                                              \
      for (uint32_t f = 0; f < n; f++) x[f * LANES + l] = (float)in[l][f];                                                          \
  }                                                                                                                                 \
  static void store_##SUFFIX(const float* x, uint32_t lanes, uint32_t n, const float* gain, TYPE* const* out) {                     \
    for (uint32_t l = 0; l < (lanes + 3) / 4 * 4; l++)                                                                              \
      for (uint32_t f = 0; f < n; f++) out[l][f] = (TYPE)(x[f * LANES + l] * gain[l]);                                              \
  }                                                                                                                                 \
  static void load_interleaved_##SUFFIX(const TYPE* in, size_t stride, uint32_t lanes, uint32_t n, float* x) {                      \
    for (uint32_t f = 0; f < n; f++)                                                                                                \
      for (uint32_t l = 0; l < lanes; l++) x[f * LANES + l] = (float)in[f * stride + l];                                            \
  }                                                                                                                                 \
  static void store_interleaved_##SUFFIX(const float* x, uint32_t n, const float* gain, TYPE* out, size_t stride, uint32_t lanes) { \
    for (uint32_t f = 0; f < n; f++)                                                                                                \
      for (uint32_t l = 0; l < lanes; l++) out[f * stride + l] = (TYPE)(x[f * LANES + l] * gain[l]);                                \
  }

MR_REFERENCE_IO(float, f32)
MR_REFERENCE_IO(double, f64)

const MrSingleKernels MR_ISA_NAME = {
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
};
