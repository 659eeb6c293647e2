/* Runs a plugin in this process over a file of floats: the oracle of what a host's own run must give, bit for bit.
   SPDX-License-Identifier: ISC

   Usage: tool_lv2run URI IN OUT [OPTION]...
   IN and OUT hold interleaved 32-bit floats, as many channels as the plugin has. Audio is processed in place at 48 kHz.
     -b LIST      lengths of blocks, repeated in order, for example 64,1,1023 [1024]
     -o           out of place
     -s SYM=VAL   a control input's value, from the first block on
     -p PRESET    the URI of a preset, which LV2_PATH leads to; before the values of -s
     -l LOG       replays what plugin_recorder.c wrote of a host: blocks and values from the activation before its first sound to the next
                  one. The file comes in where that sound did, and OUT begins there. -b then splits the host's blocks. */
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/options/options.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RATE          48000.0
#define MAX_PORTS     512
#define MAX_CHANNELS  64
#define MAX_BLOCK     8192
#define MAX_URIS      2048
#define MAX_LENGTHS   32
#define MESSAGE_BYTES 8192u

typedef struct Host {
  LilvWorld* world;
  const LilvPlugin* plugin;
  LilvInstance* instance;
  uint32_t ports, channels;
  float value[MAX_PORTS]; /* of the control ports */
  uint32_t in[MAX_CHANNELS], out[MAX_CHANNELS];
  float input[MAX_CHANNELS][MAX_BLOCK], output[MAX_CHANNELS][MAX_BLOCK];
  bool apart; /* out of place */
  _Alignas(8) uint8_t message[2][MESSAGE_BYTES];
  uint32_t message_in, message_out; /* ports, or MAX_PORTS */
} Host;

typedef struct Sound {
  float* sample; /* interleaved */
  uint32_t channels;
  size_t frames;
} Sound;

typedef struct Lengths {
  uint32_t length[MAX_LENGTHS], count, next;
} Lengths;

_Noreturn static void fail(const char* what, const char* which) {
  fprintf(stderr, "tool_lv2run: %s %s\n", what, which);
  exit(2);
}

/* ---------------------------------------------------------------- URIDs */

static char* uris[MAX_URIS];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  for (uint32_t i = 0; i < uri_count; i++)
    if (!strcmp(uris[i], uri)) return i + 1;
  if (uri_count == MAX_URIS) fail("too many URIs:", uri);
  uris[uri_count] = strdup(uri);
  return ++uri_count;
}

static const char* unmap_uri(LV2_URID_Unmap_Handle handle, LV2_URID urid) {
  (void)handle;
  return urid && urid <= uri_count ? uris[urid - 1] : NULL;
}

static LV2_URID_Map map = {NULL, map_uri};
static LV2_URID_Unmap unmap = {NULL, unmap_uri};

/* ----------------------------------------------------------------- host */

static void find_port(Host* host, uint32_t index, float initial) {
  const LilvPort* port = lilv_plugin_get_port_by_index(host->plugin, index);
  LilvNode* input = lilv_new_uri(host->world, LV2_CORE__InputPort);
  LilvNode* audio = lilv_new_uri(host->world, LV2_CORE__AudioPort);
  LilvNode* atom = lilv_new_uri(host->world, LV2_ATOM__AtomPort);
  const bool is_input = lilv_port_is_a(host->plugin, port, input);
  if (lilv_port_is_a(host->plugin, port, audio)) {
    if (is_input) host->channels++;
    for (uint32_t c = 0; c < MAX_CHANNELS; c++) {
      uint32_t* slot = is_input ? &host->in[c] : &host->out[c];
      if (*slot != MAX_PORTS) continue;
      *slot = index;
      break;
    }
  } else if (lilv_port_is_a(host->plugin, port, atom)) {
    *(is_input ? &host->message_in : &host->message_out) = index;
    lilv_instance_connect_port(host->instance, index, host->message[!is_input]);
  } else {
    host->value[index] = initial;
    lilv_instance_connect_port(host->instance, index, &host->value[index]);
  }
  lilv_node_free(input);
  lilv_node_free(audio);
  lilv_node_free(atom);
}

