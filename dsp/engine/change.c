/* What is to play: programs given, bands set, bypass; and the swaps between sides at cells' starts.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <string.h>

#include "../design/limits.h"
#include "../kernel/fpmode.h"
#include "engine.h"

/* ----------------------------------------------------- control thread */

/* Memory for threads, for whatever may play of a program. */
static bool share_program(MrEngine* engine, MrProgram* program) {
  bool made = mr_sharing_make(engine->sharer, program->side);
  for (uint32_t i = 0; i < program->variants; i++) made = made && mr_sharing_make(engine->sharer, program->variant[i]->side);
  return made;
}

static void free_idle(MrEngine* engine) {
  MrProgram* program = atomic_exchange_explicit(&engine->idle, NULL, memory_order_acquire);
  while (program) {
    MrProgram* next = program->next_idle;
    mr_program_free(program);
    program = next;
  }
}

MrStatus mr_engine_give(MrEngine* engine, MrProgram* program) {
  if (!engine || !program) return MR_ERR_ARGUMENT;
  free_idle(engine);
  MrStatus status = MR_OK;
  if (engine->parametric[0])
    status = MR_ERR_ARGUMENT;
  else if (program->channels != engine->options.channels)
    status = MR_ERR_CHANNELS;
  else if (program->fs != engine->options.fs)
    status = MR_ERR_RATE;
  else if (!share_program(engine, program))
    status = MR_ERR_MEMORY;
  if (status == MR_OK && engine->fast)
    status = mr_fast_give(engine->fast, program);
  else if (status == MR_OK)
    program = atomic_exchange_explicit(&engine->given, program, memory_order_acq_rel); /* the one not taken */
  mr_program_free(program);
  return status;
}

/* --------------------------------------------------- real-time thread */

static void give_back(MrEngine* engine, MrProgram* program) {
  MrProgram* head = atomic_load_explicit(&engine->idle, memory_order_relaxed);
  do program->next_idle = head;
  while (!atomic_compare_exchange_weak_explicit(&engine->idle, &head, program, memory_order_release, memory_order_relaxed));
}

static void retire(MrEngine* engine, MrProgram* program) {
  if (!program) return;
  if (!engine->sharer) {
    give_back(engine, program);
    return;
  }
  program->next_idle = engine->lingering;
  engine->lingering = program;
  mr_sharer_let_go(engine->sharer);
}

void mr_engine_release(MrEngine* engine) {
  if (!mr_sharer_has_let_go(engine->sharer)) return;
  for (MrProgram *program = engine->lingering, *next; program; program = next) {
    next = program->next_idle;
    give_back(engine, program);
  }
  engine->lingering = NULL;
}

/* A number that cannot be keeps the last one. */
static double keep(double value, double last) { return isfinite(value) ? value : last; }

static MrBand sane(const MrBand* band, const MrBand* last) {
  MrBand copy = *band;
  copy.design.fc = keep(band->design.fc, last->design.fc);
  copy.design.gain_db = keep(band->design.gain_db, last->design.gain_db);
  copy.design.width = keep(band->design.width, last->design.width);
  return copy;
}

static bool can_play(const MrDesign* design, double fs) {
  MrChecked checked;
  uint32_t notes = 0;
  return mr_design_moves(design) && mr_check_design(design, fs, &checked, &notes) == MR_OK;
}

static MrStatus set_bands(MrEngine* engine, const MrBands* bands) {
  MrSettings* settings = &engine->settings;
  const bool same = engine->has_settings && bands->bands == settings->bands && bands->mid_side == settings->mid_side &&
                    (!bands->bands || !memcmp(bands->band, settings->band, bands->bands * sizeof *bands->band));
  if (same) return MR_OK;
  const MrSettings asked = {(MrBand*)bands->band, bands->bands, bands->mid_side};
  for (uint32_t b = 0; b < bands->bands; b++) {
    const MrBand band = sane(&bands->band[b], &settings->band[b]);
    if (band.on && !can_play(&band.design, engine->options.fs)) return MR_ERR_ARGUMENT;
  }
  if (mr_motion_sections(&asked) > engine->options.max_sections) return MR_ERR_ARGUMENT;
  for (uint32_t b = 0; b < bands->bands; b++) settings->band[b] = sane(&bands->band[b], &settings->band[b]);
  settings->bands = bands->bands;
  settings->mid_side = bands->mid_side;
  engine->has_settings = engine->settings_changed = true;
  return MR_OK;
}

MrStatus mr_engine_set_bands(MrEngine* engine, const MrBands* bands) {
  if (!engine || !bands || !engine->parametric[0] || bands->bands > engine->options.max_bands || (bands->bands && !bands->band))
    return MR_ERR_ARGUMENT;
  if (bands->mid_side && engine->options.channels != 2) return MR_ERR_ARGUMENT;
  const MrFpMode host = mr_fpmode_enter(); /* designs are looked at: a host may have unmasked exceptions */
  const MrStatus status = set_bands(engine, bands);
  mr_fpmode_leave(host);
  return status;
}

MrStatus mr_engine_set_gain(MrEngine* engine, double gain_db) {
  if (!engine || engine->fast) return MR_ERR_ARGUMENT;
  const MrFpMode host = mr_fpmode_enter();
  mr_gain_set(engine->gain, gain_db);
  mr_fpmode_leave(host);
  return MR_OK;
}

