/* The C reference compiled for machines with an FMA instruction, so that comparisons of speed are fair there. The same bits as
   reference.c.
   SPDX-License-Identifier: ISC */
#define MR_FMA(a, b, c) fma(a, b, c)
#define MR_FUSED        1
#define MR_ISA_LEVEL    MR_CPU_REFERENCE
#define MR_ISA_NAME     mr_kernels_reference_fma
#include "reference.h"
