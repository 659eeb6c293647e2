/* A flow graph over groups of a stream, without oneTBB: everything on the calling thread, group after group.
   SPDX-License-Identifier: ISC */
#include "../flow.h"

#include <stdlib.h>
#include <time.h>

#include "../../kernel/fpmode.h"

struct MrFlow {
  MrFlowOptions options;
  MrTrace* trace;
};

bool mr_flow_has_threads(void) { return false; }

MrFlow* mr_flow_new(const MrFlowOptions* options, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  if (!options->threads || options->threads > MR_FLOW_THREADS || !options->slots || !options->stages ||
      (options->strands && !options->work.run))
    return NULL;
  MrFlow* flow = calloc(1, sizeof *flow);
  *status = flow ? MR_OK : MR_ERR_MEMORY;
  if (flow) flow->options = *options;
  return flow;
}

void mr_flow_free(MrFlow* flow) { free(flow); }

void mr_flow_trace(MrFlow* flow, MrTrace* trace) { flow->trace = trace; }

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void record(MrFlow* flow, MrTraceNode node, uint32_t strand, uint32_t stage, uint32_t group, uint64_t begin) {
  MrTrace* trace = flow->trace;
  if (!trace || trace->count++ >= trace->room) return;
  trace->event[trace->count - 1] = (MrTraceEvent){node, strand, stage, group, 0, begin, now()};
}

MrStatus mr_flow_run(MrFlow* flow, uint32_t groups) {
  const MrFlowOptions* o = &flow->options;
  const MrFpMode host = mr_fpmode_enter();
  for (uint32_t group = 0; group < groups; group++) {
    uint64_t begin = now();
    if (o->work.load) {
      o->work.load(o->work.handle, group, 0);
      record(flow, MR_TRACE_LOAD, 0, 0, group, begin);
    }
    for (uint32_t strand = 0; strand < o->strands; strand++)
      for (uint32_t stage = 0; stage < o->stages; stage++) {
        begin = now();
        o->work.run(o->work.handle, strand, stage, group, 0);
        record(flow, MR_TRACE_RUN, strand, stage, group, begin);
      }
    begin = now();
    if (o->work.store) {
      o->work.store(o->work.handle, group, 0);
      record(flow, MR_TRACE_STORE, 0, 0, group, begin);
    }
  }
  mr_fpmode_leave(host);
  return MR_OK;
}