void mr_engine_bypass(MrEngine* engine, bool bypass) { engine->bypass = bypass; }

void mr_engine_mute(MrEngine* engine, bool mute) { engine->mute = mute; }

void mr_engine_choose(MrEngine* engine, uint32_t variant) { engine->choice = variant; }

bool mr_engine_is_fading(const MrEngine* engine) { return engine->next != NULL; }

static void take_given(MrEngine* engine) {
  MrProgram* program = atomic_exchange_explicit(&engine->given, NULL, memory_order_acquire);
  if (!program) return;
  if (engine->program && mr_program_has_side(engine->program, engine->current))
    engine->leaving = engine->program; /* until it has faded out */
  else
    retire(engine, engine->program);
  engine->program = program;
}

/* The parametric side that the settings lead to from what plays; builds it if it is a new one. */
static MrSide* parametric_target(MrEngine* engine) {
  if (!engine->has_settings) return engine->pass;
  MrSide* playing = engine->current->motion ? engine->current : NULL;
  if (playing) {
    if (!engine->settings_changed) return playing;
    const MrChange change = mr_motion_compare(playing->motion, &engine->settings);
    if (change == MR_CHANGE_GLIDE) mr_motion_aim(playing->motion, playing, &engine->settings);
    if (change != MR_CHANGE_SWAP) {
      engine->settings_changed = false;
      return playing;
    }
  }
  MrSide* fresh = playing == engine->parametric[0] ? engine->parametric[1] : engine->parametric[0];
  mr_motion_build(fresh->motion, fresh, &engine->settings);
  engine->settings_changed = false;
  return fresh;
}

static MrSide* target(MrEngine* engine) {
  if (!engine->parametric[0]) take_given(engine); /* in bypass too: what fades back in is what was given last */
  if (engine->bypass) return engine->pass;
  if (engine->mute) return engine->silence;
  if (engine->parametric[0]) return parametric_target(engine);
  return engine->program ? mr_program_choice(engine->program, engine->choice)->side : engine->pass;
}

static void finish_swap(MrEngine* engine, MrSide* side) {
  engine->current = side;
  engine->next = NULL;
  retire(engine, engine->leaving);
  engine->leaving = NULL;
}

/* Between two sides that pass there is nothing to fade. */
static bool swaps_at_once(const MrEngine* engine, const MrSide* side) {
  return engine->position == 0 || (mr_engine_side_passes(engine, engine->current) && mr_engine_side_passes(engine, side));
}

static void start(MrEngine* engine, MrSide* side) {
  if (side == engine->current) return;
  if (!side->motion) mr_side_reset(side);
  if (swaps_at_once(engine, side)) {
    finish_swap(engine, side);
    return;
  }
  engine->next = side;
  engine->fade_cell = 0;
}

bool mr_engine_side_passes(const MrEngine* engine, const MrSide* side) {
  return side->passes && (side == engine->pass || mr_gain_is_unity(engine->gain));
}

void mr_engine_begin_cell(MrEngine* engine) {
  if (engine->position == 0) mr_gain_hold(engine->gain); /* nothing has played: no glide */
  mr_gain_step(engine->gain, engine->kernels);
  if (!engine->next)
    start(engine, target(engine));
  else if (engine->next->motion && engine->settings_changed &&
           mr_motion_compare(engine->next->motion, &engine->settings) != MR_CHANGE_SWAP) {
    mr_motion_aim(engine->next->motion, engine->next, &engine->settings); /* the new side follows; a further swap waits */
    engine->settings_changed = false;
  }
  if (engine->current->motion) mr_motion_step(engine->current->motion, engine->current, engine->kernels);
  if (engine->next && engine->next->motion) mr_motion_step(engine->next->motion, engine->next, engine->kernels);
}

void mr_engine_end_fade_cell(MrEngine* engine) {
  if (++engine->fade_cell < engine->fade_cells) return;
  finish_swap(engine, engine->next);
}

/* What is to play from the next cell on; NULL where that is not known before the cell begins. */
static const MrSide* known_target(const MrEngine* engine) {
  if (engine->bypass) return engine->pass;
  if (engine->mute) return engine->silence;
  if (engine->parametric[0]) {
    if (!engine->has_settings) return engine->pass;
    return engine->current->motion && !engine->settings_changed ? engine->current : NULL;
  }
  if (atomic_load_explicit(&engine->given, memory_order_relaxed)) return NULL;
  return engine->program ? mr_program_choice(engine->program, engine->choice)->side : engine->pass;
}

static bool goes_on_passing(const MrEngine* engine, const MrSide* side) {
  return side && side->passes && (side == engine->pass || mr_gain_stays_unity(engine->gain));
}

bool mr_engine_passes(const MrEngine* engine) {
  if (engine->fast) return mr_fast_passes(engine->fast);
  return !engine->next && goes_on_passing(engine, engine->current) && goes_on_passing(engine, known_target(engine));
}

void mr_engine_reset(MrEngine* engine) {
  if (engine->fast) {
    mr_fast_reset(engine->fast);
    return;
  }
  engine->position = 0;
  engine->next = NULL;
  engine->current = engine->pass; /* the first cell starts what is to play, from zero */
  engine->settings_changed = true;
  mr_gain_hold(engine->gain);
  if (engine->sharer) mr_sharer_reset(engine->sharer);
  retire(engine, engine->leaving);
  engine->leaving = NULL;
}
