/* What a host offers. Only the map of URIs must be there.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_FEATURES_H
#define MILLRACE_PLUGIN_FEATURES_H

#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

#include "inline_extension.h"
#include "thread_options.h"
#include "uris.h"

/* Any of them may be NULL. */
typedef struct MrFeatures {
  LV2_URID_Map* map;
  LV2_Log_Log* log;
  LV2_Worker_Schedule* schedule;
  const LV2_Options_Option* options;
  LV2_State_Map_Path* map_path;
  LV2_State_Free_Path* free_path;
  const MrInlineQueue* queue_draw;
} MrFeatures;

/* Thread: control, as the others. features may be NULL. */
void mr_features_find(MrFeatures* found, const LV2_Feature* const* features);

/* The host's largest block, or `otherwise` where it does not say. */
uint32_t mr_features_largest_block(const MrFeatures* features, const MrUris* uris, uint32_t otherwise);

/* The user's threads; what is wrong in what the user says goes to the host's log. */
MrThreadOptions mr_features_threads(const MrFeatures* features, const MrUris* uris);

/* A line in the host's log; nothing where it has none. kind: of MrUris. */
void mr_features_log(const MrFeatures* features, LV2_URID kind, const char* text);

#endif
