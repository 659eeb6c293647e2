/* run() allocates nothing, locks nothing and makes no system call, while everything changes: ports of all bands, sets and solo by message, mode,
   mid/side, bypass, bank files by the worker and by a thread of our own, states restored by another thread. What it asks of the host is at most
   one schedule_work() a block, and nothing of the log.
   SPDX-License-Identifier: ISC

   The audio thread is one of the program's, and the traps (trap.h) count what it does within run() alone. */
#define _GNU_SOURCE
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trap.h"

enum { BLOCKS = 1500, LARGEST = 512 };

typedef struct Audio {
  Host* host;
  bool eq, traps, ready;
  const char* path[3];
  uint32_t most_schedules, loads;
  atomic_bool ends;
} Audio;

static const char* const texts[] = {
    "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nDelay: 1 ms\nFilter: ON LP Fc 5000 Hz\n",
    "Copy: 1=0.5*1+0.5*2\nCrossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 3 4\nFilter: ON Butterworth HP Order 16 Fc 20 Hz\n",
    "Filter: ON PK Fc nine\n"};

static void set_port(Host* host, unsigned band, const char* what, double value) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "b%u_%s", band, what);
  host_set(host, symbol, (float)value);
}

/* All bands, all of their ports; some glide, some swap. */
static void move_eq(Host* host, Random* random, int i) {
  static const char* const lists[] = {"1-2", "2 4", "", "1-", "3-4", "1-4"};
  for (unsigned b = 1; b <= 16; b++) {
    set_port(host, b, "freq", random_between(random, 20, 20000));
    set_port(host, b, "gain", random_between(random, -12, 12));
    set_port(host, b, "q", random_between(random, 0.3, 5));
    if (i % 25) continue;
    set_port(host, b, "on", random_below(random, 3) > 0);
    set_port(host, b, "type", random_below(random, SCENE_TYPES));
    set_port(host, b, "order", 1 + random_below(random, 16));
    set_port(host, b, "set", random_below(random, 9));
  }
  host_set(host, "gain", (float)random_between(random, -6, 6));
  if (i % 37 == 0) host_set(host, "mode", (float)random_below(random, 2));
  if (i % 41 == 0 && host->channels == 2) host_set(host, "mid_side", (float)random_below(random, 2));
  if (i % 7 == 0) host_send_text(host, i % 2 ? EQ_SET(1) : EQ_SET(5), LV2_ATOM__String, lists[random_below(random, 6)]);
  if (i % 53 == 0) host_send_int(host, EQ_SOLO, (int32_t)random_below(random, 17));
  if (i % 61 == 0) host_ask(host, NULL);
}

static void move_bank(Audio* audio, Random* random, int i) {
  Host* host = audio->host;
  host_set(host, "gain", (float)random_between(random, -6, 6));
  host_set(host, "preamp", (float)random_between(random, -6, 0));
  if (i % 17 == 0) host_set(host, "mode", (float)random_below(random, 3));
  if (i % 29 == 0) host_set(host, "on_error", (float)random_below(random, 2));
  if (i % 23 == 0) host_send_text(host, BANK_FILE, LV2_ATOM__Path, audio->path[random_below(random, 3)]);
  if (i % 61 == 0) host_ask(host, NULL);
}

static void* play(void* data) {
  Audio* audio = data;
  Host* host = audio->host;
  Random random = {3};
  audio->ready = !audio->traps || trap_system_calls();
  if (!audio->ready) return NULL;
  for (int i = 0; i < BLOCKS; i++) {
    if (audio->eq)
      move_eq(host, &random, i);
    else
      move_bank(audio, &random, i);
    if (i % 97 == 0) host_set(host, "enabled", (float)random_below(&random, 2));
    host_set(host, "freewheel", (float)(i / 100 % 2));
    for (uint32_t c = 0; c < host->channels; c++)
      for (uint32_t f = 0; f < LARGEST; f++) host->in[c][f] = (float)random_between(&random, -0.5, 0.5);
    if (i % 500 == 499) host->in[0][0] = NAN;
    host_run(host, random_below(&random, LARGEST + 1));
    if (host->schedules > audio->most_schedules) audio->most_schedules = host->schedules;
    if (!audio->eq && i % 23 == 22) { /* so that files are read in time to be played */
      const struct timespec pause = {.tv_nsec = 2000000};
      nanosleep(&pause, NULL);
    }
  }
  return NULL;
}

static void* restore(void* data) {
  Audio* audio = data;
  HostState states[2] = {{.count = 0}, {.count = 0}};
  for (int k = 0; k < 2; k++)
    if (audio->eq)
      host_state_put(&states[k], EQ_SET(1), LV2_ATOM__String, k ? "1" : "2 4", k ? 2 : 4);
    else
      host_state_put(&states[k], BANK_CONTENT, LV2_ATOM__Chunk, texts[k], strlen(texts[k]));
  for (int i = 0; !atomic_load(&audio->ends); i++) {
    const struct timespec pause = {.tv_nsec = 5000000};
    HostState saved;
    host_restore(audio->host, &states[i % 2]);
    host_save(audio->host, &saved);
    host_state_free(&saved);
    nanosleep(&pause, NULL);
  }
  host_state_free(&states[0]);
  host_state_free(&states[1]);
  return NULL;
}

