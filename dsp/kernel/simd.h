/* The few vector operations that the kernels are written in, for each instruction set. Included by the isa_*.c files alone.
   SPDX-License-Identifier: ISC

   V is a vector of VW numbers T: float where MR_SINGLE is defined as 1, else double. v_fma(a, b, c) = a b + c, v_fnma = c - a b, v_fms = a b - c;
   one rounding where MR_FUSED is 1. */
#ifndef MILLRACE_KERNEL_SIMD_H
#define MILLRACE_KERNEL_SIMD_H

#include <stdint.h>

#ifndef MR_SINGLE
#define MR_SINGLE 0
#endif
#if MR_SINGLE
typedef float T;
#else
typedef double T;
#endif

#if defined(__AVX512F__)

#include <immintrin.h>
#define MR_FUSED        1
#define MR_VECTOR_BYTES 64
#if MR_SINGLE
#define MR_I(operation) _mm512_##operation##_ps
typedef __m512 V;
static inline V v_select(V mask, V a, V b) { return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(mask)), b, a); }
#else
#define MR_I(operation) _mm512_##operation##_pd
typedef __m512d V;
static inline V v_select(V mask, V a, V b) { return _mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(mask)), b, a); }
#endif

#elif defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>
#define MR_FUSED        1
#define MR_VECTOR_BYTES 32
#if MR_SINGLE
#define MR_I(operation) _mm256_##operation##_ps
typedef __m256 V;
#else
#define MR_I(operation) _mm256_##operation##_pd
typedef __m256d V;
#endif
static inline V v_select(V mask, V a, V b) { return MR_I(blendv)(b, a, mask); }

#elif defined(__SSE2__)

#include <emmintrin.h>
#define MR_FUSED        0
#define MR_VECTOR_BYTES 16
#if MR_SINGLE
#define MR_I(operation) _mm_##operation##_ps
typedef __m128 V;
#else
#define MR_I(operation) _mm_##operation##_pd
typedef __m128d V;
#endif
static inline V v_select(V mask, V a, V b) { return MR_I(or)(MR_I(and)(mask, a), MR_I(andnot)(mask, b)); }

#elif defined(__aarch64__)

#include <arm_neon.h>
#define MR_FUSED        1
#define MR_VECTOR_BYTES 16
#if MR_SINGLE
#define MR_I(operation) operation##_f32
typedef float32x4_t V;
static inline V v_select(V mask, V a, V b) { return vbslq_f32(vreinterpretq_u32_f32(mask), a, b); }
#else
#define MR_I(operation) operation##_f64
typedef float64x2_t V;
static inline V v_select(V mask, V a, V b) { return vbslq_f64(vreinterpretq_u64_f64(mask), a, b); }
#endif

#else
#error "no instruction set for this file"
#endif

#define VW (MR_VECTOR_BYTES / (MR_SINGLE ? 4 : 8))

#if defined(__aarch64__)
static inline V v_load(const T* p) { return MR_I(vld1q)(p); }
static inline void v_store(T* p, V a) { MR_I(vst1q)(p, a); }
static inline V v_set1(T a) { return MR_I(vdupq_n)(a); }
static inline V v_add(V a, V b) { return MR_I(vaddq)(a, b); }
static inline V v_sub(V a, V b) { return MR_I(vsubq)(a, b); }
static inline V v_mul(V a, V b) { return MR_I(vmulq)(a, b); }
static inline V v_fma(V a, V b, V c) { return MR_I(vfmaq)(c, a, b); }
static inline V v_fnma(V a, V b, V c) { return MR_I(vfmsq)(c, a, b); }
static inline V v_fms(V a, V b, V c) { return MR_I(vfmaq)(MR_I(vnegq)(c), a, b); } /* not -(c - a b): the sign of zero */
#else
static inline V v_load(const T* p) { return MR_I(load)(p); }
static inline void v_store(T* p, V a) { MR_I(store)(p, a); }
static inline V v_set1(T a) { return MR_I(set1)(a); }
static inline V v_add(V a, V b) { return MR_I(add)(a, b); }
static inline V v_sub(V a, V b) { return MR_I(sub)(a, b); }
static inline V v_mul(V a, V b) { return MR_I(mul)(a, b); }
#if MR_FUSED
static inline V v_fma(V a, V b, V c) { return MR_I(fmadd)(a, b, c); }
static inline V v_fnma(V a, V b, V c) { return MR_I(fnmadd)(a, b, c); }
static inline V v_fms(V a, V b, V c) { return MR_I(fmsub)(a, b, c); }
#else
static inline V v_fma(V a, V b, V c) { return v_add(v_mul(a, b), c); }
static inline V v_fnma(V a, V b, V c) { return v_sub(c, v_mul(a, b)); }
static inline V v_fms(V a, V b, V c) { return v_sub(v_mul(a, b), c); }
#endif
#endif

/* Single lanes, and vectors as slots of `width` neighbouring lanes; width is a constant where these are called. */
#ifndef MR_EMULATED_LANES
#define V_LANE(v, i) ((v)[i])

/* The slots of y one up, the last slot of `below` first. */
static inline __attribute__((always_inline)) V v_up(V below, V y, const uint32_t width) {
#if VW == 2
  (void)width;
  return __builtin_shufflevector(below, y, 1, 2);
#elif VW == 4
  return width == 1 ? __builtin_shufflevector(below, y, 3, 4, 5, 6) : __builtin_shufflevector(below, y, 2, 3, 4, 5);
#elif VW == 8
  return width == 1   ? __builtin_shufflevector(below, y, 7, 8, 9, 10, 11, 12, 13, 14)
         : width == 2 ? __builtin_shufflevector(below, y, 6, 7, 8, 9, 10, 11, 12, 13)
                      : __builtin_shufflevector(below, y, 4, 5, 6, 7, 8, 9, 10, 11);
#else
  return width == 1   ? __builtin_shufflevector(below, y, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
         : width == 2 ? __builtin_shufflevector(below, y, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
         : width == 4 ? __builtin_shufflevector(below, y, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
                      : __builtin_shufflevector(below, y, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
#endif
}
#endif

#endif
