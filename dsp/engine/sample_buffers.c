/* The caller's sample buffers of one process call: planar or interleaved, float32 or float64.
   SPDX-License-Identifier: ISC */
#include "sample_buffers.h"

#include <string.h>

static size_t sample_size(const MrBuffers* buffers) { return buffers->is_double ? sizeof(double) : sizeof(float); }

/* Planar: the caller's array holds pointers to float or to double, which only a copy of their bytes may read as another pointer. */
static char* pointer_at(const void* pointers, uint32_t channel) {
  char* pointer;
  memcpy(&pointer, (const char*)pointers + channel * sizeof pointer, sizeof pointer);
  return pointer;
}

const char* mr_buffers_input(const MrBuffers* buffers, uint32_t channel) { return pointer_at(buffers->in, channel); }
char* mr_buffers_output(const MrBuffers* buffers, uint32_t channel) { return pointer_at(buffers->out, channel); }

/* Planar: every channel in place. */
static bool in_place(const MrBuffers* buffers) {
  return buffers->in == buffers->out || !memcmp(buffers->in, buffers->out, buffers->channels * sizeof(char*));
}

bool mr_buffers_independent(const MrBuffers* buffers, uint32_t frames) {
  if (buffers->interleaved || !buffers->in || in_place(buffers)) return true;
  const size_t bytes = frames * sample_size(buffers);
  uintptr_t in_low = UINTPTR_MAX, in_high = 0, out_low = UINTPTR_MAX, out_high = 0;
  for (uint32_t c = 0; c < buffers->channels; c++) {
    const uintptr_t in = (uintptr_t)mr_buffers_input(buffers, c), out = (uintptr_t)mr_buffers_output(buffers, c);
    in_low = in < in_low ? in : in_low;
    in_high = in + bytes > in_high ? in + bytes : in_high;
    out_low = out < out_low ? out : out_low;
    out_high = out + bytes > out_high ? out + bytes : out_high;
  }
  return in_high <= out_low || out_high <= in_low;
}

static uint32_t width_of(const MrBuffers* buffers) { return buffers->width ? buffers->width : buffers->channels; }

/* Neighbouring lanes of the tile from l on that lie side by side in the buffers. */
static uint32_t run_of(const MrBuffers* buffers, const MrTile* tile, uint32_t l) {
  const uint32_t left = width_of(buffers) - (tile->first + l) % width_of(buffers);
  return left < tile->lanes - l ? left : tile->lanes - l;
}

/* Of a channel's frame, in samples. */
static size_t place_of(const MrBuffers* buffers, uint32_t channel, uint32_t frame, size_t hop) {
  const uint32_t width = width_of(buffers);
  return (size_t)(channel / width) * hop + (size_t)frame * width + channel % width;
}

void mr_buffers_load(const MrBuffers* buffers, const MrKernels* kernels, const MrTile* tile, uint32_t frame, uint32_t n, double* x) {
  if (!buffers->in) {
    memset(x, 0, n * MR_LANES * sizeof *x);
    return;
  }
  const size_t size = sample_size(buffers);
  if (buffers->interleaved) {
    for (uint32_t l = 0, run; l < tile->lanes; l += run) {
      run = run_of(buffers, tile, l);
      const void* in = (const char*)buffers->in + place_of(buffers, tile->first + l, frame, buffers->in_hop) * size;
      if (buffers->is_double)
        kernels->load_interleaved_f64(in, width_of(buffers), run, n, x + l);
      else
        kernels->load_interleaved_f32(in, width_of(buffers), run, n, x + l);
    }
    return;
  }
  if (tile->lanes <= MR_FEW_PLANAR) {
    for (uint32_t l = 0; l < tile->lanes; l++) {
      const void* in = mr_buffers_input(buffers, tile->first + l) + frame * size;
      if (buffers->is_double)
        kernels->load_interleaved_f64(in, 1, 1, n, x + l);
      else
        kernels->load_interleaved_f32(in, 1, 1, n, x + l);
    }
    return;
  }
  const double* wide[MR_LANES];
  const float* narrow[MR_LANES];
  for (uint32_t l = 0; l < MR_LANES; l++) {
    const void* in =
        mr_buffers_input(buffers, tile->first + (l < tile->lanes ? l : 0)) + frame * size; /* without a channel: the tile's first one */
    wide[l] = in;
    narrow[l] = in;
  }
  if (buffers->is_double)
    kernels->load_f64(wide, n, x);
  else
    kernels->load_f32(narrow, n, x);
}

