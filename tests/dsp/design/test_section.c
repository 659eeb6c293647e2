/* Sections: conversion from and to coefficients, stability, refusals.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/design/section.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka.h needs those above */
#include <cmocka.h>

#include "../../../dsp/design/angle.h"

static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 16777216.0;
}

static void a_section_runs_as_its_difference_equation(void** state) {
  (void)state;
  const double b[3] = {0.3, -0.2, 0.7}, a[3] = {2.0, -1.9, 1.1};
  MrSection c;
  assert_int_equal(mr_section_from_coefficients(b, a, &c), MR_OK);
  double w = 0.0, d = 0.0, x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0;
  unsigned seed = 7;
  for (int i = 0; i < 500; ++i) {
    const double x = uniform(&seed) - 0.5;
    const double direct = (b[0] * x + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2) / a[0];
    const double next = (x - c.P * d) + (d - c.s * w);
    const double settled = c.D * x + (c.e1 * w + c.e2 * d);
    w += next;
    d = next;
    assert_true(fabs(direct - settled) < 1e-14);
    x2 = x1, x1 = x, y2 = y1, y1 = direct;
  }
}

static void coefficients_come_back(void** state) {
  (void)state;
  unsigned seed = 1;
  int made = 0;
  for (int i = 0; i < 20000; ++i) {
    double b[3], a[3];
    for (int k = 0; k < 3; ++k) b[k] = 4.0 * uniform(&seed) - 2.0;
    a[0] = 3.0 * uniform(&seed) - 1.5;
    a[1] = a[0] * (4.0 * uniform(&seed) - 2.0);
    a[2] = a[0] * (2.0 * uniform(&seed) - 1.0);
    MrSection c;
    const bool inside = fabs(a[2] / a[0]) < 0.9999 && fabs(a[1] / a[0]) < 0.9999 + a[2] / a[0];
    const MrStatus status = mr_section_from_coefficients(b, a, &c);
    if (!inside) continue;
    assert_int_equal(status, MR_OK);
    const MrBiquad q = mr_section_to_biquad(&c);
    const double scale = (fabs(b[0]) + fabs(b[1]) + fabs(b[2])) / fabs(a[0]);
    assert_true(fabs(q.b0 - b[0] / a[0]) <= 1e-15 * scale);
    assert_true(fabs(q.b1 - b[1] / a[0]) <= 4e-15 * scale);
    assert_true(fabs(q.b2 - b[2] / a[0]) <= 4e-15 * scale);
    assert_true(fabs(q.a1 - a[1] / a[0]) <= 2e-15);
    assert_true(fabs(q.a2 - a[2] / a[0]) <= 1e-15);
    ++made;
  }
  assert_true(made > 5000);
}

static void a_low_corner_keeps_the_digits_of_its_coefficients(void** state) {
  (void)state;
  /* 1 + a1 + a2 of these doubles is exactly 2^-46 + 2^-50, which plain addition in the wrong order would round. */
  const double b[3] = {1.0, -2.0, 1.0}, a[3] = {1.0, -2.0 + ldexp(1.0, -30), 1.0 - ldexp(1.0, -30) + ldexp(1.0, -46) + ldexp(1.0, -50)};
  MrSection c;
  assert_int_equal(mr_section_from_coefficients(b, a, &c), MR_OK);
  assert_true(c.s == ldexp(1.0, -46) + ldexp(1.0, -50));
  assert_true(c.e1 == -c.s); /* both zeros at z = 1, exactly */
  assert_true(c.e2 == -c.P);
}

