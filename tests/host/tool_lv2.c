/* A small LV2 host: saves states as hosts do, and runs a plugin on samples.
   SPDX-License-Identifier: ISC

   tool_lv2 save BUNDLE PLUGIN FILE.ttl LABEL [SYMBOL=VALUE | PROPERTY>TEXT]...
     sets ports and properties (by messages; PROPERTY is a URI, a text that is an absolute path is sent as one) and saves the state, with a manifest.ttl beside it; the label may be ""
   tool_lv2 run BUNDLE PLUGIN STATE.ttl RATE BLOCKS IN OUT
     restores the state and filters IN, interleaved float32, in blocks of the sizes in BLOCKS ("64,1,200", over and over) */
#include <inttypes.h>
#include <lilv/lilv.h>
#include <lv2/atom/forge.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_URIS  256u
#define MOST_PORTS 512u
#define LARGEST    8192u /* frames */

static char* uris[MOST_URIS];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  for (uint32_t i = 0; i < uri_count; ++i)
    if (strcmp(uris[i], uri) == 0) return i + 1;
  if (uri_count == MOST_URIS) abort();
  uris[uri_count] = strdup(uri);
  return ++uri_count;
}

static const char* unmap_uri(LV2_URID_Unmap_Handle handle, LV2_URID urid) {
  (void)handle;
  return urid && urid <= uri_count ? uris[urid - 1] : NULL;
}

static LV2_URID_Map map = {NULL, map_uri};
static LV2_URID_Unmap unmap = {NULL, unmap_uri};

typedef struct Host {
  LilvWorld* world;
  const LilvPlugin* plugin;
  LilvInstance* instance;
  const LV2_Worker_Interface* worker;
  uint32_t ports, channels;
  float control[MOST_PORTS];
  float* audio[MOST_PORTS]; /* inputs, then outputs */
  union {
    LV2_Atom_Sequence sequence;
    uint8_t bytes[65536];
  } messages, notices;
} Host;

static Host host;

static int fail(const char* why) {
  fprintf(stderr, "tool_lv2: %s\n", why);
  return 1;
}

/* The worker works at once: nothing here is real-time. */
static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void* data) {
  (void)handle;
  (void)size;
  (void)data;
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status schedule(LV2_Worker_Schedule_Handle handle, uint32_t size, const void* data) {
  (void)handle;
  return host.worker->work(lilv_instance_get_handle(host.instance), respond, NULL, size, data);
}

static LilvNode* uri_node(const char* uri) { return lilv_new_uri(host.world, uri); }

static bool is_a(const LilvPort* port, const char* class) {
  LilvNode* const node = uri_node(class);
  const bool is = lilv_port_is_a(host.plugin, port, node);
  lilv_node_free(node);
  return is;
}

static void connect(uint32_t i) {
  const LilvPort* const port = lilv_plugin_get_port_by_index(host.plugin, i);
  if (is_a(port, LV2_CORE__AudioPort)) {
    const bool input = is_a(port, LV2_CORE__InputPort);
    static uint32_t inputs, outputs;
    const uint32_t place = input ? inputs++ : MOST_PORTS / 2 + outputs++;
    if (input) host.channels = inputs;
    host.audio[place] = calloc(LARGEST, sizeof(float));
    lilv_instance_connect_port(host.instance, i, host.audio[place]);
  } else if (is_a(port, LV2_CORE__ControlPort)) {
    LilvNode* initial = NULL;
    lilv_port_get_range(host.plugin, port, &initial, NULL, NULL);
    host.control[i] = initial ? lilv_node_as_float(initial) : 0;
    lilv_node_free(initial);
    lilv_instance_connect_port(host.instance, i, &host.control[i]);
  } else {
    lilv_instance_connect_port(host.instance, i, is_a(port, LV2_CORE__InputPort) ? host.messages.bytes : host.notices.bytes);
  }
}

static void send_nothing(void) {
  host.messages.sequence.atom = (LV2_Atom){sizeof(LV2_Atom_Sequence_Body), map_uri(NULL, LV2_ATOM__Sequence)};
}

static bool open_plugin(const char* bundle, const char* uri, double rate) {
  static LV2_Worker_Schedule scheduler = {NULL, schedule};
  static const LV2_Feature map_feature = {LV2_URID__map, &map}, unmap_feature = {LV2_URID__unmap, &unmap},
                           worker_feature = {LV2_WORKER__schedule, &scheduler};
  static const LV2_Feature* const features[] = {&map_feature, &unmap_feature, &worker_feature, NULL};
  host.world = lilv_world_new();
  LilvNode* const bundle_node = lilv_new_file_uri(host.world, NULL, bundle);
  lilv_world_load_bundle(host.world, bundle_node);
  lilv_node_free(bundle_node);
  LilvNode* const node = uri_node(uri);
  host.plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(host.world), node);
  lilv_node_free(node);
  host.instance = host.plugin ? lilv_plugin_instantiate(host.plugin, rate, features) : NULL;
  if (!host.instance) return false;
  host.worker = lilv_instance_get_extension_data(host.instance, LV2_WORKER__interface);
  host.ports = lilv_plugin_get_num_ports(host.plugin);
  for (uint32_t i = 0; i < host.ports; ++i) connect(i);
  send_nothing();
  return true;
}

static void close_plugin(void) {
  lilv_instance_free(host.instance);
  lilv_world_free(host.world);
  for (uint32_t i = 0; i < MOST_PORTS; ++i) free(host.audio[i]);
  for (uint32_t i = 0; i < uri_count; ++i) free(uris[i]);
}

static void run_block(uint32_t frames) {
  host.notices.sequence.atom = (LV2_Atom){sizeof host.notices - sizeof(LV2_Atom), map_uri(NULL, LV2_ATOM__Chunk)};
  lilv_instance_run(host.instance, frames);
}

