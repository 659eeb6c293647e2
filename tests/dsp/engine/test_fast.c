/* The engine in float32 arithmetic keeps the promises of the other: the same samples whatever the blocks, layouts and buffers; equal channels stay
   equal; a poisoned channel restarts alone; silence becomes exactly zero; reset is a fresh engine.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <fenv.h>
#include <math.h>

enum { FRAMES = 1500 };

static const MrCpuLevel all_levels[] = {MR_CPU_REFERENCE, MR_CPU_REFERENCE_NOFMA, MR_CPU_SSE2, MR_CPU_AVX2, MR_CPU_AVX512, MR_CPU_NEON};
#define LEVELS (sizeof all_levels / sizeof *all_levels)

static MrEngine* fast_of(uint32_t channels, uint32_t level) {
  MrStatus status;
  const MrEngineOptions options = {
      .channels = channels, .fs = 48000, .largest_block = 512, .cpu_level = level, .precision = MR_PRECISION_FAST};
  MrEngine* engine = mr_engine_new(&options, &status);
  assert_int_equal(status, MR_OK);
  assert_non_null(engine);
  return engine;
}

static MrEngine* fast_playing(uint32_t channels, uint32_t level, MrProgram* program) {
  MrEngine* engine = fast_of(channels, level);
  assert_int_equal(mr_engine_give(engine, program), MR_OK);
  return engine;
}

/* Filters that differ by channel, in kind and number; with routes one channel is muted too. */
static MrProgram* program_with(uint32_t channels, bool routes, bool delays) {
  MrBank* bank = mr_bank_new(channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < channels; c++) {
    const MrTerm terms[2] = {{.source = (c + 1) % channels, .gain = 0.7}, {.source = channels - 1 - c, .gain = -0.4}};
    const MrDesign bell = design_of(MR_PEAK, 200.0 * (1 + c % 20), 6, 1 + c % 3);
    MrDesign lowpass = design_of(MR_BUTTERWORTH, 3000, 0, 1);
    lowpass.order = 1 + c % 9;
    if (routes && c % 3) assert_int_equal(mr_bank_set_terms(bank, c, terms, 2), MR_OK);
    if (c % 5 != 4) assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    if (c % 5 != 4) assert_int_equal(mr_bank_add_filter(bank, c, &lowpass), MR_OK);
    bank->channel[c].delay_samples = delays && c % 4 ? 7 * c + 1 : 0;
    bank->channel[c].muted = routes && c == 2;
    bank->channel[c].preamp_db = -0.5 * (c % 7);
  }
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

static void check_splits(uint32_t level, uint32_t channels) {
  const uint32_t largest[] = {1 + channels % 7, 64, 777};
  Planar in = planar_noise(channels, FRAMES, channels), whole = planar_new(channels, FRAMES), split = planar_new(channels, FRAMES);
  MrEngine* engine = fast_playing(channels, level, program_with(channels, channels % 2, channels % 3));
  run_blocks(engine, &in, &whole, 0, FRAMES, 0, NULL);
  for (uint32_t i = 0; i < 3; i++) {
    Random blocks = {i + 1};
    mr_engine_reset(engine); /* and so a reset engine is a fresh one */
    run_blocks(engine, &in, &split, 0, FRAMES, largest[i], &blocks);
    assert_same_bits(&whole, &split);
  }
  assert_int_equal(mr_engine_troubles(engine), 0);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&whole);
  planar_free(&split);
}

static void check_equal(uint32_t level, uint32_t channels) {
  Planar in = planar_noise(channels, FRAMES, 9), out = planar_new(channels, FRAMES);
  for (uint32_t c = 1; c < channels; c++) memcpy(in.channel[c], in.channel[0], FRAMES * sizeof(float));
  MrEngine* engine = fast_playing(channels, level, program_of(channels, 48000, false));
  Random blocks = {channels};
  run_blocks(engine, &in, &out, 0, FRAMES, 300, &blocks);
  for (uint32_t c = 1; c < channels; c++) assert_memory_equal(out.channel[c], out.channel[0], FRAMES * sizeof(float));
  assert_true(out.channel[0][FRAMES - 1] != in.channel[0][FRAMES - 1]);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&out);
}

static void for_levels_and_channels(void (*check)(uint32_t level, uint32_t channels)) {
  uint32_t levels = 0;
  for (size_t i = 0; i < LEVELS; i++) {
    if (!(mr_cpu_levels() & all_levels[i])) continue;
    for (uint32_t channels = 1; channels <= 67; channels++) check(all_levels[i], channels);
    levels++;
  }
  assert_true(levels >= 2);
}

