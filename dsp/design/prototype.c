/* Analogue low-pass prototypes: Butterworth, Bessel, Chebyshev.
   SPDX-License-Identifier: ISC */
#include "prototype.h"

#include <math.h>

#include "angle.h"
#include "bessel_table.h"

long double mr_excess_power(double db) { return expm1l(db * 0.230258509299404568401799145468436L); /* ln(10) / 10 */ }

uint32_t mr_interleave(uint32_t k, uint32_t n) { return k % 2 == 0 ? k / 2 : n - 1 - k / 2; }

static void start(uint32_t order, MrLowpass* lowpass) {
  *lowpass = (MrLowpass){.pairs = order / 2, .real = order % 2 == 1, .real_pole = -1.0, .gain = 1.0};
}

/* sin and cos of (2 k + 1) pi / (2 order): poles on the unit circle, from the imaginary axis on. Each is a sine of a small fraction, so
   that both keep their relative precision. */
static void circle(uint32_t k, uint32_t order, double* sine, double* cosine) {
  *sine = sin(MR_PI * (2 * k + 1) / (2 * order));
  *cosine = sin(MR_PI * (order - 2 * k - 1) / (2 * order));
}

void mr_prototype_butterworth(uint32_t order, MrLowpass* lowpass) {
  start(order, lowpass);
  for (uint32_t k = 0; k < lowpass->pairs; ++k) {
    double sine, cosine;
    circle(k, order, &sine, &cosine);
    lowpass->pole[k] = (MrComplex){-sine, cosine};
  }
}

void mr_prototype_bessel(uint32_t order, MrLowpass* lowpass) {
  start(order, lowpass);
  const MrComplex* pole = mr_bessel_pole + (order / 2) * ((order + 1) / 2);
  for (uint32_t k = 0; k < lowpass->pairs; ++k) lowpass->pole[k] = pole[k];
  if (lowpass->real) lowpass->real_pole = pole[lowpass->pairs].re;
}

/* Chebyshev poles for |H|^2 = 1 / (1 + e^2 T^2): on an ellipse with the semi-axes sinh(a) and cosh(a), a = asinh(1/e) / order. */
static void chebyshev_ellipse(uint32_t order, double inverse_e, MrLowpass* lowpass) {
  const double a = asinh(inverse_e) / order;
  const double width = sinh(a), height = cosh(a);
  for (uint32_t k = 0; k < lowpass->pairs; ++k) {
    double sine, cosine;
    circle(k, order, &sine, &cosine);
    lowpass->pole[k] = (MrComplex){-width * sine, height * cosine};
  }
  lowpass->real_pole = -width;
}

void mr_prototype_chebyshev1(uint32_t order, double ripple_db, MrLowpass* lowpass) {
  start(order, lowpass);
  chebyshev_ellipse(order, 1.0 / sqrt((double)mr_excess_power(ripple_db)), lowpass);
  if (order % 2 == 0) lowpass->gain = pow(10.0, -ripple_db / 20.0); /* an even order starts at the ripple's foot */
}

void mr_prototype_chebyshev2(uint32_t order, double stop_db, MrLowpass* lowpass) {
  start(order, lowpass);
  chebyshev_ellipse(order, sqrt((double)mr_excess_power(stop_db)), lowpass);
  lowpass->real_pole = 1.0 / lowpass->real_pole;
  for (uint32_t k = 0; k < lowpass->pairs; ++k) { /* all roots inverted */
    const MrComplex p = lowpass->pole[k];
    const double i = 1.0 / (p.re * p.re + p.im * p.im);
    lowpass->pole[k] = (MrComplex){p.re * i, p.im * i};
    lowpass->zero[k] = 1.0L / sinl(MR_PI_FINE * (order - 2 * k - 1) / (2 * order));
  }
}
