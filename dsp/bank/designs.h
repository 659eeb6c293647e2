/* Designs as a bank keeps them: owned, in one canonical form, checked.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_DESIGNS_H
#define MR_BANK_DESIGNS_H

#include "../millrace.h"

/* Which fields a type reads: a set of bits. */
enum {
  MR_FIELD_FC = 1 << 0,
  MR_FIELD_GAIN = 1 << 1,
  MR_FIELD_WIDTH = 1 << 2,
  MR_FIELD_ORDER = 1 << 3,
  MR_FIELD_RIPPLE = 1 << 4,
  MR_FIELD_STOP = 1 << 5
};
unsigned mr_designs_fields(MrFilterType type);
bool mr_designs_is_shelf(MrFilterType type); /* second order */
bool mr_designs_is_family(MrFilterType type);
bool mr_designs_has_two_corners(const MrDesign* design);

/* Copies what the type reads onto the type's default, so that two designs that mean the same are the same; roots are copied and owned.
   MR_ERR_MEMORY, MR_ERR_ARGUMENT (more roots than MR_MAX_ROOTS, or none given). Thread: control. */
MrStatus mr_designs_copy(const MrDesign* from, MrDesign* to);
void mr_designs_free(MrDesign* design); /* the roots it owns */

/* Every number and root to the bit. */
bool mr_designs_equal(const MrDesign* a, const MrDesign* b);

/* What is wrong with a design at any rate: MR_OK, or the status that mr_design() would have, and *why as the end of a sentence that
   begins with what was read. What mr_design() clamps is not wrong. Thread: any; does not allocate. */
MrStatus mr_designs_check(const MrDesign* design, const char** why);

#endif
