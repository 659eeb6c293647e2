/* Bands in motion: the parametric contents of a side.
   SPDX-License-Identifier: ISC */
#include "motion.h"

#include <math.h>

#include "../design/limits.h"
#include "../kernel/state.h"
#include "memory.h"
#include "smoothing.h"

#define FARTHEST_OCTAVES 2.0

enum { FREQUENCY, GAIN, WIDTH, NUMBERS }; /* what glides: log2 Hz, dB, log2 Q */

typedef struct MrGlide {
  MrBand band; /* as it plays; its numbers are the latest targets */
  MrPrototype prototype;
  bool audible;             /* on, and not off above Nyquist; without it nothing below has a meaning */
  uint32_t first, sections; /* in the pools of controls and rows */
  double target[NUMBERS];
  double* history; /* [NUMBERS][window]: targets of the last cells, a ring */
  uint32_t newest;
  uint32_t rested; /* cells since the last change */
  bool moving;
  uint32_t* slot; /* [tiles]: first section in the tile, or MR_NO_SLOT where the tile has none of its channels */
  double* mask;   /* [tiles][MR_LANES]: all bits where the lane's channel is in the set */
} MrGlide;

struct MrMotion {
  uint32_t channels, tiles, max_bands, max_sections, bands;
  uint32_t moving; /* of the bands */
  bool mid_side;
  double fs;
  MrSmoothing smoothing;
  MrGlide* glide;
  MrMoving* control; /* [max_sections][MR_CONTROLS], oldest first */
  double* histories;
  MrMoves moves; /* in this cell; slots, masks and rows are the glides' */
};

static bool reads_gain(MrFilterType type) {
  return type == MR_PEAK || type == MR_LOWSHELF || type == MR_HIGHSHELF || type == MR_LOWSHELF1 || type == MR_HIGHSHELF1;
}

static bool reads_width(MrFilterType type) { return type >= MR_PEAK && type <= MR_HIGHSHELF; }

static bool reads_corner(const MrDesign* design) {
  return (design->type == MR_LOWSHELF || design->type == MR_HIGHSHELF) &&
         (design->width_unit == MR_WIDTH_SHELF_SLOPE || design->width_unit == MR_WIDTH_DB_PER_OCTAVE);
}

static bool reads_mode(const MrDesign* design) { return mr_type_is_matched(design->type) || mr_family_is_matched(design); }

/* The numbers that a design has after its checks (clamped; a shelf's centre for its corner; Q for any width), so that what glides is what
   plays at its ends. False where nothing is to be heard of it: off above Nyquist, no filter, or not to be designed at all. */
static bool targets_of(const MrDesign* design, double fs, double target[NUMBERS]) {
  MrChecked checked;
  uint32_t notes = 0;
  if (design->type == MR_NONE || mr_check_design(design, fs, &checked, &notes) != MR_OK || checked.off) return false;
  target[FREQUENCY] = log2(checked.fc);
  target[GAIN] = checked.gain_db;
  target[WIDTH] = log2(checked.q);
  return true;
}

static bool in_set(const MrBand* band, uint32_t channel) { return band->set[channel / 64] >> (channel % 64) & 1; }

MrMotion* mr_motion_new(uint32_t channels, double fs, uint32_t max_bands, uint32_t max_sections) {
  MrMotion* motion = mr_memory_new(1, sizeof *motion);
  if (!motion) return NULL;
  const uint32_t tiles = MR_TILES(channels);
  motion->channels = channels;
  motion->tiles = tiles;
  motion->max_bands = max_bands;
  motion->max_sections = max_sections;
  motion->fs = fs;
  if (!mr_smoothing_make(&motion->smoothing, fs)) {
    mr_motion_free(motion);
    return NULL;
  }
  const uint32_t window = motion->smoothing.window;
  motion->glide = mr_memory_new(max_bands, sizeof(MrGlide));
  motion->control = mr_memory_new((size_t)max_sections * MR_CONTROLS, sizeof(MrMoving));
  motion->histories = mr_memory_new((size_t)max_bands * NUMBERS, window * sizeof(double));
  if (!mr_moves_make(&motion->moves, max_bands, max_sections, tiles) || !motion->glide || !motion->control || !motion->histories) {
    mr_motion_free(motion);
    return NULL;
  }
  for (uint32_t b = 0; b < max_bands; b++) {
    motion->glide[b].history = motion->histories + (size_t)b * NUMBERS * window;
    motion->glide[b].mask = motion->moves.masks + (size_t)b * tiles * MR_LANES;
    motion->glide[b].slot = motion->moves.slots + (size_t)b * tiles;
  }
  return motion;
}