static void check_quiet(const char* kind, uint32_t channels, HostWorker worker) {
  const HostOptions options = {.fs = 48000, .worker = worker, .declared = LARGEST};
  char paths[3][4096];
  Audio audio = {.host = scene_host(kind, channels, &options), .eq = *kind == 'e', .traps = TRAPS};
  for (int k = 0; k < 3; k++) {
    scene_file(paths[k], sizeof paths[k], (const char* const[]){"one.txt", "two.txt", "three.txt"}[k], texts[k], strlen(texts[k]));
    audio.path[k] = paths[k];
  }
  if (audio.eq) scene_bands(audio.host);
  host_activate(audio.host);
  trap_reset();
  pthread_t player, restorer;
  assert_int_equal(pthread_create(&restorer, NULL, restore, &audio), 0);
  assert_int_equal(pthread_create(&player, NULL, play, &audio), 0);
  pthread_join(player, NULL);
  atomic_store(&audio.ends, true);
  pthread_join(restorer, NULL);
  if (audio.ready) {
    assert_int_equal(atomic_load(&trap_counts.allocations), 0);
    assert_int_equal(atomic_load(&trap_counts.locks), 0);
    if (atomic_load(&trap_counts.calls)) fail_msg("%u system calls, the last of them number %d", trap_counts.calls, trap_counts.last_call);
    assert_int_equal(atomic_load(&audio.host->log_lines_in_run), 0);
    assert_true(audio.most_schedules <= 1);
    const HostTold* told = host_told(audio.host, audio.eq ? EQ_SET(1) : BANK_MESSAGE);
    assert_true(told && told->count > 5); /* and so a lot has happened */
    assert_int_equal(audio.most_schedules, !audio.eq && worker);
  }
  host_free(audio.host);
  if (!audio.ready) {
    print_message("skipped: the kernel has no system call filters\n");
    skip();
  }
}

static void eq_is_quiet(void** state) {
  (void)state;
  check_quiet("eq", 2, HOST_WORKER_NONE);
  check_quiet("eq", 9, HOST_WORKER_NONE);
}

static void bank_is_quiet_with_the_hosts_worker(void** state) {
  (void)state;
  check_quiet("bank", 4, HOST_WORKER_THREAD);
}

static void bank_is_quiet_with_its_own_thread(void** state) {
  (void)state;
  check_quiet("bank", 4, HOST_WORKER_NONE);
}

#if TRAPS
static void* break_all_rules(void* data) {
  bool* ready = data;
  *ready = trap_system_calls();
  if (!*ready) return NULL;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  syscall(SYS_getppid);               /* outside run(): not counted, nor that the thread's first allocation maps memory */
  void* volatile memory = malloc(10); /* volatile: or the compiler leaves both out */
  free(memory);
  host_in_run = true;
  memory = malloc(10);
  free(memory);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  const long parent = syscall(SYS_getppid);
  host_in_run = false;
  if (parent != syscall(SYS_getppid)) abort(); /* what was trapped has been done all the same */
  return NULL;
}

static void the_traps_catch(void** state) {
  (void)state;
  pthread_t thread;
  bool ready = false;
  trap_reset();
  assert_int_equal(pthread_create(&thread, NULL, break_all_rules, &ready), 0);
  pthread_join(thread, NULL);
  if (!ready) skip();
  assert_int_equal(atomic_load(&trap_counts.allocations), 2);
  assert_int_equal(atomic_load(&trap_counts.locks), 2);
  assert_int_equal(atomic_load(&trap_counts.calls), 1);
  assert_int_equal(atomic_load(&trap_counts.last_call), SYS_getppid);
}

/* A function of the plugin's own that allocates and locks is caught, too: the binary that lilv has opened calls what is replaced here. */
static void* restore_in_run(void* data) {
  HostState none = {.count = 0};
  host_in_run = true;
  host_restore(data, &none);
  host_in_run = false;
  return NULL;
}

static void the_traps_catch_the_plugins_binary(void** state) {
  (void)state;
  const HostOptions options = {.fs = 48000};
  Host* host = scene_host("bank", 1, &options);
  trap_reset();
  restore_in_run(host);
  assert_true(atomic_load(&trap_counts.allocations) > 0);
  assert_true(atomic_load(&trap_counts.locks) >= 2);
  host_free(host);
}
#endif

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
#if TRAPS
    cmocka_unit_test(the_traps_catch),
    cmocka_unit_test(the_traps_catch_the_plugins_binary),
#endif
    cmocka_unit_test(eq_is_quiet),
    cmocka_unit_test(bank_is_quiet_with_the_hosts_worker),
    cmocka_unit_test(bank_is_quiet_with_its_own_thread),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
