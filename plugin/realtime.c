/* What run() touches: ports, engine, meters, messages.
   SPDX-License-Identifier: ISC */
#include "realtime.h"

#include <string.h>

#include "port_value.h"

#define TROUBLE_SECONDS 10.0

void mr_realtime_init(MrRealtime* rt, const MrPort* table, uint32_t before, uint32_t last, uint32_t channels, double fs) {
  memset(rt, 0, sizeof *rt);
  rt->table = table;
  rt->before = before;
  rt->last = last;
  rt->channels = channels;
  rt->fs = fs;
  static const float nothing = 0;
  for (uint32_t i = 0; i < MR_MAX_CONTROLS; i++) rt->control[i] = i < before + last ? &table[i].initial : &nothing;
  mr_meter_reset(&rt->meter, fs);
}

static void connect_control(MrRealtime* rt, uint32_t index, void* data) {
  switch (rt->table[index].kind) {
    case MR_CONTROL_IN:
      rt->control[index] = data ? data : &rt->table[index].initial;
      break;
    case MR_CONTROL_OUT:
      rt->output[index] = data;
      break;
    case MR_ATOM_IN:
      rt->messages = data;
      break;
    case MR_ATOM_OUT:
      rt->notify = data;
      break;
  }
}

void mr_realtime_connect(MrRealtime* rt, uint32_t port, void* data) {
  const uint32_t audio = 2 * rt->channels;
  if (port < rt->before)
    connect_control(rt, port, data);
  else if (port < rt->before + rt->channels)
    rt->in[port - rt->before] = data;
  else if (port < rt->before + audio)
    rt->out[port - rt->before - rt->channels] = data;
  else if (port < rt->before + audio + rt->last)
    connect_control(rt, port - audio, data);
}

void mr_realtime_activate(MrRealtime* rt) {
  mr_engine_reset(rt->engine);
  mr_meter_reset(&rt->meter, rt->fs);
  rt->troubles = mr_engine_troubles(rt->engine) + rt->more_troubles;
  rt->trouble_frames = 0;
  rt->position = 0;
}

static uint32_t bits_of(const float* value) {
  uint32_t bits;
  memcpy(&bits, value, sizeof bits);
  return bits;
}

/* Whether any input has other bits than those seen last: four at a time, since this is most of what a block costs while nothing happens. Outputs stand
   among the inputs at their initial values, and so does what fills the last four up. */
static bool has_changed(const MrRealtime* rt, uint32_t count) {
  uint32_t changes = 0;
  for (uint32_t i = 0; i < count; i += 4) {
    const float* const* at = rt->control + i;
    const uint32_t* seen = rt->seen + i;
    changes |= ((bits_of(at[0]) ^ seen[0]) | (bits_of(at[1]) ^ seen[1])) | ((bits_of(at[2]) ^ seen[2]) | (bits_of(at[3]) ^ seen[3]));
  }
  return changes;
}

bool mr_realtime_read(MrRealtime* rt, float* value) {
  const uint32_t count = rt->before + rt->last;
  if (rt->read && !has_changed(rt, count)) return false;
  for (uint32_t i = 0; i < count; i++) {
    const float now = *rt->control[i];
    rt->seen[i] = bits_of(&now);
    value[i] = mr_port_value(&rt->table[i], now, value[i]);
  }
  rt->read = true;
  return true;
}

static bool has_buffers(const MrRealtime* rt) {
  bool has = true;
  for (uint32_t c = 0; c < rt->channels; c++) has &= rt->in[c] && rt->out[c];
  return has;
}

void mr_realtime_process(MrRealtime* rt, uint32_t n, const MrMeterPorts* ports) {
  if (n && has_buffers(rt)) {
    if (mr_engine_passes(rt->engine)) {
      mr_engine_process_f32(rt->engine, rt->in, rt->out, n);
      mr_meter_rest(&rt->meter, n);
    } else {
      mr_meter_inputs(&rt->meter, rt->engine, rt->in, rt->channels, n);
      if (!rt->filter || !rt->filter(rt->filter_handle, n)) mr_engine_process_f32(rt->engine, rt->in, rt->out, n);
      mr_meter_outputs(&rt->meter, rt->engine, rt->out, rt->channels, n);
    }
    rt->position += n;
  }
  mr_realtime_tell(rt, ports->latency, 0);
  mr_realtime_tell(rt, ports->peak_in, mr_meter_db(rt->meter.in));
  mr_realtime_tell(rt, ports->peak_out, mr_meter_db(rt->meter.out));
  mr_realtime_tell(rt, ports->clips, (float)(rt->meter.most_clips < 1 << 24 ? rt->meter.most_clips : 1 << 24));
}

bool mr_realtime_had_trouble(MrRealtime* rt, uint32_t n) {
  const uint64_t troubles = mr_engine_troubles(rt->engine) + rt->more_troubles;
  if (troubles != rt->troubles)
    rt->trouble_frames = TROUBLE_SECONDS * rt->fs;
  else
    rt->trouble_frames = rt->trouble_frames > n ? rt->trouble_frames - n : 0;
  rt->troubles = troubles;
  return rt->trouble_frames > 0;
}
