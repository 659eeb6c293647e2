/* Designs that move: prototypes that stay, and sections that follow fc, gain and Q smoothly.
   SPDX-License-Identifier: ISC */
#include "family.h"
#include "limits.h"
#include "single.h"

static bool family_moves(const MrDesign* design) {
  const bool type = design->type == MR_BUTTERWORTH || design->type == MR_LINKWITZ_RILEY || design->type == MR_BESSEL;
  return type && (design->response == MR_RESPONSE_LP || design->response == MR_RESPONSE_HP);
}

bool mr_design_moves(const MrDesign* design) {
  return design->type == MR_NONE || mr_type_is_second_order(design->type) || mr_type_is_first_order(design->type) || family_moves(design);
}

MrStatus mr_prototype(const MrDesign* design, MrPrototype* prototype) {
  if (design == NULL || prototype == NULL || !mr_design_moves(design)) return MR_ERR_ARGUMENT;
  *prototype = (MrPrototype){.sections = design->type == MR_NONE ? 0 : 1};
  prototype->scaled = design->type == MR_PEAK || design->type == MR_BANDPASS || design->type == MR_NOTCH || design->type == MR_ALLPASS;
  if (mr_type_is_family(design->type)) {
    if (design->order < 1 || design->order > MR_MAX_ORDER) return MR_ERR_RANGE;
    const bool odd = design->type == MR_LINKWITZ_RILEY && design->order % 2 == 1;
    const MrChecked checked = {.order = design->order + (odd ? 1 : 0)};
    prototype->sections = mr_family_poles(design, &checked, prototype->pole);
  }
  return MR_OK;
}

MrStatus mr_design_moving(const MrDesign* design, const MrPrototype* prototype, double fs, MrCascade* cascade, uint32_t* notes) {
  uint32_t found = 0;
  if (cascade == NULL) return MR_ERR_ARGUMENT;
  cascade->n = 0;
  cascade->gain = 1.0;
  if (notes != NULL) *notes = 0;
  if (design == NULL || prototype == NULL || !mr_design_moves(design)) return MR_ERR_ARGUMENT;
  MrStatus status = mr_check_rate(fs);
  if (status != MR_OK || design->type == MR_NONE) return status;
  MrChecked checked;
  status = mr_check_design(design, fs, &checked, &found);
  if (status != MR_OK) return status;
  cascade->n = prototype->sections;
  for (uint32_t k = 0; k < cascade->n; ++k) {
    if (checked.off)
      cascade->section[k] = (MrSection){1.0, 1.0, 1.0, 0.0, 0.0};
    else if (mr_type_is_family(design->type))
      cascade->section[k] = mr_family_section(design, &checked, prototype->pole[k], fs, &found);
    else
      cascade->section[k] = mr_single_section(design, &checked, fs, &found);
  }
  if (notes != NULL) *notes = found;
  return MR_OK;
}
