/* Kernels, compiled: groups that carry states, of float32 samples in float32 arithmetic.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_single[] = {
    MR_GPU_STATES_OF(float, float, 128, 32),
    MR_GPU_NO_INSTANCE,
};
