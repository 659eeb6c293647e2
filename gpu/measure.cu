/* The kernels alone, by the card's clock.
   SPDX-License-Identifier: ISC */
#include <cstdio>
#include <cstdlib>

#include "session.cuh"

/* White noise between -1 and 1, the same every time. */
template <class S>
static void fill_noise(S* x, size_t n) {
  uint32_t state = 2463534242u; /* G. Marsaglia, "Xorshift RNGs", 2003 */
  for (size_t i = 0; i < n; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    x[i] = static_cast<S>(static_cast<int32_t>(state)) * static_cast<S>(0x1p-31);
  }
}

/* What a measurement has of its own. */
struct Bench {
  MrGpuMemory memory;
  void* in[16];
  void *out, *state; /* the session's own stays as it is */
  uint32_t* troubles;
  cudaEvent_t begin, end;
};

static MrGpuStatus make(MrGpuSession* s, Bench* b, size_t bytes, uint32_t buffers, char* why) {
  MrGpuStatus status = MR_GPU_OK;
  void* const noise = mr_gpu_memory_new(&b->memory, true, bytes, &status, why);
  if (!noise) return status;
  if (s->job.wide)
    fill_noise(static_cast<double*>(noise), bytes / sizeof(double));
  else
    fill_noise(static_cast<float*>(noise), bytes / sizeof(float));
  for (uint32_t i = 0; i < buffers && status == MR_GPU_OK; i++) {
    b->in[i] = mr_gpu_memory_new(&b->memory, false, bytes, &status, why);
    if (b->in[i])
      status = mr_gpu_session_step(s, cudaMemcpy(b->in[i], noise, bytes, cudaMemcpyHostToDevice), "copying noise to the card", why);
  }
  if (status == MR_GPU_OK) b->out = mr_gpu_memory_new(&b->memory, false, bytes, &status, why);
  if (status == MR_GPU_OK) b->troubles = static_cast<uint32_t*>(mr_gpu_memory_new(&b->memory, false, sizeof *b->troubles, &status, why));
  if (status == MR_GPU_OK) b->state = mr_gpu_memory_new(&b->memory, false, s->state_bytes, &status, why);
  for (cudaEvent_t* event : {&b->begin, &b->end})
    if (status == MR_GPU_OK) status = mr_gpu_session_step(s, cudaEventCreate(event), "making an event", why);
  return status;
}

static cudaError_t measure_one(MrGpuSession* s, const Bench* b, const void* in, uint32_t frames, size_t bytes, bool copy, double* seconds) {
  float ms = 0;
  cudaError_t e = cudaEventRecord(b->begin, s->run);
  if (e == cudaSuccess && copy) e = cudaMemcpyAsync(b->out, in, bytes, cudaMemcpyDeviceToDevice, s->run);
  if (e == cudaSuccess && !copy)
    e = mr_gpu_session_launch(s, in, b->out, frames, s->state[s->submitted % (s->job.submissions + 1)], b->state, b->troubles);
  if (e == cudaSuccess) e = cudaEventRecord(b->end, s->run);
  if (e == cudaSuccess) e = cudaEventSynchronize(b->end);
  if (e == cudaSuccess) e = cudaEventElapsedTime(&ms, b->begin, b->end);
  *seconds = 1e-3 * static_cast<double>(ms);
  return e;
}

MrGpuStatus mr_gpu_session_measure(MrGpuSession* s, uint64_t frames, uint32_t buffers, uint32_t rounds, bool copy, double* seconds,
                                   char* why) {
  MrGpuStatus status = mr_gpu_session_enter(s, why);
  if (status != MR_GPU_OK) return status;
  if (!frames || frames > s->job.chunk || !buffers || buffers > 16 || s->submitted != s->collected) {
    snprintf(why, MR_GPU_WHY, "measurements take a chunk's frames at most and 1 to 16 buffers, with nothing under way");
    return MR_GPU_REFUSED;
  }
  Bench b = {};
  const size_t bytes = s->channel_step * s->job.channels * s->sample;
  const size_t copied = static_cast<size_t>(frames) * s->job.channels * s->sample;
  status = make(s, &b, bytes, buffers, why);
  for (uint32_t i = 0; i < rounds && status == MR_GPU_OK; i++)
    status = mr_gpu_session_step(s, measure_one(s, &b, b.in[i % buffers], static_cast<uint32_t>(frames), copied, copy, &seconds[i]),
                                 "measuring", why);
  for (cudaEvent_t event : {b.begin, b.end})
    if (event) cudaEventDestroy(event);
  mr_gpu_memory_free(&b.memory, false);
  return status;
}
