/* A program as a card's job.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_GPU_JOB_H
#define MILLRACE_GPU_JOB_H

#include "millrace_gpu.h"

/* A job and the memory of its cascades. */
typedef struct MrGpuProgram {
  MrGpuJob job;
  MrGpuCascade* cascade;
  MrSection* section;
  uint64_t* decay;   /* of each section */
  uint32_t sections; /* of the longest channel */
} MrGpuProgram;

/* What of a job is known before its filters are looked at; cascade is left out. Decays are found by running impulses as long as the planner can use
   them with chunks of job->chunk frames (mr_gpu_decay_limit()), and shorter where there are many unlike channels. MR_GPU_REFUSED with why[MR_GPU_WHY]: routes,
   delays, more sections than kernels take. MR_GPU_MEMORY. Keeps nothing of the program. Thread: control (long). */
MrGpuStatus mr_gpu_program_make(const MrProgram* program, const MrGpuJob* job, MrGpuProgram* made, char* why);
void mr_gpu_program_free(MrGpuProgram* made); /* one that is all zeros is allowed */

/* Whether a card can have the program at all; in no time. */
bool mr_gpu_program_suits(const MrProgram* program, uint32_t channels, char* why);

#endif
