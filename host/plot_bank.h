/* One of the banks that `millrace plot` compares.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PLOT_BANK_H
#define MR_HOST_PLOT_BANK_H

#include "../view/subject.h"
#include "bank_input.h"
#include "preset.h"

typedef struct MrPlotBank {
  MrBankInput input;  /* of -b and -f; or */
  char* preset_name;  /* of --preset or --state; NULL: none */
  bool preset_by_uri; /* may be a URI */
  char* name;         /* of --name; NULL: none */
  MrPreset preset;    /* once made */
  MrBank* bank;       /* likewise, as the others */
  MrProgram* program;
  MrSubject* subject;
  char label[MR_VIEW_NAME]; /* what people call it */
  bool passes;              /* a preset that is bypassed */
} MrPlotBank;

/* The bank's program and what is to be shown of it. MR_EXIT_DONE or an exit code after messages. wanted: a flag a channel. */
int mr_plot_bank_make(MrPlotBank* bank, const MrReadOptions* options, const bool* wanted);
void mr_plot_bank_free(MrPlotBank* bank);

#endif
