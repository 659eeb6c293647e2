/* Bands of a parametric engine: what glides, what swaps, what changes nothing, what is refused; promise 22: what moves keeps its sections.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { CELL = 64 };

static void set(MrEngine* engine, const MrBand* band, uint32_t count) {
  const MrBands bands = {band, count, false};
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
}

/* Root mean square of the next `frames` frames of an engine of one channel fed with a sine of frequency f (a part of the rate). */
static double level(MrEngine* engine, double f, uint32_t* phase, uint32_t frames) {
  double sum = 0;
  for (uint32_t i = 0; i < frames; i++) {
    double sample = sin(2 * M_PI * f * (*phase)++);
    double* channel = &sample;
    mr_engine_process_f64(engine, (const double* const*)&channel, &channel, 1);
    sum += sample * sample;
  }
  return sqrt(sum / frames);
}

/* 0.49 fs is the highest frequency that is not off; there exp2(log2 f) often rounds upwards. The gain of such a band must glide as that
   of any other: once its window has passed, the last cells before it settles have the level that it settles at. */
static void test_a_band_at_the_highest_frequency_glides(void** state) {
  (void)state;
  const double rates[] = {8000, 32000, 44100, 48000, 96000, 192000};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    const double fs = rates[i];
    MrEngine* engine = engine_of(1, fs, 1, 0);
    MrBand band = band_on_all(MR_PEAK, 0.49 * fs, 0, 0.5);
    const uint32_t window = (uint32_t)round(0.0213 * fs / CELL);
    uint32_t phase = 0;
    set(engine, &band, 1);
    level(engine, 0.375, &phase, CELL); /* eight frames a period: a cell is a whole number of them */
    band.design.gain_db = 40;
    set(engine, &band, 1);
    level(engine, 0.375, &phase, (window + 3) * CELL);
    const double arrived = level(engine, 0.375, &phase, CELL);
    level(engine, 0.375, &phase, 100 * CELL);
    const double settled = level(engine, 0.375, &phase, CELL);
    assert_true(settled > 1); /* well above the level of no filter, sqrt(1/2) */
    assert_true(fabs(20 * log10(arrived / settled)) < 0.1);
    mr_engine_free(engine);
  }
}

/* A shelf's corner lies half its transition off its centre, so that a gain and a slope that change together may take the centre beyond
   Nyquist on the way between two ends that are not; the shelf stays there all the same. */
static void test_a_shelf_does_not_go_off_on_its_way(void** state) {
  (void)state;
  MrEngine* engine = engine_of(1, 48000, 1, 0);
  MrBand band = band_on_all(MR_LOWSHELF, 17000, 2, 0.2);
  band.design.width_unit = MR_WIDTH_SHELF_SLOPE;
  band.design.corner = true;
  uint32_t phase = 0;
  set(engine, &band, 1);
  level(engine, 0.03125, &phase, 10 * CELL);
  band.design.gain_db = 12;
  band.design.width = 1.2;
  double last = level(engine, 0.03125, &phase, CELL);
  set(engine, &band, 1);
  assert_false(mr_engine_is_fading(engine));
  for (int cell = 0; cell < 30; cell++) { /* 1500 Hz is far below the corner: its gain goes from 2 to 12 dB without a step back */
    const double now = level(engine, 0.03125, &phase, CELL);
    assert_true(now > 0.999 * last);
    last = now;
  }
  assert_true(fabs(20 * log10(last * sqrt(2)) - 12) < 0.1);
  mr_engine_free(engine);
}

/* The same with a corner that carries the centre five octaves away: not a glide. */
static void test_a_shelf_whose_centre_goes_far_swaps(void** state) {
  (void)state;
  MrEngine* engine = engine_of(1, 48000, 1, 0);
  MrBand band = band_on_all(MR_LOWSHELF, 100, 0, 0.1);
  band.design.width_unit = MR_WIDTH_SHELF_SLOPE;
  band.design.corner = true;
  uint32_t phase = 0;
  set(engine, &band, 1);
  level(engine, 0.1, &phase, CELL);
  band.design.gain_db = 12; /* the centre goes to 100 Hz x 10^(12 / 80 / 0.1) */
  set(engine, &band, 1);
  level(engine, 0.1, &phase, 1);
  assert_true(mr_engine_is_fading(engine));
  mr_engine_free(engine);
}

static void none_moves(MrBand* band) { band->design.fc = 100; }
static void none_above_nyquist(MrBand* band) { band->design.fc = 30000; }
static void corner_of_a_bell(MrBand* band) { band->design.corner = true; }
static void mode_without_a_matched_design(MrBand* band) { band->design.mode = MR_MODE_MATCHED; }
static void order_of_a_bell(MrBand* band) { band->design.order = 7; }
static void channels_that_are_not(MrBand* band) { band->set[3] ^= 0xff; }

