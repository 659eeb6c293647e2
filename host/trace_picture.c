/* A picture of what threads did, drawn by cairo.
   SPDX-License-Identifier: ISC */
#include "trace_picture.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef MR_HAVE_CAIRO

#include <cairo-svg.h>
#include <math.h>

#define WIDTH  1200.0
#define LEFT   80.0
#define RIGHT  20.0
#define TOP    64.0
#define ROW    34.0
#define BAR    26.0
#define BOTTOM 44.0

/* From the events that there is room for. */
typedef struct Extent {
  uint64_t begin, end;
  uint32_t count, threads, stages;
} Extent;

static Extent extent_of(const MrTrace* trace) {
  Extent e = {UINT64_MAX, 0, trace->count < trace->room ? trace->count : trace->room, 0, 1};
  for (uint32_t i = 0; i < e.count; i++) {
    const MrTraceEvent* const event = &trace->event[i];
    if (event->begin < e.begin) e.begin = event->begin;
    if (event->end > e.end) e.end = event->end;
    if (event->thread >= e.threads) e.threads = event->thread + 1;
    if (event->node == MR_TRACE_RUN && event->stage >= e.stages) e.stages = event->stage + 1;
  }
  return e;
}

/* Stages in colours from blue to red that differ in lightness too; loads and stores in greys. */
static void set_colour(cairo_t* cr, const MrTraceEvent* event, uint32_t stages) {
  if (event->node != MR_TRACE_RUN) {
    const double grey = event->node == MR_TRACE_LOAD ? 0.75 : 0.45;
    cairo_set_source_rgb(cr, grey, grey, grey);
    return;
  }
  const double t = stages > 1 ? (double)event->stage / (stages - 1) : 0;
  cairo_set_source_rgb(cr, 0.12 + 0.8 * t, 0.35 + 0.35 * sin(M_PI * t), 0.75 - 0.6 * t);
}

/* A round step of about a tenth of the time. */
static double step_of(double ns) {
  const double rough = ns / 10, power = pow(10, floor(log10(rough)));
  return rough < 2 * power ? 2 * power : rough < 5 * power ? 5 * power : 10 * power;
}

static void draw_axis(cairo_t* cr, double ns, double scale, double bottom) {
  const double step = step_of(ns);
  char text[32];
  cairo_set_line_width(cr, 0.5);
  for (double t = 0; t <= ns; t += step) {
    const double x = LEFT + t * scale;
    cairo_set_source_rgb(cr, 0.8, 0.8, 0.8);
    cairo_move_to(cr, x, TOP - 4);
    cairo_line_to(cr, x, bottom);
    cairo_stroke(cr);
    cairo_set_source_rgb(cr, 0.2, 0.2, 0.2);
    snprintf(text, sizeof text, "%g", t / 1e3);
    cairo_move_to(cr, x - 8, bottom + 16);
    cairo_show_text(cr, text);
  }
  cairo_move_to(cr, LEFT, bottom + 34);
  cairo_show_text(cr, "microseconds");
}

static void draw(cairo_t* cr, const MrTrace* trace, const Extent* e, const char* title, double bottom) {
  const double ns = (double)(e->end - e->begin), scale = (WIDTH - LEFT - RIGHT) / ns;
  char text[160];
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, 12);
  draw_axis(cr, ns, scale, bottom);
  cairo_set_source_rgb(cr, 0, 0, 0);
  cairo_move_to(cr, LEFT, 22);
  cairo_show_text(cr, title);
  snprintf(text, sizeof text, "%u nodes. Light grey: load; blue to red: stages 1 to %u; dark grey: store", e->count, e->stages);
  cairo_move_to(cr, LEFT, 42);
  cairo_show_text(cr, text);
  for (uint32_t t = 0; t < e->threads; t++) {
    snprintf(text, sizeof text, "thread %u", t + 1);
    cairo_move_to(cr, 10, TOP + t * ROW + 18);
    cairo_show_text(cr, text);
  }
  for (uint32_t i = 0; i < e->count; i++) {
    const MrTraceEvent* const event = &trace->event[i];
    set_colour(cr, event, e->stages);
    cairo_rectangle(cr, LEFT + (double)(event->begin - e->begin) * scale, TOP + event->thread * ROW,
                    fmax(0.3, (double)(event->end - event->begin) * scale), BAR);
    cairo_fill(cr);
  }
}

bool mr_trace_picture(const MrTrace* trace, const char* title, const char* path, const char** why) {
  const Extent e = extent_of(trace);
  *why = "no thread ran a node: one thread, or a stream too short to be shared";
  if (!e.count || e.end <= e.begin) return false;
  const double bottom = TOP + e.threads * ROW;
  cairo_surface_t* const surface = cairo_svg_surface_create(path, WIDTH, bottom + BOTTOM);
  cairo_t* const cr = cairo_create(surface);
  draw(cr, trace, &e, title, bottom);
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  *why = cairo_status_to_string(cairo_surface_status(surface));
  const bool written = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy(surface);
  return written;
}

#else

bool mr_trace_picture(const MrTrace* trace, const char* title, const char* path, const char** why) {
  (void)trace, (void)title, (void)path;
  *why = "this build draws no pictures: cairo was missing";
  return false;
}

#endif
