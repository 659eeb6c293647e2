/* The statement Crossover.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_CROSSOVER_H
#define MR_BANK_CROSSOVER_H

#include "reader.h"

#define MR_MAX_WAYS 4u

typedef struct MrCrossover {
  MrFilterType family;        /* MR_LINKWITZ_RILEY or MR_BUTTERWORTH */
  uint32_t order;             /* 1 to 32; even for Linkwitz-Riley */
  uint32_t ways;              /* 2 to 4 */
  double fc[MR_MAX_WAYS - 1]; /* Hz, ascending; ways - 1 of them */
} MrCrossover;

/* Appends to a channel what way `way` (0 is the lowest) does, and inverts it where the sum needs that. The sum of all ways, each with
   its polarity, is an all-pass for Linkwitz-Riley and for Butterworth of odd order. For Butterworth of even order there is none: each split is
   of constant power and rises 3 dB in the sum at its frequency, and a lower way is given the all-pass of half the order, whose phase equals that
   of the split at its frequency and far from it. Always bilinear designs, as the identities hold for those alone. MR_ERR_MEMORY.
   Thread: control. */
MrStatus mr_crossover_add_way(const MrCrossover* crossover, uint32_t way, MrChannel* channel);

bool mr_crossover_read(MrReader* reader);

#endif
