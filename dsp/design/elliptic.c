/* The elliptic (Cauer) low-pass prototype.
   SPDX-License-Identifier: ISC

   Source: the degree equation N K'/K = K1'/K1 and poles and zeros by Jacobi's functions (Daniels, Approximation Methods for Electronic
   Filter Design, 1974; Orfanidis, Lecture Notes on Elliptic Filter Design, 2006). Everything is computed from the ratio r = K'/K with
   theta functions as infinite products: all factors are positive, so that even the real parts of poles of Q 1e6 keep their relative
   precision, and no modulus near 1 is ever formed and subtracted from 1. */
#include <math.h>

#include "angle.h"
#include "prototype.h"

enum { FACTORS = 8 }; /* nome e^-pi or below: e^(-2 pi 7) is below 2^-60 */

typedef struct Jacobi {
  double sn, cn, dn;
} Jacobi;

/* Arithmetic-geometric mean, 0 < b <= a. */
static double agm(double a, double b) {
  for (int k = 0; k < 64 && a - b > 4e-16 * a; ++k) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 0.5 * (a + b);
}

/* F(phi, m') / K(m') for tan(phi) = t > 0, where the complementary modulus of m' is k: Landen's descending transform on angles. */
static double incomplete_fraction(double t, double k) {
  double a = 1.0, b = k, phi = atan(t), scale = 1.0;
  for (int n = 0; n < 64 && a - b > 4e-16 * a; ++n) {
    /* phi' = phi + atan(b/a tan phi) on the branch nearest to phi */
    const double turns = floor(phi / MR_PI + 0.5);
    phi += atan(b / a * tan(phi)) + turns * MR_PI;
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
    scale *= 2.0;
  }
  return phi / scale / (0.5 * MR_PI);
}

/* sn, cn and dn of (fraction K) for the modulus whose K'/K is r; fraction from 0 to 1. A nome of e^-pi or below is used: that of the
   modulus, or by Jacobi's imaginary transform that of its complement. */
static Jacobi jacobi(double fraction, double r) {
  const double other = 1.0 - fraction;
  if (r >= 1.0) {
    const double q = exp(-MR_PI * r);
    const double s = sin(0.5 * MR_PI * fraction), c = sin(0.5 * MR_PI * other), s2 = s * s, c2 = c * c;
    double sn = s, cn = c, dn = 1.0, even = q * q, odd = q;
    for (int n = 0; n < FACTORS; ++n) {
      /* 1 - 2 x cos 2z + x^2 = (1 - x)^2 + 4 x sin^2 z, and with + likewise */
      const double t1 = (1.0 - even) * (1.0 - even) + 4.0 * even * s2, t2 = (1.0 - even) * (1.0 - even) + 4.0 * even * c2;
      const double t3 = (1.0 - odd) * (1.0 - odd) + 4.0 * odd * c2, t4 = (1.0 - odd) * (1.0 - odd) + 4.0 * odd * s2;
      const double e = 1.0 + even, o = 1.0 + odd, m = 1.0 - odd;
      sn *= t1 / t4 * (o * o) / (e * e);
      cn *= t2 / t4 * (m * m) / (e * e);
      dn *= t3 / t4 * (m * m) / (o * o);
      even *= q * q;
      odd *= q * q;
    }
    return (Jacobi){sn, cn, dn};
  }
  /* With nome e^(-pi / r) and the argument j y: theta products with e^(2y) and e^(-2y); x = e^(-n pi / r) < e^(-2y) always. */
  const double step = MR_PI / r, y2 = step * fraction;
  double sn = tanh(0.5 * y2), cn = 1.0 / cosh(0.5 * y2), dn = cn;
  for (int n = 1; n <= FACTORS; ++n) {
    const double even = exp(-2.0 * n * step), odd = exp(-(2.0 * n - 1.0) * step);
    const double even_up = exp(y2 - 2.0 * n * step), even_down = exp(-y2 - 2.0 * n * step);
    const double odd_down = exp(-y2 - (2.0 * n - 1.0) * step), gap = (2.0 * n - 2.0 + other) * step, odd_up = exp(-gap);
    const double t2 = (1.0 + even_up) * (1.0 + even_down);
    const double e = 1.0 + even, o = 1.0 + odd, m = 1.0 - odd;
    sn *= (1.0 - even_up) * (1.0 - even_down) / t2 * (o * o) / (m * m);
    cn *= -expm1(-gap) * (1.0 - odd_down) / t2 * (e * e) / (m * m);
    dn *= (1.0 + odd_up) * (1.0 + odd_down) / t2 * (e * e) / (o * o);
  }
  return (Jacobi){sn, cn, dn};
}

/* The modulus whose K'/K is r. */
static double modulus(double r) {
  const double q = exp(-MR_PI * (r >= 1.0 ? r : 1.0 / r));
  double root = r >= 1.0 ? 2.0 * exp(-0.25 * MR_PI * r) : 1.0, even = q * q, odd = q;
  for (int n = 0; n < FACTORS; ++n) {
    const double f = r >= 1.0 ? (1.0 + even) / (1.0 + odd) : (1.0 - odd) / (1.0 + odd);
    root *= f * f;
    even *= q * q;
    odd *= q * q;
  }
  return root * root;
}

void mr_prototype_elliptic(uint32_t order, double ripple_db, double stop_db, MrLowpass* lowpass) {
  const double e2 = mr_excess_power(ripple_db);
  const double k1 = sqrt(e2 / mr_excess_power(stop_db));
  const double r1 = agm(1.0, sqrt((1.0 - k1) * (1.0 + k1))) / agm(1.0, k1); /* K1'/K1 */
  const double r = r1 / order, k = modulus(r);
  /* sn(j v) = j / e; v as a fraction of K' of the second pair of moduli equals that of the first */
  const Jacobi v = jacobi(incomplete_fraction(1.0 / sqrt(e2), k1), 1.0 / r);

  *lowpass = (MrLowpass){.pairs = order / 2, .real = order % 2 == 1};
  lowpass->gain = lowpass->real ? 1.0 : 1.0 / sqrt(1.0 + e2);
  lowpass->real_pole = -v.sn / v.cn; /* j sn(j v) */
  for (uint32_t i = 0; i < lowpass->pairs; ++i) {
    const Jacobi u = jacobi((double)(order - 2 * i - 1) / order, r);
    const double below = v.cn * v.cn + (k * u.sn * v.sn) * (k * u.sn * v.sn);
    lowpass->pole[i] = (MrComplex){-u.cn * u.dn * v.sn * v.cn / below, u.sn * v.dn / below};
    lowpass->zero[i] = 1.0 / (k * u.sn);
  }
}
