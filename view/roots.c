/* Where the roots of a section lie.
   SPDX-License-Identifier: ISC */
#include "roots.h"

#include <math.h>

/* Of z^2 + a1 z + a2 from s = 1 + a1 + a2, p = 1 - a2 and n = 1 - a1 + a2 = 4 - s - 2 p: what an analogue pair has by the bilinear transform, with
   tan(w/2)^2 = s / n and Q = sqrt(s n) / 2 p. On the unit circle that is where the roots lie. Complex where 4 a2 - a1^2 = 4 s - (s + p)^2 > 0. */
static void pair_of(double s, double p, double fs, double* f, double* q) {
  const double n = 4 - s - 2 * p;
  *f = *q = 0;
  if (!(4 * s - (s + p) * (s + p) > 0)) return;
  *f = fs / M_PI * atan(sqrt(s / n));
  *q = p != 0 ? sqrt(s * n) / fabs(2 * p) : INFINITY;
}

MrRootPair mr_root_pair(const MrSection* section, double fs) {
  MrRootPair pair = {0, 0, 0, 0};
  const MrSection* c = section;
  pair_of(c->s, c->P, fs, &pair.pole, &pair.pole_q);
  if (c->D != 0) pair_of(c->s + c->e1 / c->D, c->P + c->e2 / c->D, fs, &pair.zero, &pair.zero_q); /* D = b0 */
  return pair;
}
