/* sin and cos of pi f / fs to the last bit or so, also near 0 and near Nyquist.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_DESIGN_ANGLE_H
#define MILLRACE_DESIGN_ANGLE_H

#define MR_PI 3.14159265358979323846

/* sin(pi f / fs) and cos(pi f / fs) for f from 0 to fs/2, fs > 0, both finite. The relative error of each is about 2^-53 (the plain
   sin(M_PI * f / fs) has three roundings of its argument, and its cosine is noise at Nyquist). A section of Q 1e6 shifts its peak by
   these roundings, which is why they matter. Thread: real-time. */
void mr_angle(double f, double fs, double* sine, double* cosine);

/* tan(pi f / fs), likewise: the corner of a bilinear design in units of 2 fs. f below fs/2. */
double mr_prewarp(double f, double fs);

#endif
