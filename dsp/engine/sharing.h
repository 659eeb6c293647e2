/* A block shared with the crew: a wavefront over channels, sections and frames inside one call.
   SPDX-License-Identifier: ISC

   The frames of a block, up to MR_SHARED_FRAMES of them at a time, become parts: a lane tile's sections of one stage over one run of cells. A part
   needs the part of the stage before it on the same frames, and that of its own stage on the frames before; in the order of their diagonals, in
   which they are claimed, both come earlier. Tiles are all the parts there are where they suffice for the threads.

   The caller copies the block's inputs and the tiles' states, offers the job, and takes parts like any worker. What a part leaves behind has a
   place of its own for the caller and one for workers, and whoever is first says whose counts. So the caller does again whatever a worker has taken and
   not finished when it is needed, gives that up as soon as the worker is done, and never waits; and a late worker writes where nobody reads. When
   all is done the caller takes over the states. After trouble (bounds.h) it filters the tile again by itself, as without threads. The bits are those of
   one thread.

   Sharing belongs to a side, for as long as its coefficients live. */
#ifndef MILLRACE_ENGINE_SHARING_H
#define MILLRACE_ENGINE_SHARING_H

#include "../threads/crew.h"
#include "sample_buffers.h"

#define MR_SHARED_FRAMES 1024u

/* What an engine has for all its sides. */
typedef struct MrSharer {
  MrThreadOptions options; /* threads resolved */
  double fs;
  const MrKernels* kernels;
  const MrSchedule* schedule;
  MrPost* post; /* NULL until a side can gain */

  /* Real-time: whether sharing pays, as seen by the last blocks. */
  double gain;            /* smoothed: time of one thread over the time taken */
  uint32_t tried;         /* blocks shared since the last pause */
  uint32_t pause, paused; /* blocks of the next pause; left of this one */
  uint32_t block;         /* frames of the host's block */
  bool rung;              /* in this call of process(): one wake is enough */

  /* Read by any thread. */
  atomic_uint_fast64_t blocks, helped, redone; /* blocks offered; parts that workers finished; that the caller did again */
  atomic_uint stalls;                          /* workers found inside a job for more than a period */
  atomic_bool dropped;                         /* after a stall: one thread */
} MrSharer;

typedef struct MrSharing MrSharing;

/* NULL where the options ask for one thread or the process has one processor; *failed tells no memory from that. Workers come with the first side
   that can gain by them. Thread: control, as free, which must come
   after that of all the sharings. */
MrSharer* mr_sharer_new(const MrThreadOptions* options, double fs, const MrKernels* kernels, const MrSchedule* schedule, bool* failed);
void mr_sharer_free(MrSharer* sharer); /* NULL is allowed */

/* Memory for the jobs of a side, which it then has; nothing for NULL, or where its blocks can never be worth sharing, or where no workers can be had. False: no memory. Thread: control; free waits for workers inside. */
bool mr_sharing_make(MrSharer* sharer, MrSide* side);
void mr_sharing_free(MrSharing* sharing); /* NULL is allowed */

/* Whether so many frames of a side can be worth sharing, at no cost to speak of: most blocks of most engines are not. Real-time. */
bool mr_sharing_is_likely(const MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t n);

/* Filters n frames, the first of which is frame `at` of a cell, through a side that plays alone, at a gain that rests; looks: silence is looked for
   before them, and nowhere within; in and out may be any buffers, planar ones or all channels of one tile. False: it is not worth it, or nobody can help, and nothing has been done. *found: lanes restarted. Real-time. */
bool mr_sharing_run(MrSharer* sharer, MrSide* side, const MrBuffers* buffers, double gain, uint32_t frame, uint32_t at, uint32_t n,
                    bool looks, uint32_t* found);

/* A call of process() with n frames begins. Real-time. */
void mr_sharer_begin_block(MrSharer* sharer, uint32_t n);

/* As fresh: what blocks have shown, and a stall, are forgotten. Real-time. */
void mr_sharer_reset(MrSharer* sharer);

/* Tests: called by a worker in the middle of a part. NULL: nothing. */
extern void (*mr_sharing_interrupt)(void);

#endif
