/* What the bundle's drawing, a module of its own, does for the plugins' binary.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_MODULE_H
#define MR_VIEW_MODULE_H

#include "picture.h"

#define MR_VIEW_MODULE "millrace-view.so" /* in the bundle */
#define MR_VIEW_SYMBOL "mr_view_draw"

/* Draws into pixels as cairo's ARGB32 has them: 32 bits in the machine's byte order, premultiplied, rows `stride` bytes apart, a multiple of 4 of at least
   4 width. False where the module is not of the same version, or cairo fails. Thread: any but the real-time ones. */
typedef bool (*MrViewDraw)(const MrPicture* picture, unsigned char* data, int width, int height, int stride);
bool mr_view_draw(const MrPicture* picture, unsigned char* data, int width, int height, int stride);

#endif
