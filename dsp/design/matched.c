/* Matched sections: magnitude of the analogue filter up to Nyquist.
   SPDX-License-Identifier: ISC */
#include "matched.h"

#include <math.h>

#include "angle.h"
#include "matched_fit.h"

/* A quadratic Q(x) >= 0 on 0..1 as |b0 + b1/z + b2/z^2|^2: its values that the section needs. ends = b0 + b1 + b2 at z = 1 and at z = -1
   times xs / ..., rise = (b0 - b2), all in one scale. */
typedef struct Root {
  double at_dc, at_nyquist, rise;
} Root;

static Root root_of(double xs, const MrQuadratic* f) {
  const double eta = xs * (f->r0 * f->r0 * xs - 2.0 * f->c * f->r0 + f->d1) + f->d2;
  const double top = sqrt(f->c * f->c + eta);
  const double shift = f->c + top > 0.0 ? eta / (f->c + top) : 0.0;
  double square = xs * (2.0 * f->r0 * f->r0 * xs + f->d1 + 2.0 * f->r0 * shift);
  const double noise = 1e-12 * xs * (f->r0 * f->r0 * xs + fabs(f->d1) + f->r0 * fabs(shift));
  if (square < 0.0 && square > -noise) square = 0.0;
  return (Root){xs * f->r0, top, sqrt(square)};
}

/* False where |H|^2 is not that of a stable section. */
static bool power_to_section(const MrPower* power, double gain, MrSection* c) {
  const Root d = root_of(power->xs, &power->d), n = root_of(power->xs, &power->n);
  const double sum = d.at_dc + d.at_nyquist + d.rise;
  c->s = 4.0 * d.at_dc / sum;
  c->P = 2.0 * d.rise / sum;
  c->D = gain * (n.at_dc + n.at_nyquist + n.rise) / sum;
  c->e1 = gain * 4.0 * n.at_dc / sum - c->D * c->s;
  c->e2 = gain * 2.0 * n.rise / sum - c->D * c->P;
  return d.at_nyquist > 0.0 && d.rise > 0.0 && mr_section_is_finite(c) && mr_section_is_stable(c);
}

/* a + lambda (b - a) of what the quadratics are (a.r0 = b.r0): convex, hence positive where both are. */
static MrQuadratic blend(const MrQuadratic* a, const MrQuadratic* b, double lambda) {
  return (MrQuadratic){a->r0, a->c, a->d1 + lambda * (b->d1 - a->d1 - 2.0 * a->r0 * (b->c - a->c)),
                       a->d2 + lambda * (b->d2 - a->d2 + b->c * b->c - a->c * a->c)};
}

static MrPower inverse(MrPower power) { return (MrPower){power.xs, power.d, power.n}; }

static MrSection second_order(MrFitKind kind, double nu0, double fs, double q, double a, bool invert, double gain, uint32_t* notes) {
  MrPower power = mr_matched_fit(kind, nu0, q, a, fmin(1.0, 48000.0 / fs));
  MrSection section;
  if ((kind == MR_FIT_HIGHPASS || kind == MR_FIT_HIGHSHELF) && q > 2.0) {
    /* Steep resonances near Nyquist ask for more than three parameters give: over to the base. */
    const double place = nu0 * (kind == MR_FIT_HIGHSHELF ? sqrt(a) : 1.0);
    const double lambda = mr_smooth_step(log2(0.5 * q)) * mr_smooth_step((place - 0.2) / 0.1);
    const MrPower base = mr_matched_base(kind, nu0, q, a);
    power.n = blend(&power.n, &base.n, lambda);
    power.d = blend(&power.d, &base.d, lambda);
  }
  if (invert) power = inverse(power);
  if (power_to_section(&power, gain, &section)) return section;
  *notes |= MR_NOTE_MATCHED_FALLBACK;
  power = mr_matched_base(kind, nu0, q, a);
  if (invert) power = inverse(power);
  (void)power_to_section(&power, gain, &section);
  return section;
}

/* (2 pi nu)^2 = x (4 + m x) / (1 + l1 x + l2 x^2) within 0.016 dB up to 0.4535 fs; a first-order |H|^2 is then a section's. */
static const double m2 = -3.36255957, l1 = -1.19585013, l2 = 0.26747083;

