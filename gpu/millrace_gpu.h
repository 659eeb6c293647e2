/* Millrace on a card: what the module that talks to it offers, as a table of functions.
   SPDX-License-Identifier: ISC

   The module is opened at run time (library.h), so that nothing here needs a card, its driver or its library to be there. It knows cascades of
   sections and gains: no routes and no delays. All functions are for control threads, block and allocate; a session is for one thread at a time,
   but that one may submit while another collects. After a
   fork() the child must open nothing of what its parent had: it gets MR_GPU_LOST. */
#ifndef MILLRACE_GPU_H
#define MILLRACE_GPU_H

#include "../dsp/millrace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MR_GPU_START_S 10.0 /* seconds until a process's first session works: one to ten as seen, and whoever chooses by it is to lose nothing */
#define MR_GPU_VERSION 1u
#define MR_GPU_ENTRY   "mr_gpu_api" /* the module's one symbol: const MrGpuApi* mr_gpu_api(void) */

typedef enum MrGpuStatus {
  MR_GPU_OK = 0,
  MR_GPU_NO_DRIVER, /* none, or one too old for the module */
  MR_GPU_NO_DEVICE, /* no card, or none that can run the kernels */
  MR_GPU_MEMORY,    /* of the card, or of the host */
  MR_GPU_REFUSED,   /* the job asks for what a kernel cannot do; `why` says what */
  MR_GPU_LOST       /* the card failed or has gone, and nothing more comes from it */
} MrGpuStatus;

enum { MR_GPU_WHY = 256 };

/* A card in the terms of the cost model. */
typedef struct MrGpuDevice {
  char name[128];
  uint32_t major, minor;                /* compute capability */
  uint32_t processors;                  /* streaming multiprocessors */
  uint32_t registers, shared;           /* of a multiprocessor; shared: bytes */
  uint32_t block_shared;                /* bytes that one block may have */
  uint32_t threads, blocks;             /* of a multiprocessor, at most */
  double clock;                         /* Hz */
  double bandwidth;                     /* bytes/s of its memory, read and written together */
  double singles, doubles;              /* operations a clock and multiprocessor: float32, float64 */
  double host_bandwidth;                /* bytes/s to or from the host, one way while the other is busy too: an estimate from the link */
  uint64_t memory;                      /* bytes */
} MrGpuDevice;

typedef enum MrGpuKernel {
  MR_GPU_AUTO = 0,
  MR_GPU_SEGMENTS, /* segments of the stream on lanes, started early */
  MR_GPU_CHANNELS, /* channels on lanes */
  MR_GPU_RUNS,     /* runs of groups on blocks, started early */
  MR_GPU_FIXED,    /* groups, looking back a fixed depth */
  MR_GPU_WINDOWS,  /* groups, looking back as far as it takes */
  /* for comparison: pairs of outputs are carried, which in float32 holds fewer filters */
  MR_GPU_PH_KERNEL,
  MR_GPU_STCR_KERNEL,
  MR_GPU_DTCR_KERNEL,
  MR_GPU_PLR_KERNEL, /* by measure() alone: one channel of 1, 2, 4 or 8 sections, planar float32, from rest */
  MR_GPU_KERNELS
} MrGpuKernel;

/* One channel. */
typedef struct MrGpuCascade {
  const MrSection* section;
  uint32_t sections;             /* 0 to 32 */
  double gain;                   /* linear */
  uint64_t decay;                /* frames until the rest of the sum of |h| is below 1e-9 of it, UINT64_MAX: not within reach */
  const uint64_t* section_decay; /* [sections], of each by itself */
} MrGpuCascade;

typedef struct MrGpuJob {
  uint32_t channels;
  const MrGpuCascade* cascade; /* [channels]; not kept */
  bool wide;                   /* float64 samples, else float32 */
  bool fast;                   /* float32 arithmetic, else float64; not with wide samples */
  bool interleaved;            /* else planar, a channel after the other */
  uint32_t chunk;              /* frames of a submission, at most; a multiple of 64 */
  uint32_t submissions;        /* under way at once, 1 to 8; 0: a session for measure() alone */
  uint64_t frames;             /* of the whole stream, 0: not known; for the plan alone */
  /* For tests and measurements. */
  MrGpuKernel kernel;
  uint32_t lanes, samples; /* L and N of groups; 0: planned */
} MrGpuJob;