void mr_motion_free(MrMotion* motion) {
  if (!motion) return;
  mr_smoothing_free(&motion->smoothing);
  free(motion->glide);
  free(motion->control);
  free(motion->histories);
  mr_moves_free(&motion->moves);
  free(motion);
}

uint32_t mr_motion_sections(const MrSettings* settings) {
  uint32_t sections = 0;
  for (uint32_t b = 0; b < settings->bands; b++) {
    MrPrototype prototype;
    if (settings->band[b].on && mr_prototype(&settings->band[b].design, &prototype) == MR_OK) sections += prototype.sections;
  }
  return sections;
}

/* -------------------------------------------------------------- targets */

/* Moving coefficients of a band's sections with the given numbers, as the newest control points. */
static void design_at(MrMotion* motion, const MrGlide* glide, const double number[NUMBERS]) {
  MrDesign design = glide->band.design;
  design.fc = exp2(number[FREQUENCY]);
  design.gain_db = number[GAIN];
  design.width = exp2(number[WIDTH]);
  design.width_unit = MR_WIDTH_Q;
  design.corner = false;
  MrCascade cascade;
  uint32_t notes;
  mr_design_moving(&design, &glide->prototype, motion->fs, &cascade, &notes);
  if (notes & MR_NOTE_ABOVE_NYQUIST) { /* by the rounding of exp2(log2 f): an audible band glides between frequencies that are not off */
    design.fc = MR_HIGHEST_FRACTION * motion->fs;
    mr_design_moving(&design, &glide->prototype, motion->fs, &cascade, NULL);
  }
  for (uint32_t k = 0; k < glide->sections; k++)
    motion->control[(size_t)(glide->first + k) * MR_CONTROLS + MR_CONTROLS - 1] =
        mr_moving_from_section(&cascade.section[k], glide->prototype.scaled);
}

/* ---------------------------------------------------------------- build */

static void write_settled(const MrMotion* motion, MrSide* side, const MrGlide* glide) {
  MrCascade cascade;
  mr_design_moving(&glide->band.design, &glide->prototype, motion->fs, &cascade, NULL);
  for (uint32_t t = 0; t < motion->tiles; t++) {
    if (glide->slot[t] == MR_NO_SLOT) continue;
    MrTile* tile = &side->tile[t];
    for (uint32_t k = 0; k < glide->sections; k++)
      for (uint32_t l = 0; l < MR_LANES; l++) {
        const bool member = l < tile->lanes && in_set(&glide->band, tile->first + l);
        mr_tile_set_section(tile, glide->slot[t] + k, l, member ? &cascade.section[k] : NULL);
      }
  }
}

static void place(const MrMotion* motion, MrSide* side, MrGlide* glide) {
  for (uint32_t t = 0; t < motion->tiles; t++) {
    MrTile* tile = &side->tile[t];
    bool any = false;
    for (uint32_t l = 0; l < MR_LANES; l++) {
      const bool member = l < tile->lanes && in_set(&glide->band, tile->first + l);
      const uint64_t bits = member ? UINT64_MAX : 0;
      memcpy(&glide->mask[t * MR_LANES + l], &bits, sizeof bits);
      any |= member;
    }
    glide->slot[t] = any ? tile->sections : MR_NO_SLOT;
    if (any) tile->sections += glide->sections;
  }
}

void mr_motion_build(MrMotion* motion, MrSide* side, const MrSettings* settings) {
  uint32_t used = 0;
  if (side->sharing) side->share_from[0] = side->share_from[1] = 0;
  for (uint32_t t = 0; t < side->tiles; t++) {
    side->tile[t].sections = 0;
    side->tile[t].version++;
  }
  motion->bands = settings->bands;
  motion->moving = motion->moves.count = 0;
  motion->moves.built++;
  motion->mid_side = settings->mid_side;
  for (uint32_t b = 0; b < settings->bands; b++) {
    MrGlide* glide = &motion->glide[b];
    glide->band = settings->band[b];
    glide->moving = false;
    glide->rested = 0;
    glide->newest = 0;
    glide->audible = glide->band.on && mr_prototype(&glide->band.design, &glide->prototype) == MR_OK &&
                     targets_of(&glide->band.design, motion->fs, glide->target);
    glide->first = used;
    glide->sections = glide->audible ? glide->prototype.sections : 0;
    used += glide->sections;
    if (!glide->audible) continue;
    place(motion, side, glide);
    write_settled(motion, side, glide);
  }
  side->passes = true;
  for (uint32_t t = 0; t < side->tiles; t++) side->passes = side->passes && !side->tile[t].sections;
  side->mid_side = settings->mid_side;
  mr_side_reset(side);
}

