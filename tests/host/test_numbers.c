/* Numbers and lists of them on the command line.
   SPDX-License-Identifier: ISC */
#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../dsp/millrace.h"

static void numbers(void** state) {
  (void)state;
  double value = 0;
  assert_true(mr_number_parse("-1.5e3", &value) && value == -1500);
  const char* const bad[] = {"", " 1", "1 ", "x", "1x", "nan", "inf", "1,5", "1e999"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) assert_false(mr_number_parse(bad[i], &value));
}

static void lists(void** state) {
  (void)state;
  uint32_t n[8], count = 0;
  assert_true(mr_numbers_parse("3-5, 1 64", 64, n, &count, 8));
  const uint32_t want[] = {3, 4, 5, 1, 64};
  assert_int_equal(count, 5);
  assert_memory_equal(n, want, sizeof want);
  const char* const bad[] = {"", ",", "0", "65", "5-3", "1-", "-1", "1;2", "a", "1-9", "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) assert_false(mr_numbers_parse(bad[i], 64, n, &count, 8));
}

static void channels(void** state) {
  (void)state;
  static uint32_t channel[MR_MAX_CHANNELS];
  uint32_t count = 0;
  assert_true(mr_numbers_parse_channels("1-1024", channel, &count));
  assert_int_equal(count, 1024);
  assert_int_equal(channel[1023], 1023);
  assert_false(mr_numbers_parse_channels("1-3,2", channel, &count));
  assert_false(mr_numbers_parse_channels("1025", channel, &count));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(lists), cmocka_unit_test(channels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
