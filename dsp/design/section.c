/* One section: conversion, stability, and drafts of cascades.
   SPDX-License-Identifier: ISC */
#include "section.h"

#include <math.h>

bool mr_section_is_stable(const MrSection* section) {
  return section->s > 0.0 && section->P > 0.0 && (4.0 - section->s) - 2.0 * section->P > 0.0;
}

bool mr_section_is_finite(const MrSection* section) {
  return isfinite(section->s) && isfinite(section->P) && isfinite(section->D) && isfinite(section->e1) && isfinite(section->e2);
}

double mr_section_q(const MrSection* section) {
  const double top = (4.0 - section->s) - 2.0 * section->P;
  return sqrt(section->s * fmax(top, 0.0)) / (2.0 * section->P);
}

MrSection mr_section_inverse(const MrSection* section) {
  /* Monic zeros are s + e1/D and P + e2/D; the new differences are the old ones, negated. */
  MrSection inverse;
  inverse.s = section->s + section->e1 / section->D;
  inverse.P = section->P + section->e2 / section->D;
  inverse.D = 1.0 / section->D;
  inverse.e1 = (section->s - inverse.s) * inverse.D;
  inverse.e2 = (section->P - inverse.P) * inverse.D;
  return inverse;
}

/* a + b + c, rounded once or nearly: 1 + a1 + a2 of a low corner is what its coefficients lose first. */
static double sum_of_three(double a, double b, double c) {
  const double ab = a + b, b_part = ab - a;
  const double ab_error = (a - (ab - b_part)) + (b - b_part);
  const double abc = ab + c, c_part = abc - ab;
  const double abc_error = (ab - (abc - c_part)) + (c - c_part);
  return abc + (ab_error + abc_error);
}

MrStatus mr_section_from_coefficients(const double b[3], const double a[3], MrSection* section) {
  double largest_a = 0.0, largest_b = 0.0;
  for (int k = 0; k < 3; ++k) {
    if (!isfinite(b[k]) || !isfinite(a[k])) return MR_ERR_NOT_FINITE;
    largest_a = fmax(largest_a, fabs(a[k]));
    largest_b = fmax(largest_b, fabs(b[k]));
  }
  if (a[0] == 0.0) return MR_ERR_RANGE;
  /* Powers of two out of both sides, so that no sum overflows and none is subnormal. */
  int power_a = 0, power_b = 0;
  (void)frexp(largest_a, &power_a);
  (void)frexp(largest_b, &power_b);
  const double a0 = ldexp(a[0], -power_a), a1 = ldexp(a[1], -power_a), a2 = ldexp(a[2], -power_a);
  const double b0 = ldexp(b[0], -power_b), b1 = ldexp(b[1], -power_b), b2 = ldexp(b[2], -power_b);
  if (a0 == 0.0) return MR_ERR_UNSTABLE; /* so small beside the others that the poles are outside */

  MrSection c;
  c.s = sum_of_three(a0, a1, a2) / a0;
  c.P = (a0 - a2) / a0;
  const double d = b0 / a0;
  const double e1 = fma(-d, c.s, sum_of_three(b0, b1, b2) / a0);
  const double e2 = fma(-d, c.P, (b0 - b2) / a0);
  c.D = ldexp(d, power_b - power_a);
  c.e1 = ldexp(e1, power_b - power_a);
  c.e2 = ldexp(e2, power_b - power_a);
  if (!mr_section_is_stable(&c)) return MR_ERR_UNSTABLE;
  if (!mr_section_is_finite(&c)) return MR_ERR_NOT_FINITE;
  *section = c;
  return MR_OK;
}

MrBiquad mr_section_to_biquad(const MrSection* section) {
  const double sum = fma(section->D, section->s, section->e1);        /* b0 + b1 + b2 */
  const double difference = fma(section->D, section->P, section->e2); /* b0 - b2 */
  MrBiquad q;
  q.b0 = section->D;
  q.b1 = (sum - 2.0 * section->D) + difference;
  q.b2 = section->D - difference;
  q.a1 = section->s + (section->P - 2.0);
  q.a2 = 1.0 - section->P;
  return q;
}

/* ---------------------------------------------------------------- drafts */

static void scaled_multiply(MrScaled* gain, double factor) {
  int exponent;
  gain->mantissa = frexp(gain->mantissa * factor, &exponent);
  gain->exponent = gain->mantissa == 0.0 ? 0 : gain->exponent + exponent;
}

void mr_draft_start(MrDraft* draft) {
  draft->n = 0;
  draft->gain = (MrScaled){1.0, 0};
}

void mr_draft_gain(MrDraft* draft, double factor) { scaled_multiply(&draft->gain, factor); }

void mr_draft_section(MrDraft* draft, const MrSection* section) {
  MrSection c = *section;
  int exponent = 0;
  (void)frexp(fmax(fabs(c.D), fmax(fabs(c.e1), fabs(c.e2))), &exponent);
  c.D = ldexp(c.D, -exponent);
  c.e1 = ldexp(c.e1, -exponent);
  c.e2 = ldexp(c.e2, -exponent);
  draft->gain.exponent += exponent;
  if (fabs(c.D) < 1e-200) {
    c.D = 0.0; /* b0 = 0, or so far below the rest that no double sees it */
  } else {
    const bool zero_at_1 = c.e1 == -(c.D * c.s), symmetric = c.e2 == -(c.D * c.P);
    c.e1 = zero_at_1 ? -c.s : c.e1 / c.D;
    c.e2 = symmetric ? -c.P : c.e2 / c.D;
    scaled_multiply(&draft->gain, c.D);
    c.D = 1.0;
  }
  draft->section[draft->n++] = c;
}

void mr_draft_roots(MrDraft* draft, double s, double p, MrZeros zeros) {
  /* In the upper half of the spectrum the difference is taken from n, so that zeros near Nyquist keep their distance from it. */
  const double e1 = (double)(zeros.s > 2.0L ? ((4.0L - s) - zeros.n) - 2.0L * zeros.P : zeros.s - s);
  draft->section[draft->n++] = (MrSection){s, p, 1.0, e1, (double)(zeros.P - p)};
}
