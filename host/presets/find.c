/* Finds a preset or saved state.
   SPDX-License-Identifier: ISC */
#include "presets/find.h"

#include <ctype.h>
#include <errno.h>
#include <lv2/core/lv2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "presets/known.h"
#include "presets/turtle.h"

static bool say_no_memory(void) {
  mr_say_error("no memory");
  return false;
}

/* Whether lilv could make a state of what was found. */
static bool check_state(const MrFound* found, const char* name) {
  if (!found->state) mr_say_error("%s: lilv cannot read this state", name);
  return found->state != NULL;
}

/* Starts as a URI does: a scheme and a colon. */
static bool has_scheme(const char* name) {
  if (!isalpha((unsigned char)*name)) return false;
  while (isalnum((unsigned char)*name) || *name == '+' || *name == '-' || *name == '.') ++name;
  return *name == ':';
}

/* Names nothing that only a file could be. */
static bool may_be_name(const char* name) {
  const size_t length = strlen(name);
  return length && !strchr(name, '/') && !(length > 4 && strcmp(name + length - 4, ".ttl") == 0);
}

/* --------------------------------------------------------- by its URI */

static bool find_uri(MrFound* found, const char* uri) {
  lilv_world_load_all(found->world);
  LilvNode* const node = lilv_new_uri(found->world, uri);
  LilvNode* const applies = lilv_new_uri(found->world, LV2_CORE__appliesTo);
  bool well = false;
  if (node) lilv_world_load_resource(found->world, node);
  if (node && applies && lilv_world_ask(found->world, node, applies, NULL)) {
    found->state = lilv_state_new_from_world(found->world, &found->urids.map, node);
    well = check_state(found, uri);
  } else if (node && lilv_plugins_get_by_uri(lilv_world_get_all_plugins(found->world), node)) {
    mr_say_error("%s: is a plugin, and a preset is wanted", uri);
  } else {
    mr_say_error("%s: there is no such preset in the LV2 path (LV2_PATH in the environment), and no such file", uri);
  }
  lilv_node_free(applies);
  lilv_node_free(node);
  return well;
}

/* -------------------------------------------------------- by its name */

/* The only preset in the LV2 path of that name or title; NULL after a message. */
static const MrKnownPreset* choose_known(const MrKnownPresets* known, const char* name) {
  const MrKnownPreset* chosen = NULL;
  size_t count = 0;
  for (size_t i = 0; i < known->presets; ++i)
    if (mr_known_preset_is(&known->preset[i], name) && ++count) chosen = &known->preset[i];
  if (count == 1) return chosen;
  if (count)
    mr_say_error("%s: %zu presets have that name, and one is wanted: --preset with one of these", name, count);
  else
    mr_say_error("%s: there is no such file, and no preset of that name in the LV2 path: millrace info --presets lists them", name);
  for (size_t i = 0; i < known->presets; ++i)
    if (mr_known_preset_is(&known->preset[i], name)) mr_say_note("  %s", known->preset[i].uri);
  return NULL;
}

static bool find_name(MrFound* found, const char* name) {
  lilv_world_load_all(found->world);
  MrKnownPresets known;
  const bool well = mr_known_presets_find(&known, found->world) || say_no_memory();
  const MrKnownPreset* const chosen = well ? choose_known(&known, name) : NULL;
  LilvNode* const node = chosen ? lilv_new_uri(found->world, chosen->uri) : NULL;
  if (node) found->state = lilv_state_new_from_world(found->world, &found->urids.map, node);
  const bool there = chosen && check_state(found, name);
  lilv_node_free(node);
  mr_known_presets_free(&known);
  return there;
}

/* ---------------------------------------------------- files and folders */

/* The one preset that is meant; NULL after a message. */
static const char* choose(const MrTurtle* turtle, const char* name, const char* wanted) {
  const MrUriList* const list = &turtle->applies;
  for (size_t i = 0; wanted && i < list->count; ++i)
    if (strcmp(list->uri[i], wanted) == 0) return list->uri[i];
  if (wanted) {
    mr_say_error("%s: the file has no such preset", wanted);
    return NULL;
  }
  if (list->count == 1) return list->uri[0];
  if (!list->count) {
    mr_say_error("%s: holds no preset and no saved state: nothing in it applies to a plugin (lv2:appliesTo)", name);
    return NULL;
  }
  mr_say_error("%s: holds %zu presets, and one is wanted: --preset with one of these", name, list->count);
  for (size_t i = 0; i < list->count; ++i) mr_say_note("  %s", list->uri[i]);
  return NULL;
}

