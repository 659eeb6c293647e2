/* Whether sharing blocks pays, as the last ones have shown; and the time on one thread after a worker has stalled.
   SPDX-License-Identifier: ISC

   Everything is real-time, but for what the atomics tell any thread. */
#ifndef MILLRACE_ENGINE_SHARING_JUDGE_H
#define MILLRACE_ENGINE_SHARING_JUDGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a shared block took. */
typedef struct MrTaken {
  uint32_t parts, helped, redone; /* parts of the block; that workers finished; that the caller did again */
  uint32_t own;                   /* parts that the caller did */
  double own_ns, ns;              /* for these; for all */
} MrTaken;

typedef struct MrJudge {
  bool always; /* measured, not judged */
  double fs;
  double gain;            /* smoothed: time of one thread over the time taken */
  uint32_t tried;         /* blocks shared since the last pause */
  uint32_t pause, paused; /* blocks of the next pause; left of this one */

  uint32_t block; /* frames of the host's block */
  uint64_t now;   /* frames since the last reset */
  uint64_t out, stalled,
      drop; /* when the time on one thread ends, 0: there is none; when the last stall was; how long it put the engine on one thread */

  /* Read by any thread. */
  atomic_uint_fast64_t blocks, helped, redone; /* blocks offered; parts that workers finished; that the caller did again */
  atomic_uint stalls;                          /* workers found inside a job for more than a period */
  atomic_bool dropped;                         /* after a stall, for a while: one thread */
} MrJudge;

#define MR_JUDGE_PROMISE 1.3 /* what is believed of the gain before anything has been seen */

void mr_judge_reset(MrJudge* judge);

/* A block of the host's begins. */
static inline void mr_judge_begin_block(MrJudge* judge, uint32_t n) {
  judge->block = n;
  judge->now += n;
}

/* Whether a block that promises something is to be shared now. */
bool mr_judge_lets(MrJudge* judge);

/* A block has been shared. */
void mr_judge_take(MrJudge* judge, const MrTaken* taken);

/* A worker has stalled, or, if it is not a new one, stalls still. After a new one the next time on one thread is twice as long, and as short as the
   first again after a calm that is much longer. */
void mr_judge_stall(MrJudge* judge, bool is_new);

#endif
