/* The order of a cascade's sections and the spread of its gain.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_PAIRING_H
#define MILLRACE_DESIGN_PAIRING_H

#include "section.h"

/* A draft -> a cascade in an order in which no prefix amplifies what a later section takes away again, and with its gain spread: each D becomes
   a power of two (or stays 0) such that every prefix of the cascade peaks within about a factor of two of 1, and cascade->gain is the rest.
   Only powers of two are multiplied, so the response of the sections is the draft's to the last bit.
   Rounding after section k is heard through the sections after it, so the order minimises the peak of a prefix times the largest gain of what follows:
   either high and low Q alternate, or each section in turn is the one that makes this product least, whichever turns out better.
   Thread: real-time (80 us at 32 sections); no allocation. */
void mr_pairing_condition(const MrDraft* draft, MrCascade* cascade);

#endif
