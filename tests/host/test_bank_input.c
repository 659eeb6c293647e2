/* Banks on the command line: what a text is, and what a line becomes.
   SPDX-License-Identifier: ISC */
#include "bank_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void lines(void** state) {
  (void)state;
  MrBankInput input;
  memset(&input, 0, sizeof input);
  assert_true(mr_bank_input_add_line(&input, "PK Fc 100 Hz Gain 3 dB Q 1"));
  assert_true(mr_bank_input_add_line(&input, "Preamp: -3 dB"));
  assert_true(mr_bank_input_add_line(&input, "OFF PK Fc 100 Hz Gain 3 dB Q 1"));
  assert_true(mr_bank_input_add_line(&input, "# nothing"));
  assert_int_equal(input.parts, 1);
  assert_string_equal(input.part[0].text,
                      "Filter: ON PK Fc 100 Hz Gain 3 dB Q 1\nPreamp: -3 dB\nFilter: OFF PK Fc 100 Hz Gain 3 dB Q 1\n# nothing\n");
  assert_int_equal(input.part[0].length, strlen(input.part[0].text));
  const MrReadOptions options = {.channels = 2, .fs = 48000};
  MrBank* const bank = mr_bank_input_read(&input, &options, true);
  assert_non_null(bank);
  assert_int_equal(bank->channel[1].filters, 1);
  assert_true(bank->channel[0].preamp_db == -3);
  mr_bank_free(bank);
  mr_bank_input_free(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
