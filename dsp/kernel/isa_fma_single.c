/* The C reference in float32 compiled for machines with an FMA instruction. The same bits as reference_single.c.
   SPDX-License-Identifier: ISC */
#define MR_FMA(a, b, c) fmaf(a, b, c)
#define MR_FUSED        1
#define MR_ISA_LEVEL    MR_CPU_REFERENCE
#define MR_ISA_NAME     mr_single_kernels_reference_fma
#include "single_reference.h"
