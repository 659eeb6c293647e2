/* The caller's sample buffers of one process call: planar or interleaved, float32 or float64.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SAMPLE_BUFFERS_H
#define MILLRACE_ENGINE_SAMPLE_BUFFERS_H

#include "../kernel/single.h"
#include "side.h"

typedef struct MrBuffers {
  bool interleaved, is_double;
  uint32_t channels;
  const void* in; /* planar: an array of pointers; interleaved: samples; NULL: silence */
  void* out;
  void* nowhere; /* MR_CELL doubles */

  /* Interleaved, in segments: channel k is channel k % width of segment k / width, which lies so many samples on. width 0: all channels
     are one segment. Inputs and outputs are apart. */
  uint32_t width;
  size_t in_hop, out_hop;
} MrBuffers;

/* Whether a tile's output may be written before the other tiles' inputs are read: every channel in place or all buffers
   apart. Real-time, as the others. */
bool mr_buffers_independent(const MrBuffers* buffers, uint32_t frames);

/* Where a channel's samples begin, planar. */
const char* mr_buffers_input(const MrBuffers* buffers, uint32_t channel);
char* mr_buffers_output(const MrBuffers* buffers, uint32_t channel);

/* Frames frame .. frame + n - 1 of a tile's channels. */
void mr_buffers_load(const MrBuffers* buffers, const MrKernels* kernels, const MrTile* tile, uint32_t frame, uint32_t n, double* x);
void mr_buffers_store(const MrBuffers* buffers, const MrKernels* kernels, const MrTile* tile, uint32_t frame, uint32_t n, const double* x,
                      const double* gain);

/* The same in float32, for channels first .. first + lanes - 1. */
void mr_buffers_load_single(const MrBuffers* buffers, const MrSingleKernels* kernels, uint32_t first, uint32_t lanes, uint32_t frame,
                            uint32_t n, float* x);
void mr_buffers_store_single(const MrBuffers* buffers, const MrSingleKernels* kernels, uint32_t first, uint32_t lanes, uint32_t frame,
                             uint32_t n, const float* x, const float* gain);

/* Copies all channels' samples as they are, to the bit. scratch: as many bytes as n frames of all channels have. */
void mr_buffers_copy(const MrBuffers* buffers, uint32_t frame, uint32_t n, bool independent, void* scratch);

#endif
