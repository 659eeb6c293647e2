/* What the options of `millrace plot` ask for, and what comes of it.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PLOT_H
#define MR_HOST_PLOT_H

#include "bank_command.h"
#include "plot_bank.h"
#include "plot_file.h"
#include "plot_recording.h"

enum { MR_PLOT_BANKS = 16 };

typedef struct MrPlot {
  const MrCommand* command;
  MrBankCommand shared; /* rate, channels; its bank is the one that options are building */
  bool has_rate, has_count;
  MrPlotBank bank[MR_PLOT_BANKS];
  uint32_t banks; /* the last one is being built */
  char *output, *title;
  MrPlotFormat format;
  uint32_t channel[MR_MAX_CHANNELS], channels; /* to be shown; 0: all */
  double width, height;                        /* 0: by what is shown */
  bool dark, phase, delay, json, bands, no_bands;
  double least_db, most_db, least_hz, most_hz; /* 0 and 0: by what there is to see */

  MrAudioIn* in; /* the recording; NULL: none */
  bool wanted[MR_MAX_CHANNELS];
  MrSpectrum* spectrum[MR_PLOT_BANKS + 1];
  MrCurves* curves;
} MrPlot;

/* Draws and reports what the banks do, which have been made; recording: the path of p->in. An exit code, after messages where it is not
   MR_EXIT_DONE. */
int mr_plot_draw(MrPlot* p, const char* recording);

#endif
