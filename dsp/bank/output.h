/* Text on its way to a writer: gathered, and the first failure kept.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_OUTPUT_H
#define MR_BANK_OUTPUT_H

#include "../millrace.h"

typedef struct MrOutput {
  MrWrite write;
  void* handle;
  MrStatus status; /* MR_ERR_IO once the writer has stopped; MR_ERR_NOT_FINITE for a number that no text holds */
  size_t length;
  char buffer[4096];
} MrOutput;

void mr_output_text(MrOutput* output, const char* text);
void mr_output_number(MrOutput* output, double value);
void mr_output_count(MrOutput* output, uint32_t value);
MrStatus mr_output_end(MrOutput* output); /* what is left, and the status */

#endif
