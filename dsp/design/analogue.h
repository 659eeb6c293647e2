/* Analogue filters by their roots, and the weightings of standards.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_ANALOGUE_H
#define MILLRACE_DESIGN_ANALOGUE_H

#include "section.h"

MrStatus mr_weighting_draft(MrWeighting weighting, double fs, MrDraft* draft);
MrStatus mr_analogue_draft(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes);

#endif
