/* Programs: banks compiled to gains, routes, delays and sections; what is refused; who frees what while another thread plays.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { FRAMES = 1000 };

static MrProgram* compiled(MrBank* bank, double fs) {
  MrStatus status;
  MrProgram* program = mr_program_new(bank, fs, NULL, &status);
  assert_int_equal(status, MR_OK);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

static Planar played(MrProgram* program, const Planar* in, double fs) {
  Planar out = planar_new(in->channels, in->frames);
  MrEngine* engine = engine_of(in->channels, fs, 0, 0);
  assert_int_equal(mr_engine_give(engine, program), MR_OK);
  run_blocks(engine, in, &out, 0, in->frames, 100, &(Random){3});
  mr_engine_free(engine);
  return out;
}

static void test_gain_polarity_and_mute(void** state) {
  (void)state;
  Planar in = planar_noise(4, FRAMES, 1);
  MrBank* bank = mr_bank_new(4);
  bank->channel[0].preamp_db = -6;
  bank->channel[1].inverted = true;
  bank->channel[2].muted = true;
  in.channel[2][500] = NAN; /* muted is silent whatever comes */
  Planar out = played(compiled(bank, 48000), &in, 48000);
  for (uint32_t f = 0; f < FRAMES; f++) {
    assert_true(fabs(out.channel[0][f] - in.channel[0][f] * 0.50118723362727228) < 1e-7);
    assert_true(out.channel[1][f] == -in.channel[1][f]);
    assert_true(out.channel[2][f] == 0);
    assert_true(out.channel[3][f] == in.channel[3][f]);
  }
  planar_free(&in);
  planar_free(&out);
}

static void test_routes(void** state) {
  (void)state;
  Planar in = planar_noise(20, FRAMES, 2);
  MrBank* bank = mr_bank_new(20);
  const MrTerm sum[] = {{.source = 1, .gain = 0.5}, {.source = 18, .is_db = true, .gain = -6.0205999132796239}};
  const MrTerm swapped = {.source = 0, .gain = 1, .inverted = true};
  assert_int_equal(mr_bank_set_terms(bank, 0, sum, 2), MR_OK);
  assert_int_equal(mr_bank_set_terms(bank, 18, &swapped, 1), MR_OK);
  assert_int_equal(mr_bank_set_terms(bank, 5, NULL, 0), MR_OK);
  Planar out = played(compiled(bank, 48000), &in, 48000);
  for (uint32_t f = 0; f < FRAMES; f++) {
    assert_true(fabs(out.channel[0][f] - 0.5 * (in.channel[1][f] + in.channel[18][f])) < 1e-7);
    assert_true(out.channel[18][f] == -in.channel[0][f]);
    assert_true(out.channel[5][f] == 0);
    assert_true(out.channel[19][f] == in.channel[19][f]);
  }
  planar_free(&in);
  planar_free(&out);
}

static void test_delays(void** state) {
  (void)state;
  Planar in = planar_noise(12, FRAMES, 3);
  MrBank* bank = mr_bank_new(12);
  bank->channel[0].delay_samples = 1;
  bank->channel[3].delay_ms = 2.3; /* 110.4 frames: the nearest is 110 */
  bank->channel[9].delay_ms = 1;
  bank->channel[9].delay_samples = 700;
  MrProgram* program = compiled(bank, 48000);
  const uint32_t expected[12] = {[0] = 1, [3] = 110, [9] = 748};
  for (uint32_t c = 0; c < 12; c++) assert_int_equal(mr_program_delay(program, c), expected[c]);
  assert_int_equal(mr_program_tail(program, 1000000), 748);
  Planar out = played(program, &in, 48000);
  for (uint32_t c = 0; c < 12; c++)
    for (uint32_t f = 0; f < FRAMES; f++) assert_true(out.channel[c][f] == (f < expected[c] ? 0 : in.channel[c][f - expected[c]]));
  planar_free(&in);
  planar_free(&out);
}

typedef struct Said {
  unsigned errors, warnings;
  char last[256];
} Said;

static void listen(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  (void)file;
  (void)line;
  Said* said = handle;
  if (severity == MR_ERROR)
    said->errors++;
  else
    said->warnings++;
  strncpy(said->last, text, sizeof said->last - 1);
}

