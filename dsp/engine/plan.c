/* The plans of an engine: what decides the bits, and what never does.
   SPDX-License-Identifier: ISC */
#include "engine.h"

/* The program that plays or is about to; looked at while process() does not run. */
static const MrProgram* program_of(const MrEngine* engine) {
  const MrProgram* given = atomic_load(&engine->given);
  return given ? given : engine->program;
}

MrPlan mr_engine_plan(const MrEngine* engine) {
  if (engine->fast) return mr_fast_plan(engine->fast);
  const MrKernels* kernels = engine->kernels;
  const MrProgram* program = program_of(engine);
  uint32_t sections = engine->parametric[0] && engine->has_settings ? mr_motion_sections(&engine->settings) : 0;
  for (uint32_t c = 0; program && c < program->channels; c++) {
    const uint32_t n = mr_program_sections(program, c);
    if (n > sections) sections = n;
  }
  return (MrPlan){
      .form = "delta DF2",
      .family = "channels in lanes",
      .arithmetic = kernels->fused ? "float64, fused" : "float64, unfused",
      .segments = 1,
      .level = kernels->level,
      .lanes = MR_LANES,
      .tiles = engine->tiles,
      .sections_per_pass = kernels->sections_per_pass,
      .sections = sections,
      .threads = 1,
  };
}
