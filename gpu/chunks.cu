/* Chunks on their way through a session.
   SPDX-License-Identifier: ISC */
#include <cstdio>
#include <cstring>

#include "session.cuh"

enum { CELL = 64 };

static MrGpuStatus refuse(char* why, const char* text) {
  snprintf(why, MR_GPU_WHY, "%s", text);
  return MR_GPU_REFUSED;
}

static void* state_of(MrGpuSession* s, uint64_t chunk) { return s->state[chunk % (s->job.submissions + 1)]; }

MrGpuStatus mr_gpu_session_set_state(MrGpuSession* s, const double* state, char* why) {
  const MrGpuStatus status = mr_gpu_session_enter(s, why);
  if (status != MR_GPU_OK) return status;
  if (s->tables.histories) return refuse(why, "a kernel that carries outputs takes no states");
  if (s->submitted != s->collected || !s->job.submissions) return refuse(why, "chunks are under way");
  void* const own = s->slot[0].state; /* nothing is under way, so nobody uses it */
  mr_gpu_tables_state_in(&s->tables, state, own);
  return mr_gpu_session_step(s, cudaMemcpy(state_of(s, s->submitted), own, s->state_bytes, cudaMemcpyHostToDevice), "setting the state",
                             why);
}

/* Samples of a chunk to or from the card: all of it, or a part of every channel. */
static cudaError_t copy(const MrGpuSession* s, void* to, const void* from, uint32_t frames, cudaMemcpyKind kind, cudaStream_t stream) {
  const size_t row = frames * s->sample, step = s->channel_step * s->sample;
  if (s->job.interleaved) return cudaMemcpyAsync(to, from, row * s->job.channels, kind, stream);
  if (frames == s->job.chunk) return cudaMemcpyAsync(to, from, step * s->job.channels, kind, stream);
  return cudaMemcpy2DAsync(to, step, from, step, row, s->job.channels, kind, stream);
}

static cudaError_t send(MrGpuSession* s, MrGpuSlot* slot, const void* in, void* out, uint32_t frames) {
  void *const state_in = state_of(s, s->submitted), *const state_out = state_of(s, s->submitted + 1);
  cudaError_t e = copy(s, slot->in, in, frames, cudaMemcpyHostToDevice, s->in);
  if (e == cudaSuccess) e = cudaEventRecord(slot->arrived, s->in);
  if (e == cudaSuccess) e = cudaStreamWaitEvent(s->run, slot->arrived, 0);
  if (e == cudaSuccess) e = cudaMemsetAsync(slot->troubles, 0, sizeof *slot->troubles, s->run);
  if (e == cudaSuccess) e = mr_gpu_session_launch(s, slot->in, slot->out, frames, state_in, state_out, slot->troubles);
  if (e == cudaSuccess) e = cudaEventRecord(slot->done, s->run);
  if (e == cudaSuccess) e = cudaStreamWaitEvent(s->out, slot->done, 0);
  if (e == cudaSuccess) e = copy(s, out, slot->out, frames, cudaMemcpyDeviceToHost, s->out);
  if (e == cudaSuccess && s->state_bytes) e = cudaMemcpyAsync(slot->state, state_out, s->state_bytes, cudaMemcpyDeviceToHost, s->out);
  if (e == cudaSuccess) e = cudaMemcpyAsync(slot->troubles_back, slot->troubles, sizeof *slot->troubles, cudaMemcpyDeviceToHost, s->out);
  if (e == cudaSuccess) e = cudaEventRecord(slot->back, s->out);
  return e;
}

MrGpuStatus mr_gpu_session_submit(MrGpuSession* s, const void* in, void* out, uint32_t frames, char* why) {
  const MrGpuStatus status = mr_gpu_session_enter(s, why);
  if (status != MR_GPU_OK) return status;
  if (s->submitted - s->collected >= s->job.submissions) return refuse(why, "all chunks that may be under way are");
  if (!frames || frames > s->job.chunk) return refuse(why, "a chunk has one frame, and as many as the job says at most");
  if (s->plan.kernel == MR_GPU_PLR_KERNEL) return refuse(why, "PLR is for measurements");
  if (s->ended) return refuse(why, "the stream's last chunk was there");
  s->ended = frames % CELL != 0;
  cudaError_t error = cudaSuccess;
  {
    const std::lock_guard<std::mutex> guard(s->sending);
    if (!s->lost) error = send(s, &s->slot[s->submitted % s->job.submissions], in, out, frames);
  }
  if (error == cudaSuccess && s->lost) return mr_gpu_session_enter(s, why);
  const MrGpuStatus sent = mr_gpu_session_step(s, error, "sending a chunk to the card", why);
  if (sent == MR_GPU_OK) s->submitted++;
  return sent;
}

MrGpuStatus mr_gpu_session_collect(MrGpuSession* s, double* state, uint64_t* troubles, char* why) {
  MrGpuStatus status = mr_gpu_session_enter(s, why);
  if (status != MR_GPU_OK) return status;
  if (s->submitted == s->collected) return refuse(why, "nothing is under way");
  const MrGpuSlot* const slot = &s->slot[s->collected % s->job.submissions];
  status = mr_gpu_session_step(s, cudaEventSynchronize(slot->back), "filtering a chunk on the card", why);
  if (status != MR_GPU_OK) return status;
  s->troubles += *slot->troubles_back;
  *troubles = s->troubles;
  if (state && s->tables.histories)
    status = refuse(why, "a kernel that carries outputs gives no states");
  else if (state)
    mr_gpu_tables_state_out(&s->tables, slot->state, state);
  s->collected++; /* from here on the slot may be sent anew */
  return status;
}
