/* The spectrum of a recording: Welch's average, in bands of a fraction of an octave.
   SPDX-License-Identifier: ISC

   P. D. Welch, "The use of fast Fourier transform for the estimation of power spectra", IEEE Trans. Audio Electroacoust. 15 (1967): segments of a third
   of a second or more under a Hann window, each half over the one before. */
#ifndef MR_HOST_SPECTRUM_H
#define MR_HOST_SPECTRUM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct MrSpectrum MrSpectrum;

/* Whether this build measures spectra: it has kissfft. */
bool mr_spectrum_is_there(void);

/* wanted: a flag a channel, of those whose powers are averaged; copied. NULL without memory, or where there is none. */
MrSpectrum* mr_spectrum_new(uint32_t channels, const bool* wanted, double fs);
void mr_spectrum_free(MrSpectrum* spectrum); /* NULL is allowed */

/* The next frames, interleaved, of full scale 1. */
void mr_spectrum_add(MrSpectrum* spectrum, const float* samples, uint32_t frames);
/* After the last: a recording shorter than a segment is one. */
void mr_spectrum_end(MrSpectrum* spectrum);

/* The level of a band of so many octaves about f, in dB of a sine of full scale; what of it lies above Nyquist counts as silence. -infinity where there is
   nothing. After the end. */
double mr_spectrum_level(const MrSpectrum* spectrum, double f, double octaves);

#endif
