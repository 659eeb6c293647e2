/* Curves are the responses of the engine's own sections, follow them wherever they bend, and say what is off, silent or routed.
   SPDX-License-Identifier: ISC */
#include "view_support.h"

#include <stdio.h>

static const MrCurve* whole_of(const MrCurves* curves, uint32_t nth) {
  for (uint32_t c = 0; c < curves->curves; c++)
    if (curves->curve[c].role == MR_CURVE_WHOLE && !nth--) return &curves->curve[c];
  fail();
  return NULL;
}

/* Straight between the points, along log frequency. */
static double on_curve(const MrCurves* curves, const double* values, double f) {
  uint32_t i = 0;
  while (i + 2 < curves->points && curves->frequency[i + 1] < f) i++;
  const double t = log(f / curves->frequency[i]) / log(curves->frequency[i + 1] / curves->frequency[i]);
  return values[i] + t * (values[i + 1] - values[i]);
}

static const char many[] =
    "Preamp: -2 dB\nFilter: ON Butterworth HP Order 8 Fc 40 Hz\nFilter: ON PK Fc 250 Hz Gain -12 dB Q 30\n"
    "Filter: ON PK Fc 3000 Hz Gain 9 dB Q 200\nFilter: ON HSC Fc 9000 Hz Gain 4 dB Q 0.7\nFilter: ON Elliptic LP Order 7 Fc 15000 Hz "
    "Ripple 0.1 dB "
    "Stop 60 dB\n";

static void curves_are_the_responses(void** state) {
  (void)state;
  static const double rates[] = {44100, 48000, 192000};
  for (size_t r = 0; r < 3; r++) {
    const double fs = rates[r];
    Scene scene = scene_of(many, 1, fs);
    MrCurves* curves = scene_curves(&scene, false);
    const MrCurve* curve = whole_of(curves, 0);
    double worst = 0, worst_phase = 0, worst_delay = 0;
    for (int i = 0; i < 20000; i++) {
      const double f =
          curves->frequency[0] * pow(fmin(curves->frequency[curves->points - 1], fs / 2) / curves->frequency[0], (i + 0.5) / 20000);
      const double db = db_at(scene.program, 0, fs, f), got = on_curve(curves, curve->magnitude_db, f);
      if (db > -100) worst = fmax(worst, fabs(got - db));
    }
    for (uint32_t i = 0; i < curves->points; i++) {
      const double f = curves->frequency[i];
      if (f > fs / 2) {
        assert_true(isnan(curve->magnitude_db[i]) && isnan(curve->phase[i]) && isnan(curve->group_delay[i]));
        continue;
      }
      const double complex h = response_at(scene.program, 0, fs, f);
      if (cabs(h) < 1e-7 || f > 0.499 * fs) continue;
      worst_phase = fmax(worst_phase, fabs(remainder(curve->phase[i] - carg(h), 2 * M_PI)));
      const double step = f * 1e-6; /* the slope of the phase, by a difference */
      const double turn = carg(response_at(scene.program, 0, fs, f + step) / response_at(scene.program, 0, fs, f - step));
      const double delay = -turn / (2 * M_PI * 2 * step);
      worst_delay = fmax(worst_delay, fabs(delay - curve->group_delay[i]) / (fabs(delay) + 1e-5));
    }
    assert_true(worst < 0.06); /* three times what the grid aims at, between its points */
    assert_true(worst_phase < 1e-6);
    assert_true(worst_delay < 1e-3);
    mr_curves_free(curves);
    scene_free(&scene);
  }
}

static void sharp_filters_are_not_missed(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON NO Fc 1234.5 Hz Q 1000\nFilter: ON PK Fc 77.7 Hz Gain 20 dB Q 500", 1, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  const MrCurve* curve = whole_of(curves, 0);
  double least = 0, most = 0;
  for (uint32_t i = 0; i < curves->points; i++) {
    least = fmin(least, fmax(-400, curve->magnitude_db[i]));
    most = fmax(most, curve->magnitude_db[i]);
    assert_true(i == 0 || curves->frequency[i] > curves->frequency[i - 1]);
  }
  assert_true(least < -60);
  assert_true(fabs(most - 20) < 0.05);
  assert_true(curves->points < 2000);
  mr_curves_free(curves);
  scene_free(&scene);
}

