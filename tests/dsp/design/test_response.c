/* Magnitude, phase, group delay and ring time of sections.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/millrace.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h needs those above */
#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static double complex transfer(const MrCascade* cascade, double w) {
  double complex h = cascade->gain;
  for (uint32_t k = 0; k < cascade->n; ++k) {
    const MrBiquad q = mr_section_to_biquad(&cascade->section[k]);
    const double complex z = cexp(-I * w);
    h *= (q.b0 + q.b1 * z + q.b2 * z * z) / (1.0 + q.a1 * z + q.a2 * z * z);
  }
  return h;
}

static MrCascade example(MrFilterType type, MrResponse response, uint32_t order, double fs) {
  MrDesign d = mr_design_default(type);
  MrCascade cascade;
  d.response = response;
  d.order = order;
  d.gain_db = 9.0;
  d.fc = fs / 10.0;
  d.fc2 = fs / 5.0;
  assert_int_equal(mr_design(&d, fs, &cascade, NULL), MR_OK);
  return cascade;
}

static void the_response_is_that_of_the_coefficients(void** state) {
  (void)state;
  const double fs = 48000.0;
  for (int type = MR_PEAK; type <= MR_BESSEL; ++type) {
    MrCascade cascade = example((MrFilterType)type, type == MR_BUTTERWORTH ? MR_RESPONSE_BP : MR_RESPONSE_HP, 5, fs);
    cascade.gain *= type % 2 ? 1.0 : -1.0;
    for (int i = 0; i < 58; ++i) {
      const double f = 1500.0 + 371.0 * i;
      const MrPoint p = mr_cascade_response(&cascade, fs, f);
      const double w = 2.0 * pi * f / fs, step = 1e-5;
      const double complex h = transfer(&cascade, w);
      const double complex exact = pow(10.0, p.magnitude_db / 20.0) * cexp(I * p.phase);
      assert_true(cabs(h - exact) < 1e-11 * (1.0 + cabs(h)));
      assert_true(p.phase > -pi - 1e-12 && p.phase < pi + 1e-12);
      if (cabs(h) < 1e-3) continue;
      const double delay = -carg(transfer(&cascade, w + step) / transfer(&cascade, w - step)) / (2.0 * step) / fs;
      assert_true(fabs(delay - p.group_delay) < 1e-6 * fabs(delay) + 1e-9);
    }
  }
}

static void the_ends_are_exact(void** state) {
  (void)state;
  for (int i = 0; i < 6; ++i) {
    const double fs = 1000.0 * pow(3.3, i);
    const MrCascade lowpass = example(MR_BUTTERWORTH, MR_RESPONSE_LP, 7, fs), highpass = example(MR_BUTTERWORTH, MR_RESPONSE_HP, 7, fs);
    assert_true(fabs(mr_cascade_response(&lowpass, fs, 0.0).magnitude_db) < 1e-12);
    assert_true(mr_cascade_response(&lowpass, fs, 0.0).phase == 0.0);
    assert_true(mr_cascade_response(&highpass, fs, 0.0).magnitude_db == -INFINITY);
    assert_true(fabs(mr_cascade_response(&highpass, fs, fs / 2.0).magnitude_db) < 1e-12);
    const double top = mr_cascade_response(&lowpass, fs, fs / 2.0).magnitude_db;
    assert_true(top == -INFINITY || top < -1000.0);
  }
}

/* A one-pole low-pass of 1 Hz at 768 kHz: |H| from its definition, where 1 - a1 cos w + ... would have lost ten digits. */
static void low_frequencies_keep_their_digits(void** state) {
  (void)state;
  const double fs = 768000.0;
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  MrCascade cascade;
  d.fc = 1.0;
  d.order = 16;
  assert_int_equal(mr_design(&d, fs, &cascade, NULL), MR_OK);
  for (int i = 0; i < 27; ++i) {
    const double f = 0.01 * pow(1.3, i);
    const long double ratio =
        tanl(3.14159265358979323846264L * (long double)f / (long double)fs) / tanl(3.14159265358979323846264L / (long double)fs);
    const double expected = (double)(-10.0L * log10l(1.0L + powl(ratio, 32.0L)));
    assert_true(fabs(mr_cascade_response(&cascade, fs, f).magnitude_db - expected) < 1e-10);
  }
}

static void a_long_cascade_neither_overflows_nor_underflows(void** state) {
  (void)state;
  MrSection sections[200];
  const MrCascade one = example(MR_BUTTERWORTH, MR_RESPONSE_LP, 2, 48000.0);
  for (int k = 0; k < 200; ++k) sections[k] = one.section[0];
  const double single = mr_sections_response(sections, 1, 1.0, 48000.0, 20000.0).magnitude_db;
  const MrPoint all = mr_sections_response(sections, 200, 1.0, 48000.0, 20000.0);
  assert_true(200.0 * single < -5000.0);
  assert_true(fabs(all.magnitude_db - 200.0 * single) < 1e-8);
}