static void test_refusals_are_said_with_channel_and_filter(void** state) {
  (void)state;
  Said said = {0};
  const MrMessages messages = {listen, &said};
  MrStatus status;
  MrBank* bank = mr_bank_new(3);
  MrDesign design = design_of(MR_PEAK, 1000, 3, 1);
  assert_int_equal(mr_bank_add_filter(bank, 2, &design), MR_OK);
  design.fc = NAN;
  assert_int_equal(mr_bank_add_filter(bank, 2, &design), MR_OK);
  assert_null(mr_program_new(bank, 48000, &messages, &status));
  assert_int_equal(status, MR_ERR_NOT_FINITE);
  assert_int_equal(said.errors, 1);
  assert_non_null(strstr(said.last, "channel 3, filter 2"));
  mr_bank_free(bank);

  said = (Said){0};
  bank = mr_bank_new(1);
  design.fc = 30000; /* above Nyquist: off, and said */
  assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, &messages, &status);
  assert_non_null(program);
  assert_int_equal(mr_program_sections(program, 0), 0);
  assert_int_equal(said.warnings, 1);
  mr_program_free(program);
  assert_null(mr_program_new(bank, NAN, NULL, &status));
  assert_int_equal(status, MR_ERR_RANGE);
  mr_bank_free(bank);
  assert_null(mr_program_new(NULL, 48000, NULL, &status));
}

static void test_a_route_beyond_all_bounds_is_refused(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(2);
  const MrTerm term = {.source = 1, .is_db = true, .gain = 1e5};
  assert_int_equal(mr_bank_set_terms(bank, 0, &term, 1), MR_OK);
  MrStatus status;
  assert_null(mr_program_new(bank, 48000, NULL, &status));
  assert_int_equal(status, MR_ERR_NOT_FINITE);
  mr_bank_free(bank);
}

static void test_neighbouring_channels_are_told_together(void** state) {
  (void)state;
  Said said = {0};
  const MrMessages messages = {listen, &said};
  MrBank* bank = mr_bank_new(64);
  const MrDesign high = design_of(MR_PEAK, 30000, 3, 1), other = design_of(MR_PEAK, 29000, 3, 1), fine = design_of(MR_PEAK, 1000, 3, 1);
  for (uint32_t c = 0; c < 64; c++) {
    assert_int_equal(mr_bank_add_filter(bank, c, &fine), MR_OK);
    if (c != 20) assert_int_equal(mr_bank_add_filter(bank, c, c < 40 ? &high : &other), MR_OK);
  }
  mr_program_free(mr_program_new(bank, 48000, &messages, NULL));
  assert_int_equal(said.warnings, 3); /* channels 1-20, 22-40 and 41-64 */
  assert_non_null(strstr(said.last, "channels 41-64, filter 2"));
  mr_bank_free(bank);
}

static void test_an_engine_refuses_what_does_not_fit(void** state) {
  (void)state;
  MrEngine* engine = engine_of(2, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(3, 48000, false)), MR_ERR_CHANNELS);
  assert_int_equal(mr_engine_give(engine, program_of(2, 44100, false)), MR_ERR_RATE);
  MrBand band = band_on_all(MR_PEAK, 100, 0, 1);
  const MrBands bands = {&band, 1, false};
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_ERR_ARGUMENT);
  mr_engine_free(engine);
  engine = engine_of(2, 48000, 1, 0);
  assert_int_equal(mr_engine_give(engine, program_of(2, 48000, false)), MR_ERR_ARGUMENT);
  band.design.type = MR_ELLIPTIC; /* does not move */
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_ERR_ARGUMENT);
  mr_engine_free(engine);
  MrStatus status;
  const MrEngineOptions wrong[] = {{.channels = 0, .fs = 48000},
                                   {.channels = 1025, .fs = 48000},
                                   {.channels = 1, .fs = NAN},
                                   {.channels = 1, .fs = 0},
                                   {.channels = 1, .fs = 48000, .max_bands = 100000},
                                   {.channels = 1, .fs = 48000, .cpu_level = 1u << 30}};
  const MrStatus expected[] = {MR_ERR_CHANNELS, MR_ERR_CHANNELS, MR_ERR_RANGE, MR_ERR_RANGE, MR_ERR_ARGUMENT, MR_ERR_ARGUMENT};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_null(mr_engine_new(&wrong[i], &status));
    assert_int_equal(status, expected[i]);
  }
}

