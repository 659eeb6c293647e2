/* Peaks and clipped samples of what goes in and comes out.
   SPDX-License-Identifier: ISC */
#include "meter.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-7 /* of a peak that falls: below what is shown */

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

void mr_meter_inputs(MrMeter* meter, const MrEngine* engine, const float* const* x, uint32_t channels, uint32_t n) {
  float most = 0;
  for (uint32_t c = 0; c < channels; c++) most = fmaxf(most, mr_engine_peak_f32(engine, x[c], n));
  meter->in = follow(meter, meter->in, most, n);
}

/* By their bits, whose order is that of magnitudes, NaN above all: a comparison of numbers would set off a host's trap at a NaN. */
static uint64_t count_clips(const float* x, uint32_t n) {
  const uint32_t one = 0x3f800000, magnitude = 0x7fffffff;
  uint64_t count = 0;
  for (uint32_t f = 0; f < n; f++) {
    uint32_t bits;
    memcpy(&bits, x + f, sizeof bits);
    count += (bits & magnitude) > one;
  }
  return count;
}

void mr_meter_outputs(MrMeter* meter, const MrEngine* engine, float* const* x, uint32_t channels, uint32_t n) {
  float most = 0;
  for (uint32_t c = 0; c < channels; c++) {
    const float peak = mr_engine_peak_f32(engine, x[c], n);
    most = fmaxf(most, peak);
    if (peak <= 1) continue;
    meter->clips[c] += count_clips(x[c], n);
    meter->most_clips = meter->clips[c] > meter->most_clips ? meter->clips[c] : meter->most_clips;
  }
  meter->out = follow(meter, meter->out, most, n);
}

void mr_meter_rest(MrMeter* meter, uint32_t n) {
  if (meter->in > 0) meter->in = follow(meter, meter->in, 0, n);
  if (meter->out > 0) meter->out = follow(meter, meter->out, 0, n);
}

float mr_meter_db(float peak) {
  if (!(peak > 1e-6f)) return MR_METER_FLOOR_DB;
  return fminf(20 * log10f(peak), MR_METER_TOP_DB);
}