static int port_of(const char* symbol) {
  LilvNode* const node = lilv_new_string(host.world, symbol);
  const LilvPort* const port = lilv_plugin_get_port_by_symbol(host.plugin, node);
  lilv_node_free(node);
  return port ? (int)lilv_port_get_index(host.plugin, port) : -1;
}

/* ----------------------------------------------------------------- save */

static void send_property(const char* uri, const char* text) {
  LV2_Atom_Forge forge;
  LV2_Atom_Forge_Frame sequence, object;
  lv2_atom_forge_init(&forge, &map);
  lv2_atom_forge_set_buffer(&forge, host.messages.bytes, sizeof host.messages);
  lv2_atom_forge_sequence_head(&forge, &sequence, 0);
  lv2_atom_forge_frame_time(&forge, 0);
  lv2_atom_forge_object(&forge, &object, 0, map_uri(NULL, LV2_PATCH__Set));
  lv2_atom_forge_key(&forge, map_uri(NULL, LV2_PATCH__property));
  lv2_atom_forge_urid(&forge, map_uri(NULL, uri));
  lv2_atom_forge_key(&forge, map_uri(NULL, LV2_PATCH__value));
  if (*text == '/')
    lv2_atom_forge_path(&forge, text, (uint32_t)strlen(text));
  else
    lv2_atom_forge_string(&forge, text, (uint32_t)strlen(text));
  lv2_atom_forge_pop(&forge, &object);
  lv2_atom_forge_pop(&forge, &sequence);
  run_block(64);
  send_nothing();
}

static const void* get_value(const char* symbol, void* handle, uint32_t* size, uint32_t* type) {
  const int port = port_of(symbol);
  (void)handle;
  *size = sizeof(float);
  *type = map_uri(NULL, LV2_ATOM__Float);
  return port < 0 ? NULL : &host.control[port];
}

static bool set_up(const char* word) {
  char* const copy = strdup(word);
  char* const equals = strchr(copy, '=');
  char* const mark = strchr(copy, '>');
  bool ok = false;
  if (mark) {
    *mark = '\0';
    send_property(copy, mark + 1);
    ok = true;
  } else if (equals) {
    *equals = '\0';
    const int port = port_of(copy);
    ok = port >= 0;
    if (ok) host.control[port] = strtof(equals + 1, NULL);
  }
  free(copy);
  return ok;
}

static int save(const char* path, const char* label, char** word) {
  char folder[4096];
  const char* const slash = strrchr(path, '/');
  if (!slash) return fail("an absolute path is expected");
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  lilv_instance_activate(host.instance);
  for (; *word; ++word)
    if (!set_up(*word)) return fail(*word);
  run_block(64);
  LilvState* const state = lilv_state_new_from_instance(host.plugin, host.instance, &map, folder, folder, folder, folder, get_value, NULL,
                                                        LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE, NULL);
  if (!state) return fail("no state");
  if (*label) lilv_state_set_label(state, label);
  const int code = lilv_state_save(host.world, &map, &unmap, state, NULL, folder, slash + 1);
  lilv_state_free(state);
  lilv_instance_deactivate(host.instance);
  return code ? fail("the state cannot be saved") : 0;
}

/* ------------------------------------------------------------------ run */

static void set_value(const char* symbol, void* handle, const void* value, uint32_t size, uint32_t type) {
  const int port = port_of(symbol);
  (void)handle;
  if (port >= 0 && size == sizeof(float) && type == map_uri(NULL, LV2_ATOM__Float)) memcpy(&host.control[port], value, size);
}

static bool filter(const char* blocks, FILE* in, FILE* out) {
  float* const frame = malloc(host.channels * sizeof *frame);
  const char* at = blocks;
  for (bool more = true; more && frame;) {
    if (!*at) at = blocks;
    const uint32_t wanted = (uint32_t)strtoul(at, (char**)&at, 10);
    if (*at == ',') ++at;
    uint32_t n = 0;
    for (; more && n < wanted && n < LARGEST; ++n) {
      more = fread(frame, sizeof *frame, host.channels, in) == host.channels;
      if (!more) break;
      for (uint32_t c = 0; c < host.channels; ++c) host.audio[c][n] = frame[c];
    }
    run_block(n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t c = 0; c < host.channels; ++c) fwrite(&host.audio[MOST_PORTS / 2 + c][i], sizeof(float), 1, out);
  }
  free(frame);
  return !ferror(out);
}

static int run(const char* path, const char* blocks, const char* in_path, const char* out_path) {
  LilvState* const state = lilv_state_new_from_file(host.world, &map, NULL, path);
  if (!state) return fail("the state cannot be read");
  lilv_state_restore(state, host.instance, set_value, NULL, 0, NULL);
  lilv_state_free(state);
  FILE* const in = fopen(in_path, "rb");
  FILE* const out = fopen(out_path, "wb");
  if (!in || !out) return fail("no files");
  lilv_instance_activate(host.instance);
  const bool ok = filter(blocks, in, out);
  lilv_instance_deactivate(host.instance);
  fclose(in);
  return fclose(out) == 0 && ok ? 0 : fail("the samples cannot be written");
}

int main(int argc, char** argv) {
  const bool saves = argc > 5 && strcmp(argv[1], "save") == 0, runs = argc == 9 && strcmp(argv[1], "run") == 0;
  if (!saves && !runs) return fail("save or run is expected: see the head of the source");
  if (!open_plugin(argv[2], argv[3], runs ? strtod(argv[5], NULL) : 48000)) return fail("no such plugin");
  const int code = saves ? save(argv[4], argv[5], argv + 6) : run(argv[4], argv[6], argv[7], argv[8]);
  close_plugin();
  return code;
}
