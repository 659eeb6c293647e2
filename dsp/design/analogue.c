/* Analogue filters by their roots, and the weightings of standards.
   SPDX-License-Identifier: ISC */
#include "analogue.h"
MrStatus mr_weighting_draft(MrWeighting weighting, double fs, MrDraft* draft) {
  (void)weighting;
  (void)fs;
  (void)draft;
  return MR_ERR_ARGUMENT;
}
MrStatus mr_analogue_draft(const MrDesign* design, double fs, MrDraft* draft, uint32_t* notes) {
  (void)design;
  (void)fs;
  (void)draft;
  (void)notes;
  return MR_ERR_ARGUMENT;
}
