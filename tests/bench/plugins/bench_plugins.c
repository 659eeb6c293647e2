/* Millrace's plugins beside other equalisers, through lilv, in one process and in turn.
   SPDX-License-Identifier: ISC

   Usage: bench_plugins [--json] [ROUNDS]. Stereo equalisers with all bands on, blocks of 64, 256 and 1024 frames, nanoseconds per frame, channel and
   band; Millrace's with more channels too, and with its scalar reference; then its costs with everything off beside a memcpy of the same
   buffers, a block of no frames (what looking at all ports costs) and a scan of the bundle. A round runs every case for a few blocks and notes the best
   block of each; the figures are the best of all rounds, and the median of the rounds with 10th and 90th percentiles. Plugins that are not
   installed are left out, and said. */
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#define FS         48000.0
#define MOST_PORTS 640u
#define MOST       1024u /* frames */
#define MOST_CASES 64u
#define MOST_SIDE  64u /* channels */
#define SEQUENCE   65536u
#define BLOCKS     40u /* a round */
#define MOST_ROUND 201u

/* ------------------------------------------------------------------- host */

static char* uris[8192];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  for (uint32_t i = 0; i < uri_count; i++)
    if (!strcmp(uris[i], uri)) return i + 1;
  if (uri_count == sizeof uris / sizeof uris[0]) return 0;
  uris[uri_count] = strdup(uri);
  return ++uri_count;
}

static const char* unmap_uri(LV2_URID_Unmap_Handle handle, LV2_URID urid) {
  (void)handle;
  return urid && urid <= uri_count ? uris[urid - 1] : NULL;
}

/* Work is done when the block is over. */
typedef struct Work {
  uint32_t size;
  char data[4096];
  bool waits;
} Work;

typedef struct Plugin {
  LilvInstance* instance;
  uint32_t ports, inputs, outputs;
  float control[MOST_PORTS];
  float *in[MOST_SIDE], *out[MOST_SIDE];
  uint32_t in_port[MOST_SIDE], out_port[MOST_SIDE];
  LV2_Atom_Sequence* sequence[MOST_PORTS];
  bool sequence_in[MOST_PORTS];
  Work work;
} Plugin;

static LV2_Worker_Status schedule(LV2_Worker_Schedule_Handle handle, uint32_t size, const void* data) {
  Work* work = handle;
  if (work->waits || size > sizeof work->data) return LV2_WORKER_ERR_NO_SPACE;
  memcpy(work->data, data, size);
  work->size = size;
  work->waits = true;
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void* data) {
  Plugin* p = handle;
  const LV2_Worker_Interface* worker = lilv_instance_get_extension_data(p->instance, LV2_WORKER__interface);
  return worker->work_response(lilv_instance_get_handle(p->instance), size, data);
}

static void do_work(Plugin* p) {
  const LV2_Worker_Interface* worker = lilv_instance_get_extension_data(p->instance, LV2_WORKER__interface);
  while (worker && p->work.waits) {
    p->work.waits = false;
    worker->work(lilv_instance_get_handle(p->instance), respond, p, p->work.size, p->work.data);
  }
  if (worker && worker->end_run) worker->end_run(lilv_instance_get_handle(p->instance));
}

/* "b*_on=1 gain=-3": a star stands for digits. */
static bool same_symbol(const char* pattern, size_t length, const char* symbol) {
  size_t i = 0;
  for (; i < length; i++) {
    if (pattern[i] != '*') {
      if (*symbol++ != pattern[i]) return false;
      continue;
    }
    if (*symbol < '0' || *symbol > '9') return false;
    while (*symbol >= '0' && *symbol <= '9') symbol++;
  }
  return !*symbol;
}

static float setting(const char* settings, const char* symbol, float otherwise) {
  for (const char* at = settings; *at;) {
    const size_t word = strcspn(at, " "), name = strcspn(at, "=");
    if (same_symbol(at, name, symbol)) otherwise = (float)atof(at + name + 1);
    at += word + strspn(at + word, " ");
  }
  return otherwise;
}

static LilvWorld* world;
static LilvNode *audio_class, *control_class, *atom_class, *input_class;

