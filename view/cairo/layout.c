/* Where everything stands, by the room there is.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "inside.h"

#define MS 1e3

static double clamp(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

static double whole(double x) { return floor(x + 0.5); }

/* Range and step of the phase and of the delay, of what is heard. */
static void set_range(const MrCanvas* canvas, MrPanel* panel, double lines) {
  const MrPicture* picture = canvas->picture;
  double least, most;
  switch (panel->quantity) {
    case MR_MAGNITUDE:
      panel->least = picture->least_db;
      panel->most = picture->most_db;
      panel->step = mr_axis_step_db(panel->most - panel->least, lines);
      return;
    case MR_PHASE:
      panel->least = -180;
      panel->most = 180;
      panel->step = mr_axis_step_degrees(360, lines);
      return;
    case MR_DELAY:
      break;
  }
  if (!mr_picture_extent(picture, MR_DELAY, &least, &most)) least = most = 0;
  least = least > -0.02 * (most - least) ? 0 : least * MS;
  most = fmax(most * MS, least + 0.01);
  panel->step = mr_axis_step(1.08 * (most - least), lines);
  panel->least = floor(least / panel->step) * panel->step;
  panel->most = ceil((most + 0.04 * (most - least)) / panel->step) * panel->step;
}

/* Of the numbers along a panel's left side. */
static double widest(const MrCanvas* canvas, const MrPanel* panel) {
  double most = 0;
  char text[32];
  for (long i = mr_panel_first(panel); (double)i * panel->step <= panel->most + panel->step * 1e-6; i++) {
    mr_axis_label((double)i * panel->step, panel->step, panel->quantity == MR_MAGNITUDE, text, sizeof text);
    most = fmax(most, mr_labels_width(canvas->cr, text));
  }
  return most;
}

static double level_width(const MrCanvas* canvas) {
  if (!canvas->levels) return 0;
  mr_labels_font(canvas->cr, canvas->small, false);
  return mr_labels_width(canvas->cr,
                         "\xe2\x88\x92"
                         "100") +
         0.5 * canvas->font;
}

static void set_panels(MrCanvas* canvas, double top, double bottom, double caption) {
  static const double shares[] = {1.7, 1, 1};
  MrDrawn* drawn = canvas->drawn;
  double sum = 0, at = top;
  for (uint32_t i = 0; i < drawn->panels; i++) sum += shares[drawn->panel[i].quantity];
  const double room = bottom - top - caption * drawn->panels;
  for (uint32_t i = 0; i < drawn->panels; i++) {
    MrPanel* panel = &drawn->panel[i];
    const double height = room * shares[panel->quantity] / sum;
    panel->top = whole(at + caption) + 0.5;
    panel->bottom = whole(at + caption + height) + 0.5;
    at += caption + height;
    set_range(canvas, panel, (panel->bottom - panel->top) / (2.6 * canvas->font));
  }
}

static void set_compact(MrCanvas* canvas) {
  MrPanel* panel = &canvas->drawn->panel[0];
  *panel = (MrPanel){
      .quantity = MR_MAGNITUDE, .left = 0.5, .top = 0.5, .right = canvas->drawn->width - 0.5, .bottom = canvas->drawn->height - 0.5};
  canvas->drawn->panels = 1;
  set_range(canvas, panel, fmax(4, canvas->drawn->height / (2.4 * canvas->font)));
}

void mr_layout(MrCanvas* canvas, uint32_t rows) {
  MrDrawn* drawn = canvas->drawn;
  const MrPicture* picture = canvas->picture;
  const double font = canvas->font, edge = whole(0.9 * font);
  if (drawn->compact) {
    set_compact(canvas);
    return;
  }
  drawn->panels = 0;
  drawn->panel[drawn->panels++] = (MrPanel){.quantity = MR_MAGNITUDE};
  if (picture->phase) drawn->panel[drawn->panels++] = (MrPanel){.quantity = MR_PHASE};
  if (picture->delay) drawn->panel[drawn->panels++] = (MrPanel){.quantity = MR_DELAY};
  double top = edge;
  if (picture->title || picture->note) top += 1.7 * font;
  canvas->legend_top = top + 0.6 * font;
  top += 1.55 * font * rows;
  set_panels(canvas, top, drawn->height - 2.2 * font - 0.4 * edge, 1.75 * font);
  mr_labels_font(canvas->cr, canvas->small, false);
  double left = 0;
  for (uint32_t i = 0; i < drawn->panels; i++) left = fmax(left, widest(canvas, &drawn->panel[i]));
  left = whole(clamp(left + 0.5 * font + edge, 0, drawn->width / 3)) + 0.5;
  const double right = whole(drawn->width - edge - level_width(canvas)) - 0.5;
  for (uint32_t i = 0; i < drawn->panels; i++) drawn->panel[i].left = left, drawn->panel[i].right = right;
}
