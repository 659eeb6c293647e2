/* The channel-lane kernels for AVX512.
   SPDX-License-Identifier: ISC */
#define MR_ISA_NAME  mr_kernels_avx512
#define MR_ISA_LEVEL MR_CPU_AVX512
#define MR_PASS      8
#include "channel_lanes.h"
