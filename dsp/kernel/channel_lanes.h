/* Channels in lanes: the one text of the vector kernels. An isa_*.c file defines MR_ISA_NAME, MR_ISA_LEVEL and MR_PASS, compiles
   it for its instruction set and gets the table MR_ISA_NAME: MrKernels, or MrSingleKernels where it defines MR_SINGLE as 1.
   SPDX-License-Identifier: ISC

   A section's recursion is a chain of about seven cycles a frame. Sections in series are independent but for a frame's delay, so a pass
   keeps several of them in flight; where there are too few sections, several vectors of the tile go side by side. How many
   sections pay depends on the registers: MR_PASS of them. */
#include <string.h>

#include "kernel.h"
#include "simd.h"
#include "single.h"

#if MR_SINGLE
#define LANES MR_SINGLE_LANES
#else
#define LANES MR_LANES
#endif
#define COEF_STRIDE  (MR_SETTLED_ROWS * LANES)
#define STATE_STRIDE (MR_STATE_ROWS * LANES)

#define MR_VECTORS (LANES / VW)
#ifndef MR_INLINE /* a test that emulates vectors is not unrolled */
#define MR_UNROLL _Pragma("GCC unroll 16")
#define MR_INLINE static inline __attribute__((always_inline))
#endif

/* c: a vector of each coefficient, `stride` numbers apart. */
MR_INLINE V settled_step(V x, V* w, V* d, const T* c, const uint32_t stride) {
  const V s = v_load(c), r = v_load(c + stride), D = v_load(c + 2 * stride);
  const V e1 = v_load(c + 3 * stride), e = v_load(c + 4 * stride);
  const V next = v_add(v_fnma(s, *w, x), v_fnma(r, *d, *d));
  const V y = v_fma(D, x, v_fma(e, *d, v_mul(e1, *w)));
  *w = v_add(*w, *d);
  *d = next;
  return y;
}

/* K sections over `vectors` neighbouring vectors; both are constants where this is called. */
MR_INLINE void settled_pass(T* x, uint32_t n, const T* coef, T* state, const uint32_t K, const uint32_t vectors) {
  V w[MR_PASS * 2], d[MR_PASS * 2];
  MR_UNROLL for (uint32_t k = 0; k < K; k++) {
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
      w[k * vectors + v] = v_load(state + k * STATE_STRIDE + v * VW);
      d[k * vectors + v] = v_load(state + k * STATE_STRIDE + LANES + v * VW);
    }
  }
  for (uint32_t f = 0; f < n; f++, x += LANES) {
    V u[2];
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) u[v] = v_load(x + v * VW);
    MR_UNROLL for (uint32_t k = 0; k < K; k++) {
      MR_UNROLL for (uint32_t v = 0; v < vectors; v++) u[v] =
          settled_step(u[v], &w[k * vectors + v], &d[k * vectors + v], coef + k * COEF_STRIDE + v * VW, LANES);
    }
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) v_store(x + v * VW, u[v]);
  }
  MR_UNROLL for (uint32_t k = 0; k < K; k++) {
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
      v_store(state + k * STATE_STRIDE + v * VW, w[k * vectors + v]);
      v_store(state + k * STATE_STRIDE + LANES + v * VW, d[k * vectors + v]);
    }
  }
}

static __attribute__((noinline)) void settled_one_vector(T* x, uint32_t n, const T* coef, T* state, uint32_t K) {
  switch (K) {
    case 1:
      settled_pass(x, n, coef, state, 1, 1);
      break;
    case 2:
      settled_pass(x, n, coef, state, 2, 1);
      break;
    case 3:
      settled_pass(x, n, coef, state, 3, 1);
      break;
    case 4:
      settled_pass(x, n, coef, state, 4, 1);
      break;
    case 5:
      settled_pass(x, n, coef, state, 5, 1);
      break;
    case 6:
      settled_pass(x, n, coef, state, 6, 1);
      break;
#if MR_PASS >= 8
    case 7:
      settled_pass(x, n, coef, state, 7, 1);
      break;
    case 8:
      settled_pass(x, n, coef, state, 8, 1);
      break;
#endif
    default:
      break;
  }
}

#if MR_VECTORS >= 2
static __attribute__((noinline)) void settled_two_vectors(T* x, uint32_t n, const T* coef, T* state, uint32_t K) {
  switch (K) {
    case 1:
      settled_pass(x, n, coef, state, 1, 2);
      break;
    case 2:
      settled_pass(x, n, coef, state, 2, 2);
      break;
    default:
      break;
  }
}
#endif

static void run_settled(T* x, uint32_t n, const T* coef, T* state, uint32_t sections, uint32_t lanes) {
  const uint32_t vectors = (lanes + VW - 1) / VW;
  uint32_t passes = (sections + MR_PASS - 1) / MR_PASS;
  while (passes) { /* passes of nearly equal depth: a shallow last one would be bound by latency */
    const uint32_t K = (sections + passes - 1) / passes;
    uint32_t v = 0;
#if MR_VECTORS >= 2
    if (K <= 2)
      for (; v + 2 <= vectors; v += 2) settled_two_vectors(x + v * VW, n, coef + v * VW, state + v * VW, K);
#endif
    for (; v < vectors; v++) settled_one_vector(x + v * VW, n, coef + v * VW, state + v * VW, K);
    coef += K * COEF_STRIDE;
    state += K * STATE_STRIDE;
    sections -= K;
    passes--;
  }
}

#include "section_lanes.h"

#if MR_SINGLE

#include "single_io.h"

