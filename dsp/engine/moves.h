/* The bands in motion in one cell: which sections of a tile they have, and the rows of their coefficients.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_MOVES_H
#define MILLRACE_ENGINE_MOVES_H

#include "side.h"

#define MR_NO_SLOT UINT32_MAX

typedef struct MrMove {
  uint32_t sections;
  const uint32_t* slot; /* [tiles]: its first section in the tile, or MR_NO_SLOT where the tile has none of its channels */
  const double* mask;   /* [tiles][MR_LANES]: all bits where the lane's channel is in the set */
  const MrMoving* row;  /* [sections][MR_CELL] */
} MrMove;

/* In the order of their sections. */
typedef struct MrMoves {
  uint32_t count, sections; /* bands, and sections of them all together */
  MrMove* move;
  uint32_t bands, tiles; /* that there is room for */
  uint64_t built;        /* goes up when slots and masks change */
  uint32_t* slots;       /* [bands][tiles]: where those of the moves lie; so the others */
  double* masks;         /* [bands][tiles][MR_LANES] */
  MrMoving* rows;        /* [sections][MR_CELL] */
} MrMoves;

/* Room for copies of so many bands and sections. False: no memory; what there is, is to be freed. Thread: control, as free. */
bool mr_moves_make(MrMoves* moves, uint32_t bands, uint32_t sections, uint32_t tiles);
void mr_moves_free(MrMoves* moves); /* what it has room in */

/* A copy lasts when the motion goes on to its next cell. Real-time. */
void mr_moves_copy(MrMoves* to, const MrMoves* from);

/* Runs a tile's sections over n frames from frame `at` of the cell, with a state of the caller's. Real-time. */
void mr_moves_run(const MrMoves* moves, const MrTile* tile, double* state, uint32_t t, const MrKernels* kernels, const MrSchedule* schedule,
                  uint32_t at, uint32_t n, double* x);

#endif
