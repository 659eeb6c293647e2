/* Designs as a bank keeps them: owned, in one canonical form, checked.
   SPDX-License-Identifier: ISC */
#include "designs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bank.h"

unsigned mr_designs_fields(MrFilterType type) {
  switch (type) {
    case MR_PEAK:
    case MR_LOWSHELF:
    case MR_HIGHSHELF:
      return MR_FIELD_FC | MR_FIELD_GAIN | MR_FIELD_WIDTH;
    case MR_LOWPASS:
    case MR_HIGHPASS:
    case MR_BANDPASS:
    case MR_NOTCH:
    case MR_ALLPASS:
      return MR_FIELD_FC | MR_FIELD_WIDTH;
    case MR_LOWSHELF1:
    case MR_HIGHSHELF1:
      return MR_FIELD_FC | MR_FIELD_GAIN;
    case MR_LOWPASS1:
    case MR_HIGHPASS1:
    case MR_ALLPASS1:
      return MR_FIELD_FC;
    case MR_BUTTERWORTH:
    case MR_BESSEL:
    case MR_LINKWITZ_RILEY:
      return MR_FIELD_FC | MR_FIELD_ORDER;
    case MR_CHEBYSHEV1:
      return MR_FIELD_FC | MR_FIELD_ORDER | MR_FIELD_RIPPLE;
    case MR_CHEBYSHEV2:
      return MR_FIELD_FC | MR_FIELD_ORDER | MR_FIELD_STOP;
    case MR_ELLIPTIC:
      return MR_FIELD_FC | MR_FIELD_ORDER | MR_FIELD_RIPPLE | MR_FIELD_STOP;
    default:
      return 0;
  }
}

bool mr_designs_is_shelf(MrFilterType type) { return type == MR_LOWSHELF || type == MR_HIGHSHELF; }
bool mr_designs_is_family(MrFilterType type) { return (mr_designs_fields(type) & MR_FIELD_ORDER) != 0; }
bool mr_designs_has_two_corners(const MrDesign* design) {
  return mr_designs_is_family(design->type) && (design->response == MR_RESPONSE_BP || design->response == MR_RESPONSE_BS);
}

/* A root of 0 + -0 j is one of 0 + 0 j, and entries beyond the counts are 0. */
static MrRoots* copied_roots(const MrRoots* from) {
  MrRoots* roots = calloc(1, sizeof *roots);
  if (!roots) return NULL;
  roots->zeros = from->zeros;
  roots->poles = from->poles;
  for (uint32_t i = 0; i < from->zeros; i++) roots->zero[i] = (MrComplex){from->zero[i].re, from->zero[i].im == 0 ? 0.0 : from->zero[i].im};
  for (uint32_t i = 0; i < from->poles; i++) roots->pole[i] = (MrComplex){from->pole[i].re, from->pole[i].im == 0 ? 0.0 : from->pole[i].im};
  return roots;
}

MrStatus mr_designs_copy(const MrDesign* from, MrDesign* to) {
  const unsigned fields = mr_designs_fields(from->type);
  MrDesign copy = mr_design_default(from->type);
  if (from->type != MR_NONE && from->type != MR_COEFFICIENTS) copy.mode = from->mode;
  if (fields & MR_FIELD_FC) copy.fc = from->fc;
  if (fields & MR_FIELD_GAIN) copy.gain_db = from->gain_db;
  if (fields & MR_FIELD_RIPPLE) copy.ripple_db = from->ripple_db;
  if (fields & MR_FIELD_STOP) copy.stop_db = from->stop_db;
  if (fields & MR_FIELD_WIDTH) {
    copy.width = from->width;
    copy.width_unit = from->width_unit;
    copy.corner = mr_designs_is_shelf(from->type) && from->corner &&
                  (from->width_unit == MR_WIDTH_SHELF_SLOPE || from->width_unit == MR_WIDTH_DB_PER_OCTAVE);
  }
  if (fields & MR_FIELD_ORDER) {
    copy.order = from->order;
    copy.response = from->response;
    if (mr_designs_has_two_corners(from)) copy.fc2 = from->fc2;
  }
  if (from->type == MR_WEIGHTING) copy.weighting = from->weighting;
  if (from->type == MR_LINKWITZ_TRANSFORM) memcpy(copy.transform, from->transform, sizeof copy.transform);
  if (from->type == MR_COEFFICIENTS) {
    copy.rate = from->rate == 0 ? 0 : from->rate; /* a rate of -0 is none either */
    memcpy(copy.b, from->b, sizeof copy.b);
    memcpy(copy.a, from->a, sizeof copy.a);
  }
  copy.roots = NULL;
  if (from->type == MR_ANALOGUE) {
    copy.roots_gain = from->roots_gain;
    if (!from->roots || from->roots->zeros > MR_MAX_ROOTS || from->roots->poles > MR_MAX_ROOTS) return MR_ERR_ARGUMENT;
    copy.roots = copied_roots(from->roots);
    if (!copy.roots) return MR_ERR_MEMORY;
  }
  *to = copy;
  return MR_OK;
}

