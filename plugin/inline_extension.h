/* The inline-display extension, which no package has a header of: a small picture of a plugin in a host's mixer strip.
   SPDX-License-Identifier: ISC

   Written from the extension's public description. The host asks for a picture in its drawing thread; the plugin may tell it in any thread, also in
   run(), that there is a new one. */
#ifndef MILLRACE_PLUGIN_INLINE_EXTENSION_H
#define MILLRACE_PLUGIN_INLINE_EXTENSION_H

#include <lv2/core/lv2.h>
#include <stdint.h>

#define MR_INLINE_DISPLAY_URI         "http://harrisonconsoles.com/lv2/inlinedisplay"
#define MR_INLINE_DISPLAY__interface  MR_INLINE_DISPLAY_URI "#interface"
#define MR_INLINE_DISPLAY__queue_draw MR_INLINE_DISPLAY_URI "#queue_draw"

/* Pixels as cairo's ARGB32 has them; the plugin's own, until the next picture. */
typedef struct MrInlineImage {
  unsigned char* data;
  int width, height, stride; /* pixels, pixels, bytes of a row */
} MrInlineImage;

/* Extension data. The picture is as wide as the host says and at most as high; NULL: there is none. */
typedef struct MrInlineInterface {
  MrInlineImage* (*render)(LV2_Handle instance, uint32_t width, uint32_t most_height);
} MrInlineInterface;

/* The feature's data. */
typedef struct MrInlineQueue {
  void* handle;
  void (*queue_draw)(void* handle);
} MrInlineQueue;

#endif