static void test_fields_that_a_type_ignores_change_no_bit(void** state) {
  (void)state;
  const struct {
    MrFilterType type;
    void (*change)(MrBand* band);
  } cases[] = {{MR_NONE, none_moves},           {MR_NONE, none_above_nyquist},
               {MR_PEAK, corner_of_a_bell},     {MR_ALLPASS1, mode_without_a_matched_design},
               {MR_PEAK, order_of_a_bell},      {MR_LOWSHELF, corner_of_a_bell},
               {MR_PEAK, channels_that_are_not}};
  Planar in = planar_noise(2, 6000, 1), still = planar_new(2, 6000), changed = planar_new(2, 6000);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int run = 0; run < 2; run++) {
      MrEngine* engine = engine_of(2, 48000, 2, 0);
      MrBand band[2] = {band_on_all(MR_PEAK, 1000, 6, 1), band_on_all(cases[i].type, 2000, 3, 1)};
      set(engine, band, 2);
      run_blocks(engine, &in, run ? &changed : &still, 0, 1000, 0, NULL);
      if (run) cases[i].change(&band[1]);
      set(engine, band, 2);
      run_blocks(engine, &in, run ? &changed : &still, 1000, 6000, 0, NULL);
      mr_engine_free(engine);
      if (run) assert_same_bits(&still, &changed);
    }
  planar_free(&in);
  planar_free(&still);
  planar_free(&changed);
}

/* Refused, and what was set before plays on; while the band is off, whatever it says is taken. */
static void test_designs_that_cannot_be_are_refused(void** state) {
  (void)state;
  MrEngine* engine = engine_of(1, 48000, 1, 0);
  for (int kind = 0; kind < 4; kind++) {
    MrBand band = band_on_all(MR_BUTTERWORTH, 1000, 0, 1);
    if (kind == 0) band.design.order = 0;
    if (kind == 1) band.design.order = MR_MAX_ORDER + 1;
    if (kind == 2) band.design.response = MR_RESPONSE_BP;
    if (kind == 3) { /* a bell has no slope */
      band.design.type = MR_PEAK;
      band.design.width_unit = MR_WIDTH_SHELF_SLOPE;
    }
    const MrBands bands = {&band, 1, false};
    assert_int_equal(mr_engine_set_bands(engine, &bands), MR_ERR_ARGUMENT);
    band.on = false;
    assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  }
  mr_engine_free(engine);
}

/* A host that traps every floating-point exception. */
static void test_a_host_that_traps(void** state) {
  (void)state;
#if defined(__x86_64__)
  MrEngine* engine = engine_of(1, 48000, 2, 0);
  MrBand band[2] = {band_on_all(MR_BUTTERWORTH, 1000, 0, 1), band_on_all(MR_PEAK, 100, 7, 0.3)};
  band[0].design.order = 7;
  const MrBands bands = {band, 2, false};
  float samples[200] = {1e-39f, 0.1f, INFINITY, 3e38f}, *channel = samples;
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(0);
  const MrStatus status = mr_engine_set_bands(engine, &bands), gain_status = mr_engine_set_gain(engine, -3);
  mr_engine_process_f32(engine, (const float* const*)&channel, &channel, 200);
  mr_engine_bypass(engine, true);
  mr_engine_process_f32(engine, (const float* const*)&channel, &channel, 200);
  mr_engine_reset(engine);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(mode);
  assert_int_equal(status, MR_OK);
  assert_int_equal(gain_status, MR_OK);
  assert_int_equal(after, 0); /* no trap, no flag, nothing masked */
  mr_engine_free(engine);
#else
  skip();
#endif
}

/* Promise 22: a band of order 16 that has moved away and back has its sections where they were. After silence, in which every state becomes zero,
   it filters as one that has never moved, to the bit. */
static void test_promise_22_a_moved_band_keeps_its_sections(void** state) {
  (void)state;
  enum { LOUD = 16000, LATER = 160000, FRAMES = 180000, STEP = 1000 };
  Planar in = planar_noise(1, FRAMES, 3), out[2] = {planar_new(1, FRAMES), planar_new(1, FRAMES)};
  memset(in.channel[0] + LOUD, 0, (LATER - LOUD) * sizeof(float));
  for (int moves = 0; moves < 2; moves++) {
    MrEngine* engine = engine_of(1, 48000, 1, 0);
    MrBand band = band_on_all(MR_BUTTERWORTH, 60, 0, 1);
    band.design.response = MR_RESPONSE_HP;
    band.design.order = 16;
    for (uint32_t at = 0; at < FRAMES; at += STEP) {
      MrDesign* design = &band.design;
      design->fc = moves && at < LOUD / 2 ? 60 + at / 200.0 : 60;
      set(engine, &band, 1);
      run_blocks(engine, &in, &out[moves], at, at + STEP, 0, NULL);
    }
    mr_engine_free(engine);
  }
  assert_memory_not_equal(out[0].samples, out[1].samples, LOUD * sizeof(float));
  for (uint32_t f = LATER - STEP; f < LATER; f++) assert_true(out[0].samples[f] == 0 && out[1].samples[f] == 0);
  assert_memory_equal(out[0].samples + LATER, out[1].samples + LATER, (FRAMES - LATER) * sizeof(float));
  planar_free(&in);
  planar_free(&out[0]);
  planar_free(&out[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_band_at_the_highest_frequency_glides),     cmocka_unit_test(test_a_shelf_does_not_go_off_on_its_way),
      cmocka_unit_test(test_a_shelf_whose_centre_goes_far_swaps),        cmocka_unit_test(test_fields_that_a_type_ignores_change_no_bit),
      cmocka_unit_test(test_designs_that_cannot_be_are_refused),         cmocka_unit_test(test_a_host_that_traps),
      cmocka_unit_test(test_promise_22_a_moved_band_keeps_its_sections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
