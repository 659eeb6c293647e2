/* The flow graph: every node once for each group, stages in order, few groups under way, in the mode of a task, over many runs.
   SPDX-License-Identifier: ISC */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>

#include "dsp/kernel/fpmode.h"
#include "dsp/threads/flow.h"

enum { STRANDS = 3, STAGES = 4, SLOTS = 5, GROUPS = 700 };

typedef struct Watch {
  MrFlow* flow;
  uint32_t next[STRANDS][STAGES]; /* the graph's order alone guards these */
  uint32_t stored_next;
  bool in_order;
  atomic_uint loads, runs, stores, wrong;
  atomic_uint under_way, slot_taken[SLOTS];
  uint32_t path[SLOTS][STRANDS]; /* stages that a group in a slot has been through */
} Watch;

static void check(Watch* w, bool right) {
  if (!right) atomic_fetch_add(&w->wrong, 1);
}

/* A product that is subnormal, which flushing makes zero. */
static bool flushes(void) {
#if defined(__SSE2__) || defined(__aarch64__)
  volatile double tiny = 1e-300;
  return tiny * 1e-10 == 0;
#else
  return true;
#endif
}

static void load(void* handle, uint32_t group, uint32_t slot) {
  Watch* w = handle;
  (void)group;
  check(w, slot < SLOTS && atomic_fetch_add(&w->slot_taken[slot], 1) == 0);
  check(w, atomic_fetch_add(&w->under_way, 1) < SLOTS);
  check(w, flushes());
  memset(w->path[slot], 0, sizeof w->path[slot]);
  atomic_fetch_add(&w->loads, 1);
}

static void run(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot) {
  Watch* w = handle;
  check(w, w->next[strand][stage]++ == group);
  check(w, w->path[slot][strand]++ == stage);
  check(w, flushes());
  atomic_fetch_add(&w->runs, 1);
}

static void store(void* handle, uint32_t group, uint32_t slot) {
  Watch* w = handle;
  for (uint32_t strand = 0; strand < STRANDS; strand++) check(w, w->path[slot][strand] == STAGES);
  check(w, !w->in_order || w->stored_next++ == group);
  atomic_fetch_sub(&w->under_way, 1);
  atomic_fetch_sub(&w->slot_taken[slot], 1);
  atomic_fetch_add(&w->stores, 1);
}

static void every_node_once_and_in_order(void** state) {
  (void)state;
  static const uint32_t threads[] = {1, 2, 3, 4, 8, 16};
  for (int i = 0; i < 12; i++) {
    Watch* w = calloc(1, sizeof *w);
    w->in_order = i % 2;
    const MrFlowOptions options = {.threads = threads[i / 2],
                                   .strands = STRANDS,
                                   .stages = STAGES,
                                   .slots = SLOTS,
                                   .store_in_order = w->in_order,
                                   .work = {w, load, run, store}};
    MrStatus status;
    MrFlow* flow = mr_flow_new(&options, &status);
    assert_int_equal(status, MR_OK);
    for (uint32_t round = 1; round <= 4; round++) {
      const uint32_t groups = round == 2 ? 1 : round == 3 ? 0 : GROUPS;
      memset(w->next, 0, sizeof w->next);
      w->stored_next = 0;
      atomic_store(&w->loads, 0);
      atomic_store(&w->runs, 0);
      atomic_store(&w->stores, 0);
      assert_int_equal(mr_flow_run(flow, groups), MR_OK);
      assert_int_equal(atomic_load(&w->loads), groups);
      assert_int_equal(atomic_load(&w->runs), groups * STRANDS * STAGES);
      assert_int_equal(atomic_load(&w->stores), groups);
      assert_int_equal(atomic_load(&w->wrong), 0);
    }
    mr_flow_free(flow);
    free(w);
  }
}

static atomic_uint calls;
static void count_only(void* handle, uint32_t group, uint32_t slot) {
  (void)handle;
  (void)group;
  (void)slot;
  atomic_fetch_add(&calls, 1);
}

