/* Cascades at levels that suit a card.
   SPDX-License-Identifier: ISC */
#include "levels.h"

#include <complex.h>
#include <math.h>

enum { ROOM = 40, ROOM_LAST = 20 };

/* |H| at w radians a sample, from the recursion: H = D + (e1 z + e2 (z - 1)) / ((z - 1)^2 + P (z - 1) + s z). */
static double gain_at(const MrSection* q, double w) {
  const double complex v = -2 * sin(w / 2) * sin(w / 2) + I * sin(w), z = v + 1; /* v = z - 1 */
  return cabs(q->D + (q->e1 * z + q->e2 * v) / (v * v + q->P * v + q->s * z));
}

/* About the base-2 logarithm of a section's largest gain: of those at both ends of the spectrum and at the corner, which the bilinear transform puts
   at tan^2(w / 2) = s / (4 - s - 2 P). A section that passes nothing there counts as 0. */
static double peak_of(const MrSection* q) {
  const double n = 4 - q->s - 2 * q->P, corner = n > 0 && q->s > 0 ? 2 * atan(sqrt(q->s / n)) : 0;
  const double most = fmax(gain_at(q, 0), fmax(gain_at(q, M_PI), gain_at(q, corner)));
  return most > 0 && isfinite(most) ? log2(most) : 0;
}

/* The power of two that makes D 1, if there is one. */
static bool folds(double D, int* shift) {
  int power = 0;
  if (!(D > 0) || frexp(D, &power) != 0.5) return false;
  *shift = 1 - power;
  return true;
}

void mr_gpu_levels(const MrSection* section, uint32_t n, MrSection* scaled, int* exponent) {
  double level = 0; /* after the sections so far */
  exponent[0] = 0;
  for (uint32_t k = 0; k < n; k++) {
    const double own = peak_of(&section[k]), room = k + 1 < n ? ROOM : ROOM_LAST;
    const int back = (int)-round(level + own);
    int shift = 0;
    if (folds(section[k].D, &shift))
      shift = fabs(level + own + shift) > room ? back : shift;
    else
      shift = fabs(level + own) > room ? back : 0;
    scaled[k] = section[k];
    scaled[k].D = ldexp(section[k].D, shift);
    scaled[k].e1 = ldexp(section[k].e1, shift);
    scaled[k].e2 = ldexp(section[k].e2, shift);
    level += own + shift;
    exponent[k + 1] = exponent[k] + shift;
  }
}
