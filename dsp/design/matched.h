/* Matched sections: magnitude of the analogue filter up to Nyquist.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_MATCHED_H
#define MILLRACE_DESIGN_MATCHED_H

#include "section.h"

/* The matched section of a second-order or first-order type (not MR_ALLPASS1), with its own gain. f > 0 Hz, also above fs/2 (MR_ALLPASS: below);
   Q > 0 (first order: unused); gain_db for peaks and shelves. First-order filters become second-order sections here.
   Always stable; *notes gains MR_NOTE_MATCHED_FALLBACK where the fit was not. Thread: real-time. */
MrSection mr_matched(MrFilterType type, double f, double fs, double q, double gain_db, uint32_t* notes);

/* The matched section of (1 + s / zero) / (1 + s / pole), both real, > 0 and in Hz. Thread: real-time. */
MrSection mr_matched_lead(double zero, double pole, double fs);

#endif
