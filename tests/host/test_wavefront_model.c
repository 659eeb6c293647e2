/* The model of the wavefront against what is known exactly.
   SPDX-License-Identifier: ISC */
#include "host/wavefront_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect_time(const MrWavefront* w, double ns) {
  const MrWavefrontTime time = mr_wavefront_model(w);
  assert_true(fabs(time.ns - ns) < 1e-6 * ns);
  assert_true(fabs(time.efficiency * w->cores - time.gain) < 1e-12);
}

/* As many cores as stages: fill, run, drain, so groups + stages - 1 steps. Zhai (2026), section III: the same count for his pipeline. */
static void a_core_for_each_stage(void** state) {
  (void)state;
  for (uint32_t stages = 1; stages <= 8; stages++)
    for (uint32_t groups = 1; groups <= 40; groups += 13)
      expect_time(&(MrWavefront){.cores = stages, .strands = 1, .stages = stages, .groups = groups, .node_ns = 107},
                  107.0 * (groups + stages - 1));
}

static void one_core_does_all_the_work(void** state) {
  (void)state;
  const MrWavefront w = {
      .cores = 1, .strands = 3, .stages = 4, .groups = 9, .under_way = 2, .load_ns = 50, .node_ns = 100, .store_ns = 30, .overhead_ns = 5};
  expect_time(&w, 9 * (50 + 5 + 30 + 5 + 3 * 4 * 105.0));
}

/* Without anything in common strands are as many streams: so many rounds of them. */
static void strands_are_shared_first(void** state) {
  (void)state;
  expect_time(&(MrWavefront){.cores = 4, .strands = 8, .stages = 1, .groups = 1, .node_ns = 100}, 200);
  expect_time(&(MrWavefront){.cores = 4, .strands = 9, .stages = 1, .groups = 1, .node_ns = 100}, 300);
}

/* No more cores can be at work than there are stages, or groups under way; nothing beats the work by the cores, or the longest path. */
static void bounds_hold(void** state) {
  (void)state;
  for (uint32_t cores = 1; cores <= 16; cores++)
    for (uint32_t stages = 1; stages <= 8; stages += 2)
      for (uint32_t slots = 1; slots <= 9; slots += 4) {
        const MrWavefront w = {.cores = cores,
                               .strands = 2,
                               .stages = stages,
                               .groups = 50,
                               .under_way = slots,
                               .load_ns = 20,
                               .node_ns = 90,
                               .store_ns = 25,
                               .overhead_ns = 10,
                               .start_ns = 500};
        const double group = 30 + 35 + 2 * stages * 100.0, path = 30 + 35 + stages * 100.0;
        const MrWavefrontTime time = mr_wavefront_model(&w);
        assert_true(time.ns >= 500 + 50 * group / cores - 1e-6);
        assert_true(time.ns >= 500 + 50 * path / slots - 1e-6);
        assert_true(time.ns <= 500 + 50 * group + 1e-6);
        assert_true(time.gain <= cores + 1e-9);
      }
  /* one group at a time: its longest path, again and again */
  expect_time(
      &(MrWavefront){.cores = 4, .strands = 1, .stages = 5, .groups = 10, .under_way = 1, .load_ns = 10, .node_ns = 100, .store_ns = 10},
      5200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_core_for_each_stage), cmocka_unit_test(one_core_does_all_the_work),
                                     cmocka_unit_test(strands_are_shared_first), cmocka_unit_test(bounds_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
