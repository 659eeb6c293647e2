/* The order of a cascade's sections and the spread of its gain.
   SPDX-License-Identifier: ISC */
#include "pairing.h"

#include <math.h>

#include "prototype.h"

/* Places where a prefix is looked at, as x = sin^2(pi f / fs): both ends, and the resonance of each section. */
enum { PLACES = MR_MAX_DESIGN_SECTIONS + 2 };

static double power_at(const MrSection* c, double x) {
  const double swing = 4.0 * x * (1.0 - x); /* sin^2 of the angle */
  const double sum = c->D * c->s + c->e1, difference = c->D * c->P + c->e2;
  const double nr = sum - 4.0 * x * c->D + 2.0 * x * difference, dr = c->s - 4.0 * x + 2.0 * x * c->P;
  return (nr * nr + difference * difference * swing) / (dr * dr + c->P * c->P * swing);
}

/* Rising Q; among equal ones (the two edges of a band) rising frequency. Insertion sort: at most 32 sections. */
static void sort_by_q(const MrDraft* draft, uint32_t* order) {
  double q[MR_MAX_DESIGN_SECTIONS];
  for (uint32_t k = 0; k < draft->n; ++k) {
    q[k] = mr_section_q(&draft->section[k]);
    uint32_t place = k;
    while (place > 0) {
      const uint32_t other = order[place - 1];
      const bool equal = fabs(q[other] - q[k]) <= 1e-9 * q[k];
      if (equal ? draft->section[other].s <= draft->section[k].s : q[other] <= q[k]) break;
      order[place] = other;
      --place;
    }
    order[place] = k;
  }
}

void mr_pairing_condition(const MrDraft* draft, MrCascade* cascade) {
  const uint32_t n = draft->n;
  uint32_t sorted[MR_MAX_DESIGN_SECTIONS] = {0};
  double place[PLACES] = {0.0, 1.0}, prefix[PLACES];
  sort_by_q(draft, sorted);
  for (uint32_t k = 0; k < n; ++k) {
    const MrSection* c = &draft->section[k];
    place[k + 2] = fmin(1.0, c->s / (4.0 - 2.0 * c->P)); /* P < 2 for every stable section */
  }
  for (uint32_t j = 0; j < n + 2; ++j) prefix[j] = 1.0;

  int taken = 0;
  cascade->n = n;
  for (uint32_t k = 0; k < n; ++k) {
    MrSection c = draft->section[sorted[mr_interleave(k, n)]];
    double peak = 0.0;
    for (uint32_t j = 0; j < n + 2; ++j) {
      prefix[j] *= power_at(&c, place[j]);
      peak = fmax(peak, prefix[j]);
    }
    int power = 0; /* the prefix, as it stands after the powers taken so far, comes back to 1 */
    if (peak > 0.0 && isfinite(peak)) power = -(int)lrint(0.5 * log2(peak));
    const double factor = ldexp(1.0, power);
    c.D *= factor;
    c.e1 *= factor;
    c.e2 *= factor;
    for (uint32_t j = 0; j < n + 2; ++j) prefix[j] *= factor * factor;
    taken += power;
    cascade->section[k] = c;
  }
  cascade->gain = ldexp(draft->gain.mantissa, draft->gain.exponent - taken);
}
