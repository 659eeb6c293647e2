/* Samples to a lane tile and back, with the transposition that planar buffers need. Part of the text of channel_lanes.h.
   SPDX-License-Identifier: ISC

   Four channels at a time: planar buffers that lie a multiple of 4 KiB apart share one set of the L1 cache, and four input
   streams and four output streams fit its eight ways. Blocks of 4 x 4 samples are transposed in registers. */
#include "transpose.h"

static void load_f32(const float* const* in, uint32_t n, double* x) {
  for (uint32_t l = 0; l < MR_LANES; l += 4) {
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      MrFloat4 r0 = get_f32(in[l] + f), r1 = get_f32(in[l + 1] + f), r2 = get_f32(in[l + 2] + f), r3 = get_f32(in[l + 3] + f);
      MR_TRANSPOSE4(r0, r1, r2, r3);
      double* to = x + f * MR_LANES + l;
      *(MrDouble4*)to = __builtin_convertvector(r0, MrDouble4);
      *(MrDouble4*)(to + MR_LANES) = __builtin_convertvector(r1, MrDouble4);
      *(MrDouble4*)(to + 2 * MR_LANES) = __builtin_convertvector(r2, MrDouble4);
      *(MrDouble4*)(to + 3 * MR_LANES) = __builtin_convertvector(r3, MrDouble4);
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) x[f * MR_LANES + l + k] = (double)in[l + k][f];
  }
}

static void load_f64(const double* const* in, uint32_t n, double* x) {
  for (uint32_t l = 0; l < MR_LANES; l += 4) {
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      MrDouble4 r0, r1, r2, r3;
      get_f64(&r0, in[l] + f);
      get_f64(&r1, in[l + 1] + f);
      get_f64(&r2, in[l + 2] + f);
      get_f64(&r3, in[l + 3] + f);
      MR_TRANSPOSE4(r0, r1, r2, r3);
      double* to = x + f * MR_LANES + l;
      *(MrDouble4*)to = r0;
      *(MrDouble4*)(to + MR_LANES) = r1;
      *(MrDouble4*)(to + 2 * MR_LANES) = r2;
      *(MrDouble4*)(to + 3 * MR_LANES) = r3;
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) x[f * MR_LANES + l + k] = in[l + k][f];
  }
}

static void store_f32(const double* x, uint32_t n, const double* gain, float* const* out) {
  for (uint32_t l = 0; l < MR_LANES; l += 4) {
    const MrDouble4 g = *(const MrDouble4*)(gain + l);
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      const double* from = x + f * MR_LANES + l;
      MrFloat4 r0 = __builtin_convertvector(*(const MrDouble4*)from * g, MrFloat4);
      MrFloat4 r1 = __builtin_convertvector(*(const MrDouble4*)(from + MR_LANES) * g, MrFloat4);
      MrFloat4 r2 = __builtin_convertvector(*(const MrDouble4*)(from + 2 * MR_LANES) * g, MrFloat4);
      MrFloat4 r3 = __builtin_convertvector(*(const MrDouble4*)(from + 3 * MR_LANES) * g, MrFloat4);
      MR_TRANSPOSE4(r0, r1, r2, r3);
      memcpy(out[l] + f, &r0, sizeof r0);
      memcpy(out[l + 1] + f, &r1, sizeof r1);
      memcpy(out[l + 2] + f, &r2, sizeof r2);
      memcpy(out[l + 3] + f, &r3, sizeof r3);
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) out[l + k][f] = (float)(x[f * MR_LANES + l + k] * gain[l + k]);
  }
}

static void store_f64(const double* x, uint32_t n, const double* gain, double* const* out) {
  for (uint32_t l = 0; l < MR_LANES; l += 4) {
    const MrDouble4 g = *(const MrDouble4*)(gain + l);
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      const double* from = x + f * MR_LANES + l;
      MrDouble4 r0 = *(const MrDouble4*)from * g, r1 = *(const MrDouble4*)(from + MR_LANES) * g;
      MrDouble4 r2 = *(const MrDouble4*)(from + 2 * MR_LANES) * g, r3 = *(const MrDouble4*)(from + 3 * MR_LANES) * g;
      MR_TRANSPOSE4(r0, r1, r2, r3);
      memcpy(out[l] + f, &r0, sizeof r0);
      memcpy(out[l + 1] + f, &r1, sizeof r1);
      memcpy(out[l + 2] + f, &r2, sizeof r2);
      memcpy(out[l + 3] + f, &r3, sizeof r3);
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) out[l + k][f] = x[f * MR_LANES + l + k] * gain[l + k];
  }
}

