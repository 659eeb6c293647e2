/* Promises 7 to 11, 13, 16 and 22 for the plugins: the same samples whatever the blocks and freewheel, equal channels, poison, silence, the host's
   floating-point mode, fresh starts, every sample rate.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* feenableexcept */
#include "scene.h"

#include <fenv.h>
#include <malloc.h>
#include <math.h>

static const HostOptions plain = {.fs = 48000};

/* ---------------------------------------------------------------- events */

static void eq_event(Host* host, uint32_t number) {
  switch (number) {
    case 0:
      scene_bands(host);
      return;
    case 1:
      scene_band(host, 1, SCENE_BELL, 2000, -12, 0.5f, 2, 0);
      host_set(host, "gain", -6);
      return;
    case 2:
      scene_band(host, 3, SCENE_LOWSHELF, 150, 5, 0.7f, 2, 1);
      host_send_int(host, EQ_SOLO, 1);
      return;
    case 3:
      host_send_text(host, EQ_SET(2), LV2_ATOM__String, "1");
      host_send_int(host, EQ_SOLO, 0);
      return;
    case 4:
      host_set(host, "mode", 0);
      if (host->channels == 2) host_set(host, "mid_side", 1);
      return;
    case 5:
      host_set(host, "enabled", 0);
      return;
    case 6:
      host_set(host, "enabled", 1);
      scene_band(host, 2, SCENE_BUTTERWORTH_HP, 60, 0, 0.7f, 8, 0);
      return;
    default:
      scene_band(host, 1, SCENE_BELL, 100.0f + 97.0f * (float)number, 3, 2, 2, 0);
  }
}

static void bank_event(Host* host, uint32_t number) {
  const float preamp[] = {0, -3, 2, 2, -10, 0, 1, 0, 3, -2, 0, 4};
  host_set(host, "preamp", preamp[number % 12]);
  host_set(host, "mode", (float)(number / 2 % 3));
  host_set(host, "enabled", number % 5 != 4);
}

/* Events at drawn frames, the same ones for a seed; between them blocks of 0 .. largest frames (0: one block). */
static void run_events(Host* host, const Planar* in, Planar* out, uint32_t largest, bool freewheels) {
  Random when = {in->channels}, blocks = {largest};
  uint32_t at = 0;
  for (uint32_t e = 0; e < 12; e++) {
    (host->plugin && host_told(host, BANK_MESSAGE) ? bank_event : eq_event)(host, e);
    uint32_t to = e == 11 ? in->frames : at + random_below(&when, in->frames / 6);
    if (to > in->frames) to = in->frames;
    do { /* an event's frame is that of the first block that shows it, even where it has no frames */
      uint32_t n = largest ? random_below(&blocks, largest + 1) : to - at;
      if (n > to - at) n = to - at;
      float *from[HOST_CHANNELS], *into[HOST_CHANNELS];
      for (uint32_t c = 0; c < in->channels; c++) from[c] = in->channel[c] + at, into[c] = out->channel[c] + at;
      if (freewheels) host_set(host, "freewheel", (float)random_below(&blocks, 2));
      host_connect_audio(host, from, into);
      host_run(host, n);
      at += n;
    } while (at < to);
  }
}

static void check_splits(const char* kind, uint32_t channels, const char* bank) {
  enum { FRAMES = 30000 };
  const uint32_t largest[] = {0, 5, 64, 333, 4096};
  Planar in = planar_noise(channels, FRAMES, 4), whole = planar_new(channels, FRAMES), out = planar_new(channels, FRAMES);
  for (size_t i = 0; i < 5; i++) {
    const HostOptions options = {.fs = 48000, .worker = HOST_WORKER_QUEUE};
    Host* host = scene_host(kind, channels, &options);
    if (bank) {
      host_activate(host);
      scene_load(host, bank);
      host_deactivate(host);
    }
    host_activate(host);
    run_events(host, &in, i ? &out : &whole, largest[i], i > 1);
    if (i) assert_same_bits(&whole, &out);
    host_free(host);
  }
  scene_assert_finite(&whole);
  assert_memory_not_equal(in.samples, whole.samples, (size_t)channels * FRAMES * sizeof(float));
  planar_free(&in);
  planar_free(&whole);
  planar_free(&out);
}

