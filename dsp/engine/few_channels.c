/* Few channels' samples without gaps, over several cells at once. One text for either arithmetic.
   SPDX-License-Identifier: ISC */
#include "few_channels.h"

#include <math.h>
#include <string.h>

#include "../kernel/bounds.h"
#include "../kernel/few_io.h"
#include "../kernel/stream_io.h"

#define FEW_CHANNELS(REAL, NAME)                                                                                                \
  void mr_few_load_##NAME(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, REAL* x) {      \
    const size_t at = (size_t)frame * lanes;                                                                                    \
    if (!buffers->in) {                                                                                                         \
      memset(x, 0, (size_t)n* lanes * sizeof *x);                                                                               \
    } else if (buffers->interleaved && buffers->is_double) {                                                                    \
      mr_stream_take_f64_##NAME((const double*)buffers->in + at, 1, n * lanes, x);                                              \
    } else if (buffers->interleaved) {                                                                                          \
      mr_stream_take_f32_##NAME((const float*)buffers->in + at, 1, n * lanes, x);                                               \
    } else if (buffers->is_double) {                                                                                            \
      const double* in[MR_SINGLE_LANES];                                                                                        \
      for (uint32_t l = 0; l < lanes; l++) in[l] = (const double*)(const void*)mr_buffers_input(buffers, first + l) + frame;    \
      mr_few_take_f64_##NAME(in, lanes, n, x);                                                                                  \
    } else {                                                                                                                    \
      const float* in[MR_SINGLE_LANES];                                                                                         \
      for (uint32_t l = 0; l < lanes; l++) in[l] = (const float*)(const void*)mr_buffers_input(buffers, first + l) + frame;     \
      mr_few_take_f32_##NAME(in, lanes, n, x);                                                                                  \
    }                                                                                                                           \
  }                                                                                                                             \
  void mr_few_store_##NAME(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, const REAL* x, \
                           const REAL* gain) {                                                                                  \
    const size_t at = (size_t)frame * lanes;                                                                                    \
    if (buffers->interleaved && buffers->is_double) {                                                                           \
      mr_few_give_interleaved_##NAME##_f64(x, lanes, n, gain, (double*)buffers->out + at);                                      \
    } else if (buffers->interleaved) {                                                                                          \
      mr_few_give_interleaved_##NAME##_f32(x, lanes, n, gain, (float*)buffers->out + at);                                       \
    } else if (buffers->is_double) {                                                                                            \
      double* out[MR_SINGLE_LANES];                                                                                             \
      for (uint32_t l = 0; l < lanes; l++) out[l] = (double*)(void*)mr_buffers_output(buffers, first + l) + frame;              \
      mr_few_give_##NAME##_f64(x, lanes, n, gain, out);                                                                         \
    } else {                                                                                                                    \
      float* out[MR_SINGLE_LANES];                                                                                              \
      for (uint32_t l = 0; l < lanes; l++) out[l] = (float*)(void*)mr_buffers_output(buffers, first + l) + frame;               \
      mr_few_give_##NAME##_f32(x, lanes, n, gain, out);                                                                         \
    }                                                                                                                           \
  }                                                                                                                             \
  bool mr_few_poisoned_##NAME(const REAL* x, uint32_t lanes, uint32_t at, uint32_t n) {                                         \
    for (size_t f = MR_CELL - 1 - at; f < n; f += MR_CELL)                                                                      \
      for (uint32_t l = 0; l < lanes; l++)                                                                                      \
        if (!(fabs((double)x[f * lanes + l]) < (double)MR_POISON)) return true;                                                 \
    return false;                                                                                                               \
  }

FEW_CHANNELS(float, f32)
FEW_CHANNELS(double, f64)
