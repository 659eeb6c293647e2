/* Vectors of plain C, for the reference of the multi-block kernels: what simd.h and block_vectors.h have, as loops. A file that
   includes it defines MR_SINGLE, MR_FUSED, MR_FMA(a, b, c) in its precision and MR_VECTOR_BYTES.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_SIMD_H
#define MILLRACE_KERNEL_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if MR_SINGLE
typedef float T;
#else
typedef double T;
#endif

#define VW (MR_VECTOR_BYTES / (MR_SINGLE ? 4 : 8))

typedef struct V {
  T lane[VW];
} V;

#define MR_LANES_OF(expression)                             \
  V r;                                                      \
  for (int i = 0; i < VW; i++) r.lane[i] = (T)(expression); \
  return r

static inline V v_load(const T* p) { MR_LANES_OF(p[i]); }
static inline void v_store(T* p, V a) { memcpy(p, a.lane, sizeof a.lane); }
static inline V v_set1(T a) { MR_LANES_OF(a); }
static inline V v_add(V a, V b) { MR_LANES_OF(a.lane[i] + b.lane[i]); }
static inline V v_mul(V a, V b) { MR_LANES_OF(a.lane[i] * b.lane[i]); }
static inline V v_fma(V a, V b, V c) { MR_LANES_OF(MR_FMA(a.lane[i], b.lane[i], c.lane[i])); }
static inline V v_fnma(V a, V b, V c) { MR_LANES_OF(MR_FMA(-a.lane[i], b.lane[i], c.lane[i])); }

static inline V v_take(V a, V b, const int* from) { MR_LANES_OF(from[i] < VW ? a.lane[from[i]] : b.lane[from[i] - VW]); }

#define MR_FROM_2(P, s)  P(0, s), P(1, s)
#define MR_FROM_4(P, s)  MR_FROM_2(P, s), P(2, s), P(3, s)
#define MR_FROM_8(P, s)  MR_FROM_4(P, s), P(4, s), P(5, s), P(6, s), P(7, s)
#define MR_FROM_16(P, s) MR_FROM_8(P, s), P(8, s), P(9, s), P(10, s), P(11, s), P(12, s), P(13, s), P(14, s), P(15, s)
/* Of the sixteen lanes listed the first VW count. */
#define MR_TAKE(a, b, P, s) v_take(a, b, (const int[]){MR_FROM_16(P, s)})
#define MR_FIRST(a)         ((a).lane[0])

#endif
