/* What the EQ shows in a host's mixer strip.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_EQ_PICTURE_H
#define MILLRACE_PLUGIN_EQ_PICTURE_H

#include "eq_settings.h"
#include "inline_display.h"
#include "snapshot.h"

typedef struct MrEqPicture {
  MrInlineDisplay display;
  MrSnapshot settings; /* MrEqSettings, as run() has them */
} MrEqPicture;

/* False without memory. Thread: control, as free. */
bool mr_eq_picture_init(MrEqPicture* picture, const MrFeatures* features, const char* bundle, double fs, const MrEqSettings* settings);
void mr_eq_picture_free(MrEqPicture* picture); /* one that is all zeros is allowed */

/* The settings have changed. Thread: real-time. */
void mr_eq_picture_change(MrEqPicture* picture, const MrEqSettings* settings);

/* Thread: the host's drawing one. */
MrInlineImage* mr_eq_picture_render(MrEqPicture* picture, uint32_t channels, double fs, uint32_t width, uint32_t most_height);

#endif
