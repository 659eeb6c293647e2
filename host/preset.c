/* A plugin's settings outside a DAW.
   SPDX-License-Identifier: ISC */
#include "preset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plugin/bank_mode.h"
#include "command.h"
#include "message.h"

#ifndef MR_HAVE_LILV
int mr_preset_read(MrPreset* preset, const char* name, bool may_be_uri) {
  (void)may_be_uri;
  memset(preset, 0, sizeof *preset);
  mr_say_error("%s: this millrace was built without lilv, and reads no presets and no saved states", name);
  return MR_EXIT_USAGE;
}

int mr_preset_list(bool json) {
  (void)json;
  mr_say_error("this millrace was built without lilv, and finds no presets");
  return MR_EXIT_USAGE;
}
#endif

void mr_preset_free(MrPreset* preset) {
  free(preset->name);
  free(preset->path);
  free(preset->label);
  free(preset->plugin);
  mr_bank_input_free(&preset->bank);
  memset(preset, 0, sizeof *preset);
}

void mr_preset_text(const MrPreset* preset, char* text, size_t size) {
  snprintf(text, size, "preset %s%s%s%s of %s", preset->name, preset->label ? " \"" : "", preset->label ? preset->label : "",
           preset->label ? "\"" : "", preset->plugin);
}

/* As the plugins add them up. */
double mr_preset_gain_db(const MrPreset* preset) {
  if (!preset->is_bank) return preset->value[MR_EQ_GAIN];
  return (double)preset->value[MR_BANK_PREAMP] + (double)preset->value[MR_BANK_GAIN];
}

void mr_preset_add_gain(const MrPreset* preset, MrBank* bank) {
  for (uint32_t c = 0; c < bank->channels; ++c) bank->channel[c].preamp_db += mr_preset_gain_db(preset);
}

bool mr_preset_enabled(const MrPreset* preset) { return preset->value[preset->is_bank ? MR_BANK_ENABLED : MR_EQ_ENABLED] > 0.5f; }

/* ------------------------------------------------------------------ EQ */

static void get_bands(const MrPreset* preset, uint32_t channels, MrBand band[MR_EQ_BANDS], MrBands* bands) {
  MrEqSettings settings;
  mr_eq_settings_initial(&settings, channels);
  memcpy(settings.value, preset->value, sizeof settings.value);
  for (uint32_t k = 0; k < MR_EQ_SETS; ++k)
    if (preset->has_set[k]) settings.set[k] = preset->set[k];
  mr_eq_settings_bands(&settings, channels, band, bands);
}

static MrStatus add_bands(MrBank* bank, const MrBands* bands) {
  for (uint32_t b = 0; b < bands->bands; ++b)
    for (uint32_t c = 0; bands->band[b].on && c < bank->channels; ++c)
      if (bands->band[b].set[0] >> c & 1) {
        const MrStatus status = mr_bank_add_filter(bank, c, &bands->band[b].design);
        if (status != MR_OK) return status;
      }
  return MR_OK;
}

static MrBank* eq_bank(const MrPreset* preset, const MrReadOptions* options, bool warnings, int* code) {
  *code = MR_EXIT_BANK;
  if (options->channels > MR_PRESET_EQ_CHANNELS) {
    mr_say_error("%s: an EQ's channel sets hold %u channels at most, and here are %u", preset->name, MR_PRESET_EQ_CHANNELS,
                 options->channels);
    return NULL;
  }
  MrBand band[MR_EQ_BANDS];
  MrBands bands;
  get_bands(preset, options->channels, band, &bands);
  if (warnings && mr_eq_settings_beyond(&bands, options->fs))
    mr_say_warning("%s: a band lies above what %.0f Hz can hold, and is off", preset->name, options->fs);
  if (warnings && options->channels != 2 && preset->value[MR_EQ_AUDIO] > 0.5f)
    mr_say_warning("%s: mid/side is for two channels, and here are %u: it is off", preset->name, options->channels);
  MrBank* bank = mr_bank_new(options->channels);
  const MrStatus status = bank ? add_bands(bank, &bands) : MR_ERR_MEMORY;
  if (status == MR_OK) return bank;
  mr_say_error("%s: %s", preset->name, mr_strerror(status));
  mr_bank_free(bank);
  if (status == MR_ERR_MEMORY) *code = MR_EXIT_FILE;
  return NULL;
}

static MrEngine* eq_engine(const MrPreset* preset, const MrEngineOptions* options, MrStatus* status) {
  MrEngineOptions parametric = *options;
  parametric.max_bands = MR_EQ_BANDS;
  parametric.max_sections = MR_EQ_MAX_SECTIONS;
  MrEngine* const engine = mr_engine_new(&parametric, status);
  if (!engine) return NULL;
  MrBand band[MR_EQ_BANDS];
  MrBands bands;
  get_bands(preset, options->channels, band, &bands);
  *status = mr_engine_set_bands(engine, &bands);
  if (*status == MR_OK) return engine;
  mr_engine_free(engine);
  return NULL;
}

/* ---------------------------------------------------------------- Bank */

static MrBank* bank_bank(const MrPreset* preset, const MrReadOptions* options, bool warnings, int* code) {
  *code = MR_EXIT_BANK;
  MrBank* bank = NULL;
  if (preset->bank.parts) {
    bank = mr_bank_input_read(&preset->bank, options, warnings);
  } else {
    if (warnings) mr_say_warning("%s: has no bank: nothing is filtered", preset->name);
    bank = mr_bank_new(options->channels);
  }
  const long mode = lroundf(preset->value[MR_BANK_MODE]); /* 0: as the file says */
  if (bank && mode && mr_bank_has_modes(bank)) mr_bank_set_mode(bank, mode == 1 ? MR_MODE_RBJ : MR_MODE_MATCHED);
  return bank;
}

static MrEngine* bank_engine(const MrEngineOptions* options, MrProgram* program, MrStatus* status) {
  MrEngine* const engine = mr_engine_new(options, status);
  if (!engine) {
    mr_program_free(program);
    return NULL;
  }
  *status = mr_engine_give(engine, program);
  if (*status == MR_OK) return engine;
  mr_engine_free(engine);
  return NULL;
}

/* ---------------------------------------------------------------- both */

MrBank* mr_preset_bank(const MrPreset* preset, const MrReadOptions* options, bool warnings, int* code) {
  return preset->is_bank ? bank_bank(preset, options, warnings, code) : eq_bank(preset, options, warnings, code);
}

/* An EQ's bands glide in the plugin, and so have sections of their own that no bank has. */
bool mr_preset_needs_engine(const MrPreset* preset, bool realtime_kernels) {
  return !preset->is_bank || realtime_kernels || !mr_preset_enabled(preset);
}

MrEngine* mr_preset_engine(const MrPreset* preset, const MrEngineOptions* options, MrProgram* program, MrStatus* status) {
  MrEngine* engine;
  if (preset->is_bank) {
    engine = bank_engine(options, program, status);
  } else {
    mr_program_free(program);
    engine = eq_engine(preset, options, status);
  }
  if (!engine) return NULL;
  mr_engine_set_gain(engine, mr_preset_gain_db(preset));
  mr_engine_bypass(engine, !mr_preset_enabled(preset));
  return engine;
}
