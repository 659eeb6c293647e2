/* The channel-lane kernels in float32 for NEON.
   SPDX-License-Identifier: ISC */
#define MR_SINGLE    1
#define MR_ISA_NAME  mr_single_kernels_neon
#define MR_ISA_LEVEL MR_CPU_NEON
#define MR_PASS      8
#include "channel_lanes.h"
