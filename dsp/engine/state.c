/* The state of a program that plays, out of an engine and into one.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "engine.h"

static uint32_t sections_of(const MrEngine* engine) {
  uint32_t most = 0;
  for (uint32_t c = 0; c < engine->options.channels; c++) {
    const uint32_t sections = mr_program_sections(engine->program, c);
    if (sections > most) most = sections;
  }
  return most;
}

/* What plays, if it is a program that is known by its sections' states alone; else NULL. */
static MrSide* settled_side(const MrEngine* engine) {
  if (atomic_load_explicit(&engine->given, memory_order_acquire)) return NULL; /* another one is about to play */
  if (engine->next || engine->position % MR_CELL || !engine->program || engine->program->side != engine->current) return NULL;
  return engine->current->delays ? NULL : engine->current;
}

MrStatus mr_engine_state(const MrEngine* engine, double* state) {
  if (!engine || !state) return MR_ERR_ARGUMENT;
  if (engine->fast) return mr_fast_state(engine->fast, state);
  const MrSide* side = settled_side(engine);
  if (!side) return MR_ERR_ARGUMENT;
  const uint32_t sections = sections_of(engine);
  for (uint32_t c = 0; c < engine->options.channels; c++) {
    const MrTile* tile = &side->tile[c / MR_LANES];
    for (uint32_t k = 0; k < sections; k++, state += 2) {
      const bool has = k < mr_program_sections(engine->program, c);
      const double* at = tile->state + (size_t)k * MR_STATE_STRIDE + c % MR_LANES;
      state[0] = has ? at[0] + at[MR_LANES] : 0; /* kernels keep w one frame behind, see kernel.h */
      state[1] = has ? at[MR_LANES] : 0;
    }
  }
  return MR_OK;
}

static bool all_finite(const MrEngine* engine, uint32_t sections, const double* state) {
  for (size_t i = 0; i < (size_t)engine->options.channels * sections * 2; i++)
    if (!isfinite(state[i])) return false;
  return true;
}

MrStatus mr_engine_set_state(MrEngine* engine, const double* state) {
  if (!engine || !state) return MR_ERR_ARGUMENT;
  if (engine->fast) return mr_fast_set_state(engine->fast, state);
  if (engine->position == 0) mr_engine_begin_cell(engine); /* a program that was given plays */
  MrSide* side = settled_side(engine);
  if (!side) return MR_ERR_ARGUMENT;
  const uint32_t sections = sections_of(engine);
  if (!all_finite(engine, sections, state)) return MR_ERR_NOT_FINITE;
  for (uint32_t c = 0; c < engine->options.channels; c++) {
    const MrTile* tile = &side->tile[c / MR_LANES];
    for (uint32_t k = 0; k < sections; k++, state += 2) {
      if (k >= mr_program_sections(engine->program, c)) continue;
      double* at = tile->state + (size_t)k * MR_STATE_STRIDE + c % MR_LANES;
      at[0] = state[0] - state[1];
      at[MR_LANES] = state[1];
    }
  }
  return MR_OK;
}
