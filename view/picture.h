/* What a picture shows and how, without any drawing: curves, ranges, colours dark or light.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_PICTURE_H
#define MR_VIEW_PICTURE_H

#include "curves.h"

/* Start from zeros; mr_picture_choose() sets what is 0. Nothing is owned. */
typedef struct MrPicture {
  size_t size; /* of this struct, so that a module of another version is seen to be one */
  const MrCurves* curves;
  const char* title; /* NULL: none */
  const char* note;  /* a word on the state, such as "bypassed"; NULL: none */
  double least_hz, most_hz;
  double least_db, most_db;       /* of the magnitudes */
  double level_top_db, level_per; /* spectra: the level at most_db, and how many dB of it a dB of the magnitudes is */
  bool dark;
  bool dimmed;       /* nothing of it is heard */
  bool phase, delay; /* panels of their own */
} MrPicture;

/* Ranges for what is shown: those that are 0 and 0 are set from the curves. The magnitudes' is symmetric for gentle curves, from just above the highest
   down to 60 dB for steep ones. */
void mr_picture_choose(MrPicture* picture);

/* Steps between grid lines of which at most `lines` are to lie within a range: 0.1, 0.2, 0.5, 1, 2, 3, 6, 10 or 12, and so on, as decibels are counted;
   30, 45, 90 degrees; 1, 2, 5 times a power of ten. */
double mr_axis_step_db(double range, double lines);
double mr_axis_step_degrees(double range, double lines);
double mr_axis_step(double range, double lines);

/* The longest and the shortest finite value of a panel's curves, within the picture's frequencies and above its lowest magnitude; false: none. */
typedef enum MrQuantity { MR_MAGNITUDE = 0, MR_PHASE, MR_DELAY } MrQuantity;
bool mr_picture_extent(const MrPicture* picture, MrQuantity quantity, double* least, double* most);

/* "+12", "0", with a minus sign; "0.25" as exact as the step needs. */
void mr_axis_label(double value, double step, bool sign, char* text, size_t size);
/* "20", "1k", "0.5". */
void mr_axis_label_hz(double f, char* text, size_t size);

#endif
