/* Lists the presets that there are.
   SPDX-License-Identifier: ISC */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "preset.h"
#include "presets/known.h"

static void print_json(const MrKnownPresets* known) {
  json_t* const list = json_array();
  for (size_t i = 0; i < known->presets; ++i) {
    const MrKnownPreset* const preset = &known->preset[i];
    json_t* const counts = json_array();
    for (uint32_t k = 0; k < preset->counts; ++k) json_array_append_new(counts, json_integer(preset->count[k]));
    json_array_append_new(
        list, json_pack("{s:s,s:s,s:s,s:s*,s:s*,s:s,s:o}", "name", preset->name, "uri", preset->uri, "title", preset->title, "comment",
                        preset->comment, "group", preset->group, "plugin", preset->is_bank ? "bank" : "eq", "channels", counts));
  }
  json_t* const object = json_pack("{s:o}", "presets", list);
  json_dumpf(object, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(object);
}

/* "1-64 channels": the plugins have no counts of their own between these. */
static void print_preset(const MrKnownPreset* preset) {
  const uint32_t least = preset->count[0], most = preset->count[preset->counts - 1];
  printf("  %-32s %s (%s", preset->name, preset->title, preset->is_bank ? "Bank" : "EQ");
  if (least == most)
    printf(" %u)\n", least);
  else
    printf(" %u-%u)\n", least, most);
  if (preset->comment) printf("      %s\n", preset->comment);
}

static void print_text(const MrKnownPresets* known) {
  const char* group = NULL;
  for (size_t i = 0; i < known->presets; ++i) {
    const char* const own = known->preset[i].group ? known->preset[i].group : "Without a group";
    if (!group || strcmp(group, own) != 0) printf("%s%s\n", group ? "\n" : "", own);
    group = own;
    print_preset(&known->preset[i]);
  }
}

int mr_preset_list(bool json) {
  LilvWorld* const world = lilv_world_new();
  if (world) lilv_world_load_all(world);
  MrKnownPresets known = {NULL, 0};
  const bool well = world && mr_known_presets_find(&known, world);
  if (!well) mr_say_error("no memory");
  if (well && !known.presets && !json) mr_say_note("no presets of the plugins are in the LV2 path (LV2_PATH in the environment)");
  if (well && json) print_json(&known);
  if (well && !json) print_text(&known);
  mr_known_presets_free(&known);
  lilv_world_free(world);
  return well ? MR_EXIT_DONE : MR_EXIT_FILE;
}
