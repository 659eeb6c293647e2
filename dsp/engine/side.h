/* A side: cascades for all channels in lane tiles, with their routes, delays and state. What a crossfade fades between.
   SPDX-License-Identifier: ISC

   Sections lie in tiles as kernel.h has them. Where channels of a tile have different numbers of sections, the shorter ones end with
   identity sections. Everything is allocated when a side is made; all else is real-time. */
#ifndef MILLRACE_ENGINE_SIDE_H
#define MILLRACE_ENGINE_SIDE_H

#include "schedule.h"

typedef struct MrMotion MrMotion;
typedef struct MrSharing MrSharing;

typedef struct MrTile {
  uint32_t first, lanes; /* channels first .. first + lanes - 1 */
  uint32_t sections;     /* in use, of the side's capacity */
  bool routed;           /* its inputs are not simply its own channels */
  uint64_t version;      /* goes up with every change of its sections */
  bool careful;          /* a lane has been in trouble since silence was looked for last: cell by cell */
  double* coef;
  double* state;
  double* gain;                    /* [MR_LANES] */
  uint32_t delay_begin, delay_end; /* its channels' delays among the side's */
} MrTile;

typedef struct MrRoute {
  uint32_t source;
  double gain;
} MrRoute;

/* A delay line of one channel. Counting what has been written makes a reset free of cost, however long the line. */
typedef struct MrDelay {
  uint32_t channel, frames, position, filled;
  double* line;
} MrDelay;

typedef struct MrSide {
  uint32_t channels, tiles, capacity;
  uint32_t share_from[2]; /* [interleaved]: frames below which no block of it is worth sharing; 0: not reckoned since it was built */
  MrTile* tile;
  double *coef, *state, *gain; /* the memory behind the tiles */
  double* kept;                /* a tile's state as it was, while several cells are run at once */
  MrRoute* route;              /* of all channels, one after another; NULL: every channel is its own input */
  uint32_t* route_end;         /* [channels] */
  MrDelay* delay;              /* by ascending channel */
  uint32_t delays;
  bool passes;        /* nothing to do: outputs are inputs, to the bit */
  bool silent;        /* outputs are zeros */
  bool mid_side;      /* of 2 channels: sections run on (L + R) / 2 and (L - R) / 2 */
  MrMotion* motion;   /* NULL: nothing moves */
  MrSharing* sharing; /* NULL: one thread */
} MrSide;

#define MR_SILENCE_FRAMES  4096u /* between two looks for channels that have fallen silent; a multiple of MR_CELL */
#define MR_TILES(channels) (((channels) + MR_LANES - 1) / MR_LANES)

/* A side that passes its input, with room for `capacity` sections a tile. NULL: no memory. Thread: control. */
MrSide* mr_side_new(uint32_t channels, uint32_t capacity);
void mr_side_free(MrSide* side);

/* Room for routes, to be filled. False: no memory. Thread: control. */
bool mr_side_make_routes(MrSide* side, size_t routes);

/* Sets one lane's section; identity where section is NULL. */
void mr_tile_set_section(MrTile* tile, uint32_t slot, uint32_t lane, const MrSection* section);

/* All state to zero: as new. */
void mr_side_reset(MrSide* side);

/* The input of a routed tile from the staged inputs of all tiles, [tiles][MR_CELL][MR_LANES]. */
void mr_side_route(const MrSide* side, const double* staged, uint32_t t, uint32_t n, double* x);

/* Runs tile t over n frames of x, starting at frame `at` of the cell, gains of channels excluded. Returns a bit for every lane
   found in trouble at the end of the cell and restarted from zero. */
uint32_t mr_side_run(MrSide* side, const MrKernels* kernels, const MrSchedule* schedule, uint32_t t, uint32_t at, uint32_t n, double* x);

/* What of it comes behind the sections: the delays of tile t's channels. */
void mr_side_run_delays(MrSide* side, uint32_t t, uint32_t n, double* x);

/* Whether tile t may be run as mr_side_run_few() does: nothing in it moves, is routed or delayed. */
bool mr_side_rests(const MrSide* side, uint32_t t);

/* Runs n frames of a tile that rests, all of its channels as chains, over ends of cells: frame f of lane l is x[f * lanes + l], and the first is
   frame `at` of a cell. False: a lane is in trouble at the end of a cell; the state is as it was and x is spoilt. mr_side_run() is then to
   be given the same frames, cell by cell. */
bool mr_side_run_few(MrSide* side, const MrKernels* kernels, uint32_t t, uint32_t at, uint32_t n, double* x);

/* Left and right in x[f * stride] and x[f * stride + 1] to middle and side, and back. */
void mr_side_encode(double* x, uint32_t stride, uint32_t n);
void mr_side_decode(double* x, uint32_t stride, uint32_t n);

/* x[f][l] *= gain[l]: what a store does, for a mix. */
void mr_tile_apply_gain(const MrTile* tile, uint32_t n, double* x);

/* State of a tile's channels that have fallen silent becomes exactly zero. */
void mr_side_settle_silence(MrSide* side, uint32_t t);

#endif
