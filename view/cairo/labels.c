/* Text that never overlaps.
   SPDX-License-Identifier: ISC */
#include "labels.h"

#include <stdio.h>
#include <string.h>

#include "../text.h"

void mr_labels_font(cairo_t* cr, double size, bool bold) {
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

double mr_labels_width(cairo_t* cr, const char* text) {
  char drawn[256];
  cairo_text_extents_t extents;
  mr_text_clean(text, drawn, sizeof drawn);
  cairo_text_extents(cr, drawn, &extents);
  return extents.x_advance;
}

bool mr_labels_is_free(const MrLabels* labels, MrBox box) {
  if (box.left < 0 || box.top < 0 || box.right > labels->width || box.bottom > labels->height) return false;
  for (size_t i = 0; i < labels->count; i++) {
    const MrBox* other = &labels->box[i];
    if (box.left < other->right + labels->gap && other->left < box.right + labels->gap && box.top < other->bottom &&
        other->top < box.bottom)
      return false;
  }
  return true;
}

static bool keep(MrLabels* labels, MrBox box, const char* text) {
  if (labels->count == MR_LABELS || !mr_labels_is_free(labels, box)) return false;
  mr_text_clean(text, labels->text[labels->count], sizeof labels->text[0]);
  labels->box[labels->count++] = box;
  return true;
}

void mr_labels_keep(MrLabels* labels, MrBox box) {
  if (labels->count == MR_LABELS) return;
  labels->text[labels->count][0] = '\0';
  labels->box[labels->count++] = box;
}

/* Ascent and descent of digits and letters about the middle of a capital. */
static void measure(cairo_t* cr, const char* text, cairo_text_extents_t* extents, double* capital, double* descent) {
  cairo_text_extents_t tall;
  cairo_font_extents_t font;
  cairo_text_extents(cr, "H0", &tall);
  cairo_font_extents(cr, &font);
  cairo_text_extents(cr, text, extents);
  *capital = -tall.y_bearing;
  const double below = extents->height + extents->y_bearing;
  *descent = below > 0 ? below : 0;
}

bool mr_labels_put(MrLabels* labels, cairo_t* cr, const char* text, double x, double y, double align) {
  char drawn[256];
  cairo_text_extents_t e;
  double capital, descent;
  mr_text_clean(text, drawn, sizeof drawn);
  if (!*drawn) return true;
  measure(cr, drawn, &e, &capital, &descent);
  const double left = x - align * e.x_advance, base = y + capital / 2;
  const MrBox box = {left + (e.x_bearing < 0 ? e.x_bearing : 0), base + (e.y_bearing < -capital ? e.y_bearing : -capital),
                     left + (e.x_advance > e.x_bearing + e.width ? e.x_advance : e.x_bearing + e.width), base + descent};
  if (!keep(labels, box, drawn)) return false;
  cairo_move_to(cr, left, base);
  cairo_show_text(cr, drawn);
  return true;
}

bool mr_labels_put_upwards(MrLabels* labels, cairo_t* cr, const char* text, double x, double y, double align) {
  char drawn[256];
  cairo_text_extents_t e;
  double capital, descent;
  mr_text_clean(text, drawn, sizeof drawn);
  if (!*drawn) return true;
  measure(cr, drawn, &e, &capital, &descent);
  const double begin = y + align * e.x_advance, base = x + capital / 2;
  const MrBox box = {base + (e.y_bearing < -capital ? e.y_bearing : -capital), begin - e.x_advance, base + descent, begin};
  if (!keep(labels, box, drawn)) return false;
  cairo_save(cr);
  cairo_move_to(cr, base, begin);
  cairo_rotate(cr, -1.5707963267948966);
  cairo_show_text(cr, drawn);
  cairo_restore(cr);
  return true;
}
