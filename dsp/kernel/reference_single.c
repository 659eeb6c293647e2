/* The C reference in float32 with fmaf() as libm has it: fused on every machine, slow where the machine has no such instruction.
   SPDX-License-Identifier: ISC */
#define MR_FMA(a, b, c) fmaf(a, b, c)
#define MR_FUSED        1
#define MR_ISA_LEVEL    MR_CPU_REFERENCE
#define MR_ISA_NAME     mr_single_kernels_reference
#include "single_reference.h"
