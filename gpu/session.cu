/* A session's making and end, and how a launch is cut.
   SPDX-License-Identifier: ISC */
#include "session.cuh"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

static constexpr uint32_t CELL = 64, WARP = 32;

MrGpuStatus mr_gpu_session_step(MrGpuSession* s, cudaError_t error, const char* doing, char* why) {
  const MrGpuStatus status = mr_gpu_told(error, doing, why);
  if (status == MR_GPU_OK) return status;
  const std::lock_guard<std::mutex> guard(s->sending);
  if (!s->lost) {
    memcpy(s->why, why, sizeof s->why);
    s->lost = true;
    for (cudaStream_t stream : {s->in, s->run, s->out}) cudaStreamSynchronize(stream);
  }
  return MR_GPU_LOST;
}

MrGpuStatus mr_gpu_session_enter(MrGpuSession* s, char* why) {
  if (s->owner != getpid()) {
    snprintf(why, MR_GPU_WHY, "the session is the parent's of this process");
    return MR_GPU_LOST;
  }
  if (s->lost) {
    memcpy(why, s->why, sizeof s->why);
    return MR_GPU_LOST;
  }
  return mr_gpu_session_step(s, cudaSetDevice(s->device), "taking the card", why);
}

/* ---------------------------------------------------------------- launch */

static bool is_in_segments(const MrGpuSession* s) { return s->instance->kernel == MR_GPU_SEGMENTS; }

static MrGpuSegments cut_segments(const MrGpuSession* s, uint32_t frames) {
  MrGpuSegments cut = {};
  const uint32_t channels = s->job.channels;
  const bool one = s->plan.kernel == MR_GPU_CHANNELS; /* a segment is all of the launch */
  const uint64_t whole = (static_cast<uint64_t>(frames) + CELL - 1) / CELL * CELL;
  cut.frames = one || s->plan.segment_frames > whole ? whole : s->plan.segment_frames;
  cut.early = one ? 0 : s->plan.early;
  cut.count = static_cast<uint32_t>((frames + cut.frames - 1) / cut.frames);
  if (s->job.interleaved)
    cut.lane_channels = channels < WARP ? channels : WARP;
  else
    cut.lane_channels = one && channels > 1 ? WARP : 1; /* neighbours share lanes' accesses as well in time as over channels */
  cut.lane_segments = WARP / cut.lane_channels;
  cut.channel_warps = (channels + cut.lane_channels - 1) / cut.lane_channels;
  cut.over_channels = (65536 + cut.lane_channels - 1) / cut.lane_channels;
  return cut;
}

static unsigned blocks_of_segments(const MrGpuSession* s, const MrGpuSegments& cut) {
  const uint32_t warps = (cut.count + cut.lane_segments - 1) / cut.lane_segments * cut.channel_warps, each = s->instance->lanes / WARP;
  return (warps + each - 1) / each;
}

/* A launch that looks back takes a ticket for each group of each channel. */
static MrGpuGroups cut_groups(MrGpuSession* s, uint32_t frames, unsigned* blocks) {
  MrGpuGroups g = {};
  const uint32_t group = s->plan.lanes * s->plan.samples;
  g.count = (frames + group - 1) / group;
  g.ticket = s->ticket;
  g.flag = s->flag;
  g.local = s->local;
  g.global = s->global;
  g.depth = s->depth;
  if (s->instance->kernel == MR_GPU_RUNS) {
    g.run = static_cast<uint32_t>(s->plan.segment_frames / group);
    g.early = s->plan.early / group;
    *blocks = (g.count + g.run - 1) / g.run * s->job.channels;
    return g;
  }
  *blocks = g.count * s->job.channels;
  g.ticket_base = s->tickets;
  g.launch = ++s->launches;
  s->tickets += *blocks;
  return g;
}

cudaError_t mr_gpu_session_launch(MrGpuSession* s, const void* in, void* out, uint32_t frames, const void* state_in, void* state_out,
                                  uint32_t* troubles) {
  MrGpuLaunch launch = {};
  launch.samples.in = in;
  launch.samples.out = out;
  launch.samples.frames = frames;
  launch.samples.channel_step = s->channel_step;
  launch.samples.channels = s->job.channels;
  launch.samples.interleaved = s->job.interleaved;
  launch.cascades.table = s->table;
  launch.cascades.channel_table = s->tables.channel_table;
  launch.cascades.section_table = s->tables.section_table;
  launch.cascades.sections = s->tables.sections;
  launch.cascades.gain = s->gain;
  launch.cascades.state_in = state_in;
  launch.cascades.state_out = state_out;
  launch.cascades.troubles = troubles;
  unsigned blocks = 0;
  if (is_in_segments(s)) {
    launch.segments = cut_segments(s, frames);
    blocks = blocks_of_segments(s, launch.segments);
  } else {
    launch.groups = cut_groups(s, frames, &blocks);
  }
  s->instance->launch(launch, blocks, s->shared, s->run);
  return cudaGetLastError();
}

/* ---------------------------------------------------------------- making */

/* Memory that begins with zeros, or with a copy of the host's. */
static void* memory_of(MrGpuSession* s, size_t bytes, const void* from, MrGpuStatus* status, char* why) {
  if (*status != MR_GPU_OK) return nullptr;
  void* const at = mr_gpu_memory_new(&s->memory, false, bytes, status, why);
  if (!at) return nullptr;
  cudaError_t error = cudaMemset(at, 0, bytes ? bytes : 1);
  if (error == cudaSuccess && from && bytes) error = cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice);
  *status = mr_gpu_told(error, "filling memory of the card", why);
  return at;
}

