/* The judge of sharing: it stops where sharing does not pay and tries again; a stall puts an engine on one thread for a while, longer each time,
   until there has been a long calm.
   SPDX-License-Identifier: ISC */
#include "dsp/engine/sharing_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RATE = 48000, BLOCK = 480, BLOCKS_A_SECOND = RATE / BLOCK };

static MrJudge fresh(void) {
  MrJudge judge = {.fs = RATE};
  mr_judge_reset(&judge);
  return judge;
}

/* Blocks until sharing is let, at most so many. */
static int blocks_until_let(MrJudge* judge, int most) {
  for (int i = 1; i <= most; i++) {
    mr_judge_begin_block(judge, BLOCK);
    if (mr_judge_lets(judge)) return i;
  }
  return 0;
}

static void share_blocks(MrJudge* judge, int blocks, double gain) {
  for (int i = 0; i < blocks; i++) {
    mr_judge_begin_block(judge, BLOCK);
    if (!mr_judge_lets(judge)) continue;
    mr_judge_take(judge, &(MrTaken){.parts = 4, .helped = 2, .own = 2, .own_ns = 1000 * gain, .ns = 2000});
  }
}

static void a_stall_is_counted_and_ends(void** state) {
  (void)state;
  MrJudge judge = fresh();
  assert_true(mr_judge_lets(&judge));
  for (int stall = 0; stall < 10; stall++) {
    mr_judge_stall(&judge, true);
    assert_int_equal(judge.stalls, stall + 1);
    assert_true(judge.dropped);
    const int seconds = 1 << (stall < 6 ? stall : 6); /* a second, then twice as long each time, to a minute and a bit */
    assert_int_equal(blocks_until_let(&judge, 1 << 20), seconds * BLOCKS_A_SECOND);
    assert_false(judge.dropped);
  }
}

static void a_worker_that_stalls_still_is_not_counted_again(void** state) {
  (void)state;
  MrJudge judge = fresh();
  mr_judge_stall(&judge, true);
  assert_int_equal(blocks_until_let(&judge, 1000), BLOCKS_A_SECOND);
  mr_judge_stall(&judge, false);
  assert_true(judge.dropped);
  assert_int_equal(judge.stalls, 1);
  assert_int_equal(blocks_until_let(&judge, 1000), BLOCKS_A_SECOND); /* and no longer */
}

static void after_a_calm_a_stall_is_a_first_one(void** state) {
  (void)state;
  MrJudge judge = fresh();
  for (int i = 0; i < 3; i++) {
    mr_judge_stall(&judge, true);
    assert_true(blocks_until_let(&judge, 1 << 20) > 0);
  }
  share_blocks(&judge, 40 * BLOCKS_A_SECOND, 2); /* four seconds it was */
  mr_judge_stall(&judge, true);
  assert_int_equal(blocks_until_let(&judge, 1 << 20), BLOCKS_A_SECOND);
  mr_judge_stall(&judge, true);
  mr_judge_reset(&judge);
  assert_false(judge.dropped);
  assert_true(mr_judge_lets(&judge));
}

static void what_does_not_pay_is_tried_less_and_less(void** state) {
  (void)state;
  MrJudge judge = fresh();
  share_blocks(&judge, 1000, 2);
  assert_int_equal(judge.blocks, 1000);
  assert_int_equal(judge.helped, 2000);
  share_blocks(&judge, 100000, 0.9);
  assert_true(judge.blocks > 1008);
  assert_in_range(judge.blocks, 1009, 1000 + 400);
  assert_false(judge.dropped);
  const uint64_t before = judge.blocks;
  share_blocks(&judge, 20000, 2); /* it pays again */
  assert_true(judge.blocks > before + 5000);
  MrJudge always = {.fs = RATE, .always = true};
  mr_judge_reset(&always);
  share_blocks(&always, 1000, 0.5);
  assert_int_equal(always.blocks, 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stall_is_counted_and_ends), cmocka_unit_test(a_worker_that_stalls_still_is_not_counted_again),
      cmocka_unit_test(after_a_calm_a_stall_is_a_first_one), cmocka_unit_test(what_does_not_pay_is_tried_less_and_less)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
