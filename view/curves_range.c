/* Which frequencies a picture shows where nobody says.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "curves.h"
#include "roots.h"

#define BEYOND 1.12 /* of Nyquist, so that it can be seen */

/* 1, 2 or 5 times a power of ten, no more than f. */
static double round_down(double f) {
  const double power = pow(10, floor(log10(f) + 1e-12)), digit = f / power;
  return (digit >= 5 * (1 - 1e-12) ? 5 : digit >= 2 * (1 - 1e-12) ? 2 : 1) * power;
}

static void widen(double f, double* lowest, double* highest) {
  if (!(f > 0)) return;
  *lowest = fmin(*lowest, f);
  *highest = fmax(*highest, f);
}

void mr_curves_choose_range(const MrSubject* const* subject, uint32_t subjects, double* least_hz, double* most_hz) {
  double lowest = INFINITY, highest = 0;
  const double nyquist = subject[0]->fs / 2;
  for (uint32_t s = 0; s < subjects; s++) {
    for (uint32_t i = 0; i < subject[s]->bands; i++)
      if (!subject[s]->band[i].off) widen(subject[s]->band[i].frequency, &lowest, &highest);
    for (uint32_t g = 0; g < subject[s]->groups; g++)
      for (uint32_t k = 0; k < subject[s]->group[g].whole.sections; k++)
        widen(mr_root_pair(&subject[s]->section[subject[s]->group[g].whole.first + k], subject[s]->fs).pole, &lowest, &highest);
  }
  *most_hz = nyquist <= 24100 || highest > 16000 ? nyquist * BEYOND : 20000;
  *least_hz = fmin(20, round_down(nyquist / 1000));
  if (lowest < *least_hz * 1.5) *least_hz = round_down(fmax(lowest / 2, nyquist / 1e6));
}
