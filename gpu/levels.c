/* Cascades at levels that suit a card.
   SPDX-License-Identifier: ISC */
#include "levels.h"

#include <math.h>

enum { ROOM = 40, ROOM_LAST = 20 };

/* About the base-2 logarithm of a section's largest gain: of those at both ends of the spectrum and at the corner, which the bilinear transform puts
   at tan^2(w / 2) = s / (4 - s - 2 P). A section that passes nothing there counts as 0. */
static double peak_of(const MrSection* q) {
  const double n = 4 - q->s - 2 * q->P, corner = n > 0 && q->s > 0 ? atan(sqrt(q->s / n)) / M_PI : 0;
  const double at[] = {0, 0.5, corner};
  double most = -INFINITY;
  for (int i = 0; i < 3; i++) most = fmax(most, mr_sections_response(q, 1, 1, 1, at[i]).magnitude_db);
  return isfinite(most) ? most / (20 * log10(2)) : 0;
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
    int shift = 0;
    if (!folds(section[k].D, &shift) || fabs(level + own + shift) > room) shift = fabs(level + own) > room ? (int)-round(level + own) : 0;
    scaled[k] = section[k];
    scaled[k].D = ldexp(section[k].D, shift);
    scaled[k].e1 = ldexp(section[k].e1, shift);
    scaled[k].e2 = ldexp(section[k].e2, shift);
    level += own + shift;
    exponent[k + 1] = exponent[k] + shift;
  }
}
