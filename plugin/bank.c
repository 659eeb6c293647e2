/* The Bank: a file's filters play, ports move their gain and mode.
   SPDX-License-Identifier: ISC */
#include "bank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channels_of.h"

static const MrMeterPorts meter_ports = {MR_BANK_LATENCY, MR_BANK_PEAK_IN, MR_BANK_PEAK_OUT, MR_BANK_CLIPS};

static bool filter_freewheeling(void* handle, uint32_t n);

/* ------------------------------------------------------- control thread */

static void open_file(void* handle, const char* path, unsigned ticket) { mr_keeper_open(&((MrBankPlugin*)handle)->keeper, path, ticket); }

static void work_beside(void* handle) { mr_card_work(((MrBankPlugin*)handle)->card); }

/* A card in freewheel, if the user wishes; there is no harm where there is none. */
static void want_card(MrBankPlugin* plugin, uint32_t largest_block) {
  bool wrong;
  const MrCardWish wish = mr_card_wish(&wrong);
  if (wrong) mr_features_log(&plugin->features, plugin->rt.uris.log_Warning, "MILLRACE_DEVICE: cpu, auto or cuda is expected");
  plugin->card = mr_card_new(wish, &plugin->keeper, plugin->rt.channels, plugin->rt.fs, largest_block);
  if (!plugin->card) return;
  plugin->rt.filter = filter_freewheeling;
  plugin->rt.filter_handle = plugin;
}

LV2_Handle mr_bank_plugin_instantiate(const LV2_Descriptor* descriptor, double fs, const char* bundle, const LV2_Feature* const* features) {
  MrFeatures found;
  mr_features_find(&found, features);
  if (!found.map) return NULL;
  MrBankPlugin* plugin = calloc(1, sizeof *plugin);
  if (!plugin) return NULL;
  const uint32_t channels = mr_channels_of(descriptor);
  plugin->features = found;
  mr_realtime_init(&plugin->rt, mr_bank_ports, MR_BANK_AUDIO, 0, channels, fs);
  mr_uris_map(&plugin->rt.uris, found.map, descriptor->URI);
  mr_notices_init(&plugin->rt.notices, found.map);
  plugin->file_key = found.map->map(found.map->handle, MR_BANK_URI "file");
  plugin->message_key = found.map->map(found.map->handle, MR_BANK_URI "message");
  for (uint32_t i = 0; i < MR_BANK_AUDIO; i++) plugin->value[i] = mr_bank_ports[i].initial;
  const MrEngineOptions options = {.channels = channels,
                                   .fs = fs,
                                   .largest_block = mr_features_largest_block(&found, &plugin->rt.uris, 8192),
                                   .threads = mr_features_threads(&found, &plugin->rt.uris)};
  MrStatus status;
  plugin->rt.engine = mr_engine_new(&options, &status);
  if (plugin->rt.engine) {
    const bool pictures = mr_bank_picture_init(&plugin->picture, &found, bundle, fs);
    status = mr_keeper_init(&plugin->keeper, &plugin->features, &plugin->rt.uris, plugin->rt.engine, &plugin->picture, channels, fs);
    if (!pictures) status = MR_ERR_MEMORY;
    if (status == MR_OK) want_card(plugin, options.largest_block);
    if (status == MR_OK && !mr_loader_init(&plugin->loader, found.schedule, open_file, plugin->card ? work_beside : NULL, plugin))
      status = MR_ERR_MEMORY;
    if (status == MR_OK) return plugin;
    mr_card_free(plugin->card);
    mr_keeper_free(&plugin->keeper);
    mr_bank_picture_free(&plugin->picture);
  }
  mr_features_log(&found, plugin->rt.uris.log_Error, mr_strerror(status));
  mr_engine_free(plugin->rt.engine);
  free(plugin);
  return NULL;
}

