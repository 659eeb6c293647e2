/* Promises 9 and 10: a poisoned channel restarts alone; silence becomes exactly zero; the host's floating-point mode is kept.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <fenv.h>
#include <math.h>

enum { FRAMES = 2048, CHANNELS = 11 };

/* What comes out for noise in which one channel has `poison` at frame 300, against the clean run. */
static void check_poison(float poison, bool moving, uint32_t victim) {
  Planar in = planar_noise(CHANNELS, FRAMES, 4), clean = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  MrEngine* engine = engine_of(CHANNELS, 48000, moving ? 2 : 0, 0);
  for (int run = 0; run < 2; run++) {
    if (run) in.channel[victim][300] = poison;
    if (moving) {
      MrBand band[2] = {band_on_all(MR_PEAK, 500, 6, 2), band_on(victim ? 0 : 1, MR_LOWSHELF, 200, 3, 0.7)};
      MrBands bands = {band, 2, false};
      assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
      run_blocks(engine, &in, run ? &out : &clean, 0, 128, 0, NULL);
      band[0].design.gain_db = -6;
      MrDesign* shelf = &band[1].design;
      shelf->fc = 300;
      assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
      run_blocks(engine, &in, run ? &out : &clean, 128, FRAMES, 0, NULL);
    } else {
      if (!run) assert_int_equal(mr_engine_give(engine, program_of(CHANNELS, 48000, true)), MR_OK);
      run_blocks(engine, &in, run ? &out : &clean, 0, FRAMES, 0, NULL);
    }
    assert_int_equal(mr_engine_troubles(engine), run);
    mr_engine_reset(engine);
  }
  for (uint32_t c = 0; c < CHANNELS; c++)
    if (c != victim) assert_memory_equal(out.channel[c], clean.channel[c], FRAMES * sizeof(float));
  assert_memory_equal(out.channel[victim], clean.channel[victim], 300 * sizeof(float));
  assert_false(isfinite(out.channel[victim][319]) && fabsf(out.channel[victim][319]) < 1e6f); /* to the end of its cell, 256 .. 319 */
  for (uint32_t f = 320; f < FRAMES; f++) assert_true(isfinite(out.channel[victim][f]) && fabsf(out.channel[victim][f]) < 10);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&clean);
  planar_free(&out);
}

static void test_poison_stays_in_its_channel(void** state) {
  (void)state;
  const float poisons[] = {NAN, INFINITY, -INFINITY, 3e38f};
  for (size_t i = 0; i < 4; i++)
    for (uint32_t victim = 0; victim < CHANNELS; victim += 5)
      for (int moving = 0; moving < 2; moving++) check_poison(poisons[i], moving, victim);
}

