/* From analogue to digital: the bilinear transform, and low-pass prototypes as LP, HP, BP, BS and AP.
   SPDX-License-Identifier: ISC */
#include "transform.h"

#include <math.h>

#include "angle.h"

/* The poles of S^2 + d1 S + d0, or of S + d0. */
typedef struct Poles {
  double s, P, scale; /* scale: 1 / (1 + d1 + d0), what the leading coefficient becomes */
} Poles;

static Poles second_order(double d1, double d0) {
  const double i = 1.0 / (1.0 + d1 + d0);
  Poles p = {4.0 * d0 * i, 2.0 * d1 * i, i};
  if (d0 > 1.0) {
    /* In the upper half of the spectrum it is 4 - s - 2 P = 4 i that places the resonance. P takes up what rounding s did to that (4 - s is
       exact here): a change of the damping by 2^-53 / P, where the frequency would have changed by 2^-53 / (4 i). */
    const double fitted = 0.5 * ((4.0 - p.s) - 4.0 * i);
    if (fabs(fitted - p.P) < 1e-8 * p.P) p.P = fitted;
  }
  return p;
}

static Poles first_order(double d0) {
  const double i = 1.0 / (1.0 + d0);
  return (Poles){2.0 * d0 * i, 1.0, i};
}

MrSection mr_bilinear(const MrAnalogueSection* a) {
  MrSection c;
  if (a->first) {
    const Poles p = first_order(a->d0);
    c.s = p.s;
    c.P = 1.0;
    c.D = (a->n1 + a->n0) * p.scale;
    c.e1 = 2.0 * a->n0 * p.scale - c.D * c.s;
    c.e2 = 0.0;
  } else {
    const Poles p = second_order(a->d1, a->d0);
    c.s = p.s;
    c.P = p.P;
    c.D = (a->n2 + a->n1 + a->n0) * p.scale;
    c.e1 = 4.0 * a->n0 * p.scale - c.D * c.s;
    c.e2 = 2.0 * a->n1 * p.scale - c.D * c.P;
  }
  return c;
}

/* Zeros that sections have. */
static const MrZeros at_dc = {0.0, 4.0, 0.0}, at_nyquist = {4.0, 0.0, 0.0}, at_both = {0.0, 0.0, 2.0};
static const MrZeros one_at_dc = {0.0, 2.0, 1.0}, one_at_nyquist = {2.0, 0.0, 1.0};

/* A pair on the unit circle, at S = +-j w. */
static MrZeros zeros_at(long double w) {
  const long double i = 4.0L / (1.0L + w * w);
  return (MrZeros){w * w * i, i, 0.0L};
}

/* The pole pair of a prototype as S^2 + d1 S + d0 at the corner g. */
static Poles pair_lowpass(MrComplex p, double g) { return second_order(-2.0 * p.re * g, (p.re * p.re + p.im * p.im) * (g * g)); }

static Poles pair_highpass(MrComplex p, double g) {
  const double size2 = p.re * p.re + p.im * p.im;
  return second_order(-2.0 * p.re * g / size2, g * g / size2);
}

void mr_transform_lowpass(const MrLowpass* lowpass, long double fine_g, MrDraft* draft) {
  const double g = (double)fine_g;
  mr_draft_gain(draft, lowpass->gain);
  for (uint32_t k = 0; k < lowpass->pairs; ++k) {
    const Poles p = pair_lowpass(lowpass->pole[k], g);
    const long double z = lowpass->zero[k] * fine_g;
    if (z == 0.0L) {
      mr_draft_gain(draft, 0.25 * p.s);
      mr_draft_roots(draft, p.s, p.P, at_nyquist);
    } else {
      mr_draft_gain(draft, (double)(0.25L * p.s * (1.0L + 1.0L / (z * z))));
      mr_draft_roots(draft, p.s, p.P, zeros_at(z));
    }
  }
  if (lowpass->real) {
    const Poles p = first_order(-lowpass->real_pole * g);
    mr_draft_gain(draft, 0.5 * p.s);
    mr_draft_roots(draft, p.s, 1.0, one_at_nyquist);
  }
}

