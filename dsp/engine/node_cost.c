/* What a node of the flow graph costs beside its work.
   SPDX-License-Identifier: ISC */
#include <time.h>

#include "../threads/flow.h"
#include "parallel_plan.h"

#define GROUPS  12500u
#define STRANDS 2u
#define STAGES  4u

static void nothing(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot) {
  (void)handle;
  (void)strand;
  (void)stage;
  (void)group;
  (void)slot;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double mr_renderer_node_ns(uint32_t threads) {
  const uint32_t count = mr_parallel_threads(threads);
  if (count < 2) return 0;
  const MrFlowOptions options = {.threads = count, .strands = STRANDS, .stages = STAGES, .slots = 2 * count, .work = {.run = nothing}};
  MrStatus status;
  MrFlow* flow = mr_flow_new(&options, &status);
  if (!flow) return 0;
  mr_flow_run(flow, GROUPS / 10); /* wakes the threads */
  const double begin = now_ns();
  mr_flow_run(flow, GROUPS);
  const double taken = now_ns() - begin;
  mr_flow_free(flow);
  return taken / (GROUPS * STRANDS * STAGES);
}
