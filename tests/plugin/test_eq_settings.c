/* What the EQ's ports and sets mean.
   SPDX-License-Identifier: ISC */
#include "eq_settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "port_value.h"

static MrEqSettings settings;
static MrBand band[MR_EQ_BANDS];
static MrBands bands;

static float* value_of(uint32_t number, uint32_t port) { return &settings.value[MR_EQ_B1_ON + (number - 1) * MR_EQ_BAND_PORTS + port]; }

static void compile(uint32_t channels) { mr_eq_settings_bands(&settings, channels, band, &bands); }

static void all_bands_are_off_at_first(void** state) {
  (void)state;
  mr_eq_settings_initial(&settings, 2);
  compile(2);
  assert_int_equal(bands.bands, 16);
  assert_false(bands.mid_side);
  for (uint32_t b = 0; b < 16; b++) {
    assert_false(band[b].on);
    assert_int_equal(band[b].design.type, MR_PEAK);
    assert_int_equal(band[b].design.mode, MR_MODE_MATCHED);
  }
  assert_true(band[0].design.fc == 20 && band[15].design.fc == 16000);
}

static void types(void** state) {
  (void)state;
  static const struct {
    MrFilterType type;
    MrResponse response;
  } want[] = {{MR_PEAK, 0},
              {MR_LOWSHELF, 0},
              {MR_HIGHSHELF, 0},
              {MR_LOWPASS, 0},
              {MR_HIGHPASS, 0},
              {MR_BANDPASS, 0},
              {MR_NOTCH, 0},
              {MR_ALLPASS, 0},
              {MR_BUTTERWORTH, MR_RESPONSE_LP},
              {MR_BUTTERWORTH, MR_RESPONSE_HP},
              {MR_LINKWITZ_RILEY, MR_RESPONSE_LP},
              {MR_LINKWITZ_RILEY, MR_RESPONSE_HP},
              {MR_BESSEL, MR_RESPONSE_LP},
              {MR_BESSEL, MR_RESPONSE_HP}};
  assert_int_equal(sizeof want / sizeof want[0], MR_EQ_TYPES);
  mr_eq_settings_initial(&settings, 2);
  settings.value[MR_EQ_MODE] = 0;
  for (uint32_t i = 0; i < MR_EQ_TYPES; i++) {
    *value_of(3, MR_EQ_BAND_ON) = 1;
    *value_of(3, MR_EQ_BAND_TYPE) = (float)i;
    *value_of(3, MR_EQ_BAND_FREQ) = 123.5f;
    *value_of(3, MR_EQ_BAND_GAIN) = -4.5f;
    *value_of(3, MR_EQ_BAND_Q) = 2.5f;
    *value_of(3, MR_EQ_BAND_ORDER) = 7;
    compile(2);
    const MrDesign* design = &band[2].design;
    assert_true(band[2].on);
    assert_int_equal(design->type, want[i].type);
    assert_int_equal(design->response, want[i].response);
    assert_int_equal(design->mode, MR_MODE_RBJ);
    assert_int_equal(design->width_unit, MR_WIDTH_Q);
    assert_true(design->fc == 123.5 && design->gain_db == -4.5 && design->width == 2.5 && design->order == 7);
    assert_true(mr_design_moves(design));
  }
}

static void initial_sets(void** state) {
  (void)state;
  static const struct {
    uint32_t channels;
    uint64_t set[MR_EQ_SETS];
  } want[] = {{1, {1}},
              {2, {1, 2}},
              {4, {1, 0xe}},        /* degrees 0 and 1 */
              {6, {3, 4, 8, 0x30}}, /* fronts, centre, LFE, backs */
              {8, {3, 4, 8, 0xf0}}, /* backs and sides */
              {9, {1, 0xe, 0x1f0}},
              {10, {3, 4, 8, 0xf0, 0x300}}, /* heights */
              {12, {3, 4, 8, 0xf0, 0xf00}},
              {16, {1, 0xe, 0x1f0, 0xfe00}},
              {24, {1, 2, 4, 8, 16, 32, 64, 128}},
              {32, {1, 2, 4, 8, 16, 32, 64, 128}},
              {64, {1, 0xe, 0x1f0, 0xfe00, 0x1ff0000, 0xffe000000, 0x1fff000000000, 0xfffe000000000000}}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    mr_eq_settings_initial(&settings, want[i].channels);
    for (uint32_t k = 0; k < MR_EQ_SETS; k++)
      if (settings.set[k] != want[i].set[k])
        fail_msg("%u channels, set %u: %llx", want[i].channels, k + 1, (unsigned long long)settings.set[k]);
  }
}