void mr_transform_highpass(const MrLowpass* lowpass, long double fine_g, MrDraft* draft) {
  const double g = (double)fine_g;
  mr_draft_gain(draft, lowpass->gain);
  for (uint32_t k = 0; k < lowpass->pairs; ++k) {
    const Poles p = pair_highpass(lowpass->pole[k], g);
    const long double z = lowpass->zero[k] == 0.0L ? 0.0L : fine_g / lowpass->zero[k];
    mr_draft_gain(draft, (double)(p.scale * (1.0L + z * z)));
    mr_draft_roots(draft, p.s, p.P, zeros_at(z));
  }
  if (lowpass->real) {
    const Poles p = first_order(-g / lowpass->real_pole);
    mr_draft_gain(draft, p.scale);
    mr_draft_roots(draft, p.s, 1.0, one_at_dc);
  }
}

void mr_transform_allpass(const MrLowpass* lowpass, double g, MrDraft* draft) {
  for (uint32_t k = 0; k < lowpass->pairs; ++k) {
    const MrComplex p = lowpass->pole[k];
    const double d1 = -2.0 * p.re * g, d0 = (p.re * p.re + p.im * p.im) * (g * g);
    const MrSection c = mr_bilinear(&(MrAnalogueSection){false, 1.0, -d1, d0, d1, d0});
    mr_draft_section(draft, &c);
  }
  if (lowpass->real) {
    const double d0 = -lowpass->real_pole * g;
    const MrSection c = mr_bilinear(&(MrAnalogueSection){true, 0.0, -1.0, d0, 0.0, d0});
    mr_draft_section(draft, &c);
  }
}

MrSection mr_transform_pole(MrComplex pole, bool highpass, double g) {
  const double size = pole.re * pole.re + pole.im * pole.im;
  Poles p;
  MrSection c = {.e2 = 0.0};
  if (pole.im == 0.0) {
    p = first_order(highpass ? -g / pole.re : -pole.re * g);
    c.D = highpass ? p.scale : 0.5 * p.s;
  } else {
    p = highpass ? second_order(-2.0 * pole.re * g / size, g * g / size) : second_order(-2.0 * pole.re * g, size * (g * g));
    c.D = highpass ? p.scale : 0.25 * p.s;
    c.e2 = -(c.D * p.P);
  }
  c.s = p.s;
  c.P = p.P;
  c.e1 = highpass ? -(c.D * c.s) : c.s - c.D * c.s;
  return c;
}

/* ------------------------------------------------- band-pass and band-stop */

/* The band: centre w0 = sqrt(g1 g2), width B = g2 - g1 and beta = B / w0, each from what it does not cancel in. */
typedef struct Band {
  long double w0, width, beta;
} Band;

static Band make_band(double fc, double fc2, double fs) {
  long double s1, c1, s2, c2, sd, cd;
  mr_angle_fine(fc, fs, &s1, &c1);
  mr_angle_fine(fc2, fs, &s2, &c2);
  mr_angle_fine(fc2 - fc, fs, &sd, &cd);
  Band band;
  band.w0 = sqrtl(s1 * s2 / (c1 * c2));
  band.width = sd / (c1 * c2); /* tan b - tan a = sin(b - a) / (cos a cos b) */
  band.beta = band.width / band.w0;
  return band;
}

/* S + w0^2/S = B p has for a pair p two pairs of roots, of frequencies w0 k and w0 / k and of equal damping d = 1/Q (Geffe, 1969). With
   q = beta p, k + 1/k = a and k - 1/k = m are the semi-axes of the ellipse through q whose foci are +-2. */
typedef struct Split {
  long double k, d;
} Split;

static Split split(long double re, long double im) {
  const long double size = re * re + im * im;
  const long double near = hypotl(2.0L + re, im), far = hypotl(2.0L - re, im); /* re <= 0: the focus -2 is the near one */
  const long double product = near * far;
  const long double a = sqrtl(0.5L * (size + 4.0L + product));
  const long double m2 = size >= 4.0L ? 0.5L * ((size - 4.0L) + product) : 8.0L * im * im / (product + (4.0L - size));
  return (Split){0.5L * (a + sqrtl(m2)), -2.0L * re / a};
}

