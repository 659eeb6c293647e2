/* Sections made from their poles, for the checks and the bench of the multi-block kernels.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_BLOCK_SECTIONS_H
#define MILLRACE_TESTS_BLOCK_SECTIONS_H

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../dsp/kernel/block.h"
#include "../../../dsp/kernel/block_cascade.h"

#define CASE_MOST_SECTIONS 16u
#define CASE_MOST_FRAMES   21000u /* more than a group of 128 lanes of 128 samples */

typedef struct Case {
  const char* name;
  uint32_t sections;
  MrSection section[CASE_MOST_SECTIONS];
  long double complex pole[CASE_MOST_SECTIONS][2];
  double loose_f32, loose_f64; /* multiples of the usual tolerance */
  float input[CASE_MOST_FRAMES];
  double truth[CASE_MOST_FRAMES];
} Case;

static uint64_t case_random_state = 1;

static double case_random(void) { /* [0, 1) */
  case_random_state = case_random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(case_random_state >> 11) * 0x1p-53;
}

/* The section with these poles and this numerator. */
static MrSection section_of(long double complex p, long double complex q, const long double b[3]) {
  const long double a2 = creall(p * q);
  const long double s = creall((1 - p) * (1 - q)), P = 1 - a2;
  return (MrSection){(double)s, (double)P, (double)b[0], (double)((b[0] + b[1] + b[2]) - b[0] * s), (double)((b[0] - b[2]) - b[0] * P)};
}

static void add_section(Case* c, long double complex p, long double complex q, long double b0, long double b1, long double b2) {
  c->section[c->sections] = section_of(p, q, (const long double[3]){b0, b1, b2});
  c->pole[c->sections][0] = p;
  c->pole[c->sections++][1] = q;
}

/* Butterworth low-pass, corner in radians; every section has a gain of 1 at 0. */
static void add_butterworth(Case* c, uint32_t order, double corner) {
  const long double pi = acosl(-1), g = tanl((long double)corner / 2);
  for (uint32_t i = 0; i < order / 2; i++) {
    const long double complex s = -g * cexpl(I * (pi * (long double)(2 * i + 1) / (2 * order) - pi / 2) * -1);
    const long double complex p = (1 + s) / (1 - s);
    const long double gain = creall((1 - p) * (1 - conjl(p))) / 4;
    add_section(c, p, conjl(p), gain, 2 * gain, gain);
  }
  if (order % 2) {
    const long double p = (1 - g) / (1 + g), gain = (1 - p) / 2;
    add_section(c, p, 0, gain, gain, 0);
  }
}

#endif
