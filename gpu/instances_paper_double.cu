/* Kernels, compiled: the paper's methods in float64, in the one of their shapes in which no card.s compiler spills registers.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_paper_double[] = {
    MR_GPU_PAPER_OF(float, double, 32, 32),
    MR_GPU_NO_INSTANCE,
};
