/* What --connect asks for: the words taken and refused, and the ports that fit.
   SPDX-License-Identifier: ISC */
#include "jack/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void words_are_taken(void** state) {
  (void)state;
  MrJackRules rules = {NULL, 0};
  assert_int_equal(mr_jack_rules_largest(&rules), 0);
  assert_true(mr_jack_rules_add(&rules, "physical"));
  assert_int_equal(rules.rules, 2);
  assert_true(rules.rule[0].input != rules.rule[1].input);
  assert_null(rules.rule[0].pattern);
  assert_int_equal(mr_jack_rules_largest(&rules), 0);
  assert_true(mr_jack_rules_add(&rules, "in=a client:out_*"));
  assert_true(rules.rule[2].input);
  assert_string_equal(rules.rule[2].pattern, "a client:out_*");
  assert_true(mr_jack_rules_add(&rules, "out7,1-2=physical"));
  assert_false(rules.rule[3].input);
  assert_null(rules.rule[3].pattern);
  assert_int_equal(rules.rule[3].channels, 3);
  const uint32_t channels[] = {6, 0, 1};
  assert_memory_equal(rules.rule[3].channel, channels, sizeof channels);
  assert_int_equal(mr_jack_rules_largest(&rules), 7);
  assert_true(mr_jack_rules_add(&rules, "out1=x=y"));
  assert_string_equal(rules.rule[4].pattern, "x=y");
  mr_jack_rules_free(&rules);
  assert_int_equal(rules.rules, 0);
}

static void other_words_are_refused(void** state) {
  (void)state;
  static const char* const bad[] = {"",        "in",      "out",    "in=",   "=x",     "in0=x",     "in1025=x",
                                    "in1,1=x", "in2-1=x", "in1-=x", "inx=y", "into=x", "physical=", "Physical"};
  MrJackRules rules = {NULL, 0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    if (mr_jack_rules_add(&rules, bad[i])) fail_msg("\"%s\" is taken", bad[i]);
  assert_int_equal(rules.rules, 0);
  mr_jack_rules_free(&rules);
}

static void ports_fit(void** state) {
  (void)state;
  static const struct {
    const char *pattern, *name;
    bool fits;
  } cases[] = {
      {"system", "system:playback_1", true},
      {"system", "system2:playback_1", false},
      {"sys*", "system2:playback_1", true},
      {"system:playback_1", "system:playback_1", true},
      {"system:playback_1", "system:playback_12", false},
      {"system:playback_?", "system:playback_3", true},
      {"system:playback_[34]", "system:playback_3", true},
      {"system:playback_[34]", "system:playback_5", false},
      {"*:out*", "a b:out_L", true},
      {"*", "anything:port", true},
      {"system", "no colon", false},
      {"a:*", "a:b:c", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    if (mr_jack_rule_fits(cases[i].pattern, cases[i].name) != cases[i].fits) fail_msg("%s and %s", cases[i].pattern, cases[i].name);
  char name[1200];
  memset(name, 'x', sizeof name);
  memcpy(name + sizeof name - 3, ":p", 3);
  assert_false(mr_jack_rule_fits("x*", name)); /* no server has such a name, and nothing is cut */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_taken), cmocka_unit_test(other_words_are_refused),
                                     cmocka_unit_test(ports_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
