/* Samples to a lane tile of floats and back. Part of the text of channel_lanes.h, where MR_SINGLE is 1.
   SPDX-License-Identifier: ISC

   As sample_io.h: four channels at a time, blocks of 4 x 4 samples transposed in registers; eight and 8 x 8 of float32 where registers
   hold eight, which halves the time. Eight streams fill the ways of a set of the L1 cache, but each of its lines is done with in two
   blocks, and only one line of the tile falls into the set: with channels a multiple of 4 KiB apart eight cost no more than four. */
#include "transpose.h"

#if MR_VECTOR_BYTES >= 32

static void load_eight(const float* const* in, uint32_t n, float* x) {
  uint32_t f = 0;
  for (; f + 8 <= n; f += 8) {
    MrFloat8 r[8];
    MR_UNROLL for (uint32_t k = 0; k < 8; k++) memcpy(&r[k], in[k] + f, sizeof r[k]);
    transpose8(r);
    MR_UNROLL for (uint32_t k = 0; k < 8; k++) * (MrFloat8*)(x + (f + k) * LANES) = r[k];
  }
  for (; f < n; f++)
    for (uint32_t k = 0; k < 8; k++) x[f * LANES + k] = in[k][f];
}

static void store_eight(const float* x, uint32_t n, const float* gain, float* const* out) {
  const MrFloat8 g = *(const MrFloat8*)gain;
  uint32_t f = 0;
  for (; f + 8 <= n; f += 8) {
    MrFloat8 r[8];
    MR_UNROLL for (uint32_t k = 0; k < 8; k++) r[k] = *(const MrFloat8*)(x + (f + k) * LANES) * g;
    transpose8(r);
    MR_UNROLL for (uint32_t k = 0; k < 8; k++) memcpy(out[k] + f, &r[k], sizeof r[k]);
  }
  for (; f < n; f++)
    for (uint32_t k = 0; k < 8; k++) out[k][f] = x[f * LANES + k] * gain[k];
}

#endif

static void load_f32(const float* const* in, uint32_t lanes, uint32_t n, float* x) {
  uint32_t l = 0;
#if MR_VECTOR_BYTES >= 32
  for (; l + 4 < lanes; l += 8) load_eight(in + l, n, x + l); /* five to eight lanes are eight when rounded up to fours */
#endif
  for (; l < lanes; l += 4) {
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      MrFloat4 r0 = get_f32(in[l] + f), r1 = get_f32(in[l + 1] + f), r2 = get_f32(in[l + 2] + f), r3 = get_f32(in[l + 3] + f);
      MR_TRANSPOSE4(r0, r1, r2, r3);
      float* to = x + f * LANES + l;
      *(MrFloat4*)to = r0;
      *(MrFloat4*)(to + LANES) = r1;
      *(MrFloat4*)(to + 2 * LANES) = r2;
      *(MrFloat4*)(to + 3 * LANES) = r3;
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) x[f * LANES + l + k] = in[l + k][f];
  }
}

/* Four samples of float64, rounded. */
MR_INLINE MrFloat4 round_f64(const double* p) {
  MrDouble4 a;
  get_f64(&a, p);
  return __builtin_convertvector(a, MrFloat4);
}

static void load_f64(const double* const* in, uint32_t lanes, uint32_t n, float* x) {
  for (uint32_t l = 0; l < lanes; l += 4) {
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      MrFloat4 r0 = round_f64(in[l] + f), r1 = round_f64(in[l + 1] + f), r2 = round_f64(in[l + 2] + f), r3 = round_f64(in[l + 3] + f);
      MR_TRANSPOSE4(r0, r1, r2, r3);
      float* to = x + f * LANES + l;
      *(MrFloat4*)to = r0;
      *(MrFloat4*)(to + LANES) = r1;
      *(MrFloat4*)(to + 2 * LANES) = r2;
      *(MrFloat4*)(to + 3 * LANES) = r3;
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) x[f * LANES + l + k] = (float)in[l + k][f];
  }
}

static void store_f32(const float* x, uint32_t lanes, uint32_t n, const float* gain, float* const* out) {
  uint32_t l = 0;
#if MR_VECTOR_BYTES >= 32
  for (; l + 4 < lanes; l += 8) store_eight(x + l, n, gain + l, out + l);
#endif
  for (; l < lanes; l += 4) {
    const MrFloat4 g = *(const MrFloat4*)(gain + l);
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      const float* from = x + f * LANES + l;
      MrFloat4 r0 = *(const MrFloat4*)from * g, r1 = *(const MrFloat4*)(from + LANES) * g;
      MrFloat4 r2 = *(const MrFloat4*)(from + 2 * LANES) * g, r3 = *(const MrFloat4*)(from + 3 * LANES) * g;
      MR_TRANSPOSE4(r0, r1, r2, r3);
      memcpy(out[l] + f, &r0, sizeof r0);
      memcpy(out[l + 1] + f, &r1, sizeof r1);
      memcpy(out[l + 2] + f, &r2, sizeof r2);
      memcpy(out[l + 3] + f, &r3, sizeof r3);
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) out[l + k][f] = x[f * LANES + l + k] * gain[l + k];
  }
}

MR_INLINE void put_f64(double* p, MrFloat4 a) {
  const MrDouble4 wide = __builtin_convertvector(a, MrDouble4);
  memcpy(p, &wide, sizeof wide);
}

