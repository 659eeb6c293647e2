/* Settings and signals that the tests of the plugins share.
   SPDX-License-Identifier: ISC */
#include "scene.h" /* <cmocka.h> with it */

#include <math.h>
#include <stdio.h>
#include <time.h>

Host* scene_host(const char* kind, uint32_t channels, const HostOptions* options) {
  char uri[64];
  snprintf(uri, sizeof uri, "urn:millrace:%s#%u", kind, channels);
  Host* host = host_new(uri, options);
  if (host) assert_int_equal(host->channels, channels);
  return host;
}

static void set(Host* host, unsigned band, const char* what, float value) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "b%u_%s", band, what);
  host_set(host, symbol, value);
}

void scene_band(Host* host, unsigned band, int type, float frequency, float gain, float q, float order, float set_number) {
  set(host, band, "on", 1);
  set(host, band, "type", (float)type);
  set(host, band, "freq", frequency);
  set(host, band, "gain", gain);
  set(host, band, "q", q);
  set(host, band, "order", order);
  set(host, band, "set", set_number);
}

void scene_bands(Host* host) {
  scene_band(host, 1, SCENE_BELL, 1000, 6, 2, 2, 0);
  scene_band(host, 2, SCENE_BUTTERWORTH_HP, 30, 0, 0.7f, 8, 0);
  scene_band(host, 5, SCENE_HIGHSHELF, 5000, -4, 0.7f, 2, 0);
  scene_band(host, 16, SCENE_BELL, 300, -9, 5, 2, 2);
}

void scene_file(char* path, size_t size, const char* name, const char* text, size_t length) {
  const char* folder = getenv("TMPDIR");
  assert_true((size_t)snprintf(path, size, "%s/%s", folder ? folder : "/tmp", name) < size);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static uint32_t times_told(const Host* host, const char* property) {
  const HostTold* told = host_told(host, property);
  return told ? told->count : 0;
}

void scene_wait_told(Host* host, const char* property, uint32_t count) {
  const struct timespec pause = {.tv_nsec = 2000000};
  for (int i = 0; times_told(host, property) < count; i++) {
    assert_true(i < 30000); /* a minute, on a machine that has much else to do */
    host_work(host);
    host_run(host, 64);
    nanosleep(&pause, NULL);
  }
}

void scene_load(Host* host, const char* path) {
  host_connect_audio(host, host->in, host->out);
  const uint32_t told = times_told(host, BANK_MESSAGE);
  host_send_text(host, BANK_FILE, LV2_ATOM__Path, path);
  host_run(host, 64);
  scene_wait_told(host, BANK_MESSAGE, told + 1);
}

void scene_assert_finite(const Planar* planar) {
  for (size_t i = 0; i < (size_t)planar->channels * planar->frames; i++) assert_true(isfinite(planar->samples[i]));
}

void scene_play(Host* host, const Planar* in, Planar* out, uint32_t block) {
  host_stream(host, in->channel, out->channel, in->frames, block);
}
