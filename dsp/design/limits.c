/* Checks and clamps.
   SPDX-License-Identifier: ISC */
#include "limits.h"

#include <math.h>

#include "angle.h"

bool mr_type_is_second_order(MrFilterType type) { return type >= MR_PEAK && type <= MR_HIGHSHELF; }
bool mr_type_is_first_order(MrFilterType type) { return type >= MR_LOWPASS1 && type <= MR_ALLPASS1; }
bool mr_type_is_family(MrFilterType type) { return type >= MR_BUTTERWORTH && type <= MR_LINKWITZ_RILEY; }

bool mr_type_is_shelf(MrFilterType type) {
  return type == MR_LOWSHELF || type == MR_HIGHSHELF || type == MR_LOWSHELF1 || type == MR_HIGHSHELF1;
}

bool mr_type_is_matched(MrFilterType type) {
  return mr_type_is_second_order(type) || (mr_type_is_first_order(type) && type != MR_ALLPASS1);
}

bool mr_family_is_matched(const MrDesign* design) {
  const bool all_pole =
      design->type == MR_BUTTERWORTH || design->type == MR_BESSEL || design->type == MR_LINKWITZ_RILEY || design->type == MR_CHEBYSHEV1;
  return all_pole && (design->response == MR_RESPONSE_LP || design->response == MR_RESPONSE_HP);
}

MrStatus mr_check_rate(double fs) {
  if (!isfinite(fs)) return MR_ERR_NOT_FINITE;
  return fs >= MR_MIN_RATE && fs <= MR_MAX_RATE ? MR_OK : MR_ERR_RANGE;
}

double mr_clamp(double value, double low, double high, uint32_t note, uint32_t* notes) {
  if (value >= low && value <= high) return value;
  *notes |= note;
  return value < low ? low : high;
}

/* RBJ's shelf slope S. */
static double slope_of(const MrDesign* design) {
  return design->width_unit == MR_WIDTH_DB_PER_OCTAVE ? design->width / 12.0 : design->width;
}

static bool width_is_slope(const MrDesign* design) {
  return design->width_unit == MR_WIDTH_SHELF_SLOPE || design->width_unit == MR_WIDTH_DB_PER_OCTAVE;
}

/* 1/Q before it is clamped; +infinity for what is not wider than nothing. */
static double damping_of(const MrDesign* design, const MrChecked* checked, double fs) {
  if (design->width_unit == MR_WIDTH_OCTAVES) {
    double stretch = 1.0; /* RBJ: of the bandwidth, by the bilinear transform, at the centre; an analogue filter has none */
    if (design->mode == MR_MODE_RBJ) {
      double sine, cosine;
      mr_angle(checked->fc, fs, &sine, &cosine);
      stretch = 2.0 * MR_PI * checked->fc / fs / (2.0 * sine * cosine);
    }
    return 2.0 * sinh(fmax(0.0, 0.5 * 0.69314718055994531 * design->width * stretch));
  }
  if (width_is_slope(design)) {
    const double slope = fmax(slope_of(design), 0.0), a = pow(10.0, checked->gain_db / 40.0);
    return sqrt(fmax(0.0, (a + 1.0 / a) * (1.0 / slope - 1.0) + 2.0));
  }
  return 1.0 / fmax(design->width, 0.0);
}

/* Where a shelf's corner is named, its centre lies half the transition further in. */
static double centre_of(const MrDesign* design, const MrChecked* checked) {
  const double slope = fmax(slope_of(design), 0.05);
  const double ratio = pow(10.0, fabs(checked->gain_db) / 80.0 / slope);
  return design->type == MR_LOWSHELF ? design->fc * ratio : design->fc / ratio;
}

