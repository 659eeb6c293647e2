/* The text of the AVX-512 kernels on a processor that has no such instructions: each intrinsic that simd.h uses, as the instruction
   manual defines it, in plain C.
   SPDX-License-Identifier: ISC

   This checks what is particular to AVX-512: vectors as wide as a tile, passes of eight sections, and the order of arguments. What the
   compiler makes of the intrinsics it cannot check: check_kernels does that where the processor has them, and
   tests/soak/soak_avx512.py on an emulated processor. */
#define _DEFAULT_SOURCE /* anonymous mappings, for guard pages */

#include "kernel_checks.h"

typedef struct Emulated {
  double d[8];
} Emulated;

#define EACH(expression)                             \
  Emulated r;                                        \
  for (int i = 0; i < 8; i++) r.d[i] = (expression); \
  return r

static void expect_aligned(const double* p) {
  if ((uintptr_t)p % 64) raise(SIGSEGV);
}

static Emulated emulated_load(const double* p) {
  expect_aligned(p);
  EACH(p[i]);
}

static void emulated_store(double* p, Emulated a) {
  expect_aligned(p);
  memcpy(p, a.d, sizeof a.d);
}

static Emulated emulated_set1(double a) { EACH(a); }
static Emulated emulated_add(Emulated a, Emulated b) { EACH(a.d[i] + b.d[i]); }
static Emulated emulated_sub(Emulated a, Emulated b) { EACH(a.d[i] - b.d[i]); }
static Emulated emulated_mul(Emulated a, Emulated b) { EACH(a.d[i] * b.d[i]); }
static Emulated emulated_fmadd(Emulated a, Emulated b, Emulated c) { EACH(fma(a.d[i], b.d[i], c.d[i])); }
static Emulated emulated_fnmadd(Emulated a, Emulated b, Emulated c) { EACH(fma(-a.d[i], b.d[i], c.d[i])); }
static Emulated emulated_fmsub(Emulated a, Emulated b, Emulated c) { EACH(fma(a.d[i], b.d[i], -c.d[i])); }

/* The sign bits. */
static unsigned emulated_mask(Emulated a) {
  unsigned mask = 0;
  for (unsigned i = 0; i < 8; i++) mask |= (unsigned)!!signbit(a.d[i]) << i;
  return mask;
}

/* b where the mask has a bit, else a. */
static Emulated emulated_blend(unsigned mask, Emulated a, Emulated b) { EACH(mask >> i & 1 ? b.d[i] : a.d[i]); }

#define MR_INLINE static
#define MR_UNROLL
#define MR_EMULATED_LANES
#define V_LANE(v, i) ((v).d[i])
static Emulated v_up(Emulated below, Emulated y, unsigned width) {
  EACH(i < (int)width ? below.d[8 - (int)width + i] : y.d[i - (int)width]);
}

#if defined(__x86_64__)
/* simd.h's own AVX-512 branch. The compiler's header comes first, so that what follows does not reach it. */
#include <immintrin.h>
#undef __AVX512F__
#define __AVX512F__            1
#define __m512d                Emulated
#define _mm512_load_pd         emulated_load
#define _mm512_store_pd        emulated_store
#define _mm512_set1_pd         emulated_set1
#define _mm512_add_pd          emulated_add
#define _mm512_sub_pd          emulated_sub
#define _mm512_mul_pd          emulated_mul
#define _mm512_fmadd_pd        emulated_fmadd
#define _mm512_fnmadd_pd       emulated_fnmadd
#define _mm512_fmsub_pd        emulated_fmsub
#define _mm512_castpd_si512(a) (a)
#define _mm512_movepi64_mask   emulated_mask
#define _mm512_mask_blend_pd   emulated_blend
#else
/* No such header on this processor: the text of channel_lanes.h alone, over the same vectors. */
#define MILLRACE_KERNEL_SIMD_H
#define MR_FUSED             1
#define MR_SINGLE            0
#define VW                   8
typedef double T;
typedef Emulated V;
#define v_load               emulated_load
#define v_store              emulated_store
#define v_set1               emulated_set1
#define v_add                emulated_add
#define v_sub                emulated_sub
#define v_mul                emulated_mul
#define v_fma                emulated_fmadd
#define v_fnma               emulated_fnmadd
#define v_fms                emulated_fmsub
#define v_select(mask, a, b) emulated_blend(emulated_mask(mask), b, a)
#endif

#define mr_kernels_avx512 mr_kernels_avx512_emulated
extern const MrKernels mr_kernels_avx512_emulated;
#include "../../../dsp/kernel/isa_avx512.c" /* NOLINT(bugprone-suspicious-include): the file itself, with its numbers */

_Static_assert(VW == 8 && MR_PASS == 8, "this is not the text of AVX-512");

int main(int argc, char** argv) {
  const Level levels[] = {{"avx512-emulated", &mr_kernels_avx512_emulated, &mr_kernels_reference, true, false}};
  return check_levels(argc, argv, levels, 1, NULL);
}
