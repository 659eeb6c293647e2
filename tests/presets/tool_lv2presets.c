/* A host that plays every preset of a plugin, as hosts find and load them; and one that only looks at the plugins.
   SPDX-License-Identifier: ISC

   tool_lv2presets play PLUGIN IN FOLDER
     For each preset that applies to the plugin: a fresh instance takes it, and filters IN (interleaved float32, 48 kHz) into
     FOLDER/N, N from 0. Prints a line `preset URI`, one `SYMBOL VALUE` for each control port as it is at the end, and where the instance was told a value that
     it has no port for, `lost SYMBOL`.
   tool_lv2presets scan TIMES
     Milliseconds of processor time, the least of TIMES, in which a host finds all plugins in LV2_PATH and asks for what it shows of them. */
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/presets/presets.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_URIS  2048u
#define MOST_PORTS 512u
#define BLOCK      256u

_Noreturn static void fail(const char* what, const char* which) {
  fprintf(stderr, "tool_lv2presets: %s %s\n", what, which);
  exit(1);
}

/* ---------------------------------------------------------------- URIDs */

static char* uris[MOST_URIS];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  for (uint32_t i = 0; i < uri_count; ++i)
    if (strcmp(uris[i], uri) == 0) return i + 1;
  if (uri_count == MOST_URIS) fail("too many URIs:", uri);
  uris[uri_count] = strdup(uri);
  return ++uri_count;
}

static LV2_URID_Map map = {NULL, map_uri};

/* ----------------------------------------------------------------- host */

typedef struct Host {
  LilvWorld* world;
  const LilvPlugin* plugin;
  LilvInstance* instance;
  uint32_t ports, inputs, outputs;
  float initial[MOST_PORTS], control[MOST_PORTS];
  bool is_control[MOST_PORTS];
  float audio[MOST_PORTS][BLOCK]; /* inputs, then outputs from MOST_PORTS / 2 on */
  _Alignas(8) uint8_t messages[4096], notices[65536];
} Host;

static Host host;

static bool is_a(const LilvPort* port, const char* class) {
  LilvNode* const node = lilv_new_uri(host.world, class);
  const bool is = lilv_port_is_a(host.plugin, port, node);
  lilv_node_free(node);
  return is;
}

static void open_plugin(const char* uri) {
  host.world = lilv_world_new();
  lilv_world_load_all(host.world);
  LilvNode* const node = lilv_new_uri(host.world, uri);
  host.plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(host.world), node);
  lilv_node_free(node);
  if (!host.plugin) fail("no such plugin:", uri);
  host.ports = lilv_plugin_get_num_ports(host.plugin);
  if (host.ports > MOST_PORTS) fail("too many ports:", uri);
  lilv_plugin_get_port_ranges_float(host.plugin, NULL, NULL, host.initial);
}

static void connect_ports(void) {
  host.inputs = host.outputs = 0;
  for (uint32_t i = 0; i < host.ports; ++i) {
    const LilvPort* const port = lilv_plugin_get_port_by_index(host.plugin, i);
    const bool input = is_a(port, LV2_CORE__InputPort);
    host.is_control[i] = is_a(port, LV2_CORE__ControlPort);
    host.control[i] = host.initial[i];
    void* place = input ? host.messages : host.notices;
    if (host.is_control[i]) place = &host.control[i];
    if (is_a(port, LV2_CORE__AudioPort)) place = input ? host.audio[host.inputs++] : host.audio[MOST_PORTS / 2 + host.outputs++];
    lilv_instance_connect_port(host.instance, i, place);
  }
}

static void run(uint32_t frames) {
  const LV2_Atom_Sequence none = {{sizeof(LV2_Atom_Sequence_Body), map_uri(NULL, LV2_ATOM__Sequence)}, {0, 0}};
  const LV2_Atom room = {sizeof host.notices - sizeof room, map_uri(NULL, LV2_ATOM__Chunk)};
  memcpy(host.messages, &none, sizeof none);
  memcpy(host.notices, &room, sizeof room);
  lilv_instance_run(host.instance, frames);
}

static void take_value(const char* symbol, void* handle, const void* value, uint32_t size, uint32_t type) {
  (void)handle;
  LilvNode* const node = lilv_new_string(host.world, symbol);
  const LilvPort* const port = lilv_plugin_get_port_by_symbol(host.plugin, node);
  lilv_node_free(node);
  if (port && size == sizeof(float) && type == map_uri(NULL, LV2_ATOM__Float))
    memcpy(&host.control[lilv_port_get_index(host.plugin, port)], value, size);
  else
    printf("lost %s\n", symbol);
}

