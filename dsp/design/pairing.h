/* The order of a cascade's sections and the spread of its gain.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_PAIRING_H
#define MILLRACE_DESIGN_PAIRING_H

#include "section.h"

/* A draft -> a cascade whose sections alternate between low and high Q and whose gain is spread: each D becomes a power of two (or stays
   0) such that every prefix of the cascade peaks within about a factor of two of 1, and cascade->gain is the rest. Only powers of two are multiplied,
   so the response of the sections is the draft's to the last bit. Thread: real-time; no allocation. */
void mr_pairing_condition(const MrDraft* draft, MrCascade* cascade);

#endif
