/* Variants of programs: what plays at a choice, how choices swap, and who owns what.
   SPDX-License-Identifier: ISC

   A choice must sound as if the variant had been given as a program of its own at that frame. Leaks and double frees show under the address
   sanitizer. */
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { CHANNELS = 5, FRAMES = 8000 };

static MrProgram* kind_of(uint32_t kind) {
  MrBank* bank = mr_bank_new(CHANNELS);
  assert_non_null(bank);
  for (uint32_t c = 0; c < CHANNELS; c++) {
    const MrDesign bell = design_of(MR_PEAK, 200.0 * (1 + kind + c), 6, 1 + kind);
    const MrTerm other = {.source = (c + 1) % CHANNELS, .gain = -0.5};
    assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    if (kind == 2) assert_int_equal(mr_bank_set_terms(bank, c, &other, 1), MR_OK);
    if (kind == 3) bank->channel[c].delay_samples = 50 + c;
    bank->channel[c].preamp_db = -(double)kind;
  }
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

/* Kind `first` with the next `variants` kinds. */
static MrProgram* family_of(uint32_t first, uint32_t variants) {
  MrProgram* program = kind_of(first);
  for (uint32_t i = 1; i <= variants; i++) assert_int_equal(mr_program_add_variant(program, kind_of(first + i)), MR_OK);
  return program;
}

typedef struct Event {
  uint32_t frame, choice;
} Event;

/* Choices at frames, against the kinds given at frames. */
static void check_choices(const Event* choice, size_t choices, const Event* gift, size_t gifts) {
  Planar in = planar_noise(CHANNELS, FRAMES, 2), chosen = planar_new(CHANNELS, FRAMES), given = planar_new(CHANNELS, FRAMES);
  for (int run = 0; run < 2; run++) {
    MrEngine* engine = engine_of(CHANNELS, 48000, 0, 0);
    if (run) assert_int_equal(mr_engine_give(engine, family_of(0, 3)), MR_OK);
    const Event* event = run ? choice : gift;
    uint32_t at = 0;
    for (size_t i = 0; i < (run ? choices : gifts); i++) {
      run_blocks(engine, &in, run ? &chosen : &given, at, event[i].frame, 0, NULL);
      at = event[i].frame;
      if (run)
        mr_engine_choose(engine, event[i].choice);
      else
        assert_int_equal(mr_engine_give(engine, kind_of(event[i].choice)), MR_OK);
    }
    run_blocks(engine, &in, run ? &chosen : &given, at, FRAMES, 0, NULL);
    mr_engine_free(engine);
  }
  assert_same_bits(&given, &chosen);
  planar_free(&in);
  planar_free(&chosen);
  planar_free(&given);
}

static void test_a_choice_before_the_first_frame_plays_at_once(void** state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) check_choices(&(Event){0, i}, 1, &(Event){0, i}, 1);
  check_choices((Event[]){{0, 2}, {0, 1}}, 2, &(Event){0, 1}, 1);
}

static void test_choices_swap_as_programs_do(void** state) {
  (void)state;
  const Event choice[] = {{0, 0}, {700, 1}, {3000, 2}, {4500, 0}, {6001, 3}};
  check_choices(choice, 5, choice, 5);
}

static void test_the_last_choice_within_a_fade_wins(void** state) {
  (void)state;
  const Event choice[] = {{640, 1}, {700, 3}, {1000, 0}, {1100, 2}, {3010, 1}, {3011, 0}, {3050, 2}};
  const Event gift[] = {{0, 0}, {640, 1}, {1100, 2}}; /* 1024 frames of a fade end at 1664; the last choices return to what plays */
  check_choices(choice, 7, gift, 3);
  const Event back[] = {{640, 1}, {700, 2}, {1600, 1}}; /* back before the fade ends: nothing follows it */
  check_choices(back, 3, gift, 2);
}

static void test_a_number_without_a_variant_is_the_program(void** state) {
  (void)state;
  const Event choice[] = {{0, 4}, {1000, UINT32_MAX}, {2000, 1}, {4000, 9}}, gift[] = {{0, 0}, {2000, 1}, {4000, 0}};
  check_choices(choice, 4, gift, 3);
}

/* A choice stays for the programs given after it. */
static void test_a_choice_outlasts_a_program(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 2), chosen = planar_new(CHANNELS, FRAMES), given = planar_new(CHANNELS, FRAMES);
  for (int run = 0; run < 2; run++) {
    MrEngine* engine = engine_of(CHANNELS, 48000, 0, 0);
    Planar* out = run ? &chosen : &given;
    assert_int_equal(mr_engine_give(engine, run ? family_of(0, 1) : kind_of(1)), MR_OK);
    mr_engine_choose(engine, run);
    run_blocks(engine, &in, out, 0, 1000, 0, NULL);
    assert_int_equal(mr_engine_give(engine, run ? family_of(2, 2) : kind_of(3)), MR_OK);
    run_blocks(engine, &in, out, 1000, 4000, 0, NULL);
    mr_engine_reset(engine); /* and a reset too */
    run_blocks(engine, &in, out, 4000, 5000, 0, NULL);
    assert_int_equal(mr_engine_give(engine, run ? family_of(1, 0) : kind_of(1)), MR_OK); /* without a variant: itself */
    run_blocks(engine, &in, out, 5000, FRAMES, 0, NULL);
    mr_engine_free(engine);
  }
  assert_same_bits(&given, &chosen);
  planar_free(&in);
  planar_free(&chosen);
  planar_free(&given);
}