static void filter(const char* in_path, const char* out_path) {
  FILE* const in = fopen(in_path, "rb");
  FILE* const out = fopen(out_path, "wb");
  if (!in || !out) fail("cannot open", in ? out_path : in_path);
  float* const frame = calloc(host.inputs, sizeof *frame);
  for (uint32_t n = BLOCK; frame && n == BLOCK;) {
    for (n = 0; n < BLOCK && fread(frame, sizeof *frame, host.inputs, in) == host.inputs; ++n)
      for (uint32_t c = 0; c < host.inputs; ++c) host.audio[c][n] = frame[c];
    run(n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t c = 0; c < host.outputs; ++c) fwrite(&host.audio[MOST_PORTS / 2 + c][i], sizeof(float), 1, out);
  }
  free(frame);
  fclose(in);
  if (fclose(out)) fail("cannot write", out_path);
}

static void play(const LilvNode* preset, const char* in_path, const char* out_path) {
  static const LV2_Feature map_feature = {LV2_URID__map, &map};
  static const LV2_Feature* const features[] = {&map_feature, NULL};
  printf("preset %s\n", lilv_node_as_uri(preset));
  lilv_world_load_resource(host.world, preset);
  LilvState* const state = lilv_state_new_from_world(host.world, &map, preset);
  host.instance = lilv_plugin_instantiate(host.plugin, 48000, features);
  if (!state || !host.instance) fail("cannot load", lilv_node_as_uri(preset));
  connect_ports();
  lilv_state_restore(state, host.instance, take_value, NULL, 0, NULL);
  lilv_state_free(state);
  lilv_instance_activate(host.instance);
  filter(in_path, out_path);
  lilv_instance_deactivate(host.instance);
  for (uint32_t i = 0; i < host.ports; ++i)
    if (host.is_control[i])
      printf("%s %.9g\n", lilv_node_as_string(lilv_port_get_symbol(host.plugin, lilv_plugin_get_port_by_index(host.plugin, i))),
             (double)host.control[i]);
  lilv_instance_free(host.instance);
}

static int play_all(const char* uri, const char* in_path, const char* folder) {
  open_plugin(uri);
  LilvNode* const type = lilv_new_uri(host.world, LV2_PRESETS__Preset);
  LilvNodes* const presets = lilv_plugin_get_related(host.plugin, type);
  unsigned number = 0;
  LILV_FOREACH(nodes, i, presets) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%u", folder, number++);
    play(lilv_nodes_get(presets, i), in_path, path);
  }
  lilv_nodes_free(presets);
  lilv_node_free(type);
  lilv_world_free(host.world);
  return 0;
}

/* ----------------------------------------------------------------- scan */

/* What a host's list of plugins shows, and what it needs to wire one. */
static unsigned look_at_all(LilvWorld* world) {
  unsigned seen = 0;
  const LilvPlugins* const plugins = lilv_world_get_all_plugins(world);
  LILV_FOREACH(plugins, i, plugins) {
    const LilvPlugin* const plugin = lilv_plugins_get(plugins, i);
    LilvNode* const name = lilv_plugin_get_name(plugin);
    LilvNode* const author = lilv_plugin_get_author_name(plugin);
    LilvNodes* const features = lilv_plugin_get_required_features(plugin);
    seen += lilv_plugin_get_num_ports(plugin) > 0 && name && lilv_plugin_get_class(plugin);
    lilv_nodes_free(features);
    lilv_node_free(author);
    lilv_node_free(name);
  }
  return seen;
}

static int scan(unsigned times) {
  double least = 1e9;
  unsigned seen = 0;
  for (unsigned k = 0; k < times; ++k) {
    const clock_t began = clock();
    LilvWorld* const world = lilv_world_new();
    lilv_world_load_all(world);
    seen = look_at_all(world);
    const double ms = 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC;
    lilv_world_free(world);
    if (ms < least) least = ms;
  }
  printf("%u plugins %.3f ms\n", seen, least);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 5 && strcmp(argv[1], "play") == 0) return play_all(argv[2], argv[3], argv[4]);
  if (argc == 3 && strcmp(argv[1], "scan") == 0) return scan((unsigned)strtoul(argv[2], NULL, 10));
  fail("play or scan is expected:", "see the head of the source");
}
