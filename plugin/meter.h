/* Peaks and clipped samples of what goes in and comes out.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_METER_H
#define MILLRACE_PLUGIN_METER_H

#include <stdint.h>

#include "../dsp/millrace.h"

#define MR_METER_CHANNELS 64u
#define MR_METER_FLOOR_DB (-120.0f)
#define MR_METER_TOP_DB   60.0f

typedef struct MrMeter {
  double fall;     /* of a peak in a frame, a factor: 20 dB a second */
  uint32_t frames; /* of the last block, and what they leave of a peak */
  double left;
  float in, out; /* peaks, linear */
  uint64_t clips[MR_METER_CHANNELS], most_clips;
} MrMeter;

/* Thread: real-time, all of these. */
void mr_meter_reset(MrMeter* meter, double fs);
/* n frames of planar samples, of inputs before they are overwritten in place, of outputs after. A number that is none counts as infinite. */
void mr_meter_inputs(MrMeter* meter, const MrEngine* engine, const float* const* x, uint32_t channels, uint32_t n);
void mr_meter_outputs(MrMeter* meter, const MrEngine* engine, float* const* x, uint32_t channels, uint32_t n);
/* n frames in which nothing was measured. */
void mr_meter_rest(MrMeter* meter, uint32_t n);
/* A peak in dB, within MR_METER_FLOOR_DB .. MR_METER_TOP_DB. */
float mr_meter_db(float peak);

#endif
