/* Curves: the numbers that pictures and tables show.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_CURVES_H
#define MR_VIEW_CURVES_H

#include "subject.h"

typedef enum MrCurveRole {
  MR_CURVE_WHOLE = 0, /* all that is done to a channel */
  MR_CURVE_BAND,      /* one band of it */
  MR_CURVE_INPUT,     /* a spectrum: levels alone */
  MR_CURVE_OUTPUT
} MrCurveRole;

/* NaN where there is nothing: above Nyquist. -infinity dB is silence. */
typedef struct MrCurve {
  MrCurveRole role;
  char name[MR_VIEW_NAME];
  uint32_t hue;     /* which colour and dashes */
  bool off;         /* greyed */
  uint32_t number;  /* of a band, from 1; 0: none */
  double frequency; /* Hz, where a band's number stands; 0: nowhere */
  double* magnitude_db;
  double* phase;       /* radians, principal value, without the delay; NULL of spectra */
  double* group_delay; /* seconds, with the delay; NULL of spectra */
} MrCurve;

/* All memory is owned by it. */
typedef struct MrCurves {
  double fs;
  uint32_t points, curves;
  double* frequency; /* Hz, ascending */
  MrCurve* curve;    /* bands first, wholes, spectra: those behind are drawn over those before */
} MrCurves;

typedef struct MrCurvesOptions {
  double least_hz, most_hz;
  uint32_t points; /* to begin with, evenly along log frequency; more are put where straight lines between them would miss the curves, */
  double tolerance_db;      /* by more than this, in magnitude, */
  double floor_db;          /* above this level */
  bool phase, delay;        /* or by as much as would be seen, in these */
  bool bands;               /* curves of the bands too */
  bool off;                 /* of bands that are off, where they would do something */
  const char* const* names; /* of the subjects, where there are several; else NULL */
} MrCurvesOptions;

/* Of subjects of one rate; each whole is a curve, named by subject and group. NULL with *status: MR_ERR_MEMORY; MR_ERR_ARGUMENT for subjects of unlike
   rates or a range that is none. Thread: control. */
MrCurves* mr_curves_new(const MrSubject* const* subject, uint32_t subjects, const MrCurvesOptions* options, MrStatus* status);
void mr_curves_free(MrCurves* curves); /* NULL is allowed */

/* A further curve of levels at the points there are; its magnitudes, not set yet, or NULL without memory. */
double* mr_curves_add_levels(MrCurves* curves, MrCurveRole role, const char* name);

/* Where to look: from 20 Hz or a little less than the lowest band up to beyond Nyquist, or to 20 kHz where Nyquist is far above it and nothing
   happens there. */
void mr_curves_choose_range(const MrSubject* const* subject, uint32_t subjects, double* least_hz, double* most_hz);

/* A table of all curves: a header and a row a point, numbers of 9 digits with a decimal point, empty where there is nothing, -inf for silence.
   False where `write` says so. */
bool mr_curves_write_csv(const MrCurves* curves, bool phase, bool delay, MrWrite write, void* handle);

#endif