static void bands_multiply_to_the_whole(void** state) {
  (void)state;
  Scene scene = scene_of(many, 2, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  const MrCurve* whole = whole_of(curves, 0);
  assert_int_equal(scene.subject->groups, 1);
  assert_string_equal(whole->name, "");
  assert_int_equal(curves->curves, 6);
  for (uint32_t i = 0; i < curves->points; i++) {
    double sum = -2; /* the preamp */
    for (uint32_t c = 0; c < 5; c++) sum += curves->curve[c].magnitude_db[i];
    if (whole->magnitude_db[i] > -200) assert_true(fabs(sum - whole->magnitude_db[i]) < 1e-6);
  }
  assert_string_equal(curves->curve[0].name, "Butterworth HP 8, 40 Hz");
  assert_string_equal(curves->curve[1].name,
                      "PK 250 Hz, \xe2\x88\x92"
                      "12 dB");
  assert_int_equal(curves->curve[4].number, 5);
  assert_true(curves->curve[2].frequency == 3000);
  mr_curves_free(curves);
  scene_free(&scene);
}

static void what_is_above_nyquist_is_off_and_shown_where_it_would_be(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1\nFilter: ON PK Fc 26000 Hz Gain 6 dB Q 1", 1, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  assert_int_equal(curves->curves, 3);
  assert_false(curves->curve[0].off);
  assert_true(curves->curve[1].off);
  assert_true(on_curve(curves, curves->curve[1].magnitude_db, 20000) > 3); /* its flank */
  for (uint32_t i = 0; i < curves->points; i++)                            /* the whole knows nothing of it */
    if (curves->frequency[i] <= 24000) assert_true(fabs(curves->curve[2].magnitude_db[i] - curves->curve[0].magnitude_db[i]) < 1e-9);
  mr_curves_free(curves);
  scene_free(&scene);
}

static void routes_count_where_they_are_gains(void** state) {
  (void)state;
  static const char text[] = "Copy: 2=-0.5*1 3=0.5*1+0.5*2 4=0\nFilter: ON PK Fc 1000 Hz Gain 6 dB Q 1\nChannel: 1\nDelay: 480 samples";
  Scene scene = scene_of(text, 5, 48000);
  MrCurves* curves = scene_curves(&scene, false);
  assert_int_equal(scene.subject->groups, 5);
  const double wanted[] = {6, 6 - 6.0206, 6, -INFINITY, 6};
  static const char* const names[] = {"Channel 1", "Channel 2", "Channel 3 (of its mix)", "Channel 4 (silent)", "Channel 5"};
  for (uint32_t g = 0; g < 5; g++) {
    const MrCurve* curve = whole_of(curves, g);
    uint32_t near = 0;
    while (curves->frequency[near] < 999.99) near++;
    const double db = on_curve(curves, curve->magnitude_db, 1000), phase = curve->phase[near];
    assert_string_equal(curve->name, names[g]);
    if (g == 3) {
      assert_true(db == -INFINITY || isnan(db));
      assert_true(isnan(phase));
      continue;
    }
    assert_true(fabs(db - wanted[g]) < 0.01);
    assert_true(fabs(fabs(phase) - (g == 1 ? M_PI : 0)) < 0.05); /* inverted */
    const double delay = on_curve(curves, curve->group_delay, 20) - on_curve(curves, whole_of(curves, 4)->group_delay, 20);
    assert_true(fabs(delay - (g == 0 ? 0.01 : 0)) < 1e-9);
  }
  mr_curves_free(curves);
  scene_free(&scene);
}

static void equal_channels_stand_together(void** state) {
  (void)state;
  Scene scene = scene_of("Channel: 1 3-5 9\nFilter: ON PK Fc 100 Hz Gain 1 dB Q 1\nChannel: 7\nPreamp: -3 dB", 9, 48000);
  assert_int_equal(scene.subject->groups, 3);
  assert_string_equal(scene.subject->group[0].whole.name,
                      "Channels 1, 3\xe2\x80\x93"
                      "5, 9");
  assert_string_equal(scene.subject->group[1].whole.name, "Channels 2, 6, 8");
  assert_string_equal(scene.subject->group[2].whole.name, "Channel 7");
  scene_free(&scene);
  char text[4096];
  size_t used = 0;
  for (int k = 1; k <= 99; k += 2) used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", k > 1 ? " " : "Channel: ", k);
  snprintf(text + used, sizeof text - used, "\nPreamp: 1 dB");
  scene = scene_of(text, 100, 48000);
  assert_string_equal(scene.subject->group[1].whole.name + strlen(scene.subject->group[1].whole.name) - 3, "\xe2\x80\xa6");
  scene_free(&scene);
}

static void bands_of_an_eq(void** state) {
  (void)state;
  MrBand band[4];
  memset(band, 0, sizeof band);
  for (int i = 0; i < 4; i++) {
    band[i].design = mr_design_default(i == 2 ? MR_HIGHPASS : MR_PEAK);
    band[i].design.fc = 100 * pow(4, i);
    band[i].design.gain_db = i == 3 ? 0 : 6;
    band[i].on = i < 2;
    band[i].set[0] = i == 1 ? 2 : 3; /* the second on the right channel alone */
  }
  const MrBands bands = {.band = band, .bands = 4};
  MrStatus status;
  MrSubject* subject = mr_subject_from_bands(&bands, 2, 48000, -3, &status);
  assert_non_null(subject);
  assert_int_equal(subject->groups, 2);
  assert_int_equal(subject->group[0].bands, 3);
  assert_int_equal(subject->group[1].bands, 4);
  const MrSubject* const one[] = {subject};
  const MrCurvesOptions options = {
      .least_hz = 20, .most_hz = 20000, .points = 200, .tolerance_db = 0.02, .floor_db = -100, .bands = true, .off = true};
  MrCurves* curves = mr_curves_new(one, 1, &options, &status);
  assert_non_null(curves);
  /* on 1, the high-pass that is off; on 2 those and the second: the last is off and flat, so it is not there */
  assert_int_equal(curves->curves, 2 + 3 + 2);
  assert_true(curves->curve[1].off && curves->curve[1].number == 3);
  assert_true(fabs(on_curve(curves, whole_of(curves, 0)->magnitude_db, 100) - 3) < 0.05);
  assert_true(fabs(on_curve(curves, whole_of(curves, 1)->magnitude_db, 400) - 3) > 0.05);
  assert_true(
      fabs(on_curve(curves, whole_of(curves, 1)->magnitude_db, 400) - on_curve(curves, whole_of(curves, 0)->magnitude_db, 400) - 6) < 0.05);
  mr_curves_free(curves);
  mr_subject_free(subject);
  const MrBands middle = {.band = band, .bands = 4, .mid_side = true};
  subject = mr_subject_from_bands(&middle, 2, 48000, 0, &status);
  assert_string_equal(subject->group[0].whole.name, "Mid");
  assert_string_equal(subject->group[1].whole.name, "Side");
  mr_subject_free(subject);
}

static void ranges_show_what_happens(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double fs, least, most;
  } all[] = {{"Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1", 48000, 20, 26880},
             {"Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1", 192000, 20, 20000},
             {"Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1", 192000, 20, 107520},
             {"Filter: ON Butterworth HP Order 4 Fc 10 Hz", 96000, 5, 20000},
             {"Filter: ON PK Fc 1 Hz Gain 3 dB Q 1", 200, 0.1, 112}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    Scene scene = scene_of(all[i].text, 1, all[i].fs);
    const MrSubject* const one[] = {scene.subject};
    double least, most;
    mr_curves_choose_range(one, 1, &least, &most);
    assert_true(fabs(least - all[i].least) < 1e-9 && fabs(most - all[i].most) < 1e-9);
    scene_free(&scene);
  }
}