void mr_transform_bandpass(const MrLowpass* lowpass, double fc, double fc2, double fs, MrDraft* draft) {
  const Band band = make_band(fc, fc2, fs);
  mr_draft_gain(draft, lowpass->gain);
  for (uint32_t i = 0; i < lowpass->pairs; ++i) {
    const MrComplex p = lowpass->pole[i];
    const Split poles = split(band.beta * p.re, band.beta * p.im);
    const double high = (double)(band.w0 * poles.k), low = (double)(band.w0 / poles.k), size2 = p.re * p.re + p.im * p.im;
    const Poles upper = second_order((double)poles.d * high, high * high), lower = second_order((double)poles.d * low, low * low);
    mr_draft_gain(draft, upper.scale);
    mr_draft_gain(draft, lower.scale);
    if (lowpass->zero[i] == 0.0L) { /* S^2 B^2: a high-pass at the lower edge and a low-pass at the upper one */
      mr_draft_gain(draft, (double)(size2 * band.width * band.width));
      mr_draft_roots(draft, lower.s, lower.P, at_dc);
      mr_draft_roots(draft, upper.s, upper.P, at_nyquist);
    } else {
      const Split zeros = split(0.0L, band.beta * lowpass->zero[i]);
      const long double high_zero = band.w0 * zeros.k, low_zero = band.w0 / zeros.k;
      mr_draft_gain(draft, (double)(size2 / (lowpass->zero[i] * lowpass->zero[i])));
      mr_draft_gain(draft, (double)(1.0L + high_zero * high_zero));
      mr_draft_gain(draft, (double)(1.0L + low_zero * low_zero));
      mr_draft_roots(draft, lower.s, lower.P, zeros_at(low_zero));
      mr_draft_roots(draft, upper.s, upper.P, zeros_at(high_zero));
    }
  }
  if (lowpass->real) {
    const Poles p = second_order((double)(-lowpass->real_pole * band.width), (double)(band.w0 * band.w0));
    mr_draft_gain(draft, 0.5 * p.P);
    mr_draft_roots(draft, p.s, p.P, at_both);
  }
}

void mr_transform_bandstop(const MrLowpass* lowpass, double fc, double fc2, double fs, MrDraft* draft) {
  const Band band = make_band(fc, fc2, fs);
  const double centre2 = (double)(band.w0 * band.w0);
  mr_draft_gain(draft, lowpass->gain);
  for (uint32_t i = 0; i < lowpass->pairs; ++i) {
    const MrComplex p = lowpass->pole[i];
    const double size2 = p.re * p.re + p.im * p.im;
    const Split poles = split(band.beta * p.re / size2, band.beta * p.im / size2);
    const double high = (double)(band.w0 * poles.k), low = (double)(band.w0 / poles.k);
    const Poles upper = second_order((double)poles.d * high, high * high), lower = second_order((double)poles.d * low, low * low);
    long double high_zero = band.w0, low_zero = high_zero;
    if (lowpass->zero[i] != 0.0L) {
      const Split zeros = split(0.0L, band.beta / lowpass->zero[i]);
      high_zero = band.w0 * zeros.k;
      low_zero = band.w0 / zeros.k;
    }
    mr_draft_gain(draft, (double)(upper.scale * (1.0L + high_zero * high_zero)));
    mr_draft_gain(draft, (double)(lower.scale * (1.0L + low_zero * low_zero)));
    mr_draft_roots(draft, lower.s, lower.P, zeros_at(low_zero));
    mr_draft_roots(draft, upper.s, upper.P, zeros_at(high_zero));
  }
  if (lowpass->real) {
    const Poles p = second_order((double)(-band.width / lowpass->real_pole), centre2);
    mr_draft_gain(draft, p.scale * (1.0 + centre2));
    mr_draft_roots(draft, p.s, p.P, zeros_at(band.w0));
  }
}
