/* All of a bank's filters in one mode, as the Bank's mode port asks for. The command, which plays presets, does it the same way.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_BANK_MODE_H
#define MILLRACE_PLUGIN_BANK_MODE_H

#include "../dsp/millrace.h"

/* True where it matters whether filters are RBJ's or matched. Thread: control. */
static inline bool mr_bank_has_modes(const MrBank* bank) {
  for (uint32_t c = 0; c < bank->channels; c++)
    for (uint32_t i = 0; i < bank->channel[c].filters; i++)
      if (bank->channel[c].filter[i].type >= MR_PEAK && bank->channel[c].filter[i].type <= MR_LINKWITZ_RILEY) return true;
  return false;
}

/* Thread: control. */
static inline void mr_bank_set_mode(MrBank* bank, MrMode mode) {
  for (uint32_t c = 0; c < bank->channels; c++)
    for (uint32_t i = 0; i < bank->channel[c].filters; i++) bank->channel[c].filter[i].mode = mode;
}

#endif