void mr_buffers_store(const MrBuffers* buffers, const MrKernels* kernels, const MrTile* tile, uint32_t frame, uint32_t n, const double* x,
                      const double* gain) {
  const size_t size = sample_size(buffers);
  if (buffers->interleaved) {
    for (uint32_t l = 0, run; l < tile->lanes; l += run) {
      run = run_of(buffers, tile, l);
      void* out = (char*)buffers->out + place_of(buffers, tile->first + l, frame, buffers->out_hop) * size;
      if (buffers->is_double)
        kernels->store_interleaved_f64(x + l, n, gain + l, out, width_of(buffers), run);
      else
        kernels->store_interleaved_f32(x + l, n, gain + l, out, width_of(buffers), run);
    }
    return;
  }
  if (tile->lanes <= MR_FEW_PLANAR) {
    for (uint32_t l = 0; l < tile->lanes; l++) {
      void* out = mr_buffers_output(buffers, tile->first + l) + frame * size;
      if (buffers->is_double)
        kernels->store_interleaved_f64(x + l, n, gain + l, out, 1, 1);
      else
        kernels->store_interleaved_f32(x + l, n, gain + l, out, 1, 1);
    }
    return;
  }
  double* wide[MR_LANES];
  float* narrow[MR_LANES];
  for (uint32_t l = 0; l < MR_LANES; l++) {
    void* out = l < tile->lanes ? mr_buffers_output(buffers, tile->first + l) + frame * size : buffers->nowhere;
    wide[l] = out;
    narrow[l] = out;
  }
  if (buffers->is_double)
    kernels->store_f64(x, n, gain, wide);
  else
    kernels->store_f32(x, n, gain, narrow);
}

void mr_buffers_load_single(const MrBuffers* buffers, const MrSingleKernels* kernels, uint32_t first, uint32_t lanes, uint32_t frame,
                            uint32_t n, float* x) {
  if (!buffers->in) {
    memset(x, 0, n * MR_SINGLE_LANES * sizeof *x);
    return;
  }
  const size_t size = sample_size(buffers);
  if (buffers->interleaved) {
    const void* in = (const char*)buffers->in + ((size_t)frame * buffers->channels + first) * size;
    if (buffers->is_double)
      kernels->load_interleaved_f64(in, buffers->channels, lanes, n, x);
    else
      kernels->load_interleaved_f32(in, buffers->channels, lanes, n, x);
    return;
  }
  const double* wide[MR_SINGLE_LANES];
  const float* narrow[MR_SINGLE_LANES];
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) {
    const void* in = mr_buffers_input(buffers, first + (l < lanes ? l : 0)) + frame * size; /* without a channel: the first one */
    wide[l] = in;
    narrow[l] = in;
  }
  if (buffers->is_double)
    kernels->load_f64(wide, lanes, n, x);
  else
    kernels->load_f32(narrow, lanes, n, x);
}

void mr_buffers_store_single(const MrBuffers* buffers, const MrSingleKernels* kernels, uint32_t first, uint32_t lanes, uint32_t frame,
                             uint32_t n, const float* x, const float* gain) {
  const size_t size = sample_size(buffers);
  if (buffers->interleaved) {
    void* out = (char*)buffers->out + ((size_t)frame * buffers->channels + first) * size;
    if (buffers->is_double)
      kernels->store_interleaved_f64(x, n, gain, out, buffers->channels, lanes);
    else
      kernels->store_interleaved_f32(x, n, gain, out, buffers->channels, lanes);
    return;
  }
  double* wide[MR_SINGLE_LANES];
  float* narrow[MR_SINGLE_LANES];
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) {
    void* out = l < lanes ? mr_buffers_output(buffers, first + l) + frame * size : buffers->nowhere;
    wide[l] = out;
    narrow[l] = out;
  }
  if (buffers->is_double)
    kernels->store_f64(x, lanes, n, gain, wide);
  else
    kernels->store_f32(x, lanes, n, gain, narrow);
}

static void copy_planar(const MrBuffers* buffers, uint32_t frame, uint32_t n, bool independent, char* scratch) {
  if (in_place(buffers)) return;
  const size_t size = sample_size(buffers), offset = frame * size, bytes = n * size;
  if (!independent)
    for (uint32_t c = 0; c < buffers->channels; c++) memcpy(scratch + c * bytes, mr_buffers_input(buffers, c) + offset, bytes);
  for (uint32_t c = 0; c < buffers->channels; c++) {
    char* to = mr_buffers_output(buffers, c) + offset;
    const char* from = independent ? mr_buffers_input(buffers, c) + offset : scratch + c * bytes;
    if (to != from) memcpy(to, from, bytes);
  }
}

void mr_buffers_copy(const MrBuffers* buffers, uint32_t frame, uint32_t n, bool independent, void* scratch) {
  const size_t size = sample_size(buffers);
  if (buffers->interleaved) {
    const size_t offset = (size_t)frame * buffers->channels * size, bytes = (size_t)n * buffers->channels * size;
    char* out = (char*)buffers->out + offset;
    if (!buffers->in)
      memset(out, 0, bytes);
    else if (buffers->in != buffers->out)
      memcpy(out, (const char*)buffers->in + offset, bytes);
  } else if (!buffers->in) {
    for (uint32_t c = 0; c < buffers->channels; c++) memset(mr_buffers_output(buffers, c) + frame * size, 0, n * size);
  } else {
    copy_planar(buffers, frame, n, independent, scratch);
  }
}
