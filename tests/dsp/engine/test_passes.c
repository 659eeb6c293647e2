/* Engines in which nothing is audible pass their input to the bit; mr_engine_passes() never says so where it is not true.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

enum { CHANNELS = 11, FRAMES = 1500, BANDS = 4 };

/* Noise with everything that arithmetic would change: NaNs with a payload, infinities, -0.0, subnormals. */
static Planar special_input(uint32_t channels, uint64_t seed) {
  static const uint32_t bits[] = {0x7fc12345, 0xff812345, 0x7f800000, 0xff800000, 0x80000000, 0x00000001, 0x807fffff, 0x00400000};
  Planar in = planar_noise(channels, FRAMES, seed);
  Random random = {seed + 1};
  for (uint32_t i = 0; i < channels * FRAMES / 4; i++)
    memcpy(&in.samples[random_below(&random, channels * FRAMES)], &bits[random_below(&random, 8)], sizeof(float));
  return in;
}

/* Apart, in place through the same pointers or others, and the channels the other way round; in blocks. */
static void check_passes(MrEngine* engine, uint32_t channels) {
  Planar in = special_input(channels, 5);
  for (int way = 0; way < 4; way++) {
    Planar work = planar_new(channels, FRAMES), apart = planar_new(channels, FRAMES);
    memcpy(work.samples, in.samples, (size_t)channels * FRAMES * sizeof(float));
    const float* input[MR_MAX_CHANNELS];
    float* output[MR_MAX_CHANNELS];
    Random random = {(uint64_t)way};
    for (uint32_t at = 0, n; at < FRAMES; at += n) {
      n = random_below(&random, 200);
      if (n > FRAMES - at) n = FRAMES - at;
      for (uint32_t c = 0; c < channels; c++) {
        input[c] = work.channel[c] + at;
        output[c] = (way == 0 ? apart.channel[c] : work.channel[way == 3 ? channels - 1 - c : c]) + at;
      }
      mr_engine_process_f32(engine, way == 1 ? (const float* const*)output : input, output, n);
      assert_true(mr_engine_passes(engine));
    }
    for (uint32_t c = 0; c < channels; c++) {
      const float* out = way == 0 ? apart.channel[c] : work.channel[way == 3 ? channels - 1 - c : c];
      assert_memory_equal(out, in.channel[c], FRAMES * sizeof(float));
    }
    planar_free(&work);
    planar_free(&apart);
  }
  assert_int_equal(mr_engine_troubles(engine), 0);
  planar_free(&in);
}

static void test_nothing_audible_passes(void** state) {
  (void)state;
  for (uint32_t channels = 2; channels <= CHANNELS; channels += 9)
    for (int kind = 0; kind < 5; kind++) {
      MrEngine* engine = engine_of(channels, 48000, BANDS, 0);
      MrBand band[BANDS];
      for (uint32_t b = 0; b < BANDS; b++) {
        band[b] = band_on_all(MR_PEAK, 1000, 6, 1);
        if (kind == 1) band[b].on = false;
        if (kind == 2) band[b].design.fc = 30000;     /* off at this rate */
        if (kind == 3) band[b].design.type = MR_NONE; /* no filter */
        if (kind == 4) {                              /* on no channel but one that is not there */
          memset(band[b].set, 0, sizeof band[b].set);
          band[b].set[1] = 1;
        }
      }
      const MrBands bands = {band, kind ? BANDS : 0, channels == 2 && kind % 2};
      assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
      check_passes(engine, channels);
      mr_engine_free(engine);
    }
}

static void test_programs_and_fast_engines_that_do_nothing_pass(void** state) {
  (void)state;
  for (int fast = 0; fast < 2; fast++) {
    const MrEngineOptions options = {.channels = 5, .fs = 48000, .precision = fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE};
    MrEngine* engine = mr_engine_new(&options, NULL);
    assert_non_null(engine);
    check_passes(engine, 5);
    mr_engine_reset(engine);
    MrBank* bank = mr_bank_new(5);
    assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
    mr_bank_free(bank);
    check_passes(engine, 5);
    mr_engine_reset(engine);
    assert_int_equal(mr_engine_give(engine, program_of(5, 48000, true)), MR_OK);
    assert_false(mr_engine_passes(engine));
    mr_engine_free(engine);
  }
}

static void skip_frames(MrEngine* engine, uint32_t channels, uint32_t frames) {
  Planar in = planar_noise(channels, frames, 8), out = planar_new(channels, frames);
  run_blocks(engine, &in, &out, 0, frames, 0, NULL);
  planar_free(&in);
  planar_free(&out);
}

