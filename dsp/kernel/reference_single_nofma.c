/* The C reference in float32 without fused operations: the class of SSE2.
   SPDX-License-Identifier: ISC */
#define MR_FMA(a, b, c) ((a) * (b) + (c))
#define MR_FUSED        0
#define MR_ISA_LEVEL    MR_CPU_REFERENCE_NOFMA
#define MR_ISA_NAME     mr_single_kernels_reference_nofma
#include "single_reference.h"
