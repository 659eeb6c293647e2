/* Channel sets as people write them.
   SPDX-License-Identifier: ISC */
#include "channel_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define UNTOUCHED 0x5555u

static uint64_t read_or(const char* text, uint64_t otherwise) {
  uint64_t set = otherwise;
  const bool good = mr_channel_list_read(text, strlen(text), &set);
  if (!good) assert_true(set == otherwise);
  return set;
}

static void lists(void** state) {
  (void)state;
  assert_true(read_or("", UNTOUCHED) == 0);
  assert_true(read_or("  ", UNTOUCHED) == 0);
  assert_true(read_or("1", UNTOUCHED) == 1);
  assert_true(read_or("1-4 7", UNTOUCHED) == 0x4f);
  assert_true(read_or("7, 1-4", UNTOUCHED) == 0x4f);
  assert_true(read_or("3-3\t3", UNTOUCHED) == 4);
  assert_true(read_or("64", UNTOUCHED) == (uint64_t)1 << 63);
  assert_true(read_or("1-64", UNTOUCHED) == UINT64_MAX);
}

static void half_typed_texts_change_nothing(void** state) {
  (void)state;
  static const char* const texts[] = {"0",     "65",  "1-", "-3", "4-2", "1-4-7", "1x", "all", "1;2", "99999999999999999999",
                                      "1 - 4", "0-3", "1.5"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (read_or(texts[i], UNTOUCHED) != UNTOUCHED) fail_msg("'%s' was taken", texts[i]);
}

static void reads_no_further_than_its_length(void** state) {
  (void)state;
  uint64_t set = 0;
  assert_true(mr_channel_list_read("12", 1, &set));
  assert_true(set == 1);
}

static void what_is_written_reads_back(void** state) {
  (void)state;
  char text[MR_CHANNEL_LIST_SIZE];
  assert_int_equal(mr_channel_list_write(0, text), 0);
  assert_string_equal(text, "");
  mr_channel_list_write(0x4f, text);
  assert_string_equal(text, "1-4 7");
  mr_channel_list_write(3, text);
  assert_string_equal(text, "1 2");
  mr_channel_list_write(UINT64_MAX, text);
  assert_string_equal(text, "1-64");
  uint64_t longest = 0, seed = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    const uint64_t set = i == 0 ? 0xaaaaaaaaaaaaaaaau : i == 1 ? 0xdb6db6db6db6db6du : i % 2 ? seed : seed & (seed << 1);
    const size_t length = mr_channel_list_write(set, text);
    assert_int_equal(length, strlen(text));
    longest = length > longest ? length : longest;
    assert_true(read_or(text, ~set) == set);
  }
  assert_true(longest < MR_CHANNEL_LIST_SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(half_typed_texts_change_nothing),
                                     cmocka_unit_test(reads_no_further_than_its_length), cmocka_unit_test(what_is_written_reads_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
