/* A flow graph over groups of a stream: many threads do at once what need not wait. It knows nothing of filters.
   SPDX-License-Identifier: ISC

   A run has groups 0 .. n - 1. Each is loaded, goes through all strands at once, in each through its stages one after another, and is stored:

     load -> (strand 0: stage 0 -> stage 1 -> ...)  -> store
             (strand 1: ...                       )

   A stage of a strand takes the groups in their order, one at a time, so what it keeps from group to group is its own; loads and stores of
   several groups may run at once (stores in order on request). While a thread runs a stage of one group another thread runs the stage before it
   of the next one: a wavefront. The thread that has run a stage goes on with the same group where the next stage is free, so that the group stays
   in its cache. A group has a slot while it is under way, of which there are few: what the groups hold then stays within a cache.

   The graph: Zhai, "Parallel Cascaded Recursive Filtering on Multi-Core CPUs and GPUs", 2026. It is oneTBB's, in an arena of its own; where the library
   was built without oneTBB, everything runs on the calling thread. */
#ifndef MILLRACE_THREADS_FLOW_H
#define MILLRACE_THREADS_FLOW_H

#include "../millrace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MR_FLOW_THREADS 256u /* at most */

typedef struct MrFlow MrFlow;

/* What the graph calls, on any of its threads, with FTZ and DAZ set: C functions that return. load and store may be NULL. */
typedef struct MrFlowWork {
  void* handle;
  void (*load)(void* handle, uint32_t group, uint32_t slot);
  void (*run)(void* handle, uint32_t strand, uint32_t stage, uint32_t group, uint32_t slot);
  void (*store)(void* handle, uint32_t group, uint32_t slot);
} MrFlowWork;

typedef struct MrFlowOptions {
  uint32_t threads; /* 1 to MR_FLOW_THREADS, the calling one among them */
  uint32_t strands; /* 0: nothing but loads and stores */
  uint32_t stages;  /* of each strand, 1 at least */
  uint32_t slots;   /* groups under way at most, 1 at least */
  bool store_in_order;
  MrFlowWork work;
} MrFlowOptions;

/* Whether there are threads in this build. Thread: any. */
bool mr_flow_has_threads(void);

/* A graph, to be run many times. It takes no part in what else the process does with oneTBB, but that more threads than oneTBB would have by itself
   are allowed for while it lives. MR_ERR_ARGUMENT, MR_ERR_MEMORY. Thread: control. */
MrFlow* mr_flow_new(const MrFlowOptions* options, MrStatus* status);
void mr_flow_free(MrFlow* flow); /* NULL is allowed */

/* Events of the runs to come go there; NULL: nowhere. Not owned. Thread: control, between runs. */
void mr_flow_trace(MrFlow* flow, MrTrace* trace);

/* Runs so many groups and returns when all are stored; the calling thread works too. MR_ERR_MEMORY: some were not, and none will be any more.
   Thread: any but real-time, one at a time. */
MrStatus mr_flow_run(MrFlow* flow, uint32_t groups);

#ifdef __cplusplus
}
#endif

#endif
