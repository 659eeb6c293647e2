/* The channel-lane kernels in float32 for SSE2.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE    1
#define MR_ISA_NAME  mr_single_kernels_sse2
#define MR_ISA_LEVEL MR_CPU_SSE2
#define MR_PASS      6
#include "channel_lanes.h"
