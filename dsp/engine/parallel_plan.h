/* How a renderer's work is shared by threads: strands, stages, grain. A part of the schedule plan; it changes no bit.
   SPDX-License-Identifier: ISC

   Strands (channels, or lane tiles) need nothing of each other, so they are shared first. Where they are fewer than threads, the sections of each are
   cut into stages, and a wavefront of stages x groups gives the threads their work. Nodes are of equal rank and taken as threads come free, so a slow
   core takes fewer. Threads are not pinned. */
#ifndef MILLRACE_ENGINE_PARALLEL_PLAN_H
#define MILLRACE_ENGINE_PARALLEL_PLAN_H

#include "../millrace.h"

/* A node's own time beside its work: 0.25 us with its sequencer, as `millrace bench --threads` measures it; so a node is to
   take 25 us, and 5 us where a call is short. */
#define MR_NODE_NS       25000.0
#define MR_NODE_LEAST_NS 5000.0

/* What is to be shared. */
typedef struct MrParallelNeed {
  uint32_t threads;   /* wanted; 0: as many as processors */
  uint32_t grain;     /* wanted; 0: planned */
  uint32_t stages;    /* wanted; 0: planned */
  uint32_t strands;   /* 0: groups need nothing of each other */
  uint32_t sections;  /* of the longest strand */
  double frame_ns;    /* a frame of one strand: all that is not sections */
  double section_ns;  /* a frame of one strand: each section */
  size_t frame_bytes; /* a frame of a group while it is under way */
  uint32_t unit;      /* frames: a grain is a multiple */
} MrParallelNeed;

typedef struct MrParallelPlan {
  uint32_t threads; /* 1: nothing is shared, and all else is 1 */
  uint32_t strands, stages;
  uint32_t grain; /* frames of a group, at most */
  uint32_t slots; /* groups under way at once */
  uint32_t unit;
  bool fixed;      /* the grain is what was wanted */
  double frame_ns; /* of all strands */
} MrParallelPlan;

/* The threads that a wish for so many comes to, before anything is known of the work. Thread: control. */
uint32_t mr_parallel_threads(uint32_t wanted);

/* Thread: control. */
MrParallelPlan mr_parallel_plan(const MrParallelNeed* need);

/* Frames of a group in a call of n frames; 0 where the call is not worth sharing. Thread: any. */
uint32_t mr_parallel_grain(const MrParallelPlan* plan, uint32_t n);

/* Frames of a call in which all threads have enough to do. Thread: any. */
uint32_t mr_parallel_call(const MrParallelPlan* plan);

#endif