static void promise_07_and_16_blocks_and_freewheel_change_no_bit(void** state) {
  (void)state;
  const char text[] = "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nFilter: ON HSC Fc 9000 Hz Gain -5 dB Q 0.7\nChannel: 2\nDelay: 1 ms\n";
  char path[4096];
  scene_file(path, sizeof path, "splits.txt", text, sizeof text - 1);
  check_splits("eq", 1, NULL);
  check_splits("eq", 2, NULL);
  check_splits("eq", 9, NULL);
  check_splits("bank", 2, path);
  check_splits("bank", 6, path);
}

static void promise_08_equal_channels_stay_equal(void** state) {
  (void)state;
  enum { CHANNELS = 64, FRAMES = 12000 };
  Planar in = planar_noise(CHANNELS, FRAMES, 6), out = planar_new(CHANNELS, FRAMES);
  for (uint32_t c = 1; c < CHANNELS; c++) memcpy(in.channel[c], in.channel[0], FRAMES * sizeof(float));
  Host* host = scene_host("eq", CHANNELS, &plain);
  host_activate(host);
  for (uint32_t e = 0; e < 6; e++) {
    scene_band(host, 1 + e, (int)e, 200.0f * (float)(e + 1), e % 2 ? 6 : -6, 1, 4, 0);
    scene_band(host, 1, SCENE_BELL, 100.0f + 500.0f * (float)e, 3, 2, 2, 0);
    float *from[CHANNELS], *to[CHANNELS];
    for (uint32_t c = 0; c < CHANNELS; c++) from[c] = in.channel[c] + 2000 * e, to[c] = out.channel[c] + 2000 * e;
    host_stream(host, from, to, 2000, 100 + 37 * e);
  }
  for (uint32_t c = 1; c < CHANNELS; c++) assert_memory_equal(out.channel[c], out.channel[0], FRAMES * sizeof(float));
  assert_memory_not_equal(in.channel[0], out.channel[0], FRAMES * sizeof(float));
  host_free(host);
  planar_free(&in);
  planar_free(&out);
}

/* ---------------------------------------------------------------- poison */

static void promise_09_poison_stays_in_its_channel_and_is_told(void** state) {
  (void)state;
  enum { CHANNELS = 8, FRAMES = 4096 };
  const float poisons[] = {NAN, INFINITY, -INFINITY, 3e38f};
  Planar in = planar_noise(CHANNELS, FRAMES, 7), clean = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  Host* host = scene_host("eq", CHANNELS, &plain);
  scene_bands(host);
  host_activate(host);
  scene_play(host, &in, &clean, 512);
  assert_true(host_get(host, "status") == 0);
  for (size_t i = 0; i < 4; i++) {
    const uint32_t victim = (uint32_t)i * 2 + 1;
    const float good = in.channel[victim][1000];
    in.channel[victim][1000] = poisons[i];
    host_deactivate(host);
    host_activate(host);
    scene_play(host, &in, &out, 512);
    in.channel[victim][1000] = good;
    for (uint32_t c = 0; c < CHANNELS; c++)
      if (c != victim) assert_memory_equal(out.channel[c], clean.channel[c], FRAMES * sizeof(float));
    assert_memory_equal(out.channel[victim], clean.channel[victim], 1000 * sizeof(float));
    for (uint32_t f = 1024; f < FRAMES; f++) assert_true(isfinite(out.channel[victim][f]) && fabsf(out.channel[victim][f]) < 10);
    assert_true(host_get(host, "status") == 2);
    assert_true(isfinite(host_get(host, "peak_in")) && isfinite(host_get(host, "peak_out")));
  }
  host_free(host);
  planar_free(&in);
  planar_free(&clean);
  planar_free(&out);
}

static void promise_09_bypass_passes_everything(void** state) {
  (void)state;
  Planar in = planar_noise(2, 1000, 7), out = planar_new(2, 1000);
  in.channel[0][10] = NAN;
  in.channel[1][20] = INFINITY;
  in.channel[1][30] = 1e-42f;
  in.channel[0][40] = -0.0f;
  for (int kind = 0; kind < 2; kind++) {
    Host* host = scene_host(kind ? "bank" : "eq", 2, &plain);
    if (!kind) scene_bands(host);
    host_set(host, "enabled", 0);
    host_activate(host);
    scene_play(host, &in, &out, 300);
    assert_same_bits(&in, &out);
    host_free(host);
  }
  planar_free(&in);
  planar_free(&out);
}

static bool is_input(const Host* host, uint32_t port) {
  LilvNode* class = lilv_new_uri(host_world(), LV2_CORE__InputPort);
  const bool is = lilv_port_is_a(host->plugin, lilv_plugin_get_port_by_index(host->plugin, port), class);
  lilv_node_free(class);
  return is;
}

