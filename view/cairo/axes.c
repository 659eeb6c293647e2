/* Grounds, grids, and the words along the axes.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "inside.h"

#define HATCH 7.0 /* between the lines beyond Nyquist */

double mr_drawn_x(const MrDrawn* drawn, double f) {
  const MrPanel* panel = &drawn->panel[0];
  return panel->left + log(f / drawn->least_hz) / log(drawn->most_hz / drawn->least_hz) * (panel->right - panel->left);
}

static double crisp(double x) { return floor(x) + 0.5; }

static void line(cairo_t* cr, double x0, double y0, double x1, double y1) {
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
}

static double nyquist_of(const MrCanvas* canvas) {
  const double nyquist = canvas->picture->curves->fs / 2;
  return nyquist > canvas->drawn->least_hz && nyquist < canvas->drawn->most_hz ? nyquist : 0;
}

/* Nothing can be beyond Nyquist: shaded and hatched. */
static void draw_beyond(const MrCanvas* canvas, const MrPanel* panel, double nyquist) {
  cairo_t* cr = canvas->cr;
  const double left = mr_drawn_x(canvas->drawn, nyquist), height = panel->bottom - panel->top;
  cairo_save(cr);
  cairo_rectangle(cr, left, panel->top, panel->right - left, height);
  cairo_clip(cr);
  mr_theme_set(cr, canvas->theme->beyond, 1);
  cairo_paint(cr);
  mr_theme_set(cr, canvas->theme->grid_strong, 0.6);
  cairo_set_line_width(cr, 1);
  for (long i = lround(floor((left - height) / HATCH)); (double)i * HATCH < panel->right; i++)
    line(cr, (double)i * HATCH, panel->bottom, (double)i * HATCH + height, panel->top);
  cairo_stroke(cr);
  cairo_restore(cr);
}

