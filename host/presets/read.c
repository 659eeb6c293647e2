/* Reads presets and saved states: port values and properties, as lilv has them.
   SPDX-License-Identifier: ISC */
#include <lv2/atom/atom.h>
#include <lv2/state/state.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plugin/channel_list.h"
#include "../plugin/later.h"
#include "../plugin/port_value.h"
#include "../plugin/uris.h"
#include "command.h"
#include "message.h"
#include "preset.h"
#include "presets/family.h"
#include "presets/find.h"

enum { BANK_BYTES_AT_MOST = 4 << 20 }; /* as the plugin takes them */

typedef struct Reading {
  MrPreset* preset;
  MrFound* found;
  unsigned ports; /* values found */
  bool failed;    /* and a message has been said */
} Reading;

static LV2_URID number_of(const Reading* reading, const char* uri) {
  const LV2_URID_Map* const map = &reading->found->urids.map;
  return map->map(map->handle, uri);
}

static bool fail(Reading* reading) {
  reading->failed = true;
  return false;
}

/* --------------------------------------------------------------- ports */

typedef struct Table {
  const MrPort* port;
  size_t count;
} Table;

static Table table_of(const MrPreset* preset) {
  return preset->is_bank ? (Table){mr_bank_ports, sizeof mr_bank_ports / sizeof *mr_bank_ports}
                         : (Table){mr_eq_ports, sizeof mr_eq_ports / sizeof *mr_eq_ports};
}

/* Any kind of number that an atom may hold. */
static bool take_number(const Reading* reading, const void* value, uint32_t size, uint32_t type, float* number) {
  const struct {
    const char* uri;
    size_t size;
  } kinds[] = {{LV2_ATOM__Float, sizeof(float)},
               {LV2_ATOM__Double, sizeof(double)},
               {LV2_ATOM__Int, sizeof(int32_t)},
               {LV2_ATOM__Bool, sizeof(int32_t)},
               {LV2_ATOM__Long, sizeof(int64_t)}};
  size_t kind = 0;
  while (kind < sizeof kinds / sizeof *kinds && type != number_of(reading, kinds[kind].uri)) ++kind;
  if (kind == sizeof kinds / sizeof *kinds || size != kinds[kind].size) return false;
  double wide = 0;
  int32_t whole = 0;
  int64_t large = 0;
  if (kind == 0) memcpy(number, value, sizeof *number);
  if (kind == 1) memcpy(&wide, value, sizeof wide);
  if (kind == 2 || kind == 3) memcpy(&whole, value, sizeof whole);
  if (kind == 4) memcpy(&large, value, sizeof large);
  if (kind == 1) *number = (float)wide;
  if (kind == 2 || kind == 3) *number = (float)whole;
  if (kind == 4) *number = (float)large;
  return true;
}

static void take_port(const char* symbol, void* handle, const void* value, uint32_t size, uint32_t type) {
  Reading* const reading = handle;
  MrPreset* const preset = reading->preset;
  const Table table = table_of(preset);
  ++reading->ports;
  size_t i = 0;
  while (i < table.count && strcmp(table.port[i].symbol, symbol) != 0) ++i;
  if (i == table.count) {
    mr_say_warning("%s: the plugin has no port %s", preset->name, symbol);
    return;
  }
  if (table.port[i].kind != MR_CONTROL_IN) return; /* some hosts save outputs too */
  float number = 0;
  if (!take_number(reading, value, size, type, &number)) {
    mr_say_warning("%s: the value of port %s is no number; it stays at %g", preset->name, symbol, (double)preset->value[i]);
    return;
  }
  preset->value[i] = mr_port_value(&table.port[i], number, preset->value[i]);
  if (preset->value[i] != number) /* true of a NaN too */
    mr_say_warning("%s: port %s cannot be %g; it is %g", preset->name, symbol, (double)number, (double)preset->value[i]);
}

/* ---------------------------------------------------------- properties */

