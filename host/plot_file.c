/* A picture, or its numbers, as a file.
   SPDX-License-Identifier: ISC */
#include "plot_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stream.h"
#include "target.h"

static const char* const names[] = {"", "png", "svg", "pdf", "csv"};

MrPlotFormat mr_plot_format(const char* path) {
  const char* const point = strrchr(path, '.');
  for (int i = MR_PLOT_PNG; point && !strchr(point, '/') && i <= MR_PLOT_CSV; ++i)
    if (strcasecmp(point + 1, names[i]) == 0) return (MrPlotFormat)i;
  return MR_PLOT_NONE;
}

const char* mr_plot_format_name(MrPlotFormat format) { return names[format]; }

/* What is written to; small pieces are gathered. */
typedef struct Sink {
  int fd, error;
  size_t used;
  char bytes[1 << 16];
} Sink;

static bool flush(Sink* sink) {
  if (!sink->error && sink->used && !mr_stream_write_all(sink->fd, sink->bytes, sink->used)) sink->error = errno ? errno : EIO;
  sink->used = 0;
  return !sink->error;
}

static bool put(void* handle, const char* bytes, size_t size) {
  Sink* const sink = handle;
  while (size && !sink->error) {
    const size_t room = sizeof sink->bytes - sink->used, n = size < room ? size : room;
    memcpy(sink->bytes + sink->used, bytes, n);
    sink->used += n;
    bytes += n;
    size -= n;
    if (sink->used == sizeof sink->bytes) flush(sink);
  }
  return !sink->error;
}

#ifdef MR_HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "../view/cairo/draw.h"

bool mr_plot_can(MrPlotFormat format) { return format != MR_PLOT_NONE; }

static cairo_status_t put_cairo(void* handle, const unsigned char* bytes, unsigned size) {
  return put(handle, (const char*)bytes, size) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t* surface_of(MrPlotFormat format, Sink* sink, double width, double height) {
  if (format == MR_PLOT_SVG) return cairo_svg_surface_create_for_stream(put_cairo, sink, width, height);
  if (format == MR_PLOT_PDF) return cairo_pdf_surface_create_for_stream(put_cairo, sink, width, height);
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
}

static bool draw(MrPlotFormat format, const MrPicture* picture, double width, double height, Sink* sink, const char** why) {
  cairo_surface_t* const surface = surface_of(format, sink, width, height);
  cairo_t* const cr = cairo_create(surface);
  MrDrawn drawn;
  if (format == MR_PLOT_PDF) {
    if (picture->title) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, picture->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Millrace");
  }
  mr_picture_draw(cr, picture, width, height, &drawn);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (status == CAIRO_STATUS_SUCCESS && format == MR_PLOT_PNG) status = cairo_surface_write_to_png_stream(surface, put_cairo, sink);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  *why = cairo_status_to_string(status);
  return status == CAIRO_STATUS_SUCCESS;
}

#else

bool mr_plot_can(MrPlotFormat format) { return format == MR_PLOT_CSV; }

static bool draw(MrPlotFormat format, const MrPicture* picture, double width, double height, Sink* sink, const char** why) {
  (void)format, (void)picture, (void)width, (void)height, (void)sink;
  *why = "this build draws no pictures: cairo was missing";
  return false;
}

#endif

bool mr_plot_write(const char* path, MrPlotFormat format, const MrPicture* picture, double width, double height, char* why) {
  MrTarget* const target = mr_target_open(path, why);
  if (!target) return false;
  Sink sink = {.fd = target->fd};
  const char* reason = "";
  const bool drawn = format == MR_PLOT_CSV ? mr_curves_write_csv(picture->curves, picture->phase, picture->delay, put, &sink)
                                           : draw(format, picture, width, height, &sink, &reason);
  if (flush(&sink) && drawn) return mr_target_commit(target, why);
  snprintf(why, MR_WHY, "%s", sink.error ? strerror(sink.error) : reason);
  mr_target_discard(target);
  return false;
}
