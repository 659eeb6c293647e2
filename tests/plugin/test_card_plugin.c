/* The Bank with a card in freewheel: the engine's samples within -120 dB, states handed over both ways, nothing before freewheel and nothing lost with the
   card. The card is emulated.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { RATE = 48000, FROM = 2000, LONG = 1 << 17, SHORT = 48000 };

static uint32_t frames = SHORT;

static const char bank[] =
    "Filter: ON Butterworth HP Order 8 Fc 4000 Hz\nFilter: ON PK Fc 200 Hz Gain 6 dB Q 5\nChannel: 2\nFilter: ON LP Fc 9000 Hz Q 2\n";
static const char other[] = "Filter: ON Butterworth LP Order 5 Fc 6000 Hz\n";

/* Whether the emulated card has been opened by this process. */
static bool is_open(void) {
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[4096];
  bool found = false;
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps)) found |= strstr(line, getenv("MILLRACE_GPU_MODULE")) != NULL;
  fclose(maps);
  return found;
}

static void restore(Host* host, const char* text) {
  HostState state = {.count = 0};
  host_state_put(&state, BANK_CONTENT, LV2_ATOM__Chunk, text, strlen(text));
  assert_int_equal(host_restore(host, &state), LV2_STATE_SUCCESS);
  host_state_free(&state);
}

static Host* make(const char* wish, HostWorker worker) {
  const HostOptions options = {.fs = RATE, .worker = worker, .declared = 2048};
  if (wish)
    setenv("MILLRACE_DEVICE", wish, 1);
  else
    unsetenv("MILLRACE_DEVICE");
  Host* host = scene_host("bank", 4, &options);
  restore(host, bank);
  host_set(host, "gain", -3.3f);
  return host;
}

/* Noise in blocks of up to `largest`, freewheel between two frames; what happens on the way is `event`'s, called at each block. */
static void play(Host* host, const Planar* in, Planar* out, uint32_t largest, uint32_t from, uint32_t to,
                 void (*event)(Host* host, uint32_t at)) {
  Random random = {largest};
  host_activate(host);
  for (uint32_t at = 0, n; at < in->frames; at += n) {
    n = largest > 1024 ? largest : 1 + random_below(&random, largest);
    if (n > in->frames - at) n = in->frames - at;
    float *x[HOST_CHANNELS], *y[HOST_CHANNELS];
    for (uint32_t c = 0; c < in->channels; c++) {
      x[c] = in->channel[c] + at;
      y[c] = out->channel[c] + at;
    }
    host_set(host, "freewheel", at >= from && at < to);
    if (event) event(host, at);
    host_connect_audio(host, x, y);
    host_run(host, n);
    host_work(host);
  }
  host_deactivate(host);
}

static uint32_t differing(const Planar* a, const Planar* b, double bound) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < a->channels; c++)
    for (uint32_t f = 0; f < a->frames; f++) {
      const double d = fabs((double)a->channel[c][f] - (double)b->channel[c][f]);
      if (!(d <= bound)) fail_msg("frame %u of channel %u: %.3g", f, c + 1, d);
      count += d != 0;
    }
  return count;
}

/* In float32 the card's samples are the engine's to the bit nearly always; the gain behind them, which rounds once more, tells who it was. */
static void compare(const char* wish, HostWorker worker, uint32_t largest, bool used, void (*event)(Host* host, uint32_t at)) {
  Planar in = planar_noise(4, frames, 5), want = planar_new(4, frames), got = planar_new(4, frames);
  Host* host = make(NULL, worker);
  play(host, &in, &want, largest, FROM, frames - 10000, event);
  host_free(host);
  host = make(wish, worker);
  play(host, &in, &got, largest, FROM, frames - 10000, event);
  host_free(host);
  const uint32_t count = differing(&want, &got, 1e-6);
  if (used != (count > 1000)) fail_msg("%u samples are rounded otherwise", count);
  planar_free(&in);
  planar_free(&want);
  planar_free(&got);
}