/* What will run, and what the cost model says of it. */
typedef struct MrGpuPlan {
  MrGpuKernel kernel;
  uint32_t lanes, samples;         /* groups: L, N */
  uint64_t segment_frames;         /* segments and runs */
  uint32_t segments, early, depth; /* of a channel; frames started early; groups looked back (0: as far as it takes) */
  uint32_t registers, resident;    /* of a thread; blocks on a multiprocessor */
  double memory_s, arithmetic_s, waiting_s, kernel_s; /* of a chunk: memory floor, operations, barriers and hand-overs, and the whole */
  double transfer_s;                                  /* of a chunk, to and from the card at once */
  char reason[512];                                   /* why this kernel, in words; lines */
} MrGpuPlan;

typedef struct MrGpuSession MrGpuSession;

typedef struct MrGpuApi {
  uint32_t version; /* MR_GPU_VERSION */
  const char* name; /* "CUDA", "emulator" */

  /* Cards that there are, in order; *count may be more than room. why[MR_GPU_WHY] says in words what a status other than OK means. */
  MrGpuStatus (*devices)(MrGpuDevice* device, uint32_t room, uint32_t* count, char* why);

  /* A session on card number `device`: plan, tables, memory. The first session or plan of a process takes seconds on a real card. */
  MrGpuStatus (*open)(uint32_t device, const MrGpuJob* job, MrGpuSession** session, char* why);
  void (*close)(MrGpuSession* session); /* NULL is allowed; waits for what is under way */

  MrGpuPlan (*plan)(const MrGpuSession* session);

  /* What open() would plan, without its memory. */
  MrGpuStatus (*foresee)(uint32_t device, const MrGpuJob* job, MrGpuPlan* plan, char* why);

  /* Memory of the host that the card can copy from and to while it works. NULL: none. */
  void* (*allocate)(MrGpuSession* session, size_t bytes);
  void (*release)(MrGpuSession* session, void* memory);

  /* The state that the next chunk submitted begins with, [channels][sections of the longest][2], as mr_engine_set_state() has it; zeros at first.
     Nothing is under way. MR_GPU_REFUSED by kernels that carry outputs. */
  MrGpuStatus (*set_state)(MrGpuSession* session, const double* state, char* why);

  /* Sends the next `frames` samples of each channel through: copy in, kernels, copy out, all under way when it returns. in and out stay until collected;
     they are not the same. Planar channels lie job->chunk samples apart. From allocate() alone the copies overlap. A chunk that is no multiple of 64
     frames is the stream's last. MR_GPU_REFUSED: more chunks than job->submissions under way, more frames than job->chunk, or one after the last. */
  MrGpuStatus (*submit)(MrGpuSession* session, const void* in, void* out, uint32_t frames, char* why);

  /* Waits for the oldest chunk under way. Its samples are in `out` then; state, if not NULL, is as for set_state() what the stream goes on with after it,
     and *troubles how often channels were restarted from zero up to there. On anything but OK `out` is not to be used. MR_GPU_REFUSED: nothing is under
     way, or the state of kernels that carry outputs is asked for (its samples are there all the same). */
  MrGpuStatus (*collect)(MrGpuSession* session, double* state, uint64_t* troubles, char* why);

  /* The kernels alone on samples that lie in the card's memory, for measurements: `rounds` launches over `frames` frames of `buffers` inputs in turn, all of
     noise; seconds[rounds] is the time of each by the card's clock. copy: the card's own copy of the same bytes in place of the kernels. */
  MrGpuStatus (*measure)(MrGpuSession* session, uint64_t frames, uint32_t buffers, uint32_t rounds, bool copy, double* seconds, char* why);
} MrGpuApi;

#ifdef __cplusplus
}
#endif

#endif
