/* Analogue low-pass prototypes: poles and zeros of the families, corner at 1 rad/s.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_PROTOTYPE_H
#define MILLRACE_DESIGN_PROTOTYPE_H

#include "../millrace.h"

/* A low-pass of order 2 pairs + real. Pairs stand in falling order of their Q; the zero of a pair is the one nearest to its poles.
   H = gain * product over pairs of (1 + s^2 / zero^2) / ((1 - s / pole)(1 - s / pole*)) / (1 - s / real_pole); zero 0 means no zero. */
typedef struct MrLowpass {
  uint32_t pairs;
  bool real;
  double real_pole;                   /* < 0 */
  double gain;                        /* at s = 0 */
  MrComplex pole[MR_MAX_ORDER / 2];   /* re < 0, im > 0 */
  long double zero[MR_MAX_ORDER / 2]; /* rad/s on the imaginary axis; 0: at infinity; fine as in angle.h */
} MrLowpass;

/* All: order 1 to 32. Conventions of the corner as in scipy: -3 dB (Butterworth; Bessel, norm "mag"), where the ripple ends (Chebyshev 1,
   elliptic), where the stop-band attenuation is first reached (Chebyshev 2). Thread: real-time; no allocation. */
void mr_prototype_butterworth(uint32_t order, MrLowpass* lowpass);
void mr_prototype_bessel(uint32_t order, MrLowpass* lowpass);
void mr_prototype_chebyshev1(uint32_t order, double ripple_db, MrLowpass* lowpass);
void mr_prototype_chebyshev2(uint32_t order, double stop_db, MrLowpass* lowpass);
/* elliptic.c. ripple_db < stop_db. */
void mr_prototype_elliptic(uint32_t order, double ripple_db, double stop_db, MrLowpass* lowpass);

/* 10^(db/10) - 1 without cancellation. */
long double mr_excess_power(double db);

/* The place of section k of n in a cascade whose sections came in rising order of Q: low and high Q alternate, so that no prefix
   collects all resonances or none. Returns the index to take for place k. */
uint32_t mr_interleave(uint32_t k, uint32_t n);

#endif