static void test_block_splits(void** state) {
  (void)state;
  for_levels_and_channels(check_splits);
}

static void test_equal_channels(void** state) {
  (void)state;
  for_levels_and_channels(check_equal);
}

/* Levels of a class have the same bits; fused and unfused ones differ by rounding alone. */
static void test_levels(void** state) {
  (void)state;
  Planar in = planar_noise(19, FRAMES, 2), first[2] = {planar_new(19, FRAMES), planar_new(19, FRAMES)}, out = planar_new(19, FRAMES);
  bool seen[2] = {false, false};
  for (size_t i = 0; i < LEVELS; i++) {
    if (!(mr_cpu_levels() & all_levels[i])) continue;
    const bool fused = all_levels[i] != MR_CPU_SSE2 && all_levels[i] != MR_CPU_REFERENCE_NOFMA;
    MrEngine* engine = fast_playing(19, all_levels[i], program_with(19, true, true));
    const MrPlan plan = mr_engine_plan(engine);
    assert_int_equal(plan.level, all_levels[i]);
    assert_string_equal(plan.arithmetic, fused ? "float32, fused" : "float32, unfused");
    assert_int_equal(plan.lanes, 16);
    assert_int_equal(plan.tiles, 2);
    run_blocks(engine, &in, seen[fused] ? &out : &first[fused], 0, FRAMES, 0, NULL);
    if (seen[fused]) assert_same_bits(&first[fused], &out);
    seen[fused] = true;
    mr_engine_free(engine);
  }
  assert_true(seen[0] && seen[1]);
  for (size_t i = 0; i < (size_t)19 * FRAMES; i++) assert_true(fabsf(first[0].samples[i] - first[1].samples[i]) < 1e-5f);
  planar_free(&in);
  planar_free(&first[0]);
  planar_free(&first[1]);
  planar_free(&out);
}

/* What float64 arithmetic makes of the same program: routes, delays, gains and filters are those. */
static void test_as_in_float64(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 67; channels += 6)
    for (int kind = 0; kind < 4; kind++) {
      Planar in = planar_noise(channels, FRAMES, kind), fast = planar_new(channels, FRAMES), wide = planar_new(channels, FRAMES);
      MrEngine* engine = fast_playing(channels, 0, program_with(channels, kind & 1, kind & 2));
      run_blocks(engine, &in, &fast, 0, FRAMES, 0, NULL);
      mr_engine_free(engine);
      engine = engine_of(channels, 48000, 0, 0);
      assert_int_equal(mr_engine_give(engine, program_with(channels, kind & 1, kind & 2)), MR_OK);
      run_blocks(engine, &in, &wide, 0, FRAMES, 0, NULL);
      mr_engine_free(engine);
      for (size_t i = 0; i < (size_t)channels * FRAMES; i++) assert_true(fabsf(fast.samples[i] - wide.samples[i]) < 1e-5f);
      planar_free(&in);
      planar_free(&fast);
      planar_free(&wide);
    }
}

static void test_layouts_and_streams(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 67; channels += 3) {
    Planar in = planar_noise(channels, 1000, 5), out = planar_new(channels, 1000);
    float* interleaved = calloc((size_t)channels * 1000, sizeof(float));
    double* wide = calloc((size_t)channels * 1000, sizeof(double));
    double* wide_interleaved = calloc((size_t)channels * 1000, sizeof(double));
    double** wide_channel = calloc(channels, sizeof(double*));
    assert_true(interleaved && wide && wide_interleaved && wide_channel);
    for (uint32_t c = 0; c < channels; c++) {
      for (uint32_t f = 0; f < 1000; f++) {
        interleaved[(size_t)f * channels + c] = in.channel[c][f];
        wide_interleaved[(size_t)f * channels + c] = wide[(size_t)c * 1000 + f] = (double)in.channel[c][f];
      }
      wide_channel[c] = wide + (size_t)c * 1000;
    }
    MrEngine* engine = fast_playing(channels, 0, program_with(channels, channels % 2, true));
    run_blocks(engine, &in, &out, 0, 1000, 0, NULL);
    mr_engine_reset(engine);
    mr_engine_process_interleaved_f32(engine, interleaved, interleaved, 333);
    mr_engine_process_interleaved_f32(engine, interleaved + (size_t)333 * channels, interleaved + (size_t)333 * channels, 667);
    mr_engine_reset(engine);
    mr_engine_process_f64(engine, (const double* const*)wide_channel, wide_channel, 1000);
    mr_engine_reset(engine);
    mr_engine_process_interleaved_f64(engine, wide_interleaved, wide_interleaved, 1000);
    for (uint32_t c = 0; c < channels; c++)
      for (uint32_t f = 0; f < 1000; f++) {
        assert_true(out.channel[c][f] == interleaved[(size_t)f * channels + c]);
        assert_true((double)out.channel[c][f] == wide_channel[c][f]); /* what comes out is float32 */
        assert_true((double)out.channel[c][f] == wide_interleaved[(size_t)f * channels + c]);
      }
    mr_engine_free(engine);
    free(interleaved);
    free(wide);
    free(wide_interleaved);
    free(wide_channel);
    planar_free(&in);
    planar_free(&out);
  }
}

