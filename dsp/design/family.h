/* Families: from a checked design to the sections of a low-pass, high-pass, band-pass, band-stop or all-pass.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_FAMILY_H
#define MILLRACE_DESIGN_FAMILY_H

#include "limits.h"
#include "prototype.h"
#include "section.h"

/* The low-pass prototype of a family; of a Linkwitz-Riley that of one of its two Butterworths. */
void mr_family_prototype(const MrDesign* design, const MrChecked* checked, MrLowpass* lowpass);

/* Appends the sections of a family (not off, response checked). Thread: real-time. */
void mr_family_draft(const MrDesign* design, const MrChecked* checked, double fs, MrDraft* draft, uint32_t* notes);

/* The poles of a low-pass or high-pass family, one a section, in the order that moving cascades keep: low and high Q alternate. Returns
   their number, 16 at most. */
uint32_t mr_family_poles(const MrDesign* design, const MrChecked* checked, MrComplex pole[MR_MAX_ORDER / 2 + 1]);

/* The section of one such pole with gain 1 at DC (LP) or far above (HP), in the design's mode. */
MrSection mr_family_section(const MrDesign* design, const MrChecked* checked, MrComplex pole, double fs, uint32_t* notes);

#endif
