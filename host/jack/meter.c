/* Peaks of all channels, and how often they passed full scale.
   SPDX-License-Identifier: ISC */
#include "meter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mr_jack_meter_init(MrJackMeter* meter, uint32_t channels) {
  memset(meter, 0, sizeof *meter);
  meter->channels = channels;
  meter->in = calloc(channels, sizeof *meter->in);
  meter->out = calloc(channels, sizeof *meter->out);
  return meter->in && meter->out;
}

void mr_jack_meter_free(MrJackMeter* meter) {
  free(meter->in);
  free(meter->out);
  memset(meter, 0, sizeof *meter);
}

/* A look in between takes the place's old peak and leaves 0: then this block counts for the next look. */
static void raise(MrJackPeak* place, float peak) {
  if (peak > atomic_load_explicit(place, memory_order_relaxed)) atomic_store_explicit(place, peak, memory_order_relaxed);
}

void mr_jack_meter_in(MrJackMeter* meter, const MrEngine* engine, const float* const* in, uint32_t n) {
  for (uint32_t c = 0; c < meter->channels; ++c) raise(&meter->in[c], mr_engine_peak_f32(engine, in[c], n));
}

void mr_jack_meter_out(MrJackMeter* meter, const MrEngine* engine, float* const* out, uint32_t n) {
  uint64_t clips = 0;
  for (uint32_t c = 0; c < meter->channels; ++c) {
    const float peak = mr_engine_peak_f32(engine, out[c], n);
    raise(&meter->out[c], peak);
    clips += peak > 1;
  }
  if (clips) atomic_fetch_add_explicit(&meter->clips, clips, memory_order_relaxed);
}

static float take(MrJackPeak* place, uint32_t channels, uint32_t* channel, uint32_t* clipping) {
  float most = 0;
  *channel = 0;
  for (uint32_t c = 0; c < channels; ++c) {
    const float peak = atomic_exchange_explicit(&place[c], 0.0f, memory_order_relaxed);
    *clipping += peak > 1;
    if (!(peak > most)) continue;
    most = peak;
    *channel = c;
  }
  return most;
}

MrJackLevels mr_jack_meter_look(MrJackMeter* meter) {
  MrJackLevels levels = {.clips = atomic_load_explicit(&meter->clips, memory_order_relaxed)};
  levels.in = take(meter->in, meter->channels, &levels.in_channel, &levels.clipping);
  levels.clipping = 0;
  levels.out = take(meter->out, meter->channels, &levels.out_channel, &levels.clipping);
  return levels;
}
