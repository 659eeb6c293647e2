/* The one entry from a design to sections: checks, clamps, dispatches.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "analogue.h"
#include "family.h"
#include "limits.h"
#include "pairing.h"
#include "rbj.h"
#include "single.h"
#include "weighting.h"

MrDesign mr_design_default(MrFilterType type) {
  return (MrDesign){.type = type,
                    .order = 2,
                    .fc = 1000.0,
                    .fc2 = 2000.0,
                    .width = 0.70710678118654752,
                    .ripple_db = 0.1,
                    .stop_db = 60.0,
                    .transform = {1.0, 1.0, 1.0, 1.0},
                    .roots_gain = 1.0,
                    .b = {1.0, 0.0, 0.0},
                    .a = {1.0, 0.0, 0.0}};
}

static MrStatus coefficients(const MrDesign* design, double fs, MrDraft* draft) {
  if (!isfinite(design->rate)) return MR_ERR_NOT_FINITE;
  if (design->rate != 0.0 && design->rate != fs) return MR_ERR_RATE;
  MrSection section;
  const MrStatus status = mr_section_from_coefficients(design->b, design->a, &section);
  if (status == MR_OK) mr_draft_section(draft, &section);
  return status;
}

static MrStatus linkwitz_transform(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes) {
  const double* t = design->transform;
  for (int k = 0; k < 4; ++k)
    if (!isfinite(t[k])) return MR_ERR_NOT_FINITE;
  if (design->mode == MR_MODE_MATCHED) *notes |= MR_NOTE_NOT_MATCHED;
  const double top = MR_HIGHEST_FRACTION * fs;
  if (t[0] > top || t[2] > top) {
    *notes |= MR_NOTE_ABOVE_NYQUIST;
    return MR_OK;
  }
  const double f0 = mr_clamp(t[0], MR_MIN_FREQUENCY, top, MR_NOTE_FREQUENCY_CLAMPED, notes);
  const double f1 = mr_clamp(t[2], MR_MIN_FREQUENCY, top, MR_NOTE_FREQUENCY_CLAMPED, notes);
  const double q0 = mr_clamp(t[1], MR_MIN_Q, MR_MAX_Q, MR_NOTE_WIDTH_CLAMPED, notes);
  const double q1 = mr_clamp(t[3], MR_MIN_Q, MR_MAX_Q, MR_NOTE_WIDTH_CLAMPED, notes);
  const MrSection section = mr_linkwitz_transform(f0, q0, f1, q1, fs);
  mr_draft_section(draft, &section);
  return MR_OK;
}

static MrStatus analogue(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes) {
  if (design->roots == NULL) return MR_ERR_ARGUMENT;
  if (!isfinite(design->roots_gain) || !isfinite(design->gain_db)) return MR_ERR_NOT_FINITE;
  const double gain_db = mr_clamp(design->gain_db, -MR_MAX_GAIN_DB, MR_MAX_GAIN_DB, MR_NOTE_GAIN_CLAMPED, notes);
  return mr_analogue_draft(design->roots, design->roots_gain * pow(10.0, gain_db / 20.0), fs, draft, notes);
}

/* A filter so steep that a resonance is narrower than doubles can place it: an elliptic step of hundredths of a dB at a high order, say. */
static bool can_run(const MrDraft* draft) {
  for (uint32_t k = 0; k < draft->n; ++k) {
    const MrSection* c = &draft->section[k];
    if (!mr_section_is_finite(c) || !mr_section_is_stable(c) || !(mr_section_q(c) <= MR_HIGHEST_POLE_Q)) return false;
  }
  return isfinite(draft->gain.mantissa);
}

static MrStatus checked_types(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes) {
  MrChecked checked;
  const MrStatus status = mr_check_design(design, fs, &checked, notes);
  if (status != MR_OK || checked.off) return status;
  if (mr_type_is_family(design->type)) {
    mr_family_draft(design, &checked, fs, draft, notes);
    if (!can_run(draft)) return MR_ERR_RANGE;
  } else {
    const MrSection section = mr_single_section(design, &checked, fs, notes);
    mr_draft_section(draft, &section);
  }
  return MR_OK;
}

static MrStatus make_draft(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes) {
  switch (design->type) {
    case MR_NONE:
      return MR_OK;
    case MR_COEFFICIENTS:
      return coefficients(design, fs, draft);
    case MR_LINKWITZ_TRANSFORM:
      return linkwitz_transform(design, fs, draft, notes);
    case MR_WEIGHTING:
      return mr_weighting_draft(design->weighting, fs, draft, notes);
    case MR_ANALOGUE:
      return analogue(design, fs, draft, notes);
    default:
      if (!mr_type_is_second_order(design->type) && !mr_type_is_first_order(design->type) && !mr_type_is_family(design->type))
        return MR_ERR_ARGUMENT;
      return checked_types(design, fs, draft, notes);
  }
}

MrStatus mr_design(const MrDesign* design, double fs, MrCascade* cascade, uint32_t* notes) {
  uint32_t found = 0;
  MrDraft draft;
  if (cascade == NULL) return MR_ERR_ARGUMENT;
  cascade->n = 0;
  cascade->gain = 1.0;
  if (notes != NULL) *notes = 0;
  if (design == NULL) return MR_ERR_ARGUMENT;
  MrStatus status = mr_check_rate(fs);
  mr_draft_start(&draft);
  if (status == MR_OK) status = make_draft(design, fs, &draft, &found);
  if (status != MR_OK) return status;
  mr_pairing_condition(&draft, cascade);
  if (notes != NULL) *notes = found;
  return MR_OK;
}

bool mr_design_is_off(const MrDesign* design, double fs) {
  MrChecked checked;
  uint32_t notes = 0;
  return mr_check_rate(fs) != MR_OK || mr_check_design(design, fs, &checked, &notes) != MR_OK || checked.off;
}
