/* The test host: its world, instances and ports.
   SPDX-License-Identifier: ISC */
#include "host.h"

#include <lv2/buf-size/buf-size.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_inside.h"
#include "inline_extension.h"

#define URIS 512u

_Thread_local volatile bool host_in_run;

void host_fail(const char* what) {
  fprintf(stderr, "test host: %s\n", what);
  abort();
}

/* ------------------------------------------------------------------ URIs */

static pthread_mutex_t uri_lock = PTHREAD_MUTEX_INITIALIZER;
static char* uris[URIS];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  pthread_mutex_lock(&uri_lock);
  uint32_t i = 0;
  while (i < uri_count && strcmp(uris[i], uri)) i++;
  if (i == URIS) host_fail("too many URIs");
  if (i == uri_count) uris[uri_count++] = strdup(uri);
  pthread_mutex_unlock(&uri_lock);
  return i + 1;
}

LV2_URID_Map* host_map(void) {
  static LV2_URID_Map map = {NULL, map_uri};
  return &map;
}

LV2_URID host_urid(const char* uri) { return map_uri(NULL, uri); }

/* ----------------------------------------------------------------- world */

static LilvWorld* world;

LilvWorld* host_world(void) {
  if (world) return world;
  const char* build = getenv("MILLRACE_BUILD");
  char path[4096];
  if (!build || (size_t)snprintf(path, sizeof path, "%s/lv2/millrace.lv2/", build) >= sizeof path) host_fail("no MILLRACE_BUILD");
  world = lilv_world_new();
  LilvNode* bundle = lilv_new_file_uri(world, NULL, path);
  lilv_world_load_bundle(world, bundle);
  lilv_node_free(bundle);
  return world;
}

void host_world_end(void) {
  lilv_world_free(world);
  world = NULL;
  for (uint32_t i = 0; i < uri_count; i++) free(uris[i]);
  uri_count = 0;
}

/* ------------------------------------------------------------------- log */

static int log_vprintf(LV2_Log_Handle handle, LV2_URID type, const char* format, va_list arguments) {
  Host* host = handle;
  (void)type;
  const bool in_run = host_in_run;
  host_in_run = false;
  pthread_mutex_lock(&host->lock);
  const size_t length = strlen(host->said);
  const int count = vsnprintf(host->said + length, sizeof host->said - length, format, arguments);
  pthread_mutex_unlock(&host->lock);
  atomic_fetch_add(&host->log_lines, 1);
  if (in_run) atomic_fetch_add(&host->log_lines_in_run, 1);
  host_in_run = in_run;
  return count;
}

__attribute__((format(printf, 3, 4))) static int log_printf(LV2_Log_Handle handle, LV2_URID type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = log_vprintf(handle, type, format, arguments);
  va_end(arguments);
  return count;
}

bool host_log_has(Host* host, const char* text) {
  pthread_mutex_lock(&host->lock);
  const bool has = strstr(host->said, text) != NULL;
  pthread_mutex_unlock(&host->lock);
  return has;
}

/* ---------------------------------------------------------------- worker */

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void* data) {
  (void)handle;
  (void)size;
  (void)data;
  return LV2_WORKER_SUCCESS;
}

static void work_once(Host* host) {
  const char nothing = 0;
  if (host->worker->work(lilv_instance_get_handle(host->instance), respond, host, sizeof nothing, &nothing) != LV2_WORKER_SUCCESS)
    host_fail("work failed");
  atomic_fetch_add(&host->works, 1);
}

int host_work(Host* host) {
  int jobs = 0;
  for (; atomic_load(&host->pending) > 0; jobs++) {
    atomic_fetch_sub(&host->pending, 1);
    work_once(host);
  }
  return jobs;
}

static LV2_Worker_Status schedule_work(LV2_Worker_Schedule_Handle handle, uint32_t size, const void* data) {
  Host* host = handle;
  (void)size;
  (void)data;
  const bool in_run = host_in_run;
  host_in_run = false;
  host->schedules++;
  LV2_Worker_Status status = LV2_WORKER_SUCCESS;
  if (host->options.worker == HOST_WORKER_FULL)
    status = LV2_WORKER_ERR_NO_SPACE;
  else if (host->options.worker == HOST_WORKER_INLINE)
    work_once(host);
  else
    atomic_fetch_add(&host->pending, 1);
  host_in_run = in_run;
  return status;
}