static void open_plugin(Host* host, const char* uri) {
  static const int32_t largest = MAX_BLOCK;
  host->world = lilv_world_new();
  lilv_world_load_all(host->world);
  LilvNode* node = lilv_new_uri(host->world, uri);
  host->plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(host->world), node);
  lilv_node_free(node);
  if (!host->plugin) fail("no such plugin:", uri);
  const LV2_Options_Option options[] = {
      {LV2_OPTIONS_INSTANCE, 0, map_uri(NULL, LV2_BUF_SIZE__maxBlockLength), sizeof largest, map_uri(NULL, LV2_ATOM__Int), &largest},
      {LV2_OPTIONS_INSTANCE, 0, 0, 0, 0, NULL}};
  const LV2_Feature features[] = {{LV2_URID__map, &map}, {LV2_URID__unmap, &unmap}, {LV2_OPTIONS__options, (void*)options}};
  const LV2_Feature* list[] = {&features[0], &features[1], &features[2], NULL};
  host->instance = lilv_plugin_instantiate(host->plugin, RATE, list);
  host->ports = lilv_plugin_get_num_ports(host->plugin);
  if (!host->instance || host->ports > MAX_PORTS) fail("cannot instantiate", uri);
  float initial[MAX_PORTS];
  lilv_plugin_get_port_ranges_float(host->plugin, NULL, NULL, initial);
  host->message_in = host->message_out = MAX_PORTS;
  for (uint32_t c = 0; c < MAX_CHANNELS; c++) host->in[c] = host->out[c] = MAX_PORTS;
  for (uint32_t i = 0; i < host->ports; i++) find_port(host, i, initial[i]);
}

static void connect_audio(Host* host) {
  for (uint32_t c = 0; c < host->channels; c++) {
    lilv_instance_connect_port(host->instance, host->in[c], host->input[c]);
    lilv_instance_connect_port(host->instance, host->out[c], host->apart ? host->output[c] : host->input[c]);
  }
}

static uint32_t port_named(const Host* host, const char* symbol) {
  LilvNode* node = lilv_new_string(host->world, symbol);
  const LilvPort* port = lilv_plugin_get_port_by_symbol(host->plugin, node);
  lilv_node_free(node);
  if (!port) fail("no such port:", symbol);
  return lilv_port_get_index(host->plugin, port);
}

static void set_value(Host* host, char* setting) {
  char* value = strchr(setting, '=');
  if (!value) fail("not SYM=VAL:", setting);
  *value++ = '\0';
  host->value[port_named(host, setting)] = strtof(value, NULL);
}

static void set_from_preset(const char* symbol, void* data, const void* value, uint32_t size, uint32_t type) {
  Host* host = data;
  if (size != sizeof(float) || type != map_uri(NULL, LV2_ATOM__Float)) fail("a preset's value is no float:", symbol);
  memcpy(&host->value[port_named(host, symbol)], value, sizeof(float));
}

static void load_preset(Host* host, const char* uri) {
  LilvNode* node = lilv_new_uri(host->world, uri);
  lilv_world_load_resource(host->world, node);
  LilvState* state = lilv_state_new_from_world(host->world, &map, node);
  if (!state) fail("no such preset:", uri);
  lilv_state_restore(state, host->instance, set_from_preset, host, 0, NULL);
  lilv_state_free(state);
  lilv_node_free(node);
}

static void run(Host* host, uint32_t n) {
  if (host->message_in != MAX_PORTS) {
    LV2_Atom_Sequence* sequence = (LV2_Atom_Sequence*)(void*)host->message[0];
    *sequence = (LV2_Atom_Sequence){{sizeof(LV2_Atom_Sequence_Body), map_uri(NULL, LV2_ATOM__Sequence)}, {0, 0}};
  }
  if (host->message_out != MAX_PORTS) {
    LV2_Atom* room = (LV2_Atom*)(void*)host->message[1];
    *room = (LV2_Atom){MESSAGE_BYTES - sizeof *room, map_uri(NULL, LV2_ATOM__Chunk)};
  }
  lilv_instance_run(host->instance, n);
}

/* ---------------------------------------------------------------- sound */

static Sound read_sound(const char* path, uint32_t channels) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("cannot read", path);
  const size_t bytes = (size_t)ftell(file);
  Sound sound = {malloc(bytes + 1), channels, bytes / channels / sizeof(float)};
  rewind(file);
  if (!sound.sample || bytes % (channels * sizeof(float)) || fread(sound.sample, 1, bytes, file) != bytes) fail("cannot read", path);
  fclose(file);
  return sound;
}

/* Runs n frames of the stream, of which the sound is a part from frame `first` of the stream on; before and after it is silence. */
static void stream(Host* host, const Sound* sound, int64_t first, int64_t at, uint32_t n, FILE* sink) {
  for (uint32_t c = 0; c < host->channels; c++)
    for (uint32_t i = 0; i < n; i++) {
      const int64_t frame = at + i - first;
      host->input[c][i] = frame >= 0 && frame < (int64_t)sound->frames ? sound->sample[(size_t)frame * sound->channels + c] : 0.0f;
    }
  run(host, n);
  for (uint32_t i = 0; i < n; i++) {
    const int64_t frame = at + i - first;
    if (frame < 0 || frame >= (int64_t)sound->frames) continue;
    for (uint32_t c = 0; c < host->channels; c++) fwrite(host->apart ? &host->output[c][i] : &host->input[c][i], sizeof(float), 1, sink);
  }
}

