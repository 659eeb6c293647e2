/* What the fuzzers of banks share: a bank must write as text and read back to an equal bank.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_FUZZ_ROUND_TRIP_H
#define MILLRACE_TESTS_FUZZ_ROUND_TRIP_H

#include <stdlib.h>
#include <string.h>

#include "../../dsp/millrace.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct Text {
  char* text;
  size_t length, room;
} Text;

static bool put(void* handle, const char* text, size_t length) {
  Text* all = handle;
  if (all->length + length > all->room) {
    all->room = 2 * (all->length + length);
    all->text = realloc(all->text, all->room);
    if (!all->text) abort();
  }
  memcpy(all->text + all->length, text, length);
  all->length += length;
  return true;
}

/* Aborts where the bank does not come back. */
static void round_trip(const MrBank* bank, const MrReadOptions* options, const MrMessages* messages) {
  Text written = {0};
  MrStatus status;
  if (mr_bank_write_text(bank, put, &written) != MR_OK) abort();
  MrBank* back = mr_bank_read_text(NULL, written.text, written.length, "written", options, messages, &status);
  if (!back || !mr_bank_equal(bank, back)) abort();
  mr_bank_free(back);
  free(written.text);
}

#endif
