/* The order of a cascade's sections and the spread of its gain.
   SPDX-License-Identifier: ISC */
#include "pairing.h"

#include <float.h>
#include <math.h>

#include "prototype.h"

/* Where a cascade is looked at, as x = sin^2(pi f / fs): both ends, the resonance of each section, and the middle of those. */
enum { SECTIONS = MR_MAX_DESIGN_SECTIONS, PLACES = SECTIONS + 3 };

/* log2 of each section's gain at each place, and of the whole. */
typedef struct Gains {
  uint32_t n, places;
  double section[SECTIONS][PLACES], whole[PLACES];
} Gains;

static double log_gain(const MrSection* c, double x) {
  const double swing = 4.0 * x * (1.0 - x); /* sin^2 of the angle */
  const double sum = c->D * c->s + c->e1, difference = c->D * c->P + c->e2;
  const double nr = sum - 4.0 * x * c->D + 2.0 * x * difference, dr = c->s - 4.0 * x + 2.0 * x * c->P;
  const double power = (nr * nr + difference * difference * swing) / (dr * dr + c->P * c->P * swing);
  return power > DBL_MIN && power < DBL_MAX ? 0.5 * log2(power) : -512.0; /* a zero at this place */
}

static void measure(const MrDraft* draft, Gains* gains) {
  double place[PLACES] = {0.0, 1.0}, low = 1.0, high = 0.0;
  gains->n = draft->n;
  gains->places = draft->n + 3;
  for (uint32_t k = 0; k < draft->n; ++k) {
    const MrSection* c = &draft->section[k];
    place[k + 3] = fmin(1.0, c->s / (4.0 - 2.0 * c->P)); /* P < 2 for every stable section */
    low = fmin(low, place[k + 3]);
    high = fmax(high, place[k + 3]);
  }
  place[2] = sqrt(low * high);
  for (uint32_t j = 0; j < gains->places; ++j) {
    gains->whole[j] = 0.0;
    for (uint32_t k = 0; k < draft->n; ++k) {
      gains->section[k][j] = log_gain(&draft->section[k], place[j]);
      gains->whole[j] += gains->section[k][j];
    }
  }
}

/* log2 of the peak of `prefix` with section k after it, times the largest gain of all that is left then. */
static double cost(const Gains* gains, const double* prefix, uint32_t k) {
  double peak = -DBL_MAX, rest = -DBL_MAX;
  for (uint32_t j = 0; j < gains->places; ++j) {
    const double level = prefix[j] + gains->section[k][j], after = gains->whole[j] - level;
    if (level > peak) peak = level;
    if (after > rest) rest = after;
  }
  return peak + rest;
}

static void append(const Gains* gains, double* prefix, uint32_t k) {
  for (uint32_t j = 0; j < gains->places; ++j) prefix[j] += gains->section[k][j];
}

/* Rising Q; among equal ones (the two edges of a band) rising frequency. Insertion sort: at most 32 sections. */
static void sort_by_q(const MrDraft* draft, uint32_t* order) {
  double q[SECTIONS];
  for (uint32_t k = 0; k < draft->n; ++k) {
    q[k] = mr_section_q(&draft->section[k]);
    uint32_t place = k;
    for (; place > 0; --place) {
      const uint32_t other = order[place - 1];
      const bool equal = fabs(q[other] - q[k]) <= 1e-9 * q[k];
      if (equal ? draft->section[other].s <= draft->section[k].s : q[other] <= q[k]) break;
      order[place] = other;
    }
    order[place] = k;
  }
}

/* Both return the largest cost of a prefix. */
static double alternate(const MrDraft* draft, const Gains* gains, uint32_t* order) {
  uint32_t sorted[SECTIONS] = {0};
  double prefix[PLACES] = {0.0}, worst = -DBL_MAX;
  sort_by_q(draft, sorted);
  for (uint32_t k = 0; k < draft->n; ++k) {
    order[k] = sorted[mr_interleave(k, draft->n)];
    worst = fmax(worst, cost(gains, prefix, order[k]));
    append(gains, prefix, order[k]);
  }
  return worst;
}

static double one_by_one(const Gains* gains, uint32_t* order) {
  bool taken[SECTIONS] = {false};
  double prefix[PLACES] = {0.0}, worst = -DBL_MAX;
  for (uint32_t k = 0; k < gains->n; ++k) {
    uint32_t best = 0;
    while (taken[best]) ++best; /* fewer than n are taken */
    double least = cost(gains, prefix, best);
    for (uint32_t i = best + 1; i < gains->n; ++i) {
      if (taken[i]) continue;
      const double c = cost(gains, prefix, i);
      if (c < least) {
        best = i;
        least = c;
      }
    }
    taken[best] = true;
    order[k] = best;
    worst = fmax(worst, least);
    append(gains, prefix, best);
  }
  return worst;
}

void mr_pairing_condition(const MrDraft* draft, MrCascade* cascade) {
  Gains gains;
  uint32_t order[SECTIONS] = {0}, other[SECTIONS] = {0};
  double prefix[PLACES] = {0.0};
  const uint32_t n = draft->n;
  measure(draft, &gains);
  if (n > 1 && one_by_one(&gains, other) < alternate(draft, &gains, order))
    for (uint32_t k = 0; k < n; ++k) order[k] = other[k];

  int taken = 0;
  cascade->n = n;
  for (uint32_t k = 0; k < n; ++k) {
    MrSection c = draft->section[order[k]];
    append(&gains, prefix, order[k]);
    double peak = -DBL_MAX;
    for (uint32_t j = 0; j < gains.places; ++j) peak = fmax(peak, prefix[j]);
    const int power = -(int)lrint(peak) - taken; /* the prefix, with the powers taken so far, comes back to 1 */
    c.D = ldexp(c.D, power);
    c.e1 = ldexp(c.e1, power);
    c.e2 = ldexp(c.e2, power);
    taken += power;
    cascade->section[k] = c;
  }
  cascade->gain = ldexp(draft->gain.mantissa, draft->gain.exponent - taken);
}
