/* Text on its way to a writer: gathered, and the first failure kept.
   SPDX-License-Identifier: ISC */
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

static void flush(MrOutput* output) {
  if (output->status == MR_OK && output->length > 0 && !output->write(output->handle, output->buffer, output->length))
    output->status = MR_ERR_IO;
  output->length = 0;
}

void mr_output_text(MrOutput* output, const char* text) {
  for (size_t left = strlen(text); left > 0;) {
    if (output->length == sizeof output->buffer) flush(output);
    const size_t room = sizeof output->buffer - output->length, n = left < room ? left : room;
    memcpy(output->buffer + output->length, text, n);
    output->length += n;
    text += n;
    left -= n;
  }
}

void mr_output_number(MrOutput* output, double value) {
  char text[MR_NUMBER_SIZE];
  if (!isfinite(value)) {
    if (output->status == MR_OK) output->status = MR_ERR_NOT_FINITE;
    return;
  }
  mr_number_print(value, text);
  mr_output_text(output, text);
}

void mr_output_count(MrOutput* output, uint32_t value) {
  char text[16];
  snprintf(text, sizeof text, "%u", value);
  mr_output_text(output, text);
}

MrStatus mr_output_end(MrOutput* output) {
  flush(output);
  return output->status;
}
