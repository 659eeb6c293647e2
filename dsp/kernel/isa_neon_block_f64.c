/* The multi-block kernels for NEON, in double.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      0
#define MR_REGISTERS   32
#define MR_BLOCK_NAME  mr_block_neon_f64
#define MR_BLOCK_LEVEL MR_CPU_NEON
#include "block_kernels.h"