static void read_lengths(Lengths* lengths, const char* list) {
  lengths->count = lengths->next = 0;
  for (char* end; *list; list = *end ? end + 1 : end) {
    const unsigned long n = strtoul(list, &end, 10);
    if (end == list || !n || n > MAX_BLOCK || lengths->count == MAX_LENGTHS) fail("no list of lengths:", list);
    lengths->length[lengths->count++] = (uint32_t)n;
  }
}

/* n frames in blocks of these lengths, the last of them as long as is left. */
static void stream_in_blocks(Host* host, const Sound* sound, int64_t first, int64_t at, int64_t n, Lengths* lengths, FILE* sink) {
  while (n > 0) {
    const uint32_t length = lengths->length[lengths->next++ % lengths->count];
    const uint32_t now = n < length ? (uint32_t)n : length;
    stream(host, sound, first, at, now, sink);
    at += now;
    n -= now;
  }
}

/* --------------------------------------------------------------- replay */

typedef enum Step { STEP_ACTIVATE, STEP_SET, STEP_RUN } Step;

/* One line of a recorder's log. first: the block's first frame with sound, or -1. */
typedef struct Line {
  Step step;
  uint32_t port, frames;
  float value;
  int64_t first;
} Line;

static bool read_line(FILE* log, Line* line) {
  char text[128];
  long first;
  if (!fgets(text, sizeof text, log)) return false;
  if (!strcmp(text, "activate\n")) {
    line->step = STEP_ACTIVATE;
  } else if (sscanf(text, "set %u %f", &line->port, &line->value) == 2 && line->port < MAX_PORTS) {
    line->step = STEP_SET;
  } else if (sscanf(text, "run %u %ld", &line->frames, &first) == 2 && line->frames <= MAX_BLOCK) {
    line->step = STEP_RUN;
    line->first = first;
  } else {
    fail("no line of a log:", text);
  }
  return true;
}

/* Where in the log the activation is after which the first sound came, and at which frame after it. */
static long find_start(FILE* log, int64_t* first) {
  long start = -1;
  int64_t at = 0;
  for (Line line; read_line(log, &line);) {
    if (line.step == STEP_ACTIVATE) {
      start = ftell(log);
      at = 0;
    } else if (line.step == STEP_RUN) {
      *first = at + line.first;
      if (line.first >= 0) return start;
      at += line.frames;
    }
  }
  return -1;
}

/* Values hold from one activation to the next, so the log is played from its begin, and the plugin activated where the host did. */
static void replay(Host* host, const Sound* sound, const char* path, Lengths* lengths, FILE* sink) {
  FILE* log = fopen(path, "r");
  int64_t first, at = 0;
  if (!log) fail("cannot read", path);
  const long start = find_start(log, &first);
  if (start < 0) fail("no sound after an activation in", path);
  rewind(log);
  for (Line line; read_line(log, &line);) {
    const long place = ftell(log);
    if (line.step == STEP_ACTIVATE && place > start) break;
    if (line.step == STEP_ACTIVATE && place == start) lilv_instance_activate(host->instance);
    if (line.step == STEP_SET) host->value[line.port] = line.value;
    if (line.step != STEP_RUN || place < start) continue;
    stream_in_blocks(host, sound, first, at, line.frames, lengths, sink);
    at += line.frames;
  }
  fclose(log);
}

int main(int argc, char** argv) {
  static Host host;
  Lengths lengths;
  const char* log = NULL;
  read_lengths(&lengths, "1024");
  if (argc < 4) fail("URI, IN and OUT", "are needed");
  open_plugin(&host, argv[1]);
  optind = 4;
  for (int option; (option = getopt(argc, argv, "b:os:p:l:")) != -1;) {
    if (option == 'b') read_lengths(&lengths, optarg);
    if (option == 'o') host.apart = true;
    if (option == 's') set_value(&host, optarg);
    if (option == 'p') load_preset(&host, optarg);
    if (option == 'l') log = optarg;
    if (option == '?') return 2;
  }
  const Sound sound = read_sound(argv[2], host.channels);
  FILE* sink = fopen(argv[3], "wb");
  if (!sink) fail("cannot write", argv[3]);
  connect_audio(&host);
  if (log) {
    replay(&host, &sound, log, &lengths, sink);
  } else {
    lilv_instance_activate(host.instance);
    stream_in_blocks(&host, &sound, 0, 0, (int64_t)sound.frames, &lengths, sink);
  }
  lilv_instance_deactivate(host.instance);
  lilv_instance_free(host.instance);
  lilv_world_free(host.world);
  free(sound.sample);
  return fclose(sink) ? 2 : 0;
}
