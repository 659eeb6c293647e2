/* Pictures show the numbers: curves stand at their heights, grids at their values, words within the picture and never over each other, at every size,
   light and dark.
   SPDX-License-Identifier: ISC */
#include "tests/view/view_support.h"

#include <stdio.h>

#include "view/cairo/draw.h"
#include "view/cairo/theme.h"
#include "view/module.h"

typedef struct Shot {
  int width, height;
  unsigned char* data;
  MrDrawn drawn;
} Shot;

static Shot shoot(const MrPicture* picture, int width, int height) {
  Shot shot = {.width = width, .height = height, .data = calloc((size_t)height, (size_t)width * 4)};
  assert_non_null(shot.data);
  cairo_surface_t* surface = cairo_image_surface_create_for_data(shot.data, CAIRO_FORMAT_ARGB32, width, height, width * 4);
  cairo_t* cr = cairo_create(surface);
  mr_picture_draw(cr, picture, width, height, &shot.drawn);
  assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  return shot;
}

static MrColour pixel(const Shot* shot, int x, int y) {
  uint32_t word;
  memcpy(&word, shot->data + ((size_t)y * (size_t)shot->width + (size_t)x) * 4, 4);
  return (MrColour){(word >> 16 & 255) / 255.0, (word >> 8 & 255) / 255.0, (word & 255) / 255.0};
}

static double distance(MrColour a, MrColour b) { return fabs(a.r - b.r) + fabs(a.g - b.g) + fabs(a.b - b.b); }

static MrPicture picture_of(const MrCurves* curves, bool dark) {
  MrPicture picture = {.curves = curves, .dark = dark, .title = "Title"};
  return picture;
}

/* The middle of the pixels of that colour in a column; NAN: none. */
static double height_in(const Shot* shot, int x, MrColour colour) {
  double sum = 0, weights = 0;
  const MrPanel* panel = &shot->drawn.panel[0];
  for (int y = (int)panel->top + 1; y < (int)panel->bottom; y++) {
    const double weight = fmax(0, 1 - distance(pixel(shot, x, y), colour) / 0.6);
    sum += weight * (y + 0.5);
    weights += weight;
  }
  return weights > 0.5 ? sum / weights : NAN;
}

static const char* const texts[] = {
    "Filter: ON PK Fc 400 Hz Gain 5 dB Q 0.7\nFilter: ON PK Fc 4000 Hz Gain -4 dB Q 2",
    "Filter: ON Butterworth LP Order 4 Fc 500 Hz",
    "Preamp: -3 dB\nFilter: ON HSC Fc 2000 Hz Gain -8 dB Q 0.7",
};
static const int sizes[][2] = {{200, 60}, {300, 200}, {640, 320}, {1200, 600}, {2000, 1200}};
static const double ranges[][2] = {{0, 0}, {-12, 12}, {-48, 6}, {-6, 6}};

static void curves_stand_at_their_heights(void** state) {
  (void)state;
  unsigned columns = 0;
  for (size_t t = 0; t < 3; t++) {
    Scene scene = scene_of(texts[t], 1, 48000);
    MrCurves* curves = scene_curves(&scene, false);
    for (size_t s = 0; s < 5; s++)
      for (size_t r = 0; r < 4; r++) {
        const bool dark = (s + r) % 2;
        MrPicture picture = picture_of(curves, dark);
        picture.least_db = ranges[r][0];
        picture.most_db = ranges[r][1];
        mr_picture_choose(&picture);
        Shot shot = shoot(&picture, sizes[s][0], sizes[s][1]);
        const MrPanel* p = &shot.drawn.panel[0];
        for (int x = (int)p->left + 40; x < (int)p->right - 40; x += 7) {
          double y[3]; /* a little before, at and a little after the middle of the column */
          for (int k = 0; k < 3; k++) {
            const double f = picture.least_hz * pow(picture.most_hz / picture.least_hz, (x + 0.5 * k - p->left) / (p->right - p->left));
            const double db = f < 24000 ? db_at(scene.program, 0, 48000, f) : NAN;
            y[k] = p->bottom - (db - picture.least_db) / (picture.most_db - picture.least_db) * (p->bottom - p->top);
          }
          const double slope = y[2] - y[0];
          if (!(y[1] > p->top + 4 && y[1] < p->bottom - 4)) continue;
          const double seen = height_in(&shot, x, mr_theme(dark)->hue[0]);
          if (fabs(seen - y[1]) > sqrt(1 + slope * slope) || isnan(seen))
            fail_msg("%dx%d, range %zu, text %zu: column %d at %g, not %g", sizes[s][0], sizes[s][1], r, t, x, seen, y[1]);
          columns++;
        }
        free(shot.data);
      }
    mr_curves_free(curves);
    scene_free(&scene);
  }
  assert_true(columns > 3000);
}

