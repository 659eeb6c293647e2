/* A job: what the parts of one shared stretch read and write.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_JOB_H
#define MILLRACE_ENGINE_SHARING_JOB_H

#include "motion.h"
#include "sharing.h"

#define MR_PARTS_MOST  1024u
#define MR_CHUNKS_MOST 16u
#define MR_STAGES_MOST 16u
#define MR_LAYERS      2u
#define MR_NO_PART     UINT32_MAX

/* Whose results of a part count. Workers' and the caller's results lie at the first index of a job's arrays, one less. */
typedef enum MrDone { MR_PART_OPEN = 0, MR_DONE_BY_WORKER = 1, MR_DONE_BY_CALLER = 2 } MrDone;

typedef struct MrPart {
  uint32_t tile, stage, chunk;
  uint32_t frame, n;       /* within the job */
  uint32_t lower, earlier; /* parts that it needs: of the stage before, of the frames before; MR_NO_PART */
  bool last;               /* of the tile's stages */
} MrPart;

/* How a stretch is cut: into so many stages and chunks of the tiles from the first one shared. */
typedef struct MrCut {
  uint32_t n, at, stages, chunks, first;
} MrCut;

/* What a job uses of a side's memory. */
typedef struct MrSlot {
  double *coef, *state;    /* [tiles][capacity] sections */
  uint64_t* version;       /* [tiles]: of coef */
  double* later[2];        /* [chunks][tiles][capacity]: states behind each chunk, of workers and of the caller */
  double* x[MR_LAYERS][2]; /* a side with delays, else NULL: as those of a job, of one stage */
  MrMoves moves;           /* of a side with bands */
} MrSlot;

/* A side in a job: what plays or what fades in. */
typedef struct MrLayer {
  MrSide* side;         /* for the caller alone */
  const MrRoute* route; /* the side's, which do not change */
  const uint32_t* route_end;
  bool mid_side, silent, gained;
  uint32_t capacity;
  MrTile* tile;         /* [tiles]: copies, with coefficients and states of the slot's */
  const MrSlot* slot;   /* NULL: no sections */
  const MrMoves* moves; /* NULL: nothing moves */
  double* x[2];
} MrLayer;

struct MrBlockJob {
  MrJob job; /* first */

  /* Written again and again, by all threads: apart from what they read. */
  _Alignas(MR_ALIGN) atomic_uint claim;    /* the next part; beyond the last: closed */
  _Alignas(MR_ALIGN) atomic_uint prepared; /* tiles before this one may be run */
  atomic_bool closed;

  _Alignas(MR_ALIGN) const MrKernels* kernels;
  const MrSchedule* schedule;
  double begun_ns, handed_ns, closed_ns;
  bool stalled; /* a worker inside has been counted */
  uint32_t tiles, parts;
  MrCut cut; /* of the parts there are */
  MrPart* part;
  atomic_uchar* status;  /* [parts] MrDone */
  atomic_bool* troubled; /* [tiles] */
  bool few;              /* the last tile is run as few_channels.h has it; all others in the layout of a tile */

  uint32_t n, at, layers;
  MrLayer layer[MR_LAYERS];
  bool gains;
  double* gain;         /* [MR_SHARED_FRAMES], if it gains: the engine's */
  const double* window; /* of the fade */
  const double* unity;  /* [MR_LANES] of ones */

  MrBuffers in, out; /* copies: of the inputs; of what workers put out */
  const void** in_pointer;
  void** out_pointer;
  char *in_samples, *out_samples;
  double* nowhere;

  double* x[MR_LAYERS][2]; /* [stages][tiles][frames][MR_LANES]: samples between stages; NULL where there is one stage at most */
};

/* Frames of a layer's x. */
static inline uint32_t mr_job_room(uint32_t layer) { return layer ? MR_FADED_FRAMES : MR_SHARED_FRAMES; }

/* Where part p's samples and states of a layer lie, of a worker (0) or the caller (1). */
double* mr_job_samples(const MrBlockJob* job, uint32_t layer, const MrPart* part, uint32_t who);
double* mr_job_states(const MrBlockJob* job, uint32_t layer, uint32_t chunk, uint32_t tile, uint32_t who);

/* Whether results of a part that count are a worker's (0) or the caller's (1). */
uint32_t mr_job_winner(const MrBlockJob* job, uint32_t part);

/* Whether a tile's outputs are left to the caller as samples of x: delays are the caller's. */
bool mr_job_is_late(const MrBlockJob* job, uint32_t t);

/* The first of a tile's sections of a stage; of the stage after the last: all of them. */
static inline uint32_t mr_stage_begin(const MrTile* tile, uint32_t stage, uint32_t stages) { return stage * tile->sections / stages; }

/* A tile's inputs of a layer, through its routes and under its window, in the layout of a tile. */
void mr_job_load(const MrBlockJob* job, uint32_t layer, uint32_t t, uint32_t frame, uint32_t n, double* x);

/* Behind sections and delays: gains, the mix, and the way out, from frame `frame` of the job on, which goes to frame first + frame of `out`. x: of
   all layers. In the layout of a tile. */
void mr_job_put_out(const MrBlockJob* job, uint32_t t, const MrBuffers* out, uint32_t first, uint32_t frame, uint32_t n, double* const* x);

/* Runs a part, whose needs are met: for a worker (who = 0), or for the caller, whose outputs go to `out` from frame `first` on. Gives up, with false,
   when *done tells that someone else has done it; NULL: never. Real-time. */
bool mr_job_run_part(MrBlockJob* job, const MrPart* part, uint32_t who, const MrBuffers* out, uint32_t first, const atomic_uchar* done);

#endif
