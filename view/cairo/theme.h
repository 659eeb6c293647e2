/* Colours and dashes.
   SPDX-License-Identifier: ISC

   Curves have the colours that Okabe and Ito chose for every kind of colour vision (Color Universal Design, 2008), each with dashes of its own; those
   that are too light for their ground are darkened, and the other way round. */
#ifndef MR_VIEW_THEME_H
#define MR_VIEW_THEME_H

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct MrColour {
  double r, g, b;
} MrColour;

typedef struct MrTheme {
  MrColour ground, panel, grid, grid_strong, edge, text, text_dim, ink, off, beyond, input, output;
  MrColour hue[7];
  bool dark;
} MrTheme;

const MrTheme* mr_theme(bool dark);

/* The colour of a curve by its number. */
MrColour mr_theme_hue(const MrTheme* theme, uint32_t number);
void mr_theme_set(cairo_t* cr, MrColour colour, double alpha);
/* Dashes by number, for lines of that width: the first is solid. */
void mr_theme_dash(cairo_t* cr, uint32_t number, double width);
MrColour mr_theme_blend(MrColour a, MrColour b, double part_of_b);

#endif
