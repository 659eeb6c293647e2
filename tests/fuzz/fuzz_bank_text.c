/* Fuzzes the bank text: whatever reads must write, and read back to an equal bank; an error leaves the bank it was to be appended to.
   SPDX-License-Identifier: ISC */
#include "round_trip.h"

/* A message is a line that a terminal can show. */
static void say(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  (void)file;
  (void)line;
  if (severity == MR_ERROR) ++*(unsigned*)handle;
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const uint32_t counts[] = {1, 2, 3, 8, 12};
  if (size < 1) return 0;
  const MrReadOptions options = {.channels = counts[data[0] % 5], .fs = data[0] & 8 ? 48000 : 0, .convert_rate = data[0] & 16};
  const char* text = (const char*)data + 1;
  unsigned errors = 0;
  const MrMessages messages = {say, &errors};
  MrStatus status;
  MrBank* bank = mr_bank_read_text(NULL, text, size - 1, "fuzz", &options, &messages, &status);
  if (!bank != (status != MR_OK) || !bank != (errors == 1)) abort();
  if (bank) {
    round_trip(bank, &options, &messages);
  }
  mr_bank_free(bank);

  MrBank *onto = mr_bank_new(options.channels), *same = mr_bank_new(options.channels);
  const MrDesign design = mr_design_default(MR_PEAK);
  if (!onto || !same || mr_bank_add_filter(onto, 0, &design) != MR_OK || mr_bank_add_filter(same, 0, &design) != MR_OK) abort();
  if (!mr_bank_read_text(onto, text, size - 1, "fuzz", &options, &messages, &status) && !mr_bank_equal(onto, same)) abort();
  mr_bank_free(onto);
  mr_bank_free(same);
  return 0;
}