/* Rows and columns that are a grid line's from edge to edge. */
static void grids_stand_at_their_values(void** state) {
  (void)state;
  Scene scene = scene_of("Preamp: 2.5 dB", 1, 96000);
  MrCurves* curves = scene_curves(&scene, false);
  MrPicture picture = picture_of(curves, false);
  picture.least_db = -12;
  picture.most_db = 12;
  mr_picture_choose(&picture);
  Shot shot = shoot(&picture, 1200, 600);
  const MrPanel* p = &shot.drawn.panel[0];
  const MrTheme* theme = mr_theme(false);
  assert_true(p->step == 2);
  for (int db = -10; db <= 10; db += 2) {
    const int y = (int)(p->bottom - (db + 12) / 24.0 * (p->bottom - p->top)), x = (int)p->left + 3;
    if (db >= 0 && db <= 2) continue; /* under the curve's area */
    assert_true(distance(pixel(&shot, x, y), theme->grid) < 0.02);
    assert_true(distance(pixel(&shot, x, y + 2), theme->panel) < 0.02);
  }
  for (int decade = 2; decade <= 4; decade++) {
    const double f = pow(10, decade);
    const int x = (int)(p->left + log(f / 20) / log(20000.0 / 20) * (p->right - p->left)), y = (int)p->bottom - 5;
    assert_true(distance(pixel(&shot, x, y), theme->panel) > 0.15);
    assert_true(distance(pixel(&shot, x + 3, y), theme->panel) < 0.02);
  }
  free(shot.data);
  mr_curves_free(curves);
  scene_free(&scene);
}

static void nyquist_is_marked(void** state) {
  (void)state;
  for (int dark = 0; dark < 2; dark++) {
    Scene scene = scene_of("Filter: ON PK Fc 1000 Hz Gain -9 dB Q 1", 1, 44100);
    MrCurves* curves = scene_curves(&scene, false);
    MrPicture picture = picture_of(curves, dark);
    mr_picture_choose(&picture);
    Shot shot = shoot(&picture, 1200, 600);
    const MrPanel* p = &shot.drawn.panel[0];
    const int x = (int)(p->left + log(22050 / picture.least_hz) / log(picture.most_hz / picture.least_hz) * (p->right - p->left));
    unsigned line = 0, beyond = 0, before = 0;
    const MrTheme* theme = mr_theme(dark);
    for (int y = (int)p->top + 2; y < (int)p->bottom - 2; y++) {
      line += distance(pixel(&shot, x, y), theme->text_dim) < 0.1;
      beyond += distance(pixel(&shot, x + 5, y), theme->beyond) < 0.1;
      before += distance(pixel(&shot, x - 5, y), theme->panel) < 0.1;
    }
    const double rows = p->bottom - p->top;
    assert_true(line > 0.4 * rows); /* dashes */
    assert_true(beyond > 0.5 * rows);
    assert_true(before > 0.5 * rows);
    bool named = false;
    for (size_t i = 0; i < shot.drawn.labels.count; i++) named |= !strcmp(shot.drawn.labels.text[i], "Nyquist 22.1 kHz");
    assert_true(named);
    free(shot.data);
    mr_curves_free(curves);
    scene_free(&scene);
  }
}

