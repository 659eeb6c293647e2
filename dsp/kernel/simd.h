/* The few vector operations that the kernels are written in, for each instruction set. Included by the isa_*.c files alone.
   SPDX-License-Identifier: ISC

   V is a vector of VW doubles. v_fma(a, b, c) = a b + c, v_fnma = c - a b, v_fms = a b - c; one rounding where MR_FUSED is 1. */
#ifndef MILLRACE_KERNEL_SIMD_H
#define MILLRACE_KERNEL_SIMD_H

#if defined(__AVX512F__)

#include <immintrin.h>
#define MR_FUSED 1
#define VW       8
typedef __m512d V;
static inline V v_load(const double* p) { return _mm512_load_pd(p); }
static inline void v_store(double* p, V a) { _mm512_store_pd(p, a); }
static inline V v_set1(double a) { return _mm512_set1_pd(a); }
static inline V v_add(V a, V b) { return _mm512_add_pd(a, b); }
static inline V v_sub(V a, V b) { return _mm512_sub_pd(a, b); }
static inline V v_mul(V a, V b) { return _mm512_mul_pd(a, b); }
static inline V v_fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
static inline V v_fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
static inline V v_fms(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
static inline V v_select(V mask, V a, V b) { return _mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(mask)), b, a); }

#elif defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>
#define MR_FUSED 1
#define VW       4
typedef __m256d V;
static inline V v_load(const double* p) { return _mm256_load_pd(p); }
static inline void v_store(double* p, V a) { _mm256_store_pd(p, a); }
static inline V v_set1(double a) { return _mm256_set1_pd(a); }
static inline V v_add(V a, V b) { return _mm256_add_pd(a, b); }
static inline V v_sub(V a, V b) { return _mm256_sub_pd(a, b); }
static inline V v_mul(V a, V b) { return _mm256_mul_pd(a, b); }
static inline V v_fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
static inline V v_fnma(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
static inline V v_fms(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
static inline V v_select(V mask, V a, V b) { return _mm256_blendv_pd(b, a, mask); }

#elif defined(__SSE2__)

#include <emmintrin.h>
#define MR_FUSED 0
#define VW       2
typedef __m128d V;
static inline V v_load(const double* p) { return _mm_load_pd(p); }
static inline void v_store(double* p, V a) { _mm_store_pd(p, a); }
static inline V v_set1(double a) { return _mm_set1_pd(a); }
static inline V v_add(V a, V b) { return _mm_add_pd(a, b); }
static inline V v_sub(V a, V b) { return _mm_sub_pd(a, b); }
static inline V v_mul(V a, V b) { return _mm_mul_pd(a, b); }
static inline V v_fma(V a, V b, V c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
static inline V v_fnma(V a, V b, V c) { return _mm_sub_pd(c, _mm_mul_pd(a, b)); }
static inline V v_fms(V a, V b, V c) { return _mm_sub_pd(_mm_mul_pd(a, b), c); }
static inline V v_select(V mask, V a, V b) { return _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b)); }

#elif defined(__aarch64__)

#include <arm_neon.h>
#define MR_FUSED 1
#define VW       2
typedef float64x2_t V;
static inline V v_load(const double* p) { return vld1q_f64(p); }
static inline void v_store(double* p, V a) { vst1q_f64(p, a); }
static inline V v_set1(double a) { return vdupq_n_f64(a); }
static inline V v_add(V a, V b) { return vaddq_f64(a, b); }
static inline V v_sub(V a, V b) { return vsubq_f64(a, b); }
static inline V v_mul(V a, V b) { return vmulq_f64(a, b); }
static inline V v_fma(V a, V b, V c) { return vfmaq_f64(c, a, b); }
static inline V v_fnma(V a, V b, V c) { return vfmsq_f64(c, a, b); }
static inline V v_fms(V a, V b, V c) { return vfmaq_f64(vnegq_f64(c), a, b); } /* not -(c - a b): the sign of zero */
static inline V v_select(V mask, V a, V b) { return vbslq_f64(vreinterpretq_u64_f64(mask), a, b); }

#else
#error "no instruction set for this file"
#endif

#endif
