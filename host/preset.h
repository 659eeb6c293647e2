/* A plugin's settings outside a DAW: what a preset or a saved state of the EQ or the Bank plays.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PRESET_H
#define MR_HOST_PRESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../dsp/millrace.h"
#include "../plugin/eq_settings.h"
#include "bank_input.h"

#define MR_PRESET_EQ_CHANNELS 64u /* at most: what the plugins' channel sets hold */

typedef struct MrPreset {
  char* name;                /* as given: a URI, a name, a file or folder */
  char* path;                /* of the file or folder; NULL: found by its URI */
  char* label;               /* that people gave it; NULL: none */
  char* plugin;              /* URI of the plugin that it applies to; its channel count means nothing here */
  bool is_bank;              /* of the Bank, else of the EQ */
  float value[MR_EQ_VALUES]; /* of the plugin's control inputs, by index, within their ranges */
  bool has_set[MR_EQ_SETS];  /* else the set is the initial one for the channels */
  uint64_t set[MR_EQ_SETS];
  MrBankInput bank; /* of the Bank: its text; no part: none */
} MrPreset;

/* Reads it; values that lack are the ports' defaults. MR_EXIT_DONE or an exit code after messages; also where this build has no lilv. *preset is to
   be freed in any case. may_be_uri: or the name of a preset in the LV2 path; else a file or folder is meant. */
int mr_preset_read(MrPreset* preset, const char* name, bool may_be_uri);
void mr_preset_free(MrPreset* preset);

/* Prints the presets in the LV2 path, as JSON or for people. An exit code, after messages where it is not MR_EXIT_DONE. */
int mr_preset_list(bool json);

/* "preset NAME" for reports, with its label, into `text`. */
void mr_preset_text(const MrPreset* preset, char* text, size_t size);

/* A bank of the preset's filters, in the mode that it has, without its output gain; of an EQ in mid/side channel 1 is mid and 2 is side.
   NULL after messages, with an exit code. */
MrBank* mr_preset_bank(const MrPreset* preset, const MrReadOptions* options, bool warnings, int* code);

/* Output gain of all channels: as the engine takes it, or added to a bank. */
double mr_preset_gain_db(const MrPreset* preset);
void mr_preset_add_gain(const MrPreset* preset, MrBank* bank);
/* False where the input passes as it is. */
bool mr_preset_enabled(const MrPreset* preset);

/* Whether mr_preset_engine() plays the preset; else a renderer does, which is faster with few channels. */
bool mr_preset_needs_engine(const MrPreset* preset, bool realtime_kernels);

/* An engine that plays as the plugin does, to the bit. `program`: of mr_preset_bank(), taken also on an error (NULL is returned); an EQ's is not
   played. options: channels, fs, largest_block and costs count. */
MrEngine* mr_preset_engine(const MrPreset* preset, const MrEngineOptions* options, MrProgram* program, MrStatus* status);

#endif