/* Values that cannot be, at every control port in turn and at all of them: NaN keeps the last value to the bit, others are clamped. */
static void check_values(const char* kind) {
  enum { CHANNELS = 2, FRAMES = 2048 };
  const float odd[] = {NAN, 1e30f, -1e30f, INFINITY, -INFINITY, 0, -1, 1e-40f};
  Planar in = planar_noise(CHANNELS, FRAMES, 8), clean = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  Host* host = scene_host(kind, CHANNELS, &plain);
  if (*kind == 'e') scene_bands(host);
  for (uint32_t port = 0; port <= host->ports; port++) { /* the last one: all at once */
    if (port < host->ports && (!host->value[port] || !is_input(host, port))) continue;
    float kept[HOST_CONTROLS];
    memcpy(kept, host->control, sizeof kept);
    host_deactivate(host);
    host_activate(host);
    host_stream(host, in.channel, clean.channel, FRAMES, 256);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
      for (uint32_t p = 0; p < host->ports; p++)
        if ((p == port || port == host->ports) && host->value[p] && is_input(host, p)) *host->value[p] = odd[i];
      host_deactivate(host);
      host_activate(host);
      host_stream(host, in.channel, out.channel, FRAMES, 256);
      scene_assert_finite(&out);
      if (isnan(odd[i])) assert_same_bits(&clean, &out);
      memcpy(host->control, kept, sizeof kept);
      host_run(host, 0);
    }
  }
  host_free(host);
  planar_free(&in);
  planar_free(&clean);
  planar_free(&out);
}

static void promise_09_any_value_at_any_control_port(void** state) {
  (void)state;
  check_values("eq");
  check_values("bank");
}

/* --------------------------------------------------------------- silence */

static void promise_10_silence_becomes_exactly_zero(void** state) {
  (void)state;
  MrDesign bell = design_of(MR_PEAK, 60, 12, 8);
  MrBank* bank = mr_bank_new(1);
  assert_int_equal(mr_bank_add_filter(bank, 0, &bell), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  const uint32_t loud = 8192, deadline = loud + (uint32_t)(6.5 * (double)mr_program_tail(program, 480000)) + 4096;
  mr_program_free(program);
  mr_bank_free(bank);
  Planar in = planar_noise(1, deadline + 500, 9), out = planar_new(1, deadline + 500);
  memset(in.channel[0] + loud, 0, (deadline + 500 - loud) * sizeof(float));
  Host* host = scene_host("eq", 1, &plain);
  host_set(host, "mode", 0);
  scene_band(host, 1, SCENE_BELL, 60, 12, 8, 2, 0);
  host_activate(host);
  scene_play(host, &in, &out, 480);
  assert_true(fabsf(out.channel[0][loud + 100]) > 1e-3f);
  for (uint32_t f = deadline; f < deadline + 500; f++) assert_true(out.channel[0][f] == 0);
  host_free(host);
  planar_free(&in);
  planar_free(&out);
}

/* Rounding, masks and flushing are the host's again on return, and no bit depends on them, nor does an unmasked trap go off. */
static void check_mode(const char* kind) {
  enum { FRAMES = 4096 };
  Planar in = planar_noise(2, FRAMES, 1), nearest = planar_new(2, FRAMES), odd = planar_new(2, FRAMES);
  in.channel[0][17] = 1e-41f;
  in.channel[1][18] = NAN;
  for (int run = 0; run < 2; run++) {
    Host* host = scene_host(kind, 2, &plain);
    host_activate(host);
    if (*kind == 'e') scene_bands(host);
    host_set(host, "gain", -3.3f);
    if (*kind == 'b') host_set(host, "preamp", 0.0123f);
    for (uint32_t at = 0; at < FRAMES; at += 512) {
      if (at == 1024) host_set(host, "gain", 1.7f);
      if (at == 1024 && *kind == 'e') host_set(host, "b1_freq", 1e-39f);
      float *from[2] = {in.channel[0] + at, in.channel[1] + at}, **planar = run ? odd.channel : nearest.channel;
      float* to[2] = {planar[0] + at, planar[1] + at};
      host_connect_audio(host, from, to);
      fenv_t before, after;
      if (run) {
        fesetround(at / 512 % 2 ? FE_UPWARD : FE_TOWARDZERO);
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW);
      }
      fegetenv(&before);
      lilv_instance_run(host->instance, 512);
      fegetenv(&after);
      fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
      assert_int_equal(before.__mxcsr & 0xffc0, after.__mxcsr & 0xffc0); /* but for the sticky flags */
      assert_int_equal(before.__control_word, after.__control_word);
#else
      (void)before, (void)after;
#endif
    }
    volatile float tiny = 1e-39f;
    assert_true(tiny * 0.5f != 0);
    host_free(host);
  }
  assert_memory_equal(nearest.channel[0], odd.channel[0], FRAMES * sizeof(float));
  for (uint32_t f = 0; f < FRAMES; f++)
    assert_true(nearest.channel[1][f] == odd.channel[1][f] || (isnan(nearest.channel[1][f]) && isnan(odd.channel[1][f])));
  planar_free(&in);
  planar_free(&nearest);
  planar_free(&odd);
}

