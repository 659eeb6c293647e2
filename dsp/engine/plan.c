/* The plans of an engine: what decides the bits, and what never does; and the time they should take.
   SPDX-License-Identifier: ISC */
#include "engine.h"

/* The program, or the variant of it, that plays or is about to; looked at while process() does not run. */
static const MrProgram* program_of(const MrEngine* engine) {
  const MrProgram* given = atomic_load(&engine->given);
  const MrProgram* program = given ? given : engine->program;
  return program ? mr_program_choice(program, engine->choice) : NULL;
}

/* Sections of a tile: of the program, or of all bands. */
static uint32_t sections_of(const MrEngine* engine, uint32_t t) {
  const MrProgram* program = program_of(engine);
  if (engine->parametric[0] && engine->has_settings) return mr_motion_sections(&engine->settings);
  return program ? program->side->tile[t].sections : 0;
}

double mr_engine_predict(const MrEngine* engine, uint32_t block, bool interleaved) {
  const MrSchedule* schedule = &engine->schedule;
  const MrCosts* costs = &schedule->costs;
  double ns = 0;
  for (uint32_t t = 0; t < engine->tiles; t++) {
    const MrTile* tile = &engine->pass->tile[t];
    const double lanes = interleaved || tile->lanes <= MR_FEW_PLANAR ? tile->lanes : MR_LANES; /* transposed all together */
    const double sample = interleaved ? costs->interleaved : tile->lanes <= MR_FEW_PLANAR ? costs->single : costs->planar;
    for (uint32_t f = 0, n; f < block; f += n) {
      n = block - f < MR_CELL ? block - f : MR_CELL;
      ns += costs->cell + n * lanes * sample + mr_schedule_tile_ns(schedule, n, sections_of(engine, t), tile->lanes);
    }
  }
  return ns;
}

MrPlan mr_engine_plan(const MrEngine* engine) {
  if (engine->fast) return mr_fast_plan(engine->fast);
  const MrKernels* kernels = engine->kernels;
  uint32_t sections = 0;
  for (uint32_t t = 0; t < engine->tiles; t++)
    if (sections_of(engine, t) > sections) sections = sections_of(engine, t);
  const uint32_t rest_sections = sections_of(engine, engine->tiles - 1); /* of the channels that are left over */
  const uint32_t from = rest_sections ? mr_schedule_chain_from(&engine->schedule, rest_sections) : UINT32_MAX;
  return (MrPlan){
      .form = "delta DF2",
      .family = "channels in lanes",
      .arithmetic = kernels->fused ? "float64, fused" : "float64, unfused",
      .segments = 1,
      .level = kernels->level,
      .lanes = MR_LANES,
      .tiles = engine->tiles,
      .sections_per_pass = kernels->shape.sections_per_pass,
      .sections = sections,
      .chains = from <= MR_CELL ? engine->schedule.rest : 0,
      .chain_from = from <= MR_CELL ? from : 0,
      .threads = 1,
  };
}
