/* What everything that glides shares: targets a cell, smoothed by a Hann window of cells.
   SPDX-License-Identifier: ISC */
#include "smoothing.h"

#include <math.h>

#include "memory.h"

#define WINDOW_SECONDS 0.0213

bool mr_smoothing_make(MrSmoothing* smoothing, double fs) {
  smoothing->window = (uint32_t)fmax(1, round(WINDOW_SECONDS * fs / MR_CELL));
  smoothing->hann = mr_memory_new(smoothing->window, sizeof(double));
  if (!smoothing->hann) return false;
  for (uint32_t i = 0; i < smoothing->window; i++)
    smoothing->hann[i] = (1 - cos(2 * M_PI * (i + 0.5) / smoothing->window)) / smoothing->window;
  return true;
}

void mr_smoothing_free(MrSmoothing* smoothing) { free(smoothing->hann); }

uint32_t mr_smoothing_cells(const MrSmoothing* smoothing) { return smoothing->window + MR_CONTROLS; }

double mr_smoothed(const MrSmoothing* smoothing, const double* ring, uint32_t newest) {
  const double target = ring[newest];
  double sum = 0;
  for (uint32_t i = 0, at = newest; i < smoothing->window; i++) {
    sum += smoothing->hann[i] * (ring[at] - target);
    at = at ? at - 1 : smoothing->window - 1;
  }
  return target + sum;
}

uint32_t mr_smoothing_next(const MrSmoothing* smoothing, uint32_t newest) { return newest + 1 == smoothing->window ? 0 : newest + 1; }

void mr_smoothing_fill(const MrSmoothing* smoothing, double* ring, double value) {
  for (uint32_t i = 0; i < smoothing->window; i++) ring[i] = value;
}
