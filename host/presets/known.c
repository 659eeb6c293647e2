/* The presets of the plugins that are in the LV2 path.
   SPDX-License-Identifier: ISC */
#include "presets/known.h"

#include <lv2/core/lv2.h>
#include <lv2/presets/presets.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../plugin/uris.h"
#include "presets/family.h"

#define RDF_TYPE     "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
#define RDFS_LABEL   "http://www.w3.org/2000/01/rdf-schema#label"
#define RDFS_COMMENT "http://www.w3.org/2000/01/rdf-schema#comment"

static const char factory[] = "urn:millrace:preset#"; /* as ttl/presets.py writes them */

typedef struct Terms {
  LilvNode *type, *preset, *applies, *label, *comment, *bank;
} Terms;

static Terms new_terms(LilvWorld* world) {
  return (Terms){.type = lilv_new_uri(world, RDF_TYPE),
                 .preset = lilv_new_uri(world, LV2_PRESETS__Preset),
                 .applies = lilv_new_uri(world, LV2_CORE__appliesTo),
                 .label = lilv_new_uri(world, RDFS_LABEL),
                 .comment = lilv_new_uri(world, RDFS_COMMENT),
                 .bank = lilv_new_uri(world, LV2_PRESETS__bank)};
}

static void free_terms(Terms* terms) {
  lilv_node_free(terms->type);
  lilv_node_free(terms->preset);
  lilv_node_free(terms->applies);
  lilv_node_free(terms->label);
  lilv_node_free(terms->comment);
  lilv_node_free(terms->bank);
}

/* A copy of a text that is said of a subject; NULL: none. */
static char* text_of(LilvWorld* world, const LilvNode* subject, const LilvNode* predicate) {
  LilvNode* const node = lilv_world_get(world, subject, predicate, NULL);
  char* const text = node && lilv_node_is_string(node) ? strdup(lilv_node_as_string(node)) : NULL;
  lilv_node_free(node);
  return text;
}

static int by_count(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return x < y ? -1 : x > y;
}

/* What plugins it applies to; false where none is ours. */
static bool take_plugins(MrKnownPreset* preset, LilvWorld* world, const LilvNode* node, const Terms* terms) {
  LilvNodes* const plugins = lilv_world_find_nodes(world, node, terms->applies, NULL);
  LILV_FOREACH(nodes, i, plugins) {
    const LilvNode* const plugin = lilv_nodes_get(plugins, i);
    const char* const uri = lilv_node_is_uri(plugin) ? lilv_node_as_uri(plugin) : "";
    const uint32_t bank = mr_family_channels(uri, MR_BANK_URI), channels = bank ? bank : mr_family_channels(uri, MR_EQ_URI);
    if (!channels || preset->counts == MR_KNOWN_COUNTS) continue;
    preset->is_bank = bank != 0;
    preset->count[preset->counts++] = channels;
  }
  lilv_nodes_free(plugins);
  qsort(preset->count, preset->counts, sizeof *preset->count, by_count);
  return preset->counts > 0;
}

static void free_preset(MrKnownPreset* preset) {
  free(preset->uri);
  free(preset->title);
  free(preset->comment);
  free(preset->group);
}

/* False without memory. */
static bool take_texts(MrKnownPreset* preset, LilvWorld* world, const LilvNode* node, const Terms* terms) {
  preset->uri = strdup(lilv_node_as_uri(node));
  if (!preset->uri) return false;
  const size_t start = strlen(factory);
  preset->name = strncmp(preset->uri, factory, start) == 0 ? preset->uri + start : preset->uri;
  lilv_world_load_resource(world, node);
  preset->title = text_of(world, node, terms->label);
  if (!preset->title) preset->title = strdup(preset->name);
  preset->comment = text_of(world, node, terms->comment);
  LilvNode* const group = lilv_world_get(world, node, terms->bank, NULL);
  if (group) preset->group = text_of(world, group, terms->label);
  lilv_node_free(group);
  return preset->title != NULL;
}

static bool add(MrKnownPresets* known, LilvWorld* world, const LilvNode* node, const Terms* terms) {
  MrKnownPreset preset = {.counts = 0};
  if (!lilv_node_is_uri(node) || !take_plugins(&preset, world, node, terms)) return true;
  MrKnownPreset* const more = realloc(known->preset, (known->presets + 1) * sizeof *more);
  if (more) known->preset = more;
  if (!more || !take_texts(&preset, world, node, terms)) {
    free_preset(&preset);
    return false;
  }
  known->preset[known->presets++] = preset;
  return true;
}

static int by_title(const void* a, const void* b) {
  const MrKnownPreset *const x = a, *const y = b;
  const int groups = strcmp(x->group ? x->group : "", y->group ? y->group : "");
  const int titles = groups ? groups : strcmp(x->title, y->title);
  return titles ? titles : strcmp(x->uri, y->uri);
}

bool mr_known_presets_find(MrKnownPresets* known, LilvWorld* world) {
  *known = (MrKnownPresets){NULL, 0};
  Terms terms = new_terms(world);
  LilvNodes* const nodes = lilv_world_find_nodes(world, NULL, terms.type, terms.preset);
  bool well = true;
  LILV_FOREACH(nodes, i, nodes) well = well && add(known, world, lilv_nodes_get(nodes, i), &terms);
  lilv_nodes_free(nodes);
  free_terms(&terms);
  if (known->presets) qsort(known->preset, known->presets, sizeof *known->preset, by_title);
  return well;
}

void mr_known_presets_free(MrKnownPresets* known) {
  for (size_t i = 0; i < known->presets; ++i) free_preset(&known->preset[i]);
  free(known->preset);
  *known = (MrKnownPresets){NULL, 0};
}

bool mr_known_preset_is(const MrKnownPreset* preset, const char* text) {
  return strcasecmp(preset->name, text) == 0 || strcasecmp(preset->title, text) == 0;
}
