/* Which sections and programs bear float32 arithmetic. The declarations are millrace.h's.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "program.h"

#define UNIT 0x1p-24 /* half a unit in the last place of a float between 1 and 2 */

double mr_section_fast_error(const MrSection* section) {
  const double s = section->s, P = section->P, n = 4 - s - 2 * P;
  if (!(s > 0 && P > 0 && n > 0)) return INFINITY;
  const double q = sqrt(s * n) / (2 * P);
  return UNIT * (1 + 4 * (1 + q) / n + sqrt(2 / P + P / s));
}

/* The largest error among a channel's sections, which its errors together are added to. */
static uint32_t worst_section(const MrProgram* program, uint32_t channel, double* sum) {
  uint32_t worst = 0;
  double largest = 0;
  *sum = 0;
  for (uint32_t k = 0; k < mr_program_sections(program, channel); k++) {
    const double error = mr_section_fast_error(mr_program_section(program, channel, k));
    if (error > largest) {
      largest = error;
      worst = k;
    }
    *sum += error;
  }
  return worst;
}

MrFastRule mr_program_fast_rule(const MrProgram* program) {
  MrFastRule rule = {.holds = true};
  for (uint32_t c = 0; c < program->channels && rule.holds; c++) {
    double sum;
    const uint32_t worst = worst_section(program, c, &sum);
    if (!(sum > rule.error)) continue;
    rule = (MrFastRule){.holds = sum < MR_FAST_ERROR, .channel = c, .section = worst, .error = sum};
  }
  return rule;
}