const MrSingleKernels MR_ISA_NAME = {
    .level = MR_ISA_LEVEL,
    .fused = MR_FUSED,
    .shape = {VW, MR_PASS, MR_CHAIN},
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

#else /* what moves is float64 alone */

MR_INLINE V moving_step(V x, V* z1, V* z2, V mask, V E, V F, V G, V K, V C1, V C2, V D) {
  const V v = v_fms(K, x, *z2);
  const V y = v_fma(D, x, v_fma(C1, *z1, v_mul(C2, *z2)));
  const V next1 = v_fma(F, v, v_fma(E, *z1, *z1));
  *z2 = v_fma(G, v, v_fma(F, *z1, *z2));
  *z1 = next1;
  return v_select(mask, y, x);
}

/* K sections over `vectors` neighbouring vectors that share the rows. */
MR_INLINE void moving_pass(double* x, uint32_t n, const MrMoving* row, double* state, const double* mask, const uint32_t K,
                           const uint32_t vectors) {
  V z1[4], z2[4], m[2];
  MR_UNROLL for (uint32_t v = 0; v < vectors; v++) m[v] = v_load(mask + v * VW);
  MR_UNROLL for (uint32_t k = 0; k < K; k++) {
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
      z1[k * vectors + v] = v_load(state + k * MR_STATE_STRIDE + v * VW);
      z2[k * vectors + v] = v_load(state + k * MR_STATE_STRIDE + MR_LANES + v * VW);
    }
  }
  for (uint32_t f = 0; f < n; f++, x += MR_LANES) {
    V u[2];
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) u[v] = v_load(x + v * VW);
    MR_UNROLL for (uint32_t k = 0; k < K; k++) {
      const MrMoving* r = row + k * MR_CELL + f;
      const V E = v_set1(r->E), F = v_set1(r->F), G = v_set1(r->G), S = v_set1(r->K);
      const V C1 = v_set1(r->C1), C2 = v_set1(r->C2), D = v_set1(r->D);
      MR_UNROLL for (uint32_t v = 0; v < vectors; v++) u[v] =
          moving_step(u[v], &z1[k * vectors + v], &z2[k * vectors + v], m[v], E, F, G, S, C1, C2, D);
    }
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) v_store(x + v * VW, u[v]);
  }
  MR_UNROLL for (uint32_t k = 0; k < K; k++) {
    MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
      v_store(state + k * MR_STATE_STRIDE + v * VW, z1[k * vectors + v]);
      v_store(state + k * MR_STATE_STRIDE + MR_LANES + v * VW, z2[k * vectors + v]);
    }
  }
}

static void run_moving(double* x, uint32_t n, const MrMoving* row, double* state, const double* mask, uint32_t sections, uint32_t lanes) {
  const uint32_t vectors = (lanes + VW - 1) / VW;
  while (sections) {
    const uint32_t K = sections >= 2 ? 2 : 1;
    uint32_t v = 0;
#if MR_VECTORS >= 2
    for (; v + 2 <= vectors; v += 2) {
      if (K == 2)
        moving_pass(x + v * VW, n, row, state + v * VW, mask + v * VW, 2, 2);
      else
        moving_pass(x + v * VW, n, row, state + v * VW, mask + v * VW, 1, 2);
    }
#endif
    for (; v < vectors; v++) {
      if (K == 2)
        moving_pass(x + v * VW, n, row, state + v * VW, mask + v * VW, 2, 1);
      else
        moving_pass(x + v * VW, n, row, state + v * VW, mask + v * VW, 1, 1);
    }
    row += K * MR_CELL;
    state += K * MR_STATE_STRIDE;
    sections -= K;
  }
}

static void rows(const MrMoving* control, uint32_t first, uint32_t n, MrMoving* row) {
  const double* p = (const double*)control;
  for (uint32_t c = 0; c < 8; c += VW) {
    const V p0 = v_load(p + c), p1 = v_load(p + 8 + c), p2 = v_load(p + 16 + c), p3 = v_load(p + 24 + c);
    /* the segment as a polynomial of t in [0, 1): ((a3 t + a2) t + a1) t + a0 */
    const V second = v_sub(v_add(p0, p2), v_add(p1, p1));
    const V a0 = v_fma(second, v_set1(1.0 / 6), p1), a1 = v_mul(v_sub(p2, p0), v_set1(0.5)), a2 = v_mul(second, v_set1(0.5));
    const V a3 = v_mul(v_fma(v_set1(3), v_sub(p1, p2), v_sub(p3, p0)), v_set1(1.0 / 6));
    for (uint32_t f = 0; f < n; f++) {
      const V t = v_set1((double)(first + f) * (1.0 / MR_CELL));
      v_store((double*)(row + f) + c, v_fma(v_fma(v_fma(a3, t, a2), t, a1), t, a0));
    }
  }
}

static void ramp(double* x, uint32_t n, const double* w) {
  for (uint32_t f = 0; f < n; f++, x += MR_LANES) {
    const V g = v_set1(w[f]);
    MR_UNROLL for (uint32_t v = 0; v < MR_VECTORS; v++) v_store(x + v * VW, v_mul(g, v_load(x + v * VW)));
  }
}

static void mix(double* x, const double* y, uint32_t n, const double* w) {
  for (uint32_t f = 0; f < n; f++, x += MR_LANES, y += MR_LANES) {
    const V g = v_set1(w[f]);
    MR_UNROLL for (uint32_t v = 0; v < MR_VECTORS; v++) {
      const V a = v_load(x + v * VW);
      v_store(x + v * VW, v_fma(g, v_sub(v_load(y + v * VW), a), a));
    }
  }
}

#include "peak.h"
#include "sample_io.h"

const MrKernels MR_ISA_NAME = {
    .level = MR_ISA_LEVEL,
    .fused = MR_FUSED,
    .shape = {VW, MR_PASS, MR_CHAIN},
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

#endif
