/* Magnitude, phase and group delay of sections.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "angle.h"
#include "section.h"

/* The point on the unit circle. x = sin^2(w/2) and y = cos^2(w/2). */
typedef struct Place {
  double x, y, sin_w, cos_w;
} Place;

/* z times a numerator or denominator D d^2 + (B d + A) / z with d = 1 - 1/z, and its slopes by w. */
typedef struct Factor {
  double re, im, re_slope, im_slope;
} Factor;

/* The imaginary part is B sin w, the real part A - (4 D - 2 B) x = (4 D - 2 B) y - N with N = 4 D - A - 2 B: the first near z = 1, the second
   near z = -1. Near a root either is an exact difference of close numbers. */
static Factor factor_at(double a, double b, double n, double d, const Place* at) {
  const double swing = 4.0 * d - 2.0 * b;
  const double re = at->x <= 0.5 ? a - swing * at->x : swing * at->y - n;
  return (Factor){re, b * at->sin_w, -0.5 * swing * at->sin_w, b * at->cos_w};
}

/* Slope of the phase; 0 exactly on a zero, where the phase jumps. */
static double phase_slope(const Factor* f) {
  const double size = f->re * f->re + f->im * f->im;
  return size > 0.0 ? (f->re * f->im_slope - f->im * f->re_slope) / size : 0.0;
}

MrPoint mr_sections_response(const MrSection* sections, size_t n, double gain, double fs, double f) {
  double sine, cosine;
  mr_angle(f, fs, &sine, &cosine);
  const Place at = {sine * sine, cosine * cosine, 2.0 * sine * cosine, (cosine - sine) * (cosine + sine)};
  double re = gain, im = 0.0, delay = 0.0;
  long exponent = 0;
  for (size_t k = 0; k < n; ++k) {
    const MrSection* c = &sections[k];
    const double pole_n = (4.0 - c->s) - 2.0 * c->P;
    const double zero_n = fma(c->D, pole_n, -c->e1) - 2.0 * c->e2;
    const Factor num = factor_at(fma(c->D, c->s, c->e1), fma(c->D, c->P, c->e2), zero_n, c->D, &at);
    const Factor den = factor_at(c->s, c->P, pole_n, 1.0, &at);
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
