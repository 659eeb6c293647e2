/* Curves, and the bands' numbers on them.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "inside.h"

#define FAR 3.0 /* heights of the panel beyond its edges that a curve is followed */

MrColour mr_curve_colour(const MrCanvas* canvas, const MrCurve* curve) {
  const MrTheme* theme = canvas->theme;
  if (curve->off || canvas->picture->dimmed) return theme->off;
  switch (curve->role) {
    case MR_CURVE_INPUT:
      return theme->input;
    case MR_CURVE_OUTPUT:
      if (canvas->levels <= 2) return theme->output;
      break;
    case MR_CURVE_WHOLE:
      if (canvas->wholes == 1) return canvas->bands || canvas->levels ? theme->ink : theme->hue[0];
      break;
    case MR_CURVE_BAND:
      break;
  }
  return mr_theme_hue(theme, curve->hue);
}

uint32_t mr_curve_dash(const MrCanvas* canvas, const MrCurve* curve) {
  if (curve->off) return 2;
  if (curve->role == MR_CURVE_BAND) return canvas->wholes > 1 ? 2 : curve->hue / 7; /* the colours begin anew */
  return curve->role == MR_CURVE_WHOLE && canvas->wholes > 1 ? curve->hue : 0;
}

/* ----------------------------------------------------------------- paths */

typedef struct Pen {
  const MrCanvas* canvas;
  const MrPanel* panel;
  double first_x, x, y, value;
  bool down;
  bool lines; /* not areas */
} Pen;

static double limited(const MrPanel* panel, double y) {
  const double far = FAR * (panel->bottom - panel->top);
  return fmin(fmax(y, panel->top - far), panel->bottom + far);
}

/* A level or magnitude, degrees, milliseconds; NaN: nothing. */
static double value_at(const Pen* pen, const MrCurve* curve, uint32_t i) {
  const MrPicture* picture = pen->canvas->picture;
  const double f = picture->curves->frequency[i];
  if (f < picture->least_hz * (1 - 1e-12) || f > picture->most_hz * (1 + 1e-12)) return NAN;
  switch (pen->panel->quantity) {
    case MR_PHASE:
      return curve->phase[i] * 180 / M_PI;
    case MR_DELAY:
      return curve->group_delay[i] * 1000;
    case MR_MAGNITUDE:
      break;
  }
  const double db = curve->magnitude_db[i];
  return curve->role >= MR_CURVE_INPUT ? picture->most_db - (picture->level_top_db - db) / picture->level_per : db;
}

/* A phase that passes 180 degrees goes on from the other edge. */
static void wrap(Pen* pen, double x, double value) {
  cairo_t* cr = pen->canvas->cr;
  const double edge = pen->value > value ? 180 : -180, whole = value + 2 * edge;
  const double t = whole != pen->value ? (edge - pen->value) / (whole - pen->value) : 0, at = pen->x + t * (x - pen->x);
  cairo_line_to(cr, at, mr_panel_y(pen->panel, edge));
  cairo_move_to(cr, at, mr_panel_y(pen->panel, -edge));
}

/* Where a band does nothing its line is left out: sixteen of them would cover the line at 0 dB. */
static bool is_idle(const Pen* pen, const MrCurve* curve, double y) {
  return pen->lines && curve->role == MR_CURVE_BAND && pen->panel->quantity == MR_MAGNITUDE && fabs(y - mr_panel_y(pen->panel, 0)) < 0.6;
}

static void path(Pen* pen, const MrCurve* curve) {
  const MrCurves* curves = pen->canvas->picture->curves;
  cairo_t* cr = pen->canvas->cr;
  pen->down = false;
  for (uint32_t i = 0; i < curves->points; i++) {
    const double value = value_at(pen, curve, i);
    if (isnan(value)) {
      if (pen->down) break; /* beyond Nyquist, or the right edge */
      continue;
    }
    const double x = mr_drawn_x(pen->canvas->drawn, curves->frequency[i]), y = limited(pen->panel, mr_panel_y(pen->panel, value));
    if (!pen->down) {
      cairo_move_to(cr, x, y);
      pen->first_x = x;
    } else if (is_idle(pen, curve, y) && is_idle(pen, curve, pen->y)) {
      cairo_move_to(cr, x, y);
    } else {
      if (pen->panel->quantity == MR_PHASE && fabs(value - pen->value) > 180) wrap(pen, x, value);
      cairo_line_to(cr, x, y);
    }
    pen->x = x;
    pen->y = y;
    pen->value = value;
    pen->down = true;
  }
}

