/* Cascades whose levels fit the range of float32.
   SPDX-License-Identifier: ISC */
#include "fast_scale.h"

#include <math.h>

#define ROOM 20 /* a power of two: the level that is let be, up and down */

/* About the base-2 logarithm of the largest gain: of those at both ends of the spectrum and at the corner, which the bilinear transform
   puts at tan^2(w / 2) = s / (4 - s - 2 P), real poles or not. A section that passes nothing there counts as 0. */
static double peak_of(const MrSection* section, double fs) {
  const double corner = atan(sqrt(section->s / (4 - section->s - 2 * section->P))) / M_PI;
  const double at[] = {0, 0.5 * fs, corner * fs};
  double largest_db = -INFINITY;
  for (int i = 0; i < 3; i++) largest_db = fmax(largest_db, mr_sections_response(section, 1, 1, fs, at[i]).magnitude_db);
  return isfinite(largest_db) ? largest_db / (20 * log10(2)) : 0;
}

int mr_fast_scale(const MrSection* section, uint32_t n, double fs, MrSection* scaled) {
  int taken = 0;
  double level = 0; /* after the sections so far, about; base-2 logarithm */
  for (uint32_t k = 0; k < n; k++) {
    scaled[k] = section[k];
    level += peak_of(&section[k], fs);
    if (fabs(level) <= ROOM) continue;
    const int shift = (int)-round(level);
    scaled[k].D = ldexp(section[k].D, shift);
    scaled[k].e1 = ldexp(section[k].e1, shift);
    scaled[k].e2 = ldexp(section[k].e2, shift);
    level += shift;
    taken -= shift;
  }
  return taken;
}
