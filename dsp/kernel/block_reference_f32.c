/* The multi-block kernels in plain C with fma(), in float.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE       1
#define MR_FUSED        1
#define MR_FMA(a, b, c) fmaf(a, b, c)
#define MR_VECTOR_BYTES 16
#define MR_REGISTERS    0
#define MR_BLOCK_NAME   mr_block_reference_f32
#define MR_BLOCK_LEVEL  MR_CPU_REFERENCE
#include "block_plain.h"
/* over those vectors */
#include "block_kernels.h"
