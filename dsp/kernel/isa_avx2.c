/* The channel-lane kernels for AVX2.
   SPDX-License-Identifier: ISC */
#define MR_ISA_NAME  mr_kernels_avx2
#define MR_ISA_LEVEL MR_CPU_AVX2
#define MR_PASS      6
#include "channel_lanes.h"