static void what_is_off_is_grey(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON PK Fc 400 Hz Gain 5 dB Q 1\nFilter: ON PK Fc 26000 Hz Gain 6 dB Q 1", 1, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  MrPicture picture = picture_of(curves, false);
  mr_picture_choose(&picture);
  Shot shot = shoot(&picture, 1200, 600);
  const MrTheme* theme = mr_theme(false);
  unsigned grey = 0, orange = 0; /* which the second colour is */
  const MrPanel* p = &shot.drawn.panel[0];
  const int nyquist = (int)(p->left + log(24000 / picture.least_hz) / log(picture.most_hz / picture.least_hz) * (p->right - p->left));
  for (int y = (int)p->top + 3; y < (int)p->bottom - 3; y++)
    for (int x = (int)p->left + 3; x < nyquist - 3; x++) {
      const MrColour c = pixel(&shot, x, y);
      grey += distance(c, theme->off) < 0.15 && c.b > c.r && c.b - c.r < 0.1;
      orange += c.r - c.b > 0.1;
    }
  assert_true(grey > 20);
  assert_int_equal(orange, 0);
  free(shot.data);
  picture.dimmed = true; /* bypassed: nothing has a colour */
  picture.note = "bypassed";
  shot = shoot(&picture, 1200, 600);
  unsigned coloured = 0;
  for (int y = 0; y < shot.height; y++)
    for (int x = 0; x < shot.width; x++) {
      const MrColour c = pixel(&shot, x, y);
      coloured += fmax(c.r, fmax(c.g, c.b)) - fmin(c.r, fmin(c.g, c.b)) > 0.3;
    }
  assert_int_equal(coloured, 0);
  free(shot.data);
  mr_curves_free(curves);
  scene_free(&scene);
}

/* ----------------------------------------------------------------- words */

static void check_labels(const Shot* shot, const char* what) {
  const MrLabels* labels = &shot->drawn.labels;
  for (size_t i = 0; i < labels->count; i++) {
    const MrBox* a = &labels->box[i];
    if (a->left < 0 || a->top < 0 || a->right > shot->width || a->bottom > shot->height || a->right < a->left || a->bottom < a->top)
      fail_msg("%s: \"%s\" is not within %dx%d", what, labels->text[i], shot->width, shot->height);
    for (size_t k = 0; k < i; k++) {
      const MrBox* b = &labels->box[k];
      if (a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom)
        fail_msg("%s at %dx%d: \"%s\" stands over \"%s\"", what, shot->width, shot->height, labels->text[i], labels->text[k]);
    }
  }
}

static unsigned count_labels(const Shot* shot) {
  unsigned count = 0;
  for (size_t i = 0; i < shot->drawn.labels.count; i++) count += shot->drawn.labels.text[i][0] != '\0';
  return count;
}

static const char sixteen[] =
    "Filter: ON Butterworth HP Order 8 Fc 25 Hz\nFilter: ON PK Fc 50 Hz Gain -3 dB Q 1\nFilter: ON PK Fc 51 Hz Gain -3 dB Q 1\n"
    "Filter: ON PK Fc 52 Hz Gain -3 dB Q 1\nFilter: ON PK Fc 53 Hz Gain -3 dB Q 1\nFilter: ON PK Fc 500 Hz Gain 3 dB Q 1\n"
    "Filter: ON PK Fc 700 Hz Gain -3 dB Q 1\nFilter: ON PK Fc 1000 Hz Gain -3 dB Q 1\nFilter: ON PK Fc 1100 Hz Gain -3 dB Q 1\n"
    "Filter: ON Elliptic BP Order 4 Fc 300 Hz 12000 Hz Ripple 0.1 dB Stop 60 dB\nFilter: ON PK Fc 1111 Hz Gain -3 dB Q 1\n"
    "Filter: ON PK Fc 5000 Hz Gain -3 dB Q 1\nFilter: ON NO Fc 6000 Hz\nFilter: ON PK Fc 7000 Hz Gain -3 dB Q 1\n"
    "Filter: ON PK Fc 30000 Hz Gain 9 dB Q 1\nFilter: ON Weighting A\n";

