/* The output gain of an engine: set at any time, read at a cell's start, gliding from cell to cell.
   SPDX-License-Identifier: ISC */
#include "gain.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "smoothing.h"

#define LEAST_DB (-200.0)
#define MOST_DB  60.0

struct MrGain {
  MrSmoothing smoothing;
  double set_db, set;                               /* as asked for; and linear */
  double target;                                    /* of this cell, linear */
  double* history;                                  /* [window]: targets of the last cells, a ring */
  uint32_t newest, rested;                          /* cells since the last change */
  bool moving;                                      /* else everything below is at the target */
  _Alignas(MR_ALIGN) MrMoving control[MR_CONTROLS]; /* the field D holds the gain */
  _Alignas(MR_ALIGN) MrMoving row[MR_CELL];         /* of this cell */
  _Alignas(MR_ALIGN) double at[MR_CELL];            /* the same, as kernels take it */
};

MrGain* mr_gain_new(double fs) {
  MrGain* gain = mr_memory_new(1, sizeof *gain);
  if (!gain) return NULL;
  if (mr_smoothing_make(&gain->smoothing, fs)) gain->history = mr_memory_new(gain->smoothing.window, sizeof(double));
  if (!gain->history) {
    mr_gain_free(gain);
    return NULL;
  }
  gain->set = 1;
  mr_gain_hold(gain);
  return gain;
}

void mr_gain_free(MrGain* gain) {
  if (!gain) return;
  mr_smoothing_free(&gain->smoothing);
  free(gain->history);
  free(gain);
}

void mr_gain_set(MrGain* gain, double gain_db) {
  if (!isfinite(gain_db) || gain_db == gain->set_db) return;
  gain->set_db = gain_db;
  gain->set = pow(10, fmin(fmax(gain_db, LEAST_DB), MOST_DB) / 20);
}

static void rest(MrGain* gain) {
  gain->moving = false;
  for (uint32_t f = 0; f < MR_CELL; f++) gain->at[f] = gain->target;
}

void mr_gain_hold(MrGain* gain) {
  gain->target = gain->set;
  rest(gain);
}

static void aim(MrGain* gain) {
  if (!gain->moving) {
    mr_smoothing_fill(&gain->smoothing, gain->history, gain->target);
    for (uint32_t point = 0; point < MR_CONTROLS; point++) gain->control[point].D = gain->target;
    gain->moving = true;
  }
  gain->target = gain->set;
  gain->rested = 0;
}

void mr_gain_step(MrGain* gain, const MrKernels* kernels) {
  if (gain->set != gain->target) aim(gain);
  if (!gain->moving) return;
  if (gain->rested++ >= mr_smoothing_cells(&gain->smoothing)) {
    rest(gain);
    return;
  }
  gain->newest = mr_smoothing_next(&gain->smoothing, gain->newest);
  gain->history[gain->newest] = gain->target;
  memmove(gain->control, gain->control + 1, (MR_CONTROLS - 1) * sizeof *gain->control);
  gain->control[MR_CONTROLS - 1].D = mr_smoothed(&gain->smoothing, gain->history, gain->newest);
  kernels->rows(gain->control, 0, MR_CELL, gain->row);
  for (uint32_t f = 0; f < MR_CELL; f++) gain->at[f] = gain->row[f].D;
}

bool mr_gain_moves(const MrGain* gain) { return gain->moving; }

void mr_gain_read(const MrGain* gain, uint32_t at, uint32_t n, double* to) { memcpy(to, gain->at + at, n * sizeof *to); }

bool mr_gain_is_unity(const MrGain* gain) { return !gain->moving && gain->target == 1; }

bool mr_gain_stays_unity(const MrGain* gain) { return mr_gain_is_unity(gain) && gain->set == 1; }

void mr_gain_apply(const MrGain* gain, const MrKernels* kernels, uint32_t at, uint32_t n, double* x) {
  if (!mr_gain_is_unity(gain)) kernels->ramp(x, n, gain->at + at);
}

void mr_gain_apply_rested(const MrGain* gain, size_t samples, double* x) {
  for (size_t i = 0; i < samples && gain->target != 1; i++) x[i] *= gain->target;
}
