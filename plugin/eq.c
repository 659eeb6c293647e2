/* The EQ: ports and messages become bands of an engine.
   SPDX-License-Identifier: ISC */
#include "eq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel_list.h"
#include "channels_of.h"

#define TELL_SOLO (1u << MR_EQ_SETS)
#define TELL_ALL  ((TELL_SOLO << 1) - 1)

enum { STATUS_FINE, STATUS_BEYOND, STATUS_TROUBLE };

static const MrMeterPorts meter_ports = {MR_EQ_LATENCY, MR_EQ_PEAK_IN, MR_EQ_PEAK_OUT, MR_EQ_CLIPS};

/* ------------------------------------------------------- control thread */

static void map_properties(MrEq* eq, LV2_URID_Map* map) {
  char uri[sizeof MR_EQ_URI + 8];
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) {
    snprintf(uri, sizeof uri, MR_EQ_URI "set%u", k + 1);
    eq->set_key[k] = map->map(map->handle, uri);
  }
  eq->solo_key = map->map(map->handle, MR_EQ_URI "solo");
}

LV2_Handle mr_eq_instantiate(const LV2_Descriptor* descriptor, double fs, const char* bundle, const LV2_Feature* const* features) {
  MrFeatures found;
  mr_features_find(&found, features);
  if (!found.map) return NULL;
  MrEq* eq = calloc(1, sizeof *eq);
  if (!eq) return NULL;
  const uint32_t channels = mr_channels_of(descriptor);
  mr_realtime_init(&eq->rt, mr_eq_ports, MR_EQ_AUDIO, channels == 2 ? MR_EQ_LAST : 0, channels, fs);
  mr_uris_map(&eq->rt.uris, found.map, descriptor->URI);
  mr_notices_init(&eq->rt.notices, found.map);
  mr_later_init(&eq->later, found.map);
  map_properties(eq, found.map);
  pthread_mutex_init(&eq->lock, NULL);
  mr_eq_settings_initial(&eq->settings, channels);
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) atomic_store(&eq->shared.set[k], eq->settings.set[k]);
  const MrEngineOptions options = {.channels = channels,
                                   .fs = fs,
                                   .largest_block = mr_features_largest_block(&found, &eq->rt.uris, 8192),
                                   .max_bands = MR_EQ_BANDS,
                                   .max_sections = MR_EQ_MAX_SECTIONS,
                                   .threads = mr_features_threads(&found, &eq->rt.uris)};
  MrStatus status = MR_ERR_MEMORY;
  if (mr_eq_picture_init(&eq->picture, &found, bundle, fs, &eq->settings)) eq->rt.engine = mr_engine_new(&options, &status);
  if (eq->rt.engine) return eq;
  mr_features_log(&found, eq->rt.uris.log_Error, mr_strerror(status));
  mr_eq_cleanup(eq);
  return NULL;
}

void mr_eq_cleanup(LV2_Handle handle) {
  MrEq* eq = handle;
  mr_engine_free(eq->rt.engine);
  mr_eq_picture_free(&eq->picture);
  mr_later_free(&eq->later);
  pthread_mutex_destroy(&eq->lock);
  free(eq);
}

void mr_eq_connect(LV2_Handle handle, uint32_t port, void* data) { mr_realtime_connect(&((MrEq*)handle)->rt, port, data); }

void mr_eq_activate(LV2_Handle handle) { mr_realtime_activate(&((MrEq*)handle)->rt); }

/* ----------------------------------------------------- real-time thread */

static bool take_restored(MrEq* eq) {
  const uint32_t restored = atomic_load_explicit(&eq->shared.restored, memory_order_acquire);
  if (restored == eq->restored) return false;
  eq->restored = restored;
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) eq->settings.set[k] = atomic_load_explicit(&eq->shared.set[k], memory_order_relaxed);
  eq->tell |= TELL_ALL & ~TELL_SOLO;
  return true;
}

static bool set_channels(MrEq* eq, uint32_t k, const LV2_Atom* value) {
  size_t length;
  uint64_t set;
  const char* text = mr_message_text(&eq->rt.uris, value, &length);
  if (!text || !mr_channel_list_read(text, length, &set)) return false; /* half typed, perhaps */
  eq->tell |= 1u << k;
  if (set == eq->settings.set[k]) return false;
  eq->settings.set[k] = set;
  atomic_store_explicit(&eq->shared.set[k], set, memory_order_relaxed);
  return eq->changed = true;
}