/* -------------------------------------------------------------- compare */

static bool same_set(const MrMotion* motion, const MrBand* a, const MrBand* b) {
  for (uint32_t channel = 0; channel < motion->channels; channel += 64) {
    const uint32_t rest = motion->channels - channel;
    const uint64_t valid = rest >= 64 ? UINT64_MAX : ((uint64_t)1 << rest) - 1;
    if ((a->set[channel / 64] ^ b->set[channel / 64]) & valid) return false;
  }
  return true;
}

static bool same_structure(const MrMotion* motion, const MrBand* a, const MrBand* b) {
  const MrDesign *p = &a->design, *q = &b->design;
  if (p->type != q->type || !same_set(motion, a, b)) return false;
  if (p->type >= MR_BUTTERWORTH && (p->response != q->response || p->order != q->order)) return false;
  if (reads_width(p->type) && p->width_unit != q->width_unit) return false;
  return (!reads_mode(p) || p->mode == q->mode) && (!reads_corner(p) || p->corner == q->corner);
}

static bool same_numbers(const MrDesign* a, const MrDesign* b) {
  return a->fc == b->fc && (!reads_gain(a->type) || a->gain_db == b->gain_db) && (!reads_width(a->type) || a->width == b->width);
}

static bool differs(const MrMotion* motion, const MrGlide* glide, const MrBand* band) {
  return glide->band.on != band->on || !same_structure(motion, &glide->band, band) || !same_numbers(&glide->band.design, &band->design);
}

static MrChange compare_band(const MrMotion* motion, const MrGlide* glide, const MrBand* band) {
  if (!differs(motion, glide, band)) return MR_CHANGE_NONE;
  double target[NUMBERS];
  const bool audible = band->on && mr_design_moves(&band->design) && targets_of(&band->design, motion->fs, target);
  if (!audible && !glide->audible) return MR_CHANGE_GLIDE; /* nothing to be heard; the numbers are taken all the same */
  if (audible != glide->audible || !same_structure(motion, &glide->band, band)) return MR_CHANGE_SWAP;
  return fabs(target[FREQUENCY] - glide->target[FREQUENCY]) > FARTHEST_OCTAVES ? MR_CHANGE_SWAP : MR_CHANGE_GLIDE;
}

MrChange mr_motion_compare(const MrMotion* motion, const MrSettings* settings) {
  if (motion->bands != settings->bands || motion->mid_side != settings->mid_side) return MR_CHANGE_SWAP;
  MrChange change = MR_CHANGE_NONE;
  for (uint32_t b = 0; b < settings->bands && change != MR_CHANGE_SWAP; b++) {
    const MrChange found = compare_band(motion, &motion->glide[b], &settings->band[b]);
    if (found > change) change = found;
  }
  return change;
}

/* ----------------------------------------------------------------- move */

static void convert_states(const MrMotion* motion, MrSide* side, const MrGlide* glide, bool to_moving) {
  for (uint32_t t = 0; t < motion->tiles; t++) {
    if (glide->slot[t] == MR_NO_SLOT) continue;
    const MrTile* tile = &side->tile[t];
    for (uint32_t k = 0; k < glide->sections; k++) {
      const MrMoving* moving = &motion->control[(size_t)(glide->first + k) * MR_CONTROLS + MR_CONTROLS - 1];
      double* state = tile->state + (size_t)(glide->slot[t] + k) * MR_STATE_STRIDE;
      for (uint32_t l = 0; l < MR_LANES; l++) {
        double pair[2] = {state[l], state[MR_LANES + l]};
        if (l >= tile->lanes || !in_set(&glide->band, tile->first + l))
          pair[0] = pair[1] = 0; /* a lane that the band passes by: whatever gathered there must not reach its identity section */
        else if (to_moving)
          mr_state_to_moving(moving, pair);
        else
          mr_state_to_settled(moving, pair);
        state[l] = pair[0];
        state[MR_LANES + l] = pair[1];
      }
    }
  }
}

