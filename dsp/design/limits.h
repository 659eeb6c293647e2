/* Checks and clamps: from a design as written to the numbers that formulas may take.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_LIMITS_H
#define MILLRACE_DESIGN_LIMITS_H

#include "../millrace.h"

#define MR_MIN_FREQUENCY    0.01    /* Hz */
#define MR_MAX_MATCHED      40000.0 /* Hz; where a matched section runs on above Nyquist */
#define MR_HIGHEST_FRACTION 0.49    /* of fs */
#define MR_MIN_Q            0.01
#define MR_MAX_Q            1000.0
#define MR_HIGHEST_POLE_Q   1e10 /* of a family */
#define MR_MAX_GAIN_DB      60.0
#define MR_MIN_RIPPLE_DB    1e-6
#define MR_MAX_RIPPLE_DB    60.0
#define MR_MAX_STOP_DB      400.0

/* What is common to types that can be designed from (f, Q, gain): checked numbers. */
typedef struct MrChecked {
  bool off;       /* above Nyquist: no filter at this rate */
  uint32_t order; /* families; Linkwitz-Riley: of the whole, even */
  double fc, fc2, q, gain_db;
  double ripple_db, stop_db;
} MrChecked;

bool mr_type_is_second_order(MrFilterType type); /* MR_PEAK .. MR_HIGHSHELF */
bool mr_type_is_first_order(MrFilterType type);  /* MR_LOWPASS1 .. MR_ALLPASS1 */
bool mr_type_is_shelf(MrFilterType type);        /* second or first order */
bool mr_type_is_family(MrFilterType type);       /* MR_BUTTERWORTH .. MR_LINKWITZ_RILEY */

/* True where matched mode has a section of its own for the type (not MR_ALLPASS1). */
bool mr_type_is_matched(MrFilterType type);
/* True where matched mode has a cascade for the family and response: low-passes and high-passes without zeros. */
bool mr_family_is_matched(const MrDesign* design);

/* MR_ERR_RANGE or MR_ERR_NOT_FINITE for a rate outside MR_MIN_RATE .. MR_MAX_RATE. */
MrStatus mr_check_rate(double fs);

/* Checks a design of second or first order or a family; `notes` gains bits. The width becomes Q, a shelf's corner its centre frequency.
   Thread: real-time. */
MrStatus mr_check_design(const MrDesign* design, double fs, MrChecked* checked, uint32_t* notes);

/* value within low and high; `note` is set in *notes if it was not. */
double mr_clamp(double value, double low, double high, uint32_t note, uint32_t* notes);

#endif
