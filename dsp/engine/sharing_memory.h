/* The memory of shared blocks: jobs of an engine, slots of a side.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_MEMORY_H
#define MILLRACE_ENGINE_SHARING_MEMORY_H

#include "sharing_cut.h"
#include "sharing_job.h"

/* What was reckoned for a stretch, until another kind comes. */
typedef struct MrReckoned {
  bool interleaved, apart, promises;
  MrCut cut;
} MrReckoned;

struct MrSharing {
  MrReckoned reckoned;
  MrSlot slot[MR_JOBS];
};

/* [MR_JOBS]. NULL: no memory. Thread: control, as all here. */
MrBlockJob* mr_jobs_new(const MrSharer* sharer);
void mr_jobs_free(MrBlockJob* jobs); /* NULL is allowed */

/* NULL: no memory. */
MrSharing* mr_slots_new(const MrSharer* sharer, const MrSide* side);

#endif
