/* Presets and states that earlier versions wrote mean the same for ever; defaults, and a comma in the locale.
   SPDX-License-Identifier: ISC */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command.h"
#include "preset.h"

static void read_preset(MrPreset* preset, const char* name) {
  const char* const source = getenv("MILLRACE_SOURCE");
  char path[4096];
  assert_non_null(source);
  snprintf(path, sizeof path, "%s/tests/data/presets/%s", source, name);
  assert_int_equal(mr_preset_read(preset, path, false), MR_EXIT_DONE);
}

static uint64_t channels(unsigned first, unsigned last) {
  uint64_t set = 0;
  for (unsigned c = first; c <= last; ++c) set |= (uint64_t)1 << (c - 1);
  return set;
}

typedef struct Value {
  size_t port;
  float value;
} Value;

/* All ports: those named, and the others at their defaults. */
static void check_values(const MrPreset* preset, const MrPort* port, size_t ports, const Value* named, size_t names) {
  for (size_t i = 0; i < ports; ++i) {
    float want = port[i].initial;
    for (size_t k = 0; k < names; ++k)
      if (named[k].port == i) want = named[k].value;
    if (port[i].kind == MR_CONTROL_IN && preset->value[i] != want) fail_msg("%s: %g", port[i].symbol, (double)preset->value[i]);
  }
}

static size_t band(unsigned number, size_t port) { return MR_EQ_B1_ON + (size_t)(number - 1) * MR_EQ_BAND_PORTS + port; }

static void check_eq(const char* name, const char* label) {
  MrPreset preset;
  read_preset(&preset, name);
  assert_false(preset.is_bank);
  assert_string_equal(preset.plugin, "urn:millrace:eq#8");
  if (label)
    assert_string_equal(preset.label, label);
  else
    assert_null(preset.label);
  const Value values[] = {{MR_EQ_GAIN, -2.5f},
                          {MR_EQ_MODE, 0},
                          {band(1, MR_EQ_BAND_ON), 1},
                          {band(1, MR_EQ_BAND_TYPE), MR_EQ_TYPE_LOWSHELF},
                          {band(1, MR_EQ_BAND_FREQ), 120.5f},
                          {band(1, MR_EQ_BAND_GAIN), -4.25f},
                          {band(1, MR_EQ_BAND_Q), 0.9f},
                          {band(2, MR_EQ_BAND_ON), 1},
                          {band(2, MR_EQ_BAND_TYPE), MR_EQ_TYPE_LINKWITZ_RILEY_HP},
                          {band(2, MR_EQ_BAND_FREQ), 63},
                          {band(2, MR_EQ_BAND_ORDER), 6},
                          {band(2, MR_EQ_BAND_SET), 2},
                          {band(9, MR_EQ_BAND_ON), 1},
                          {band(9, MR_EQ_BAND_FREQ), 39999},
                          {band(9, MR_EQ_BAND_GAIN), 30},
                          {band(9, MR_EQ_BAND_Q), 100},
                          {band(16, MR_EQ_BAND_ON), 1},
                          {band(16, MR_EQ_BAND_TYPE), MR_EQ_TYPE_BESSEL_HP},
                          {band(16, MR_EQ_BAND_FREQ), 5},
                          {band(16, MR_EQ_BAND_ORDER), 16},
                          {band(16, MR_EQ_BAND_SET), 8}};
  check_values(&preset, mr_eq_ports, sizeof mr_eq_ports / sizeof *mr_eq_ports, values, sizeof values / sizeof *values);
  const uint64_t sets[MR_EQ_SETS] = {channels(1, 2),  channels(1, 1) | channels(3, 8), channels(4, 4), channels(5, 8), 0, 0, 0,
                                     channels(64, 64)};
  for (size_t k = 0; k < MR_EQ_SETS; ++k) {
    assert_true(preset.has_set[k]);
    assert_true(preset.set[k] == sets[k]);
  }
  assert_true(mr_preset_gain_db(&preset) == -2.5);
  assert_true(mr_preset_enabled(&preset));
  mr_preset_free(&preset);
}

static void check_bank(const char* name, const char* label) {
  MrPreset preset;
  read_preset(&preset, name);
  assert_true(preset.is_bank);
  assert_string_equal(preset.plugin, "urn:millrace:bank#2");
  if (label)
    assert_string_equal(preset.label, label);
  else
    assert_null(preset.label);
  const Value values[] = {{MR_BANK_PREAMP, -3.5f}, {MR_BANK_GAIN, 1.25f}, {MR_BANK_MODE, 2}, {MR_BANK_ON_ERROR, 1}};
  check_values(&preset, mr_bank_ports, sizeof mr_bank_ports / sizeof *mr_bank_ports, values, sizeof values / sizeof *values);
  assert_true(mr_preset_gain_db(&preset) == -2.25);
  assert_int_equal(preset.bank.parts, 1);
  assert_string_equal(preset.bank.part[0].text,
                      "# A room\nPreamp: -6 dB\nFilter: ON PK Fc 1000 Hz Gain -3.0 dB Q 1.41\nChannel: 2\n"
                      "Filter: ON Butterworth HP Order 4 Fc 80 Hz\nDelay: 1.5 ms\n");
  mr_preset_free(&preset);
}

static void written_by_0_1_0(void** state) {
  (void)state;
  check_eq("eq.preset.lv2", "Stage");
  check_eq("eq.preset.lv2/Stage.ttl", "Stage");
  check_eq("eq.state", NULL);
  check_eq("eq.state/state.ttl", NULL);
  check_bank("bank.preset.lv2", "Room, \"left\"");
  check_bank("bank.preset.lv2/Room.ttl", "Room, \"left\"");
  check_bank("bank.state", NULL);
  check_bank("bank.state/state.ttl", NULL);
}

/* The environment's locale: the test's script runs this program with one that has a comma. */
static void whatever_the_locale(void** state) {
  (void)state;
  const char* const wanted = getenv("MILLRACE_TEST_LOCALE");
  if (!wanted) skip();
  assert_non_null(setlocale(LC_ALL, wanted));
  assert_string_equal(localeconv()->decimal_point, ",");
  check_eq("eq.state", NULL);
  check_bank("bank.preset.lv2", "Room, \"left\"");
  assert_non_null(setlocale(LC_ALL, "C"));
}

static void no_such_file(void** state) {
  (void)state;
  MrPreset preset;
  assert_int_equal(mr_preset_read(&preset, "/there/is/nothing", false), MR_EXIT_BANK);
  mr_preset_free(&preset);
  assert_int_equal(mr_preset_read(&preset, "urn:there:is:nothing", true), MR_EXIT_BANK);
  mr_preset_free(&preset);
  assert_int_equal(mr_preset_read(&preset, "urn:millrace:eq#2", false), MR_EXIT_BANK);
  mr_preset_free(&preset);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(written_by_0_1_0), cmocka_unit_test(whatever_the_locale),
                                     cmocka_unit_test(no_such_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