static bool set_solo(MrEq* eq, const LV2_Atom* value) {
  if (value->type != eq->rt.uris.atom_Int || value->size != sizeof(int32_t)) return false;
  const int32_t solo = ((const LV2_Atom_Int*)value)->body;
  if (solo < 0 || solo > (int32_t)MR_EQ_BANDS) return false;
  eq->tell |= TELL_SOLO;
  const bool changed = eq->settings.solo != (uint32_t)solo;
  eq->settings.solo = (uint32_t)solo;
  return changed;
}

static bool take_message(MrEq* eq, const MrMessage* message) {
  if (message->asks && !message->property) eq->tell |= TELL_ALL;
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) {
    if (message->property != eq->set_key[k]) continue;
    if (!message->asks) return set_channels(eq, k, message->value);
    eq->tell |= 1u << k;
  }
  if (message->property != eq->solo_key) return false;
  if (!message->asks) return set_solo(eq, message->value);
  eq->tell |= TELL_SOLO;
  return false;
}

static bool take_messages(MrEq* eq) {
  bool changed = false;
  for (const LV2_Atom_Event* event = NULL; (event = mr_message_next(&eq->rt.uris, eq->rt.messages, event));) {
    MrMessage message;
    if (mr_message_read(&eq->rt.uris, &event->body, &message)) changed |= take_message(eq, &message);
  }
  return changed;
}

static void tell(MrEq* eq) {
  MrRealtime* rt = &eq->rt;
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) {
    char text[MR_CHANNEL_LIST_SIZE];
    if (!(eq->tell >> k & 1)) continue;
    const size_t length = mr_channel_list_write(eq->settings.set[k], text);
    if (mr_notices_text(&rt->notices, &rt->uris, eq->set_key[k], rt->uris.atom_String, text, length)) eq->tell &= ~(1u << k);
  }
  if (eq->tell & TELL_SOLO && mr_notices_int(&rt->notices, &rt->uris, eq->solo_key, (int32_t)eq->settings.solo)) eq->tell &= ~TELL_SOLO;
  if (eq->changed && mr_notices_changed(&rt->notices, &rt->uris)) eq->changed = false;
}

static void take_settings(MrEq* eq) {
  MrBands bands;
  mr_eq_settings_bands(&eq->settings, eq->rt.channels, eq->band, &bands);
  eq->beyond = mr_eq_settings_beyond(&bands, eq->rt.fs);
  mr_engine_set_bands(eq->rt.engine, &bands);
  mr_engine_set_gain(eq->rt.engine, eq->settings.value[MR_EQ_GAIN]);
  mr_engine_bypass(eq->rt.engine, !(eq->settings.value[MR_EQ_ENABLED] > 0.5f));
  mr_eq_picture_change(&eq->picture, &eq->settings);
}

void mr_eq_run(LV2_Handle handle, uint32_t n) {
  MrEq* eq = handle;
  MrRealtime* rt = &eq->rt;
  bool changed = take_restored(eq);
  changed |= take_messages(eq);
  changed |= mr_realtime_read(rt, eq->settings.value);
  if (changed) take_settings(eq);
  mr_realtime_process(rt, n, &meter_ports);
  mr_realtime_tell(rt, MR_EQ_STATUS, mr_realtime_had_trouble(rt, n) ? STATUS_TROUBLE : eq->beyond ? STATUS_BEYOND : STATUS_FINE);
  mr_notices_begin(&rt->notices, rt->notify);
  if (eq->tell || eq->changed) tell(eq);
  mr_notices_end(&rt->notices);
  mr_inline_step(&eq->picture.display, n, eq->settings.value[MR_EQ_FREEWHEEL] > 0.5f);
}

/* --------------------------------------------------------- any other one */

static MrInlineImage* render(LV2_Handle handle, uint32_t width, uint32_t most_height) {
  MrEq* eq = handle;
  return mr_eq_picture_render(&eq->picture, eq->rt.channels, eq->rt.fs, width, most_height);
}

const void* mr_eq_extension(const char* uri) {
  static const MrInlineInterface picture = {render};
  if (!strcmp(uri, MR_INLINE_DISPLAY__interface)) return &picture;
  return strcmp(uri, LV2_STATE__interface) ? NULL : &mr_eq_state;
}
