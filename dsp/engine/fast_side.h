/* What a fast engine plays: a program's cascades, routes and delays in float32, in lane tiles of floats.
   SPDX-License-Identifier: ISC

   As side.h in float32, and made once. Everything is allocated when it is made; all else is real-time. */
#ifndef MILLRACE_ENGINE_FAST_SIDE_H
#define MILLRACE_ENGINE_FAST_SIDE_H

#include "../kernel/single.h"
#include "program.h"

typedef struct MrFastTile {
  uint32_t first, lanes; /* channels first .. first + lanes - 1 */
  uint32_t sections;     /* of the longest of them; the others end with identity sections */
  bool routed;           /* its inputs are not simply its own channels */
  bool careful;          /* a lane has been in trouble since silence was looked for last: cell by cell */
  float* coef;
  float* state;
  float* gain;                     /* [MR_SINGLE_LANES] */
  uint32_t delay_begin, delay_end; /* its channels' delays among the side's */
} MrFastTile;

typedef struct MrFastRoute {
  uint32_t source;
  float gain;
} MrFastRoute;

typedef struct MrFastDelay {
  uint32_t channel, frames, position, filled;
  float* line;
} MrFastDelay;

typedef struct MrFastSide {
  uint32_t tiles;
  uint32_t channels, sections; /* of the longest channel */
  MrFastTile* tile;
  float *coef, *state, *gain; /* the memory behind the tiles */
  int16_t* level;             /* [channels][sections]: a section's state is 2^level times that of the program's section */
  float* kept;                /* a tile's state as it was, while several cells are run at once */
  MrFastRoute* route;         /* of all channels, one after another; NULL: every channel is its own input */
  uint32_t* route_end;        /* [channels] */
  MrFastDelay* delay;         /* by ascending channel */
  uint32_t delays;
  bool passes; /* nothing to do: outputs are inputs, to the bit */
} MrFastSide;

#define MR_FAST_TILES(channels) (((channels) + MR_SINGLE_LANES - 1) / MR_SINGLE_LANES)

/* A program's side, at rest. Keeps nothing of the program. NULL: MR_ERR_MEMORY, or MR_ERR_RANGE where a channel's gain is beyond
   float32. Thread: control. */
MrFastSide* mr_fast_side_new(const MrProgram* program, MrStatus* status);
void mr_fast_side_free(MrFastSide* side); /* NULL is allowed */

/* All state to zero: as new. */
void mr_fast_side_reset(MrFastSide* side);

/* The input of a routed tile from the staged inputs of all tiles, [tiles][MR_CELL][MR_SINGLE_LANES]. */
void mr_fast_side_route(const MrFastSide* side, const float* staged, uint32_t t, uint32_t n, float* x);

/* Runs tile t over n frames of x, gains of channels excluded. cell_ends: these are the last frames of a cell; lanes in trouble there
   restart from zero, and their number is returned. */
uint32_t mr_fast_side_run(MrFastSide* side, const MrSingleKernels* kernels, const MrSchedule* schedule, uint32_t t, uint32_t n,
                          bool cell_ends, float* x);

/* Some sections of a tile by the plan, and a tile's delays: what mr_fast_side_run() runs. */
void mr_fast_schedule_run(const MrSchedule* schedule, const MrSingleKernels* kernels, float* x, uint32_t n, const float* coef, float* state,
                          uint32_t sections, uint32_t lanes);
void mr_fast_side_run_delays(MrFastSide* side, uint32_t t, uint32_t n, float* x);

/* As mr_side_rests() and mr_side_run_few() of side.h. */
bool mr_fast_side_rests(const MrFastSide* side, uint32_t t);
bool mr_fast_side_run_few(MrFastSide* side, const MrSingleKernels* kernels, uint32_t t, uint32_t at, uint32_t n, float* x);

/* As mr_engine_state() and mr_engine_set_state(); delays are left out. False where a number is not finite; nothing is done then. */
void mr_fast_side_state(const MrFastSide* side, double* state);
bool mr_fast_side_set_state(MrFastSide* side, const double* state);

/* State of a tile's channels that have fallen silent becomes exactly zero. */
void mr_fast_side_settle_silence(MrFastSide* side, uint32_t t);

#endif