static void fill(Pen* pen, const MrCurve* curve, double to, MrColour colour, double alpha) {
  cairo_t* cr = pen->canvas->cr;
  pen->lines = false;
  path(pen, curve);
  if (!pen->down) return;
  cairo_line_to(cr, pen->x, to);
  cairo_line_to(cr, pen->first_x, to);
  cairo_close_path(cr);
  mr_theme_set(cr, colour, alpha);
  cairo_fill(cr);
}

static void stroke(Pen* pen, const MrCurve* curve, double width, double alpha) {
  cairo_t* cr = pen->canvas->cr;
  pen->lines = true;
  path(pen, curve);
  mr_theme_set(cr, mr_curve_colour(pen->canvas, curve), alpha);
  mr_theme_dash(cr, mr_curve_dash(pen->canvas, curve), width);
  cairo_set_line_width(cr, width);
  cairo_stroke(cr);
  cairo_set_dash(cr, NULL, 0, 0);
}

static void clip(const MrCanvas* canvas, const MrPanel* panel) {
  cairo_save(canvas->cr);
  cairo_rectangle(canvas->cr, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
  cairo_clip(canvas->cr);
  cairo_set_line_join(canvas->cr, CAIRO_LINE_JOIN_ROUND);
}

void mr_draw_levels(const MrCanvas* canvas, const MrPanel* panel) {
  const MrCurves* curves = canvas->picture->curves;
  Pen pen = {.canvas = canvas, .panel = panel};
  clip(canvas, panel);
  for (uint32_t c = 0; c < curves->curves; c++) {
    const MrCurve* curve = &curves->curve[c];
    if (curve->role < MR_CURVE_INPUT) continue;
    fill(&pen, curve, panel->bottom, mr_curve_colour(canvas, curve), curve->role == MR_CURVE_INPUT ? 0.30 : 0.22);
  }
  cairo_restore(canvas->cr);
}

static double width_of(const MrCanvas* canvas, const MrCurve* curve) {
  const double font = canvas->font;
  if (canvas->drawn->compact) return curve->role == MR_CURVE_WHOLE ? 1.5 : 0.9;
  return curve->role == MR_CURVE_WHOLE ? fmax(1.5, 0.17 * font) : fmax(1, (curve->role == MR_CURVE_BAND ? 0.095 : 0.085) * font);
}

void mr_draw_curves(const MrCanvas* canvas, const MrPanel* panel) {
  static const MrCurveRole order[] = {MR_CURVE_INPUT, MR_CURVE_OUTPUT, MR_CURVE_BAND, MR_CURVE_WHOLE};
  const MrCurves* curves = canvas->picture->curves;
  const bool magnitude = panel->quantity == MR_MAGNITUDE;
  Pen pen = {.canvas = canvas, .panel = panel};
  const double zero = limited(panel, mr_panel_y(panel, 0));
  clip(canvas, panel);
  for (int r = 0; r < 4; r++)
    for (uint32_t c = 0; c < curves->curves; c++) {
      const MrCurve* curve = &curves->curve[c];
      if (curve->role != order[r] || (!magnitude && curve->role != MR_CURVE_WHOLE)) continue;
      const MrColour colour = mr_curve_colour(canvas, curve);
      const bool alone =
          curve->role == MR_CURVE_WHOLE && canvas->wholes == 1 && !canvas->levels && (!canvas->bands || canvas->drawn->compact);
      if (magnitude && curve->role == MR_CURVE_BAND && !curve->off && canvas->wholes == 1 && !canvas->levels && !canvas->drawn->compact)
        fill(&pen, curve, zero, colour, 0.08);
      if (magnitude && alone)
        fill(&pen, curve, zero, canvas->picture->dimmed ? colour : canvas->theme->hue[0], canvas->drawn->compact ? 0.30 : 0.12);
      stroke(&pen, curve, width_of(canvas, curve), curve->role == MR_CURVE_BAND ? 0.9 : 1);
    }
  cairo_restore(canvas->cr);
}

/* --------------------------------------------------------------- numbers */

void mr_draw_disc(const MrCanvas* canvas, const MrCurve* curve, double x, double y, double radius) {
  cairo_t* cr = canvas->cr;
  const MrColour colour = mr_curve_colour(canvas, curve);
  const double light = 0.30 * colour.r + 0.59 * colour.g + 0.11 * colour.b;
  cairo_new_sub_path(cr);
  cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
  mr_theme_set(cr, canvas->theme->panel, 1);
  cairo_set_line_width(cr, 0.35 * radius);
  cairo_stroke_preserve(cr);
  mr_theme_set(cr, colour, 1);
  cairo_fill(cr);
  if (!curve->number || canvas->drawn->compact) return;
  char text[16];
  cairo_text_extents_t e;
  snprintf(text, sizeof text, "%u", curve->number);
  mr_labels_font(cr, (curve->number < 10 ? 1.35 : curve->number < 100 ? 1.1 : 0.85) * radius, true);
  cairo_text_extents(cr, text, &e);
  cairo_set_source_rgb(cr, light > 0.55 ? 0.07 : 1, light > 0.55 ? 0.08 : 1, light > 0.55 ? 0.1 : 1);
  cairo_move_to(cr, x - e.x_bearing - e.width / 2, y - e.y_bearing - e.height / 2);
  cairo_show_text(cr, text);
}

/* The curve's value there, straight between its points. */
static double height_at(const MrCanvas* canvas, const MrCurve* curve) {
  const MrCurves* curves = canvas->picture->curves;
  uint32_t i = 0;
  while (i + 1 < curves->points && curves->frequency[i + 1] < curve->frequency) i++;
  if (i + 1 == curves->points) return NAN;
  const double a = fmax(curve->magnitude_db[i], -300), b = fmax(curve->magnitude_db[i + 1], -300);
  return a + (b - a) * log(curve->frequency / curves->frequency[i]) / log(curves->frequency[i + 1] / curves->frequency[i]);
}

/* On the curve, or over or under it where another's stands there. */
static void put_number(MrCanvas* canvas, const MrPanel* panel, const MrCurve* curve) {
  const double radius = canvas->drawn->compact ? 2 : 0.58 * canvas->font, db = height_at(canvas, curve);
  const MrDrawn* drawn = canvas->drawn;
  if (isnan(db) || !(curve->frequency > drawn->least_hz && curve->frequency < drawn->most_hz)) return;
  const double x = mr_drawn_x(drawn, curve->frequency), room = radius + 2;
  if (x - room < panel->left || x + room > panel->right) return;
  const double y = fmin(fmax(mr_panel_y(panel, db), panel->top + room), panel->bottom - room);
  if (drawn->compact) {
    mr_draw_disc(canvas, curve, x, y, radius);
    return;
  }
  for (int i = 0; i < 9; i++) {
    const int places = (i + 1) / 2 * (i % 2 ? -1 : 1);
    const double at = y + places * (2 * radius + 2);
    const MrBox box = {x - radius, at - radius, x + radius, at + radius};
    if (at - room < panel->top || at + room > panel->bottom || !mr_labels_is_free(&canvas->drawn->labels, box)) continue;
    mr_labels_keep(&canvas->drawn->labels, box);
    mr_draw_disc(canvas, curve, x, at, radius);
    return;
  }
}

void mr_draw_numbers(MrCanvas* canvas, const MrPanel* panel) {
  const MrCurves* curves = canvas->picture->curves;
  for (uint32_t c = 0; c < curves->curves; c++)
    if (curves->curve[c].role == MR_CURVE_BAND && curves->curve[c].frequency > 0) put_number(canvas, panel, &curves->curve[c]);
}
