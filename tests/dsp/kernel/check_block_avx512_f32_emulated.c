/* The multi-block kernels for AVX-512, in float, on a processor that has no such instructions: each intrinsic that simd.h uses, as the
   instruction manual defines it, in plain C.
   SPDX-License-Identifier: ISC

   This checks what is particular to AVX-512: vectors of 16 lanes, their permutations, columns side by side, and the order of arguments.
   */
#include "block_checks.h"

#define EMULATED float
#define LANES    16
#include "block_emulated.h"

#if defined(__x86_64__)
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
/* No such header on this processor: the text of the kernels alone, over the same vectors. */
#define MILLRACE_KERNEL_SIMD_H
#define MR_SINGLE       1
#define MR_FUSED        1
#define MR_VECTOR_BYTES 64
#define VW              LANES
typedef EMULATED T;
typedef Emulated V;
#define v_load          emulated_load
#define v_store         emulated_store
#define v_set1          emulated_set1
#define v_add           emulated_add
#define v_mul           emulated_mul
#define v_fma           emulated_fmadd
#define v_fnma          emulated_fnmadd
#endif

/* Fewer columns side by side than there, for the compiler's sake. */
#define MR_CHAINS_PH        2
#define MR_CHAINS_PH_STATES 2
#define MR_CHAINS_SSPH      1
#define MR_CHAINS_REDUCTION 1

#define mr_block_avx512_f32 mr_block_avx512_f32_emulated
extern const MrBlockKernels mr_block_avx512_f32_emulated;
#include "../../../dsp/kernel/isa_avx512_block_f32.c" /* NOLINT(bugprone-suspicious-include): the file itself, with its numbers */

_Static_assert(VW == LANES && MR_REGISTERS == 32, "this is not the text of AVX-512");

int main(int argc, char** argv) {
  const BlockLevel levels[] = {{"avx512-emulated", &mr_block_avx512_f32_emulated}};
  return check_block_levels(argc, argv, levels, 1, true);
}