static void* host_memory_of(MrGpuSession* s, size_t bytes, MrGpuStatus* status, char* why) {
  return *status == MR_GPU_OK ? mr_gpu_memory_new(&s->memory, true, bytes, status, why) : nullptr;
}

/* Sections' numbers, and what groups hand to each other. */
static MrGpuStatus make_tables(MrGpuSession* s, const MrGpuJob* job, char* why) {
  MrGpuStatus status = mr_gpu_tables_make(job, &s->plan, &s->tables, why);
  if (status != MR_GPU_OK) return status;
  const size_t size = job->fast ? sizeof(float) : sizeof(double);
  s->table = memory_of(s, s->tables.table_bytes, s->tables.table, &status, why);
  s->gain = memory_of(s, job->channels * size, s->tables.gain, &status, why);
  s->state_bytes = mr_gpu_tables_state_bytes(&s->tables);
  for (uint32_t i = 0; i <= job->submissions || i < 2; i++) s->state[i] = memory_of(s, s->state_bytes, nullptr, &status, why);
  if (is_in_segments(s) || s->instance->kernel == MR_GPU_RUNS) return status;
  const uint32_t group = s->plan.lanes * s->plan.samples;
  const size_t pairs = static_cast<size_t>(s->tables.sections) * ((job->chunk + group - 1) / group) * job->channels;
  s->depth = static_cast<uint32_t*>(memory_of(s, s->tables.depths * sizeof *s->depth, s->tables.depth, &status, why));
  s->ticket = static_cast<uint32_t*>(memory_of(s, sizeof *s->ticket, nullptr, &status, why));
  s->flag = static_cast<uint32_t*>(memory_of(s, pairs * sizeof *s->flag, nullptr, &status, why));
  s->local = memory_of(s, pairs * 2 * size, nullptr, &status, why);
  s->global = memory_of(s, pairs * 2 * size, nullptr, &status, why);
  return status;
}

static MrGpuStatus make_slots(MrGpuSession* s, char* why) {
  const size_t bytes = s->channel_step * s->job.channels * s->sample;
  MrGpuStatus status = MR_GPU_OK;
  for (uint32_t i = 0; i < s->job.submissions && status == MR_GPU_OK; i++) {
    MrGpuSlot* const slot = &s->slot[i];
    slot->in = memory_of(s, bytes, nullptr, &status, why);
    slot->out = memory_of(s, bytes, nullptr, &status, why);
    slot->troubles = static_cast<uint32_t*>(memory_of(s, sizeof *slot->troubles, nullptr, &status, why));
    slot->state = host_memory_of(s, s->state_bytes, &status, why);
    slot->troubles_back = static_cast<uint32_t*>(host_memory_of(s, sizeof *slot->troubles_back, &status, why));
    for (cudaEvent_t* event : {&slot->arrived, &slot->done, &slot->back})
      if (status == MR_GPU_OK)
        status = mr_gpu_told(cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventBlockingSync), "making an event", why);
  }
  return status;
}

static MrGpuStatus make(MrGpuSession* s, const MrGpuJob* job, char* why) {
  MrGpuStatus status = mr_gpu_plan_on(static_cast<uint32_t>(s->device), job, &s->plan, &s->instance, why);
  if (status != MR_GPU_OK) return status;
  s->sample = job->wide ? sizeof(double) : sizeof(float);
  s->channel_step = job->chunk;
  for (cudaStream_t* stream : {&s->in, &s->run, &s->out})
    if (status == MR_GPU_OK) status = mr_gpu_told(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "making a stream", why);
  if (status == MR_GPU_OK) status = make_tables(s, job, why);
  if (status == MR_GPU_OK) status = make_slots(s, why);
  if (status != MR_GPU_OK) return status;
  s->shared = s->instance->shared(s->tables.sections);
  status = mr_gpu_told(s->instance->allow(s->shared), "giving a kernel its shared memory", why);
  /* What was set and copied is there before the streams, which wait for nothing of it. */
  if (status == MR_GPU_OK) status = mr_gpu_told(cudaDeviceSynchronize(), "filling memory of the card", why);
  return status;
}

MrGpuStatus mr_gpu_session_open(uint32_t device, const MrGpuJob* job, MrGpuSession** session, char* why) {
  *session = nullptr;
  MrGpuSession* const s = new (std::nothrow) MrGpuSession();
  if (!s) {
    snprintf(why, MR_GPU_WHY, "no memory");
    return MR_GPU_MEMORY;
  }
  s->device = static_cast<int>(device);
  s->owner = getpid();
  s->job = *job;
  s->job.cascade = nullptr;
  const MrGpuStatus status = make(s, job, why);
  if (status != MR_GPU_OK) {
    mr_gpu_session_close(s);
    return status;
  }
  *session = s;
  return MR_GPU_OK;
}

void mr_gpu_session_close(MrGpuSession* s) {
  if (!s) return;
  const bool own = s->owner == getpid() && s->instance; /* without a plan nothing was asked of the card */
  if (own) {
    cudaSetDevice(s->device);
    for (cudaStream_t stream : {s->in, s->run, s->out})
      if (stream) cudaStreamSynchronize(stream);
    for (MrGpuSlot& slot : s->slot)
      for (cudaEvent_t event : {slot.arrived, slot.done, slot.back})
        if (event) cudaEventDestroy(event);
    for (cudaStream_t stream : {s->in, s->run, s->out})
      if (stream) cudaStreamDestroy(stream);
  }
  mr_gpu_memory_free(&s->memory, !own);
  if (own) cudaGetLastError(); /* whatever failed here is nobody's */
  mr_gpu_tables_free(&s->tables);
  delete s;
}
