/* Between the settled and the moving form of a section: coefficients and state.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_STATE_H
#define MILLRACE_KERNEL_STATE_H

#include "kernel.h"

/* The moving form (a state-variable filter normalised so that its state's energy never grows without input) of a strictly stable
   section. scaled: the input is weighted by K = P/F, for sections whose numerator follows the band (peak, band-pass, notch,
   all-pass); otherwise K = 1. From g = tan(w0/2) and k = 1/Q: G = s/2 = 2 g^2 A1, F = 2 g A1 = sqrt(s (4 - s - 2 P)) / 2, with
   A1 = 1 / (1 + g (g + k)). Thread: real-time. */
MrMoving mr_moving_from_section(const MrSection* section, bool scaled);

/* The rows of kernel.h's settled form, in their order. Where e1 = -D s and e2 = -D P (zeros at z = 1) and D is a power of two, e = -D r
   exactly: those zeros stay exact. Thread: real-time. */
void mr_settled_from_section(const MrSection* section, double row[MR_SETTLED_ROWS]);

/* Hand-over of the state between the forms with the same coefficients; the output goes on as if nothing had changed. Never
   singular, for the numerator is not in it. state[0] and state[1] are w and d on one side, z1 and z2 on the other.
   Thread: real-time. */
void mr_state_to_moving(const MrMoving* moving, double state[2]);
void mr_state_to_settled(const MrMoving* moving, double state[2]);

#endif
