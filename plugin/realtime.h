/* What run() touches: ports, engine, meters, messages. Each plugin has one of it in its own struct.
   SPDX-License-Identifier: ISC

   Thread: real-time, but for init, which the host's instantiation calls, and connect, which the LV2 rules keep apart from run(). */
#ifndef MILLRACE_PLUGIN_REALTIME_H
#define MILLRACE_PLUGIN_REALTIME_H

#include "../dsp/millrace.h"
#include "messages.h"
#include "meter.h"
#include "ports.h"

#define MR_MAX_CONTROLS 128u /* of a plugin, outputs included */

typedef struct MrRealtime {
  const MrPort* table;
  uint32_t before, last; /* ports before the audio ports and behind them */
  uint32_t channels;
  double fs;

  const float* control[MR_MAX_CONTROLS]; /* inputs, as the table counts them; never NULL */
  float* output[MR_MAX_CONTROLS];        /* outputs; may be NULL */
  uint32_t seen[MR_MAX_CONTROLS];        /* inputs' bits, as they last were */
  bool read;                             /* anything yet */
  const LV2_Atom_Sequence* messages;     /* may be NULL */
  LV2_Atom_Sequence* notify;             /* may be NULL */
  const float* in[MR_METER_CHANNELS];
  float* out[MR_METER_CHANNELS];

  MrUris uris;
  MrNotices notices;
  MrEngine* engine;
  MrMeter meter;
  uint64_t troubles;     /* of the engine, as they last were */
  double trouble_frames; /* for which the last one is still told */

  /* Filters in the engine's place, if there is such a thing and it returns true: frames `position` .. position + n - 1 of the stream since
     activate. */
  bool (*filter)(void* handle, uint32_t n);
  void* filter_handle;
  uint64_t position;
  uint64_t more_troubles; /* of what filters so */
} MrRealtime;

/* Where the ports of the meters stand in a table. */
typedef struct MrMeterPorts {
  uint32_t latency, peak_in, peak_out, clips;
} MrMeterPorts;

void mr_realtime_init(MrRealtime* rt, const MrPort* table, uint32_t before, uint32_t last, uint32_t channels, double fs);
void mr_realtime_connect(MrRealtime* rt, uint32_t port, void* data);

/* Everything as at the start of a stream. */
void mr_realtime_activate(MrRealtime* rt);

/* Takes what has changed at the control inputs into value, [before + last], within each port's range. True if anything has, or it is the first look. */
bool mr_realtime_read(MrRealtime* rt, float* value);

/* Filters n frames and measures. Nothing where a host has left audio ports without a buffer. */
void mr_realtime_process(MrRealtime* rt, uint32_t n, const MrMeterPorts* ports);

/* Whether a channel was restarted within the last ten seconds of the stream; n more frames have passed. */
bool mr_realtime_had_trouble(MrRealtime* rt, uint32_t n);

static inline void mr_realtime_tell(const MrRealtime* rt, uint32_t port, float value) {
  if (rt->output[port]) *rt->output[port] = value;
}

#endif