static bool find_in_file(MrFound* found, const char* name, const char* wanted) {
  MrTurtle turtle;
  const char* const chosen = mr_turtle_read(&turtle, found->path) ? choose(&turtle, name, wanted) : NULL;
  LilvNode* const subject = chosen ? lilv_new_uri(found->world, chosen) : NULL;
  if (subject) found->state = lilv_state_new_from_file(found->world, &found->urids.map, subject, found->path);
  const bool well = chosen && check_state(found, name);
  lilv_node_free(subject);
  mr_turtle_free(&turtle);
  return well;
}

/* Whether all that a manifest sends its readers to is Turtle too. */
static bool files_are_well(const MrTurtle* manifest) {
  bool well = true;
  for (size_t i = 0; well && i < manifest->further.count; ++i) {
    char* const path = lilv_file_uri_parse(manifest->further.uri[i], NULL);
    if (!path) continue; /* on the net, perhaps: lilv leaves it alone too */
    MrTurtle turtle;
    well = mr_turtle_read(&turtle, path);
    mr_turtle_free(&turtle);
    lilv_free(path);
  }
  return well;
}

static void load_from_bundle(MrFound* found, const char* folder, const char* chosen) {
  LilvNode* const bundle = lilv_new_file_uri(found->world, NULL, folder);
  LilvNode* const subject = lilv_new_uri(found->world, chosen);
  if (bundle && subject) {
    lilv_world_load_bundle(found->world, bundle);
    lilv_world_load_resource(found->world, subject);
    found->state = lilv_state_new_from_world(found->world, &found->urids.map, subject);
  }
  lilv_node_free(subject);
  lilv_node_free(bundle);
}

static bool find_in_folder(MrFound* found, const char* name) {
  const size_t size = strlen(found->path) + sizeof "/manifest.ttl";
  char* const manifest = malloc(size);
  if (!manifest) return say_no_memory();
  snprintf(manifest, size, "%s/manifest.ttl", found->path);
  struct stat status;
  if (stat(manifest, &status) != 0) {
    mr_say_error("%s: is a folder without manifest.ttl, and so no bundle", name);
    free(manifest);
    return false;
  }
  MrTurtle turtle;
  const char* const chosen = mr_turtle_read(&turtle, manifest) && files_are_well(&turtle) ? choose(&turtle, name, NULL) : NULL;
  manifest[size - sizeof "manifest.ttl"] = '\0'; /* a bundle's URI ends in a slash */
  if (chosen) load_from_bundle(found, manifest, chosen);
  const bool well = chosen && check_state(found, name);
  mr_turtle_free(&turtle);
  free(manifest);
  return well;
}

/* The file that a name stands for, and behind a '#' the preset in it; NULL: none. To be freed. */
static char* path_of(const char* name, const char** wanted) {
  *wanted = NULL;
  if (strncmp(name, "file:", 5) != 0) return strdup(name);
  const char* const mark = strchr(name, '#');
  char* const file = mark ? strndup(name, (size_t)(mark - name)) : strdup(name);
  char* const parsed = file ? lilv_file_uri_parse(file, NULL) : NULL;
  char* const path = parsed ? strdup(parsed) : NULL;
  if (mark) *wanted = name;
  lilv_free(parsed);
  free(file);
  return path;
}

bool mr_preset_find(MrFound* found, const char* name, bool may_be_uri) {
  memset(found, 0, sizeof *found);
  mr_urids_init(&found->urids);
  found->world = lilv_world_new();
  if (!found->world) return say_no_memory();
  const char* wanted = NULL;
  char* const path = path_of(name, &wanted);
  found->path = path ? realpath(path, NULL) : NULL;
  const int error = errno;
  free(path);
  struct stat status;
  if (found->path && stat(found->path, &status) == 0)
    return S_ISDIR(status.st_mode) ? find_in_folder(found, name) : find_in_file(found, name, wanted);
  if (may_be_uri && has_scheme(name)) return find_uri(found, name);
  if (may_be_uri && error == ENOENT && may_be_name(name)) return find_name(found, name);
  mr_say_error("%s: %s", name, strerror(error));
  return false;
}

void mr_preset_lose(MrFound* found) {
  lilv_state_free(found->state);
  lilv_world_free(found->world);
  mr_urids_free(&found->urids);
  free(found->path);
  memset(found, 0, sizeof *found);
}
