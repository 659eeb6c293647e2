/* Peaks and clipped samples.
   SPDX-License-Identifier: ISC */
#include "meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static MrMeter meter;
static MrEngine* engine;
static float sample[2][100];
static float* const channel[2] = {sample[0], sample[1]};

static int start(void** state) {
  (void)state;
  mr_meter_reset(&meter, 48000);
  memset(sample, 0, sizeof sample);
  return 0;
}

static int make_engine(void** state) {
  (void)state;
  engine = mr_engine_new(&(MrEngineOptions){.channels = 2, .fs = 48000, .largest_block = 100}, NULL);
  return !engine;
}

static int free_engine(void** state) {
  (void)state;
  mr_engine_free(engine);
  return 0;
}

static void one_sample_anywhere_is_found(void** state) {
  for (uint32_t n = 1; n <= 100; n++)
    for (uint32_t at = 0; at < 100; at++) {
      start(state);
      sample[1][at] = at % 2 ? -0.5f : 0.5f;
      mr_meter_inputs(&meter, engine, (const float* const*)channel, 2, n);
      assert_true(meter.in == (at < n ? 0.5f : 0));
    }
}

static void peaks_fall_by_20_db_a_second(void** state) {
  (void)state;
  sample[0][3] = 1;
  mr_meter_outputs(&meter, engine, channel, 2, 100);
  assert_true(meter.out == 1);
  memset(sample, 0, sizeof sample);
  for (int block = 0; block < 480; block++) mr_meter_outputs(&meter, engine, channel, 2, 100);
  assert_float_equal(mr_meter_db(meter.out), -20, 1e-3);
  for (int block = 0; block < 480; block++) mr_meter_rest(&meter, 100);
  assert_float_equal(mr_meter_db(meter.out), -40, 1e-3);
  sample[1][0] = 0.25f;
  mr_meter_outputs(&meter, engine, channel, 2, 100);
  assert_true(meter.out == 0.25f);
}

static void clips_are_those_of_the_worst_channel(void** state) {
  (void)state;
  sample[0][1] = 1.0f; /* full scale itself is no clip */
  sample[0][2] = 1.0001f;
  sample[1][50] = -2;
  sample[1][51] = NAN;
  mr_meter_outputs(&meter, engine, channel, 2, 100);
  assert_true(meter.most_clips == 2);
  mr_meter_outputs(&meter, engine, channel, 1, 100);
  mr_meter_outputs(&meter, engine, channel, 1, 100);
  assert_true(meter.most_clips == 3);
}

static void what_is_no_number_is_beyond_all(void** state) {
  (void)state;
  sample[0][7] = NAN;
  mr_meter_inputs(&meter, engine, (const float* const*)channel, 2, 100);
  assert_true(mr_meter_db(meter.in) == MR_METER_TOP_DB);
  sample[0][7] = 0.5f;
  mr_meter_inputs(&meter, engine, (const float* const*)channel, 2, 100);
  assert_true(meter.in == 0.5f); /* and does not stay */
}

static void decibels(void** state) {
  (void)state;
  assert_true(mr_meter_db(0) == -120);
  assert_true(mr_meter_db(1) == 0);
  assert_float_equal(mr_meter_db(0.5f), -6.0206, 1e-4);
  assert_true(mr_meter_db(1e30f) == 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(one_sample_anywhere_is_found, start),
                                     cmocka_unit_test_setup(peaks_fall_by_20_db_a_second, start),
                                     cmocka_unit_test_setup(clips_are_those_of_the_worst_channel, start),
                                     cmocka_unit_test_setup(what_is_no_number_is_beyond_all, start), cmocka_unit_test(decibels)};
  return cmocka_run_group_tests(tests, make_engine, free_engine);
}
