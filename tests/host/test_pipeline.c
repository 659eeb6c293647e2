/* Stages that overlap: order, ends, failures.
   SPDX-License-Identifier: ISC */
#include "pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4096 };

typedef struct Run {
  uint32_t blocks;  /* that there are */
  uint32_t seen[3]; /* by each stage; no lock: calls of a stage may not overlap */
  int fail_stage;   /* -1: none */
  uint32_t fail_at;
  atomic_int inside[3];
  bool wrong;
  int ticks;
} Run;

static bool enter(Run* run, int stage, MrBlock* block) {
  if (atomic_fetch_add(&run->inside[stage], 1) != 0) run->wrong = true;
  const uint32_t n = run->seen[stage]++;
  if (stage == 0) {
    memset(block->samples, (int)(n & 0xff), BYTES);
    block->frames = n;
    block->last = n + 1 == run->blocks;
  }
  if (block->frames != n || ((const uint8_t*)block->samples)[BYTES - 1] != (uint8_t)(n + (uint32_t)stage - (stage != 0))) run->wrong = true;
  if (stage == 1) memset(block->samples, (int)(n + 1) & 0xff, BYTES);
  if (block->result) memset(block->result, stage, BYTES);
  atomic_fetch_sub(&run->inside[stage], 1);
  return !(stage == run->fail_stage && n == run->fail_at);
}

static bool first(void* run, MrBlock* block) { return enter(run, 0, block); }
static bool second(void* run, MrBlock* block) { return enter(run, 1, block); }
static bool third(void* run, MrBlock* block) { return enter(run, 2, block); }
static void tick(void* run) { ++((Run*)run)->ticks; }

static const MrStage stages[MR_PIPELINE_STAGES] = {first, second, third};

static void blocks_pass_in_order(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 3, 4, 5, 100, 2000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    Run run = {.blocks = counts[i], .fail_stage = -1};
    bool started = false;
    assert_true(mr_pipeline_run(stages, &run, BYTES, i % 2 ? BYTES : 0, tick, 1, &started));
    assert_true(started && !run.wrong);
    for (int s = 0; s < 3; ++s) assert_int_equal(run.seen[s], counts[i]);
  }
}

static void a_failure_stops_all(void** state) {
  (void)state;
  for (int stage = 0; stage < 3; ++stage) {
    for (uint32_t at = 0; at < 10; ++at) {
      Run run = {.blocks = 1000, .fail_stage = stage, .fail_at = at};
      bool started = false;
      assert_false(mr_pipeline_run(stages, &run, BYTES, 0, tick, 1000, &started));
      assert_true(started && !run.wrong);
      assert_int_equal(run.seen[stage], at + 1);
      for (int later = stage + 1; later < 3; ++later) assert_true(run.seen[later] <= at);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_pass_in_order), cmocka_unit_test(a_failure_stops_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
