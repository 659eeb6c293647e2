/* The kernels that were compiled: for each a launcher and what the planner has to know of it.
   SPDX-License-Identifier: ISC

   Which exist is decided where they are compiled, instances_*.cu; everything else finds them here. */
#ifndef MILLRACE_GPU_INSTANCES_CUH
#define MILLRACE_GPU_INSTANCES_CUH

#include "cost_model.h"
#include "launch.h"
#include "primitives.cuh"

struct MrGpuInstance {
  MrGpuKernel kernel;                    /* MR_GPU_SEGMENTS stands for MR_GPU_CHANNELS too */
  bool wide, fast;                       /* samples, arithmetic: as MrGpuJob has them */
  uint32_t lanes, samples;               /* of groups; of segments the threads of a block and the samples of a row */
  unsigned (*shared)(unsigned sections); /* dynamic, bytes of a block */
  cudaError_t (*attributes)(cudaFuncAttributes* attributes);
  cudaError_t (*allow)(unsigned shared); /* so many bytes of dynamic shared memory */
  cudaError_t (*occupancy)(int* blocks, unsigned shared);
  void (*launch)(const MrGpuLaunch& launch, unsigned blocks, unsigned shared, cudaStream_t stream); /* errors: cudaGetLastError() */
};

/* The tables, each ends with kernel MR_GPU_AUTO. */
extern const MrGpuInstance mr_gpu_instances_segments[], mr_gpu_instances_single[], mr_gpu_instances_double[], mr_gpu_instances_wide[],
    mr_gpu_instances_paper_single[], mr_gpu_instances_paper_double[], mr_gpu_instances_direct[];

/* All of them: f(instance). */
template <class F>
inline void mr_gpu_each_instance(F f) {
  const MrGpuInstance* const tables[] = {mr_gpu_instances_segments, mr_gpu_instances_single,       mr_gpu_instances_double,
                                         mr_gpu_instances_wide,     mr_gpu_instances_paper_single, mr_gpu_instances_paper_double,
                                         mr_gpu_instances_direct};
  for (const MrGpuInstance* table : tables)
    for (; table->kernel != MR_GPU_AUTO; table++) f(*table);
}

/* The functions of one instance; KERNEL is in parentheses. */
#define MR_GPU_UNWRAP(...) __VA_ARGS__
#define MR_GPU_INSTANCE(kind, is_wide, is_fast, L, N, threads, KERNEL, SHARED)                                                     \
  {                                                                                                                                \
    kind, is_wide, is_fast, L, N, [](unsigned sections) -> unsigned { return SHARED; },                                            \
        [](cudaFuncAttributes* a) { return cudaFuncGetAttributes(a, MR_GPU_UNWRAP KERNEL); },                                      \
        [](unsigned bytes) {                                                                                                       \
          return cudaFuncSetAttribute(MR_GPU_UNWRAP KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)); \
        },                                                                                                                         \
        [](int* blocks, unsigned bytes) {                                                                                          \
          return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, MR_GPU_UNWRAP KERNEL, threads, bytes);                      \
        },                                                                                                                         \
        [](const MrGpuLaunch& launch, unsigned blocks, unsigned bytes, cudaStream_t stream) {                                      \
          MR_LAUNCH(KERNEL, blocks, threads, bytes, stream, launch);                                                               \
        }                                                                                                                          \
  }
#define MR_GPU_NO_INSTANCE \
  { MR_GPU_AUTO, false, false, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr }

/* Of samples S in arithmetic T. */
#define MR_GPU_SEGMENTS_OF(S, T)                                                                                                           \
  MR_GPU_INSTANCE(MR_GPU_SEGMENTS, sizeof(S) == 8, sizeof(T) == 4, 32 * MR_SEGMENTS_WARPS, MrGpuSegmentsRow<S>::N, 32 * MR_SEGMENTS_WARPS, \
                  (mr_segments_kernel<S, T>), (mr_segments_shared<S, T>(sections)))
#define MR_GPU_RUNS_OF(S, T, L, N)                                                                                    \
  MR_GPU_INSTANCE(MR_GPU_RUNS, sizeof(S) == 8, sizeof(T) == 4, L, N, L, (mr_runs_kernel<S, T, MrMethodStates, L, N>), \
                  (mr_groups_shared<S, T, MrCarryOwn, L, N>(sections)))
#define MR_GPU_GROUPS_OF(kind, S, T, Method, fixed, L, N)                                                                        \
  MR_GPU_INSTANCE(kind, sizeof(S) == 8, sizeof(T) == 4, L, N, L, (mr_groups_kernel<S, T, Method, MrCarryLookback<fixed>, L, N>), \
                  (mr_groups_shared<S, T, MrCarryLookback<fixed>, L, N>(sections)))
/* The three that carry states, in one shape. */
#define MR_GPU_STATES_OF(S, T, L, N)                                                            \
  MR_GPU_RUNS_OF(S, T, L, N), MR_GPU_GROUPS_OF(MR_GPU_FIXED, S, T, MrMethodStates, true, L, N), \
      MR_GPU_GROUPS_OF(MR_GPU_WINDOWS, S, T, MrMethodStates, false, L, N)
/* The paper's three, in one shape. */
#define MR_GPU_PAPER_OF(S, T, L, N)                                          \
  MR_GPU_GROUPS_OF(MR_GPU_PH_KERNEL, S, T, MrMethodPH, false, L, N),         \
      MR_GPU_GROUPS_OF(MR_GPU_STCR_KERNEL, S, T, MrMethodSTCR, false, L, N), \
      MR_GPU_GROUPS_OF(MR_GPU_DTCR_KERNEL, S, T, MrMethodDTCR, false, L, N)

#endif
