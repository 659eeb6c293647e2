/* What a host offers.
   SPDX-License-Identifier: ISC */
#include "host_features.h"

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <string.h>

void mr_features_find(MrFeatures* found, const LV2_Feature* const* features) {
  memset(found, 0, sizeof *found);
  for (; features && *features; features++) {
    const char* uri = (*features)->URI;
    void* data = (*features)->data;
    if (!uri) continue;
    if (!strcmp(uri, LV2_URID__map)) found->map = data;
    if (!strcmp(uri, LV2_LOG__log)) found->log = data;
    if (!strcmp(uri, LV2_WORKER__schedule)) found->schedule = data;
    if (!strcmp(uri, LV2_OPTIONS__options)) found->options = data;
    if (!strcmp(uri, LV2_STATE__mapPath)) found->map_path = data;
    if (!strcmp(uri, LV2_STATE__freePath)) found->free_path = data;
    if (!strcmp(uri, MR_INLINE_DISPLAY__queue_draw)) found->queue_draw = data;
  }
}

uint32_t mr_features_largest_block(const MrFeatures* features, const MrUris* uris, uint32_t otherwise) {
  for (const LV2_Options_Option* option = features->options; option && (option->key || option->value); option++) {
    int32_t frames;
    if (option->context != LV2_OPTIONS_INSTANCE || option->key != uris->bufsz_maxBlockLength || option->type != uris->atom_Int ||
        option->size != sizeof frames || !option->value)
      continue;
    memcpy(&frames, option->value, sizeof frames);
    if (frames > 0) return (uint32_t)frames;
  }
  return otherwise;
}

MrThreadOptions mr_features_threads(const MrFeatures* features, const MrUris* uris) {
  bool wrong;
  const MrThreadOptions options = mr_thread_options(&wrong);
  if (wrong)
    mr_features_log(features, uris->log_Warning,
                    "threads are a number from 1 to 64 or auto, awake is yes or no: in MILLRACE_THREADS or the configuration file stands "
                    "something else");
  return options;
}

void mr_features_log(const MrFeatures* features, LV2_URID kind, const char* text) {
  if (features->log && features->log->printf) features->log->printf(features->log->handle, kind, "Millrace: %s\n", text);
}
