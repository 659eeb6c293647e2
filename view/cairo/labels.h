/* Text that never overlaps: a label is drawn only where none stands yet, and within the picture.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_LABELS_H
#define MR_VIEW_LABELS_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct MrBox {
  double left, top, right, bottom;
} MrBox;

enum { MR_LABELS = 512 };

typedef struct MrLabels {
  MrBox box[MR_LABELS];     /* of the labels drawn, and of places kept free of them */
  char text[MR_LABELS][32]; /* how each begins; "" of kept places */
  size_t count;
  double width, height; /* of the picture */
  double gap;           /* between two labels, at least */
} MrLabels;

/* Sets the face and size; height of capitals and width of a text in it. */
void mr_labels_font(cairo_t* cr, double size, bool bold);
double mr_labels_width(cairo_t* cr, const char* text);

/* Draws text in the current colour and font: x is where its left end (align 0), middle (0.5) or right end (1) stands; the middle of its capitals is at y.
   False, and nothing is drawn, where there is no room. */
bool mr_labels_put(MrLabels* labels, cairo_t* cr, const char* text, double x, double y, double align);
/* The same, reading upwards: y is where it begins (align 0), or its middle or end. */
bool mr_labels_put_upwards(MrLabels* labels, cairo_t* cr, const char* text, double x, double y, double align);

/* Whether a box has room, and keeps it free of labels. */
bool mr_labels_is_free(const MrLabels* labels, MrBox box);
void mr_labels_keep(MrLabels* labels, MrBox box);

#endif