/* What a state says of a property, within it; NULL: nothing. */
typedef struct Source {
  LV2_State_Retrieve_Function retrieve;
  LV2_State_Handle state;
} Source;

static const char* property(const Reading* reading, const Source* from, const char* uri, size_t* size, uint32_t* type) {
  uint32_t flags = 0;
  *size = 0;
  *type = 0;
  return from->retrieve(from->state, number_of(reading, uri), size, type, &flags);
}

static void look_at_version(const Reading* reading, const Source* from) {
  size_t size;
  uint32_t type;
  const char* const value = property(reading, from, MR_VERSION_URI, &size, &type);
  int32_t version = 0;
  if (!value || type != number_of(reading, LV2_ATOM__Int) || size != sizeof version) return;
  memcpy(&version, value, sizeof version);
  if (version > MR_STATE_FORMAT)
    mr_say_warning("%s: was written by a later version of the plugin, which may mean more than this one knows", reading->preset->name);
}

static void take_sets(Reading* reading, const Source* from) {
  MrPreset* const preset = reading->preset;
  for (unsigned k = 0; k < MR_EQ_SETS; ++k) {
    char uri[sizeof MR_EQ_URI + 16];
    size_t size;
    uint32_t type;
    snprintf(uri, sizeof uri, MR_EQ_URI "set%u", k + 1);
    const char* const text = property(reading, from, uri, &size, &type);
    if (!text) continue;
    const int length = (int)strnlen(text, size < 1024 ? size : 1024);
    preset->has_set[k] = type == number_of(reading, LV2_ATOM__String) && mr_channel_list_read(text, (size_t)length, &preset->set[k]);
    if (!preset->has_set[k])
      mr_say_warning("%s: set%u is no list of channels; it is the one that the plugin starts with", preset->name, k + 1);
  }
}

