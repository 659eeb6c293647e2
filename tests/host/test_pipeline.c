/* Stages that overlap: order, ends, failures.
   SPDX-License-Identifier: ISC */
#include "pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

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
  uint8_t given[MR_PIPELINE_BLOCKS * 2][BYTES]; /* memory of the run's own */
  unsigned gave;
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

static void* give(void* run, size_t bytes) { return bytes <= BYTES ? ((Run*)run)->given[((Run*)run)->gave++] : NULL; }

static MrPipeline pipeline_of(Run* run, unsigned blocks, size_t result_bytes) {
  return (MrPipeline){.stage = {first, second, third},
                      .handle = run,
                      .blocks = blocks,
                      .sample_bytes = BYTES,
                      .result_bytes = result_bytes,
                      .tick = tick,
                      .tick_ms = 1};
}

static void blocks_pass_in_order(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 3, 4, 5, 100, 2000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    for (unsigned blocks = 0; blocks <= MR_PIPELINE_BLOCKS; blocks += 4) {
      Run run = {.blocks = counts[i], .fail_stage = -1};
      MrPipeline pipeline = pipeline_of(&run, blocks, i % 2 ? BYTES : 0);
      if (blocks) pipeline.allocate = give;
      bool started = false;
      assert_true(mr_pipeline_run(&pipeline, &started));
      assert_true(started && !run.wrong);
      assert_int_equal(run.gave, i % 2 ? 2 * blocks : blocks);
      for (int s = 0; s < 3; ++s) assert_int_equal(run.seen[s], counts[i]);
    }
  }
}

static void a_failure_stops_all(void** state) {
  (void)state;
  for (int stage = 0; stage < 3; ++stage) {
    for (uint32_t at = 0; at < 10; ++at) {
      Run run = {.blocks = 1000, .fail_stage = stage, .fail_at = at};
      bool started = false;
      const MrPipeline pipeline = pipeline_of(&run, at % 2 ? 5 : 0, 0);
      assert_false(mr_pipeline_run(&pipeline, &started));
      assert_true(started && !run.wrong);
      assert_int_equal(run.seen[stage], at + 1);
      for (int later = stage + 1; later < 3; ++later) assert_true(run.seen[later] <= at);
    }
  }
}

/* Blocks wait for each other in one stage: there are as many under way as were asked for. */
typedef struct Wait {
  uint32_t seen;
  atomic_int held, most;
} Wait;

static bool count(void* handle, MrBlock* block) {
  Wait* const wait = handle;
  const int held = atomic_fetch_add(&wait->held, 1) + 1;
  if (held > atomic_load(&wait->most)) atomic_store(&wait->most, held);
  block->last = ++wait->seen == 200;
  return true;
}

static bool hold_back(void* handle, MrBlock* block) {
  Wait* const wait = handle;
  const struct timespec ms = {0, 1000000};
  for (int i = 0; i < 2000 && !block->last && atomic_load(&wait->held) < 6 && atomic_load(&wait->most) < 6; ++i) nanosleep(&ms, NULL);
  atomic_fetch_sub(&wait->held, 1);
  return true;
}

static void no_tick(void* handle) { (void)handle; }

static void as_many_blocks_as_asked_for(void** state) {
  (void)state;
  Wait wait = {0};
  const MrPipeline pipeline = {
      .stage = {count, hold_back}, .handle = &wait, .blocks = 6, .sample_bytes = 64, .tick = no_tick, .tick_ms = 100};
  bool started = false;
  assert_true(mr_pipeline_run(&pipeline, &started));
  assert_int_equal(wait.seen, 200);
  assert_int_equal(atomic_load(&wait.most), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_pass_in_order), cmocka_unit_test(a_failure_stops_all),
                                     cmocka_unit_test(as_many_blocks_as_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
