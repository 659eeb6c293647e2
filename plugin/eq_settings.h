/* The EQ's settings: what its ports and properties mean to the engine. The command, which plays presets, reads them the same way.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_EQ_SETTINGS_H
#define MILLRACE_PLUGIN_EQ_SETTINGS_H

#include "../dsp/millrace.h"
#include "ports.h"

#define MR_EQ_MAX_SECTIONS (8u * MR_EQ_BANDS) /* order 16 in each band */

/* As the port's scale points count them. */
typedef enum MrEqType {
  MR_EQ_TYPE_BELL = 0,
  MR_EQ_TYPE_LOWSHELF,
  MR_EQ_TYPE_HIGHSHELF,
  MR_EQ_TYPE_LOWPASS,
  MR_EQ_TYPE_HIGHPASS,
  MR_EQ_TYPE_BANDPASS,
  MR_EQ_TYPE_NOTCH,
  MR_EQ_TYPE_ALLPASS,
  MR_EQ_TYPE_BUTTERWORTH_LP,
  MR_EQ_TYPE_BUTTERWORTH_HP,
  MR_EQ_TYPE_LINKWITZ_RILEY_LP,
  MR_EQ_TYPE_LINKWITZ_RILEY_HP,
  MR_EQ_TYPE_BESSEL_LP,
  MR_EQ_TYPE_BESSEL_HP,
  MR_EQ_TYPES
} MrEqType;

/* Values of the control inputs by port index; that of mid/side, which only two channels have, is at MR_EQ_AUDIO. */
#define MR_EQ_VALUES ((size_t)MR_EQ_AUDIO + MR_EQ_LAST)

typedef struct MrEqSettings {
  float value[MR_EQ_VALUES]; /* each within its port's range */
  uint64_t set[MR_EQ_SETS];  /* bit k: channel k */
  uint32_t solo;             /* the band, from 1, that alone is heard; 0: all */
} MrEqSettings;

/* Defaults of the ports, and of the sets for so many channels (1 to 64). Thread: real-time, as the others. */
void mr_eq_settings_initial(MrEqSettings* settings, uint32_t channels);

/* The engine's bands: MR_EQ_BANDS of them, in `band`, which *bands points at. */
void mr_eq_settings_bands(const MrEqSettings* settings, uint32_t channels, MrBand band[MR_EQ_BANDS], MrBands* bands);

/* Whether a band that is on is off all the same, being above what the rate can hold. */
bool mr_eq_settings_beyond(const MrBands* bands, double fs);

#endif
