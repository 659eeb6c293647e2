/* Taking the parts of a job: workers and the caller.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_WORK_H
#define MILLRACE_ENGINE_SHARING_WORK_H

#include "sharing_job.h"

/* What a worker does with a job until there are no parts left, or it is closed. Real-time, as all here. */
void mr_job_help(MrJob* base);

/* Parts that the caller has run, and how long they took. */
typedef struct MrOwn {
  const MrStretch* stretch;
  uint32_t parts;
  double ns;
} MrOwn;

/* The caller's part: until every part is done. Returns how many were done again. */
uint32_t mr_job_work_through(MrBlockJob* job, MrOwn* own);

/* The clock, in nanoseconds. */
double mr_job_now_ns(void);

#endif