static const char* base_name(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The bank's path as this machine has it; NULL: none. To be freed. */
static char* take_path(const Reading* reading, const Source* from, const LV2_Feature* const* features) {
  size_t size;
  uint32_t type;
  const char* const kept = property(reading, from, MR_BANK_URI "file", &size, &type);
  if (!kept || !size || (type != number_of(reading, LV2_ATOM__Path) && type != number_of(reading, LV2_ATOM__String))) return NULL;
  char* const abstract = strndup(kept, size);
  const LV2_State_Map_Path* map = NULL;
  for (size_t i = 0; features && features[i]; ++i)
    if (strcmp(features[i]->URI, LV2_STATE__mapPath) == 0) map = features[i]->data;
  char* const path = abstract && map ? map->absolute_path(map->handle, abstract) : NULL;
  if (!path) return abstract;
  char* const copy = strdup(path);
  lilv_free(path);
  free(abstract);
  return copy;
}

static bool check_bank(Reading* reading) {
  const MrBankPart* const part = &reading->preset->bank.part[0];
  if (part->length > BANK_BYTES_AT_MOST)
    mr_say_error("%s: is larger than 4 MB, and the plugin does not play it", part->name);
  else if (part->kind == MR_BANK_JSON)
    mr_say_error("%s: is JSON, which the plugin does not play: -b plays it, and millrace sos writes it as a table", part->name);
  else
    return true;
  return fail(reading);
}

/* The content counts; a path alone, of a preset written by hand perhaps, is read. */
static bool take_bank(Reading* reading, const Source* from, const LV2_Feature* const* features) {
  MrPreset* const preset = reading->preset;
  size_t size;
  uint32_t type;
  const char* const content = property(reading, from, MR_BANK_URI "content", &size, &type);
  const bool is_text = content && (type == number_of(reading, LV2_ATOM__Chunk) || type == number_of(reading, LV2_ATOM__String));
  char* const path = take_path(reading, from, features);
  bool ok = true;
  if (is_text) {
    const char* const file = path ? base_name(path) : "bank";
    const size_t length = type == number_of(reading, LV2_ATOM__String) ? strnlen(content, size) : size;
    char name[1024];
    snprintf(name, sizeof name, "%s (%s)", preset->name, file);
    ok = mr_bank_input_add_text(&preset->bank, name, file, content, length);
  } else if (content) {
    mr_say_error("%s: what it holds for a bank is no text", preset->name);
    ok = false;
  } else if (path) {
    ok = mr_bank_input_add_file(&preset->bank, path);
    if (!ok) mr_say_error("%s: names that bank, and holds no copy of it", preset->name);
  } else if (property(reading, from, MR_BANK_URI "refused", &size, &type)) {
    mr_say_error("%s: its bank was refused in the host, and it holds no copy of it", preset->name);
    ok = false;
  } else if (property(reading, from, MR_BANK_URI "file", &size, &type) && size) {
    mr_say_error("%s: what it holds for the bank's file is no path", preset->name);
    ok = false;
  }
  if (!ok) fail(reading);
  if (ok && preset->bank.parts) ok = check_bank(reading);
  free(path);
  return ok;
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state, uint32_t flags,
                                const LV2_Feature* const* features) {
  Reading* const reading = handle;
  const Source from = {retrieve, state};
  (void)flags;
  look_at_version(reading, &from);
  if (!reading->preset->is_bank)
    take_sets(reading, &from);
  else if (!take_bank(reading, &from, features))
    return LV2_STATE_ERR_UNKNOWN;
  return LV2_STATE_SUCCESS;
}

/* lilv hands out properties to instances alone, so one is made that keeps them. */
static const void* extension(const char* uri) {
  static const LV2_State_Interface state = {NULL, restore};
  return strcmp(uri, LV2_STATE__interface) == 0 ? &state : NULL;
}

/* ----------------------------------------------------------------- all */

static bool take_plugin(MrPreset* preset, const LilvState* state) {
  const LilvNode* const node = lilv_state_get_plugin_uri(state);
  const char* const uri = node && lilv_node_is_uri(node) ? lilv_node_as_uri(node) : "nothing";
  preset->is_bank = mr_family_channels(uri, MR_BANK_URI) != 0;
  if (!preset->is_bank && !mr_family_channels(uri, MR_EQ_URI)) {
    mr_say_error("%s: is for %s, and only presets of " MR_EQ_URI "N and " MR_BANK_URI "N can be played", preset->name, uri);
    return false;
  }
  preset->plugin = strdup(uri);
  return preset->plugin != NULL;
}

static bool take_state(MrPreset* preset, MrFound* found) {
  if (!take_plugin(preset, found->state)) return false;
  const char* const label = lilv_state_get_label(found->state);
  preset->label = label && *label ? strdup(label) : NULL;
  preset->path = found->path ? strdup(found->path) : NULL;
  const Table table = table_of(preset);
  for (size_t i = 0; i < table.count; ++i) preset->value[i] = table.port[i].initial;
  Reading reading = {.preset = preset, .found = found};
  const LV2_Descriptor descriptor = {.URI = preset->plugin, .extension_data = extension};
  LilvInstance instance = {.lv2_descriptor = &descriptor, .lv2_handle = &reading};
  lilv_state_emit_port_values(found->state, take_port, &reading);
  if (!reading.ports) {
    mr_say_error(
        "%s: holds no port values, as states within a session of Ardour, which keeps them elsewhere: save a preset in the host, and use "
        "that",
        preset->name);
    return false;
  }
  lilv_state_restore(found->state, &instance, NULL, NULL, 0, NULL);
  return !reading.failed;
}

int mr_preset_read(MrPreset* preset, const char* name, bool may_be_uri) {
  memset(preset, 0, sizeof *preset);
  preset->name = strdup(name);
  MrFound found;
  const bool ok = preset->name && mr_preset_find(&found, name, may_be_uri) && take_state(preset, &found);
  if (preset->name) mr_preset_lose(&found);
  return ok ? MR_EXIT_DONE : MR_EXIT_BANK;
}