static void promise_10_the_hosts_floating_point_mode_is_kept(void** state) {
  (void)state;
  check_mode("eq");
  check_mode("bank");
}

/* A peak that falls for a minute never becomes a subnormal: those are slow, and a trap of a host's goes off at the first. */
static void promise_10_peaks_of_silence_fall_to_zero(void** state) {
  (void)state;
  const HostOptions options = {.fs = 8000};
  for (int kind = 0; kind < 2; kind++) {
    Host* host = scene_host("eq", 1, &options);
    if (kind) scene_bands(host);
    host_activate(host);
    for (uint32_t f = 0; f < 8192; f++) host->in[0][f] = 0.5f;
    host_run(host, 8192);
    memset(host->in[0], 0, 8192 * sizeof(float));
    feenableexcept(FE_UNDERFLOW);
    for (int i = 0; i < 60; i++) lilv_instance_run(host->instance, 8192);
    fesetenv(FE_DFL_ENV);
    assert_true(host_get(host, "peak_out") == -120);
    host_free(host);
  }
}

/* ---------------------------------------------------------------- starts */

static void promise_11_a_thousand_activations_leak_nothing_and_start_afresh(void** state) {
  (void)state;
  enum { CHANNELS = 2, FRAMES = 700 };
  Planar in = planar_noise(CHANNELS, FRAMES, 2), fresh = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  const char text[] = "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nDelay: 1 ms\n";
  char path[4096];
  scene_file(path, sizeof path, "start.txt", text, sizeof text - 1);
  for (int kind = 0; kind < 2; kind++) {
    const HostOptions options = {.fs = 48000, .worker = HOST_WORKER_QUEUE};
    Host* host = scene_host(kind ? "bank" : "eq", CHANNELS, &options);
    if (kind) {
      host_activate(host);
      scene_load(host, path);
      host_deactivate(host);
    } else {
      scene_bands(host);
    }
    host_activate(host);
    scene_play(host, &in, &fresh, 256);
    size_t before = 0;
    for (int i = 0; i < 3000; i++) {
      host_deactivate(host);
      host_activate(host);
      if (i % 100 == 50) host_set(host, "gain", i % 200 == 50 ? 5 : 0), host_set(host, "enabled", i % 200 != 50);
      scene_play(host, &in, &out, i % 3 ? 256 : 33);
      if (i % 200 < 50) assert_same_bits(&fresh, &out);
      if (i == 100) before = mallinfo2().uordblks;
    }
    assert_int_equal(mallinfo2().uordblks, before);
    host_free(host);
  }
  planar_free(&in);
  planar_free(&fresh);
  planar_free(&out);
}

/* Bytes that so many instances of every kind leave allocated. */
static size_t left_by_instances(int count) {
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < count; i++) {
    const HostOptions options = {.fs = 48000, .worker = i % 2 ? HOST_WORKER_QUEUE : HOST_WORKER_NONE};
    for (int kind = 0; kind < 2; kind++) {
      Host* host = scene_host(kind ? "bank" : "eq", 8, &options);
      if (i % 3) {
        host_activate(host);
        host_run(host, 100);
      }
      host_free(host);
    }
  }
  return mallinfo2().uordblks - before;
}

/* What a thread's cache or an arena takes for itself, it takes once; a leak is there every time. */
static void promise_11_instances_come_and_go_without_a_leak(void** state) {
  (void)state;
  Host* stays = scene_host("eq", 1, &plain); /* keeps the binary loaded */
  size_t least = SIZE_MAX;
  for (int batch = 0; batch < 4; batch++) {
    const size_t left = left_by_instances(20);
    least = left < least ? left : least;
  }
  assert_int_equal(least, 0);
  host_free(stays);
}

