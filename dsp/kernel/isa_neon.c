/* The channel-lane kernels for NEON.
   SPDX-License-Identifier: ISC */
#define MR_ISA_NAME  mr_kernels_neon
#define MR_ISA_LEVEL MR_CPU_NEON
#define MR_PASS      8
#include "channel_lanes.h"
