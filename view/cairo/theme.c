/* Colours and dashes.
   SPDX-License-Identifier: ISC */
#include "theme.h"

#define RGB(hex) \
  { ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0 }

enum { HUES = 7, DASHES = 5 };

static const MrTheme light = {
    .ground = RGB(0xffffff),
    .panel = RGB(0xfbfcfd),
    .grid = RGB(0xe9ecf0),
    .grid_strong = RGB(0xc3c9d2),
    .edge = RGB(0xaab2bd),
    .text = RGB(0x1f2530),
    .text_dim = RGB(0x5b6472),
    .ink = RGB(0x12161d),
    .off = RGB(0xa9b0ba),
    .beyond = RGB(0xe6e9ee),
    .input = RGB(0x8d97a5),
    .output = RGB(0x0072b2),
    .hue = {RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7), RGB(0xe69f00), RGB(0x56b4e9), RGB(0xa39a10)},
    .dark = false,
};

static const MrTheme dark = {
    .ground = RGB(0x14171d),
    .panel = RGB(0x191d25),
    .grid = RGB(0x272d38),
    .grid_strong = RGB(0x465061),
    .edge = RGB(0x4c5667),
    .text = RGB(0xe3e8ef),
    .text_dim = RGB(0x9aa5b4),
    .ink = RGB(0xf2f5f9),
    .off = RGB(0x5f6978),
    .beyond = RGB(0x0f1116),
    .input = RGB(0x8391a3),
    .output = RGB(0x56b4e9),
    .hue = {RGB(0x56b4e9), RGB(0xe69f00), RGB(0x22c192), RGB(0xdb92bb), RGB(0xf0e442), RGB(0x6178ff), RGB(0xf2703a)},
    .dark = true,
};

const MrTheme* mr_theme(bool is_dark) { return is_dark ? &dark : &light; }

MrColour mr_theme_hue(const MrTheme* theme, uint32_t number) { return theme->hue[number % HUES]; }

void mr_theme_set(cairo_t* cr, MrColour colour, double alpha) { cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, alpha); }

void mr_theme_dash(cairo_t* cr, uint32_t number, double width) {
  static const double patterns[DASHES][6] = {{0}, {6, 3}, {1.2, 2.4}, {7, 2.5, 1.2, 2.5}, {3, 2}};
  static const int lengths[DASHES] = {0, 2, 2, 4, 2};
  double dashes[6];
  const uint32_t n = number % DASHES;
  for (int i = 0; i < lengths[n]; i++) dashes[i] = patterns[n][i] * width;
  cairo_set_dash(cr, dashes, lengths[n], 0);
}

MrColour mr_theme_blend(MrColour a, MrColour b, double part_of_b) {
  const double t = part_of_b;
  return (MrColour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}
