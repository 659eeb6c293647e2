/* An LV2 binary that stands in for the plugins' own, hands everything on to it and writes down what a host does with it.
   SPDX-License-Identifier: ISC

   Environment: MILLRACE_RECORDED is the path of the plugins' binary, MILLRACE_RECORD that of the log. Its lines:
     activate
     set PORT VALUE    of a control input, before the first run() that sees it
     run FRAMES FIRST  FIRST: the block's first frame with sound in any input, or -1
   For hosts that run one instance, in one thread at a time. The host's handle is the plugin's own, so whatever else a host asks for by it
   (state, worker) goes to the plugin directly. */
#include <dlfcn.h>
#include <lv2/core/lv2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/ports.h"

#define MAX_PORTS       512u
#define MAX_DESCRIPTORS 64u
#define MAX_INSTANCES   16u

typedef struct Instance {
  LV2_Handle handle; /* NULL: free */
  const LV2_Descriptor* real;
  const MrPort* table;
  uint32_t before, last, channels; /* ports before the audio ports and behind them */
  const float* port[MAX_PORTS];
  float seen[MAX_PORTS];
  bool written[MAX_PORTS];
} Instance;

static LV2_Descriptor descriptors[MAX_DESCRIPTORS];
static const LV2_Descriptor* real_descriptors[MAX_DESCRIPTORS];
static Instance instances[MAX_INSTANCES];
static FILE* record;

_Noreturn static void fail(const char* what) {
  fprintf(stderr, "plugin_recorder: %s\n", what);
  abort();
}

static Instance* find(LV2_Handle handle) {
  for (uint32_t i = 0; i < MAX_INSTANCES; i++)
    if (instances[i].handle == handle) return &instances[i];
  fail("no room for another instance, or none such");
}

static LV2_Handle instantiate(const LV2_Descriptor* descriptor, double rate, const char* bundle, const LV2_Feature* const* features) {
  const LV2_Descriptor* real = real_descriptors[descriptor - descriptors];
  LV2_Handle handle = real->instantiate(real, rate, bundle, features);
  if (!handle) return NULL;
  const bool is_eq = strstr(real->URI, ":eq#") != NULL;
  const uint32_t channels = (uint32_t)strtoul(strrchr(real->URI, '#') + 1, NULL, 10);
  *find(NULL) = (Instance){.handle = handle,
                           .real = real,
                           .table = is_eq ? mr_eq_ports : mr_bank_ports,
                           .before = is_eq ? MR_EQ_AUDIO : MR_BANK_AUDIO,
                           .last = is_eq && channels == 2 ? MR_EQ_LAST : 0,
                           .channels = channels};
  return handle;
}

static void connect_port(LV2_Handle handle, uint32_t port, void* data) {
  Instance* instance = find(handle);
  if (port >= MAX_PORTS) fail("a port beyond all");
  instance->port[port] = data;
  instance->real->connect_port(handle, port, data);
}

static void activate(LV2_Handle handle) {
  fputs("activate\n", record);
  find(handle)->real->activate(handle);
}

static void write_values(Instance* instance) {
  for (uint32_t i = 0; i < instance->before + instance->last; i++) {
    const uint32_t port = i < instance->before ? i : i + 2 * instance->channels;
    const float* value = instance->port[port];
    if (instance->table[i].kind != MR_CONTROL_IN || !value) continue;
    if (instance->written[port] && !memcmp(&instance->seen[port], value, sizeof *value)) continue;
    instance->written[port] = true;
    instance->seen[port] = *value;
    fprintf(record, "set %u %a\n", port, (double)*value);
  }
}

static long first_sound(const Instance* instance, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t c = 0; c < instance->channels; c++)
      if (instance->port[instance->before + c][i] != 0) return (long)i;
  return -1;
}

static void run(LV2_Handle handle, uint32_t n) {
  Instance* instance = find(handle);
  write_values(instance);
  fprintf(record, "run %u %ld\n", n, first_sound(instance, n));
  instance->real->run(handle, n);
}

static void cleanup(LV2_Handle handle) {
  Instance* instance = find(handle);
  instance->real->cleanup(handle);
  instance->handle = NULL;
  fflush(record);
}

static void load(void) {
  const char *path = getenv("MILLRACE_RECORDED"), *log = getenv("MILLRACE_RECORD");
  void* library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  LV2_Descriptor_Function descriptor = NULL;
  if (!library) fail("MILLRACE_RECORDED is no binary of plugins");
  *(void**)&descriptor = dlsym(library, "lv2_descriptor");
  record = log ? fopen(log, "w") : NULL;
  if (!descriptor || !record) fail("no descriptors, or MILLRACE_RECORD cannot be written");
  for (uint32_t i = 0; i < MAX_DESCRIPTORS && (real_descriptors[i] = descriptor(i)); i++) {
    descriptors[i] = *real_descriptors[i];
    descriptors[i].instantiate = instantiate;
    descriptors[i].connect_port = connect_port;
    descriptors[i].activate = activate;
    descriptors[i].run = run;
    descriptors[i].cleanup = cleanup;
  }
}

LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(uint32_t index) {
  if (!record) load();
  return index < MAX_DESCRIPTORS && real_descriptors[index] ? &descriptors[index] : NULL;
}