void mr_bank_plugin_cleanup(LV2_Handle handle) {
  MrBankPlugin* plugin = handle;
  mr_loader_end(&plugin->loader);
  mr_card_free(plugin->card);
  mr_kept_return(&plugin->keeper.kept, plugin->notice);
  mr_keeper_free(&plugin->keeper);
  mr_bank_picture_free(&plugin->picture);
  mr_engine_free(plugin->rt.engine);
  free(plugin);
}

void mr_bank_plugin_connect(LV2_Handle handle, uint32_t port, void* data) { mr_realtime_connect(&((MrBankPlugin*)handle)->rt, port, data); }

void mr_bank_plugin_activate(LV2_Handle handle) {
  MrBankPlugin* plugin = handle;
  mr_realtime_activate(&plugin->rt);
  mr_card_disturb(plugin->card);
}

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store, LV2_State_Handle state, uint32_t flags,
                             const LV2_Feature* const* features) {
  (void)flags;
  return mr_keeper_save(&((MrBankPlugin*)handle)->keeper, store, state, features);
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state, uint32_t flags,
                                const LV2_Feature* const* features) {
  (void)flags;
  return mr_keeper_restore(&((MrBankPlugin*)handle)->keeper, retrieve, state, features);
}

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond, LV2_Worker_Respond_Handle responder, uint32_t size,
                              const void* data) {
  (void)respond;
  (void)responder;
  (void)size;
  (void)data;
  mr_loader_work(&((MrBankPlugin*)handle)->loader);
  return LV2_WORKER_SUCCESS;
}

/* The keeper's atomics have told run() already. */
static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void* data) {
  (void)handle;
  (void)size;
  (void)data;
  return LV2_WORKER_SUCCESS;
}

static MrInlineImage* render(LV2_Handle handle, uint32_t width, uint32_t most_height) {
  return mr_bank_picture_render(&((MrBankPlugin*)handle)->picture, width, most_height);
}

const void* mr_bank_plugin_extension(const char* uri) {
  static const MrInlineInterface picture = {render};
  if (!strcmp(uri, MR_INLINE_DISPLAY__interface)) return &picture;
  static const LV2_State_Interface state = {save, restore};
  static const LV2_Worker_Interface worker = {work, work_response, NULL};
  if (!strcmp(uri, LV2_STATE__interface)) return &state;
  return strcmp(uri, LV2_WORKER__interface) ? NULL : &worker;
}

/* ----------------------------------------------------- real-time thread */

static void take_message(MrBankPlugin* plugin, const MrMessage* message) {
  if (message->asks) {
    plugin->tells_file |= !message->property || message->property == plugin->file_key;
    plugin->tells_message |= !message->property || message->property == plugin->message_key;
    return;
  }
  if (message->property != plugin->file_key) return;
  size_t length;
  const char* path = mr_message_text(&plugin->rt.uris, message->value, &length);
  if (!path || !length) return;
  if (!mr_loader_want(&plugin->loader, path, length, atomic_load(&plugin->keeper.kept.restores)))
    plugin->tells_file = true; /* too long to be one: the host is told what it is still */
}

static void take_notice(MrBankPlugin* plugin) {
  MrNotice* fresh = mr_kept_take(&plugin->keeper.kept);
  if (!fresh) return;
  mr_kept_return(&plugin->keeper.kept, plugin->notice);
  plugin->notice = fresh;
  plugin->tells_file = plugin->tells_message = true;
  plugin->changed |= fresh->by_message;
}

static void tell(MrBankPlugin* plugin) {
  MrRealtime* rt = &plugin->rt;
  const MrNotice* notice = plugin->notice;
  if (plugin->tells_file && mr_notices_text(&rt->notices, &rt->uris, plugin->file_key, rt->uris.atom_Path, notice ? notice->path : "",
                                            notice ? notice->path_length : 0))
    plugin->tells_file = false;
  if (plugin->tells_message && mr_notices_text(&rt->notices, &rt->uris, plugin->message_key, rt->uris.atom_String,
                                               notice ? notice->message : "", notice ? notice->message_length : 0))
    plugin->tells_message = false;
  if (plugin->changed && mr_notices_changed(&rt->notices, &rt->uris)) plugin->changed = false;
}

