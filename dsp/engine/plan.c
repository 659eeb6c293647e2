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

/* Frames from which a tile is run over several cells at once; UINT32_MAX: never. */
static uint32_t few_from(const MrEngine* engine, bool interleaved, uint32_t t) {
  const MrProgram* program = program_of(engine);
  if (interleaved && engine->tiles > 1) return UINT32_MAX;
  if (program && !engine->parametric[0] && (program->side->route || !mr_side_rests(program->side, t))) return UINT32_MAX;
  return mr_schedule_few_from(&engine->schedule, interleaved, sections_of(engine, t), engine->pass->tile[t].lanes);
}

double mr_engine_predict(const MrEngine* engine, uint32_t block, bool interleaved) {
  const MrSchedule* schedule = &engine->schedule;
  double ns = 0;
  for (uint32_t t = 0; t < engine->tiles; t++) {
    const uint32_t lanes = engine->pass->tile[t].lanes, sections = sections_of(engine, t), most = mr_schedule_few_most(lanes);
    const uint32_t from = few_from(engine, interleaved, t);
    for (uint32_t f = 0, n; f < block; f += n) {
      n = block - f < most ? block - f : most;
      if (n >= from) {
        ns += mr_schedule_few_ns(schedule, n, sections, lanes);
      } else {
        n = block - f < MR_CELL ? block - f : MR_CELL;
        ns += mr_schedule_cell_ns(schedule, interleaved, n, sections, lanes);
      }
    }
  }
  return ns;
}

/* Frames of a planar block from which the channels that are left over have their sections in lanes, in a cell or over several; UINT32_MAX: never. */
static uint32_t chains_from(const MrEngine* engine, uint32_t sections) {
  const uint32_t cell = sections ? mr_schedule_chain_from(&engine->schedule, sections) : UINT32_MAX;
  const uint32_t few = few_from(engine, false, engine->tiles - 1);
  return cell <= MR_CELL && cell < few ? cell : few;
}

MrPlan mr_engine_plan(const MrEngine* engine) {
  if (engine->fast) return mr_fast_plan(engine->fast);
  const MrKernels* kernels = engine->kernels;
  uint32_t sections = 0;
  for (uint32_t t = 0; t < engine->tiles; t++)
    if (sections_of(engine, t) > sections) sections = sections_of(engine, t);
  const uint32_t rest_sections = sections_of(engine, engine->tiles - 1); /* of the channels that are left over */
  const uint32_t from = chains_from(engine, rest_sections);
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
      .chains = from < UINT32_MAX ? engine->schedule.rest : 0,
      .chain_from = from < UINT32_MAX ? from : 0,
      .threads = engine->sharer ? engine->sharer->options.threads : 1,
      .strands = 1,
      .stages = 1,
  };
}

MrThreadReport mr_engine_thread_report(const MrEngine* engine) {
  const MrSharer* sharer = engine->sharer;
  if (!sharer) return (MrThreadReport){.threads = 1};
  return (MrThreadReport){.threads = sharer->options.threads,
                          .workers = mr_crew_workers(),
                          .blocks = atomic_load_explicit(&sharer->judge.blocks, memory_order_relaxed),
                          .helped = atomic_load_explicit(&sharer->judge.helped, memory_order_relaxed),
                          .redone = atomic_load_explicit(&sharer->judge.redone, memory_order_relaxed),
                          .stalls = atomic_load_explicit(&sharer->judge.stalls, memory_order_relaxed),
                          .dropped = atomic_load_explicit(&sharer->judge.dropped, memory_order_relaxed)};
}
