/* Coefficients of one rate carried over to another.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "limits.h"
#include "pairing.h"
#include "transform.h"

/* The section at the other rate: z to s by the inverse bilinear transform at `from`, s to z by the bilinear transform at `to`. In
   S = (1 - 1/z) / (1 + 1/z) a section is a quotient of quadratics, and the two rates differ by the factor to / from of S. */
static MrSection carried(const MrSection* c, double from, double to) {
  const double ratio = to / from;
  const double sum = fma(c->D, c->s, c->e1), difference = fma(c->D, c->P, c->e2);
  MrAnalogueSection a;
  if (c->P == 1.0 && c->e2 == 0.0) { /* first order: (1 + a1/z), s = 1 + a1 */
    const double top = (2.0 - c->s) * ratio;
    a = (MrAnalogueSection){.first = true, .n1 = (2.0 * c->D - sum) * ratio / top, .n0 = sum / top, .d0 = c->s / top};
  } else {
    const double top = ((4.0 - c->s) - 2.0 * c->P) * ratio * ratio;
    a = (MrAnalogueSection){.first = false,
                            .n2 = ((4.0 * c->D - sum) - 2.0 * difference) * ratio * ratio / top,
                            .n1 = 2.0 * difference * ratio / top,
                            .n0 = sum / top,
                            .d1 = 2.0 * c->P * ratio / top,
                            .d0 = c->s / top};
  }
  return mr_bilinear(&a);
}

/* Largest deviation in dB below 0.45 of the lower rate, where either is above -120 dB: on a logarithmic grid and around the resonance. */
static double deviation(const MrSection* from, double from_rate, const MrSection* to, double to_rate) {
  enum { STEPS = 2000 };
  const double top = 0.45 * fmin(from_rate, to_rate);
  const double x = fmin(1.0, from->s / (4.0 - 2.0 * from->P)), resonance = asin(sqrt(x)) * from_rate / 3.14159265358979323846;
  double worst = 0.0;
  for (int k = 0; k <= 2 * STEPS; ++k) {
    const double log_f = top * exp2(-16.0 * (double)(k % (STEPS + 1)) / STEPS);
    const double f = k <= STEPS ? log_f : fmin(top, resonance * exp2((double)(k - STEPS) / STEPS - 0.5));
    const double a = mr_sections_response(from, 1, 1.0, from_rate, f).magnitude_db;
    const double b = mr_sections_response(to, 1, 1.0, to_rate, f).magnitude_db;
    if (fmax(a, b) > -120.0) worst = fmax(worst, fabs(fmax(a, -300.0) - fmax(b, -300.0)));
  }
  return worst;
}

MrStatus mr_design_convert(const MrDesign* design, double fs, MrCascade* cascade, uint32_t* notes, double* error_db) {
  if (error_db != NULL) *error_db = 0.0;
  if (design == NULL || design->type != MR_COEFFICIENTS || design->rate == 0.0 || design->rate == fs)
    return mr_design(design, fs, cascade, notes);
  if (cascade == NULL) return MR_ERR_ARGUMENT;
  cascade->n = 0;
  cascade->gain = 1.0;
  if (notes != NULL) *notes = 0;
  MrStatus status = mr_check_rate(fs);
  if (status == MR_OK) status = mr_check_rate(design->rate);
  MrSection from;
  if (status == MR_OK) status = mr_section_from_coefficients(design->b, design->a, &from);
  if (status != MR_OK) return status;
  const MrSection to = carried(&from, design->rate, fs);
  if (!mr_section_is_finite(&to)) return MR_ERR_NOT_FINITE;
  if (!mr_section_is_stable(&to)) return MR_ERR_UNSTABLE;
  MrDraft draft;
  mr_draft_start(&draft);
  mr_draft_section(&draft, &to);
  mr_pairing_condition(&draft, cascade);
  if (notes != NULL) *notes = MR_NOTE_RATE_CONVERTED;
  if (error_db != NULL) *error_db = deviation(&from, design->rate, &to, fs);
  return MR_OK;
}
