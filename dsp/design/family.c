/* Families: from a checked design to sections.
   SPDX-License-Identifier: ISC */
#include "family.h"

#include <math.h>

#include "angle.h"
#include "matched.h"
#include "transform.h"

void mr_family_prototype(const MrDesign* design, const MrChecked* checked, MrLowpass* lowpass) {
  switch (design->type) {
    case MR_BESSEL:
      mr_prototype_bessel(checked->order, lowpass);
      break;
    case MR_CHEBYSHEV1:
      mr_prototype_chebyshev1(checked->order, checked->ripple_db, lowpass);
      break;
    case MR_CHEBYSHEV2:
      mr_prototype_chebyshev2(checked->order, checked->stop_db, lowpass);
      break;
    case MR_ELLIPTIC:
      mr_prototype_elliptic(checked->order, checked->ripple_db, checked->stop_db, lowpass);
      break;
    case MR_LINKWITZ_RILEY:
      mr_prototype_butterworth(checked->order / 2, lowpass);
      break;
    default:
      mr_prototype_butterworth(checked->order, lowpass);
      break;
  }
}

MrSection mr_family_section(const MrDesign* design, const MrChecked* checked, MrComplex pole, double fs, uint32_t* notes) {
  const bool highpass = design->response == MR_RESPONSE_HP;
  if (design->mode == MR_MODE_RBJ) return mr_transform_pole(pole, highpass, mr_prewarp(checked->fc, fs));
  const double size = hypot(pole.re, pole.im);
  const double f = highpass ? checked->fc / size : checked->fc * size;
  if (pole.im == 0.0) return mr_matched(highpass ? MR_HIGHPASS1 : MR_LOWPASS1, f, fs, 0.5, 0.0, notes);
  return mr_matched(highpass ? MR_HIGHPASS : MR_LOWPASS, f, fs, size / (-2.0 * pole.re), 0.0, notes);
}

uint32_t mr_family_poles(const MrDesign* design, const MrChecked* checked, MrComplex pole[MR_MAX_ORDER / 2 + 1]) {
  MrLowpass lowpass;
  MrComplex rising[MR_MAX_ORDER / 2 + 1]; /* Q */
  const uint32_t copies = design->type == MR_LINKWITZ_RILEY ? 2 : 1;
  uint32_t n = 0;
  mr_family_prototype(design, checked, &lowpass);
  for (uint32_t c = 0; lowpass.real && c < copies; ++c) rising[n++] = (MrComplex){lowpass.real_pole, 0.0};
  for (uint32_t k = lowpass.pairs; k-- > 0;)
    for (uint32_t c = 0; c < copies; ++c) rising[n++] = lowpass.pole[k];
  for (uint32_t k = 0; k < n; ++k) pole[k] = rising[mr_interleave(k, n)];
  return n;
}

/* Every section by itself, each matched to its own analogue one. */
static void matched_cascade(const MrDesign* design, const MrChecked* checked, double fs, MrDraft* draft, uint32_t* notes) {
  MrComplex pole[MR_MAX_ORDER / 2 + 1];
  MrLowpass lowpass;
  const uint32_t n = mr_family_poles(design, checked, pole);
  mr_family_prototype(design, checked, &lowpass);
  mr_draft_gain(draft, lowpass.gain);
  for (uint32_t k = 0; k < n; ++k) {
    const MrSection section = mr_family_section(design, checked, pole[k], fs, notes);
    mr_draft_section(draft, &section);
  }
}

void mr_family_draft(const MrDesign* design, const MrChecked* checked, double fs, MrDraft* draft, uint32_t* notes) {
  if (design->mode == MR_MODE_MATCHED) {
    if (mr_family_is_matched(design)) {
      matched_cascade(design, checked, fs, draft, notes);
      return;
    }
    *notes |= MR_NOTE_NOT_MATCHED;
  }
  MrLowpass lowpass;
  mr_family_prototype(design, checked, &lowpass);
  const bool has_zeros = design->type == MR_CHEBYSHEV2 || design->type == MR_ELLIPTIC;
  const long double g = has_zeros ? mr_prewarp_fine(checked->fc, fs) : mr_prewarp(checked->fc, fs);
  for (int copies = design->type == MR_LINKWITZ_RILEY ? 2 : 1; copies > 0; --copies) {
    switch (design->response) {
      case MR_RESPONSE_LP:
        mr_transform_lowpass(&lowpass, g, draft);
        break;
      case MR_RESPONSE_HP:
        mr_transform_highpass(&lowpass, g, draft);
        break;
      case MR_RESPONSE_BP:
        mr_transform_bandpass(&lowpass, checked->fc, checked->fc2, fs, draft);
        break;
      case MR_RESPONSE_BS:
        mr_transform_bandstop(&lowpass, checked->fc, checked->fc2, fs, draft);
        break;
      case MR_RESPONSE_AP:
        mr_transform_allpass(&lowpass, (double)g, draft);
        break;
    }
  }
}
