/* Where a stream is filtered: on the CPU, or on a card and by which plan.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_DEVICE_H
#define MR_HOST_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "../gpu/job.h"
#include "../gpu/millrace_gpu.h"

typedef enum MrDeviceWish { MR_DEVICE_AUTO, MR_DEVICE_CPU, MR_DEVICE_CUDA } MrDeviceWish;

/* What is to be filtered. */
typedef struct MrDeviceNeed {
  const MrProgram* program;
  uint32_t channels;
  bool wide, fast;
  uint64_t frames;  /* 0: not known */
  uint32_t block;   /* frames of a chunk; 0: as suits */
  uint32_t threads; /* that the CPU would have */
} MrDeviceNeed;

/* Seconds. */
typedef struct MrDeviceTimes {
  double files;  /* reading and writing, of one processor */
  double filter; /* filtering, of one processor of the CPU */
  double start;  /* of the card: until it can begin */
  double transfer, kernel;
  uint32_t processors;
} MrDeviceTimes;

/* What the files and the CPU take, by the costs kept for this machine where they promise more speed than the usual. */
MrDeviceTimes mr_device_times(const MrDeviceNeed* need);
/* Whether the card is faster for sure: reckoned well for the CPU, badly for the card. */
bool mr_device_pays(const MrDeviceTimes* times);

enum { MR_DEVICE_BLOCKS = 5 /* at once: one read, three on their way through the card, one written */ };

typedef struct MrDevice {
  const MrGpuApi* api; /* NULL: the CPU */
  MrGpuSession* session;
  MrGpuDevice card;
  MrGpuPlan plan;
  uint32_t chunk;                     /* frames */
  uint32_t sections;                  /* of the longest channel */
  void* memory[2 * MR_DEVICE_BLOCKS]; /* of chunks, for mr_device_memory() */
  unsigned given;
  MrDeviceTimes times;          /* what decided; transfer and kernel are 0 where it came to none */
  char reason[MR_GPU_WHY + 64]; /* why the CPU, or why no card; "" on a card */
} MrDevice;

/* Chooses, and opens a session where it is a card. False only where a card is wished for by name and there is none, or none for the
   program: `reason` says why. Thread: control; loads the module, and on a real card takes seconds, only where a card is wished for or would pay. */
bool mr_device_open(MrDevice* device, MrDeviceWish wish, const MrDeviceNeed* need);
void mr_device_close(MrDevice* device); /* one that is all zeros is allowed */

/* The next of 2 MR_DEVICE_BLOCKS buffers of a chunk that the card copies from and to while it works. The device's. */
void* mr_device_memory(MrDevice* device);

#endif
