/* A cascade of one channel as one matrix over blocks of 16 samples: for short calls, where multi-block groups do not fit.
   SPDX-License-Identifier: ISC

     outputs = T inputs + O states;  states' = B inputs + A states

   of the whole cascade at once, so that the sections wait for each other once in 16 samples. States are those of a state-variable
   filter for each section (SSPH in block.h), whose size stays that of the signal at any corner, so that float32 keeps its digits. What
   a call leaves over is run sample by sample on the same states. Multiplications for a sample: (16 + 2 n)^2 / 16 for n sections. */
#ifndef MILLRACE_KERNEL_DENSE_H
#define MILLRACE_KERNEL_DENSE_H

#include "block.h"

typedef struct MrDense MrDense;

/* n sections in series, 1 to 32, silent before. kernels: of the precision wanted. NULL with MR_ERR_ARGUMENT, MR_ERR_UNSTABLE,
   MR_ERR_MEMORY. Thread: control. */
MrDense* mr_dense_new(const MrBlockKernels* kernels, const MrSection* section, uint32_t n, MrStatus* status);
void mr_dense_free(MrDense* dense); /* NULL is allowed */

/* Runs n samples (float or double, as the kernels), any n; in and out may be the same. A sample that is not finite spoils what follows
   until the end of the call, then the cascade starts afresh. Sets FTZ and DAZ and restores the mode. Thread: real-time. */
void mr_dense_run(MrDense* dense, const void* in, void* out, size_t n);

/* As new. Thread: real-time. */
void mr_dense_reset(MrDense* dense);

#endif
