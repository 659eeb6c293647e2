/* sin and cos of pi f / fs to the last bit or so, also near 0 and near Nyquist.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_ANGLE_H
#define MILLRACE_DESIGN_ANGLE_H

#define MR_PI      3.14159265358979323846
#define MR_PI_FINE 3.14159265358979323846264338327950288L

/* sin(pi f / fs) and cos(pi f / fs) for f from 0 to fs/2, fs > 0, both finite. The relative error of each is about 2^-53 (the plain
   sin(M_PI * f / fs) has three roundings of its argument, and its cosine is noise at Nyquist). A section of Q 1e6 shifts its peak by
   these roundings, which is why they matter. Thread: real-time. */
void mr_angle(double f, double fs, double* sine, double* cosine);

/* The same with more digits than a double where long double has them (x86: 64 bits of mantissa); slower. For zeros on the unit circle:
   beside a null their roundings are multiplied by 1 / |1 - f^2 / zero^2|. Thread: real-time. */
void mr_angle_fine(double f, double fs, long double* sine, long double* cosine);

/* tan(pi f / fs), likewise: the corner of a bilinear design in units of 2 fs. f below fs/2. */
double mr_prewarp(double f, double fs);
long double mr_prewarp_fine(double f, double fs);

#endif