static void test_numbers_that_cannot_be_keep_the_last(void** state) {
  (void)state;
  Planar in = planar_noise(1, 4000, 1), right = planar_new(1, 4000), out = planar_new(1, 4000);
  for (int run = 0; run < 2; run++) {
    MrEngine* engine = engine_of(1, 48000, 1, 0);
    MrBand band = band_on_all(MR_PEAK, 700, 5, 1);
    const MrBands bands = {&band, 1, false};
    assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
    assert_int_equal(mr_engine_set_gain(engine, -2), MR_OK);
    run_blocks(engine, &in, run ? &out : &right, 0, 1000, 0, NULL);
    if (run) {
      band.design.fc = NAN;
      band.design.gain_db = INFINITY;
      band.design.width = -NAN;
    }
    assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
    assert_int_equal(mr_engine_set_gain(engine, run ? NAN : -2), MR_OK);
    if (run) assert_int_equal(mr_engine_set_gain(engine, -INFINITY), MR_OK);
    run_blocks(engine, &in, run ? &out : &right, 1000, 4000, 0, NULL);
    mr_engine_free(engine);
  }
  assert_same_bits(&right, &out);
  planar_free(&in);
  planar_free(&right);
  planar_free(&out);
}

static void test_plan(void** state) {
  (void)state;
  MrEngine* engine = engine_of(17, 48000, 0, MR_CPU_REFERENCE_NOFMA);
  assert_int_equal(mr_engine_give(engine, program_of(17, 48000, false)), MR_OK);
  const MrPlan plan = mr_engine_plan(engine);
  assert_string_equal(plan.form, "delta DF2");
  assert_string_equal(plan.arithmetic, "float64, unfused");
  assert_int_equal(plan.level, MR_CPU_REFERENCE_NOFMA);
  assert_int_equal(plan.tiles, 3);
  assert_int_equal(plan.sections, 4); /* a high-pass of order 5 and a bell */
  assert_int_equal(plan.threads, 1);
  mr_engine_free(engine);
}

/* A control thread gives programs as fast as it can while the real-time thread plays: for the sanitizers, and against leaks. */
typedef struct Shared {
  MrEngine* engine;
  atomic_bool stop;
} Shared;

static void* give_many(void* argument) {
  Shared* shared = argument;
  for (int i = 0; !atomic_load(&shared->stop); i++)
    if (mr_engine_give(shared->engine, program_of(5, 48000, i % 2)) != MR_OK) abort();
  return NULL;
}

static void test_programs_come_while_another_thread_plays(void** state) {
  (void)state;
  Shared shared = {.engine = engine_of(5, 48000, 0, 0)};
  Planar in = planar_noise(5, 48000, 1), out = planar_new(5, 48000);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, give_many, &shared), 0);
  uint32_t fades = 0;
  bool fading = false;
  for (int i = 0; i < 40 || fades < 3; i++) {
    assert_true(i < 100000);
    for (uint32_t f = 0; f < 48000; f += 100) {
      run_blocks(shared.engine, &in, &out, f, f + 100, 0, NULL);
      const bool now = mr_engine_is_fading(shared.engine);
      fades += now && !fading;
      fading = now;
    }
  }
  for (size_t i = 0; i < 5 * 48000; i++) assert_true(isfinite(out.samples[i]));
  atomic_store(&shared.stop, true);
  assert_int_equal(pthread_join(thread, NULL), 0);
  mr_engine_free(shared.engine);
  planar_free(&in);
  planar_free(&out);
}

static void test_activate_and_deactivate_a_thousand_times(void** state) {
  (void)state;
  Planar in = planar_noise(2, 200, 1), first = planar_new(2, 200), out = planar_new(2, 200);
  MrEngine* engine = engine_of(2, 48000, 0, 0);
  for (int i = 0; i < 1000; i++) {
    if (i % 10 == 0) assert_int_equal(mr_engine_give(engine, program_of(2, 48000, false)), MR_OK);
    mr_engine_reset(engine);
    run_blocks(engine, &in, i ? &out : &first, 0, 200, 0, NULL);
    if (i) assert_same_bits(&first, &out);
  }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&first);
  planar_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gain_polarity_and_mute),
      cmocka_unit_test(test_routes),
      cmocka_unit_test(test_delays),
      cmocka_unit_test(test_refusals_are_said_with_channel_and_filter),
      cmocka_unit_test(test_a_route_beyond_all_bounds_is_refused),
      cmocka_unit_test(test_neighbouring_channels_are_told_together),
      cmocka_unit_test(test_an_engine_refuses_what_does_not_fit),
      cmocka_unit_test(test_numbers_that_cannot_be_keep_the_last),
      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_programs_come_while_another_thread_plays),
      cmocka_unit_test(test_activate_and_deactivate_a_thousand_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
