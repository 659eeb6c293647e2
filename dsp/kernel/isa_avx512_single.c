/* The channel-lane kernels in float32 for AVX512.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE    1
#define MR_ISA_NAME  mr_single_kernels_avx512
#define MR_ISA_LEVEL MR_CPU_AVX512
#define MR_PASS      8
#include "channel_lanes.h"