/* Whatever is given while a variant fades out: its program is freed after the fade. */
static void test_a_variant_that_fades_out_is_kept(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, 500, 2), out = planar_new(CHANNELS, 500);
  for (uint32_t choice = 0; choice < 3; choice++) {
    MrEngine* engine = engine_of(CHANNELS, 48000, 0, 0);
    mr_engine_choose(engine, choice);
    for (int i = 0; i < 30; i++) {
      assert_int_equal(mr_engine_give(engine, family_of(i % 2, 2)), MR_OK); /* frees what has faded out */
      run_blocks(engine, &in, &out, 0, 500, 0, NULL);
    }
    assert_true(fabsf(out.channel[0][499]) < 10);
    mr_engine_free(engine);
  }
  planar_free(&in);
  planar_free(&out);
}

static void test_what_is_refused(void** state) {
  (void)state;
  MrProgram* program = family_of(0, MR_MAX_VARIANTS - 1);
  assert_int_equal(mr_program_add_variant(program, NULL), MR_ERR_ARGUMENT);
  assert_int_equal(mr_program_add_variant(NULL, kind_of(1)), MR_ERR_ARGUMENT);
  assert_int_equal(mr_program_add_variant(program, program), MR_ERR_ARGUMENT);
  assert_int_equal(mr_program_add_variant(program, family_of(0, 1)), MR_ERR_ARGUMENT);
  assert_int_equal(mr_program_add_variant(program, program_of(CHANNELS - 1, 48000, true)), MR_ERR_CHANNELS);
  assert_int_equal(mr_program_add_variant(program, program_of(CHANNELS, 44100, true)), MR_ERR_RATE);
  assert_int_equal(mr_program_add_variant(program, kind_of(1)), MR_OK);
  assert_int_equal(mr_program_add_variant(program, kind_of(1)), MR_ERR_RANGE);
  MrEngine* engine = engine_of(CHANNELS + 1, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program), MR_ERR_CHANNELS); /* freed with its variants */
  mr_program_free(family_of(0, 2));
  mr_engine_free(engine);
}

static void test_the_plan_is_of_the_choice(void** state) {
  (void)state;
  MrProgram* program = program_of(CHANNELS, 48000, false);
  assert_int_equal(mr_program_add_variant(program, kind_of(1)), MR_OK);
  assert_int_equal(mr_program_sections(program, 0), 4);
  MrEngine* engine = engine_of(CHANNELS, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program), MR_OK);
  assert_int_equal(mr_engine_plan(engine).sections, 4);
  mr_engine_choose(engine, 1);
  assert_int_equal(mr_engine_plan(engine).sections, 1);
  mr_engine_free(engine);
}

typedef struct Shared {
  MrEngine* engine;
  atomic_bool stop;
} Shared;

static void* give_many(void* argument) {
  Shared* shared = argument;
  for (uint32_t i = 0; !atomic_load(&shared->stop); i++)
    if (mr_engine_give(shared->engine, family_of(i % 3, i % 4)) != MR_OK) abort();
  return NULL;
}

/* Programs come from another thread; choices, bypass, mute, gains and resets at any time. */
static void test_everything_at_any_time(void** state) {
  (void)state;
  Shared shared = {.engine = engine_of(CHANNELS, 48000, 0, 0)};
  Planar in = planar_noise(CHANNELS, 1000, 1), out = planar_new(CHANNELS, 1000);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, give_many, &shared), 0);
  Random random = {3};
  for (int i = 0; i < 4000; i++) {
    const uint32_t event = random_below(&random, 40), value = random_below(&random, 5);
    if (event < 12) mr_engine_choose(shared.engine, value);
    if (event == 12) mr_engine_bypass(shared.engine, value > 2);
    if (event == 13) mr_engine_mute(shared.engine, value > 2);
    if (event == 14) assert_int_equal(mr_engine_set_gain(shared.engine, -(double)value), MR_OK);
    if (event == 15 && value == 0) mr_engine_reset(shared.engine);
    run_blocks(shared.engine, &in, &out, 0, 1 + random_below(&random, 400), 0, NULL);
    for (uint32_t c = 0; c < CHANNELS; c++) assert_true(fabsf(out.channel[c][0]) < 10);
  }
  atomic_store(&shared.stop, true);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(mr_engine_troubles(shared.engine), 0);
  mr_engine_free(shared.engine);
  planar_free(&in);
  planar_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_choice_before_the_first_frame_plays_at_once),
      cmocka_unit_test(test_choices_swap_as_programs_do),
      cmocka_unit_test(test_the_last_choice_within_a_fade_wins),
      cmocka_unit_test(test_a_number_without_a_variant_is_the_program),
      cmocka_unit_test(test_a_choice_outlasts_a_program),
      cmocka_unit_test(test_a_variant_that_fades_out_is_kept),
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_the_plan_is_of_the_choice),
      cmocka_unit_test(test_everything_at_any_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