static uint64_t ring_by_hand(const MrCascade* cascade, double rest, uint64_t frames) {
  double* h = malloc(frames * sizeof *h);
  assert_non_null(h);
  double total = 0.0, sum = 0.0;
  for (uint64_t i = 0; i < frames; ++i) h[i] = i == 0 ? 1.0 : 0.0;
  for (uint32_t k = 0; k < cascade->n; ++k) { /* direct form, a section at a time */
    const MrBiquad q = mr_section_to_biquad(&cascade->section[k]);
    double s1 = 0.0, s2 = 0.0;
    for (uint64_t i = 0; i < frames; ++i) {
      const double x = h[i], y = q.b0 * x + s1;
      s1 = q.b1 * x - q.a1 * y + s2;
      s2 = q.b2 * x - q.a2 * y;
      h[i] = y;
    }
  }
  for (uint64_t i = 0; i < frames; ++i) total += fabs(h[i]);
  uint64_t ring = frames;
  for (uint64_t i = 0; i < frames; ++i) {
    sum += fabs(h[i]);
    if (total - sum < rest * total) {
      ring = i + 1;
      break;
    }
  }
  free(h);
  return ring;
}

static void ring_time_is_where_the_impulse_response_ends(void** state) {
  (void)state;
  for (int type = MR_PEAK; type <= MR_BESSEL; ++type)
    for (uint32_t order = 1; order <= 16; order += 5) {
      const MrCascade cascade = example((MrFilterType)type, MR_RESPONSE_LP, order, 48000.0);
      const uint64_t ring = mr_sections_ring_time(cascade.section, cascade.n, 1e-6, 1000000);
      const uint64_t expected = ring_by_hand(&cascade, 1e-6, 100000);
      assert_true(ring + 1 >= expected && ring <= expected + 1); /* the last digit of a sum of 1e-6 */
    }
  const MrCascade cascade = example(MR_BUTTERWORTH, MR_RESPONSE_LP, 8, 48000.0);
  const uint64_t ring = mr_sections_ring_time(cascade.section, cascade.n, 1e-6, 1000000);
  assert_true(ring > 100);
  assert_int_equal(mr_sections_ring_time(cascade.section, cascade.n, 1e-6, 100), 100);
  assert_int_equal(mr_sections_ring_time(cascade.section, cascade.n, 1e-6, 0), 0);
  assert_int_equal(mr_sections_ring_time(cascade.section, 0, 1e-6, 100), 0);
  assert_true(mr_sections_ring_time(cascade.section, cascade.n, 1e-3, 1000000) < ring);
}

static void ring_time_of_what_hardly_rings(void** state) {
  (void)state;
  const MrSection delay = {1.0, 1.0, 0.0, 0.0, -1.0}, through = {1.0, 1.0, 1.0, 0.0, 0.0}, silent = {1.0, 1.0, 0.0, 0.0, 0.0};
  const MrBiquad q = mr_section_to_biquad(&delay);
  assert_true(q.b0 == 0.0 && q.b1 == -1.0 && q.b2 == 1.0); /* two frames */
  assert_int_equal(mr_sections_ring_time(&delay, 1, 1e-6, 1000), 3);
  assert_int_equal(mr_sections_ring_time(&through, 1, 1e-6, 1000), 1);
  assert_int_equal(mr_sections_ring_time(&silent, 1, 1e-6, 100000), 0);
  MrSection many[1200];
  for (int k = 0; k < 1200; ++k) many[k] = through;
  assert_true(mr_sections_ring_time(many, 1200, 1e-6, 100000) <= 3); /* more than one run holds */
}

/* 20 Hz, Q 30 at 192 kHz: |z| = exp(-pi f / (Q fs)), so the rest of the sum falls by 1e-6 in about ln(1e6) Q fs / (pi f) frames. */
static void ring_time_of_a_long_ring(void** state) {
  (void)state;
  MrDesign d = mr_design_default(MR_LOWPASS);
  MrCascade cascade;
  d.fc = 20.0;
  d.width = 30.0;
  assert_int_equal(mr_design(&d, 192000.0, &cascade, NULL), MR_OK);
  const double expected = log(1e6) * 30.0 * 192000.0 / (pi * 20.0);
  const uint64_t ring = mr_sections_ring_time(cascade.section, cascade.n, 1e-6, UINT64_MAX);
  assert_true(fabs((double)ring - expected) < 0.02 * expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_response_is_that_of_the_coefficients),
                                     cmocka_unit_test(the_ends_are_exact),
                                     cmocka_unit_test(low_frequencies_keep_their_digits),
                                     cmocka_unit_test(a_long_cascade_neither_overflows_nor_underflows),
                                     cmocka_unit_test(ring_time_is_where_the_impulse_response_ends),
                                     cmocka_unit_test(ring_time_of_what_hardly_rings),
                                     cmocka_unit_test(ring_time_of_a_long_ring)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