static void connect_all(Plugin* p, const LilvPlugin* plugin, const char* settings) {
  float initial[MOST_PORTS];
  lilv_plugin_get_port_ranges_float(plugin, NULL, NULL, initial);
  for (uint32_t i = 0; i < p->ports; i++) {
    const LilvPort* port = lilv_plugin_get_port_by_index(plugin, i);
    const bool input = lilv_port_is_a(plugin, port, input_class);
    void* data = NULL;
    if (lilv_port_is_a(plugin, port, audio_class)) {
      float* buffer = aligned_alloc(64, MOST * sizeof *buffer);
      memset(buffer, 0, MOST * sizeof *buffer);
      if (input && p->inputs < MOST_SIDE) {
        p->in_port[p->inputs] = i;
        p->in[p->inputs++] = buffer;
      } else if (p->outputs < MOST_SIDE) {
        p->out_port[p->outputs] = i;
        p->out[p->outputs++] = buffer;
      }
      data = buffer;
    } else if (lilv_port_is_a(plugin, port, control_class)) {
      const char* symbol = lilv_node_as_string(lilv_port_get_symbol(plugin, port));
      p->control[i] = setting(settings, symbol, isnan(initial[i]) ? 0 : initial[i]);
      data = &p->control[i];
    } else if (lilv_port_is_a(plugin, port, atom_class)) {
      p->sequence[i] = calloc(1, SEQUENCE);
      p->sequence_in[i] = input;
      data = p->sequence[i];
    }
    lilv_instance_connect_port(p->instance, i, data);
  }
}

static bool open_plugin(Plugin* p, const char* uri, const char* settings) {
  static const int32_t least = 1, most = MOST, sequence = SEQUENCE;
  static const float fs = FS;
  static LV2_URID_Map map = {NULL, map_uri};
  static LV2_URID_Unmap unmap = {NULL, unmap_uri};
  LilvNode* node = lilv_new_uri(world, uri);
  const LilvPlugin* plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), node);
  lilv_node_free(node);
  if (!plugin || lilv_plugin_get_num_ports(plugin) > MOST_PORTS) return false;
  const LV2_URID integer = map_uri(NULL, LV2_ATOM__Int);
  const LV2_Options_Option options[] = {{0, 0, map_uri(NULL, LV2_BUF_SIZE__minBlockLength), 4, integer, &least},
                                        {0, 0, map_uri(NULL, LV2_BUF_SIZE__maxBlockLength), 4, integer, &most},
                                        {0, 0, map_uri(NULL, LV2_BUF_SIZE__sequenceSize), 4, integer, &sequence},
                                        {0, 0, map_uri(NULL, LV2_PARAMETERS__sampleRate), 4, map_uri(NULL, LV2_ATOM__Float), &fs},
                                        {0, 0, 0, 0, 0, NULL}};
  LV2_Worker_Schedule worker = {&p->work, schedule};
  const LV2_Feature features[] = {{LV2_URID__map, &map},
                                  {LV2_URID__unmap, &unmap},
                                  {LV2_OPTIONS__options, (void*)options},
                                  {LV2_WORKER__schedule, &worker},
                                  {LV2_BUF_SIZE__boundedBlockLength, NULL}};
  const LV2_Feature* const list[] = {&features[0], &features[1], &features[2], &features[3], &features[4], NULL};
  p->instance = lilv_plugin_instantiate(plugin, FS, list);
  if (!p->instance) return false;
  p->ports = lilv_plugin_get_num_ports(plugin);
  connect_all(p, plugin, settings);
  lilv_instance_activate(p->instance);
  return true;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void run_block(Plugin* p, uint32_t n) {
  for (uint32_t i = 0; i < p->ports; i++) {
    if (!p->sequence[i]) continue;
    p->sequence[i]->atom.type = map_uri(NULL, p->sequence_in[i] ? LV2_ATOM__Sequence : LV2_ATOM__Chunk);
    p->sequence[i]->atom.size = p->sequence_in[i] ? sizeof(LV2_Atom_Sequence_Body) : SEQUENCE - sizeof(LV2_Atom);
  }
  lilv_instance_run(p->instance, n);
}

/* ------------------------------------------------------------------ cases */

typedef enum Kind { BANDS, OFF, IN_PLACE, LOOK, COPY } Kind;

typedef struct Case {
  const char *name, *uri, *settings;
  Plugin* plugin;
  Kind kind;
  uint32_t channels, bands, block;
  bool reference; /* the scalar kernels */
  bool works;
  double round[MOST_ROUND];
} Case;

static Case cases[MOST_CASES];
static uint32_t case_count;
static float noise[MOST + 4096];

