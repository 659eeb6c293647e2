/* The bundle's drawing: what the plugins' binary opens when a host first wants a picture.
   SPDX-License-Identifier: ISC */
#include "../module.h"

#include <cairo.h>

#include "draw.h"

__attribute__((visibility("default"))) bool mr_view_draw(const MrPicture* picture, unsigned char* data, int width, int height, int stride) {
  if (picture->size != sizeof *picture || stride < cairo_format_stride_for_width(CAIRO_FORMAT_ARGB32, width)) return false;
  cairo_surface_t* const surface = cairo_image_surface_create_for_data(data, CAIRO_FORMAT_ARGB32, width, height, stride);
  cairo_t* const cr = cairo_create(surface);
  MrDrawn drawn;
  mr_picture_draw(cr, picture, width, height, &drawn);
  const bool ok = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  return ok;
}
