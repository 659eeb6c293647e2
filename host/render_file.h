/* Renders one file.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_RENDER_FILE_H
#define MR_HOST_RENDER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"
#include "audio_file.h"
#include "bank_input.h"
#include "device.h"
#include "preset.h"

/* What the options of `millrace render` say. */
typedef struct MrRenderOptions {
  MrBankInput bank;
  const MrPreset* preset;            /* in place of the bank; NULL: none */
  uint32_t channel[MR_MAX_CHANNELS]; /* to write, from 0, none twice */
  uint32_t channels;                 /* 0: all */
  bool tail_auto;
  double tail; /* seconds after the input's end; where !tail_auto */
  int encoding, format;
  bool has_raw;
  MrRawFormat raw;
  uint32_t block; /* frames; 0: as fits the cache */
  bool convert_rate, quiet, json, realtime_kernels;
  bool fast;        /* float32 arithmetic */
  uint32_t threads; /* 0: as many as help beside reading and writing */
  MrDeviceWish device;
} MrRenderOptions;

/* The kind of file that the bank's warnings were said for last; all 0 before the first. */
typedef struct MrWarned {
  int rate, channels;
} MrWarned;

/* "-" is standard input or output. The bank's warnings depend on rate and channels alone: they are said where those are not as in `warned`,
   which is then brought up to date. Returns an exit code, after a message where it is not MR_EXIT_DONE. */
int mr_render_file(const MrRenderOptions* options, const char* input, const char* output, MrWarned* warned);

#endif
