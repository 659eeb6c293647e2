/* RBJ's second-order filters, first-order filters, and the Linkwitz transform.
   SPDX-License-Identifier: ISC */
#include "rbj.h"

#include <math.h>

#include "angle.h"
#include "transform.h"

static MrSection first_order(MrFilterType type, double g, double gain_db) {
  const double root = pow(10.0, gain_db / 40.0); /* the gain at f */
  MrAnalogueSection a = {.first = true, .d0 = g};
  switch (type) {
    case MR_LOWPASS1:
      a.n0 = g;
      break;
    case MR_HIGHPASS1:
      a.n1 = 1.0;
      break;
    case MR_LOWSHELF1:
      a.n1 = 1.0;
      a.n0 = g * root;
      a.d0 = g / root;
      break;
    case MR_HIGHSHELF1:
      a.n1 = root * root;
      a.n0 = g * root;
      a.d0 = g * root;
      break;
    default: /* MR_ALLPASS1 */
      a.n1 = -1.0;
      a.n0 = g;
  }
  return mr_bilinear(&a);
}

MrSection mr_rbj(MrFilterType type, double f, double fs, double q, double gain_db) {
  const double g = mr_prewarp(f, fs), g2 = g * g, b = g / q;
  const double a = pow(10.0, gain_db / 40.0), root = sqrt(a);
  switch (type) {
    case MR_PEAK:
      return mr_bilinear(&(MrAnalogueSection){false, 1.0, b * a, g2, b / a, g2});
    case MR_LOWPASS:
      return mr_bilinear(&(MrAnalogueSection){false, 0.0, 0.0, g2, b, g2});
    case MR_HIGHPASS:
      return mr_bilinear(&(MrAnalogueSection){false, 1.0, 0.0, 0.0, b, g2});
    case MR_BANDPASS:
      return mr_bilinear(&(MrAnalogueSection){false, 0.0, b, 0.0, b, g2});
    case MR_NOTCH:
      return mr_bilinear(&(MrAnalogueSection){false, 1.0, 0.0, g2, b, g2});
    case MR_ALLPASS:
      return mr_bilinear(&(MrAnalogueSection){false, 1.0, -b, g2, b, g2});
    case MR_LOWSHELF:
      return mr_bilinear(&(MrAnalogueSection){false, 1.0, b * root, g2 * a, b / root, g2 / a});
    case MR_HIGHSHELF:
      return mr_bilinear(&(MrAnalogueSection){false, a * a, a * b * root, g2 * a, b * root, g2 * a});
    default:
      return first_order(type, g, gain_db);
  }
}

MrSection mr_linkwitz_transform(double f0, double q0, double f1, double q1, double fs) {
  const double g0 = mr_prewarp(f0, fs), g1 = mr_prewarp(f1, fs);
  return mr_bilinear(&(MrAnalogueSection){false, 1.0, g0 / q0, g0 * g0, g1 / q1, g1 * g1});
}