static void* worker_thread(void* data) {
  Host* host = data;
  while (!atomic_load(&host->ends)) {
    const struct timespec pause = {.tv_nsec = 200000};
    if (!host_work(host)) nanosleep(&pause, NULL);
  }
  return NULL;
}

/* -------------------------------------------------------------- instance */

static void offer(Host* host, uint32_t* count, const char* uri, void* data) {
  host->feature[*count] = (LV2_Feature){uri, data};
  host->features[*count] = &host->feature[*count];
  ++*count;
}

static void offer_features(Host* host) {
  const HostOptions* o = &host->options;
  uint32_t count = 0;
  if (!o->no_map) offer(host, &count, LV2_URID__map, host_map());
  if (o->bare) return;
  host->log = (LV2_Log_Log){host, log_printf, log_vprintf};
  offer(host, &count, LV2_LOG__log, &host->log);
  if (o->worker) {
    host->schedule = (LV2_Worker_Schedule){host, schedule_work};
    offer(host, &count, LV2_WORKER__schedule, &host->schedule);
  }
  if (o->map) offer(host, &count, LV2_STATE__mapPath, o->map);
  if (o->shows) offer(host, &count, MR_INLINE_DISPLAY__queue_draw, o->queue_draw);
  if (o->declared) {
    host->option[0] = (LV2_Options_Option){
        LV2_OPTIONS_INSTANCE, 0, host_urid(LV2_BUF_SIZE__maxBlockLength), sizeof o->declared, host_urid(LV2_ATOM__Int), &o->declared};
    offer(host, &count, LV2_OPTIONS__options, host->option);
    offer(host, &count, LV2_BUF_SIZE__boundedBlockLength, NULL);
  }
}

static bool is_a(const LilvPlugin* plugin, const LilvPort* port, const char* uri) {
  LilvNode* class = lilv_new_uri(host_world(), uri);
  const bool is = lilv_port_is_a(plugin, port, class);
  lilv_node_free(class);
  return is;
}

static void connect_ports(Host* host) {
  float defaults[2 * HOST_CHANNELS + HOST_CONTROLS];
  uint32_t ins = 0, outs = 0, controls = 0;
  if (host->ports > sizeof defaults / sizeof *defaults) host_fail("too many ports");
  lilv_plugin_get_port_ranges_float(host->plugin, NULL, NULL, defaults);
  for (uint32_t i = 0; i < host->ports; i++) {
    const LilvPort* port = lilv_plugin_get_port_by_index(host->plugin, i);
    const bool input = is_a(host->plugin, port, LV2_CORE__InputPort);
    if (is_a(host->plugin, port, LV2_CORE__AudioPort)) {
      if (input)
        host->in_port[ins++] = i;
      else
        host->out_port[outs++] = i;
    } else if (is_a(host->plugin, port, LV2_CORE__ControlPort)) {
      if (controls == HOST_CONTROLS) host_fail("too many controls");
      host->value[i] = &host->control[controls++];
      *host->value[i] = input ? defaults[i] : -1e9f; /* which no output stays at */
      lilv_instance_connect_port(host->instance, i, host->value[i]);
    } else {
      *(input ? &host->message_port : &host->notify_port) = i;
      lilv_instance_connect_port(host->instance, i, input ? &host->messages : &host->notify);
    }
  }
  if (ins != outs) host_fail("as many inputs as outputs");
  host->channels = ins;
}

static void make_buffers(Host* host) {
  const size_t frames = host->options.capacity;
  host->samples = calloc(2 * frames * host->channels, sizeof(float));
  if (!host->samples) host_fail("no memory");
  for (uint32_t c = 0; c < host->channels; c++) {
    host->in[c] = host->samples + c * frames;
    host->out[c] = host->samples + (host->channels + c) * frames;
  }
  host_connect_audio(host, host->in, host->out);
}

