/* The multi-block kernels in plain C without fused operations, in float.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE       1
#define MR_FUSED        0
#define MR_FMA(a, b, c) ((a) * (b) + (c))
#define MR_VECTOR_BYTES 16
#define MR_REGISTERS    0
#define MR_BLOCK_NAME   mr_block_reference_nofma_f32
#define MR_BLOCK_LEVEL  MR_CPU_REFERENCE_NOFMA
#include "block_plain.h"
/* over those vectors */
#include "block_kernels.h"
