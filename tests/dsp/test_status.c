/* Statuses as sentences, and the version.
   SPDX-License-Identifier: ISC */
#include "../../dsp/millrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka.h needs those above */
#include <cmocka.h>

static void every_status_has_a_sentence_of_its_own(void** state) {
  (void)state;
  for (int a = MR_OK; a <= MR_ERR_SINGULAR; ++a) {
    const char* text = mr_strerror((MrStatus)a);
    assert_non_null(text);
    assert_true(strlen(text) > 5 && text[strlen(text) - 1] != '.');
    for (int b = MR_OK; b < a; ++b) assert_string_not_equal(text, mr_strerror((MrStatus)b));
  }
  assert_string_equal(mr_strerror((MrStatus)999), "unknown status");
}

static void the_version_has_three_numbers(void** state) {
  (void)state;
  int major, minor, micro, end = 0;
  assert_int_equal(sscanf(mr_version(), "%d.%d.%d%n", &major, &minor, &micro, &end), 3);
  assert_int_equal(mr_version()[end], '\0');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_status_has_a_sentence_of_its_own),
                                     cmocka_unit_test(the_version_has_three_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