/* `lanes` is a constant where these are called: a loop of known length for each count. */
MR_INLINE void load_lanes_f32(const float* in, size_t stride, const uint32_t lanes, uint32_t n, double* x) {
  for (uint32_t f = 0; f < n; f++, in += stride, x += MR_LANES) {
    if (lanes == MR_LANES) {
      *(MrDouble4*)x = __builtin_convertvector(get_f32(in), MrDouble4);
      *(MrDouble4*)(x + 4) = __builtin_convertvector(get_f32(in + 4), MrDouble4);
    } else {
      MR_UNROLL for (uint32_t l = 0; l < lanes; l++) x[l] = (double)in[l];
    }
  }
}

MR_INLINE void load_lanes_f64(const double* in, size_t stride, const uint32_t lanes, uint32_t n, double* x) {
  for (uint32_t f = 0; f < n; f++, in += stride, x += MR_LANES) memcpy(x, in, lanes * sizeof *x);
}

MR_INLINE void store_lanes_f32(const double* x, uint32_t n, const double* gain, float* out, size_t stride, const uint32_t lanes) {
  for (uint32_t f = 0; f < n; f++, out += stride, x += MR_LANES) {
    if (lanes == MR_LANES) {
      const MrFloat4 a = __builtin_convertvector(*(const MrDouble4*)x * *(const MrDouble4*)gain, MrFloat4);
      const MrFloat4 b = __builtin_convertvector(*(const MrDouble4*)(x + 4) * *(const MrDouble4*)(gain + 4), MrFloat4);
      memcpy(out, &a, sizeof a);
      memcpy(out + 4, &b, sizeof b);
    } else {
      MR_UNROLL for (uint32_t l = 0; l < lanes; l++) out[l] = (float)(x[l] * gain[l]);
    }
  }
}

MR_INLINE void store_lanes_f64(const double* x, uint32_t n, const double* gain, double* out, size_t stride, const uint32_t lanes) {
  for (uint32_t f = 0; f < n; f++, out += stride, x += MR_LANES) {
    MR_UNROLL for (uint32_t l = 0; l < lanes; l++) out[l] = x[l] * gain[l];
  }
}

#define MR_FOR_LANES(lanes, RUN) \
  switch (lanes) {               \
    case 1:                      \
      RUN(1);                    \
      break;                     \
    case 2:                      \
      RUN(2);                    \
      break;                     \
    case 3:                      \
      RUN(3);                    \
      break;                     \
    case 4:                      \
      RUN(4);                    \
      break;                     \
    case 5:                      \
      RUN(5);                    \
      break;                     \
    case 6:                      \
      RUN(6);                    \
      break;                     \
    case 7:                      \
      RUN(7);                    \
      break;                     \
    default:                     \
      RUN(8);                    \
      break;                     \
  }

static void load_interleaved_f32(const float* in, size_t stride, uint32_t lanes, uint32_t n, double* x) {
#define MR_LOAD(count) load_lanes_f32(in, stride, count, n, x)
  MR_FOR_LANES(lanes, MR_LOAD)
#undef MR_LOAD
}

static void load_interleaved_f64(const double* in, size_t stride, uint32_t lanes, uint32_t n, double* x) {
#define MR_LOAD(count) load_lanes_f64(in, stride, count, n, x)
  MR_FOR_LANES(lanes, MR_LOAD)
#undef MR_LOAD
}

static void store_interleaved_f32(const double* x, uint32_t n, const double* gain, float* out, size_t stride, uint32_t lanes) {
#define MR_STORE(count) store_lanes_f32(x, n, gain, out, stride, count)
  MR_FOR_LANES(lanes, MR_STORE)
#undef MR_STORE
}

static void store_interleaved_f64(const double* x, uint32_t n, const double* gain, double* out, size_t stride, uint32_t lanes) {
#define MR_STORE(count) store_lanes_f64(x, n, gain, out, stride, count)
  MR_FOR_LANES(lanes, MR_STORE)
#undef MR_STORE
}
