/* Ranges, grid steps and the words at them.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"

#define GENTLE_DB 24.0 /* what stays within this is shown about 0 dB */
#define STEEP_DB  60.0
#define HEADROOM  1.0  /* dB between the highest curve and the upper edge, at least */
#define LEVELS_DB 60.0 /* of spectra, at least */

static double first_step(const double* steps, size_t count, double range, double lines) {
  for (size_t i = 0; i < count; i++)
    if (range / steps[i] <= lines) return steps[i];
  return steps[count - 1] * ceil(range / steps[count - 1] / fmax(lines, 1));
}

double mr_axis_step(double range, double lines) {
  static const double digits[] = {1, 2, 5, 10};
  const double power = pow(10, floor(log10(range / fmax(lines, 1))));
  for (size_t i = 0; i < 4; i++)
    if (range / (digits[i] * power) <= lines * (1 + 1e-9)) return digits[i] * power;
  return 10 * power;
}

double mr_axis_step_db(double range, double lines) {
  static const double steps[] = {1, 2, 3, 6, 12, 24, 48};
  return range / lines < 1 ? fmin(mr_axis_step(range, lines), 1) : first_step(steps, sizeof steps / sizeof *steps, range, lines);
}

double mr_axis_step_degrees(double range, double lines) {
  static const double steps[] = {1, 2, 5, 10, 15, 30, 45, 90, 180};
  return first_step(steps, sizeof steps / sizeof *steps, range, lines);
}

void mr_axis_label(double value, double step, bool sign, char* text, size_t size) {
  const int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
  const double shown = fabs(value) < step * 1e-6 ? 0 : value;
  if (shown == 0) {
    snprintf(text, size, "0");
    return;
  }
  snprintf(text, size, "%s%.*f", shown < 0 ? "\xe2\x88\x92" : sign ? "+" : "", digits, fabs(shown));
}

void mr_axis_label_hz(double f, char* text, size_t size) {
  if (f >= 1e6)
    snprintf(text, size, "%.3gM", f / 1e6);
  else if (f >= 999.5)
    snprintf(text, size, "%.3gk", f / 1e3);
  else
    snprintf(text, size, "%.3g", f);
}

static const double* values_of(const MrCurve* curve, MrQuantity quantity) {
  return quantity == MR_MAGNITUDE ? curve->magnitude_db : quantity == MR_PHASE ? curve->phase : curve->group_delay;
}

static bool counts(const MrCurve* curve, MrQuantity quantity) {
  if (curve->role == MR_CURVE_WHOLE) return true;
  return quantity == MR_MAGNITUDE && curve->role == MR_CURVE_BAND && !curve->off;
}

bool mr_picture_extent(const MrPicture* picture, MrQuantity quantity, double* least, double* most) {
  const MrCurves* curves = picture->curves;
  *least = INFINITY;
  *most = -INFINITY;
  for (uint32_t c = 0; c < curves->curves; c++) {
    const MrCurve* curve = &curves->curve[c];
    if (!counts(curve, quantity)) continue;
    const double* values = values_of(curve, quantity);
    for (uint32_t i = 0; i < curves->points; i++) {
      if (curves->frequency[i] < picture->least_hz || curves->frequency[i] > picture->most_hz || !isfinite(values[i])) continue;
      if (quantity != MR_MAGNITUDE && !(curve->magnitude_db[i] > picture->least_db)) continue; /* who hears it? */
      *least = fmin(*least, values[i]);
      *most = fmax(*most, values[i]);
    }
  }
  return *most >= *least;
}

static void choose_magnitudes(MrPicture* picture) {
  double least, most;
  if (!mr_picture_extent(picture, MR_MAGNITUDE, &least, &most)) least = most = 0;
  const double far = fmax(fabs(least), fabs(most));
  if (far + HEADROOM <= GENTLE_DB) {
    const double edge = far + HEADROOM <= 3 ? 3 : 6 * ceil((far + HEADROOM) / 6);
    picture->least_db = -edge;
    picture->most_db = edge;
    return;
  }
  picture->most_db = fmax(6, 6 * ceil((most + HEADROOM) / 6));
  picture->least_db = fmax(6 * floor((least - HEADROOM) / 6), picture->most_db - (most > -STEEP_DB ? STEEP_DB + 6 : 2 * STEEP_DB));
  if (picture->least_db >= picture->most_db) picture->least_db = picture->most_db - STEEP_DB;
  if (most < -STEEP_DB) picture->most_db = fmax(picture->least_db + STEEP_DB, 6 * ceil((most + HEADROOM) / 6));
}

/* The spectra's loudest stands in the upper part, and there is room for quiet ones. */
static void choose_levels(MrPicture* picture) {
  const MrCurves* curves = picture->curves;
  double most = -INFINITY;
  for (uint32_t c = 0; c < curves->curves; c++)
    for (uint32_t i = 0; curves->curve[c].role >= MR_CURVE_INPUT && i < curves->points; i++)
      if (isfinite(curves->curve[c].magnitude_db[i])) most = fmax(most, curves->curve[c].magnitude_db[i]);
  if (!isfinite(most)) most = 0;
  const double range = picture->most_db - picture->least_db;
  picture->level_per = fmax(1, ceil(LEVELS_DB / range));
  picture->level_top_db = 6 * ceil((most + 0.06 * range * picture->level_per) / 6);
}

void mr_picture_choose(MrPicture* picture) {
  const MrCurves* curves = picture->curves;
  picture->size = sizeof *picture;
  if (picture->least_hz == 0 && picture->most_hz == 0) {
    picture->least_hz = curves->frequency[0];
    picture->most_hz = curves->frequency[curves->points - 1];
  }
  if (picture->least_db == 0 && picture->most_db == 0) choose_magnitudes(picture);
  if (picture->level_per == 0) choose_levels(picture);
}