static void start_moving(MrMotion* motion, MrSide* side, MrGlide* glide) {
  for (uint32_t i = 0; i < NUMBERS; i++)
    mr_smoothing_fill(&motion->smoothing, glide->history + (size_t)i * motion->smoothing.window, glide->target[i]);
  design_at(motion, glide, glide->target);
  for (uint32_t k = 0; k < glide->sections; k++) {
    MrMoving* control = motion->control + (size_t)(glide->first + k) * MR_CONTROLS;
    for (uint32_t point = 0; point + 1 < MR_CONTROLS; point++) control[point] = control[MR_CONTROLS - 1];
  }
  convert_states(motion, side, glide, true);
  glide->moving = true;
  motion->moving++;
}

static void settle(MrMotion* motion, MrSide* side, MrGlide* glide) {
  convert_states(motion, side, glide, false);
  write_settled(motion, side, glide);
  glide->moving = false;
  motion->moving--;
}

void mr_motion_aim(MrMotion* motion, MrSide* side, const MrSettings* settings) {
  for (uint32_t b = 0; b < settings->bands; b++) {
    MrGlide* glide = &motion->glide[b];
    if (!differs(motion, glide, &settings->band[b])) continue;
    if (glide->audible && !glide->moving) start_moving(motion, side, glide);
    glide->band = settings->band[b];
    glide->rested = 0;
    if (glide->audible) targets_of(&glide->band.design, motion->fs, glide->target);
  }
}

static void step_band(MrMotion* motion, MrSide* side, const MrKernels* kernels, MrGlide* glide) {
  if (glide->rested++ >= mr_smoothing_cells(&motion->smoothing)) {
    settle(motion, side, glide);
    return;
  }
  glide->newest = mr_smoothing_next(&motion->smoothing, glide->newest);
  double number[NUMBERS];
  for (uint32_t i = 0; i < NUMBERS; i++) {
    double* ring = glide->history + (size_t)i * motion->smoothing.window;
    ring[glide->newest] = glide->target[i];
    number[i] = mr_smoothed(&motion->smoothing, ring, glide->newest);
  }
  for (uint32_t k = 0; k < glide->sections; k++) {
    MrMoving* control = motion->control + (size_t)(glide->first + k) * MR_CONTROLS;
    memmove(control, control + 1, (MR_CONTROLS - 1) * sizeof *control);
  }
  design_at(motion, glide, number);
  for (uint32_t k = 0; k < glide->sections; k++)
    kernels->rows(motion->control + (size_t)(glide->first + k) * MR_CONTROLS, 0, MR_CELL,
                  motion->moves.rows + (size_t)(glide->first + k) * MR_CELL);
}

static void list_moves(MrMotion* motion) {
  MrMoves* moves = &motion->moves;
  moves->count = moves->sections = 0;
  for (uint32_t b = 0; motion->moving && b < motion->bands; b++) {
    const MrGlide* glide = &motion->glide[b];
    if (!glide->moving) continue;
    moves->move[moves->count++] = (MrMove){glide->sections, glide->slot, glide->mask, motion->moves.rows + (size_t)glide->first * MR_CELL};
    moves->sections += glide->sections;
  }
}

void mr_motion_step(MrMotion* motion, MrSide* side, const MrKernels* kernels) {
  if (!motion->moving) return;
  for (uint32_t b = 0; b < motion->bands; b++)
    if (motion->glide[b].moving) step_band(motion, side, kernels, &motion->glide[b]);
  list_moves(motion);
}

bool mr_motion_moves(const MrMotion* motion) { return motion->moving > 0; }

const MrMoves* mr_motion_moves_of_cell(const MrMotion* motion) { return &motion->moves; }

bool mr_motion_make_copy(const MrMotion* motion, MrMoves* copy) {
  return mr_moves_make(copy, motion->max_bands, motion->max_sections, motion->tiles);
}

void mr_motion_run(MrMotion* motion, MrTile* tile, uint32_t t, const MrKernels* kernels, const MrSchedule* schedule, uint32_t at,
                   uint32_t n, double* x) {
  mr_moves_run(&motion->moves, tile, tile->state, t, kernels, schedule, at, n, x);
}
