/* Analogue filters by their roots.
   SPDX-License-Identifier: ISC

   The magnitude follows the analogue filter up to Nyquist: real roots become first-order matched sections, pairs second-order ones. Two
   kinds of lists have no such form and are carried over by the plain bilinear transform, without prewarping: zeros in the right half-plane (their
   phase would be lost), and more roots than 32 sections hold. */
#ifndef MILLRACE_DESIGN_ANALOGUE_H
#define MILLRACE_DESIGN_ANALOGUE_H

#include "section.h"

/* Appends the sections of a list of roots; |H| at 1 kHz becomes `gain` (linear, its sign kept). Where the digital filter has 1 kHz well below
   Nyquist the level is exact there; else it is the analogue filter's. MR_ERR_NOT_FINITE, MR_ERR_UNSTABLE (a pole with re <= 0), MR_ERR_RANGE (more than
   64 roots, more zeros than poles, a zero at 1 kHz). Roots nearer to 0 than 0.01 Hz and Q above 1000 are clamped and noted, and
   MR_NOTE_NOT_MATCHED says that the bilinear transform was used. Thread: real-time; no allocation. */
MrStatus mr_analogue_draft(const MrRoots* roots, double gain, double fs, MrDraft* draft, uint32_t* notes);

#endif
