/* Peaks of all channels, and how often they passed full scale: measured in the callback, read by the main thread.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_METER_H
#define MR_HOST_JACK_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../dsp/millrace.h"

typedef _Atomic float MrJackPeak;

typedef struct MrJackMeter {
  uint32_t channels;
  MrJackPeak *in, *out;   /* of each channel since the last look */
  _Atomic uint64_t clips; /* blocks of a channel whose output passed full scale, all channels together */
} MrJackMeter;

/* What one look found. */
typedef struct MrJackLevels {
  float in, out;                    /* the largest magnitudes; INFINITY for one that is no number */
  uint32_t in_channel, out_channel; /* theirs, from 0 */
  uint32_t clipping;                /* channels whose output passed full scale */
  uint64_t clips;                   /* since the start */
} MrJackLevels;

/* False without memory. Thread: control. */
bool mr_jack_meter_init(MrJackMeter* meter, uint32_t channels);
void mr_jack_meter_free(MrJackMeter* meter);

/* A block of all channels, by an engine's kernels. The inputs are to be measured before their buffers may be written. Thread: real-time. */
void mr_jack_meter_in(MrJackMeter* meter, const MrEngine* engine, const float* const* in, uint32_t n);
void mr_jack_meter_out(MrJackMeter* meter, const MrEngine* engine, float* const* out, uint32_t n);

/* The levels since the last look. Thread: control, one at a time. */
MrJackLevels mr_jack_meter_look(MrJackMeter* meter);

#endif
