/* Types that are one section: RBJ's or matched, as the mode says.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_SINGLE_H
#define MILLRACE_DESIGN_SINGLE_H

#include "limits.h"
#include "section.h"

/* The section of a second-order or first-order type with its own gain. Thread: real-time. */
MrSection mr_single_section(const MrDesign* design, const MrChecked* checked, double fs, uint32_t* notes);

#endif
