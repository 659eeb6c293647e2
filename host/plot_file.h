/* A picture, or its numbers, as a file.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PLOT_FILE_H
#define MR_HOST_PLOT_FILE_H

#include <stdbool.h>

#include "../view/picture.h"

typedef enum MrPlotFormat { MR_PLOT_NONE = 0, MR_PLOT_PNG, MR_PLOT_SVG, MR_PLOT_PDF, MR_PLOT_CSV } MrPlotFormat;

/* From what the name ends in; MR_PLOT_NONE: nothing that is known. */
MrPlotFormat mr_plot_format(const char* path);
const char* mr_plot_format_name(MrPlotFormat format);

/* Whether this build can write it: pictures need cairo. */
bool mr_plot_can(MrPlotFormat format);

/* Writes it as a whole or not at all. width and height are pixels, points of a PDF. False with *why (MR_WHY bytes) on an error. */
bool mr_plot_write(const char* path, MrPlotFormat format, const MrPicture* picture, double width, double height, char* why);

#endif
