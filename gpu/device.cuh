/* Cards in the terms of the cost model, and what was compiled for them.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_GPU_DEVICE_CUH
#define MILLRACE_GPU_DEVICE_CUH

#include "instances.cuh"

enum { MR_GPU_MOST_INSTANCES = 64 };

/* As MrGpuApi's. Creates no context. */
MrGpuStatus mr_gpu_devices(MrGpuDevice* device, uint32_t room, uint32_t* count, char* why);

/* A job's plan on card number `index`, which becomes the calling thread's, and the instance that it takes. Creates a context if there was none. */
MrGpuStatus mr_gpu_plan_on(uint32_t index, const MrGpuJob* job, MrGpuPlan* plan, const MrGpuInstance** instance, char* why);

/* MR_GPU_REFUSED where a job makes no sense. */
MrGpuStatus mr_gpu_check_job(const MrGpuJob* job, char* why);

#endif
