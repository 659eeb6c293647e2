/* A picture of what threads did: a row for each, a bar for each node, against time.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_TRACE_PICTURE_H
#define MR_HOST_TRACE_PICTURE_H

#include <stdbool.h>

#include "../dsp/millrace.h"

/* Writes an SVG file. False: it cannot be written, or there is nothing to draw, or the build has no cairo; `why` says which. */
bool mr_trace_picture(const MrTrace* trace, const char* title, const char* path, const char** why);

#endif
