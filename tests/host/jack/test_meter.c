/* Peaks: of every length and place, of what is no number, and between two looks.
   SPDX-License-Identifier: ISC */
#include "jack/meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static MrEngine* engine;

static int make_engine(void** state) {
  (void)state;
  engine = mr_engine_new(&(MrEngineOptions){.channels = 3, .fs = 48000, .largest_block = 8}, NULL);
  return !engine;
}

static int free_engine(void** state) {
  (void)state;
  mr_engine_free(engine);
  return 0;
}

static void looks_share_nothing(void** state) {
  (void)state;
  MrJackMeter meter;
  float samples[3][8] = {{0}};
  float* const all[] = {samples[0], samples[1], samples[2]};
  assert_true(mr_jack_meter_init(&meter, 3));
  samples[1][5] = -1.5f;
  samples[2][7] = 1.0f;
  mr_jack_meter_in(&meter, engine, (const float* const*)all, 8);
  mr_jack_meter_out(&meter, engine, all, 8);
  mr_jack_meter_out(&meter, engine, all, 5); /* without the loud sample */
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(looks_share_nothing)};
  return cmocka_run_group_tests(tests, make_engine, free_engine);
}
