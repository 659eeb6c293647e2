/* What a bank's text is at a glance.
   SPDX-License-Identifier: ISC */
#include "bank_support.h"

static MrBankKind kind(const char* name, const char* text) { return mr_bank_kind(name, text, strlen(text)); }

static void kinds(void** state) {
  (void)state;
  assert_int_equal(kind("a.json", "Preamp: 1 dB"), MR_BANK_JSON);
  assert_int_equal(kind("a.CSV", ""), MR_BANK_TABLE);
  assert_int_equal(kind("a.txt", "Preamp: 1 dB"), MR_BANK_TEXT);
  assert_int_equal(kind("a.txt", ""), MR_BANK_TEXT);
  assert_int_equal(kind("a", "# a comment\n\n  {\"sos\": []}"), MR_BANK_JSON);
  assert_int_equal(kind("a", "\xef\xbb\xbf[[1,0,0,1,0,0]]"), MR_BANK_JSON);
  assert_int_equal(kind("a", "# sections\n1,0,0,1,0,0\n"), MR_BANK_TABLE);
  assert_int_equal(kind("a", "-1;0;0;1;0;0\n"), MR_BANK_TABLE);
  assert_int_equal(kind("a", "channel,section,b0,b1,b2,a0,a1,a2\n"), MR_BANK_TABLE);
  assert_int_equal(kind("a", "Filter: ON IIR Order 1 Coefficients b0"), MR_BANK_TEXT);
  assert_int_equal(kind("a", "# only a comment"), MR_BANK_TEXT);
  assert_int_equal(kind("a.b/c", "1 2 3"), MR_BANK_TABLE);
}

static bool protects(const char* text) { return mr_bank_text_protects(text, strlen(text)); }

static void texts_that_protect(void** state) {
  (void)state;
  assert_true(protects("Copy: 1=2"));
  assert_true(protects("Filter: ON PK nonsense\r\n  delay : 3 ms"));
  assert_true(
      protects("\xef\xbb\xbf"
               "CROSSOVER: what"));
  assert_true(protects("Preamp: 1 dB\nProtects: routes"));
  assert_true(protects("Preamp: x dB\rDelay: 1 ms\r"));
  assert_true(
      protects("\xc2\xa0"
               "Copy: 1=2"));
  assert_true(
      mr_bank_text_protects("\xff\xfe"
                            "C\0o\0p\0y\0",
                            10)); /* UTF-16, either way round */
  assert_true(mr_bank_text_protects("\xfe\xff\0C", 4));
  assert_true(mr_bank_text_protects("Preamp: 1 dB\n\0", 14)); /* no text */
  assert_false(protects(""));
  assert_false(mr_bank_text_protects(NULL, 0));
  assert_false(protects("Preamp: -3 dB\nFilter: ON PK Fc 1 kHz"));
  assert_false(protects("# Copy: 1=2"));
  assert_false(protects("Copying: 1=2"));
  assert_false(protects("Notes: Delay"));
  assert_false(protects("Copy")); /* nothing behind it */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(texts_that_protect)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
