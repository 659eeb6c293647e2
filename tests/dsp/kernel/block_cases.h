/* Filters, signals and true outputs for the checks of the multi-block kernels.
   SPDX-License-Identifier: ISC

   Sections are made from poles, so that what cyclic reduction divides by is known from them. The truth is the difference equation
   itself, in direct form 1 and long double. */
#ifndef MILLRACE_TESTS_BLOCK_CASES_H
#define MILLRACE_TESTS_BLOCK_CASES_H

#include "block_sections.h"

static double case_normal(void) { /* nearly */
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += case_random();
  return sum;
}

static void add_pair(Case* c, long double r, long double angle, long double b0, long double b1, long double b2) {
  const long double complex p = r * cexpl(angle * I);
  add_section(c, p, conjl(p), b0, b1, b2);
}

static void add_random(Case* c) {
  const double b0 = case_normal(), b1 = case_normal(), b2 = case_normal();
  if (case_random() < 0.5) {
    const double r = 0.3 + 0.67 * case_random(), angle = 0.3 + 2.5 * case_random();
    const long double complex p = r * cexpl(angle * I);
    const double peak =
        (double)(fabs(b0) + fabs(b1) + fabs(b2)) / (double)(cabsl(1 - p * cexpl(-angle * I)) * cabsl(1 - conjl(p) * cexpl(-angle * I)));
    add_section(c, p, conjl(p), b0 / peak, b1 / peak, b2 / peak);
  } else {
    const double p = -0.9 + 1.8 * case_random(), q = -0.9 + 1.8 * case_random();
    add_section(c, p, q, b0, b1, b2);
  }
}

/* The most that cyclic reduction of these blocks loses, from the poles; levels from 1 on for DTCR. */
static double case_kappa(const Case* c, MrBlockFamily family, uint32_t blocks) {
  double most = 0;
  for (uint32_t k = 0; k < c->sections; k++) {
    long double complex p = c->pole[k][0], q = c->pole[k][1];
    for (uint32_t n = 1; n < blocks; n *= 2, p *= p, q *= q) {
      if (cabsl(p * q) < 1e-280L || (n == 1 && family == MR_BLOCK_DTCR)) continue;
      const double loss = (double)(cabsl(p * q) / cabsl(p + q));
      most = loss > most ? loss : most;
    }
  }
  return most;
}

/* Input and truth of the first `frames` frames. */
static void find_truth(Case* c, uint32_t frames) {
  static long double sample[CASE_MOST_FRAMES];
  for (uint32_t i = 0; i < frames; i++) sample[i] = c->input[i] = (float)(2 * case_random() - 1);
  for (uint32_t k = 0; k < c->sections; k++) {
    const MrSection* q = &c->section[k];
    const long double a1 = (long double)q->s + q->P - 2, a2 = 1 - (long double)q->P, b0 = q->D;
    const long double difference = b0 * q->P + q->e2, sum = b0 * q->s + q->e1;
    const long double b2 = b0 - difference, b1 = sum - b0 - b2;
    long double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (uint32_t i = 0; i < frames; i++) {
      const long double y = b0 * sample[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
      x2 = x1;
      x1 = sample[i];
      y2 = y1;
      y1 = sample[i] = y;
    }
  }
  for (uint32_t i = 0; i < frames; i++) c->truth[i] = (double)sample[i];
}

static Case* new_case(Case* cases, uint32_t* count, const char* name, double loose_f32, double loose_f64) {
  Case* c = &cases[(*count)++];
  memset(c, 0, sizeof *c);
  c->name = name;
  c->loose_f32 = loose_f32;
  c->loose_f64 = loose_f64;
  return c;
}

#define MOST_CASES 40u

static uint32_t make_cases(Case* cases, uint32_t frames, bool quick) {
  static const char* const fractions[] = {"pi / 2", "pi / 4", "pi / 8", "pi / 16", "pi / 32", "pi / 64", "pi / 128"};
  const long double pi = acosl(-1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < (quick ? 2U : 6U); i++) {
    Case* c = new_case(cases, &count, "random", 1, 1);
    for (uint32_t k = 0; k <= i; k++) add_random(c);
  }
  for (uint32_t order = 2; order <= 32; order += order < 6 ? 1 : 13) /* 2 3 4 5 6 19 32 */
    if (!quick || order == 5 || order == 32)
      add_butterworth(new_case(cases, &count, "butterworth", order > 16 ? 4 : 1, 1), order, 0.2 * (double)pi);
  add_butterworth(new_case(cases, &count, "butterworth of a1 = 0", 1, 1), 4, 0.5 * (double)pi);
  for (uint32_t j = 0; j < (quick ? 3U : 7U); j++) {
    Case* c = new_case(cases, &count, fractions[j], 30, 10);
    add_pair(c, j ? 0.95L : sqrtl(0.90625L), pi / (long double)(2U << j), 0.1L, 0, -0.1L);
  }
  add_pair(new_case(cases, &count, "3 pi / 8", 1, 1), 0.9L, 3 * pi / 8, 1, 0.3L, 0.2L);
  add_pair(new_case(cases, &count, "radius 1 - 1e-7", 300, 1e4), 1 - 1e-7L, 0.3L, 1, 0, -1);
  add_section(new_case(cases, &count, "FIR only", 1, 1), 0, 0, 0.5L, 0.3L, -0.2L);
  add_section(new_case(cases, &count, "first order", 1, 1), 0.9L, 0, 0.1L, 0.05L, 0);
  Case* c = new_case(cases, &count, "b0 = 0", 1, 1);
  add_pair(c, 0.8L, 1, 0, 0.4L, 0.1L);
  add_section(c, 0.5L, -0.4L, 0, 0, 1);
  c = new_case(cases, &count, "b0 = 1, and a section that cancels itself", 1, 1);
  add_pair(c, 0.7L, 1.5L, 1, 0.5L, 0.2L);
  add_pair(c, 0.9L, 1.5L, 1, -2 * 0.9L * cosl(1.5L), 0.81L);
  for (uint32_t i = 0; i < count; i++) find_truth(&cases[i], frames);
  return count;
}

#endif
