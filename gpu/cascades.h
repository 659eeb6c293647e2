/* A job's cascades as the kernels of a plan read them: tables, gains, depths, and what states are multiplied by.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_GPU_CASCADES_H
#define MILLRACE_GPU_CASCADES_H

#include "millrace_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything is of T, double or float, as `single`; laid out as launch.h has it. */
typedef struct MrGpuTables {
  bool single;
  bool histories; /* states begin with the inputs' last pair, and are pairs of outputs */
  uint32_t channels, sections;
  uint64_t channel_table; /* numbers from channel to channel; 0: all have the same filter */
  uint32_t section_table; /* numbers from section to section */
  void *table, *gain;     /* gain [channels] */
  size_t table_bytes;
  uint32_t* depth; /* [channels][sections] or [sections], as the table; groups looked back */
  size_t depths;
  int16_t* exponent; /* [channels][sections]: a state of the kernel's is 2^exponent times that of the job's section */
} MrGpuTables;

/* For a plan's kernel. MR_GPU_MEMORY; MR_GPU_REFUSED with why[MR_GPU_WHY]: the method breaks down on a section, or a gain is beyond float32. Thread: control. */
MrGpuStatus mr_gpu_tables_make(const MrGpuJob* job, const MrGpuPlan* plan, MrGpuTables* tables, char* why);
void mr_gpu_tables_free(MrGpuTables* tables); /* one that is all zeros is allowed */

/* Bytes of the states of all channels as kernels have them. */
size_t mr_gpu_tables_state_bytes(const MrGpuTables* tables);
/* Between (w, d) of the job's sections, [channels][sections][2], and the kernels' own; not where there are histories. */
void mr_gpu_tables_state_in(const MrGpuTables* tables, const double* state, void* own);
void mr_gpu_tables_state_out(const MrGpuTables* tables, const void* own, double* state);

#ifdef __cplusplus
}
#endif

#endif
