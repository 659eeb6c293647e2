/* Magnitude, phase and group delay of sections.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "angle.h"
#include "section.h"

/* z times a numerator or denominator D d^2 + (B d + A) / z with d = 1 - 1/z: with x = sin^2(w/2), real part A - 4 x D + 2 x B and
   imaginary part B sin w. Near a root the real part is a difference of two close numbers and exact. */
typedef struct Factor {
  double re, im, re_slope, im_slope; /* slopes by w */
} Factor;

static Factor factor_at(double a, double b, double d, double x, double sin_w, double cos_w) {
  return (Factor){(a - 4.0 * x * d) + 2.0 * x * b, b * sin_w, (b - 2.0 * d) * sin_w, b * cos_w};
}

/* Slope of the phase; 0 exactly on a zero, where the phase jumps. */
static double phase_slope(const Factor* f) {
  const double size = f->re * f->re + f->im * f->im;
  return size > 0.0 ? (f->re * f->im_slope - f->im * f->re_slope) / size : 0.0;
}

MrPoint mr_sections_response(const MrSection* sections, size_t n, double gain, double fs, double f) {
  double sine, cosine;
  mr_angle(f, fs, &sine, &cosine);
  const double x = sine * sine, sin_w = 2.0 * sine * cosine, cos_w = (cosine - sine) * (cosine + sine);
  double re = gain, im = 0.0, delay = 0.0;
  long exponent = 0;
  for (size_t k = 0; k < n; ++k) {
    const MrSection* c = &sections[k];
    const Factor num = factor_at(fma(c->D, c->s, c->e1), fma(c->D, c->P, c->e2), c->D, x, sin_w, cos_w);
    const Factor den = factor_at(c->s, c->P, 1.0, x, sin_w, cos_w);
    const double size = den.re * den.re + den.im * den.im;
    const double hr = (num.re * den.re + num.im * den.im) / size, hi = (num.im * den.re - num.re * den.im) / size;
    const double next_re = re * hr - im * hi, next_im = re * hi + im * hr;
    int power = 0; /* a cascade of order 64 leaves the range of a double well before it is silent */
    (void)frexp(fmax(fabs(next_re), fabs(next_im)), &power);
    re = ldexp(next_re, -power);
    im = ldexp(next_im, -power);
    exponent += power;
    delay += phase_slope(&den) - phase_slope(&num);
  }
  MrPoint point;
  point.magnitude_db = 20.0 * log10(hypot(re, im)) + (double)exponent * 6.0205999132796239; /* 20 log10(2) */
  point.phase = atan2(im, re);
  point.group_delay = delay / fs;
  return point;
}

MrPoint mr_cascade_response(const MrCascade* cascade, double fs, double f) {
  return mr_sections_response(cascade->section, cascade->n, cascade->gain, fs, f);
}
