/* Kernels, compiled: the direct form by correction factors.
   SPDX-License-Identifier: ISC */
#include "instances.cuh"
#include "plr.cuh"

#define DIRECT_OF(P)                                                                                        \
  MR_GPU_INSTANCE(MR_GPU_PLR_KERNEL, false, true, MR_PLR_LANES, P, MR_PLR_LANES, (mr_plr_kernel<float, P>), \
                  (static_cast<void>(sections), 0u))

const MrGpuInstance mr_gpu_instances_direct[] = {
    DIRECT_OF(2), DIRECT_OF(4), DIRECT_OF(8), DIRECT_OF(16), MR_GPU_NO_INSTANCE,
};
