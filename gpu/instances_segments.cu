/* Kernels, compiled: segments of the stream, and channels.
   SPDX-License-Identifier: ISC */
#include "instances.cuh"
#include "segments.cuh"

const MrGpuInstance mr_gpu_instances_segments[] = {
    MR_GPU_SEGMENTS_OF(float, float),
    MR_GPU_SEGMENTS_OF(float, double),
    MR_GPU_SEGMENTS_OF(double, double),
    MR_GPU_NO_INSTANCE,
};
