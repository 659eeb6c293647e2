/* From analogue to digital: the bilinear transform of a section, and low-pass prototypes as LP, HP, BP, BS and AP.
   SPDX-License-Identifier: ISC

   Analogue sections are written in S = (1 - 1/z) / (1 + 1/z), that is s / (2 fs), so that a corner f stands at tan(pi f / fs). Everything is
   a sum of positive terms: no root is formed and then subtracted from 1. */
#ifndef MILLRACE_DESIGN_TRANSFORM_H
#define MILLRACE_DESIGN_TRANSFORM_H

#include "prototype.h"
#include "section.h"

/* (n2 S^2 + n1 S + n0) / (S^2 + d1 S + d0), or of first order (n1 S + n0) / (S + d0) with n2 = d1 = 0. */
typedef struct MrAnalogueSection {
  bool first;
  double n2, n1, n0, d1, d0;
} MrAnalogueSection;

/* The section with its own gain. First order gives b2 = a2 = 0 exactly (P = 1, e2 = 0). Thread: real-time. */
MrSection mr_bilinear(const MrAnalogueSection* analogue);

/* Appends sections of a low-pass prototype as a digital filter; g = tan(pi fc / fs). The gain is 1 at DC (LP) or fs/2 (HP) but for the
   prototype's own gain. At most 16 sections. Thread: real-time. */
void mr_transform_lowpass(const MrLowpass* lowpass, long double g, MrDraft* draft);
void mr_transform_highpass(const MrLowpass* lowpass, long double g, MrDraft* draft);
/* The all-pass with the prototype's poles. */
void mr_transform_allpass(const MrLowpass* lowpass, double g, MrDraft* draft);
/* fc < fc2 < fs/2. At most 32 sections. */
void mr_transform_bandpass(const MrLowpass* lowpass, double fc, double fc2, double fs, MrDraft* draft);
void mr_transform_bandstop(const MrLowpass* lowpass, double fc, double fc2, double fs, MrDraft* draft);

/* One section of a low-pass or high-pass prototype that has this pole (im = 0: a real one, first order), with gain 1 at DC (LP) or
   fs/2 (HP). */
MrSection mr_transform_pole(MrComplex pole, bool highpass, double g);

#endif
