/* The channel-lane kernels in float32 for AVX2.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE    1
#define MR_ISA_NAME  mr_single_kernels_avx2
#define MR_ISA_LEVEL MR_CPU_AVX2
#define MR_PASS      6
#include "channel_lanes.h"
