/* What a host of the plugins needs that takes its ideas from a fuzzer's bytes: URIs, a file, a store of states, features.
   SPDX-License-Identifier: ISC

   All that the plugin is handed lies in blocks of the heap that are just large enough, so that the sanitizer sees a read or write beyond. */
#ifndef MILLRACE_TESTS_FUZZ_PLUGIN_HOST_H
#define MILLRACE_TESTS_FUZZ_PLUGIN_HOST_H

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EQ          "urn:millrace:eq#"
#define BANK        "urn:millrace:bank#"
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void check(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

/* A block with these bytes. */
static void* block_of(const void* bytes, size_t size) {
  void* block = malloc(size);
  check(block != NULL, "memory");
  if (size) memcpy(block, bytes, size);
  return block;
}

/* ----------------------------------------------------------------- bytes */

/* What is left of the fuzzer's; zeros behind the end. */
typedef struct Bytes {
  const uint8_t* at;
  size_t left;
} Bytes;

static uint32_t byte(Bytes* bytes) {
  if (!bytes->left) return 0;
  bytes->left--;
  return *bytes->at++;
}

static uint32_t word(Bytes* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value = value << 8 | byte(bytes);
  return value;
}

static uint32_t below(Bytes* bytes, uint32_t count) { return byte(bytes) % count; }

/* As many as a byte says, of those that are left. */
static const uint8_t* some(Bytes* bytes, size_t* size) {
  *size = byte(bytes);
  if (*size > bytes->left) *size = bytes->left;
  const uint8_t* at = bytes->at;
  bytes->at += *size;
  bytes->left -= *size;
  return at;
}

/* ------------------------------------------------------------------ URIs */

static char* uris[128];
static uint32_t uri_count;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  uint32_t i = 0;
  while (i < uri_count && strcmp(uris[i], uri)) i++;
  if (i < uri_count) return i + 1;
  check(i < COUNT(uris), "few URIs");
  uris[uri_count++] = strdup(uri);
  return i + 1;
}

/* Of a literal, by its address: this is asked for all the time. */
static LV2_URID urid(const char* uri) {
  static const char* literals[256];
  static LV2_URID known[256];
  uint32_t i = 0;
  while (i < COUNT(literals) && literals[i] && literals[i] != uri) i++;
  check(i < COUNT(literals), "few literals");
  literals[i] = uri;
  return known[i] ? known[i] : (known[i] = map_uri(NULL, uri));
}

static const char* const properties[] = {EQ "set1",
                                         EQ "set2",
                                         EQ "set3",
                                         EQ "set4",
                                         EQ "set5",
                                         EQ "set6",
                                         EQ "set7",
                                         EQ "set8",
                                         EQ "solo",
                                         BANK "file",
                                         BANK "message",
                                         BANK "content",
                                         BANK "refused",
                                         "urn:millrace:later",
                                         "urn:millrace:version",
                                         "urn:other"};

static const char* const types[] = {LV2_ATOM__String, LV2_ATOM__Path,  LV2_ATOM__Int,   LV2_ATOM__URID,     LV2_ATOM__Chunk,
                                    LV2_ATOM__Object, LV2_ATOM__Float, LV2_ATOM__Tuple, LV2_ATOM__Sequence, "urn:other"};

static LV2_URID one_of(Bytes* bytes, const char* const* list, size_t count) { return urid(list[below(bytes, (uint32_t)count)]); }

/* ------------------------------------------------------------------ file */

static int file = -1;
static char file_path[64]; /* which stays the same, whatever is in it */

static void write_file(const void* content, size_t size) {
  if (file < 0) {
    char name[] = "/tmp/millrace-fuzz-XXXXXX";
    file = mkstemp(name);
    check(file >= 0 && unlink(name) == 0, "a file to write");
    snprintf(file_path, sizeof file_path, "/proc/self/fd/%d", file);
  }
  check(ftruncate(file, 0) == 0 && pwrite(file, content, size, 0) == (ssize_t)size, "a file is written");
}

/* Banks that sound, two of them protecting loudspeakers, and some that are refused. */
static const char* const banks[] = {
    "Preamp: -3 dB\nFilter 1: ON PK Fc 1000 Hz Gain 6 dB Q 1\n",
    "Channel: 1\nFilter: ON LSC Fc 100 Hz Gain -6 dB\nChannel: 2\nFilter: ON Butterworth HP Order 8 Fc 80 Hz\n",
    "Copy: L=0.5*L+0.5*R R=L\nDelay: 3 ms\nFilter: ON PK Fc 500 Hz Gain 3 dB Q 2\n",
    "b0,b1,b2,a0,a1,a2\n1,0,0,1,-0.5,0\n1,0.5,0.25,1,0,0.25\n",
    "Filter: ON PK Fc nonsense\n",
    "Delay: 1 ms\nFilter: ON Nothing\n",
    "{\"sos\": []}",
    "b0,b1,b2,a0,a1,a2\n1,0,0,1,-2.5,0\n",
    "Channel: 40\nFilter: ON PK Fc 100 Hz Gain 3 dB Q 1\n",
    "Preamp: 1e9 dB\nFilter: ON Bessel LP Order 33 Fc 100 Hz\n",
    ""};

/* ------------------------------------------------------------------ store */

typedef struct Item {
  LV2_URID key, type;
  size_t size;
  void* value;
  uint32_t flags;
} Item;

typedef struct Store {
  Item item[24];
  uint32_t count;
  uint32_t refuses; /* the store() so many from now on; 0: none */
} Store;

