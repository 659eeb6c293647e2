/* The picture in a host's mixer strip: tells the host when there is a new one, and draws it by the bundle's module.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_INLINE_DISPLAY_H
#define MILLRACE_PLUGIN_INLINE_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "../view/module.h"
#include "host_features.h"
#include "inline_extension.h"

typedef struct MrInlineDisplay {
  /* of run() */
  const MrInlineQueue* queue; /* NULL: the host wants no pictures */
  bool stale;                 /* the host is to be told */
  double frames, least;       /* since it was told last; that are to pass at least */

  /* of the host's drawing thread */
  char* path;   /* of the module */
  void* module; /* NULL: not opened, or not there */
  MrViewDraw draw;
  bool tried;
  MrInlineImage image; /* the last picture; data NULL: none */
} MrInlineDisplay;

/* Thread: control. bundle: the folder, as the host gives it, or NULL. False without memory. */
bool mr_inline_init(MrInlineDisplay* display, const MrFeatures* features, const char* bundle, double fs);
void mr_inline_free(MrInlineDisplay* display); /* one that is all zeros is allowed */

/* There is something new to see. Thread: real-time. */
static inline void mr_inline_touch(MrInlineDisplay* display) { display->stale = true; }
/* Once a block of n frames: tells the host what is new, 25 times a second of the stream at most, and not while it freewheels. Thread: real-time. */
void mr_inline_step(MrInlineDisplay* display, uint32_t n, bool freewheels);

/* Whether there can be a picture: opens the module at the first call. Thread: the host's drawing one, as the others. */
bool mr_inline_open(MrInlineDisplay* display);
/* Whether the last picture has that size. */
bool mr_inline_has(const MrInlineDisplay* display, uint32_t width, uint32_t most_height);
/* The picture of curves, whose other fields are set as for a mixer strip; NULL: none. */
MrInlineImage* mr_inline_draw(MrInlineDisplay* display, const MrCurves* curves, bool dimmed, const char* note, uint32_t width,
                              uint32_t most_height);

/* The curves of a subject, coarse enough for a small picture; NULL without memory. */
MrCurves* mr_inline_curves(const MrSubject* subject);

#endif
