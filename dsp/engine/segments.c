/* The numeric plan of a renderer: whether a stream is filtered in segments side by side, and how long they are.
   SPDX-License-Identifier: ISC */
#include "segments.h"

#define FORGOTTEN    1e-15 /* of the sum of |h|: below what rounding leaves in the output */
#define FEW          2u    /* with more channels the lanes are full enough: filtering twice and the longer way to the samples cost more */
#define MOST_SAMPLES (1u << 20) /* of all segments side by side: the memory of a chunk */
#define PART_EARLY   8u         /* segments are so many times longer than what is filtered twice, if memory allows, and twice at least */
#define PERIOD \
  (16u * MR_CELL) /* frames of float32 that make a page: segments must not begin at the same place in a page, for the cache's sake */

MrSegments mr_segments_plan(const MrProgram* program, uint32_t lanes) {
  const MrSegments none = {1, 0, 0};
  if (program->channels > FEW || !program->section_end[program->channels - 1]) return none;
  const uint32_t most = MOST_SAMPLES / lanes / PERIOD * PERIOD;
  const uint64_t ring = mr_program_ring(program, FORGOTTEN, most);
  if (ring > most / 2 - PERIOD) return none;
  const uint32_t early = ((uint32_t)ring + MR_CELL - 1) / MR_CELL * MR_CELL, wanted = PART_EARLY * early;
  const uint32_t periods = wanted < 4 * PERIOD ? 4 : wanted > most - PERIOD ? most / PERIOD - 1 : wanted / PERIOD;
  return (MrSegments){.count = lanes / program->channels, .frames = periods * PERIOD + 5 * MR_CELL, .early = early};
}

#define ROW_SECTIONS 3u
#define ROW_PART     32u /* segments are so many times longer than what is filtered twice */
#define ROW_LEAST    (1u << 16)
#define ROW_MOST     (1u << 19) /* frames: a call has one for each thread */

MrSegments mr_segments_in_row(const MrProgram* program, uint32_t unit, uint32_t period) {
  const MrSegments none = {1, 0, 0};
  for (uint32_t c = 0; c < program->channels; c++)
    if (mr_program_sections(program, c) > ROW_SECTIONS) return none;
  const uint32_t most = ROW_MOST / ROW_PART;
  const uint64_t ring = mr_program_ring(program, FORGOTTEN, most + 1);
  if (ring > most) return none;
  const uint32_t early = ((uint32_t)ring + unit - 1) / unit * unit, wanted = ROW_PART * early;
  const uint32_t frames = wanted < ROW_LEAST ? ROW_LEAST : wanted;
  return (MrSegments){.count = 1, .frames = (frames + period - 1) / period * period, .early = early ? early : unit};
}
