/* Filtered samples to integers: nearest, saturated, and counted where they saturate.
   SPDX-License-Identifier: ISC */
#include "pcm.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* 1.5 x 2^52: added to a double of less than 2^51 it leaves the nearest integer in the low bits. A few cycles on every CPU, where
   lrint() is a call on some. */
static const double rounder = 6755399441055744.0;

typedef struct Range {
  double scale, least, most;
  int up; /* factor from `bits` to the 16 or 32 that libsndfile takes */
} Range;

static Range range_of(unsigned bits) {
  const double scale = ldexp(1.0, (int)bits - 1);
  const Range range = {scale, -scale, scale - 1.0, 1 << ((bits <= 16 ? 16 : 32) - bits)};
  return range;
}

/* x in steps; sets *over where it lies outside. */
static inline int32_t convert(double x, const Range* range, bool* over) {
  double v = x * range->scale;
  *over |= v >= range->most + 0.5 || v < range->least - 0.5;
  v = v > range->most ? range->most : v;
  v = v < range->least ? range->least : v;
  v = v == v ? v : 0.0; /* NaN */
  const double sum = v + rounder;
  int64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return (int32_t)(uint32_t)((uint64_t)bits & 0xffffffffu);
}

/* Seldom run: only for blocks in which something clips. `wide`: in is float64. */
static void count_clips(const void* in, bool wide, size_t frames, uint32_t channels, const Range* range, uint64_t first_frame,
                        MrClip* clip) {
  for (size_t i = 0; i < frames; ++i) {
    for (uint32_t k = 0; k < channels; ++k) {
      const size_t at = i * channels + k;
      const double x = wide ? ((const double*)in)[at] : ((const float*)in)[at];
      bool over = false;
      (void)convert(x, range, &over);
      if (!over) continue;
      if (!clip[k].count) clip[k].first_frame = first_frame + i;
      ++clip[k].count;
      if (fabs(x) > clip[k].peak) clip[k].peak = fabs(x);
    }
  }
}

#define DEFINE_CONVERSION(NAME, TYPE, WIDE)                                                                                   \
  void NAME(const TYPE* in, void* out, size_t frames, uint32_t channels, unsigned bits, uint64_t first_frame, MrClip* clip) { \
    const Range range = range_of(bits);                                                                                       \
    const size_t n = frames * channels;                                                                                       \
    bool over = false;                                                                                                        \
    if (bits <= 16) {                                                                                                         \
      int16_t* const to = out;                                                                                                \
      for (size_t i = 0; i < n; ++i) to[i] = (int16_t)(convert((double)in[i], &range, &over) * range.up);                     \
    } else {                                                                                                                  \
      int32_t* const to = out;                                                                                                \
      for (size_t i = 0; i < n; ++i) to[i] = convert((double)in[i], &range, &over) * range.up;                                \
    }                                                                                                                         \
    if (over) count_clips(in, WIDE, frames, channels, &range, first_frame, clip);                                             \
  }

DEFINE_CONVERSION(mr_pcm_from_f32, float, false)
DEFINE_CONVERSION(mr_pcm_from_f64, double, true)

double mr_pcm_preamp_db(double peak, unsigned bits) {
  const Range range = range_of(bits);
  if (!isfinite(peak)) return -INFINITY;
  if (!(peak * range.scale > range.most)) return 0.0;
  return floor(20.0 * log10(range.most / (range.scale * peak)) * 100.0) / 100.0;
}
