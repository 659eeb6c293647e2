/* Mute: zeros whatever comes in, and back from a cold start.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

enum { FADE = 1024, FRAMES = 4096 }; /* frames of a fade at 48 kHz */

static double window(uint32_t frame) {
  const double t = (double)frame / FADE;
  return t - sin(2 * M_PI * t) / (2 * M_PI);
}

static MrEngine* playing(uint32_t channels, bool bands) {
  MrEngine* engine = engine_of(channels, 48000, bands ? 1 : 0, 0);
  MrBand band = band_on_all(MR_PEAK, 500, 6, 2);
  const MrBands one = {&band, 1, false};
  if (bands)
    assert_int_equal(mr_engine_set_bands(engine, &one), MR_OK);
  else
    assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, true)), MR_OK);
  return engine;
}

static void assert_zeros(const void* samples, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) assert_int_equal(((const unsigned char*)samples)[i], 0);
}

/* In every layout, apart and in place, with NaNs and infinities in. */
static void test_zeros(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 11; channels += 5)
    for (int bands = 0; bands < 2; bands++) {
      MrEngine* engine = playing(channels, bands);
      Planar in = planar_noise(channels, FRAMES, 1), out = planar_noise(channels, FRAMES, 2);
      double wide[11][300], *wide_channel[11];
      float interleaved[11 * 300];
      run_blocks(engine, &in, &out, 0, 1000, 0, NULL); /* the next cell begins at frame 1024 */
      mr_engine_mute(engine, true);
      run_blocks(engine, &in, &out, 1000, 1024 + FADE, 50, &(Random){1});
      for (uint32_t c = 0; c < channels; c++) assert_true(fabsf(out.channel[c][1024 + FADE - 1]) < 1e-6f);
      for (uint32_t i = 0; i < channels * FRAMES; i += 3) in.samples[i] = i % 2 ? NAN : -INFINITY;
      run_blocks(engine, &in, &out, 1024 + FADE, FRAMES, 200, &(Random){2});
      for (uint32_t c = 0; c < channels; c++) assert_zeros(out.channel[c] + 1024 + FADE, (FRAMES - 1024 - FADE) * sizeof(float));
      for (uint32_t c = 0; c < channels; c++) {
        wide_channel[c] = wide[c];
        for (uint32_t f = 0; f < 300; f++) wide[c][f] = interleaved[c * 300 + f] = -NAN;
      }
      mr_engine_process_f64(engine, (const double* const*)wide_channel, wide_channel, 300);
      mr_engine_process_interleaved_f32(engine, interleaved, interleaved, 300);
      for (uint32_t c = 0; c < channels; c++) assert_zeros(wide[c], sizeof wide[c]);
      assert_zeros(interleaved, channels * 300 * sizeof(float));
      assert_int_equal(mr_engine_troubles(engine), 0);
      mr_engine_free(engine);
      planar_free(&in);
      planar_free(&out);
    }
}

/* Back: a fresh engine's output for an input under the window, under the window. */
static void test_back_from_a_cold_start(void** state) {
  (void)state;
  for (int bands = 0; bands < 2; bands++) {
    MrEngine *engine = playing(1, bands), *fresh = playing(1, bands);
    double x[FRAMES], y[FRAMES], right[FRAMES];
    double *in = x, *out = y;
    Random random = {4};
    /* cppcheck-suppress unreadVariable ; through in */
    for (uint32_t f = 0; f < FRAMES; f++) x[f] = random_between(&random, -1, 1);
    mr_engine_process_f64(engine, (const double* const*)&in, &out, 640);
    mr_engine_mute(engine, true);
    mr_engine_process_f64(engine, (const double* const*)&in, &out, 2048);
    mr_engine_mute(engine, false);
    mr_engine_process_f64(engine, (const double* const*)&in, &out, FRAMES);
    /* cppcheck-suppress unreadVariable ; through in */
    for (uint32_t f = 0; f < FRAMES; f++) x[f] *= f < FADE ? window(f) : 1;
    out = right;
    mr_engine_process_f64(fresh, (const double* const*)&in, &out, FRAMES);
    for (uint32_t f = 0; f < FRAMES; f++) assert_true(fabs(y[f] - right[f] * (f < FADE ? window(f) : 1)) < 1e-13);
    assert_true(fabs(y[FRAMES - 1]) > 0);
    mr_engine_free(engine);
    mr_engine_free(fresh);
  }
}

static void test_muted_before_the_first_frame(void** state) {
  (void)state;
  MrEngine* engine = playing(3, false);
  Planar in = planar_noise(3, 300, 1), out = planar_noise(3, 300, 2);
  for (int run = 0; run < 2; run++) {
    mr_engine_mute(engine, true);
    run_blocks(engine, &in, &out, 0, 300, 0, NULL);
    assert_zeros(out.samples, 3 * 300 * sizeof(float));
    mr_engine_reset(engine); /* stays muted */
  }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

static void test_bypass_wins(void** state) {
  (void)state;
  MrEngine* engine = playing(2, true);
  Planar in = planar_noise(2, FRAMES, 1), out = planar_new(2, FRAMES);
  mr_engine_mute(engine, true);
  run_blocks(engine, &in, &out, 0, 640, 0, NULL);
  mr_engine_bypass(engine, true);
  run_blocks(engine, &in, &out, 640, FRAMES, 0, NULL);
  for (uint32_t c = 0; c < 2; c++) {
    assert_zeros(out.channel[c], 640 * sizeof(float));
    for (uint32_t f = 640; f < 640 + FADE; f++) { /* from zeros to the input, both under the window */
      const double w = window(f - 640);
      assert_true(fabs((double)out.channel[c][f] - w * w * (double)in.channel[c][f]) < 1e-7);
    }
    assert_memory_equal(out.channel[c] + 640 + FADE, in.channel[c] + 640 + FADE, (FRAMES - 640 - FADE) * sizeof(float));
  }
  mr_engine_bypass(engine, false); /* still muted */
  run_blocks(engine, &in, &out, 0, 640 + FADE, 0, NULL);
  run_blocks(engine, &in, &out, 0, 640, 0, NULL);
  for (uint32_t c = 0; c < 2; c++) assert_zeros(out.channel[c], 640 * sizeof(float));
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

static void test_fast_engines_have_none(void** state) {
  (void)state;
  const MrEngineOptions options = {.channels = 2, .fs = 48000, .precision = MR_PRECISION_FAST};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  Planar in = planar_noise(2, 300, 1), out = planar_new(2, 300);
  mr_engine_mute(engine, true);
  mr_engine_choose(engine, 1);
  assert_int_equal(mr_engine_set_gain(engine, -3), MR_ERR_ARGUMENT);
  run_blocks(engine, &in, &out, 0, 300, 0, NULL);
  assert_same_bits(&in, &out);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zeros),
      cmocka_unit_test(test_back_from_a_cold_start),
      cmocka_unit_test(test_muted_before_the_first_frame),
      cmocka_unit_test(test_bypass_wins),
      cmocka_unit_test(test_fast_engines_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