static void store_put(Store* store, LV2_URID key, LV2_URID type, const void* value, size_t size, uint32_t flags) {
  check(store->count < COUNT(store->item), "few properties");
  store->item[store->count++] = (Item){key, type, size, block_of(value, size), flags};
}

static void store_clear(Store* store) {
  while (store->count) free(store->item[--store->count].value);
}

static LV2_State_Status store_property(LV2_State_Handle handle, uint32_t key, const void* value, size_t size, uint32_t type,
                                       uint32_t flags) {
  Store* store = handle;
  check(key && type && value && size, "a property has a key, a type and a value");
  check(flags == (LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE), "state is portable");
  if (type == urid(LV2_ATOM__String) || type == urid(LV2_ATOM__Path)) check(strnlen(value, size) == size - 1, "a text ends where it ends");
  for (uint32_t i = 0; i < store->count; i++) check(store->item[i].key != key, "a property is stored once");
  if (store->refuses && !--store->refuses) return LV2_STATE_ERR_NO_SPACE;
  store_put(store, key, type, value, size, flags);
  return LV2_STATE_SUCCESS;
}

static const void* retrieve_property(LV2_State_Handle handle, uint32_t key, size_t* size, uint32_t* type, uint32_t* flags) {
  const Store* store = handle;
  for (uint32_t i = 0; i < store->count; i++) {
    const Item* item = &store->item[i];
    if (item->key != key) continue;
    *size = item->size;
    *type = item->type;
    *flags = item->flags;
    return item->value;
  }
  return NULL;
}

/* -------------------------------------------------------------- features */

static char* abstract_path(LV2_State_Map_Path_Handle handle, const char* path) {
  (void)handle;
  char* abstract = malloc(strlen(path) + 3);
  check(abstract != NULL, "memory");
  return strcat(strcpy(abstract, "m:"), path);
}

static char* absolute_path(LV2_State_Map_Path_Handle handle, const char* path) {
  (void)handle;
  if (!strncmp(path, "nowhere", 7)) return NULL;
  return strdup(strncmp(path, "m:", 2) ? path : path + 2);
}

static void free_path(LV2_State_Free_Path_Handle handle, char* path) {
  (void)handle;
  free(path);
}

static int log_vprintf(LV2_Log_Handle handle, LV2_URID type, const char* format, va_list arguments) {
  (void)handle;
  check(type && type <= uri_count, "a log's kind is a URI");
  char text[4096];
  return vsnprintf(text, sizeof text, format, arguments);
}

__attribute__((format(printf, 3, 4))) static int log_printf(LV2_Log_Handle handle, LV2_URID type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = log_vprintf(handle, type, format, arguments);
  va_end(arguments);
  return count;
}

static LV2_URID_Map uri_map = {NULL, map_uri};
static LV2_Log_Log host_log = {NULL, log_printf, log_vprintf};
static LV2_State_Map_Path path_map = {NULL, abstract_path, absolute_path};
static LV2_State_Free_Path path_free = {NULL, free_path};

/* How the worker works. */
enum { WORKER_QUEUE, WORKER_INLINE, WORKER_FULL, WORKER_NONE };

/* What is offered, with room for it: a host keeps it as long as the plugin. */
typedef struct Offer {
  uint32_t worker;
  LV2_Worker_Schedule schedule;
  LV2_Options_Option option[3];
  int32_t block;
  LV2_Feature feature[8];
  const LV2_Feature* features[9];
  uint32_t count;
} Offer;

static void offer(Offer* all, const char* uri, void* data) {
  all->feature[all->count] = (LV2_Feature){uri, data};
  all->features[all->count] = &all->feature[all->count];
  all->count++;
}

/* Largest blocks told, some of them nonsense. */
static void offer_options(Offer* all, uint32_t kind) {
  static const int32_t blocks[] = {64, 8192, 0, -1, INT32_MAX};
  if (!kind) return;
  all->block = blocks[kind % COUNT(blocks)];
  all->option[0] =
      (LV2_Options_Option){kind & 64 ? LV2_OPTIONS_PORT : LV2_OPTIONS_INSTANCE, 0, urid(LV2_BUF_SIZE__nominalBlockLength), 0, 0, NULL};
  all->option[1] = (LV2_Options_Option){LV2_OPTIONS_INSTANCE,
                                        0,
                                        urid(LV2_BUF_SIZE__maxBlockLength),
                                        kind & 32 ? 2 : sizeof all->block,
                                        urid(kind & 16 ? LV2_ATOM__Float : LV2_ATOM__Int),
                                        kind & 128 ? NULL : &all->block};
  offer(all, LV2_OPTIONS__options, all->option);
}

static void offer_all(Offer* all, uint32_t kind, uint32_t options, LV2_Worker_Schedule_Handle handle,
                      LV2_Worker_Status (*schedule)(LV2_Worker_Schedule_Handle, uint32_t, const void*)) {
  memset(all, 0, sizeof *all);
  all->worker = kind % 16 == 15 ? WORKER_NONE : kind % 3; /* a thread of its own takes its time to end */
  all->schedule = (LV2_Worker_Schedule){handle, schedule};
  if (kind & 16) offer(all, NULL, NULL);
  offer(all, LV2_URID__map, &uri_map);
  if (kind & 32) offer(all, LV2_LOG__log, &host_log);
  if (kind & 64) offer(all, LV2_STATE__mapPath, &path_map);
  if (kind & 128) offer(all, LV2_STATE__freePath, &path_free);
  if (all->worker != WORKER_NONE) offer(all, LV2_WORKER__schedule, &all->schedule);
  offer_options(all, options);
}

#endif