static void without_a_wish_no_card_is_touched(void** state) {
  (void)state;
  compare(NULL, HOST_WORKER_QUEUE, 2048, false, NULL);
  compare("cpu", HOST_WORKER_QUEUE, 2048, false, NULL);
  Host* host = make("cuda", HOST_WORKER_INLINE); /* nor while instances are made, or play live */
  Planar in = planar_noise(4, frames, 5), out = planar_new(4, frames);
  play(host, &in, &out, 2048, 0, 0, NULL);
  host_free(host);
  planar_free(&in);
  planar_free(&out);
  assert_false(is_open());
}

/* So few channels never pay. */
static void auto_means_where_it_pays(void** state) {
  (void)state;
  compare("auto", HOST_WORKER_QUEUE, 2048, false, NULL);
}

static void a_card_filters_in_freewheel(void** state) {
  (void)state;
  for (HostWorker worker = HOST_WORKER_NONE; worker <= HOST_WORKER_INLINE; worker++) {
    if (worker == HOST_WORKER_NONE) continue; /* whose thread comes when it likes */
    compare("cuda", worker, 2048, true, NULL);
  }
  compare("cuda", HOST_WORKER_QUEUE, 999, true, NULL);
  compare("cuda", HOST_WORKER_QUEUE, 4000, true, NULL); /* more than was declared */
  assert_true(is_open());
}

/* Each with time for the card to come back: a quarter of a second. */
static void change(Host* host, uint32_t at) {
  if (at >= 30000 && at < 33000) host_set(host, "gain", 1.5f);
  if (at >= 50000 && at < 52000) restore(host, other);
  if (at >= 75000) host_set(host, "enabled", at < 77000 ? 0.0f : 1.0f);
}

static void changes_are_the_engines(void** state) {
  (void)state;
  frames = LONG;
  compare("cuda", HOST_WORKER_QUEUE, 2048, true, change);
  frames = SHORT;
}

/* In a process of its own, since an emulated card that is lost stays lost. */
static void a_lost_card_leaves_no_trace(void** state) {
  char self[4096], command[4200];
  (void)state;
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(length > 0);
  self[length] = '\0';
  for (int at = 1; at < 20; at += 6) {
    snprintf(command, sizeof command, "MILLRACE_EMULATOR_LOSE_DEVICE=%d '%s' lost > /dev/null 2>&1", at, self);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own program */
  }
}

static void with_a_card_that_is_lost(void** state) {
  (void)state;
  compare("cuda", HOST_WORKER_QUEUE, 2048, strcmp(getenv("MILLRACE_EMULATOR_LOSE_DEVICE"), "1") != 0, NULL);
}

int main(int argc, char** argv) {
  char module[4096];
  const char* build = getenv("MILLRACE_BUILD");
  if (!getenv("MILLRACE_GPU_MODULE")) {
    snprintf(module, sizeof module, "%s/gpu/millrace-emulator.so", build ? build : "build");
    setenv("MILLRACE_GPU_MODULE", module, 1);
  }
  setenv("MILLRACE_EMULATOR_SEED", "1", 0); /* streams in a random order: what does not wait for what it needs is seen */
  if (access(getenv("MILLRACE_GPU_MODULE"), R_OK) != 0) {
    puts("[  SKIPPED ] the emulated card was not built: there is no C++ compiler");
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "lost") == 0) {
    const struct CMUnitTest lost[] = {cmocka_unit_test(with_a_card_that_is_lost)};
    const int failed = cmocka_run_group_tests(lost, NULL, NULL);
    host_world_end();
    return failed;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_wish_no_card_is_touched), cmocka_unit_test(auto_means_where_it_pays),
      cmocka_unit_test(a_card_filters_in_freewheel),       cmocka_unit_test(changes_are_the_engines),
      cmocka_unit_test(a_lost_card_leaves_no_trace),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  host_world_end();
  return failed;
}