/* A channel that a moving band passes by must not keep what a NaN left in the band's unused lane. */
static void test_poison_beside_a_moving_band_is_gone_when_it_settles(void** state) {
  (void)state;
  Planar in = planar_noise(2, 4800, 4), out = planar_new(2, 4800);
  MrEngine* engine = engine_of(2, 48000, 1, 0);
  MrBand band = band_on(0, MR_PEAK, 500, 0, 1);
  const MrBands bands = {&band, 1, false};
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  run_blocks(engine, &in, &out, 0, 64, 0, NULL);
  band.design.gain_db = 6;
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
  in.channel[1][100] = NAN;
  run_blocks(engine, &in, &out, 64, 4800, 0, NULL);
  for (uint32_t f = 0; f < 4800; f++)
    if (f != 100) assert_true(out.channel[1][f] == in.channel[1][f]);
  assert_int_equal(mr_engine_troubles(engine), 0);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

static void test_poison_on_every_cell_ends_with_it(void** state) {
  (void)state;
  Planar in = planar_noise(1, 640, 4), out = planar_new(1, 640);
  MrEngine* engine = engine_of(1, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(1, 48000, false)), MR_OK);
  for (uint32_t f = 63; f < 320; f += 64) in.channel[0][f] = NAN;
  run_blocks(engine, &in, &out, 0, 640, 7, &(Random){1});
  assert_int_equal(mr_engine_troubles(engine), 5);
  for (uint32_t f = 320; f < 640; f++) assert_true(isfinite(out.channel[0][f]));
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

/* One channel in trouble is one, though both sides of a fade have been. */
static void test_poison_in_a_fade_is_counted_once(void** state) {
  (void)state;
  Planar in = planar_noise(10, 640, 4), out = planar_new(10, 640);
  MrEngine* engine = engine_of(10, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(10, 48000, false)), MR_OK);
  run_blocks(engine, &in, &out, 0, 64, 0, NULL);
  assert_int_equal(mr_engine_give(engine, program_of(10, 48000, true)), MR_OK);
  in.channel[2][200] = in.channel[9][201] = NAN;
  run_blocks(engine, &in, &out, 64, 640, 0, NULL);
  assert_true(mr_engine_is_fading(engine));
  assert_int_equal(mr_engine_troubles(engine), 2);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

/* Whatever rings: a resonance, a high-pass of order 8, a low-pass of order 16 at 20 Hz. */
static void check_silence(const MrDesign* design) {
  MrBank* bank = mr_bank_new(1);
  assert_int_equal(mr_bank_add_filter(bank, 0, design), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  const uint64_t ring = mr_program_tail(program, 48000 * 60);
  assert_true(ring > 500 && ring < 96000);
  const uint32_t loud = 20000, deadline = loud + (uint32_t)(6.5 * (double)ring) + 4096;
  MrEngine* engine = engine_of(1, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program), MR_OK);
  double block[500]; /* float64 samples: as float32 they would be 0 long before the state is */
  Random random = {8};
  for (uint32_t at = 0; at < deadline + 1000; at += 500) {
    for (uint32_t f = 0; f < 500; f++) block[f] = at + f < loud ? random_between(&random, -0.5, 0.5) : 0;
    mr_engine_process_interleaved_f64(engine, block, block, 500);
    if (at == loud) assert_true(block[0] != 0);
    for (uint32_t f = 0; f < 500 && at >= deadline; f++) assert_true(block[f] == 0);
  }
  mr_engine_free(engine);
  mr_bank_free(bank);
}

static void test_silence_becomes_exactly_zero(void** state) {
  (void)state;
  const MrDesign bell = design_of(MR_PEAK, 60, 12, 8);
  MrDesign highpass = design_of(MR_BUTTERWORTH, 100, 0, 1), lowpass = design_of(MR_BUTTERWORTH, 20, 0, 1);
  highpass.response = MR_RESPONSE_HP;
  highpass.order = 8;
  lowpass.order = 16;
  check_silence(&bell);
  check_silence(&highpass);
  check_silence(&lowpass);
}

static void test_host_mode_is_kept(void** state) {
  (void)state;
  Planar in = planar_noise(2, 256, 1), nearest = planar_new(2, 256), upward = planar_new(2, 256);
  MrEngine* engine = engine_of(2, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(2, 48000, false)), MR_OK);
  run_blocks(engine, &in, &nearest, 0, 256, 0, NULL);
  mr_engine_reset(engine);
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  fenv_t before, after;
  fegetenv(&before);
  run_blocks(engine, &in, &upward, 0, 256, 0, NULL);
  fegetenv(&after);
  assert_int_equal(fegetround(), FE_UPWARD);
  fesetround(FE_TONEAREST);
  assert_same_bits(&nearest, &upward); /* the engine's own mode is in force inside */
#if defined(__x86_64__)
  assert_int_equal(before.__mxcsr, after.__mxcsr);
#endif
  volatile float tiny = 1e-39f; /* and flushing ends with the call */
  assert_true(tiny * 0.5f != 0);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&nearest);
  planar_free(&upward);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_poison_stays_in_its_channel),       cmocka_unit_test(test_poison_beside_a_moving_band_is_gone_when_it_settles),
      cmocka_unit_test(test_poison_on_every_cell_ends_with_it), cmocka_unit_test(test_poison_in_a_fade_is_counted_once),
      cmocka_unit_test(test_silence_becomes_exactly_zero),      cmocka_unit_test(test_host_mode_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
