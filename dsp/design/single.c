/* Types that are one section: RBJ's or matched, as the mode says.
   SPDX-License-Identifier: ISC */
#include "single.h"

#include "matched.h"
#include "rbj.h"

MrSection mr_single_section(const MrDesign* design, const MrChecked* checked, double fs, uint32_t* notes) {
  if (design->mode == MR_MODE_MATCHED) {
    if (mr_type_is_matched(design->type)) return mr_matched(design->type, checked->fc, fs, checked->q, checked->gain_db, notes);
    *notes |= MR_NOTE_NOT_MATCHED;
  }
  return mr_rbj(design->type, checked->fc, fs, checked->q, checked->gain_db);
}
