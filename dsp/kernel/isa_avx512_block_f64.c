/* The multi-block kernels for AVX-512, in double.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      0
#define MR_REGISTERS   32
#define MR_BLOCK_NAME  mr_block_avx512_f64
#define MR_BLOCK_LEVEL MR_CPU_AVX512
#include "block_kernels.h"
