/* Taking the parts of a job: workers and the caller.
   SPDX-License-Identifier: ISC */
#include "sharing_work.h"

#include <time.h>

#include "../kernel/pause.h"

double mr_job_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ----------------------------------------------------------------- workers */

static bool is_done(const MrBlockJob* job, uint32_t p) {
  return p == MR_NO_PART || atomic_load_explicit(&job->status[p], memory_order_acquire) != MR_PART_OPEN;
}

/* True where this is the first to have done it, so that its results count. */
static bool claim_result(MrBlockJob* job, uint32_t p, unsigned char who) {
  unsigned char open = MR_PART_OPEN;
  return atomic_compare_exchange_strong_explicit(&job->status[p], &open, who, memory_order_acq_rel, memory_order_acquire);
}

static bool is_closed(const MrBlockJob* job) { return atomic_load_explicit(&job->closed, memory_order_acquire); }

static bool is_prepared(const MrBlockJob* job, uint32_t t) { return t < atomic_load_explicit(&job->prepared, memory_order_acquire); }

void mr_job_help(MrJob* base) {
  MrBlockJob* job = (MrBlockJob*)base;
  for (uint32_t p; (p = atomic_fetch_add(&job->claim, 1)) < job->parts;) {
    const MrPart* part = &job->part[p];
    while (!is_prepared(job, part->tile) || !is_done(job, part->lower) || !is_done(job, part->earlier)) {
      if (is_closed(job)) return;
      mr_pause();
    }
    if (mr_job_run_part(job, part, 0, &job->out, 0, &job->status[p])) claim_result(job, p, MR_DONE_BY_WORKER);
  }
}

/* ------------------------------------------------------------- the caller */

static void run_own(MrBlockJob* job, uint32_t p, MrOwn* own) {
  const double begun = mr_job_now_ns();
  if (!mr_job_run_part(job, &job->part[p], 1, own->stretch->buffers, own->stretch->frame, &job->status[p])) return;
  own->ns += mr_job_now_ns() - begun;
  own->parts++;
  claim_result(job, p, MR_DONE_BY_CALLER);
}

/* Sees to it that part p is done: what a worker has begun and not finished is done again, unless it gets finished meanwhile. */
static uint32_t ensure(MrBlockJob* job, uint32_t p, MrOwn* own) {
  if (is_done(job, p)) return 0;
  uint32_t again = 0;
  again += ensure(job, job->part[p].lower, own);
  again += ensure(job, job->part[p].earlier, own);
  run_own(job, p, own);
  return again + (atomic_load_explicit(&job->status[p], memory_order_relaxed) == MR_DONE_BY_CALLER);
}

uint32_t mr_job_work_through(MrBlockJob* job, MrOwn* own) {
  uint32_t again = 0;
  for (uint32_t p; (p = atomic_fetch_add(&job->claim, 1)) < job->parts;) {
    again += ensure(job, job->part[p].lower, own) + ensure(job, job->part[p].earlier, own);
    run_own(job, p, own);
  }
  for (uint32_t p = 0; p < job->parts; p++) again += ensure(job, p, own);
  return again;
}
