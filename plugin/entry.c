/* The binary's one symbol: the plugins by index.
   SPDX-License-Identifier: ISC */
#include <lv2/core/lv2.h>

#include "bank.h"
#include "eq.h"

#define EQ(n) {MR_EQ_URI #n, mr_eq_instantiate, mr_eq_connect, mr_eq_activate, mr_eq_run, NULL, mr_eq_cleanup, mr_eq_extension},
#define BANK(n)                                                                                                      \
  {MR_BANK_URI #n, mr_bank_plugin_instantiate, mr_bank_plugin_connect,  mr_bank_plugin_activate, mr_bank_plugin_run, \
   NULL,           mr_bank_plugin_cleanup,     mr_bank_plugin_extension},

static const LV2_Descriptor descriptors[] = {MR_PLUGIN_COUNTS(EQ) MR_PLUGIN_COUNTS(BANK)};

LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(uint32_t index) {
  return index < sizeof descriptors / sizeof descriptors[0] ? &descriptors[index] : NULL;
}
