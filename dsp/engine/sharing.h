/* A block shared with the crew: a wavefront over channels, sections and frames inside one call.
   SPDX-License-Identifier: ISC

   The frames of a block, up to MR_SHARED_FRAMES of them at a time, become parts: a lane tile's sections of one stage over one run of cells. A part
   needs the part of the stage before it on the same frames, and that of its own stage on the frames before; in the order of their diagonals, in
   which they are claimed, both come earlier. Tiles are all the parts there are where they suffice for the threads.

   The caller offers the job, copies the inputs and the states of the tiles, of which workers then take parts, and takes parts like any worker. What a
   part leaves behind has a place of its own for the caller and one for workers, and whoever is first says whose counts. So the caller does again
   whatever a worker has taken and not finished when it is needed, gives that up as soon as the worker is done, and never waits; and a late worker
   writes where nobody reads. When all is done the caller takes over the states. After trouble (bounds.h) it filters the tile again by itself, as
   without threads. Where tiles are many the first ones stay with the caller, who filters them as without threads. The bits are those of one
   thread.

   While one side fades into another, a part filters both and mixes them. Cells in which bands move are shared one by one: the caller makes the
   rows of their coefficients and copies them. The gain's glide it reckons beforehand.

   What workers write and read lies in jobs, which an engine has, and in slots of the sides, one for each job. A side may go when no worker is inside
   a job that was made with it: mr_sharer_has_let_go(). */
#ifndef MILLRACE_ENGINE_SHARING_H
#define MILLRACE_ENGINE_SHARING_H

#include "../threads/crew.h"
#include "gain.h"
#include "sample_buffers.h"
#include "sharing_judge.h"

#define MR_SHARED_FRAMES 1024u
#define MR_FADED_FRAMES  256u /* the same while a fade lasts: samples of two sides take room */
#define MR_JOBS          3u   /* of an engine: workers that are late hold one each, and the next block needs one */

typedef struct MrBlockJob MrBlockJob;

/* What an engine has for all its sides. */
typedef struct MrSharer {
  MrThreadOptions options; /* threads resolved */
  double fs;
  uint32_t channels;
  const MrKernels* kernels;
  const MrSchedule* schedule;
  MrPost* post;    /* NULL until a side can gain */
  MrBlockJob* job; /* [MR_JOBS], with the post */

  MrJudge judge; /* real-time, but for what it counts */
  bool rung;     /* in this call of process(): one wake is enough */
  bool shared;   /* a block, once */
  uint32_t held; /* a bit for each job that may have been made with a side that is to go */
} MrSharer;

/* Frames to be shared: the first of them is frame `frame` of the buffers and frame `at` of a cell. What moves does not begin within them, nor is
   silence looked for, but before them. */
typedef struct MrStretch {
  MrSide *side, *next;  /* what plays, and what fades in, or NULL */
  bool gained[2];       /* the engine's gain is for them */
  const double* window; /* [n]: of the fade */
  MrGain* gain;
  const MrBuffers* buffers; /* any planar ones, or all channels of one tile */
  bool apart;               /* a tile's outputs may be written before other tiles' inputs are read */
  bool looks;               /* silence is looked for before the first */
  uint32_t frame, at, n;
} MrStretch;

typedef struct MrSharing MrSharing;

/* NULL where the options ask for one thread or the process has one processor; *failed tells no memory from that. Workers come with the first side
   that can gain by them. Thread: control, as stop, after which no worker uses anything of the engine's, and free, which is to come after
   that of all the sharings. */
MrSharer* mr_sharer_new(const MrThreadOptions* options, double fs, uint32_t channels, const MrKernels* kernels, const MrSchedule* schedule,
                        bool* failed);
void mr_sharer_stop(MrSharer* sharer); /* NULL is allowed */
void mr_sharer_free(MrSharer* sharer); /* likewise */

/* Slots for a side, which it then has; nothing for NULL, or where its blocks can never be worth sharing, or where no workers can be had. False: no
   memory. Thread: control. */
bool mr_sharing_make(MrSharer* sharer, MrSide* side);
void mr_sharing_free(MrSharing* sharing); /* NULL is allowed; no worker is inside */

/* Whether so many frames of a side can be worth sharing. Real-time, as all below. */
bool mr_sharing_is_likely(const MrSharer* sharer, MrSide* side, bool interleaved, uint32_t n);

/* Offers a stretch to the crew. *first: tiles that are left to the caller, who filters them while at rest, as without threads, before
   mr_sharing_end(). NULL: it is not worth it, or nobody can help, and nothing has been done. */
MrBlockJob* mr_sharing_begin(MrSharer* sharer, const MrStretch* stretch, uint32_t* first);

/* Sees to it that all the rest is done. Lanes restarted. */
uint32_t mr_sharing_end(MrSharer* sharer, MrBlockJob* job, const MrStretch* stretch);

/* A call of process() with n frames begins. */
static inline void mr_sharer_begin_block(MrSharer* sharer, uint32_t n) {
  sharer->rung = false;
  mr_judge_begin_block(&sharer->judge, n);
}

/* A side is to go; and whether no worker can be inside anything of it any more. */
void mr_sharer_let_go(MrSharer* sharer);
bool mr_sharer_has_let_go(MrSharer* sharer);

/* As fresh: what blocks have shown, and a stall, are forgotten. */
void mr_sharer_reset(MrSharer* sharer);

/* Tests: called by a worker in the middle of a part. NULL: nothing. */
extern void (*mr_sharing_interrupt)(void);

#endif
