/* The text of the float32 AVX-512 kernels on a processor that has no such instructions: each intrinsic that simd.h uses, as the instruction
   manual defines it, in plain C.
   SPDX-License-Identifier: ISC

   As check_avx512_emulated.c, for float32; check_single checks what the compiler makes of the intrinsics, where the processor has them. */
#define _DEFAULT_SOURCE /* anonymous mappings, for guard pages */

#include "single_checks.h"

typedef struct Emulated {
  float d[16];
} Emulated;

#define EACH(expression)                              \
  Emulated r;                                         \
  for (int i = 0; i < 16; i++) r.d[i] = (expression); \
  return r

static void expect_aligned(const float* p) {
  if ((uintptr_t)p % 64) raise(SIGSEGV);
}

static Emulated emulated_load(const float* p) {
  expect_aligned(p);
  EACH(p[i]);
}

static void emulated_store(float* p, Emulated a) {
  expect_aligned(p);
  memcpy(p, a.d, sizeof a.d);
}

static Emulated emulated_add(Emulated a, Emulated b) { EACH(a.d[i] + b.d[i]); }
static Emulated emulated_mul(Emulated a, Emulated b) { EACH(a.d[i] * b.d[i]); }
static Emulated emulated_fmadd(Emulated a, Emulated b, Emulated c) { EACH(fmaf(a.d[i], b.d[i], c.d[i])); }
static Emulated emulated_fnmadd(Emulated a, Emulated b, Emulated c) { EACH(fmaf(-a.d[i], b.d[i], c.d[i])); }

#define MR_INLINE static
#define MR_UNROLL
#define MR_EMULATED_LANES
#define V_LANE(v, i) ((v).d[i])
static Emulated v_up(Emulated below, Emulated y, unsigned width) {
  EACH(i < (int)width ? below.d[16 - (int)width + i] : y.d[i - (int)width]);
}
static Emulated emulated_set1(float a) { EACH(a); }

/* The sign bits. */
static unsigned emulated_mask(Emulated a) {
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; i++) mask |= (unsigned)!!signbit(a.d[i]) << i;
  return mask;
}

/* b where the mask has a bit, else a. */
static Emulated emulated_blend(unsigned mask, Emulated a, Emulated b) { EACH(mask >> i & 1 ? b.d[i] : a.d[i]); }

#if defined(__x86_64__)
static Emulated emulated_sub(Emulated a, Emulated b) { EACH(a.d[i] - b.d[i]); }
static Emulated emulated_fmsub(Emulated a, Emulated b, Emulated c) { EACH(fmaf(a.d[i], b.d[i], -c.d[i])); }

/* simd.h's own AVX-512 branch. The compiler's header comes first, so that what follows does not reach it. */
#include <immintrin.h>
#undef __AVX512F__
#define __AVX512F__            1
#define __m512                 Emulated
#define _mm512_load_ps         emulated_load
#define _mm512_store_ps        emulated_store
#define _mm512_set1_ps         emulated_set1
#define _mm512_add_ps          emulated_add
#define _mm512_sub_ps          emulated_sub
#define _mm512_mul_ps          emulated_mul
#define _mm512_fmadd_ps        emulated_fmadd
#define _mm512_fnmadd_ps       emulated_fnmadd
#define _mm512_fmsub_ps        emulated_fmsub
#define _mm512_castps_si512(a) (a)
#define _mm512_movepi32_mask   emulated_mask
#define _mm512_mask_blend_ps   emulated_blend
#else
/* No such header on this processor: the text of channel_lanes.h alone, over the same vectors. */
#define MILLRACE_KERNEL_SIMD_H
typedef float T;
#define MR_FUSED             1
#define MR_VECTOR_BYTES      64
#define VW                   16
typedef Emulated V;
#define v_load               emulated_load
#define v_store              emulated_store
#define v_add                emulated_add
#define v_mul                emulated_mul
#define v_fma                emulated_fmadd
#define v_fnma               emulated_fnmadd
#define v_set1               emulated_set1
#define v_select(mask, a, b) emulated_blend(emulated_mask(mask), b, a)
#define MR_SINGLE            1
#endif

#define mr_single_kernels_avx512 mr_single_kernels_avx512_emulated
extern const MrSingleKernels mr_single_kernels_avx512_emulated;
#include "../../../dsp/kernel/isa_avx512_single.c" /* NOLINT(bugprone-suspicious-include): the file itself, with its numbers */

_Static_assert(VW == 16 && MR_PASS == 8, "this is not the text of AVX-512");

int main(int argc, char** argv) {
  const Level levels[] = {{"avx512-emulated", &mr_single_kernels_avx512_emulated, &mr_single_kernels_reference, true, NULL}};
  return check_levels(argc, argv, levels, 1);
}
