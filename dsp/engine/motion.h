/* Bands in motion: the parametric contents of a side. Targets are read at a cell's start, smoothed over a Hann window of cells, designed once
   a cell, and the cell's rows are a cubic B-spline through the last four designs; a band that has rested returns to the settled form.
   SPDX-License-Identifier: ISC

   All functions but new and free are real-time. */
#ifndef MILLRACE_ENGINE_MOTION_H
#define MILLRACE_ENGINE_MOTION_H

#include "moves.h"

/* What a parametric engine plays: a copy of the caller's bands. */
typedef struct MrSettings {
  MrBand* band;
  uint32_t bands;
  bool mid_side;
} MrSettings;

typedef enum MrChange {
  MR_CHANGE_NONE = 0,
  MR_CHANGE_GLIDE, /* numbers of moving designs */
  MR_CHANGE_SWAP   /* all else */
} MrChange;

/* Room for max_bands bands of max_sections sections together, for a side of that many tiles. NULL: no memory. Thread: control. */
MrMotion* mr_motion_new(uint32_t channels, double fs, uint32_t max_bands, uint32_t max_sections);
void mr_motion_free(MrMotion* motion);

/* Sections a channel of all bands needs. */
uint32_t mr_motion_sections(const MrSettings* settings);

/* Fills the side's tiles with the settings, settled, state zero. What is to be heard of them changes in a swap alone, so that it is decided here
   whether the side passes. */
void mr_motion_build(MrMotion* motion, MrSide* side, const MrSettings* settings);

/* What it takes to get from what is playing (its latest targets) to the settings. */
MrChange mr_motion_compare(const MrMotion* motion, const MrSettings* settings);

/* Takes new targets; after MR_CHANGE_GLIDE only. */
void mr_motion_aim(MrMotion* motion, MrSide* side, const MrSettings* settings);

/* A cell begins: a step of every band in motion. */
void mr_motion_step(MrMotion* motion, MrSide* side, const MrKernels* kernels);

/* Whether anything is in motion in the cell that mr_motion_step began. */
bool mr_motion_moves(const MrMotion* motion);

/* What moves in the cell that mr_motion_step began. */
const MrMoves* mr_motion_moves_of_cell(const MrMotion* motion);

/* Room for a copy of that. False: no memory. Thread: control. */
bool mr_motion_make_copy(const MrMotion* motion, MrMoves* copy);

/* Runs the bands over n frames of a tile from frame `at` of the cell. */
void mr_motion_run(MrMotion* motion, MrTile* tile, uint32_t t, const MrKernels* kernels, const MrSchedule* schedule, uint32_t at,
                   uint32_t n, double* x);

#endif
