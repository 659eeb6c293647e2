/* Kernels, compiled: groups that carry states, of float32 samples in float64 arithmetic.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_double[] = {
    MR_GPU_STATES_OF(float, double, 128, 32),
    MR_GPU_NO_INSTANCE,
};
