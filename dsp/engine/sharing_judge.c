/* Whether sharing blocks pays, as the last ones have shown; and the time on one thread after a worker has stalled.
   SPDX-License-Identifier: ISC */
#include "sharing_judge.h"

#define WORTH         1.03 /* gain below which sharing does not pay */
#define TRIALS        8u   /* blocks before that is judged */
#define SMOOTHING     0.125
#define FIRST_PAUSE   64u
#define LONGEST_PAUSE 8192u
#define FIRST_DROP_S  1.0
#define LONGEST_DROPS 64u /* times the first one */
#define CALM_DROPS    8u  /* times the last one, without a stall: the next one is a first one */

static uint64_t first_drop(const MrJudge* judge) { return (uint64_t)(FIRST_DROP_S * judge->fs); }

void mr_judge_reset(MrJudge* judge) {
  judge->gain = MR_JUDGE_PROMISE;
  judge->tried = judge->paused = 0;
  judge->pause = FIRST_PAUSE;
  judge->now = judge->out = judge->stalled = judge->drop = 0;
  atomic_store_explicit(&judge->dropped, false, memory_order_relaxed);
}

bool mr_judge_lets(MrJudge* judge) {
  if (judge->out) {
    if (judge->now < judge->out) return false;
    judge->out = 0;
    atomic_store_explicit(&judge->dropped, false, memory_order_relaxed);
  }
  if (!judge->paused) return true;
  judge->paused--;
  return false;
}

void mr_judge_stall(MrJudge* judge, bool is_new) {
  if (is_new) {
    atomic_fetch_add_explicit(&judge->stalls, 1, memory_order_relaxed);
    if (judge->now - judge->stalled > CALM_DROPS * judge->drop) judge->drop = 0;
    judge->drop = judge->drop ? 2 * judge->drop : first_drop(judge);
    if (judge->drop > LONGEST_DROPS * first_drop(judge)) judge->drop = LONGEST_DROPS * first_drop(judge);
  }
  judge->stalled = judge->now;
  judge->out = judge->now + judge->drop;
  atomic_store_explicit(&judge->dropped, true, memory_order_relaxed);
}

void mr_judge_take(MrJudge* judge, const MrTaken* taken) {
  atomic_fetch_add_explicit(&judge->blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&judge->helped, taken->helped, memory_order_relaxed);
  atomic_fetch_add_explicit(&judge->redone, taken->redone, memory_order_relaxed);
  if (judge->always || !taken->own) return;
  const double alone = taken->own_ns / taken->own * taken->parts;
  judge->gain += SMOOTHING * (alone / taken->ns - judge->gain);
  if (++judge->tried < TRIALS) return;
  if (judge->gain > WORTH) {
    if (judge->tried > FIRST_PAUSE) judge->pause = FIRST_PAUSE;
    return;
  }
  judge->paused = judge->pause;
  judge->pause = judge->pause < LONGEST_PAUSE ? 2 * judge->pause : LONGEST_PAUSE;
  judge->tried = 0;
  judge->gain = MR_JUDGE_PROMISE;
}