/* What comes back to nothing audible passes again, and what never leaves it passes all the time. */
static void test_passes_again(void** state) {
  (void)state;
  MrEngine* engine = engine_of(2, 48000, 1, 0);
  MrBand band = band_on_all(MR_PEAK, 1000, 6, 1);
  const MrBands bands = {&band, 1, false}, middle = {&band, 1, true};
  assert_true(mr_engine_passes(engine));
  assert_int_equal(mr_engine_set_gain(engine, -6), MR_OK);
  /* cppcheck-suppress redundantAssignment ; bands points at it */
  band.on = false;
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  assert_false(mr_engine_passes(engine));
  skip_frames(engine, 2, 1000);
  assert_false(mr_engine_passes(engine)); /* a gain */
  assert_int_equal(mr_engine_set_gain(engine, 0), MR_OK);
  skip_frames(engine, 2, 100);
  assert_false(mr_engine_passes(engine)); /* that glides back */
  skip_frames(engine, 2, 3000);
  check_passes(engine, 2);
  /* cppcheck-suppress redundantAssignment ; bands points at it */
  band.on = true;
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  assert_false(mr_engine_passes(engine));
  skip_frames(engine, 2, 2000);
  assert_false(mr_engine_passes(engine));
  mr_engine_bypass(engine, true);
  skip_frames(engine, 2, 500);
  assert_false(mr_engine_passes(engine)); /* a fade */
  skip_frames(engine, 2, 1000);
  check_passes(engine, 2);
  assert_int_equal(mr_engine_set_gain(engine, -6), MR_OK); /* bypass has none */
  check_passes(engine, 2);
  assert_int_equal(mr_engine_set_gain(engine, 0), MR_OK);
  skip_frames(engine, 2, 3000);
  /* cppcheck-suppress redundantAssignment ; bands points at it */
  band.on = false;
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  mr_engine_bypass(engine, false);
  assert_false(mr_engine_passes(engine)); /* not known before the cell begins */
  skip_frames(engine, 2, 100);
  for (int i = 0; i < 4; i++) { /* between sides that pass there is no fade, and so no dip */
    mr_engine_bypass(engine, i % 2 == 0);
    assert_int_equal(mr_engine_set_bands(engine, i % 3 ? &bands : &middle), MR_OK);
    Planar in = special_input(2, 3), out = planar_new(2, FRAMES);
    run_blocks(engine, &in, &out, 0, FRAMES, 0, NULL);
    assert_same_bits(&in, &out);
    planar_free(&in);
    planar_free(&out);
  }
  mr_engine_mute(engine, true);
  assert_false(mr_engine_passes(engine));
  skip_frames(engine, 2, 3000);
  assert_false(mr_engine_passes(engine));
  mr_engine_free(engine);
}

/* Whatever is set at random: where the engine says that it passes and nothing is set after that, the next frames are passed. At rest
   with nothing audible it says so. */
static void test_it_never_says_so_wrongly(void** state) {
  (void)state;
  Random random = {11};
  uint32_t said = 0, not_said = 0;
  for (int round = 0; round < 40; round++) {
    const bool parametric = round % 2;
    MrEngine* engine = engine_of(2, 48000, parametric ? 1 : 0, 0);
    Planar in = special_input(2, (uint64_t)round), out = planar_new(2, FRAMES);
    MrBand band = band_on_all(MR_PEAK, 900, 3, 1);
    for (int i = 0; i < 60; i++) {
      const uint32_t event = random_below(&random, 12), value = random_below(&random, 3);
      if (event == 0) assert_int_equal(mr_engine_set_gain(engine, value ? 0 : -3), MR_OK);
      if (event == 1) mr_engine_bypass(engine, value > 0);
      if (event == 2) mr_engine_mute(engine, value == 2);
      if (event == 3) mr_engine_choose(engine, value);
      if (event == 4 && value == 0) mr_engine_reset(engine);
      if (event == 5 && parametric) {
        band.on = value == 1;
        const MrBands bands = {&band, 1, random_below(&random, 2)};
        assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
      }
      if (event == 5 && !parametric) {
        MrBank* bank = mr_bank_new(2);
        MrProgram *plain = mr_program_new(bank, 48000, NULL, NULL), *filters = program_of(2, 48000, true);
        mr_bank_free(bank);
        MrProgram* program = value ? plain : filters;
        assert_int_equal(mr_program_add_variant(program, value ? filters : plain), MR_OK);
        assert_int_equal(mr_engine_give(engine, program), MR_OK);
      }
      const uint32_t n = 1 + random_below(&random, event > 8 ? FRAMES - 1 : 300);
      const bool passes = mr_engine_passes(engine);
      run_blocks(engine, &in, &out, 0, n, 77, &random);
      for (uint32_t c = 0; passes && c < 2; c++) assert_memory_equal(out.channel[c], in.channel[c], n * sizeof(float));
      said += passes;
      not_said += !passes;
    }
    mr_engine_free(engine);
    planar_free(&in);
    planar_free(&out);
  }
  assert_true(said > 300 && not_said > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_audible_passes),
      cmocka_unit_test(test_programs_and_fast_engines_that_do_nothing_pass),
      cmocka_unit_test(test_passes_again),
      cmocka_unit_test(test_it_never_says_so_wrongly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