static bool refuse(void* handle, const char* text, size_t length) {
  int* calls = handle;
  (void)text;
  (void)length;
  return --*calls > 0;
}

static void a_table_that_cannot_be_written_is_said(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1", 1, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  int calls = 1;
  assert_false(mr_curves_write_csv(curves, true, true, refuse, &calls));
  calls = 50;
  assert_false(mr_curves_write_csv(curves, true, true, refuse, &calls));
  calls = 1 << 30;
  assert_true(mr_curves_write_csv(curves, true, true, refuse, &calls));
  mr_curves_free(curves);
  scene_free(&scene);
}

static void nonsense_is_refused(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON PK Fc 1000 Hz Gain 3 dB Q 1", 1, 48000), other = scene_of("Preamp: 1 dB", 1, 44100);
  MrStatus status = MR_OK;
  const MrSubject* const both[] = {scene.subject, other.subject};
  MrCurvesOptions options = {.least_hz = 20, .most_hz = 20000, .points = 10, .tolerance_db = 1, .floor_db = -100};
  assert_null(mr_curves_new(both, 2, &options, &status));
  assert_int_equal(status, MR_ERR_ARGUMENT);
  assert_null(mr_curves_new(both, 0, &options, &status));
  options.least_hz = 0;
  assert_null(mr_curves_new(both, 1, &options, &status));
  const bool none[] = {false};
  assert_null(mr_subject_from_program(scene.bank, scene.program, 48000, none, &status));
  scene_free(&scene);
  scene_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(curves_are_the_responses),
                                     cmocka_unit_test(sharp_filters_are_not_missed),
                                     cmocka_unit_test(bands_multiply_to_the_whole),
                                     cmocka_unit_test(what_is_above_nyquist_is_off_and_shown_where_it_would_be),
                                     cmocka_unit_test(routes_count_where_they_are_gains),
                                     cmocka_unit_test(equal_channels_stand_together),
                                     cmocka_unit_test(bands_of_an_eq),
                                     cmocka_unit_test(ranges_show_what_happens),
                                     cmocka_unit_test(a_table_that_cannot_be_written_is_said),
                                     cmocka_unit_test(nonsense_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
