/* The module's one symbol: the table of what it offers.
   SPDX-License-Identifier: ISC */
#include "session.cuh"

static MrGpuPlan plan(const MrGpuSession* session) { return session->plan; }

static MrGpuStatus foresee(uint32_t device, const MrGpuJob* job, MrGpuPlan* planned, char* why) {
  const MrGpuInstance* instance = nullptr;
  return mr_gpu_plan_on(device, job, planned, &instance, why);
}

static void* allocate(MrGpuSession* session, size_t bytes) {
  char why[MR_GPU_WHY];
  MrGpuStatus status = mr_gpu_session_enter(session, why);
  return status == MR_GPU_OK ? mr_gpu_memory_new(&session->memory, true, bytes, &status, why) : nullptr;
}

static void release(MrGpuSession* session, void* memory) {
  char why[MR_GPU_WHY];
  const MrGpuStatus status = mr_gpu_session_enter(session, why);
  if (status == MR_GPU_OK || session->lost) mr_gpu_memory_release(&session->memory, memory);
}

#ifdef __CUDACC__
#define BACKEND "CUDA"
#else
#define BACKEND "emulator"
#endif

static const MrGpuApi api = {
    MR_GPU_VERSION,
    BACKEND,
    mr_gpu_devices,
    mr_gpu_session_open,
    mr_gpu_session_close,
    plan,
    foresee,
    allocate,
    release,
    mr_gpu_session_set_state,
    mr_gpu_session_submit,
    mr_gpu_session_collect,
    mr_gpu_session_measure,
};

extern "C" MR_API const MrGpuApi* mr_gpu_api(void);
extern "C" MR_API const MrGpuApi* mr_gpu_api(void) { return &api; }
