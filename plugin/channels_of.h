/* The channel count that a descriptor's URI ends in.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_CHANNELS_OF_H
#define MILLRACE_PLUGIN_CHANNELS_OF_H

#include <lv2/core/lv2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t mr_channels_of(const LV2_Descriptor* descriptor) {
  return (uint32_t)strtoul(strrchr(descriptor->URI, '#') + 1, NULL, 10);
}

#endif
