/* The weightings of standards.
   SPDX-License-Identifier: ISC */
#include "weighting.h"

#include <math.h>

#include "analogue.h"
#include "angle.h"
#include "limits.h"
#include "matched.h"
#include "rbj.h"
#include "transform.h"

/* Roots in Hz, as those of an analogue design. */
typedef struct Curve {
  uint32_t zeros, poles;
  MrComplex zero[4], pole[6];
} Curve;

#define MICROSECONDS(t) (1e6 / (2.0 * MR_PI * (t)))

static const Curve curve_a = {4,
                              6,
                              {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}},
                              {{20.598997, 0.0}, {20.598997, 0.0}, {107.65265, 0.0}, {737.86223, 0.0}, {12194.217, 0.0}, {12194.217, 0.0}}};
static const Curve curve_b = {
    3, 5, {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, {{20.598997, 0.0}, {20.598997, 0.0}, {158.48932, 0.0}, {12194.217, 0.0}, {12194.217, 0.0}}};
static const Curve curve_c = {2, 4, {{0.0, 0.0}, {0.0, 0.0}}, {{20.598997, 0.0}, {20.598997, 0.0}, {12194.217, 0.0}, {12194.217, 0.0}}};
/* Roots of 4.737338981378384e-24 x^6 + 1.306612257412824e-19 x^5 + 2.043828333606125e-15 x^4 + 2.118150887518656e-11 x^3 +
   1.363894795463638e-7 x^2 + 5.559488023498642e-4 x + 1, x = j f, negated. */
static const Curve curve_468 = {1,
                                4,
                                {{0.0, 0.0}},
                                {{4122.70206613475692, 0.0},
                                 {9975.06312393029428, 0.0},
                                 {3758.52916301072939, 5790.04233660895529},
                                 {2983.15993789067132, 9940.84264570955454}}};
static const Curve curve_riaa = {1, 2, {{MICROSECONDS(318.0), 0.0}}, {{MICROSECONDS(3180.0), 0.0}, {MICROSECONDS(75.0), 0.0}}};
static const Curve curve_nab = {1, 1, {{MICROSECONDS(50.0), 0.0}}, {{MICROSECONDS(3180.0), 0.0}}};

static MrStatus add_curve(const Curve* curve, double fs, MrDraft* draft, uint32_t* notes) {
  MrRoots roots = {.zeros = curve->zeros, .poles = curve->poles};
  for (uint32_t k = 0; k < curve->zeros; ++k) roots.zero[k] = curve->zero[k];
  for (uint32_t k = 0; k < curve->poles; ++k) roots.pole[k] = curve->pole[k];
  return mr_analogue_draft(&roots, 1.0, fs, draft, notes);
}

/* The standard prints coefficients for 48 kHz. These analogue parameters give them back to all printed digits, and other rates the same
   curve: B. De Man, Evaluation of implementations of the EBU R128 loudness measurement, 2018. */
static MrStatus add_k(double fs, MrDraft* draft, uint32_t* notes) {
  const double shelf_f = 1681.974450955533, shelf_q = 0.7071752369554196, shelf_db = 3.999843853973347;
  const double high_f = 38.13547087602444, high_q = 0.5003270373238773;
  if (shelf_f > MR_HIGHEST_FRACTION * fs) {
    *notes |= MR_NOTE_ABOVE_NYQUIST;
    return MR_OK;
  }
  const double g = mr_prewarp(shelf_f, fs), high = pow(10.0, shelf_db / 20.0), band = pow(high, 0.4996667741545416);
  const MrSection shelf = mr_bilinear(&(MrAnalogueSection){false, high, band * g / shelf_q, g * g, g / shelf_q, g * g});
  mr_draft_section(draft, &shelf);
  MrSection highpass = mr_rbj(MR_HIGHPASS, high_f, fs, high_q, 0.0);
  mr_draft_section(draft, &highpass);
  /* The standard's numerator is 1, -2, 1. */
  mr_draft_gain(draft, 1.0 / highpass.D);
  return MR_OK;
}

MrStatus mr_weighting_draft(MrWeighting weighting, double fs, MrDraft* draft, uint32_t* notes) {
  switch (weighting) {
    case MR_WEIGHTING_A:
      return add_curve(&curve_a, fs, draft, notes);
    case MR_WEIGHTING_B:
      return add_curve(&curve_b, fs, draft, notes);
    case MR_WEIGHTING_C:
      return add_curve(&curve_c, fs, draft, notes);
    case MR_WEIGHTING_468:
      return add_curve(&curve_468, fs, draft, notes);
    case MR_WEIGHTING_K:
      return add_k(fs, draft, notes);
    case MR_WEIGHTING_RIAA:
      return add_curve(&curve_riaa, fs, draft, notes);
    case MR_WEIGHTING_NAB:
      return add_curve(&curve_nab, fs, draft, notes);
    case MR_WEIGHTING_DEEMPHASIS_50:
    case MR_WEIGHTING_DEEMPHASIS_75: {
      const double f = weighting == MR_WEIGHTING_DEEMPHASIS_50 ? MICROSECONDS(50.0) : MICROSECONDS(75.0);
      const MrSection section = mr_matched(MR_LOWPASS1, f, fs, 0.5, 0.0, notes);
      mr_draft_section(draft, &section);
      return MR_OK;
    }
  }
  return MR_ERR_RANGE;
}
