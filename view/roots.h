/* Where the roots of a section lie.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_ROOTS_H
#define MR_VIEW_ROOTS_H

#include "../dsp/millrace.h"

/* Frequencies in Hz and Q of a pair of poles and of zeros; 0 and 0 where they are real, Q infinite on the unit circle. */
typedef struct MrRootPair {
  double pole, pole_q, zero, zero_q;
} MrRootPair;

/* Thread: any. */
MrRootPair mr_root_pair(const MrSection* section, double fs);

#endif
