/* What the parts of the drawing have in common.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_INSIDE_H
#define MR_VIEW_INSIDE_H

#include <math.h>

#include "draw.h"
#include "theme.h"

typedef struct MrCanvas {
  cairo_t* cr;
  const MrPicture* picture;
  const MrTheme* theme;
  MrDrawn* drawn;
  double font, small;             /* sizes of text */
  double legend_top;              /* where the legend's first row has its middle */
  uint32_t wholes, bands, levels; /* curves of each kind */
} MrCanvas;

/* The first grid line of a panel stands at this many steps, the first power of ten of a picture at this exponent or below. */
static inline long mr_panel_first(const MrPanel* panel) { return lround(ceil(panel->least / panel->step - 1e-9)); }
static inline int mr_drawn_decade(const MrDrawn* drawn) { return (int)floor(log10(drawn->least_hz)); }

/* Panels, by what room there is; the legend has been measured. */
void mr_layout(MrCanvas* canvas, uint32_t legend_rows);

/* Grounds, grids, words along the axes. */
void mr_draw_ground(const MrCanvas* canvas, const MrPanel* panel);
void mr_draw_grid(MrCanvas* canvas, const MrPanel* panel);
void mr_draw_axis_words(MrCanvas* canvas, const MrPanel* panel);
void mr_draw_frequency_words(MrCanvas* canvas);
void mr_draw_nyquist_word(MrCanvas* canvas, const MrPanel* panel);

/* Curves within a panel. */
void mr_draw_levels(const MrCanvas* canvas, const MrPanel* panel);
void mr_draw_curves(const MrCanvas* canvas, const MrPanel* panel);
void mr_draw_numbers(MrCanvas* canvas, const MrPanel* panel);

/* The colour of a curve, and of its dashes. */
MrColour mr_curve_colour(const MrCanvas* canvas, const MrCurve* curve);
uint32_t mr_curve_dash(const MrCanvas* canvas, const MrCurve* curve);
/* A disc with a band's number, or a dot where it has none; the place has been found free. */
void mr_draw_disc(const MrCanvas* canvas, const MrCurve* curve, double x, double y, double radius);

/* Rows that the legend takes, and the legend. */
uint32_t mr_legend_rows(const MrCanvas* canvas, uint32_t most);
void mr_draw_legend(MrCanvas* canvas, uint32_t rows);

#endif
