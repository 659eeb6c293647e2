/* A job: what the parts of one shared block read and write.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_JOB_H
#define MILLRACE_ENGINE_SHARING_JOB_H

#include "sharing.h"

#define MR_PARTS_MOST  1024u
#define MR_CHUNKS_MOST 16u
#define MR_STAGES_MOST 16u
#define MR_NO_PART     UINT32_MAX

/* Whose results of a part count. Workers' and the caller's results lie at the first index of a job's arrays, one less. */
typedef enum MrDone { MR_PART_OPEN = 0, MR_DONE_BY_WORKER = 1, MR_DONE_BY_CALLER = 2 } MrDone;

typedef struct MrPart {
  uint32_t tile, stage, chunk;
  uint32_t frame, n;          /* within the job */
  uint32_t section, sections; /* of the tile */
  uint32_t lower, earlier;    /* parts that it needs: of the stage before, of the frames before; MR_NO_PART */
  bool last;                  /* of the tile's stages */
} MrPart;

/* How a block is cut. */
typedef struct MrCut {
  uint32_t n, at, stages, chunks;
} MrCut;

typedef struct MrBlockJob {
  MrJob job; /* first */
  const MrKernels* kernels;
  const MrSchedule* schedule;
  const MrRoute* route; /* the side's, which do not change */
  const uint32_t* route_end;
  bool mid_side;

  atomic_uint claim; /* the next part; beyond the last: closed */
  atomic_bool closed;
  double closed_ns;
  uint32_t tiles, parts, capacity;
  MrCut cut; /* of the parts there are */
  uint64_t cut_version;
  MrPart* part;
  atomic_uchar* status;  /* [parts] MrDone */
  atomic_bool* troubled; /* [tiles] */
  bool* few;             /* [tiles]: as few_channels.h has it; else in the layout of a tile */

  uint32_t n, at;
  double gain;
  MrTile* tile;         /* [tiles]: with coefficients of their own where the side's may change */
  uint64_t* version;    /* [tiles]: of these */
  double *coef, *state; /* [tiles][capacity] sections: of the block's begin */

  MrBuffers in, out; /* copies: of the inputs; of what workers put out */
  const void** in_pointer;
  void** out_pointer;
  char *in_samples, *out_samples;
  double* nowhere;

  double* later[2]; /* [MR_CHUNKS][tiles][capacity]: states behind each chunk */
  double* x[2];     /* [stages or 1][tiles][MR_SHARED_FRAMES][MR_LANES]: samples between stages, or for a delay */
} MrBlockJob;

/* Where part p's samples and states lie, of a worker (0) or the caller (1). */
double* mr_job_samples(const MrBlockJob* job, const MrPart* part, uint32_t who);
double* mr_job_states(const MrBlockJob* job, uint32_t chunk, uint32_t tile, uint32_t who);

/* Whether a tile's outputs are left to the caller as samples of x: its delays are the caller's. */
static inline bool mr_job_is_delayed(const MrBlockJob* job, uint32_t t) { return job->tile[t].delay_begin != job->tile[t].delay_end; }

/* A tile's inputs, through its routes, in the layout of a tile. */
void mr_job_load(const MrBlockJob* job, uint32_t t, uint32_t frame, uint32_t n, double* x);

/* Runs a part, whose needs are met: for a worker (who = 0), or for the caller, whose outputs go to `out` from frame `first` on. Gives up, with false,
   when *done tells that someone else has done it; NULL: never. Real-time. */
bool mr_job_run_part(MrBlockJob* job, const MrPart* part, uint32_t who, const MrBuffers* out, uint32_t first, const atomic_uchar* done);

#endif