static MrStatus check_section(const MrDesign* design, double fs, MrChecked* checked, uint32_t* notes) {
  const bool second = mr_type_is_second_order(design->type), shelf = mr_type_is_shelf(design->type);
  const bool gain = shelf || design->type == MR_PEAK;
  if (!isfinite(design->fc) || (gain && !isfinite(design->gain_db)) || (second && !isfinite(design->width))) return MR_ERR_NOT_FINITE;
  if (second && (design->width_unit > MR_WIDTH_DB_PER_OCTAVE || (width_is_slope(design) && !shelf))) return MR_ERR_ARGUMENT;
  if (gain) checked->gain_db = mr_clamp(design->gain_db, -MR_MAX_GAIN_DB, MR_MAX_GAIN_DB, MR_NOTE_GAIN_CLAMPED, notes);

  const bool through = design->mode == MR_MODE_MATCHED && mr_type_is_matched(design->type) && design->type != MR_ALLPASS;
  const double top = MR_HIGHEST_FRACTION * fs;
  double fc = design->fc;
  if (second && shelf && design->corner && width_is_slope(design)) fc = centre_of(design, checked);
  if (!through && fc > top) {
    checked->off = true;
    return MR_OK;
  }
  checked->fc = mr_clamp(fc, MR_MIN_FREQUENCY, through ? fmax(top, MR_MAX_MATCHED) : top, MR_NOTE_FREQUENCY_CLAMPED, notes);
  if (second) {
    const double damping = damping_of(design, checked, fs);
    checked->q = mr_clamp(1.0 / damping, MR_MIN_Q, MR_MAX_Q, MR_NOTE_WIDTH_CLAMPED, notes);
  }
  return MR_OK;
}

static bool has_response(MrFilterType type, MrResponse response) {
  if (response == MR_RESPONSE_LP || response == MR_RESPONSE_HP) return true;
  if (response == MR_RESPONSE_BP || response == MR_RESPONSE_BS) return type != MR_LINKWITZ_RILEY;
  return response == MR_RESPONSE_AP && type == MR_BUTTERWORTH;
}

static MrStatus check_family(const MrDesign* design, double fs, MrChecked* checked, uint32_t* notes) {
  const bool band = design->response == MR_RESPONSE_BP || design->response == MR_RESPONSE_BS;
  const bool ripple = design->type == MR_CHEBYSHEV1 || design->type == MR_ELLIPTIC;
  const bool stop = design->type == MR_CHEBYSHEV2 || design->type == MR_ELLIPTIC;
  if (!isfinite(design->fc) || (band && !isfinite(design->fc2)) || (ripple && !isfinite(design->ripple_db)) ||
      (stop && !isfinite(design->stop_db)))
    return MR_ERR_NOT_FINITE;
  if (!has_response(design->type, design->response)) return MR_ERR_ARGUMENT;
  if (design->order < 1 || design->order > MR_MAX_ORDER) return MR_ERR_RANGE;
  if ((ripple && design->ripple_db <= 0.0) || (stop && design->stop_db <= 0.0)) return MR_ERR_RANGE;
  if (band && design->fc2 <= design->fc) return MR_ERR_RANGE;

  checked->order = design->order;
  if (design->type == MR_LINKWITZ_RILEY && design->order % 2 == 1) {
    checked->order += 1;
    *notes |= MR_NOTE_ORDER_CLAMPED;
  }
  if (ripple) checked->ripple_db = mr_clamp(design->ripple_db, MR_MIN_RIPPLE_DB, MR_MAX_RIPPLE_DB, MR_NOTE_RIPPLE_CLAMPED, notes);
  if (stop) checked->stop_db = mr_clamp(design->stop_db, MR_MIN_RIPPLE_DB, MR_MAX_STOP_DB, MR_NOTE_RIPPLE_CLAMPED, notes);
  /* An elliptic filter needs a step from ripple to stop band; 1 part in 1e9 keeps its moduli apart. */
  if (design->type == MR_ELLIPTIC && checked->stop_db < checked->ripple_db * (1.0 + 1e-9)) return MR_ERR_RANGE;

  const double top = MR_HIGHEST_FRACTION * fs;
  if (design->fc > top || (band && design->fc2 > top)) {
    checked->off = true;
    return MR_OK;
  }
  checked->fc = mr_clamp(design->fc, MR_MIN_FREQUENCY, top, MR_NOTE_FREQUENCY_CLAMPED, notes);
  checked->fc2 = band ? mr_clamp(design->fc2, MR_MIN_FREQUENCY, top, MR_NOTE_FREQUENCY_CLAMPED, notes) : 0.0;
  return band && checked->fc2 <= checked->fc ? MR_ERR_RANGE : MR_OK;
}

MrStatus mr_check_design(const MrDesign* design, double fs, MrChecked* checked, uint32_t* notes) {
  *checked = (MrChecked){.q = 0.5};
  const MrStatus status =
      mr_type_is_family(design->type) ? check_family(design, fs, checked, notes) : check_section(design, fs, checked, notes);
  if (status == MR_OK && checked->off) *notes |= MR_NOTE_ABOVE_NYQUIST;
  return status;
}