void mr_designs_free(MrDesign* design) {
  free((void*)design->roots); /* owned since mr_designs_copy made it */
  design->roots = NULL;
}

static bool same_list(const double* a, const double* b, size_t n) { return memcmp(a, b, n * sizeof *a) == 0; }

static bool same_roots(const MrRoots* a, const MrRoots* b) {
  if (!a || !b) return a == b;
  return a->zeros == b->zeros && a->poles == b->poles && memcmp(a->zero, b->zero, a->zeros * sizeof a->zero[0]) == 0 &&
         memcmp(a->pole, b->pole, a->poles * sizeof a->pole[0]) == 0;
}

bool mr_designs_equal(const MrDesign* a, const MrDesign* b) {
  return a->type == b->type && a->mode == b->mode && a->response == b->response && a->width_unit == b->width_unit &&
         a->corner == b->corner && a->weighting == b->weighting && a->order == b->order && mr_same_double(a->fc, b->fc) &&
         mr_same_double(a->fc2, b->fc2) && mr_same_double(a->gain_db, b->gain_db) && mr_same_double(a->width, b->width) &&
         mr_same_double(a->ripple_db, b->ripple_db) && mr_same_double(a->stop_db, b->stop_db) && same_list(a->transform, b->transform, 4) &&
         same_roots(a->roots, b->roots) && mr_same_double(a->roots_gain, b->roots_gain) && mr_same_double(a->rate, b->rate) &&
         same_list(a->b, b->b, 3) && same_list(a->a, b->a, 3);
}

/* -------------------------------------------------------------- checking */

static MrStatus refused(MrStatus status, const char* text, const char** why) {
  *why = text;
  return status;
}