void mr_draw_ground(const MrCanvas* canvas, const MrPanel* panel) {
  cairo_t* cr = canvas->cr;
  cairo_rectangle(cr, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
  mr_theme_set(cr, canvas->theme->panel, 1);
  cairo_fill(cr);
  if (nyquist_of(canvas) > 0) draw_beyond(canvas, panel, nyquist_of(canvas));
}

/* Lines at 1 to 9 times each power of ten where there is room, else at 1, 2 and 5 times, or the powers alone. */
static void draw_frequency_lines(const MrCanvas* canvas, const MrPanel* panel) {
  cairo_t* cr = canvas->cr;
  const MrDrawn* drawn = canvas->drawn;
  const double decade = (panel->right - panel->left) / log10(drawn->most_hz / drawn->least_hz);
  const bool all = decade > 90, some = decade > 30;
  for (int i = mr_drawn_decade(drawn); pow(10, i) < drawn->most_hz; i++)
    for (int digit = 1; digit < 10; digit++) {
      const double f = digit * pow(10, i);
      if (f <= drawn->least_hz || f >= drawn->most_hz || (!all && digit != 1 && !(some && (digit == 2 || digit == 5)))) continue;
      const double x = crisp(mr_drawn_x(drawn, f));
      mr_theme_set(cr, digit == 1 ? mr_theme_blend(canvas->theme->grid, canvas->theme->grid_strong, 0.6) : canvas->theme->grid, 1);
      line(cr, x, panel->top, x, panel->bottom);
      cairo_stroke(cr);
    }
}

void mr_draw_grid(MrCanvas* canvas, const MrPanel* panel) {
  cairo_t* cr = canvas->cr;
  const MrTheme* theme = canvas->theme;
  cairo_set_line_width(cr, 1);
  cairo_set_dash(cr, NULL, 0, 0);
  draw_frequency_lines(canvas, panel);
  for (long i = mr_panel_first(panel); (double)i * panel->step < panel->most; i++) {
    const double value = (double)i * panel->step;
    const double y = crisp(mr_panel_y(panel, value));
    if (y <= panel->top + 1 || y >= panel->bottom - 1) continue;
    const bool zero = fabs(value) < panel->step * 1e-6;
    mr_theme_set(cr, zero ? theme->grid_strong : theme->grid, 1);
    line(cr, panel->left, y, panel->right, y);
    cairo_stroke(cr);
  }
  if (nyquist_of(canvas) > 0) {
    const double x = crisp(mr_drawn_x(canvas->drawn, nyquist_of(canvas))), dashes[] = {4, 3};
    mr_theme_set(cr, theme->text_dim, 1);
    cairo_set_dash(cr, dashes, 2, 0);
    line(cr, x, panel->top, x, panel->bottom);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
  }
  mr_theme_set(cr, theme->edge, 1);
  cairo_rectangle(cr, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
  cairo_stroke(cr);
}

/* ----------------------------------------------------------------- words */

static void put_level(MrCanvas* canvas, const MrPanel* panel, double value, double y) {
  char text[32];
  const MrPicture* picture = canvas->picture;
  if (!canvas->levels || panel->quantity != MR_MAGNITUDE || canvas->drawn->compact) return;
  const double step = panel->step * picture->level_per;
  mr_axis_label(picture->level_top_db - (panel->most - value) * picture->level_per, step, false, text, sizeof text);
  mr_labels_put(&canvas->drawn->labels, canvas->cr, text, panel->right + 0.5 * canvas->font, y, 0);
}

void mr_draw_axis_words(MrCanvas* canvas, const MrPanel* panel) {
  static const char* const captions[] = {"Magnitude, dB", "Phase, degrees", "Group delay, ms"};
  cairo_t* cr = canvas->cr;
  MrLabels* labels = &canvas->drawn->labels;
  const bool compact = canvas->drawn->compact;
  mr_labels_font(cr, canvas->small, false);
  mr_theme_set(cr, canvas->theme->text_dim, 1);
  for (long i = mr_panel_first(panel); (double)i * panel->step <= panel->most + panel->step * 1e-6; i++) {
    char text[32];
    const double value = (double)i * panel->step;
    const double y = mr_panel_y(panel, value);
    mr_axis_label(value, panel->step, panel->quantity == MR_MAGNITUDE, text, sizeof text);
    if (compact && (y < panel->top + 1.2 * canvas->small || y > panel->bottom - 1.6 * canvas->small)) continue;
    if (compact)
      mr_labels_put(labels, cr, text, panel->left + 0.4 * canvas->font, y - 0.65 * canvas->small, 0); /* on its line */
    else
      mr_labels_put(labels, cr, text, panel->left - 0.5 * canvas->font, y, 1);
    put_level(canvas, panel, value, y);
  }
  if (compact) return;
  const double y = panel->top - 0.8 * canvas->font;
  mr_labels_put(labels, cr, captions[panel->quantity], panel->left, y, 0);
  if (canvas->levels && panel->quantity == MR_MAGNITUDE)
    mr_labels_put(labels, cr, "Level in twelfths of an octave, dB FS", canvas->drawn->width - 0.9 * canvas->font, y, 1);
}

static void put_frequency(MrCanvas* canvas, double f, double y) {
  char text[32];
  const MrDrawn* drawn = canvas->drawn;
  if (f < drawn->least_hz * (1 - 1e-9) || f > drawn->most_hz * (1 + 1e-9)) return;
  const double x = mr_drawn_x(drawn, f);
  mr_axis_label_hz(f, text, sizeof text);
  const double half = mr_labels_width(canvas->cr, text) / 2;
  if (drawn->compact && (x - half < 2 || x + half > drawn->width - 2)) return;
  mr_labels_put(&canvas->drawn->labels, canvas->cr, text, x, y, 0.5);
}

/* Powers of ten first, then 2 and 5 times those, where there is room left. */
void mr_draw_frequency_words(MrCanvas* canvas) {
  static const int digits[] = {1, 2, 5};
  const MrDrawn* drawn = canvas->drawn;
  const MrPanel* last = &drawn->panel[drawn->panels - 1];
  const double y = drawn->compact ? last->bottom - 0.75 * canvas->small : last->bottom + 0.95 * canvas->font;
  mr_labels_font(canvas->cr, canvas->small, false);
  mr_theme_set(canvas->cr, canvas->theme->text_dim, 1);
  if (!drawn->compact) {
    const double right = last->right;
    mr_labels_put(&canvas->drawn->labels, canvas->cr, "Hz", right, y, 1);
  }
  const double decade = (last->right - last->left) / log10(drawn->most_hz / drawn->least_hz);
  for (int i = 0; i < 3; i++) {
    if (i && decade < 9 * canvas->small) break; /* all of a kind or none */
    for (int k = mr_drawn_decade(drawn); pow(10, k) < drawn->most_hz; k++) put_frequency(canvas, digits[i] * pow(10, k), y);
  }
}

/* Along the line where there is room beyond it, else before it. */
void mr_draw_nyquist_word(MrCanvas* canvas, const MrPanel* panel) {
  if (!(nyquist_of(canvas) > 0) || canvas->drawn->compact) return;
  char text[64], f[32];
  MrLabels* labels = &canvas->drawn->labels;
  const double x = mr_drawn_x(canvas->drawn, nyquist_of(canvas));
  mr_subject_name_frequency(nyquist_of(canvas), f, sizeof f);
  snprintf(text, sizeof text, "Nyquist %s", f);
  mr_labels_font(canvas->cr, 0.9 * canvas->small, false);
  mr_theme_set(canvas->cr, canvas->theme->text_dim, 1);
  if (mr_labels_width(canvas->cr, text) > panel->bottom - panel->top - canvas->font) return;
  if (panel->right - x > 1.05 * canvas->small)
    mr_labels_put_upwards(labels, canvas->cr, text, (x + panel->right) / 2, panel->top + 0.6 * canvas->font, 1);
  else
    mr_labels_put_upwards(labels, canvas->cr, text, x - 0.8 * canvas->small, panel->top + 0.6 * canvas->font, 1);
}