static void groups_without_strands(void** state) {
  (void)state;
  const MrFlowOptions options = {.threads = 4, .strands = 0, .stages = 1, .slots = 4, .work = {NULL, count_only, NULL, NULL}};
  MrStatus status;
  MrFlow* flow = mr_flow_new(&options, &status);
  assert_int_equal(status, MR_OK);
  atomic_store(&calls, 0);
  assert_int_equal(mr_flow_run(flow, 1000), MR_OK);
  assert_int_equal(atomic_load(&calls), 1000);
  mr_flow_free(flow);
}

static void run_nothing(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot) {
  (void)handle;
  (void)strand;
  (void)stage;
  (void)group;
  (void)slot;
}

static void senseless_options_are_refused(void** state) {
  (void)state;
  MrFlowOptions good = {.threads = 2, .strands = 1, .stages = 1, .slots = 1, .work = {.run = run_nothing}}, bad[5];
  for (int i = 0; i < 5; i++) bad[i] = good;
  bad[0].threads = 0;
  bad[1].threads = MR_FLOW_THREADS + 1;
  bad[2].stages = 0;
  bad[3].slots = 0;
  bad[4].work.run = NULL;
  for (int i = 0; i < 5; i++) {
    MrStatus status = MR_OK;
    assert_null(mr_flow_new(&bad[i], &status));
    assert_int_equal(status, MR_ERR_ARGUMENT);
  }
  mr_flow_free(NULL);
}

static void a_trace_has_every_node(void** state) {
  (void)state;
  static MrTraceEvent event[4 * 50];
  MrTrace trace = {event, 4 * 50, 0};
  const MrFlowOptions options = {.threads = 2, .strands = 1, .stages = 2, .slots = 3, .work = {NULL, count_only, run_nothing, count_only}};
  MrStatus status;
  MrFlow* flow = mr_flow_new(&options, &status);
  mr_flow_trace(flow, &trace);
  assert_int_equal(mr_flow_run(flow, 50), MR_OK);
  mr_flow_trace(flow, NULL);
  assert_int_equal(mr_flow_run(flow, 50), MR_OK);
  assert_int_equal(trace.count, 4 * 50);
  uint64_t ends[50][4];
  uint32_t seen[50][4] = {{0}};
  for (uint32_t i = 0; i < trace.count; i++) {
    const MrTraceEvent* e = &event[i];
    const uint32_t place = e->node == MR_TRACE_LOAD ? 0 : e->node == MR_TRACE_STORE ? 3 : 1 + e->stage;
    assert_true(e->group < 50 && e->thread < 2 && e->begin <= e->end && e->strand == 0);
    seen[e->group][place]++;
    ends[e->group][place] = e->end;
  }
  for (uint32_t g = 0; g < 50; g++)
    for (uint32_t p = 0; p < 4; p++) {
      assert_int_equal(seen[g][p], 1);
      assert_true(!p || ends[g][p] >= ends[g][p - 1]);
    }
  mr_flow_free(flow);
}

/* The caller's mode is as it was, and its own work in another. */
static void the_callers_mode_returns(void** state) {
  (void)state;
  const MrFlowOptions options = {.threads = 2, .strands = 1, .stages = 1, .slots = 2, .work = {.run = run_nothing}};
  MrStatus status;
  MrFlow* flow = mr_flow_new(&options, &status);
  volatile double least = 1e-310;
  const double before = least * 1;
  assert_int_equal(mr_flow_run(flow, 100), MR_OK);
  assert_true(least * 1 == before && before > 0);
  mr_flow_free(flow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_node_once_and_in_order),  cmocka_unit_test(groups_without_strands),
      cmocka_unit_test(senseless_options_are_refused), cmocka_unit_test(a_trace_has_every_node),
      cmocka_unit_test(the_callers_mode_returns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
