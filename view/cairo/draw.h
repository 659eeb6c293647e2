/* Draws a picture.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_DRAW_H
#define MR_VIEW_DRAW_H

#include <cairo.h>

#include "../picture.h"
#include "labels.h"

/* Where a quantity is drawn. Its range is in dB, degrees or milliseconds; most lies at the top. */
typedef struct MrPanel {
  MrQuantity quantity;
  double left, top, right, bottom;
  double least, most, step; /* step: between grid lines */
} MrPanel;

/* What was drawn where. */
typedef struct MrDrawn {
  double width, height;
  double least_hz, most_hz; /* at the panels' left and right edges, logarithmic between */
  double font;              /* size of the text, in units of the picture */
  bool compact;             /* too small for margins: words stand within the panel */
  uint32_t panels;
  MrPanel panel[3];
  MrLabels labels;
} MrDrawn;

/* Draws all of a picture, whose ranges have been chosen, into width x height from the origin on. *drawn tells what came of it. Nothing but cairo's
   own state changes; its errors stay with it. Thread: any but the real-time ones; allocates. */
void mr_picture_draw(cairo_t* cr, const MrPicture* picture, double width, double height, MrDrawn* drawn);

static inline double mr_panel_y(const MrPanel* panel, double value) {
  return panel->bottom - (value - panel->least) / (panel->most - panel->least) * (panel->bottom - panel->top);
}

double mr_drawn_x(const MrDrawn* drawn, double f);

#endif
