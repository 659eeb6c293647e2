/* Kernels, compiled: groups that carry states, of float64 samples.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_wide[] = {
    MR_GPU_STATES_OF(double, double, 256, 16),
    MR_GPU_NO_INSTANCE,
};
