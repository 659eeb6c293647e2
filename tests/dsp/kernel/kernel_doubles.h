/* What the checks of the float64 kernels share beyond kernel_cases.h. Text of the check_*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_DOUBLES_H
#define MILLRACE_TESTS_KERNEL_DOUBLES_H

#include "kernel_cases.h"

/* Tiny numbers: subnormal doubles, and doubles that products of two make subnormal. */
static double random_tiny(void) { return ldexp(random_signed(), random_below(2) ? -1030 : -560); }

/* Coefficients of a moving section, from those of a settled one. */
static MrMoving moving_of(const MrSection* q) {
  const double G = q->s / 2, F = sqrt(q->s * (4 - q->s - 2 * q->P)) / 2, K = q->P / F;
  const double C2 = q->e1 / (K * q->s), C1 = (q->e2 / K + C2 * G) / F;
  return (MrMoving){.E = -(G + q->P), .F = F, .G = G, .K = K, .C1 = C1, .C2 = C2, .D = q->D, .zero = 0};
}

static void put_section(double* coef, uint32_t lane, const MrSection* q) {
  coef[lane] = q->s;
  coef[MR_LANES + lane] = q->P + q->s;
  coef[2 * MR_LANES + lane] = q->D;
  coef[3 * MR_LANES + lane] = q->e1;
  coef[4 * MR_LANES + lane] = q->e1 + q->e2;
}

/* Arrays of doubles of the kernels: at the end where that keeps them aligned. */
static double* place_doubles(Region* r, size_t count, bool at_end) {
  return place(r, count * sizeof(double), at_end && count % (MR_ALIGN / sizeof(double)) == 0, 0);
}

/* Equal to the bit; but which of two NaN an operation passes on is left open. */
static bool same_bits(double a, double b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* Lanes 0 .. lanes-1 of `rows` rows of MR_LANES doubles. */
static void expect_lanes(const double* got, const double* expected, uint32_t rows, uint32_t lanes, const char* name) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t l = 0; l < lanes; l++)
      if (!same_bits(got[i * MR_LANES + l], expected[i * MR_LANES + l])) {
        fail("%s, row %u, lane %u: %a, the reference %a", name, i, l, got[i * MR_LANES + l], expected[i * MR_LANES + l]);
        return;
      }
}

#endif
