/* Peaks and clipped samples of what goes in and comes out.
   SPDX-License-Identifier: ISC

   Magnitudes of floats are in the order of their bits without the sign, NaNs above infinity, so whole numbers are compared, four at a time. */
#include "meter.h"

#include <math.h>
#include <string.h>

typedef int32_t MrFour __attribute__((vector_size(16)));

#define MAGNITUDE 0x7fffffff
#define ONE       0x3f800000 /* 1.0f */
#define LEAST     1e-7       /* of a peak that falls: below what is shown */

static MrFour magnitudes(const float* x) {
  MrFour bits;
  memcpy(&bits, x, sizeof bits);
  return bits & MAGNITUDE;
}

static MrFour larger(MrFour a, MrFour b) {
  const MrFour greater = a > b;
  return (a & greater) | (b & ~greater);
}

static int32_t magnitude(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & MAGNITUDE;
}

/* Bits of the largest magnitude. */
static int32_t peak_of(const float* x, uint32_t n) {
  MrFour most[4] = {{0}};
  uint32_t f = 0;
  for (; f + 16 <= n; f += 16)
    for (uint32_t i = 0; i < 4; i++) most[i] = larger(most[i], magnitudes(x + f + 4 * i));
  const MrFour all = larger(larger(most[0], most[1]), larger(most[2], most[3]));
  int32_t peak = 0;
  for (uint32_t i = 0; i < 4; i++) peak = all[i] > peak ? all[i] : peak;
  for (; f < n; f++) peak = magnitude(x[f]) > peak ? magnitude(x[f]) : peak;
  return peak;
}

static float value_of(int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return isnan(value) ? INFINITY : value;
}

void mr_meter_reset(MrMeter* meter, double fs) {
  memset(meter, 0, sizeof *meter);
  meter->fall = pow(10, -1 / fs);
  meter->left = 1;
}

static float follow(MrMeter* meter, float peak, float block, uint32_t n) {
  if (n != meter->frames) { /* blocks are mostly of one length, and a power takes as long as filtering some frames */
    meter->frames = n;
    meter->left = pow(meter->fall, n);
  }
  const double fallen = isinf(peak) ? 0 : peak * meter->left;
  return block > fallen ? block : fallen > LEAST ? (float)fallen : 0; /* 0 in the end, without subnormals on the way */
}

void mr_meter_inputs(MrMeter* meter, const float* const* x, uint32_t channels, uint32_t n) {
  int32_t most = 0;
  for (uint32_t c = 0; c < channels; c++) {
    const int32_t peak = peak_of(x[c], n);
    most = peak > most ? peak : most;
  }
  meter->in = follow(meter, meter->in, value_of(most), n);
}

static uint64_t count_clips(const float* x, uint32_t n) {
  uint64_t count = 0;
  for (uint32_t f = 0; f < n; f++) count += magnitude(x[f]) > ONE;
  return count;
}

void mr_meter_outputs(MrMeter* meter, float* const* x, uint32_t channels, uint32_t n) {
  int32_t most = 0;
  for (uint32_t c = 0; c < channels; c++) {
    const int32_t peak = peak_of(x[c], n);
    most = peak > most ? peak : most;
    if (peak <= ONE) continue;
    meter->clips[c] += count_clips(x[c], n);
    meter->most_clips = meter->clips[c] > meter->most_clips ? meter->clips[c] : meter->most_clips;
  }
  meter->out = follow(meter, meter->out, value_of(most), n);
}

void mr_meter_rest(MrMeter* meter, uint32_t n) {
  if (meter->in > 0) meter->in = follow(meter, meter->in, 0, n);
  if (meter->out > 0) meter->out = follow(meter, meter->out, 0, n);
}

float mr_meter_db(float peak) {
  if (!(peak > 1e-6f)) return MR_METER_FLOOR_DB;
  return fminf(20 * log10f(peak), MR_METER_TOP_DB);
}
