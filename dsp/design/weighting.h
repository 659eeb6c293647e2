/* The weightings of standards.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_WEIGHTING_H
#define MILLRACE_DESIGN_WEIGHTING_H

#include "section.h"

/* Appends the sections of a weighting; its magnitude follows the standard's analogue curve up to Nyquist, 0 dB at 1 kHz, but for
   de-emphasis (0 dB at DC) and K (the standard's own digital filter at 48 kHz, and its analogue parameters by the bilinear transform elsewhere).
   MR_ERR_RANGE for an unknown weighting. Sources:
     A, B, C       IEC 61672-1 (B: IEC 60651): pole frequencies of its exact formulas
     468           ITU-R BS.468-4: poles of its network's polynomial
     K             ITU-R BS.1770-4: a shelf of +4 dB and a high-pass
     RIAA          IEC 60098: 3180, 318 and 75 us, playback
     NAB           NAB tape standard (1965): 3180 and 50 us, playback
     de-emphasis   50 and 75 us
   Thread: real-time; no allocation. */
MrStatus mr_weighting_draft(MrWeighting weighting, double fs, MrDraft* draft, uint32_t* notes);

#endif
