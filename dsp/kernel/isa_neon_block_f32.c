/* The multi-block kernels for NEON, in float.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE      1
#define MR_REGISTERS   32
#define MR_BLOCK_NAME  mr_block_neon_f32
#define MR_BLOCK_LEVEL MR_CPU_NEON
#include "block_kernels.h"
