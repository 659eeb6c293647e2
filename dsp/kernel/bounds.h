/* Where a signal ends to be one.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_BOUNDS_H
#define MILLRACE_KERNEL_BOUNDS_H

/* A sample that is not below this in magnitude is poison; finds every NaN. 301 dB over full scale; float32 has 470 dB more. */
#define MR_POISON 0x1p50f
/* A state below this is silence: 600 dB below full scale, and not yet a subnormal float32. */
#define MR_SILENCE 1e-30f

#endif
