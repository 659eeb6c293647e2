/* Draws a picture.
   SPDX-License-Identifier: ISC */
#include "draw.h"

#include <math.h>
#include <string.h>

#include "inside.h"

#define COMPACT_WIDTH  300.0
#define COMPACT_HEIGHT 160.0

static void count_curves(MrCanvas* canvas) {
  const MrCurves* curves = canvas->picture->curves;
  for (uint32_t c = 0; c < curves->curves; c++) {
    canvas->wholes += curves->curve[c].role == MR_CURVE_WHOLE;
    canvas->bands += curves->curve[c].role == MR_CURVE_BAND;
    canvas->levels += curves->curve[c].role >= MR_CURVE_INPUT;
  }
}

/* Text grows with the picture, but less. */
static double font_size(double width, double height) { return fmin(fmax(13.5 * sqrt(fmin(width / 1200, height / 600)), 8.5), 30); }

static void draw_title(MrCanvas* canvas) {
  const MrPicture* picture = canvas->picture;
  const double edge = floor(0.9 * canvas->font + 0.5), y = edge + 0.55 * canvas->font;
  MrLabels* labels = &canvas->drawn->labels;
  if (picture->note) {
    mr_labels_font(canvas->cr, canvas->font, false);
    mr_theme_set(canvas->cr, canvas->theme->text_dim, 1);
    mr_labels_put(labels, canvas->cr, picture->note, canvas->drawn->width - edge, y, 1);
  }
  if (!picture->title) return;
  mr_labels_font(canvas->cr, 1.12 * canvas->font, true);
  mr_theme_set(canvas->cr, canvas->theme->text, 1);
  char title[200];
  size_t length = strlen(picture->title);
  if (length >= sizeof title) length = sizeof title - 1;
  memcpy(title, picture->title, length);
  title[length] = '\0';
  while (!mr_labels_put(labels, canvas->cr, title, edge, y, 0) && length > 4) { /* too long: its beginning */
    length -= 4;
    memcpy(title + length, "\xe2\x80\xa6", 4);
  }
}

static void draw_compact_note(MrCanvas* canvas) {
  if (!canvas->picture->note) return;
  mr_labels_font(canvas->cr, canvas->small, true);
  mr_theme_set(canvas->cr, canvas->theme->text, 1);
  mr_labels_put(&canvas->drawn->labels, canvas->cr, canvas->picture->note, canvas->drawn->width - 0.5 * canvas->font, 0.9 * canvas->font,
                1);
}

static void draw_panel(MrCanvas* canvas, const MrPanel* panel) {
  const bool magnitude = panel->quantity == MR_MAGNITUDE, compact = canvas->drawn->compact;
  mr_draw_ground(canvas, panel);
  if (magnitude) mr_draw_levels(canvas, panel);
  mr_draw_grid(canvas, panel);
  mr_draw_axis_words(canvas, panel);
  if (compact) mr_draw_frequency_words(canvas); /* under the curves */
  if (magnitude) mr_draw_nyquist_word(canvas, panel);
  mr_draw_curves(canvas, panel);
  if (magnitude && canvas->wholes == 1) mr_draw_numbers(canvas, panel);
}

void mr_picture_draw(cairo_t* cr, const MrPicture* picture, double width, double height, MrDrawn* drawn) {
  const double font = font_size(width, height);
  MrCanvas canvas = {
      .cr = cr, .picture = picture, .theme = mr_theme(picture->dark), .drawn = drawn, .font = font, .small = fmax(8, 0.88 * font)};
  memset(drawn, 0, sizeof *drawn);
  drawn->width = drawn->labels.width = width;
  drawn->height = drawn->labels.height = height;
  drawn->labels.gap = 0.35 * font;
  drawn->least_hz = picture->least_hz;
  drawn->most_hz = picture->most_hz;
  drawn->compact = width < COMPACT_WIDTH || height < COMPACT_HEIGHT;
  drawn->font = font;
  count_curves(&canvas);
  mr_theme_set(cr, canvas.theme->ground, 1);
  cairo_paint(cr);
  const uint32_t most = (uint32_t)fmax(1, floor(0.22 * height / (1.55 * font)));
  const uint32_t rows = drawn->compact ? 0 : mr_legend_rows(&canvas, most);
  mr_layout(&canvas, rows);
  if (drawn->compact) {
    draw_compact_note(&canvas);
  } else {
    draw_title(&canvas);
    if (rows) mr_draw_legend(&canvas, most);
  }
  for (uint32_t i = 0; i < drawn->panels; i++) draw_panel(&canvas, &drawn->panel[i]);
  if (!drawn->compact) mr_draw_frequency_words(&canvas);
}