static void sets_choose_channels(void** state) {
  (void)state;
  mr_eq_settings_initial(&settings, 6);
  *value_of(1, MR_EQ_BAND_ON) = *value_of(2, MR_EQ_BAND_ON) = *value_of(3, MR_EQ_BAND_ON) = 1;
  *value_of(2, MR_EQ_BAND_SET) = 4;
  *value_of(3, MR_EQ_BAND_SET) = 5; /* empty */
  settings.set[3] = 0xffffffffffffff10u;
  compile(6);
  assert_true(band[0].on && band[0].set[0] == 0x3f);
  assert_true(band[1].on && band[1].set[0] == 0x10); /* and none that is not there */
  assert_false(band[2].on);
}

static void mid_and_side(void** state) {
  (void)state;
  mr_eq_settings_initial(&settings, 2);
  settings.value[MR_EQ_AUDIO] = 1;
  settings.set[0] = 3;
  settings.set[1] = 0;
  for (uint32_t number = 1; number <= 3; number++) {
    *value_of(number, MR_EQ_BAND_ON) = 1;
    *value_of(number, MR_EQ_BAND_SET) = (float)(number - 1);
  }
  compile(2);
  assert_true(bands.mid_side);
  assert_true(band[0].set[0] == 3 && band[1].set[0] == 1 && band[2].set[0] == 2);
  compile(1); /* has no such port */
  assert_false(bands.mid_side);
}

static void solo_leaves_one_band(void** state) {
  (void)state;
  mr_eq_settings_initial(&settings, 2);
  *value_of(4, MR_EQ_BAND_ON) = *value_of(5, MR_EQ_BAND_ON) = 1;
  settings.solo = 5;
  compile(2);
  assert_false(band[3].on);
  assert_true(band[4].on);
  settings.solo = 6; /* is off: nothing is heard of any */
  compile(2);
  for (uint32_t b = 0; b < MR_EQ_BANDS; b++) assert_false(band[b].on);
}

static void bands_beyond_the_rate(void** state) {
  (void)state;
  mr_eq_settings_initial(&settings, 2);
  *value_of(1, MR_EQ_BAND_FREQ) = 20000;
  *value_of(1, MR_EQ_BAND_TYPE) = MR_EQ_TYPE_BUTTERWORTH_LP;
  compile(2);
  assert_false(mr_eq_settings_beyond(&bands, 32000)); /* off anyway */
  *value_of(1, MR_EQ_BAND_ON) = 1;
  compile(2);
  assert_true(mr_eq_settings_beyond(&bands, 32000));
  assert_false(mr_eq_settings_beyond(&bands, 48000));
  *value_of(1, MR_EQ_BAND_TYPE) = MR_EQ_TYPE_BELL; /* matched: runs on through Nyquist */
  compile(2);
  assert_false(mr_eq_settings_beyond(&bands, 32000));
}

static void values_stay_within_their_ports(void** state) {
  (void)state;
  const MrPort* port = &mr_eq_ports[MR_EQ_B1_GAIN];
  assert_true(mr_port_value(port, 3, 1) == 3);
  assert_true(mr_port_value(port, 1e30f, 1) == 30 && mr_port_value(port, -INFINITY, 1) == -30);
  assert_true(mr_port_value(port, NAN, 1) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_bands_are_off_at_first),
                                     cmocka_unit_test(types),
                                     cmocka_unit_test(initial_sets),
                                     cmocka_unit_test(sets_choose_channels),
                                     cmocka_unit_test(mid_and_side),
                                     cmocka_unit_test(solo_leaves_one_band),
                                     cmocka_unit_test(bands_beyond_the_rate),
                                     cmocka_unit_test(values_stay_within_their_ports)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
