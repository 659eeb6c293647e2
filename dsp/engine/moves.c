/* The bands in motion in one cell: copies of them, and the run of a tile.
   SPDX-License-Identifier: ISC */
#include "moves.h"

#include "memory.h"

bool mr_moves_make(MrMoves* moves, uint32_t bands, uint32_t sections, uint32_t tiles) {
  moves->bands = bands;
  moves->tiles = tiles;
  moves->move = mr_memory_new(bands, sizeof *moves->move);
  moves->slots = mr_memory_new((size_t)bands * tiles, sizeof *moves->slots);
  moves->masks = mr_memory_new((size_t)bands * tiles, MR_LANES * sizeof *moves->masks);
  moves->rows = mr_memory_new((size_t)sections * MR_CELL, sizeof *moves->rows);
  return moves->move && moves->slots && moves->masks && moves->rows;
}

void mr_moves_free(MrMoves* moves) {
  free(moves->move);
  free(moves->slots);
  free(moves->masks);
  free(moves->rows);
}

void mr_moves_copy(MrMoves* to, const MrMoves* from) {
  if (to->built != from->built) {
    const size_t places = (size_t)from->bands * from->tiles;
    memcpy(to->slots, from->slots, places * sizeof *to->slots);
    memcpy(to->masks, from->masks, places * MR_LANES * sizeof *to->masks);
    to->built = from->built;
  }
  to->count = from->count;
  to->sections = from->sections;
  MrMoving* row = to->rows;
  for (uint32_t i = 0; i < from->count; i++) {
    const MrMove* move = &from->move[i];
    const size_t rows = (size_t)move->sections * MR_CELL;
    memcpy(row, move->row, rows * sizeof *row);
    to->move[i] = (MrMove){move->sections, to->slots + (move->slot - from->slots), to->masks + (move->mask - from->masks), row};
    row += rows;
  }
}

void mr_moves_run(const MrMoves* moves, const MrTile* tile, double* state, uint32_t t, const MrKernels* kernels, const MrSchedule* schedule,
                  uint32_t at, uint32_t n, double* x) {
  uint32_t begin = 0; /* of the settled sections not yet run: neighbours go through one call */
  for (uint32_t i = 0; i < moves->count; i++) {
    const MrMove* move = &moves->move[i];
    const uint32_t slot = move->slot[t];
    if (slot == MR_NO_SLOT) continue;
    if (slot > begin)
      mr_schedule_run(schedule, kernels, x, n, tile->coef + (size_t)begin * MR_COEF_STRIDE, state + (size_t)begin * MR_STATE_STRIDE,
                      slot - begin, tile->lanes);
    kernels->run_moving(x, n, move->row + at, state + (size_t)slot * MR_STATE_STRIDE, move->mask + (size_t)t * MR_LANES, move->sections,
                        tile->lanes);
    begin = slot + move->sections;
  }
  if (begin < tile->sections)
    mr_schedule_run(schedule, kernels, x, n, tile->coef + (size_t)begin * MR_COEF_STRIDE, state + (size_t)begin * MR_STATE_STRIDE,
                    tile->sections - begin, tile->lanes);
}
