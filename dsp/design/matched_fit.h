/* Least-squares fits of |H|^2 of second-order sections to that of the analogue filter.
   SPDX-License-Identifier: ISC

   With x = sin^2(pi f / fs), |H|^2 of a section is a quotient of two quadratics in x, and with v = (f / f0)^2 that of the analogue filter is
   one in v. The fit chooses the quadratics so that both agree from DC to 0.4535 fs. It is linear and weighted, it corrects a start that is
   right at low f0, and weak rows (anchors) hold it near a design that is valid for every parameter: the Moebius base, v = g x / (1 - b x). */
#ifndef MILLRACE_DESIGN_MATCHED_FIT_H
#define MILLRACE_DESIGN_MATCHED_FIT_H

#include <stdbool.h>

typedef enum MrFitKind { MR_FIT_BELL, MR_FIT_LOWPASS, MR_FIT_HIGHPASS, MR_FIT_BANDPASS, MR_FIT_NOTCH, MR_FIT_HIGHSHELF } MrFitKind;

/* A quadratic in t = x / xs: r0^2 + (d1 - 2 c r0) t + (c^2 + d2) t^2. For a resonance at low f0, d1 and d2 are small, and r0 = c = 1. */
typedef struct MrQuadratic {
  double r0, c, d1, d2;
} MrQuadratic;

/* |H|^2 = N / D. */
typedef struct MrPower {
  double xs;
  MrQuadratic n, d;
} MrPower;

/* nu0 = f0 / fs > 0; Q > 0; A = 10^(dB/40) >= 1 (bell, shelf); node_scale = min(1, 48000 / fs). About 0.3 us. The result may not be
   positive on 0..1, or not finite: see mr_power_to_section. Thread: real-time. */
MrPower mr_matched_fit(MrFitKind kind, double nu0, double q, double a, double node_scale);

/* The Moebius base itself. Positive for every parameter. */
MrPower mr_matched_base(MrFitKind kind, double nu0, double q, double a);

/* 3 z^2 - 2 z^3, z clamped to 0..1. */
double mr_smooth_step(double z);

#endif
