/* The C reference with fma() as libm has it: fused on every machine, slow where the machine has no such instruction.
   SPDX-License-Identifier: ISC */
#define MR_FMA(a, b, c) fma(a, b, c)
#define MR_FUSED        1
#define MR_ISA_LEVEL    MR_CPU_REFERENCE
#define MR_ISA_NAME     mr_kernels_reference
#include "reference.h"
