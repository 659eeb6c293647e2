/* The picture in a host's mixer strip.
   SPDX-License-Identifier: ISC */
#include "inline_display.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES_A_SECOND 25.0
#define SMALLEST          16u
#define LARGEST           8192u
#define RANGE_DB          36.0 /* at most: of steep filters the upper part */

bool mr_inline_init(MrInlineDisplay* display, const MrFeatures* features, const char* bundle, double fs) {
  memset(display, 0, sizeof *display);
  if (features->queue_draw && features->queue_draw->queue_draw) display->queue = features->queue_draw;
  display->least = display->frames = fs / PICTURES_A_SECOND;
  const char* folder = bundle ? bundle : "";
  const size_t length = strlen(folder), size = length + sizeof "/" MR_VIEW_MODULE;
  display->path = malloc(size);
  if (!display->path) return false;
  snprintf(display->path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", MR_VIEW_MODULE);
  display->tried = !length; /* there is no place to look in */
  return true;
}

/* The module stays: cairo and what it stands on keep things for as long as the process lives. */
void mr_inline_free(MrInlineDisplay* display) {
  if (display->module) dlclose(display->module);
  free(display->path);
  free(display->image.data);
  memset(display, 0, sizeof *display);
}

void mr_inline_step(MrInlineDisplay* display, uint32_t n, bool freewheels) {
  if (!display->queue) return;
  if (display->frames < display->least) display->frames += n;
  if (!display->stale || freewheels || display->frames < display->least) return;
  display->stale = false;
  display->frames = 0;
  display->queue->queue_draw(display->queue->handle);
}

bool mr_inline_open(MrInlineDisplay* display) {
  if (display->tried) return display->draw != NULL;
  display->tried = true;
  display->module = dlopen(display->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const symbol = display->module ? dlsym(display->module, MR_VIEW_SYMBOL) : NULL;
  memcpy(&display->draw, &symbol, sizeof symbol); /* as POSIX has it: a function's address in a pointer to data */
  return display->draw != NULL;
}

static uint32_t height_of(uint32_t width, uint32_t most) {
  const uint32_t height = width * 9 / 16;
  return height < most ? height : most;
}

bool mr_inline_has(const MrInlineDisplay* display, uint32_t width, uint32_t most_height) {
  return display->image.data && width <= LARGEST && display->image.width == (int)width &&
         display->image.height == (int)height_of(width, most_height);
}

static bool make_room(MrInlineDisplay* display, uint32_t width, uint32_t most_height) {
  if (mr_inline_has(display, width, most_height)) return true;
  const uint32_t height = width <= LARGEST ? height_of(width, most_height) : 0;
  free(display->image.data);
  memset(&display->image, 0, sizeof display->image);
  if (width < SMALLEST || height < SMALLEST) return false;
  display->image.data = calloc(height, (size_t)width * 4);
  if (!display->image.data) return false;
  display->image.width = (int)width;
  display->image.height = (int)height;
  display->image.stride = (int)width * 4;
  return true;
}

MrInlineImage* mr_inline_draw(MrInlineDisplay* display, const MrCurves* curves, bool dimmed, const char* note, uint32_t width,
                              uint32_t most_height) {
  MrInlineImage* image = &display->image;
  if (!curves) { /* else the next call would take the old picture for this one */
    free(image->data);
    memset(image, 0, sizeof *image);
    return NULL;
  }
  if (!make_room(display, width, most_height)) return NULL;
  MrPicture picture = {.curves = curves, .note = note, .dark = true, .dimmed = dimmed};
  mr_picture_choose(&picture);
  picture.least_db = fmax(picture.least_db, picture.most_db - RANGE_DB);
  if (display->draw(&picture, image->data, image->width, image->height, image->stride)) return image;
  free(image->data);
  memset(image, 0, sizeof *image);
  return NULL;
}

MrCurves* mr_inline_curves(const MrSubject* subject) {
  MrCurvesOptions options = {.points = 128, .tolerance_db = 0.15, .floor_db = -90, .bands = subject->groups == 1, .off = true};
  MrStatus status;
  mr_curves_choose_range(&subject, 1, &options.least_hz, &options.most_hz);
  return mr_curves_new(&subject, 1, &options, &status);
}
