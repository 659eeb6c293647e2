/* What everything that glides shares: targets a cell, smoothed by a Hann window of cells, and the cubic B-spline inside a cell.
   SPDX-License-Identifier: ISC

   The window is round(0.0213 fs / MR_CELL) cells long, about 21 ms. Its mean is taken as the newest target plus deviations from it, so that it ends on the
   target exactly; so does the spline, once its control points are equal. */
#ifndef MILLRACE_ENGINE_SMOOTHING_H
#define MILLRACE_ENGINE_SMOOTHING_H

#include "../kernel/kernel.h"

#define MR_CONTROLS 4u /* control points of a cubic B-spline, oldest first: a cell each */

typedef struct MrSmoothing {
  uint32_t window; /* cells */
  double* hann;    /* [window], sum 1, newest first */
} MrSmoothing;

/* False: no memory. Thread: control. */
bool mr_smoothing_make(MrSmoothing* smoothing, double fs);
void mr_smoothing_free(MrSmoothing* smoothing);

/* Cells after a target's last change until all control points are equal. Real-time, as the others. */
uint32_t mr_smoothing_cells(const MrSmoothing* smoothing);

/* The mean of a ring of targets, [window]; ring[newest] is the one of this cell, the one before it an element lower. */
double mr_smoothed(const MrSmoothing* smoothing, const double* ring, uint32_t newest);

/* The element after `newest` in a ring. */
uint32_t mr_smoothing_next(const MrSmoothing* smoothing, uint32_t newest);

/* The whole ring at rest. */
void mr_smoothing_fill(const MrSmoothing* smoothing, double* ring, double value);

#endif
