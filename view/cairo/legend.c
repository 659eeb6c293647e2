/* The legend: rows of samples and names.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "inside.h"

static const MrCurveRole order[] = {MR_CURVE_WHOLE, MR_CURVE_INPUT, MR_CURVE_OUTPUT, MR_CURVE_BAND};

static const char* name_of(const MrCanvas* canvas, const MrCurve* curve) {
  if (*curve->name || curve->role != MR_CURVE_WHOLE) return curve->name;
  return canvas->bands ? "All bands" : "Filters";
}

/* A curve that is alone needs no name. */
static bool has_legend(const MrCanvas* canvas) {
  const MrCurves* curves = canvas->picture->curves;
  if (curves->curves > 1) return true;
  return curves->curves == 1 && *curves->curve[0].name;
}

static double sample_width(const MrCanvas* canvas, const MrCurve* curve) {
  return (curve->role == MR_CURVE_BAND ? 1.2 : 2.2) * canvas->font;
}

static double entry_width(const MrCanvas* canvas, const MrCurve* curve) {
  return sample_width(canvas, curve) + 0.5 * canvas->font + mr_labels_width(canvas->cr, name_of(canvas, curve));
}

static void draw_sample(const MrCanvas* canvas, const MrCurve* curve, double x, double y) {
  cairo_t* cr = canvas->cr;
  const double width = sample_width(canvas, curve), font = canvas->font;
  const MrColour colour = mr_curve_colour(canvas, curve);
  if (curve->role == MR_CURVE_BAND) {
    mr_draw_disc(canvas, curve, x + 0.6 * font, y, 0.56 * font);
    return;
  }
  if (curve->role >= MR_CURVE_INPUT) {
    cairo_rectangle(cr, x + 0.4 * font, y - 0.4 * font, width - 0.4 * font, 0.8 * font);
    mr_theme_set(cr, colour, 0.35);
    cairo_fill_preserve(cr);
    mr_theme_set(cr, colour, 1);
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
    return;
  }
  const double line = fmax(1.5, 0.17 * font);
  mr_theme_set(cr, colour, 1);
  mr_theme_dash(cr, mr_curve_dash(canvas, curve), line);
  cairo_set_line_width(cr, line);
  cairo_move_to(cr, x, y);
  cairo_line_to(cr, x + width, y);
  cairo_stroke(cr);
  cairo_set_dash(cr, NULL, 0, 0);
}

static void put_entry(MrCanvas* canvas, const MrCurve* curve, double x, double y) {
  const double width = sample_width(canvas, curve);
  draw_sample(canvas, curve, x, y);
  mr_labels_font(canvas->cr, canvas->small, false);
  mr_theme_set(canvas->cr, curve->off ? canvas->theme->text_dim : canvas->theme->text, 1);
  mr_labels_put(&canvas->drawn->labels, canvas->cr, name_of(canvas, curve), x + width + 0.5 * canvas->font, y, 0);
}

/* Goes through the entries, row by row; draws them if `to` is there. Returns the rows; where there would be more than `most`, the last says how many
   entries are left out. */
static uint32_t flow(const MrCanvas* canvas, uint32_t most, MrCanvas* to) {
  const MrCurves* curves = canvas->picture->curves;
  const double font = canvas->font, edge = floor(0.9 * font + 0.5), right = canvas->drawn->width - edge, more = 5 * font;
  double x = edge;
  uint32_t row = 0, shown = 0;
  if (!has_legend(canvas) || !most) return 0;
  mr_labels_font(canvas->cr, canvas->small, false);
  for (int r = 0; r < 4; r++)
    for (uint32_t c = 0; c < curves->curves; c++) {
      const MrCurve* curve = &curves->curve[c];
      if (curve->role != order[r]) continue;
      const double width = entry_width(canvas, curve);
      const bool last_row = row + 1 == most, last = shown + 1 == curves->curves;
      if (x > edge && x + width > right - (last_row && !last ? more : 0)) {
        if (last_row) {
          char text[32];
          snprintf(text, sizeof text, "+ %u more", curves->curves - shown);
          if (to) {
            mr_theme_set(to->cr, to->theme->text_dim, 1);
            mr_labels_put(&to->drawn->labels, to->cr, text, x, to->legend_top + 1.55 * font * row, 0);
          }
          return row + 1;
        }
        x = edge;
        row++;
      }
      if (to) put_entry(to, curve, x, to->legend_top + 1.55 * font * row);
      x += width + 1.4 * font;
      shown++;
    }
  return row + 1;
}

uint32_t mr_legend_rows(const MrCanvas* canvas, uint32_t most) { return flow(canvas, most, NULL); }

void mr_draw_legend(MrCanvas* canvas, uint32_t rows) { flow(canvas, rows, canvas); }
