/* One section: the settled form, what it means, and drafts of cascades made of it.
   SPDX-License-Identifier: ISC

   A section is (s, P, D, e1, e2) of millrace.h. It runs as delta DF2, with state (w, d):

     d' = x - P d + (d - s w)
     y  = D x + (e1 w + e2 d)
     w' = w + d'

   (the kernels keep w one frame behind, see kernel/kernel.h).

   s is the product of 1 - z over the two poles and P is 1 minus the product of the poles. Both are small for low corners, and designs
   give them directly, never by a subtraction from 1: a low corner at a high rate then keeps all its digits. */
#ifndef MILLRACE_DESIGN_SECTION_H
#define MILLRACE_DESIGN_SECTION_H

#include "../millrace.h"

/* A gain of any size: mantissa * 2^exponent. Products of many small or large factors neither overflow nor underflow. */
typedef struct MrScaled {
  double mantissa;
  int exponent;
} MrScaled;

/* A cascade being made: every section has D = 1, or D = 0 where b0 = 0, and the gain holds what that took out. Multiplying such a
   section by a power of two rounds nothing. */
typedef struct MrDraft {
  uint32_t n;
  MrScaled gain;
  MrSection section[MR_MAX_DESIGN_SECTIONS];
} MrDraft;

/* The draft that changes nothing. */
void mr_draft_start(MrDraft* draft);
void mr_draft_gain(MrDraft* draft, double factor); /* finite */
/* Appends a section of any D (its numerator in natural scale). Zeros at z = 1 (e1 = -D s) and symmetric numerators (e2 = -D P) stay exact.
   The caller keeps n below MR_MAX_DESIGN_SECTIONS. */
void mr_draft_section(MrDraft* draft, const MrSection* section);
/* The zeros of a section as s and P of the polynomial that has them, and n = 4 - s - 2 P, which is to z = -1 what s is to z = 1. In more than
   a double, so that a zero on the circle is rounded once, into e1. */
typedef struct MrZeros {
  long double s, n, P;
} MrZeros;
/* Appends the section of D = 1 with poles (s, P) and these zeros. */
void mr_draft_roots(MrDraft* draft, double s, double p, MrZeros zeros);

/* Poles and zeros exchanged: 1/H. b0 not 0, and the zeros strictly inside the unit circle. */
MrSection mr_section_inverse(const MrSection* section);
/* s > 0, P > 0, 4 - s - 2 P > 0: both poles strictly inside the unit circle. False for a NaN. */
bool mr_section_is_stable(const MrSection* section);
/* All five finite. */
bool mr_section_is_finite(const MrSection* section);
/* Q of the poles as seen through the bilinear transform; 1/2 and below for real poles. */
double mr_section_q(const MrSection* section);

#endif
