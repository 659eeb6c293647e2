/* Banks drawn by seed: every type, every field, any number, in channels that now and then share their content.
   SPDX-License-Identifier: ISC */
#ifndef MR_TESTS_RANDOM_BANK_H
#define MR_TESTS_RANDOM_BANK_H

#include <math.h>

#include "bank_support.h"

typedef struct Draw {
  uint64_t state;
} Draw;

static inline uint32_t draw_below(Draw* draw, uint32_t n) {
  draw->state = draw->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(draw->state >> 33) % n;
}

/* Round, ragged, tiny and huge numbers, and both zeros. */
static inline double draw_number(Draw* draw) {
  const double unit = (draw_below(draw, 1u << 30) + draw_below(draw, 1u << 30) / 1073741824.0) / 1073741824.0;
  switch (draw_below(draw, 8)) {
    case 0:
      return draw_below(draw, 1000);
    case 1:
      return draw_below(draw, 100000) / 1000.0;
    case 2:
      return -(draw_below(draw, 240) / 10.0);
    case 3:
      return unit * pow(10, (double)draw_below(draw, 600) - 300);
    case 4:
      return draw_below(draw, 2) ? 0.0 : -0.0;
    case 5:
      return 5e-324 * draw_below(draw, 1000);
    default:
      return (unit - 0.5) * 2e4;
  }
}

static inline double draw_positive(Draw* draw) {
  double x;
  do x = fabs(draw_number(draw));
  while (!(x > 0));
  return x;
}

static inline void draw_roots(Draw* draw, MrRoots* roots) {
  memset(roots, 0, sizeof *roots);
  roots->poles = 1 + draw_below(draw, 5);
  roots->zeros = draw_below(draw, roots->poles + 1);
  uint32_t pairs = 0;
  for (uint32_t i = 0; i < roots->poles; i++) {
    roots->pole[i].re = draw_positive(draw);
    if (draw_below(draw, 2)) roots->pole[i].im = draw_number(draw);
    pairs += roots->pole[i].im != 0;
  }
  for (uint32_t i = 0; i < roots->zeros; i++) {
    roots->zero[i].re = draw_number(draw);
    if (pairs > 0 && draw_below(draw, 2)) {
      roots->zero[i].im = 1 + draw_positive(draw) / 3;
      if (roots->zero[i].im == 1000) roots->zero[i].im = 1;
      pairs--;
    }
  }
}

/* Stable coefficients with any a0. */
static inline void draw_coefficients(Draw* draw, MrDesign* design) {
  const double rates[] = {0, 44100, 48000, 96000.5}, r = draw_below(draw, 999) / 1000.0, a0 = 0.125 + draw_below(draw, 100);
  const bool first = draw_below(draw, 2);
  design->rate = rates[draw_below(draw, 4)];
  for (int i = 0; i < 3; i++) design->b[i] = first && i == 2 ? 0 : draw_number(draw);
  design->a[0] = draw_below(draw, 2) ? a0 : -a0;
  design->a[1] = -1.6 * r * (first ? 0.5 : 1) * design->a[0];
  design->a[2] = first ? 0 : r * r * design->a[0];
}

static inline MrDesign draw_design(Draw* draw, MrRoots* roots) {
  MrDesign design = mr_design_default((MrFilterType)(MR_PEAK + draw_below(draw, MR_COEFFICIENTS)));
  const bool shelf = design.type == MR_LOWSHELF || design.type == MR_HIGHSHELF;
  design.mode = (MrMode)draw_below(draw, 2);
  design.width_unit = (MrWidthUnit)draw_below(draw, shelf ? 4 : 2);
  design.corner = draw_below(draw, 2);
  design.weighting = (MrWeighting)draw_below(draw, 9);
  design.order = 1 + draw_below(draw, MR_MAX_ORDER);
  design.response = (MrResponse)draw_below(draw, design.type == MR_BUTTERWORTH ? 5 : 4);
  design.fc = draw_number(draw);
  design.fc2 = design.fc + 1 + fabs(design.fc);
  design.gain_db = draw_number(draw);
  design.width = draw_number(draw);
  if (design.width_unit == MR_WIDTH_DB_PER_OCTAVE) design.width = draw_positive(draw);
  design.ripple_db = draw_positive(draw) / 2;
  if (!(design.ripple_db > 0)) design.ripple_db = 1;
  design.stop_db = 2 * design.ripple_db + draw_positive(draw);
  for (int i = 0; i < 4; i++) design.transform[i] = draw_positive(draw);
  if (design.type == MR_LINKWITZ_RILEY) {
    design.order = 2 * (1 + draw_below(draw, 16));
    design.response = (MrResponse)draw_below(draw, 2);
  }
  if (design.type == MR_COEFFICIENTS) draw_coefficients(draw, &design);
  if (design.type == MR_ANALOGUE) {
    draw_roots(draw, roots);
    design.roots = roots;
    design.roots_gain = draw_positive(draw);
  }
  return design;
}

static inline void draw_channel(Draw* draw, MrBank* bank, uint32_t k) {
  MrChannel* channel = &bank->channel[k];
  for (uint32_t n = draw_below(draw, 6); n > 0; n--) {
    MrRoots roots;
    const MrDesign design = draw_design(draw, &roots);
    assert_int_equal(mr_bank_add_filter(bank, k, &design), MR_OK);
  }
  if (draw_below(draw, 3) == 0) channel->preamp_db = -fabs(draw_number(draw));
  if (draw_below(draw, 3) == 0) channel->delay_ms = draw_below(draw, 1000) / 7.0;
  if (draw_below(draw, 3) == 0) channel->delay_samples = draw_below(draw, 1000);
  channel->inverted = draw_below(draw, 4) == 0;
  channel->muted = draw_below(draw, 6) == 0;
}

static inline void draw_row(Draw* draw, MrBank* bank, uint32_t k) {
  MrTerm term[8];
  uint32_t terms = draw_below(draw, 4);
  for (uint32_t i = 0; i < terms; i++) {
    term[i] = (MrTerm){.source = draw_below(draw, bank->channels), .is_db = draw_below(draw, 2), .inverted = draw_below(draw, 2)};
    term[i].gain = term[i].is_db ? -fabs(draw_number(draw)) : (draw_below(draw, 2) ? 1.0 : fmod(draw_number(draw), 1e9));
  }
  assert_int_equal(mr_bank_set_terms(bank, k, term, terms), MR_OK);
}

static inline MrBank* draw_bank(Draw* draw) {
  MrBank* bank = mr_bank_new(1 + draw_below(draw, draw_below(draw, 4) ? 12 : 70));
  assert_non_null(bank);
  const Draw again = *draw;
  for (uint32_t k = 0; k < bank->channels; k++) {
    Draw same = again; /* one of three contents, or a new one */
    const uint32_t which = draw_below(draw, 4);
    same.state += which * 0x9e3779b97f4a7c15u;
    draw_channel(which == 3 ? draw : &same, bank, k);
    if (draw_below(draw, 6) == 0) draw_row(draw, bank, k);
    bank->delays |= bank->channel[k].delay_ms != 0 || bank->channel[k].delay_samples != 0;
  }
  if (draw_below(draw, 2)) bank->routes = true;
  if (draw_below(draw, 2)) bank->crosses = true;
  return bank;
}

#endif
