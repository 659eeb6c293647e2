/* The EQ's settings: what its ports and properties mean to the engine.
   SPDX-License-Identifier: ISC */
#include "eq_settings.h"

#include <math.h>
#include <string.h>

static uint64_t bits(uint32_t first, uint32_t last) {
  uint64_t set = 0;
  for (uint32_t k = first; k <= last; k++) set |= (uint64_t)1 << k;
  return set;
}

/* Loudspeakers: fronts, centre, LFE, backs and sides, heights. */
static void speaker_sets(uint32_t channels, uint64_t set[MR_EQ_SETS]) {
  const uint32_t floor = channels < 8 ? channels : 8;
  set[0] = bits(0, 1);
  set[1] = bits(2, 2);
  set[2] = bits(3, 3);
  set[3] = bits(4, floor - 1);
  set[4] = channels > 8 ? bits(8, channels - 1) : 0;
}

static uint32_t root_of(uint32_t square) {
  uint32_t root = 1;
  while (root * root < square) root++;
  return root;
}

static void initial_sets(uint32_t channels, uint64_t set[MR_EQ_SETS]) {
  memset(set, 0, MR_EQ_SETS * sizeof *set);
  if (channels == 6 || channels == 8 || channels == 10 || channels == 12) {
    speaker_sets(channels, set);
    return;
  }
  const uint32_t degrees = root_of(channels);
  if (channels > 1 && degrees * degrees == channels) { /* Ambisonics: a set for each degree */
    for (uint32_t degree = 0; degree < degrees && degree < MR_EQ_SETS; degree++)
      set[degree] = bits(degree * degree, (degree + 1) * (degree + 1) - 1);
    return;
  }
  for (uint32_t k = 0; k < channels && k < MR_EQ_SETS; k++) set[k] = bits(k, k);
}

void mr_eq_settings_initial(MrEqSettings* settings, uint32_t channels) {
  for (size_t i = 0; i < MR_EQ_VALUES; i++) settings->value[i] = mr_eq_ports[i].initial;
  initial_sets(channels, settings->set);
  settings->solo = 0;
}

static MrDesign family(MrFilterType type, MrResponse response) {
  MrDesign design = mr_design_default(type);
  design.response = response;
  return design;
}

static MrDesign design_of(MrEqType type) {
  switch (type) {
    case MR_EQ_TYPE_LOWSHELF:
      return mr_design_default(MR_LOWSHELF);
    case MR_EQ_TYPE_HIGHSHELF:
      return mr_design_default(MR_HIGHSHELF);
    case MR_EQ_TYPE_LOWPASS:
      return mr_design_default(MR_LOWPASS);
    case MR_EQ_TYPE_HIGHPASS:
      return mr_design_default(MR_HIGHPASS);
    case MR_EQ_TYPE_BANDPASS:
      return mr_design_default(MR_BANDPASS);
    case MR_EQ_TYPE_NOTCH:
      return mr_design_default(MR_NOTCH);
    case MR_EQ_TYPE_ALLPASS:
      return mr_design_default(MR_ALLPASS);
    case MR_EQ_TYPE_BUTTERWORTH_LP:
      return family(MR_BUTTERWORTH, MR_RESPONSE_LP);
    case MR_EQ_TYPE_BUTTERWORTH_HP:
      return family(MR_BUTTERWORTH, MR_RESPONSE_HP);
    case MR_EQ_TYPE_LINKWITZ_RILEY_LP:
      return family(MR_LINKWITZ_RILEY, MR_RESPONSE_LP);
    case MR_EQ_TYPE_LINKWITZ_RILEY_HP:
      return family(MR_LINKWITZ_RILEY, MR_RESPONSE_HP);
    case MR_EQ_TYPE_BESSEL_LP:
      return family(MR_BESSEL, MR_RESPONSE_LP);
    case MR_EQ_TYPE_BESSEL_HP:
      return family(MR_BESSEL, MR_RESPONSE_HP);
    case MR_EQ_TYPE_BELL:
    case MR_EQ_TYPES:
      break;
  }
  return mr_design_default(MR_PEAK);
}

static uint64_t set_of(const MrEqSettings* settings, uint32_t number, uint32_t channels, bool mid_side) {
  const uint64_t all = bits(0, channels - 1);
  if (!number) return all;
  if (mid_side && number <= 2) return (uint64_t)1 << (number - 1);
  return settings->set[number - 1] & all;
}

void mr_eq_settings_bands(const MrEqSettings* settings, uint32_t channels, MrBand band[MR_EQ_BANDS], MrBands* bands) {
  const bool mid_side = channels == 2 && settings->value[MR_EQ_AUDIO] > 0.5f;
  const MrMode mode = settings->value[MR_EQ_MODE] > 0.5f ? MR_MODE_MATCHED : MR_MODE_RBJ;
  memset(band, 0, MR_EQ_BANDS * sizeof *band); /* padding too: the engine compares bytes */
  for (uint32_t b = 0; b < MR_EQ_BANDS; b++) {
    const float* value = settings->value + MR_EQ_B1_ON + (size_t)b * MR_EQ_BAND_PORTS;
    MrDesign* design = &band[b].design;
    *design = design_of((MrEqType)lroundf(value[MR_EQ_BAND_TYPE]));
    design->mode = mode;
    design->fc = value[MR_EQ_BAND_FREQ];
    design->gain_db = value[MR_EQ_BAND_GAIN];
    design->width = value[MR_EQ_BAND_Q];
    design->order = (uint32_t)lroundf(value[MR_EQ_BAND_ORDER]);
    band[b].set[0] = set_of(settings, (uint32_t)lroundf(value[MR_EQ_BAND_SET]), channels, mid_side);
    band[b].on = value[MR_EQ_BAND_ON] > 0.5f && band[b].set[0] && (!settings->solo || settings->solo == b + 1);
  }
  *bands = (MrBands){.band = band, .bands = MR_EQ_BANDS, .mid_side = mid_side};
}

bool mr_eq_settings_beyond(const MrBands* bands, double fs) {
  for (uint32_t b = 0; b < bands->bands; b++)
    if (bands->band[b].on && mr_design_is_off(&bands->band[b].design, fs)) return true;
  return false;
}
