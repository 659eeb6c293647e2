/* The numeric plan of a renderer: whether a stream is filtered in segments side by side, and how long they are.
   SPDX-License-Identifier: ISC

   Channels run in the lanes of tiles. Fewer channels than a tile has lanes leave lanes empty; a renderer, which has the stream before it, fills
   them with later segments of the same channels, where blocks.h is not for them: where there are routes or delays. Each segment starts `early` frames before its first, from rest: by then the filters have
   forgotten what came before, to below the last digits. Where segments begin is fixed by the bank, the rate and the channels alone. */
#ifndef MILLRACE_ENGINE_SEGMENTS_H
#define MILLRACE_ENGINE_SEGMENTS_H

#include "program.h"

typedef struct MrSegments {
  uint32_t count;  /* side by side; 1: the stream as it is */
  uint32_t frames; /* of one segment; a multiple of MR_CELL */
  uint32_t early;  /* frames before each that are filtered and thrown away; a multiple of MR_CELL */
} MrSegments;

/* The segments for a program on tiles of `lanes` lanes. Thread: control (long: it runs impulses). */
MrSegments mr_segments_plan(const MrProgram* program, uint32_t lanes);

#endif
