/* The spectrum of a recording.
   SPDX-License-Identifier: ISC */
#include "spectrum.h"

#include <math.h>
#include <stddef.h>

#ifdef MR_HAVE_KISSFFT

#include <kiss_fftr.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS  (1.0 / 3)
#define SHORTEST 256u
#define LONGEST  (1u << 18)

struct MrSpectrum {
  uint32_t channels, wanted;
  uint32_t* channel; /* that are wanted */
  double fs;
  uint32_t n;        /* frames of a segment */
  float* held;       /* the last frames, channel by channel: n each */
  uint32_t frames;   /* of them */
  double* window;    /* n */
  double window_sum; /* of its squares */
  float* windowed;
  kiss_fft_cpx* bins;
  kiss_fftr_cfg fft;
  double* power; /* of each bin, summed over segments and channels; at the end, of all bins below it */
  uint64_t segments;
};

bool mr_spectrum_is_there(void) { return true; }

void mr_spectrum_free(MrSpectrum* spectrum) {
  if (!spectrum) return;
  free(spectrum->channel);
  free(spectrum->held);
  free(spectrum->window);
  free(spectrum->windowed);
  free(spectrum->bins);
  free(spectrum->power);
  kiss_fftr_free(spectrum->fft);
  free(spectrum);
}

/* A Hann window of so many frames, and silence. */
static void set_window(MrSpectrum* s, uint32_t frames) {
  s->window_sum = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    const double sine = sin(M_PI * (i + 0.5) / frames);
    s->window[i] = i < frames ? sine * sine : 0;
    s->window_sum += s->window[i] * s->window[i];
  }
}

MrSpectrum* mr_spectrum_new(uint32_t channels, const bool* wanted, double fs) {
  MrSpectrum* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->channels = channels;
  s->fs = fs;
  s->n = SHORTEST;
  while (s->n < SECONDS * fs && s->n < LONGEST) s->n *= 2;
  s->channel = calloc(channels, sizeof *s->channel);
  for (uint32_t c = 0; s->channel && c < channels; c++)
    if (wanted[c]) s->channel[s->wanted++] = c;
  s->held = calloc((size_t)s->n * (s->wanted ? s->wanted : 1), sizeof *s->held);
  s->window = calloc(s->n, sizeof *s->window);
  s->windowed = calloc(s->n, sizeof *s->windowed);
  s->bins = calloc(s->n / 2 + 1, sizeof *s->bins);
  s->power = calloc(s->n / 2 + 2, sizeof *s->power);
  s->fft = kiss_fftr_alloc((int)s->n, 0, NULL, NULL);
  if (s->wanted && s->channel && s->held && s->window && s->windowed && s->bins && s->power && s->fft) {
    set_window(s, s->n);
    return s;
  }
  mr_spectrum_free(s);
  return NULL;
}

/* Adds the segment that is held to the average. */
static void measure(MrSpectrum* s) {
  for (uint32_t k = 0; k < s->wanted; k++) {
    const float* x = s->held + (size_t)k * s->n;
    for (uint32_t i = 0; i < s->n; i++) s->windowed[i] = (float)(s->window[i] * x[i]);
    kiss_fftr(s->fft, s->windowed, s->bins);
    for (uint32_t i = 0; i <= s->n / 2; i++) {
      const double re = s->bins[i].r, im = s->bins[i].i, sides = i && i < s->n / 2 ? 2 : 1;
      s->power[i] += sides * (re * re + im * im);
    }
  }
  s->segments++;
}

void mr_spectrum_add(MrSpectrum* s, const float* samples, uint32_t frames) {
  const uint32_t half = s->n / 2;
  for (uint32_t i = 0; i < frames; i++) {
    for (uint32_t k = 0; k < s->wanted; k++) s->held[(size_t)k * s->n + s->frames] = samples[(size_t)i * s->channels + s->channel[k]];
    if (++s->frames < s->n) continue;
    measure(s);
    for (uint32_t k = 0; k < s->wanted; k++) memcpy(s->held + (size_t)k * s->n, s->held + (size_t)k * s->n + half, half * sizeof *s->held);
    s->frames = half;
  }
}

void mr_spectrum_end(MrSpectrum* s) {
  if (!s->segments && s->frames) {
    set_window(s, s->frames);
    measure(s); /* what is held behind the frames is silence still */
  }
  const double scale = s->segments ? 1 / (s->window_sum * s->n * (double)s->segments * s->wanted) : 0;
  double sum = 0;
  for (uint32_t i = 0; i <= s->n / 2; i++) {
    const double power = s->power[i] * scale;
    s->power[i] = sum;
    sum += power;
  }
  s->power[s->n / 2 + 1] = sum;
}

/* Of all below a place among the bins, each of which reaches half a bin to either side. */
static double power_below(const MrSpectrum* s, double bin) {
  const uint32_t last = s->n / 2;
  const double at = fmin(fmax(bin + 0.5, 0), last + 1);
  const uint32_t i = at < last + 1 ? (uint32_t)at : last;
  return s->power[i] + (at - i) * (s->power[i + 1] - s->power[i]);
}

double mr_spectrum_level(const MrSpectrum* s, double f, double octaves) {
  const double edge = exp2(octaves / 2), bins = s->n / s->fs;
  const double power = power_below(s, f * edge * bins) - power_below(s, f / edge * bins);
  return power > 0 ? 10 * log10(power / 0.5) : -INFINITY;
}

#else

bool mr_spectrum_is_there(void) { return false; }
MrSpectrum* mr_spectrum_new(uint32_t channels, const bool* wanted, double fs) {
  (void)channels, (void)wanted, (void)fs;
  return NULL;
}
void mr_spectrum_free(MrSpectrum* spectrum) { (void)spectrum; }
void mr_spectrum_add(MrSpectrum* spectrum, const float* samples, uint32_t frames) { (void)spectrum, (void)samples, (void)frames; }
void mr_spectrum_end(MrSpectrum* spectrum) { (void)spectrum; }
double mr_spectrum_level(const MrSpectrum* spectrum, double f, double octaves) {
  (void)spectrum, (void)f, (void)octaves;
  return -INFINITY;
}

#endif
