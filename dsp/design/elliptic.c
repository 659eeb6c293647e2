/* The elliptic (Cauer) low-pass prototype.
   SPDX-License-Identifier: ISC

   Source: the degree equation N K'/K = K1'/K1 and poles and zeros by Jacobi's functions (Daniels, Approximation Methods for Electronic
   Filter Design, 1974; Orfanidis, Lecture Notes on Elliptic Filter Design, 2006). Everything is computed from the ratio r = K'/K with
   theta functions as infinite products: all factors are positive, so that even the real parts of poles of Q 1e6 keep their relative
   precision, and no modulus near 1 is ever formed and subtracted from 1. In long double for the zeros' sake, see mr_angle_fine(). */
#include <float.h>
#include <math.h>

#include "angle.h"
#include "prototype.h"

/* Factors 1 + x of the products with x below this change nothing. With nomes of e^-pi or below at most 8 are taken. */
#define NOTHING     1e-20L
#define LOG_NOTHING 46.0L /* rounded down */

typedef struct Jacobi {
  long double sn, cn, dn;
} Jacobi;

/* Arithmetic-geometric mean, 0 < b <= a. */
static long double agm(long double a, long double b) {
  for (int k = 0; k < 64 && a - b > 4.0L * LDBL_EPSILON * a; ++k) {
    const long double mean = 0.5L * (a + b);
    b = sqrtl(a * b);
    a = mean;
  }
  return 0.5L * (a + b);
}

/* F(phi, m') / K(m') for tan(phi) = t > 0, where the complementary modulus of m' is k: Landen's descending transform on angles. */
static long double incomplete_fraction(long double t, long double k) {
  long double a = 1.0L, b = k, phi = atanl(t), scale = 1.0L;
  for (int n = 0; n < 64 && a - b > 4.0L * LDBL_EPSILON * a; ++n) {
    /* phi' = phi + atan(b/a tan phi) on the branch nearest to phi */
    const long double turns = floorl(phi / MR_PI_FINE + 0.5L);
    phi += atanl(b / a * tanl(phi)) + turns * MR_PI_FINE;
    const long double mean = 0.5L * (a + b);
    b = sqrtl(a * b);
    a = mean;
    scale *= 2.0L;
  }
  return phi / scale / (0.5L * MR_PI_FINE);
}

/* sn, cn and dn of (fraction K) for the modulus whose K'/K is r; fraction from 0 to 1. A nome of e^-pi or below is used: that of the
   modulus, or by Jacobi's imaginary transform that of its complement. */
static Jacobi jacobi(long double fraction, long double r) {
  const long double other = 1.0L - fraction;
  if (r >= 1.0L) {
    const long double q = expl(-MR_PI_FINE * r);
    const long double s = sinl(0.5L * MR_PI_FINE * fraction), c = sinl(0.5L * MR_PI_FINE * other), s2 = s * s, c2 = c * c;
    long double sn = s, cn = c, dn = 1.0L, even = q * q, odd = q;
    while (odd > NOTHING) {
      /* 1 - 2 x cos 2z + x^2 = (1 - x)^2 + 4 x sin^2 z, and with + likewise */
      const long double t1 = (1.0L - even) * (1.0L - even) + 4.0L * even * s2, t2 = (1.0L - even) * (1.0L - even) + 4.0L * even * c2;
      const long double t3 = (1.0L - odd) * (1.0L - odd) + 4.0L * odd * c2, t4 = (1.0L - odd) * (1.0L - odd) + 4.0L * odd * s2;
      const long double e = 1.0L + even, o = 1.0L + odd, m = 1.0L - odd;
      sn *= t1 * (o * o) / (t4 * (e * e));
      cn *= t2 * (m * m) / (t4 * (e * e));
      dn *= t3 * (m * m) / (t4 * (o * o));
      even *= q * q;
      odd *= q * q;
    }
    return (Jacobi){sn, cn, dn};
  }
  /* With nome e^(-pi / r) and the argument j y: theta products with e^(2y) and e^(-2y); x = e^(-n pi / r) < e^(-2y) always. */
  const long double step = MR_PI_FINE / r, y2 = step * fraction;
  long double sn = tanhl(0.5L * y2), cn = 1.0L / coshl(0.5L * y2), dn = cn;
  for (int n = 1; (2 * n - 2) * step < LOG_NOTHING; ++n) {
    const long double even = expl(-2.0L * n * step), odd = expl(-(2.0L * n - 1.0L) * step);
    const long double even_up = expl(y2 - 2.0L * n * step), even_down = expl(-y2 - 2.0L * n * step);
    const long double odd_down = expl(-y2 - (2.0L * n - 1.0L) * step), gap = (2.0L * n - 2.0L + other) * step, odd_up = expl(-gap);
    const long double t2 = (1.0L + even_up) * (1.0L + even_down);
    const long double e = 1.0L + even, o = 1.0L + odd, m = 1.0L - odd;
    sn *= (1.0L - even_up) * (1.0L - even_down) * (o * o) / (t2 * (m * m));
    cn *= -expm1l(-gap) * (1.0L - odd_down) * (e * e) / (t2 * (m * m));
    dn *= (1.0L + odd_up) * (1.0L + odd_down) * (e * e) / (t2 * (o * o));
  }
  return (Jacobi){sn, cn, dn};
}

/* The modulus whose K'/K is r. */
static long double modulus(long double r) {
  const long double q = expl(-MR_PI_FINE * (r >= 1.0L ? r : 1.0L / r));
  long double root = r >= 1.0L ? 2.0L * expl(-0.25L * MR_PI_FINE * r) : 1.0L, even = q * q, odd = q;
  while (odd > NOTHING) {
    const long double f = r >= 1.0L ? (1.0L + even) / (1.0L + odd) : (1.0L - odd) / (1.0L + odd);
    root *= f * f;
    even *= q * q;
    odd *= q * q;
  }
  return root * root;
}

void mr_prototype_elliptic(uint32_t order, double ripple_db, double stop_db, MrLowpass* lowpass) {
  const long double e2 = mr_excess_power(ripple_db);
  const long double k1 = sqrtl(e2 / mr_excess_power(stop_db));
  const long double r1 = agm(1.0L, sqrtl((1.0L - k1) * (1.0L + k1))) / agm(1.0L, k1); /* K1'/K1 */
  const long double r = r1 / order, k = modulus(r);
  /* sn(j v) = j / e; v as a fraction of K' of the second pair of moduli equals that of the first */
  const Jacobi v = jacobi(incomplete_fraction(1.0L / sqrtl(e2), k1), 1.0L / r);

  *lowpass = (MrLowpass){.pairs = order / 2, .real = order % 2 == 1};
  lowpass->gain = lowpass->real ? 1.0 : (double)(1.0L / sqrtl(1.0L + e2));
  lowpass->real_pole = (double)(-v.sn / v.cn); /* j sn(j v) */
  for (uint32_t i = 0; i < lowpass->pairs; ++i) {
    const Jacobi u = jacobi((long double)(order - 2 * i - 1) / order, r);
    const long double below = v.cn * v.cn + (k * u.sn * v.sn) * (k * u.sn * v.sn);
    lowpass->pole[i] = (MrComplex){(double)(-u.cn * u.dn * v.sn * v.cn / below), (double)(u.sn * v.dn / below)};
    lowpass->zero[i] = 1.0L / (k * u.sn);
  }
}
