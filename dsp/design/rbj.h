/* The second-order filters of RBJ's cookbook, first-order filters, and the Linkwitz transform, by the bilinear transform.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_RBJ_H
#define MILLRACE_DESIGN_RBJ_H

#include "section.h"

/* The section of a second-order or first-order type (MR_PEAK .. MR_ALLPASS1), with its own gain. f in (0, fs/2) Hz, Q > 0 (first order:
   unused), gain_db for peaks and shelves. Formulas: R. Bristow-Johnson, Cookbook formulae for audio EQ biquad filter coefficients, written
   in tan(pi f / fs), where no term cancels. First order: shelves have half their dB at f. Thread: real-time. */
MrSection mr_rbj(MrFilterType type, double f, double fs, double q, double gain_db);

/* The section that turns a second-order high-pass (a closed box) of f0, q0 into one of f1, q1: gain 1 far above. */
MrSection mr_linkwitz_transform(double f0, double q0, double f1, double q1, double fs);

#endif
