/* Peaks: of every length and place, of what is no number, and between two looks.
   SPDX-License-Identifier: ISC */
#include "jack/meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_largest_is_found_wherever_it_is(void** state) {
  (void)state;
  float x[67];
  for (uint32_t n = 0; n <= 67; ++n)
    for (uint32_t at = 0; at < n; ++at) {
      for (uint32_t i = 0; i < 67; ++i) x[i] = i < n ? 0.25f * (float)((i % 3) - 1.0) : 9;
      x[at] = at & 1 ? -0.5f : 0.5f;
      assert_true(mr_jack_peak(x, n) == 0.5f);
    }
  assert_true(mr_jack_peak(x, 0) == 0);
}

static void what_is_no_number_is_infinite(void** state) {
  (void)state;
  const float x[] = {1, -INFINITY, 0}, y[] = {0.5f, (float)NAN, 2}, z[] = {-0.0f, 1e-42f, -3e-45f};
  assert_true(isinf(mr_jack_peak(x, 3)) && isinf(mr_jack_peak(y, 3)));
  assert_true(mr_jack_peak(z, 3) == 1e-42f);
}

static void looks_share_nothing(void** state) {
  (void)state;
  MrJackMeter meter;
  float samples[3][8] = {{0}};
  float* const all[] = {samples[0], samples[1], samples[2]};
  assert_true(mr_jack_meter_init(&meter, 3));
  samples[1][5] = -1.5f;
  samples[2][7] = 1.0f;
  mr_jack_meter_in(&meter, (const float* const*)all, 8);
  mr_jack_meter_out(&meter, all, 8);
  mr_jack_meter_out(&meter, all, 5); /* without the loud sample */
  MrJackLevels levels = mr_jack_meter_look(&meter);
  assert_true(levels.in == 1.5f && levels.out == 1.5f);
  assert_int_equal(levels.in_channel, 1);
  assert_int_equal(levels.out_channel, 1);
  assert_int_equal(levels.clips, 1); /* full scale itself is none */
  assert_int_equal(levels.clipping, 1);
  levels = mr_jack_meter_look(&meter);
  assert_true(levels.in == 0 && levels.out == 0);
  assert_int_equal(levels.clips, 1);
  assert_int_equal(levels.clipping, 0);
  mr_jack_meter_free(&meter);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_is_found_wherever_it_is), cmocka_unit_test(what_is_no_number_is_infinite),
                                     cmocka_unit_test(looks_share_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
