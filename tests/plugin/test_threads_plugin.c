/* The plugin with threads: the same samples, hundreds of loads, runs and unloads, threads that come and go with the instances, and what the user may
   say in the environment and in the configuration file.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE
#include "scene.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "thread_options.h"

enum { CHANNELS = 64, FRAMES = 4096, CYCLES = 200, RATE = 768000 };

/* Heavy enough at this rate that threads are called for: half the period of one thread. */
static const char heavy[] =
    "Filter: ON Butterworth LP Order 32 Fc 20000 Hz\nFilter: ON Butterworth HP Order 32 Fc 200 Hz\n"
    "Filter: ON Butterworth LP Order 32 Fc 30000 Hz\n";

static int threads_of_this_process(void) {
  DIR* folder = opendir("/proc/self/task");
  int count = 0;
  assert_non_null(folder);
  for (const struct dirent* entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static Host* heavy_host(const char* threads) {
  static const HostOptions options = {.fs = RATE, .worker = HOST_WORKER_QUEUE};
  if (threads)
    setenv("MILLRACE_THREADS", threads, 1);
  else
    unsetenv("MILLRACE_THREADS");
  Host* host = scene_host("bank", CHANNELS, &options);
  HostState state = {.count = 0};
  host_state_put(&state, BANK_CONTENT, LV2_ATOM__Chunk, heavy, strlen(heavy));
  assert_int_equal(host_restore(host, &state), LV2_STATE_SUCCESS);
  host_state_free(&state);
  return host;
}

static void promise_07_threads_change_no_bit_of_the_plugin(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 3), one = planar_new(CHANNELS, FRAMES), many = planar_new(CHANNELS, FRAMES);
  Host* host = heavy_host("1");
  const int before = threads_of_this_process();
  host_activate(host);
  scene_play(host, &in, &one, 1024);
  assert_int_equal(threads_of_this_process(), before);
  host_free(host);
  for (int i = 0; i < 5; i++) {
    host = heavy_host(i ? "3" : "2");
    host_activate(host);
    for (int round = 0; round < 3; round++) { /* the first blocks make the workers known to the caller */
      host_deactivate(host);
      host_activate(host);
      scene_play(host, &in, &many, round ? 1024 : 300);
      assert_same_bits(&one, &many);
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    host_free(host);
  }
  planar_free(&in);
  planar_free(&one);
  planar_free(&many);
}

static void promise_16_hundreds_of_loads_runs_and_unloads(void** state) {
  (void)state;
  static const char* const wishes[] = {"2", "auto", "3", NULL, "1", "many"};
  const int before = threads_of_this_process();
  int most = 0;
  for (int i = 0; i < CYCLES; i++) {
    Host* host = heavy_host(wishes[i % 6]);
    if (i % 7) host_activate(host);
    for (int block = 0; i % 7 && block < i % 5; block++) host_run(host, 1024);
    const int now = threads_of_this_process();
    most = now > most ? now : most;
    host_free(host);
  }
  if (most > before) print_message("%d threads at most, %d before\n", most, before);
  for (int wait = 0; wait < 1000 && threads_of_this_process() > before; wait++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_int_equal(threads_of_this_process(), before);
}

/* ------------------------------------------------------------ the user's word */

static MrThreadOptions options_of(const char* file, const char* variable, bool* wrong) {
  char folder[4096], path[4200];
  assert_non_null(getcwd(folder, sizeof folder));
  setenv("XDG_CONFIG_HOME", folder, 1);
  assert_true(mkdir("millrace", 0777) == 0 || access("millrace", W_OK) == 0);
  snprintf(path, sizeof path, "%s/millrace/config", folder);
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fputs(file, out);
  fclose(out);
  if (variable)
    setenv("MILLRACE_THREADS", variable, 1);
  else
    unsetenv("MILLRACE_THREADS");
  const MrThreadOptions options = mr_thread_options(wrong);
  remove(path);
  unsetenv("XDG_CONFIG_HOME");
  return options;
}

static void what_the_user_says(void** state) {
  (void)state;
  static const struct {
    const char *file, *variable;
    MrThreadPolicy policy;
    uint32_t threads;
    bool awake, wrong;
  } cases[] = {
      {"", NULL, MR_THREADS_AUTO, 0, false, false},
      {"threads = 4\n", NULL, MR_THREADS_AUTO, 4, false, false},
      {"# threads = 4\n\n  threads=1 # one\r\nawake = yes", NULL, MR_THREADS_ONE, 1, true, false},
      {"threads = 4\n", "auto", MR_THREADS_AUTO, 0, false, false},
      {"threads = auto\n", "1", MR_THREADS_ONE, 1, false, false},
      {"threads = 4\n", "", MR_THREADS_AUTO, 4, false, false},
      {"threads = 4\n", "65", MR_THREADS_AUTO, 4, false, true},
      {"threads = -1\n", NULL, MR_THREADS_AUTO, 0, false, true},
      {"threads = 2x\nawake = perhaps\nother = 5\n", NULL, MR_THREADS_AUTO, 0, false, true},
      {"device = cuda\nthreads\n", " 2", MR_THREADS_AUTO, 0, false, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool wrong;
    const MrThreadOptions options = options_of(cases[i].file, cases[i].variable, &wrong);
    assert_int_equal(options.policy, cases[i].policy);
    assert_int_equal(options.threads, cases[i].threads);
    assert_int_equal(options.awake, cases[i].awake);
    assert_int_equal(wrong, cases[i].wrong);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(promise_07_threads_change_no_bit_of_the_plugin),
                                     cmocka_unit_test(promise_16_hundreds_of_loads_runs_and_unloads), cmocka_unit_test(what_the_user_says)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  host_world_end();
  return failed;
}
