/* sin and cos of pi f / fs to the last bit or so.
   SPDX-License-Identifier: ISC */
#include "angle.h"

#include <math.h>
#include <stdbool.h>

static const double pi_low = 1.2246467991473532e-16; /* pi - MR_PI */

void mr_angle(double f, double fs, double* sine, double* cosine) {
  /* In the upper half the complement is exact (f and fs/2 are within a factor of two of each other), so nothing is lost at Nyquist. */
  const bool upper = f > 0.25 * fs;
  const double low = upper ? 0.5 * fs - f : f;
  const double ratio = low / fs;
  const double rest = fma(-ratio, fs, low) / fs; /* what the quotient lost */
  const double angle = ratio * MR_PI;
  const double error = fma(ratio, MR_PI, -angle) + (ratio * pi_low + rest * MR_PI);
  const double s = sin(angle), c = cos(angle);
  const double fine_s = s + error * c, fine_c = c - error * s;
  *sine = upper ? fine_c : fine_s;
  *cosine = upper ? fine_s : fine_c;
}

void mr_angle_fine(double f, double fs, long double* sine, long double* cosine) {
  const bool upper = f > 0.25 * fs;
  const long double angle = (upper ? 0.5L * fs - f : (long double)f) * MR_PI_FINE / fs;
  const long double s = sinl(angle), c = cosl(angle);
  *sine = upper ? c : s;
  *cosine = upper ? s : c;
}

double mr_prewarp(double f, double fs) {
  double s, c;
  mr_angle(f, fs, &s, &c);
  return s / c;
}

long double mr_prewarp_fine(double f, double fs) {
  long double s, c;
  mr_angle_fine(f, fs, &s, &c);
  return s / c;
}