/* Promise 5. */
static void any_a0_but_zero_is_divided_out(void** state) {
  (void)state;
  const double b[3] = {1.0, 0.5, 0.25}, a[3] = {1.0, -0.5, 0.25};
  MrSection one, other;
  assert_int_equal(mr_section_from_coefficients(b, a, &one), MR_OK);
  const double factors[] = {-4.0, 0.125, 0x1p600, 0x1p-600, -0x1p1000};
  for (size_t k = 0; k < sizeof factors / sizeof *factors; ++k) {
    double fb[3], fa[3];
    for (int i = 0; i < 3; ++i) {
      fb[i] = b[i] * factors[k];
      fa[i] = a[i] * factors[k];
    }
    assert_int_equal(mr_section_from_coefficients(fb, fa, &other), MR_OK);
    assert_memory_equal(&one, &other, sizeof one);
  }
}

/* Promise 5. */
static void sections_that_cannot_be_are_refused(void** state) {
  (void)state;
  const double b[3] = {1.0, 0.0, 0.0};
  MrSection c = {9.0, 9.0, 9.0, 9.0, 9.0};
  const struct {
    double a[3];
    MrStatus status;
  } cases[] = {{{0.0, 1.0, 0.5}, MR_ERR_RANGE},          {{1.0, -2.0, 1.0}, MR_ERR_UNSTABLE},     {{1.0, 0.0, 1.0}, MR_ERR_UNSTABLE},
               {{1.0, 0.0, -1.0}, MR_ERR_UNSTABLE},      {{1.0, 2.5, 1.2}, MR_ERR_UNSTABLE},      {{1.0, -1.0, 0.0}, MR_ERR_UNSTABLE},
               {{1.0, 1.0, 0.0}, MR_ERR_UNSTABLE},       {{1e-300, 1.0, 1e300}, MR_ERR_UNSTABLE}, {{1.0, NAN, 0.5}, MR_ERR_NOT_FINITE},
               {{INFINITY, 1.0, 0.5}, MR_ERR_NOT_FINITE}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    assert_int_equal(mr_section_from_coefficients(b, cases[k].a, &c), cases[k].status);
    assert_true(c.s == 9.0); /* untouched */
  }
  const double a[3] = {1.0, -0.5, 0.0}, infinite[3] = {1.0, INFINITY, 0.0};
  assert_int_equal(mr_section_from_coefficients(infinite, a, &c), MR_ERR_NOT_FINITE);
}

static void first_order_keeps_b2_and_a2_at_zero(void** state) {
  (void)state;
  unsigned seed = 3;
  for (int i = 0; i < 1000; ++i) {
    const double b[3] = {uniform(&seed), uniform(&seed) - 0.5, 0.0}, a[3] = {1.0 + uniform(&seed), uniform(&seed) - 0.5, 0.0};
    MrSection c;
    assert_int_equal(mr_section_from_coefficients(b, a, &c), MR_OK);
    assert_true(c.P == 1.0 && c.e2 == 0.0);
    const MrBiquad q = mr_section_to_biquad(&c);
    assert_true(q.b2 == 0.0 && q.a2 == 0.0);
  }
}

static void angles_are_exact_at_the_ends(void** state) {
  (void)state;
  double s, c;
  mr_angle(0.0, 44100.0, &s, &c);
  assert_true(s == 0.0 && c == 1.0);
  mr_angle(22050.0, 44100.0, &s, &c);
  assert_true(s == 1.0 && c == 0.0);
  mr_angle(22049.999, 44100.0, &s, &c); /* cos(pi f / fs) = sin(pi 0.001 / 44100) */
  const long double distance = 22050.0L - (long double)22049.999;
  assert_true(fabsl(c - sinl(3.14159265358979323846264338L * distance / 44100.0L)) < 1e-16L * c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_section_runs_as_its_difference_equation),
                                     cmocka_unit_test(coefficients_come_back),
                                     cmocka_unit_test(a_low_corner_keeps_the_digits_of_its_coefficients),
                                     cmocka_unit_test(any_a0_but_zero_is_divided_out),
                                     cmocka_unit_test(sections_that_cannot_be_are_refused),
                                     cmocka_unit_test(first_order_keeps_b2_and_a2_at_zero),
                                     cmocka_unit_test(angles_are_exact_at_the_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
