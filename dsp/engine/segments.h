/* The numeric plan of a renderer: whether a stream is filtered in segments side by side, and how long they are.
   SPDX-License-Identifier: ISC

   Channels run in the lanes of tiles. Fewer channels than a tile has lanes leave lanes empty; a renderer, which has the stream before it, fills
   them with later segments of the same channels, where blocks.h is not for them: where there are routes or delays. Each segment starts `early` frames before its first, from rest: by then the filters have
   forgotten what came before, to below the last digits. Where segments begin is fixed by the bank, the rate and the channels alone. */
#ifndef MILLRACE_ENGINE_SEGMENTS_H
#define MILLRACE_ENGINE_SEGMENTS_H

#include "program.h"

typedef struct MrSegments {
  uint32_t count;  /* side by side; 1: the stream as it is, or one after the other where `early` is not 0 */
  uint32_t frames; /* of one segment; a multiple of MR_CELL */
  uint32_t early;  /* frames before each that are filtered and thrown away; a multiple of MR_CELL */
} MrSegments;

/* The segments for a program on tiles of `lanes` lanes. Thread: control (long: it runs impulses). */
MrSegments mr_segments_plan(const MrProgram* program, uint32_t lanes);

/* Segments one after the other, of a program that is run in groups (blocks.h): where its filters forget so soon that what is filtered twice is at most a
   thirty-second part, and have so few sections that threads could share nothing else. `unit` frames: all are multiples; of `frames`, `period` too. early 0: none.
   Thread: control (long). */
MrSegments mr_segments_in_row(const MrProgram* program, uint32_t unit, uint32_t period);

#endif
