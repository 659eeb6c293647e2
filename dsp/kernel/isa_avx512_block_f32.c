/* The multi-block kernels for AVX-512, in float.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      1
#define MR_REGISTERS   32
#define MR_BLOCK_NAME  mr_block_avx512_f32
#define MR_BLOCK_LEVEL MR_CPU_AVX512
#include "block_kernels.h"