static void store_f64(const float* x, uint32_t lanes, uint32_t n, const float* gain, double* const* out) {
  for (uint32_t l = 0; l < lanes; l += 4) {
    const MrFloat4 g = *(const MrFloat4*)(gain + l);
    uint32_t f = 0;
    for (; f + 4 <= n; f += 4) {
      const float* from = x + f * LANES + l;
      MrFloat4 r0 = *(const MrFloat4*)from * g, r1 = *(const MrFloat4*)(from + LANES) * g;
      MrFloat4 r2 = *(const MrFloat4*)(from + 2 * LANES) * g, r3 = *(const MrFloat4*)(from + 3 * LANES) * g;
      MR_TRANSPOSE4(r0, r1, r2, r3);
      put_f64(out[l] + f, r0);
      put_f64(out[l + 1] + f, r1);
      put_f64(out[l + 2] + f, r2);
      put_f64(out[l + 3] + f, r3);
    }
    for (; f < n; f++)
      for (uint32_t k = 0; k < 4; k++) out[l + k][f] = (double)(x[f * LANES + l + k] * gain[l + k]);
  }
}

/* `lanes` lanes of one frame, a constant where these are called: all of a tile, a whole number of fours, or one to three. */
MR_INLINE void load_lanes_f32(const float* in, size_t stride, const uint32_t lanes, uint32_t n, float* x) {
  for (uint32_t f = 0; f < n; f++, in += stride, x += LANES) {
    uint32_t l = 0;
#if MR_VECTOR_BYTES >= 32
    MR_UNROLL for (; l + 8 <= lanes; l += 8) {
      MrFloat8 a;
      memcpy(&a, in + l, sizeof a);
      *(MrFloat8*)(x + l) = a;
    }
#endif
    MR_UNROLL for (; l + 4 <= lanes; l += 4) * (MrFloat4*)(x + l) = get_f32(in + l);
    MR_UNROLL for (; l < lanes; l++) x[l] = in[l];
  }
}

MR_INLINE void load_lanes_f64(const double* in, size_t stride, const uint32_t lanes, uint32_t n, float* x) {
  for (uint32_t f = 0; f < n; f++, in += stride, x += LANES) {
    uint32_t l = 0;
    MR_UNROLL for (; l + 4 <= lanes; l += 4) * (MrFloat4*)(x + l) = round_f64(in + l);
    MR_UNROLL for (; l < lanes; l++) x[l] = (float)in[l];
  }
}

MR_INLINE void store_lanes_f32(const float* x, uint32_t n, const float* gain, float* out, size_t stride, const uint32_t lanes) {
  for (uint32_t f = 0; f < n; f++, out += stride, x += LANES) {
    uint32_t l = 0;
#if MR_VECTOR_BYTES >= 32
    MR_UNROLL for (; l + 8 <= lanes; l += 8) {
      const MrFloat8 a = *(const MrFloat8*)(x + l) * *(const MrFloat8*)(gain + l);
      memcpy(out + l, &a, sizeof a);
    }
#endif
    MR_UNROLL for (; l + 4 <= lanes; l += 4) {
      const MrFloat4 a = *(const MrFloat4*)(x + l) * *(const MrFloat4*)(gain + l);
      memcpy(out + l, &a, sizeof a);
    }
    MR_UNROLL for (; l < lanes; l++) out[l] = x[l] * gain[l];
  }
}

MR_INLINE void store_lanes_f64(const float* x, uint32_t n, const float* gain, double* out, size_t stride, const uint32_t lanes) {
  for (uint32_t f = 0; f < n; f++, out += stride, x += LANES) {
    uint32_t l = 0;
    MR_UNROLL for (; l + 4 <= lanes; l += 4) put_f64(out + l, *(const MrFloat4*)(x + l) * *(const MrFloat4*)(gain + l));
    MR_UNROLL for (; l < lanes; l++) out[l] = (double)(x[l] * gain[l]);
  }
}

/* RUN(first, count) for the fours of `lanes` and then for what is left of them. */
#define MR_FOR_FOURS(lanes, RUN) \
  do {                           \
    switch ((lanes) / 4) {       \
      case 0:                    \
        break;                   \
      case 1:                    \
        RUN(0, 4);               \
        break;                   \
      case 2:                    \
        RUN(0, 8);               \
        break;                   \
      case 3:                    \
        RUN(0, 12);              \
        break;                   \
      default:                   \
        RUN(0, 16);              \
        break;                   \
    }                            \
    switch ((lanes) % 4) {       \
      case 1:                    \
        RUN((lanes)-1, 1);       \
        break;                   \
      case 2:                    \
        RUN((lanes)-2, 2);       \
        break;                   \
      case 3:                    \
        RUN((lanes)-3, 3);       \
        break;                   \
      default:                   \
        break;                   \
    }                            \
  } while (0)

static void load_interleaved_f32(const float* in, size_t stride, uint32_t lanes, uint32_t n, float* x) {
#define MR_LOAD(first, count) load_lanes_f32(in + (first), stride, count, n, x + (first))
  MR_FOR_FOURS(lanes, MR_LOAD);
#undef MR_LOAD
}

static void load_interleaved_f64(const double* in, size_t stride, uint32_t lanes, uint32_t n, float* x) {
#define MR_LOAD(first, count) load_lanes_f64(in + (first), stride, count, n, x + (first))
  MR_FOR_FOURS(lanes, MR_LOAD);
#undef MR_LOAD
}

static void store_interleaved_f32(const float* x, uint32_t n, const float* gain, float* out, size_t stride, uint32_t lanes) {
#define MR_STORE(first, count) store_lanes_f32(x + (first), n, gain + (first), out + (first), stride, count)
  MR_FOR_FOURS(lanes, MR_STORE);
#undef MR_STORE
}

static void store_interleaved_f64(const float* x, uint32_t n, const float* gain, double* out, size_t stride, uint32_t lanes) {
#define MR_STORE(first, count) store_lanes_f64(x + (first), n, gain + (first), out + (first), stride, count)
  MR_FOR_FOURS(lanes, MR_STORE);
#undef MR_STORE
}
