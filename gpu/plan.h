/* Which kernel a job is given to, and how its work is cut.
   SPDX-License-Identifier: ISC

   What decides is how soon filters forget. Where the rest of an impulse response is below 1e-9 after W frames, pieces of the stream may
   start W frames early, from rest; where that would be too much done twice, groups look back as many groups as W takes; and where a filter never forgets, as
   far as it takes. Every way that the bank allows is reckoned by the cost model in every shape that was compiled, and the cheapest is taken; of ways
   within two in a hundred of it the first in the order of MrGpuKernel, which is the simplest. */
#ifndef MILLRACE_GPU_PLAN_H
#define MILLRACE_GPU_PLAN_H

#include "cost_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frames that a section may ring and still count as forgetting, of a launch of so many frames: an eighth of it, 2^20 at most. */
uint64_t mr_gpu_decay_limit(uint64_t frames);

/* Plans launches of job->chunk frames. The device's kernels are resource[resources]. MR_GPU_REFUSED: nothing that was compiled fits the job, or what it
   insists on does not fit the bank; why[MR_GPU_WHY] says so. Thread: any. */
MrGpuStatus mr_gpu_plan(const MrGpuDevice* device, const MrGpuJob* job, const MrGpuResource* resource, uint32_t resources, MrGpuPlan* plan,
                        char* why);

const char* mr_gpu_kernel_name(MrGpuKernel kernel); /* never NULL */

#ifdef __cplusplus
}
#endif

#endif
