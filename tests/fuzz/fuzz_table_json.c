/* Fuzzes tables of sections as JSON: whatever reads must write as text and read back to an equal bank.
   SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "../../dsp/millrace.h"
#include "../../host/formats/json.h"

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

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MrReadOptions options = {.channels = 3};
  MrStatus status;
  MrBank* bank = mr_bank_read_json(NULL, (const char*)data, size, "fuzz", &options, NULL, &status);
  if (!bank != (status != MR_OK)) abort();
  if (!bank) return 0;
  Text written = {0};
  if (mr_bank_write_text(bank, put, &written) != MR_OK) abort();
  MrBank* back = mr_bank_read_text(NULL, written.text, written.length, "written", &options, NULL, &status);
  if (!back || !mr_bank_equal(bank, back)) abort();
  mr_bank_free(back);
  free(written.text);
  mr_bank_free(bank);
  return 0;
}