/* Outputs are the inputs the other way round, and in place. */
static void test_shared_buffers(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 15, 16, 17, 64};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int kind = 0; kind < 4; kind++) {
      const uint32_t channels = counts[i];
      Planar in = planar_noise(channels, 700, 3), out = planar_new(channels, 700), shared = planar_new(channels, 700);
      float** outputs = calloc(channels, sizeof *outputs);
      assert_non_null(outputs);
      for (uint32_t c = 0; c < channels; c++) outputs[c] = shared.channel[kind & 1 ? channels - 1 - c : c];
      memcpy(shared.samples, in.samples, (size_t)channels * 700 * sizeof(float));
      MrEngine* engine = fast_playing(channels, 0, program_with(channels, kind & 2, false));
      run_blocks(engine, &in, &out, 0, 700, 0, NULL);
      mr_engine_reset(engine);
      mr_engine_process_f32(engine, (const float* const*)shared.channel, outputs, 700);
      for (uint32_t c = 0; c < channels; c++) assert_memory_equal(outputs[c], out.channel[c], 700 * sizeof(float));
      mr_engine_free(engine);
      free(outputs);
      planar_free(&in);
      planar_free(&out);
      planar_free(&shared);
    }
}

/* Without a program, or with one that changes nothing, every bit of float64 samples passes. */
static void test_nothing_to_do_passes_every_bit(void** state) {
  (void)state;
  double samples[300], copy[300];
  float narrow[300], narrow_copy[300];
  Random random = {1};
  for (int i = 0; i < 300; i++) {
    copy[i] = samples[i] = i % 50 ? random_between(&random, -1, 1) : 1e-310;
    narrow_copy[i] = narrow[i] = (float)random_between(&random, -1, 1);
  }
  MrBank* bank = mr_bank_new(3);
  for (int given = 0; given < 2; given++) {
    MrEngine* engine = given ? fast_playing(3, 0, mr_program_new(bank, 48000, NULL, NULL)) : fast_of(3, 0);
    mr_engine_process_interleaved_f64(engine, samples, samples, 100);
    assert_memory_equal(samples, copy, sizeof copy);
    double *in[3] = {samples, samples + 100, samples + 200}, *out[3] = {samples + 100, samples + 200, samples};
    mr_engine_process_f64(engine, (const double* const*)in, out, 100); /* each buffer is another channel's output too */
    for (int i = 0; i < 300; i++) assert_true(samples[(i + 100) % 300] == copy[i]);
    memcpy(samples, copy, sizeof copy);
    mr_engine_process_interleaved_f32(engine, narrow, narrow, 100);
    assert_memory_equal(narrow, narrow_copy, sizeof narrow);
    mr_engine_free(engine);
  }
  mr_bank_free(bank);
}

static void test_poison_stays_in_its_channel_and_cell(void** state) {
  (void)state;
  const float poisons[] = {NAN, INFINITY, -INFINITY, 3e38f};
  enum { CHANNELS = 21 };
  Planar in = planar_noise(CHANNELS, FRAMES, 4), clean = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  MrEngine* engine = fast_playing(CHANNELS, 0, program_of(CHANNELS, 48000, true));
  run_blocks(engine, &in, &clean, 0, FRAMES, 0, NULL);
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t victim = (i * 5) % CHANNELS, frame = 300;
    const float kept = in.channel[victim][frame];
    in.channel[victim][frame] = poisons[i % 4];
    mr_engine_reset(engine);
    Random blocks = {i};
    run_blocks(engine, &in, &out, 0, FRAMES, i % 2 ? 50 : 0, &blocks);
    assert_int_equal(mr_engine_troubles(engine), i + 1);
    for (uint32_t c = 0; c < CHANNELS; c++)
      if (c != victim) assert_memory_equal(out.channel[c], clean.channel[c], FRAMES * sizeof(float));
    assert_memory_equal(out.channel[victim], clean.channel[victim], frame * sizeof(float));
    assert_false(isfinite(out.channel[victim][319]) && fabsf(out.channel[victim][319]) < 1e6f); /* to the end of its cell, 256 .. 319 */
    for (uint32_t f = 320; f < FRAMES; f++) assert_true(isfinite(out.channel[victim][f]) && fabsf(out.channel[victim][f]) < 10);
    in.channel[victim][frame] = kept;
  }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&clean);
  planar_free(&out);
}