static bool all_finite(const double* x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static MrStatus check_family(const MrDesign* design, const char** why) {
  if (design->response < MR_RESPONSE_LP || design->response > MR_RESPONSE_AP) return refused(MR_ERR_ARGUMENT, "has no such response", why);
  if (design->order < 1 || design->order > MR_MAX_ORDER) return refused(MR_ERR_RANGE, "has an order from 1 to 32", why);
  if (design->type == MR_LINKWITZ_RILEY && design->response != MR_RESPONSE_LP && design->response != MR_RESPONSE_HP)
    return refused(MR_ERR_ARGUMENT, "is a low-pass or a high-pass, LP or HP", why);
  if (design->type == MR_LINKWITZ_RILEY && design->order % 2) return refused(MR_ERR_RANGE, "has an even order", why);
  if (design->response == MR_RESPONSE_AP && design->type != MR_BUTTERWORTH)
    return refused(MR_ERR_ARGUMENT, "has no all-pass; Butterworth has", why);
  if (mr_designs_has_two_corners(design) && !(design->fc2 > design->fc))
    return refused(MR_ERR_RANGE, "needs a second frequency above the first", why);
  const unsigned fields = mr_designs_fields(design->type);
  if ((fields & MR_FIELD_RIPPLE) && !(design->ripple_db > 0)) return refused(MR_ERR_RANGE, "needs a ripple above 0 dB", why);
  if ((fields & MR_FIELD_STOP) && !(design->stop_db > 0)) return refused(MR_ERR_RANGE, "needs a stop-band attenuation above 0 dB", why);
  if (design->type == MR_ELLIPTIC && !(design->stop_db > design->ripple_db))
    return refused(MR_ERR_RANGE, "needs a stop-band attenuation above its ripple", why);
  return MR_OK;
}

static MrStatus check_coefficients(const MrDesign* design, const char** why) {
  if (!all_finite(design->b, 3) || !all_finite(design->a, 3)) return refused(MR_ERR_NOT_FINITE, "has a number that is not finite", why);
  if (!isfinite(design->rate)) return refused(MR_ERR_NOT_FINITE, "has a rate that is not finite", why);
  MrSection section;
  switch (mr_section_from_coefficients(design->b, design->a, &section)) {
    case MR_OK:
      return MR_OK;
    case MR_ERR_UNSTABLE:
      return refused(MR_ERR_UNSTABLE, "is unstable: a pole lies on or outside the unit circle", why);
    case MR_ERR_RANGE:
      return refused(MR_ERR_RANGE, "has a0 = 0", why);
    default:
      return refused(MR_ERR_NOT_FINITE, "is not finite once divided by a0", why);
  }
}

static uint32_t root_degree(const MrComplex* root, uint32_t n) {
  uint32_t degree = n;
  for (uint32_t i = 0; i < n; i++) degree += root[i].im != 0;
  return degree;
}

static MrStatus check_roots(const MrDesign* design, const char** why) {
  const MrRoots* roots = design->roots;
  if (!roots || roots->zeros > MR_MAX_ROOTS || roots->poles > MR_MAX_ROOTS)
    return refused(MR_ERR_RANGE, "has at most 64 zeros and 64 poles", why);
  for (uint32_t i = 0; i < roots->zeros; i++)
    if (!all_finite(&roots->zero[i].re, 1) || !all_finite(&roots->zero[i].im, 1))
      return refused(MR_ERR_NOT_FINITE, "has a zero that is not finite", why);
  for (uint32_t i = 0; i < roots->poles; i++) {
    if (!all_finite(&roots->pole[i].re, 1) || !all_finite(&roots->pole[i].im, 1))
      return refused(MR_ERR_NOT_FINITE, "has a pole that is not finite", why);
    if (!(roots->pole[i].re > 0)) return refused(MR_ERR_UNSTABLE, "is unstable: a pole is written as a number above 0", why);
  }
  const uint32_t zeros = root_degree(roots->zero, roots->zeros), poles = root_degree(roots->pole, roots->poles);
  if (zeros > MR_MAX_ROOTS || poles > MR_MAX_ROOTS) return refused(MR_ERR_RANGE, "has at most 64 zeros and 64 poles", why);
  if (zeros > poles) return refused(MR_ERR_RANGE, "has more zeros than poles", why);
  for (uint32_t i = 0; i < roots->zeros; i++) /* then no gain makes |H| what was asked for */
    if (roots->zero[i].re == 0 && fabs(roots->zero[i].im) == 1000.0)
      return refused(MR_ERR_RANGE, "is 0 at 1 kHz, where its gain holds", why);
  if (!isfinite(design->roots_gain)) return refused(MR_ERR_NOT_FINITE, "has a gain that is not finite", why);
  if (!(design->roots_gain > 0)) return refused(MR_ERR_RANGE, "needs a gain above 0", why);
  return MR_OK;
}

MrStatus mr_designs_check(const MrDesign* design, const char** why) {
  const unsigned fields = mr_designs_fields(design->type);
  *why = "";
  if ((fields & MR_FIELD_FC) && !isfinite(design->fc)) return refused(MR_ERR_NOT_FINITE, "has a frequency that is not finite", why);
  if ((fields & MR_FIELD_GAIN) && !isfinite(design->gain_db)) return refused(MR_ERR_NOT_FINITE, "has a gain that is not finite", why);
  if ((fields & MR_FIELD_RIPPLE) && !isfinite(design->ripple_db)) return refused(MR_ERR_NOT_FINITE, "has a ripple that is not finite", why);
  if ((fields & MR_FIELD_STOP) && !isfinite(design->stop_db))
    return refused(MR_ERR_NOT_FINITE, "has a stop-band attenuation that is not finite", why);
  if (mr_designs_has_two_corners(design) && !isfinite(design->fc2))
    return refused(MR_ERR_NOT_FINITE, "has a frequency that is not finite", why);
  if (fields & MR_FIELD_WIDTH) {
    if (!isfinite(design->width)) return refused(MR_ERR_NOT_FINITE, "has a width that is not finite", why);
    if (design->width_unit > MR_WIDTH_OCTAVES && !mr_designs_is_shelf(design->type))
      return refused(MR_ERR_ARGUMENT, "has no slope; shelves have", why);
  }
  if (fields & MR_FIELD_ORDER) return check_family(design, why);
  if (design->type == MR_COEFFICIENTS) return check_coefficients(design, why);
  if (design->type == MR_ANALOGUE) return check_roots(design, why);
  if (design->type == MR_WEIGHTING && (design->weighting < MR_WEIGHTING_A || design->weighting > MR_WEIGHTING_DEEMPHASIS_75))
    return refused(MR_ERR_ARGUMENT, "is not known", why);
  if (design->type == MR_LINKWITZ_TRANSFORM)
    for (int i = 0; i < 4; i++) {
      if (!isfinite(design->transform[i])) return refused(MR_ERR_NOT_FINITE, "has a number that is not finite", why);
      if (!(design->transform[i] > 0)) return refused(MR_ERR_RANGE, "needs numbers above 0", why);
    }
  return MR_OK;
}
