/* The multi-block kernels for SSE2, in double.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      0
#define MR_REGISTERS   16
#define MR_BLOCK_NAME  mr_block_sse2_f64
#define MR_BLOCK_LEVEL MR_CPU_SSE2
#include "block_kernels.h"
