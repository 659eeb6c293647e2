/* The engine's insides: the cells of the stream, what plays, and what is to play.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_ENGINE_H
#define MILLRACE_ENGINE_ENGINE_H

#include <stdatomic.h>

#include "fast.h"
#include "gain.h"
#include "motion.h"
#include "program.h"
#include "sample_buffers.h"
#include "sharing.h"

struct MrEngine {
  MrEngineOptions options;
  MrFast* fast; /* where it is not NULL, it is all there is, but for the troubles */
  const MrKernels* kernels;
  MrSchedule schedule;
  uint32_t tiles;

  MrSharer* sharer; /* NULL: one thread */

  /* the stream */
  uint64_t position; /* of the next frame, since reset */

  /* what plays; next fades in while it is not NULL */
  MrSide *current, *next;
  double* fade; /* [fade_cells * MR_CELL]: t - sin(2 pi t) / 2 pi */
  uint32_t fade_cells, fade_cell;

  MrGain* gain; /* of what plays, but for bypass */

  /* the sides there are */
  MrSide *pass, *silence;
  MrSide* parametric[2]; /* NULL without bands */
  MrProgram* program;    /* the one taken last, its variants with it; owned by the real-time thread */
  MrProgram* leaving;    /* fading out under it */

  /* what is to play */
  bool bypass, mute, has_settings;
  uint32_t choice; /* among the variants of programs */
  MrSettings settings;
  bool settings_changed;     /* since they were last compared */
  _Atomic(MrProgram*) given; /* by the control thread, not yet taken */
  MrProgram* lingering;      /* faded out: a list of those that a worker may still be inside */
  _Atomic(MrProgram*) idle;  /* faded out: a list for the control thread to free */

  double* staged; /* [tiles][MR_CELL][MR_LANES]: inputs of a piece, before any output is written */
  double *x, *y;  /* [MR_CELL][MR_LANES] */
  double* few;    /* [MR_FEW_SAMPLES]: a run of few channels */
  double* unity;  /* [MR_LANES] of ones */
  void* nowhere;  /* MR_CELL samples that lanes without a channel write */
  atomic_uint_fast64_t troubles;
};

/* Interleaved buffers in segments, see sample_buffers.h: segment k begins k hops behind in and out. */
typedef struct MrSegmented {
  bool is_double;
  uint32_t width;
  const void* in;
  void* out; /* apart from in */
  size_t in_hop, out_hop;
} MrSegmented;

/* As mr_engine_process_interleaved_*(). An out_hop of 0 throws all but one segment's samples away. */
void mr_engine_process_segments(MrEngine* engine, const MrSegmented* buffers, uint32_t n);

/* A cell begins: takes what is to play and steps what moves. Real-time. */
void mr_engine_begin_cell(MrEngine* engine);
/* Gives lingering programs to the control thread, if no worker is inside them any more. Real-time. */
void mr_engine_release(MrEngine* engine);
/* A cell of a fade has ended. Real-time. */
void mr_engine_end_fade_cell(MrEngine* engine);
/* Whether a side puts its input out as it is, the gain of this cell included. Real-time. */
bool mr_engine_side_passes(const MrEngine* engine, const MrSide* side);

#endif