static const struct {
  const char *name, *uri, *settings;
  uint32_t channels, bands;
  bool reference;
} equalisers[] = {
    {"Millrace EQ", "urn:millrace:eq#2", "b*_on=1 b*_gain=3", 2, 16, false},
    {"Millrace EQ, C reference", "urn:millrace:eq#2", "b*_on=1 b*_gain=3", 2, 16, true},
    {"LSP para_equalizer_x16", "http://lsp-plug.in/plugins/lv2/para_equalizer_x16_stereo", "ft_*=1 g_*=1.4 q_*=1", 2, 16, false},
    {"LSP para_equalizer_x32", "http://lsp-plug.in/plugins/lv2/para_equalizer_x32_stereo", "ft_*=1 g_*=1.4 q_*=1", 2, 32, false},
    {"x42 fil4", "http://gareus.org/oss/lv2/fil4#stereo",
     "HighPass=1 LowPass=1 LPfreq=12000 LSsec=1 HSsec=1 sec*=1 LSgain=3 HSgain=3 gain*=3", 2, 8, false},
    {"Calf Equalizer 12", "http://calf.sourceforge.net/plugins/Equalizer12Band",
     "hp_active=1 lp_active=1 ls_active=1 hs_active=1 p*_active=1 p*_level=1.4 ls_level=1.4 hs_level=1.4", 2, 12, false},
    {"EQ10Q", "http://eq10q.sourceforge.net/eq/eq10qs", "filter*_enable=1 filter*_gain=3 filter*_type=11", 2, 10, false},
    {"Millrace EQ", "urn:millrace:eq#16", "b*_on=1 b*_gain=3", 16, 16, false},
    {"Millrace EQ", "urn:millrace:eq#64", "b*_on=1 b*_gain=3", 64, 16, false},
    {"Millrace EQ, C reference", "urn:millrace:eq#64", "b*_on=1 b*_gain=3", 64, 16, true}};

static void add_case(const char* name, const char* uri, const char* settings, Kind kind, uint32_t channels, uint32_t bands, uint32_t block,
                     bool reference) {
  Case* c = &cases[case_count++];
  *c = (Case){.name = name,
              .uri = uri,
              .settings = settings,
              .kind = kind,
              .channels = channels,
              .bands = bands,
              .block = block,
              .reference = reference};
  c->plugin = calloc(1, sizeof *c->plugin);
  if (reference) setenv("MILLRACE_CPU", "reference", 1);
  c->works = open_plugin(c->plugin, uri, settings);
  if (reference) unsetenv("MILLRACE_CPU");
  if (!c->works) {
    fprintf(stderr, "Left out: %s (%s) is not installed.\n", name, uri);
    return;
  }
  for (uint32_t i = 0; kind == IN_PLACE && i < c->plugin->inputs; i++) {
    lilv_instance_connect_port(c->plugin->instance, c->plugin->out_port[i], c->plugin->in[i]);
    c->plugin->out[i] = c->plugin->in[i];
  }
}

static void fill_inputs(Plugin* p, uint32_t block, uint32_t seed) {
  for (uint32_t i = 0; i < p->inputs; i++) memcpy(p->in[i], noise + (seed * 37 + i * 101) % 4096, block * sizeof(float));
}

/* The best of a round's blocks, ns; 0 at first: warm. */
static double round_of(Case* c, uint32_t seed) {
  Plugin* p = c->plugin;
  double best = 1e300;
  for (uint32_t b = 0; b < BLOCKS; b++) {
    fill_inputs(p, c->block ? c->block : 1, seed + b);
    const double start = now_ns();
    if (c->kind == COPY)
      for (uint32_t i = 0; i < p->inputs; i++) memcpy(p->out[i], p->in[i], c->block * sizeof(float));
    else
      run_block(p, c->block);
    const double taken = now_ns() - start;
    do_work(p);
    best = taken < best ? taken : best;
  }
  return best;
}

/* Whether the plugin filters at all where it should, and leaves alone what it should. */
static bool is_sane(const Case* c) {
  double difference = 0;
  if (c->kind == COPY || c->kind == LOOK || c->kind == IN_PLACE) return true;
  for (uint32_t f = 0; f < c->block; f++) difference += fabs((double)c->plugin->out[0][f] - (double)c->plugin->in[0][f]);
  return c->kind == BANDS ? difference > 1e-3 : difference == 0;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* What a figure is divided by. */
static double unit_of(const Case* c) {
  if (c->kind == LOOK) return 1;
  return (double)c->block * c->channels * (c->kind == BANDS ? c->bands : 1);
}

static double scan_ms(void) {
  LilvNode* uri = lilv_new_uri(world, "urn:millrace:eq#2");
  const LilvPlugin* ours = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), uri);
  lilv_node_free(uri);
  if (!ours) return 0;
  LilvWorld* fresh = lilv_world_new();
  LilvNode* bundle = lilv_new_uri(fresh, lilv_node_as_uri(lilv_plugin_get_bundle_uri(ours)));
  const double begun = now_ns();
  lilv_world_load_bundle(fresh, bundle);
  LILV_FOREACH(plugins, i, lilv_world_get_all_plugins(fresh)) {
    const LilvPlugin* plugin = lilv_plugins_get(lilv_world_get_all_plugins(fresh), i);
    lilv_node_free(lilv_plugin_get_name(plugin));
    lilv_plugin_get_num_ports(plugin);
  }
  const double taken = now_ns() - begun;
  lilv_node_free(bundle);
  lilv_world_free(fresh);
  return taken / 1e6;
}

