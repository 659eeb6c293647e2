/* The multi-block kernels for AVX2, in float.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      1
#define MR_REGISTERS   16
#define MR_BLOCK_NAME  mr_block_avx2_f32
#define MR_BLOCK_LEVEL MR_CPU_AVX2
#include "block_kernels.h"
