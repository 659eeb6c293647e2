/* Where a signal ends to be one.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_BOUNDS_H
#define MILLRACE_KERNEL_BOUNDS_H

/* A sample that is not below this in magnitude is poison; finds every NaN. 300 dB over full scale, and float32 still has as much room above it. */
#define MR_POISON 0x1p50f
/* A state below this is silence: 600 dB below full scale, and float32 still holds its square root of what is left. */
#define MR_SILENCE 1e-30f

#endif