static const char* const kind_names[] = {"all bands on", "all off", "all off, in place", "a block of no frames", "memcpy"};

static void print_case(const Case* c, uint32_t rounds, bool json, bool first) {
  double sorted[MOST_ROUND];
  memcpy(sorted, c->round, rounds * sizeof *sorted);
  qsort(sorted, rounds, sizeof *sorted, ascending);
  const double unit = unit_of(c), best = sorted[0] / unit, low = sorted[rounds / 10] / unit, median = sorted[rounds / 2] / unit,
               high = sorted[rounds * 9 / 10] / unit;
  if (json)
    printf(
        "%s    {\"plugin\": \"%s\", \"what\": \"%s\", \"channels\": %u, \"bands\": %u, \"block\": %u, \"best_ns\": %.4f, \"median_ns\": "
        "%.4f, "
        "\"p10_ns\": %.4f, \"p90_ns\": %.4f}",
        first ? "" : ",\n", c->name, kind_names[c->kind], c->channels, c->bands, c->block, best, median, low, high);
  else
    printf("%-26s %-22s %8u %6u %6u %9.4f %9.4f (%.4f to %.4f)\n", c->name, kind_names[c->kind], c->channels, c->bands, c->block, best,
           median, low, high);
}

int main(int argc, char** argv) {
  static const uint32_t blocks[] = {64, 256, 1024};
  const bool json = argc > 1 && !strcmp(argv[1], "--json");
  uint32_t rounds = argc > 1 + json ? (uint32_t)atoi(argv[1 + json]) : 31;
  rounds = rounds < 1 ? 1 : rounds < MOST_ROUND ? rounds : MOST_ROUND;
  srand(1);
  for (uint32_t i = 0; i < MOST + 4096; i++) noise[i] = ((float)rand() / (float)RAND_MAX - 0.5f) * 0.2f;
  world = lilv_world_new();
  lilv_world_load_all(world);
  audio_class = lilv_new_uri(world, LV2_CORE__AudioPort);
  control_class = lilv_new_uri(world, LV2_CORE__ControlPort);
  atom_class = lilv_new_uri(world, LV2_ATOM__AtomPort);
  input_class = lilv_new_uri(world, LV2_CORE__InputPort);
  for (size_t e = 0; e < sizeof equalisers / sizeof equalisers[0]; e++)
    for (size_t b = 0; b < 3; b++)
      add_case(equalisers[e].name, equalisers[e].uri, equalisers[e].settings, BANDS, equalisers[e].channels, equalisers[e].bands, blocks[b],
               equalisers[e].reference);
  for (uint32_t channels = 2; channels <= 64; channels += 62) {
    const char* uri = channels == 2 ? "urn:millrace:eq#2" : "urn:millrace:eq#64";
    add_case("Millrace EQ", uri, "", COPY, channels, 16, 512, false);
    add_case("Millrace EQ", uri, "", OFF, channels, 16, 512, false);
    add_case("Millrace EQ", uri, "", IN_PLACE, channels, 16, 512, false);
    add_case("Millrace EQ", uri, "", LOOK, channels, 16, 0, false);
  }
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* as hosts do: some equalisers leave subnormals to them */
#endif
  static double scan[MOST_ROUND];
  for (uint32_t r = 0; r < rounds + 2; r++) /* two to warm up */
    for (uint32_t i = 0; i < case_count; i++)
      if (cases[i].works) cases[i].round[r < 2 ? 0 : r - 2] = round_of(&cases[i], r * BLOCKS);
  for (uint32_t r = 0; r < rounds; r++) scan[r] = scan_ms();
  qsort(scan, rounds, sizeof *scan, ascending);
  if (json)
    printf("{\n  \"records\": [\n");
  else
    printf(
        "ns per frame, channel and band with all bands on, per frame and channel with all off, per block of no frames\n"
        "%-26s %-22s %8s %6s %6s %9s %9s\n",
        "plugin", "", "channels", "bands", "block", "best", "median (10 to 90 %)");
  bool first = true, sane = true;
  for (uint32_t i = 0; i < case_count; i++) {
    if (!cases[i].works) continue;
    print_case(&cases[i], rounds, json, first);
    first = false;
    if (is_sane(&cases[i])) continue;
    fprintf(stderr, "%s does not do what was asked of it: %s.\n", cases[i].name, kind_names[cases[i].kind]);
    sane = false;
  }
  if (json)
    printf("\n  ],\n  \"scan_ms\": %.2f\n}\n", scan[rounds / 2]);
  else
    printf("A scan of millrace.lv2 by lilv, every plugin's ports read: %.1f ms (%.1f to %.1f)\n", scan[rounds / 2], scan[rounds / 10],
           scan[rounds * 9 / 10]);
  return sane ? 0 : 1;
}