/* Resonances and slopes that the rule lets pass. */
static void check_silence(const MrDesign* design) {
  MrBank* bank = mr_bank_new(1);
  assert_int_equal(mr_bank_add_filter(bank, 0, design), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  assert_true(mr_program_fast_rule(program).holds);
  const uint64_t ring = mr_program_tail(program, 48000 * 60);
  assert_true(ring > 100 && ring < 96000);
  const uint32_t loud = 20000, deadline = loud + (uint32_t)(6.5 * (double)ring) + 4096;
  MrEngine* engine = fast_playing(1, 0, program);
  float block[500];
  Random random = {8};
  for (uint32_t at = 0; at < deadline + 1000; at += 500) {
    for (uint32_t f = 0; f < 500; f++) block[f] = at + f < loud ? (float)random_between(&random, -0.5, 0.5) : 0;
    mr_engine_process_interleaved_f32(engine, block, block, 500);
    if (at == loud) assert_true(block[0] != 0);
    for (uint32_t f = 0; f < 500 && at >= deadline; f++) assert_true(block[f] == 0);
  }
  mr_engine_free(engine);
  mr_bank_free(bank);
}

static void test_silence_becomes_exactly_zero(void** state) {
  (void)state;
  const MrDesign bell = design_of(MR_PEAK, 60, 12, 8), sharp = design_of(MR_PEAK, 1000, 12, 60), high = design_of(MR_PEAK, 15000, 12, 10);
  MrDesign highpass = design_of(MR_BUTTERWORTH, 100, 0, 1), lowpass = design_of(MR_BUTTERWORTH, 20, 0, 1);
  highpass.response = MR_RESPONSE_HP;
  highpass.order = 8;
  lowpass.order = 16;
  check_silence(&bell);
  check_silence(&sharp);
  check_silence(&high);
  check_silence(&highpass);
  check_silence(&lowpass);
}

static void test_reset_and_drain(void** state) {
  (void)state;
  enum { N = 3 };
  Planar in = planar_noise(N, 500, 1), silence = planar_new(N, 500), out = planar_new(N, 500), drained = planar_new(N, 500);
  MrEngine* engine = fast_playing(N, 0, program_with(N, true, true));
  run_blocks(engine, &in, &out, 0, 500, 0, NULL);
  mr_engine_drain_f32(engine, drained.channel, 500);
  mr_engine_reset(engine);
  run_blocks(engine, &in, &out, 0, 500, 0, NULL);
  run_blocks(engine, &silence, &out, 0, 500, 0, NULL);
  assert_same_bits(&out, &drained);
  assert_true(drained.channel[0][0] != 0);
  double samples[N][500], *wide[N] = {samples[0], samples[1], samples[2]};
  float interleaved[500 * N];
  double wide_interleaved[500 * N];
  for (int layout = 0; layout < 3; layout++) { /* the other three drain the same */
    mr_engine_reset(engine);
    run_blocks(engine, &in, &out, 0, 500, 0, NULL);
    if (layout == 0) mr_engine_drain_f64(engine, wide, 500);
    if (layout == 1) mr_engine_drain_interleaved_f32(engine, interleaved, 500);
    if (layout == 2) mr_engine_drain_interleaved_f64(engine, wide_interleaved, 500);
  }
  for (uint32_t c = 0; c < N; c++)
    for (uint32_t f = 0; f < 500; f++) {
      assert_true((float)wide[c][f] == drained.channel[c][f]);
      assert_true(interleaved[f * N + c] == drained.channel[c][f]);
      assert_true((float)wide_interleaved[f * N + c] == drained.channel[c][f]);
    }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&silence);
  planar_free(&out);
  planar_free(&drained);
}

