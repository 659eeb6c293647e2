/* Between the settled and the moving form of a section: coefficients and state.
   SPDX-License-Identifier: ISC */
#include "state.h"

#include <math.h>

MrMoving mr_moving_from_section(const MrSection* section, bool scaled) {
  const double s = section->s, P = section->P;
  const double F = 0.5 * sqrt(s * (4 - s - 2 * P)), G = 0.5 * s;
  const double K = scaled ? P / F : 1;
  const double C2 = section->e1 / (K * s);
  const double C1 = (section->e2 / K + C2 * G) / F;
  return (MrMoving){.E = -(G + P), .F = F, .G = G, .K = K, .C1 = C1, .C2 = C2, .D = section->D, .zero = 0};
}

void mr_settled_from_section(const MrSection* section, double row[MR_SETTLED_ROWS]) {
  row[0] = section->s;
  row[1] = section->P + section->s;
  row[2] = section->D;
  row[3] = section->e1;
  row[4] = section->e1 + section->e2;
}

void mr_state_to_moving(const MrMoving* moving, double state[2]) {
  const double w = state[0], d = state[1];
  state[0] = moving->K * moving->F * d;
  state[1] = moving->K * moving->G * (2 * w + d);
}

void mr_state_to_settled(const MrMoving* moving, double state[2]) {
  const double d = state[0] / (moving->K * moving->F);
  state[0] = (state[1] / (moving->K * moving->G) - d) / 2;
  state[1] = d;
}
