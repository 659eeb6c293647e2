/* The output gain of an engine: set at any time, read at a cell's start, gliding from cell to cell.
   SPDX-License-Identifier: ISC

   A change takes the window of smoothing.h and the control points of its spline, and ends on the gain exactly. All functions but new and free
   are real-time. */
#ifndef MILLRACE_ENGINE_GAIN_H
#define MILLRACE_ENGINE_GAIN_H

#include "../kernel/kernel.h"

typedef struct MrGain MrGain;

/* At 0 dB. NULL: no memory. Thread: control. */
MrGain* mr_gain_new(double fs);
void mr_gain_free(MrGain* gain); /* NULL is allowed */

/* What it is to be from the next cell on, dB; clamped to -200 .. 60. What is not finite changes nothing. */
void mr_gain_set(MrGain* gain, double gain_db);

/* Holds what was set, at once. */
void mr_gain_hold(MrGain* gain);

/* A cell begins: takes what was set, and a step if it is in motion. */
void mr_gain_step(MrGain* gain, const MrKernels* kernels);

/* Whether it is in motion in the cell that mr_gain_step began. */
bool mr_gain_moves(const MrGain* gain);

/* Whether it does nothing in this cell; and whether it will do nothing in the next ones either, until it is set again. */
bool mr_gain_is_unity(const MrGain* gain);
bool mr_gain_stays_unity(const MrGain* gain);

/* The gain of n frames from frame `at` of this cell, factors. */
void mr_gain_read(const MrGain* gain, uint32_t at, uint32_t n, double* to);

/* Multiplies n frames of a tile from frame `at` of the cell. */
void mr_gain_apply(const MrGain* gain, const MrKernels* kernels, uint32_t at, uint32_t n, double* x);
/* The same to any number of samples, while it does not move. */
void mr_gain_apply_rested(const MrGain* gain, size_t samples, double* x);

#endif