static void test_programs_are_taken_before_the_first_frame(void** state) {
  (void)state;
  float samples[2 * 64] = {1}, again[2 * 64] = {1};
  MrEngine* engine = fast_playing(2, 0, program_of(2, 48000, false));
  assert_int_equal(mr_engine_give(engine, program_of(2, 48000, true)), MR_OK); /* the last one given plays */
  assert_int_equal(mr_engine_give(engine, program_of(3, 48000, true)), MR_ERR_CHANNELS);
  assert_int_equal(mr_engine_give(engine, program_of(2, 44100, true)), MR_ERR_RATE);
  mr_engine_process_interleaved_f32(engine, samples, samples, 64);
  assert_int_equal(mr_engine_give(engine, program_of(2, 48000, false)), MR_ERR_ARGUMENT);
  assert_false(mr_engine_is_fading(engine));
  mr_engine_free(engine);
  engine = fast_playing(2, 0, program_of(2, 48000, true));
  mr_engine_process_interleaved_f32(engine, again, again, 64);
  assert_memory_equal(samples, again, sizeof again);
  mr_engine_reset(engine);
  assert_int_equal(mr_engine_give(engine, program_of(2, 48000, false)), MR_OK);
  assert_int_equal(mr_engine_plan(engine).sections, 4); /* a high-pass of order 5 and a bell */
  mr_engine_free(engine);
}

static void test_what_is_refused(void** state) {
  (void)state;
  const MrBands bands = {NULL, 0, false};
  MrStatus status;
  MrEngineOptions options = {.channels = 2, .fs = 48000, .max_bands = 1, .precision = MR_PRECISION_FAST};
  assert_null(mr_engine_new(&options, &status));
  assert_int_equal(status, MR_ERR_ARGUMENT);
  options.max_bands = 0;
  options.precision = (MrPrecision)2;
  assert_null(mr_engine_new(&options, &status));
  assert_int_equal(status, MR_ERR_ARGUMENT);
  options.precision = MR_PRECISION_FAST;
  options.channels = 1025;
  assert_null(mr_engine_new(&options, &status));
  assert_int_equal(status, MR_ERR_CHANNELS);
  MrEngine* engine = fast_of(1024, 0);
  assert_int_equal(mr_engine_set_bands(engine, &bands), MR_ERR_ARGUMENT);
  mr_engine_free(engine);
}

/* Gains of sections that only together are moderate, far beyond what a float holds; and a gain that it cannot hold. */
static void test_the_range_of_float32(void** state) {
  (void)state;
  for (int late = 0; late < 2; late++) {
    MrBank* bank = mr_bank_new(1);
    for (int k = 0; k < 4; k++) {
      MrDesign design = mr_design_default(MR_COEFFICIENTS);
      design.a[1] = -0.5;
      design.b[0] = (k < 2) == late ? 0.5e30 : 0.5e-30;
      assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_OK);
    }
    MrEngine* engine = fast_playing(1, 0, mr_program_new(bank, 48000, NULL, NULL));
    float samples[100];
    for (int i = 0; i < 100; i++) samples[i] = 1;
    mr_engine_process_interleaved_f32(engine, samples, samples, 100);
    assert_true(fabsf(samples[0] - 0.0625f) < 1e-6f && fabsf(samples[99] - 1) < 1e-6f);
    assert_int_equal(mr_engine_troubles(engine), 0);
    bank->channel[0].preamp_db = 800;
    mr_engine_reset(engine);
    assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_ERR_RANGE);
    samples[0] = 1;
    mr_engine_process_interleaved_f32(engine, samples, samples, 1); /* it plays on as before */
    assert_true(fabsf(samples[0] - 0.0625f) < 1e-6f);
    mr_engine_free(engine);
    mr_bank_free(bank);
  }
}

static void test_host_mode_is_kept(void** state) {
  (void)state;
  Planar in = planar_noise(2, 256, 1), nearest = planar_new(2, 256), upward = planar_new(2, 256);
  MrEngine* engine = fast_playing(2, 0, program_of(2, 48000, false));
  run_blocks(engine, &in, &nearest, 0, 256, 0, NULL);
  mr_engine_reset(engine);
  fesetround(FE_UPWARD);
  run_blocks(engine, &in, &upward, 0, 256, 0, NULL);
  assert_int_equal(fegetround(), FE_UPWARD);
  fesetround(FE_TONEAREST);
  assert_same_bits(&nearest, &upward);
  volatile float tiny = 1e-39f; /* and flushing ends with the call */
  assert_true(tiny * 0.5f != 0);
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&nearest);
  planar_free(&upward);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_splits),
      cmocka_unit_test(test_equal_channels),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_as_in_float64),
      cmocka_unit_test(test_layouts_and_streams),
      cmocka_unit_test(test_shared_buffers),
      cmocka_unit_test(test_nothing_to_do_passes_every_bit),
      cmocka_unit_test(test_poison_stays_in_its_channel_and_cell),
      cmocka_unit_test(test_silence_becomes_exactly_zero),
      cmocka_unit_test(test_reset_and_drain),
      cmocka_unit_test(test_programs_are_taken_before_the_first_frame),
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_the_range_of_float32),
      cmocka_unit_test(test_host_mode_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
