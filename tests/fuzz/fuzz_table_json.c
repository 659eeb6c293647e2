/* Fuzzes tables of sections as JSON: whatever reads must write as text and read back to an equal bank.
   SPDX-License-Identifier: ISC */
#include "../../host/formats/json.h"
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MrReadOptions options = {.channels = 3};
  MrStatus status;
  MrBank* bank = mr_bank_read_json(NULL, (const char*)data, size, "fuzz", &options, NULL, &status);
  if (!bank != (status != MR_OK)) abort();
  if (!bank) return 0;
  round_trip(bank, &options, NULL);
  mr_bank_free(bank);
  return 0;
}
