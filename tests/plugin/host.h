/* A test host on lilv: it loads the bundle that was built and does what a test tells it, manners good or bad.
   SPDX-License-Identifier: ISC

   No cmocka here, so that helper programs may use it too: what must not happen ends the program. */
#ifndef MILLRACE_TESTS_PLUGIN_HOST_H
#define MILLRACE_TESTS_PLUGIN_HOST_H

#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_ATOM_BYTES 16384u /* of each atom port's buffer */
#define HOST_CHANNELS   64u
#define HOST_CONTROLS   160u
#define HOST_LOG_BYTES  4096u

/* How a host's worker works; NONE: the host has none. */
typedef enum HostWorker {
  HOST_WORKER_NONE = 0,
  HOST_WORKER_QUEUE,  /* done when the test calls host_work() */
  HOST_WORKER_THREAD, /* a thread does it at once */
  HOST_WORKER_INLINE, /* done within schedule_work(), as hosts do that render offline */
  HOST_WORKER_FULL    /* schedule_work() says that there is no space */
} HostWorker;

typedef struct HostOptions {
  double fs;
  HostWorker worker;
  bool bare;               /* no feature but the map of URIs */
  bool no_map;             /* not even that */
  int32_t declared;        /* largest block told in the options; 0: no options */
  uint32_t capacity;       /* frames of the buffers; 0: 8192 */
  LV2_State_Map_Path* map; /* of paths; NULL: none */
  bool shows;              /* offers the inline display's queue_draw, with this data */
  void* queue_draw;
} HostOptions;

/* What the plugin says. Strings end with a zero. */
typedef struct HostTold {
  LV2_URID property;
  char text[HOST_ATOM_BYTES / 2];
  int32_t number;
  uint32_t count; /* of times that the property was told */
} HostTold;

typedef struct Host {
  HostOptions options;
  const LilvPlugin* plugin;
  LilvInstance* instance;
  uint32_t channels, ports;
  bool active;

  float control[HOST_CONTROLS]; /* by port; audio ports lie between */
  float* value[2 * HOST_CHANNELS + HOST_CONTROLS];
  uint32_t in_port[HOST_CHANNELS], out_port[HOST_CHANNELS], message_port, notify_port;
  float *in[HOST_CHANNELS], *out[HOST_CHANNELS]; /* own buffers, which the audio ports have at first */
  float* samples;
  void* first_free; /* control to give next */

  union {
    LV2_Atom_Sequence sequence;
    uint8_t bytes[HOST_ATOM_BYTES];
  } messages, notify;
  LV2_Atom_Forge forge;
  LV2_Atom_Forge_Frame frame;

  HostTold told[16];
  uint32_t told_count, state_changes; /* properties told; times that the state was said to have changed */

  /* the worker */
  LV2_Worker_Schedule schedule;
  const LV2_Worker_Interface* worker;
  atomic_int pending, works; /* asked for and not yet done; done */
  uint32_t schedules;        /* calls of schedule_work() in the last block */
  pthread_t thread;
  atomic_bool ends;

  LV2_Log_Log log;
  char said[HOST_LOG_BYTES]; /* log, the latest first bytes of it */
  atomic_uint log_lines, log_lines_in_run;
  pthread_mutex_t lock; /* of said */

  const LV2_Feature* features[12];
  LV2_Feature feature[12];
  LV2_Options_Option option[2];
} Host;

/* True in the thread that is within run(), but for the host's own callbacks. */
extern _Thread_local volatile bool host_in_run;

LV2_URID_Map* host_map(void);
LV2_URID host_urid(const char* uri);
LilvWorld* host_world(void); /* with the bundle of MILLRACE_BUILD, loaded once */
void host_world_end(void);

/* NULL where the plugin refuses. All ports are connected: controls at their defaults, out of place. */
Host* host_new(const char* uri, const HostOptions* options);
void host_free(Host* host); /* NULL is allowed */
void host_activate(Host* host);
void host_deactivate(Host* host);

/* Control ports by symbol. */
float* host_control(Host* host, const char* symbol);
void host_set(Host* host, const char* symbol, float value);
float host_get(Host* host, const char* symbol);

/* Events of the next block. */
void host_send_text(Host* host, const char* property, const char* type, const char* text);
void host_send_int(Host* host, const char* property, int32_t value);
void host_ask(Host* host, const char* property); /* NULL: for all */

/* One block, as the ports are connected; then what the worker has to say, and the plugin's own messages are read. */
void host_run(Host* host, uint32_t frames);

/* The next block is run with the audio ports connected to these. */
void host_connect_audio(Host* host, float* const* in, float* const* out);

/* A stream of `frames` in blocks of `block` at most, out of place. */
void host_stream(Host* host, float* const* in, float* const* out, uint32_t frames, uint32_t block);

/* Does what the worker was asked for; the number of jobs. */
int host_work(Host* host);

/* The plugin's picture; NULL: none. The struct is the inline display's. */
struct MrInlineImage* host_picture(Host* host, uint32_t width, uint32_t most_height);

/* What was last told of a property; NULL: nothing. */
const HostTold* host_told(const Host* host, const char* property);
bool host_log_has(Host* host, const char* text);

/* A state in memory. */
typedef struct HostStateItem {
  LV2_URID key, type;
  size_t size;
  void* value;
  uint32_t flags;
} HostStateItem;

typedef struct HostState {
  HostStateItem item[24];
  uint32_t count;
} HostState;

LV2_State_Status host_save(Host* host, HostState* state);
LV2_State_Status host_restore(Host* host, const HostState* state);
void host_state_put(HostState* state, const char* key, const char* type, const void* value, size_t size);
const HostStateItem* host_state_get(const HostState* state, const char* key);
void host_state_free(HostState* state);

#endif