static void words_never_overlap(void** state) {
  (void)state;
  static const int all[][2] = {{200, 60},  {20, 20},   {60, 200},  {160, 160},  {300, 160},   {301, 161}, {320, 200},
                               {400, 900}, {640, 320}, {900, 240}, {1200, 600}, {2000, 1200}, {4000, 500}};
  static const char* const banks[] = {sixteen, "Preamp: -200 dB", "Crossover: LinkwitzRiley Order 4 Fc 300 Hz 3000 Hz In 1 Out 3 4 5",
                                      "Preamp: 0.01 dB", "Channel: 1\nFilter: ON PK Fc 100 Hz Gain 0.05 dB Q 1\nChannel: 2\nPreamp: 60 dB"};
  char title[400];
  memset(title, 'W', sizeof title - 1);
  title[sizeof title - 1] = '\0';
  for (size_t b = 0; b < sizeof banks / sizeof *banks; b++) {
    const uint32_t channels = b == 2 ? 5 : b == 4 ? 4 : 1;
    Scene scene = scene_of(banks[b], channels, 48000);
    MrCurves* curves = scene_curves(&scene, true);
    double* levels = mr_curves_add_levels(curves, MR_CURVE_INPUT, "Before \xff\xfe with bytes that are no text");
    for (uint32_t i = 0; i < curves->points; i++) levels[i] = -40 - 10 * log10(curves->frequency[i] / 20);
    for (size_t s = 0; s < sizeof all / sizeof *all; s++)
      for (int panels = all[s][0] > 900 ? 3 : 0; panels < 4; panels++) { /* the large ones with all panels alone: they take long */
        MrPicture picture = picture_of(curves, panels & 1);
        picture.phase = panels & 1;
        picture.delay = panels & 2;
        picture.title = panels ? title : "Short";
        picture.note = "bypassed";
        mr_picture_choose(&picture);
        Shot shot = shoot(&picture, all[s][0], all[s][1]);
        check_labels(&shot, banks[b]);
        free(shot.data);
      }
    mr_curves_free(curves);
    scene_free(&scene);
  }
}

static bool has_label(const Shot* shot, const char* text) {
  for (size_t i = 0; i < shot->drawn.labels.count; i++)
    if (!strcmp(shot->drawn.labels.text[i], text)) return true;
  return false;
}

