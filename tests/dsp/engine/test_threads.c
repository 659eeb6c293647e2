/* Promise 7 with threads: the samples of one thread, to the bit, whatever the number of threads, the stages and the grain; trouble and late workers
   included. What threads cost, and what they may not do: tests/plugin/test_threads_realtime.c.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "dsp/engine/sharing.h"

#define FRAMES 9000u

static MrEngine* engine_with(uint32_t channels, uint32_t bands, const MrThreadOptions* threads) {
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .largest_block = 8192, .max_bands = bands, .threads = *threads};
  MrStatus status;
  MrEngine* engine = mr_engine_new(&options, &status);
  assert_non_null(engine);
  return engine;
}

static const MrThreadOptions one = {.policy = MR_THREADS_ONE};

/* Until workers serve this thread, so that what follows is shared. */
static bool wait_for_help(MrEngine* engine, const Planar* in) {
  const uint32_t frames = in->frames < 1024 ? in->frames : 1024;
  Planar out = planar_new(in->channels, frames);
  bool helped = false;
  for (int i = 0; i < 300 && !helped; i++) {
    run_blocks(engine, in, &out, 0, frames, 0, NULL);
    helped = mr_engine_thread_report(engine).blocks > 0;
    if (!helped) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  mr_engine_reset(engine);
  planar_free(&out);
  return helped;
}

static const char* const banks[] = {
    "Filter 1: ON LP Fc 3000 Hz",
    "Filter: ON Butterworth LP Order 16 Fc 5000 Hz\nFilter: ON PK Fc 300 Hz Gain 6 dB Q 4",
    "Channel: 1\nFilter: ON Butterworth HP Order 24 Fc 40 Hz\nChannel: all\nPreamp: -3 dB\nFilter: ON HS Fc 4000 Hz Gain 3 dB",
    "Channel: 1\nDelay: 2.5 ms\nChannel: all\nFilter: ON Butterworth HP Order 8 Fc 100 Hz\nFilter: ON PK Fc 900 Hz Gain 5 dB Q 1",
    "Copy: 1=1+0.5*2 2=-6dB*1\nFilter: ON Butterworth LP Order 12 Fc 900 Hz",
};
#define BANKS (sizeof banks / sizeof *banks)

static MrProgram* program_number(uint32_t channels, size_t bank) {
  if (bank < BANKS) return program_of_text(channels, channels == 1 && bank == 4 ? banks[0] : banks[bank]);
  return program_of(channels, 48000, true);
}

static void compare(uint32_t channels, size_t bank, const MrThreadOptions* threads, const Planar* in, const Planar* expected,
                    uint64_t troubles, uint64_t* shared) {
  Planar out = planar_new(channels, in->frames);
  MrEngine* engine = engine_with(channels, 0, threads);
  assert_int_equal(mr_engine_give(engine, program_number(channels, bank)), MR_OK);
  const bool helped = wait_for_help(engine, in);
  const uint64_t blocks = mr_engine_thread_report(engine).blocks, before = mr_engine_troubles(engine);
  Random random = {channels + 1};
  const uint32_t largest = channels % 3 == 0 ? 0 : channels % 3 == 1 ? 700 : 5000;
  run_blocks(engine, in, &out, 0, in->frames, largest, &random);
  assert_same_bits(&out, expected);
  assert_int_equal(mr_engine_troubles(engine) - before, troubles);
  const uint64_t now = mr_engine_thread_report(engine).blocks;
  if (helped) assert_true(now > blocks);
  *shared += now - blocks;
  mr_engine_free(engine);
  planar_free(&out);
}

static Planar alone(uint32_t channels, size_t bank, const Planar* in, uint64_t* troubles) {
  Planar out = planar_new(channels, in->frames);
  MrEngine* engine = engine_with(channels, 0, &one);
  assert_int_equal(mr_engine_give(engine, program_number(channels, bank)), MR_OK);
  run_blocks(engine, in, &out, 0, in->frames, 0, NULL);
  *troubles = mr_engine_troubles(engine);
  assert_int_equal(mr_engine_thread_report(engine).threads, 1);
  mr_engine_free(engine);
  return out;
}

static void poison(Planar* in, Random* random) {
  static const float evil[] = {NAN, INFINITY, -INFINITY, 3e38f};
  for (int i = 0; i < 4; i++) in->channel[random_below(random, in->channels)][random_below(random, in->frames)] = evil[i];
}

/* Every bank on many counts of channels, with 2, 3 and 16 threads. */
static void check_all(bool poisoned) {
  static const uint32_t counts[] = {1, 2, 3, 5, 8, 9, 17, 33, 64, 200};
  static const MrThreadOptions ways[] = {{.policy = MR_THREADS_ALWAYS, .threads = 2, .awake = true},
                                         {.policy = MR_THREADS_ALWAYS, .threads = 2, .stages = 4, .grain = 128},
                                         {.policy = MR_THREADS_ALWAYS, .threads = 3, .grain = 64},
                                         {.policy = MR_THREADS_ALWAYS, .threads = 16, .stages = 3}};
  uint64_t shared = 0, found = 0;
  Random random = {poisoned};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (size_t bank = 0; bank <= BANKS; bank++) {
      Planar in = planar_noise(counts[i], FRAMES, i + bank);
      if (poisoned) poison(&in, &random);
      uint64_t troubles;
      Planar expected = alone(counts[i], bank, &in, &troubles);
      found += troubles;
      compare(counts[i], bank, &ways[(i + bank) % 4], &in, &expected, troubles, &shared);
      planar_free(&in);
      planar_free(&expected);
    }
  print_message("%llu stretches of blocks were shared\n", (unsigned long long)shared);
  assert_true(!poisoned || found > 100);
  MrPost* post = mr_crew_join(1, false);
  if (post) assert_true(shared > 300); /* without oneTBB there are no threads */
  mr_crew_leave(post);
}

static void promise_7_threads_change_no_bit(void** state) {
  (void)state;
  check_all(false);
}

/* Blocks whose last piece of a few channels is too short to be run as the others are. */
static void promise_7_lengths_that_leave_a_short_piece(void** state) {
  (void)state;
  uint64_t shared = 0;
  static const MrThreadOptions two = {.policy = MR_THREADS_ALWAYS, .threads = 2, .awake = true};
  static const MrThreadOptions coarse = {.policy = MR_THREADS_ALWAYS, .threads = 2, .grain = 1024};
  for (uint32_t n = 636; n <= 720; n += n < 660 ? 1 : 7)
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t channels = k ? 11 : 67;
      Planar in = planar_noise(channels, 3 * n, n), expected = planar_new(channels, 3 * n), out = planar_new(channels, 3 * n);
      MrEngine *alone_engine = engine_with(channels, 0, &one), *engine = engine_with(channels, 0, k ? &coarse : &two);
      assert_int_equal(mr_engine_give(alone_engine, program_of_text(channels, "Filter: ON Butterworth LP Order 16 Fc 5000 Hz")) |
                           mr_engine_give(engine, program_of_text(channels, "Filter: ON Butterworth LP Order 16 Fc 5000 Hz")),
                       MR_OK);
      wait_for_help(engine, &in);
      for (uint32_t block = 0; block < 3; block++) {
        run_blocks(alone_engine, &in, &expected, block * n, (block + 1) * n, 0, NULL);
        run_blocks(engine, &in, &out, block * n, (block + 1) * n, 0, NULL);
      }
      assert_same_bits(&out, &expected);
      shared += mr_engine_thread_report(engine).blocks;
      mr_engine_free(alone_engine);
      mr_engine_free(engine);
      planar_free(&in);
      planar_free(&expected);
      planar_free(&out);
    }
  MrPost* post = mr_crew_join(1, false);
  if (post) assert_true(shared > 100);
  mr_crew_leave(post);
}

static void promise_9_trouble_is_the_same_with_threads(void** state) {
  (void)state;
  check_all(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(promise_7_threads_change_no_bit),
                                     cmocka_unit_test(promise_7_lengths_that_leave_a_short_piece),
                                     cmocka_unit_test(promise_9_trouble_is_the_same_with_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