Host* host_new(const char* uri, const HostOptions* options) {
  LilvNode* node = lilv_new_uri(host_world(), uri);
  const LilvPlugin* plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(host_world()), node);
  lilv_node_free(node);
  if (!plugin) host_fail(uri);
  Host* host = calloc(1, sizeof *host);
  if (!host) host_fail("no memory");
  host->options = *options;
  if (!host->options.capacity) host->options.capacity = 8192;
  host->plugin = plugin;
  host->ports = lilv_plugin_get_num_ports(plugin);
  pthread_mutex_init(&host->lock, NULL);
  offer_features(host);
  host->instance = lilv_plugin_instantiate(plugin, options->fs, host->features);
  if (!host->instance) {
    pthread_mutex_destroy(&host->lock);
    free(host);
    return NULL;
  }
  host->worker = lilv_instance_get_extension_data(host->instance, LV2_WORKER__interface);
  connect_ports(host);
  make_buffers(host);
  lv2_atom_forge_init(&host->forge, host_map());
  host_messages_begin(host);
  if (options->worker == HOST_WORKER_THREAD && pthread_create(&host->thread, NULL, worker_thread, host)) host_fail("no thread");
  return host;
}

void host_free(Host* host) {
  if (!host) return;
  if (host->options.worker == HOST_WORKER_THREAD) {
    atomic_store(&host->ends, true);
    pthread_join(host->thread, NULL);
  }
  host_deactivate(host);
  lilv_instance_free(host->instance);
  pthread_mutex_destroy(&host->lock);
  free(host->samples);
  free(host);
}

void host_activate(Host* host) {
  if (!host->active) lilv_instance_activate(host->instance);
  host->active = true;
}

void host_deactivate(Host* host) {
  if (host->active) lilv_instance_deactivate(host->instance);
  host->active = false;
}

float* host_control(Host* host, const char* symbol) {
  LilvNode* node = lilv_new_string(host_world(), symbol);
  const LilvPort* port = lilv_plugin_get_port_by_symbol(host->plugin, node);
  lilv_node_free(node);
  if (!port || !host->value[lilv_port_get_index(host->plugin, port)]) host_fail(symbol);
  return host->value[lilv_port_get_index(host->plugin, port)];
}

void host_set(Host* host, const char* symbol, float value) { *host_control(host, symbol) = value; }

float host_get(Host* host, const char* symbol) { return *host_control(host, symbol); }

/* ------------------------------------------------------------------- run */

void host_connect_audio(Host* host, float* const* in, float* const* out) {
  for (uint32_t c = 0; c < host->channels; c++) {
    lilv_instance_connect_port(host->instance, host->in_port[c], in[c]);
    lilv_instance_connect_port(host->instance, host->out_port[c], out[c]);
  }
}

void host_run(Host* host, uint32_t frames) {
  host_messages_end(host);
  host->schedules = 0;
  host_in_run = true;
  lilv_instance_run(host->instance, frames);
  host_in_run = false;
  host_messages_read(host);
  host_messages_begin(host);
}

void host_stream(Host* host, float* const* in, float* const* out, uint32_t frames, uint32_t block) {
  float *from[HOST_CHANNELS], *to[HOST_CHANNELS];
  for (uint32_t done = 0, n; done < frames; done += n) {
    n = frames - done < block ? frames - done : block;
    for (uint32_t c = 0; c < host->channels; c++) {
      from[c] = in[c] + done;
      to[c] = out[c] + done;
    }
    host_connect_audio(host, from, to);
    host_run(host, n);
  }
  host_connect_audio(host, host->in, host->out); /* the caller's may not live long */
}

/* --------------------------------------------------------------- picture */

MrInlineImage* host_picture(Host* host, uint32_t width, uint32_t most_height) {
  const MrInlineInterface* interface = lilv_instance_get_extension_data(host->instance, MR_INLINE_DISPLAY__interface);
  if (!interface || !interface->render) host_fail("no pictures");
  return interface->render(lilv_instance_get_handle(host->instance), width, most_height);
}
