/* Moves between the lanes of a vector, for the multi-block kernels: each is one choice of lanes out of two vectors.
   SPDX-License-Identifier: ISC

   MR_TAKE(a, b, PATTERN, s): lane l of the result is lane PATTERN(l, s) of a and b laid end to end. A file that brings vectors of its own
   defines MR_TAKE and MR_FIRST before. Other is the type of samples that are not T. */
#ifndef MILLRACE_KERNEL_BLOCK_VECTORS_H
#define MILLRACE_KERNEL_BLOCK_VECTORS_H

#include <string.h>

#include "simd.h"

#ifndef MR_TAKE
#define MR_TAKE_2(P, s)  P(0, s), P(1, s)
#define MR_TAKE_4(P, s)  MR_TAKE_2(P, s), P(2, s), P(3, s)
#define MR_TAKE_8(P, s)  MR_TAKE_4(P, s), P(4, s), P(5, s), P(6, s), P(7, s)
#define MR_TAKE_16(P, s) MR_TAKE_8(P, s), P(8, s), P(9, s), P(10, s), P(11, s), P(12, s), P(13, s), P(14, s), P(15, s)
#if MR_VECTOR_BYTES == 16 && !MR_SINGLE
#define MR_TAKE(a, b, P, s) __builtin_shufflevector(a, b, MR_TAKE_2(P, s))
#elif (MR_VECTOR_BYTES == 16 && MR_SINGLE) || (MR_VECTOR_BYTES == 32 && !MR_SINGLE)
#define MR_TAKE(a, b, P, s) __builtin_shufflevector(a, b, MR_TAKE_4(P, s))
#elif (MR_VECTOR_BYTES == 32 && MR_SINGLE) || (MR_VECTOR_BYTES == 64 && !MR_SINGLE)
#define MR_TAKE(a, b, P, s) __builtin_shufflevector(a, b, MR_TAKE_8(P, s))
#else
#define MR_TAKE(a, b, P, s) __builtin_shufflevector(a, b, MR_TAKE_16(P, s))
#endif
#define MR_FIRST(a) ((a)[0])
#define MR_REAL_VECTORS
#endif

/* One lane up, a new one from below. */
#define MR_LANE_UP(l, s)   ((l) ? (l)-1 : VW)
#define MR_LANE_LAST(l, s) (VW - 1)
/* Round s of Sklansky's scan: the last lane of the lower half of each 2 s. */
#define MR_LANE_SCAN(l, s) (((l) & ~(2 * (s)-1)) + (s)-1)
/* A transposition of 2 x 2 squares of s lanes in two vectors: upper and lower row. */
#define MR_LANE_UPPER(l, s) (((l) & (s)) ? VW + (l) - (s) : (l))
#define MR_LANE_LOWER(l, s) (((l) & (s)) ? VW + (l) : ((l) + (s)) % VW)
/* Lanes in the order of their numbers with the low bits, of which there are s values, on top; and back. */
#define MR_LANE_SPREAD(l, s) (((l) % (VW / (s))) * (s) + (l) / (VW / (s)))
#define MR_LANE_GATHER(l, s) (((l) % (s)) * (VW / (s)) + (l) / (s))

#define v_up(a, carry)      MR_TAKE(a, carry, MR_LANE_UP, 0) /* the carry is in lane 0 of its vector */
#define v_last(a)           MR_TAKE(a, a, MR_LANE_LAST, 0)
#define v_scan_source(a, s) MR_TAKE(a, a, MR_LANE_SCAN, s)

#define MR_UNROLL _Pragma("GCC unroll 16")
#define MR_INLINE static inline __attribute__((always_inline))

/* Of single numbers. */
#ifndef MR_FMA
#if !MR_FUSED
#define MR_FMA(a, b, c) ((a) * (b) + (c))
#elif MR_SINGLE
#define MR_FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define MR_FMA(a, b, c) __builtin_fma(a, b, c)
#endif
#endif

MR_INLINE V v_load_any(const T* p) {
  V a;
  memcpy(&a, p, sizeof a);
  return a;
}

MR_INLINE void v_store_any(T* p, V a) { memcpy(p, &a, sizeof a); }

#if MR_SINGLE
typedef double Other;
#else
typedef float Other;
#endif

/* VW samples, converted. */
#ifdef MR_REAL_VECTORS
typedef Other Others __attribute__((vector_size(VW * sizeof(Other)), may_alias));

MR_INLINE V v_load_other(const Other* p) {
  Others a;
  memcpy(&a, p, sizeof a);
  return __builtin_convertvector(a, V);
}

MR_INLINE void v_store_other(Other* p, V a) {
  const Others b = __builtin_convertvector(a, Others);
  memcpy(p, &b, sizeof b);
}
#else
MR_INLINE V v_load_other(const Other* p) {
  T a[VW];
  for (uint32_t i = 0; i < VW; i++) a[i] = (T)p[i];
  return v_load_any(a);
}

MR_INLINE void v_store_other(Other* p, V v) {
  T a[VW];
  v_store_any(a, v);
  for (uint32_t i = 0; i < VW; i++) p[i] = (Other)a[i];
}
#endif

#endif