/* ----------------------------------------------------------------- rates */

static void promise_13_every_sample_rate(void** state) {
  (void)state;
  enum { FRAMES = 4000 };
  const double rates[] = {8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000, 352800, 384000, 705600, 768000};
  Planar in = planar_noise(2, FRAMES, 3), out = planar_new(2, FRAMES);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    const HostOptions options = {.fs = rates[i]};
    Host* host = scene_host("eq", 2, &options);
    for (unsigned b = 1; b <= 14; b++) scene_band(host, b, (int)b - 1, 5, b % 2 ? 6 : -6, 0.7f, 1 + (float)b, 0);
    host_activate(host);
    scene_play(host, &in, &out, 500);
    scene_assert_finite(&out);
    assert_true(host_get(host, "status") == 0);
    scene_band(host, 16, SCENE_BUTTERWORTH_HP, (float)(0.51 * rates[i] < 40000 ? 0.51 * rates[i] : 40000), 0, 0.7f, 16, 0);
    host_run(host, 64);
    const bool beyond = 0.51 * rates[i] < 40000;
    assert_true(host_get(host, "status") == beyond);
    scene_play(host, &in, &out, 500);
    scene_assert_finite(&out);
    host_free(host);
    host = scene_host("bank", 2, &options);
    host_activate(host);
    scene_play(host, &in, &out, 500);
    assert_same_bits(&in, &out);
    host_free(host);
  }
  planar_free(&in);
  planar_free(&out);
}

/* A band of order 16 that has moved away and back is the band that it was, section for section: after silence, in which every state becomes zero,
   it filters as one that has never moved, to the bit. */
static void promise_22_a_moved_band_keeps_its_sections(void** state) {
  (void)state;
  enum { LOUD = 24000, FRAMES = 240000, LATER = 200000 };
  Planar in = planar_noise(1, FRAMES, 3), out[2] = {planar_new(1, FRAMES), planar_new(1, FRAMES)};
  memset(in.channel[0] + LOUD, 0, (LATER - LOUD) * sizeof(float));
  for (int moves = 0; moves < 2; moves++) {
    Host* host = scene_host("eq", 1, &plain);
    scene_band(host, 1, SCENE_BUTTERWORTH_HP, 60, 0, 0.7f, 16, 0);
    scene_band(host, 2, SCENE_BELL, 1000, 3, 1, 2, 0);
    host_activate(host);
    for (uint32_t at = 0; at < FRAMES; at += 1000) {
      if (moves && at < LOUD) {
        host_set(host, "b1_freq", at < LOUD - 6000 ? 60 + (float)(at / 1000 % 9) * 10 : 60);
        host_set(host, "b2_q", at < LOUD - 6000 ? 1 + (float)(at / 1000 % 3) : 1);
      }
      host_stream(host, &(float*){in.channel[0] + at}, &(float*){out[moves].channel[0] + at}, 1000, 1000);
    }
    host_free(host);
  }
  assert_memory_not_equal(out[0].samples, out[1].samples, LOUD * sizeof(float));
  for (uint32_t f = LATER - 1000; f < LATER; f++) assert_true(out[0].samples[f] == 0 && out[1].samples[f] == 0);
  assert_memory_equal(out[0].samples + LATER, out[1].samples + LATER, (FRAMES - LATER) * sizeof(float));
  planar_free(&in);
  planar_free(&out[0]);
  planar_free(&out[1]);
}

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(promise_07_and_16_blocks_and_freewheel_change_no_bit),
      cmocka_unit_test(promise_08_equal_channels_stay_equal),
      cmocka_unit_test(promise_09_poison_stays_in_its_channel_and_is_told),
      cmocka_unit_test(promise_09_bypass_passes_everything),
      cmocka_unit_test(promise_09_any_value_at_any_control_port),
      cmocka_unit_test(promise_10_silence_becomes_exactly_zero),
      cmocka_unit_test(promise_10_the_hosts_floating_point_mode_is_kept),
      cmocka_unit_test(promise_10_peaks_of_silence_fall_to_zero),
      cmocka_unit_test(promise_11_a_thousand_activations_leak_nothing_and_start_afresh),
      cmocka_unit_test(promise_11_instances_come_and_go_without_a_leak),
      cmocka_unit_test(promise_13_every_sample_rate),
      cmocka_unit_test(promise_22_a_moved_band_keeps_its_sections),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
