/* Kernels, compiled: the paper's methods in its four shapes, in float32.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_paper_single[] = {
    MR_GPU_PAPER_OF(float, float, 32, 32),
    MR_GPU_PAPER_OF(float, float, 32, 64),
    MR_GPU_PAPER_OF(float, float, 32, 128),
    MR_GPU_PAPER_OF(float, float, 64, 64),
    MR_GPU_NO_INSTANCE,
};
