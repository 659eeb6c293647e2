/* The Bank: its instance.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_BANK_H
#define MILLRACE_PLUGIN_BANK_H

#include "bank_picture.h"
#include "card.h"
#include "keeper.h"
#include "loader.h"
#include "realtime.h"

typedef struct MrBankPlugin {
  /* of run() */
  MrRealtime rt;
  float value[MR_BANK_AUDIO];
  MrNotice* notice; /* the last one */
  bool tells_file, tells_message;
  bool changed; /* the state, and the host is to be told */
  bool muted;

  /* shared, each with rules of its own */
  MrLoader loader;
  MrKeeper keeper;
  MrBankPicture picture;
  MrCard* card; /* NULL: none is wished for */

  MrFeatures features; /* never change */
  LV2_URID file_key, message_key;
} MrBankPlugin;

const void* mr_bank_plugin_extension(const char* uri);
LV2_Handle mr_bank_plugin_instantiate(const LV2_Descriptor* descriptor, double fs, const char* bundle, const LV2_Feature* const* features);
void mr_bank_plugin_connect(LV2_Handle handle, uint32_t port, void* data);
void mr_bank_plugin_activate(LV2_Handle handle);
void mr_bank_plugin_run(LV2_Handle handle, uint32_t n);
void mr_bank_plugin_cleanup(LV2_Handle handle);

#endif