static void small_and_large_are_legible(void** state) {
  (void)state;
  Scene scene = scene_of(texts[0], 1, 48000);
  MrCurves* curves = scene_curves(&scene, true);
  MrPicture picture = picture_of(curves, true);
  mr_picture_choose(&picture);
  Shot small = shoot(&picture, 200, 60), large = shoot(&picture, 2000, 1200);
  assert_true(small.drawn.compact && !large.drawn.compact);
  static const char* const always[] = {"100", "1k", "10k", "0"};
  for (size_t i = 0; i < 4; i++)
    if (!has_label(&small, always[i]) || !has_label(&large, always[i])) fail_msg("no \"%s\"", always[i]);
  static const char* const more[] = {
      "20", "50", "200", "2k", "5k", "20k", "Hz", "Magnitude, dB", "+6", "All bands", "PK 400 Hz, +5 dB", "Title", "Nyquist 24 kHz"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (!has_label(&large, more[i])) fail_msg("no \"%s\"", more[i]);
  assert_true(has_label(&large,
                        "\xe2\x88\x92"
                        "6"));
  assert_true(count_labels(&large) > count_labels(&small));
  for (size_t i = 0; i < small.drawn.labels.count; i++) /* digits of 5 pixels at least */
    assert_true(small.drawn.labels.box[i].bottom - small.drawn.labels.box[i].top >= 5);
  assert_true(large.drawn.font >= 16);
  free(small.data);
  free(large.data);
  mr_curves_free(curves);
  scene_free(&scene);
}

/* ---------------------------------------------------------------- colours */

static double luminance(MrColour c) {
  double part[] = {c.r, c.g, c.b}, sum = 0;
  static const double weight[] = {0.2126, 0.7152, 0.0722};
  for (int i = 0; i < 3; i++) sum += weight[i] * (part[i] <= 0.04045 ? part[i] / 12.92 : pow((part[i] + 0.055) / 1.055, 2.4));
  return sum;
}

/* The contrast of WCAG 2: 1 to 21. */
static double contrast(MrColour a, MrColour b) {
  const double x = luminance(a), y = luminance(b);
  return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void colours_can_be_told_apart(void** state) {
  (void)state;
  for (int dark = 0; dark < 2; dark++) {
    const MrTheme* theme = mr_theme(dark);
    assert_true(contrast(theme->text, theme->ground) > 7);
    assert_true(contrast(theme->text_dim, theme->ground) > 4.5);
    assert_true(contrast(theme->text_dim, theme->panel) > 4.5);
    assert_true(contrast(theme->ink, theme->panel) > 12);
    for (uint32_t i = 0; i < 7; i++) {
      assert_true(contrast(theme->hue[i], theme->panel) > 2);
      for (uint32_t k = 0; k < i; k++) assert_true(distance(theme->hue[i], theme->hue[k]) > 0.3);
    }
  }
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1);
  cairo_t* cr = cairo_create(surface);
  double first[5][8];
  int count[5];
  for (uint32_t i = 0; i < 5; i++) { /* and by their dashes */
    mr_theme_dash(cr, i, 1);
    count[i] = cairo_get_dash_count(cr);
    cairo_get_dash(cr, first[i], NULL);
    for (uint32_t k = 1; k < i; k++)
      assert_true(count[i] != count[k] || memcmp(first[i], first[k], (size_t)count[i] * sizeof(double)) != 0);
  }
  assert_int_equal(count[0], 0);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

static void panels_of_phase_and_delay(void** state) {
  (void)state;
  Scene scene = scene_of("Filter: ON PK Fc 1000 Hz Gain 12 dB Q 2\nDelay: 48 samples", 1, 48000);
  MrCurves* curves = scene_curves(&scene, false);
  MrPicture picture = picture_of(curves, false);
  picture.phase = picture.delay = true;
  mr_picture_choose(&picture);
  Shot shot = shoot(&picture, 1200, 900);
  assert_int_equal(shot.drawn.panels, 3);
  for (int k = 1; k < 3; k++) {
    MrDrawn one = shot.drawn; /* as if it were the first, for height_in() */
    one.panel[0] = shot.drawn.panel[k];
    const Shot other = {shot.width, shot.height, shot.data, one};
    const MrPanel* p = &one.panel[0];
    unsigned columns = 0;
    for (int x = (int)p->left + 20; x < (int)p->right - 40; x += 11) {
      const double f = picture.least_hz * pow(picture.most_hz / picture.least_hz, (x + 0.5 - p->left) / (p->right - p->left)),
                   step = f * 1e-5;
      const double phase = carg(response_at(scene.program, 0, 48000, f)) * 180 / M_PI;
      const double turn = carg(response_at(scene.program, 0, 48000, f + step) / response_at(scene.program, 0, 48000, f - step));
      const double value = k == 1 ? phase : 1 - turn / (2 * M_PI * 2 * step) * 1000; /* 48 samples: 1 ms */
      const double y = p->bottom - (value - p->least) / (p->most - p->least) * (p->bottom - p->top);
      const double seen = height_in(&other, x, mr_theme(false)->hue[0]);
      if (fabs(f - 1000) < 150) continue; /* steep */
      if (!(fabs(seen - y) < 1.5)) fail_msg("panel %d, column %d (%g Hz): at %g, not %g", k, x, f, seen, y);
      columns++;
    }
    assert_true(columns > 60);
  }
  check_labels(&shot, "panels");
  free(shot.data);
  mr_curves_free(curves);
  scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(curves_stand_at_their_heights),
                                     cmocka_unit_test(grids_stand_at_their_values),
                                     cmocka_unit_test(nyquist_is_marked),
                                     cmocka_unit_test(what_is_off_is_grey),
                                     cmocka_unit_test(words_never_overlap),
                                     cmocka_unit_test(small_and_large_are_legible),
                                     cmocka_unit_test(colours_can_be_told_apart),
                                     cmocka_unit_test(panels_of_phase_and_delay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
