/* Kernels, compiled: the paper's methods in float64, in those of its shapes whose samples find room in a thread's registers.
   SPDX-License-Identifier: ISC */
#include "groups.cuh"
#include "instances.cuh"

const MrGpuInstance mr_gpu_instances_paper_double[] = {
    MR_GPU_PAPER_OF(float, double, 32, 32),
    MR_GPU_GROUPS_OF(MR_GPU_STCR_KERNEL, float, double, MrMethodSTCR, false, 32, 64),
    MR_GPU_GROUPS_OF(MR_GPU_STCR_KERNEL, float, double, MrMethodSTCR, false, 64, 64),
    MR_GPU_NO_INSTANCE,
};