static void show(MrBankPlugin* plugin, bool muted, uint32_t n) {
  const float* value = plugin->value;
  const MrBankScene scene = {.gain_db = (double)value[MR_BANK_PREAMP] + (double)value[MR_BANK_GAIN],
                             .way = (uint32_t)lroundf(value[MR_BANK_MODE]),
                             .enabled = value[MR_BANK_ENABLED] > 0.5f,
                             .muted = muted};
  mr_bank_picture_step(&plugin->picture, &scene, n, value[MR_BANK_FREEWHEEL] > 0.5f);
}

static void take_values(MrBankPlugin* plugin) {
  MrEngine* engine = plugin->rt.engine;
  const float* value = plugin->value;
  mr_engine_set_gain(engine, (double)value[MR_BANK_PREAMP] + (double)value[MR_BANK_GAIN]);
  mr_engine_choose(engine, (uint32_t)lroundf(value[MR_BANK_MODE]));
  mr_engine_bypass(engine, !(value[MR_BANK_ENABLED] > 0.5f));
}

static bool filter_freewheeling(void* handle, uint32_t n) {
  MrBankPlugin* plugin = handle;
  MrRealtime* rt = &plugin->rt;
  bool ask = false;
  if (!(plugin->value[MR_BANK_FREEWHEEL] > 0.5f)) return false;
  const double gain_db = (double)plugin->value[MR_BANK_PREAMP] + (double)plugin->value[MR_BANK_GAIN];
  const double gain = pow(10, fmin(fmax(gain_db, -200), 60) / 20); /* as mr_engine_set_gain() has it */
  const bool done = mr_card_filter(plugin->card, rt->engine, rt->position, gain, rt->in, rt->out, n, &ask);
  if (ask) mr_loader_ask(&plugin->loader);
  rt->more_troubles = mr_card_troubles(plugin->card);
  return done;
}

void mr_bank_plugin_run(LV2_Handle handle, uint32_t n) {
  MrBankPlugin* plugin = handle;
  MrRealtime* rt = &plugin->rt;
  const MrKept* kept = &plugin->keeper.kept;
  for (const LV2_Atom_Event* event = NULL; (event = mr_message_next(&rt->uris, rt->messages, event));) {
    MrMessage message;
    if (mr_message_read(&rt->uris, &event->body, &message)) take_message(plugin, &message);
  }
  mr_loader_step(&plugin->loader);
  if (mr_realtime_read(rt, plugin->value)) {
    take_values(plugin);
    mr_card_disturb(plugin->card);
  }
  const bool refused = atomic_load_explicit(&kept->refused, memory_order_acquire); /* before `protects`, which is told first */
  const bool muted = refused && (!(plugin->value[MR_BANK_ON_ERROR] > 0.5f) || atomic_load_explicit(&kept->protects, memory_order_relaxed));
  mr_engine_mute(rt->engine, muted);
  if (muted != plugin->muted) mr_card_disturb(plugin->card);
  plugin->muted = muted;
  mr_realtime_process(rt, n, &meter_ports);
  const int status = atomic_load_explicit(&kept->status, memory_order_relaxed);
  const bool trouble = mr_realtime_had_trouble(rt, n);
  mr_realtime_tell(rt, MR_BANK_STATUS, (float)(status == MR_BANK_FINE && trouble ? MR_BANK_TROUBLE : status));
  mr_realtime_tell(rt, MR_BANK_MUTED, muted && plugin->value[MR_BANK_ENABLED] > 0.5f); /* bypass passes, whatever plays */
  take_notice(plugin);
  mr_notices_begin(&rt->notices, rt->notify);
  if (plugin->tells_file || plugin->tells_message || plugin->changed) tell(plugin);
  mr_notices_end(&rt->notices);
  show(plugin, muted, n);
}
