/* What a launch of a kernel is told: where samples, tables and states lie in the card's memory, and how the work is cut. Plain data that hosts
   and kernels share.
   SPDX-License-Identifier: ISC

   T is the type of the arithmetic, double or float, S that of the samples. Steps count elements, not bytes. */
#ifndef MILLRACE_GPU_LAUNCH_H
#define MILLRACE_GPU_LAUNCH_H

#include <stdint.h>

/* Samples. Planar: channel c, frame t at c * channel_step + t; channels begin at multiples of 16 bytes and have room to a multiple of 32 frames
   for reading. Interleaved: at t * channels + c. in and out are not the same: kernels read frames before those they write. */
typedef struct MrGpuSamples {
  const void* in;
  void* out;
  uint64_t frames;
  uint64_t channel_step;
  uint32_t channels;
  uint32_t interleaved;
} MrGpuSamples;

/* The cascade of every channel. */
typedef struct MrGpuCascades {
  const void* table;     /* T: of section k of channel c at c * channel_table + k * section_table */
  uint64_t channel_table; /* 0: all channels have the same filter */
  uint32_t section_table;
  uint32_t sections;     /* of the longest; the others end with sections that change nothing */
  const void* gain;      /* T [channels] */
  const void* state_in;  /* T [channels][sections][2], at the first frame; of history kernels [channels][sections + 1][2] */
  void* state_out;       /* after the last one; not the same memory */
  uint32_t* troubles;    /* goes up by one for each restart of a channel from zero */
} MrGpuCascades;

/* Segments: a lane of a warp runs one segment of one channel. A warp has lane_channels neighbouring channels of lane_segments neighbouring
   segments, channels first. Planar: 1 or 32 channels; interleaved: the lesser of 32 and the channels. */
typedef struct MrGpuSegments {
  uint64_t frames;          /* of a segment, a multiple of 64 */
  uint32_t early;           /* frames before it, a multiple of 64 */
  uint32_t count;           /* segments of a channel */
  uint32_t lane_channels, lane_segments;
  uint32_t channel_warps;   /* warps that one row of segments takes: channels / lane_channels, rounded up */
  uint32_t over_channels;   /* 65536 / lane_channels, rounded up */
} MrGpuSegments;

/* Groups: a block of threads runs a group of L N frames of one channel, a lane N of them. */
typedef struct MrGpuGroups {
  uint32_t count;       /* of a channel, the last one perhaps not full */
  uint32_t* ticket;     /* counts up over all launches */
  uint32_t ticket_base; /* its value before this launch */
  uint32_t launch;      /* number of this launch, from 1: what flags of earlier ones are told from */
  uint32_t* flag;       /* [sections][count][channels], 0 at first and never reset */
  void *local, *global; /* T, [sections][count][channels][2] */
  const uint32_t* depth; /* [channels][sections] or, where channel_table is 0, [sections]: groups that a section looks back, at least 1 */
  /* A block's own groups, one after the other, where there is no looking back. */
  uint32_t run;   /* groups of a block */
  uint32_t early; /* groups before them */
} MrGpuGroups;

typedef struct MrGpuLaunch {
  MrGpuSamples samples;
  MrGpuCascades cascades;
  MrGpuSegments segments;
  MrGpuGroups groups;
} MrGpuLaunch;

#endif
