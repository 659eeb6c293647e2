/* How long kernels take on a card: a model of its memory, its arithmetic, and what waits for what.
   SPDX-License-Identifier: ISC

   After Zhai, "Parallel Cascaded Recursive Filtering on Multi-Core CPUs and GPUs", 2026, equations 27 to 30, which set a kernel's time by its memory
   floor, the price of its barriers, the floor below which latencies are not hidden, and the blocks that are resident. Here the same terms serve
   kernels that look back and kernels that start early:

     memory      bytes read and written / bandwidth
     arithmetic  the busier of two: all instructions at the rate at which they are issued, and float64 ones at the rate of their units
     hiding      waves of resident blocks, each as long as one block waits for itself: samples in a row times the recursion's latency, scans, barriers
     chain       groups in a row / groups that a carry passes in one look back

   and a launch takes the longest of them. The constants are latencies of current cards in clocks, rounded: they set which kernel is
   taken, never a sample. */
#ifndef MILLRACE_GPU_COST_MODEL_H
#define MILLRACE_GPU_COST_MODEL_H

#include "millrace_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel's instance as compiled. */
typedef struct MrGpuResource {
  MrGpuKernel kernel; /* MR_GPU_SEGMENTS stands for MR_GPU_CHANNELS too */
  bool wide, fast;
  uint32_t lanes, samples;  /* of groups: L, N; of segments lanes is the threads of a block and samples those of a row */
  uint32_t registers;       /* of a thread */
  uint32_t shared;          /* bytes of a block, without what depends on the sections */
  uint32_t section_shared;  /* bytes of a block for each section */
} MrGpuResource;

/* Work of a launch. */
typedef struct MrGpuWork {
  uint32_t channels, sections;
  uint64_t frames;
  bool wide, fast;
} MrGpuWork;

/* How it is cut. */
typedef struct MrGpuCut {
  uint64_t segment_frames; /* segments, and frames of a run */
  uint32_t segments;       /* of a channel: segments, runs, or groups */
  uint32_t early;          /* frames */
  uint32_t depth;          /* fixed look-back: groups of the deepest section; 0: none or as far as it takes */
} MrGpuCut;

typedef struct MrGpuCost {
  uint32_t resident; /* blocks on a multiprocessor; 0: it does not fit at all */
  double memory_s, arithmetic_s, hiding_s, chain_s;
  double total_s;
} MrGpuCost;

/* Blocks of `threads` threads that a multiprocessor holds at once: the least that its threads, its blocks, its registers (whole eights a thread, whole
   warps) and its shared memory (1 KiB of it is the system's in each block) allow. Thread: any. */
uint32_t mr_gpu_resident(const MrGpuDevice* device, uint32_t threads, uint32_t registers, uint32_t shared);

/* Thread: any; no allocation. */
MrGpuCost mr_gpu_cost(const MrGpuDevice* device, const MrGpuResource* resource, const MrGpuWork* work, const MrGpuCut* cut);

/* Seconds to bring so many bytes to the card and as many back, both ways at once. */
double mr_gpu_transfer(const MrGpuDevice* device, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