/* square + slope (2 pi nu)^2 / (2 pi nu0)^2, times the denominator above. */
static MrQuadratic first_order_quadratic(double square, double slope, double inverse_square, double xs) {
  return (MrQuadratic){sqrt(square), 0.0, xs * (square * l1 + slope * inverse_square * 4.0),
                       xs * xs * (square * l2 + slope * inverse_square * m2)};
}

static MrSection first_order(MrFilterType type, double nu0, double gain_db) {
  const double angle = 2.0 * MR_PI * nu0, i = 1.0 / (angle * angle), xs = fmin(1.0, angle * angle);
  const double g = pow(10.0, gain_db / 20.0);
  double n0 = 1.0, n1 = 0.0, d0 = 1.0, d1 = 1.0;
  switch (type) {
    case MR_HIGHPASS1:
      n0 = 0.0;
      n1 = 1.0;
      break;
    case MR_LOWSHELF1:
      n0 = g;
      n1 = 1.0;
      d0 = 1.0 / g;
      break;
    case MR_HIGHSHELF1:
      n1 = g;
      d1 = 1.0 / g;
      break;
    default:
      break; /* MR_LOWPASS1 */
  }
  const MrPower power = {xs, first_order_quadratic(n0, n1, i, xs), first_order_quadratic(d0, d1, i, xs)};
  MrSection section;
  (void)power_to_section(&power, 1.0, &section);
  return section;
}

MrSection mr_matched_lead(double zero, double pole, double fs) {
  const double zero_angle = 2.0 * MR_PI * zero / fs, pole_angle = 2.0 * MR_PI * pole / fs, xs = fmin(1.0, pole_angle * pole_angle);
  const MrPower power = {xs, first_order_quadratic(1.0, 1.0, 1.0 / (zero_angle * zero_angle), xs),
                         first_order_quadratic(1.0, 1.0, 1.0 / (pole_angle * pole_angle), xs)};
  MrSection section;
  (void)power_to_section(&power, 1.0, &section);
  return section;
}

/* Phase of the analogue all-pass at DC, at its lower -90 degrees and at f0 (up to 0.4 fs). */
static MrSection allpass(double nu0, double q) {
  const double n = fmin(nu0, 0.4), h = 0.5 / q, edge = n / (sqrt(1.0 + h * h) + h), r = edge / nu0;
  const double te = tan(MR_PI * edge), tf = tan(MR_PI * n) * nu0 / n, g2 = tf * tf;
  const double y = r / q * (g2 - te * te) / ((1.0 - r * r) * te), i = 1.0 / (1.0 + g2 + y);
  const double s = 4.0 * g2 * i, p = 2.0 * y * i;
  return (MrSection){s, p, 1.0 - p, s * p, -p * (2.0 - p)};
}

MrSection mr_matched(MrFilterType type, double f, double fs, double q, double gain_db, uint32_t* notes) {
  const double nu0 = f / fs, a = pow(10.0, fabs(gain_db) / 40.0);
  const bool cut = gain_db < 0.0;
  switch (type) {
    case MR_PEAK:
      return second_order(MR_FIT_BELL, nu0, fs, q, a, cut, 1.0, notes);
    case MR_LOWPASS:
      return second_order(MR_FIT_LOWPASS, nu0, fs, q, 1.0, false, 1.0, notes);
    case MR_HIGHPASS:
      return second_order(MR_FIT_HIGHPASS, nu0, fs, q, 1.0, false, 1.0, notes);
    case MR_BANDPASS:
      return second_order(MR_FIT_BANDPASS, nu0, fs, q, 1.0, false, 1.0, notes);
    case MR_NOTCH:
      return second_order(MR_FIT_NOTCH, nu0, fs, q, 1.0, false, 1.0, notes);
    case MR_HIGHSHELF:
      return second_order(MR_FIT_HIGHSHELF, nu0, fs, q, a, cut, 1.0, notes);
    case MR_LOWSHELF: /* the high shelf of the opposite gain, and all of it moved */
      return second_order(MR_FIT_HIGHSHELF, nu0, fs, q, a, !cut, pow(10.0, gain_db / 20.0), notes);
    case MR_ALLPASS:
      return allpass(nu0, q);
    default:
      return first_order(type, nu0, gain_db);
  }
}
