/* A session: one stream of samples through the kernels of a plan, several chunks under way at once.
   SPDX-License-Identifier: ISC

   Three streams of the card, so that the copy to it, the kernels and the copy back of three chunks go on at the same time:

     in    copy chunk n in          -> event arrived[n]
     run   wait arrived[n]; kernel  -> event done[n]
     out   wait done[n]; copy samples, states and troubles out -> event back[n]

   Chunk n uses slot n % submissions. A slot is used again only after its chunk was collected, so nothing else needs to wait. States are a ring of one
   more than that: chunk n begins with number n and leaves number n + 1, which is copied out with its samples.

   One thread may submit while another collects: they share what is atomic, and `sending`. Once an error of the card has ended a session, nothing is sent
   any more and what was under way is over: the host's buffers are the host's again. */
#ifndef MILLRACE_GPU_SESSION_CUH
#define MILLRACE_GPU_SESSION_CUH

#include <sys/types.h>

#include <atomic>
#include <mutex>

#include "cascades.h"
#include "device.cuh"
#include "memory.cuh"

enum { MR_GPU_MOST_SLOTS = 8 };

/* Where one chunk is. */
struct MrGpuSlot {
  void *in, *out;                     /* on the card */
  void* state;                        /* the host's: what came back */
  uint32_t *troubles, *troubles_back; /* on the card, on the host */
  cudaEvent_t arrived, done, back;
};

struct MrGpuSession {
  int device;
  pid_t owner;
  MrGpuJob job; /* its cascades are not kept */
  MrGpuPlan plan;
  const MrGpuInstance* instance;
  MrGpuTables tables; /* of them the memory of table, gain and depth is on the card */
  MrGpuMemory memory;
  cudaStream_t in, run, out;
  MrGpuSlot slot[MR_GPU_MOST_SLOTS];
  void* state[MR_GPU_MOST_SLOTS + 1];
  void *table, *gain;
  uint32_t* depth;
  size_t state_bytes, sample, channel_step; /* bytes, bytes, samples */
  unsigned shared;                          /* dynamic, of a block */
  std::atomic<uint64_t> submitted, collected;
  uint64_t troubles;
  bool ended;         /* the stream's last chunk was submitted */
  std::mutex sending; /* of a chunk to the streams, and what follows */
  std::atomic<bool> lost;
  char why[MR_GPU_WHY]; /* of what was lost, before `lost` is true */
  /* groups */
  uint32_t* ticket;
  uint32_t* flag;
  void *local, *global;
  uint32_t tickets, launches; /* so far */
};

/* Begins a call: the card becomes the calling thread's. */
MrGpuStatus mr_gpu_session_enter(MrGpuSession* session, char* why);
/* Ends a step: an error of the card is the session's end. */
MrGpuStatus mr_gpu_session_step(MrGpuSession* session, cudaError_t error, const char* doing, char* why);

/* Launches the kernels over `frames` frames, on the stream `run`. */
cudaError_t mr_gpu_session_launch(MrGpuSession* session, const void* in, void* out, uint32_t frames, const void* state_in, void* state_out,
                                  uint32_t* troubles);

/* What MrGpuApi promises. */
MrGpuStatus mr_gpu_session_open(uint32_t device, const MrGpuJob* job, MrGpuSession** session, char* why);
void mr_gpu_session_close(MrGpuSession* session);
MrGpuStatus mr_gpu_session_set_state(MrGpuSession* session, const double* state, char* why);
MrGpuStatus mr_gpu_session_submit(MrGpuSession* session, const void* in, void* out, uint32_t frames, char* why);
MrGpuStatus mr_gpu_session_collect(MrGpuSession* session, double* state, uint64_t* troubles, char* why);
MrGpuStatus mr_gpu_session_measure(MrGpuSession* session, uint64_t frames, uint32_t buffers, uint32_t rounds, bool copy, double* seconds,
                                   char* why);

#endif
