/* Promises 7, 8, 11 and 14: the same samples whatever the blocks, layouts, buffers; equal channels stay equal; reset is a fresh engine.
   SPDX-License-Identifier: ISC */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#define FRAMES 6000u
#define EVENTS 12u
#define BANDS  5u

#define EVENTS_OF_PROGRAMS 10u

static const MrCpuLevel all_levels[] = {MR_CPU_REFERENCE, MR_CPU_REFERENCE_NOFMA, MR_CPU_SSE2, MR_CPU_AVX2, MR_CPU_AVX512, MR_CPU_NEON};
#define LEVELS (sizeof all_levels / sizeof *all_levels)

static const MrFilterType kinds[] = {MR_PEAK, MR_HIGHSHELF, MR_LOWPASS, MR_NOTCH, MR_BUTTERWORTH, MR_LOWSHELF1, MR_ALLPASS, MR_BANDPASS};

static void random_bands(Random* random, MrBand* band, bool equal, bool only_move) {
  for (uint32_t b = 0; b < BANDS; b++) {
    const MrFilterType type = kinds[only_move ? b : random_below(random, 8)];
    MrBand fresh = band_on_all(type, random_between(random, 60, 9000), random_between(random, -12, 12), random_between(random, 0.3, 4));
    fresh.design.order = 6;
    fresh.design.mode = b % 2 ? MR_MODE_MATCHED : MR_MODE_RBJ;
    fresh.on = only_move || random_below(random, 4) > 0;
    if (!equal)
      for (uint32_t i = 0; i < 2; i++) fresh.set[i] = only_move ? UINT64_C(0x5a5a5a5a5a5a5a5a) >> b : random->state >> i;
    if (!only_move || random_below(random, 2)) band[b] = fresh;
  }
}

/* Bands change at drawn frames, some gliding and some swapping; between the events blocks are drawn from 0 .. largest. */
static void run_moving(MrEngine* engine, const Planar* in, Planar* out, uint64_t seed, bool equal, uint32_t largest, Random* blocks) {
  Random random = {seed};
  MrBand band[BANDS];
  memset(band, 0, sizeof band);
  random_bands(&random, band, equal, false);
  uint32_t at = 0;
  for (uint32_t e = 0; e < EVENTS; e++) {
    const MrBands bands = {band, BANDS, in->channels == 2 && e % 5 > 2};
    assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
    assert_int_equal(mr_engine_set_gain(engine, random_between(&random, -6, 6)), MR_OK);
    mr_engine_mute(engine, e == 5 || e == 9);
    mr_engine_bypass(engine, e == 8);
    const uint32_t to = e + 1 == EVENTS ? in->frames : at + random_below(&random, 2 * in->frames / EVENTS);
    run_blocks(engine, in, out, at, to < in->frames ? to : in->frames, largest, blocks);
    at = to < in->frames ? to : in->frames;
    random_bands(&random, band, equal, e % 3 != 0);
  }
}

static void splits_change_no_bit(uint32_t level, uint32_t channels) {
  Planar in = planar_noise(channels, FRAMES, channels), whole = planar_new(channels, FRAMES);
  MrEngine* engine = engine_of(channels, 48000, BANDS, level);
  run_moving(engine, &in, &whole, channels, false, 0, NULL);
  assert_int_equal(mr_engine_troubles(engine), 0);
  const uint32_t largest[] = {1 + channels % 7, 64, 777, 8192};
  for (uint32_t i = channels % 2; i < 4; i += 2) { /* two of the four for every count of channels */
    Planar split = planar_new(channels, FRAMES);
    Random blocks = {i + 1};
    mr_engine_reset(engine); /* and so a reset engine is a fresh one */
    run_moving(engine, &in, &split, channels, false, largest[i], &blocks);
    assert_same_bits(&whole, &split);
    planar_free(&split);
  }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&whole);
}

static void equal_channels_stay_equal(uint32_t level, uint32_t channels) {
  Planar in = planar_noise(channels, FRAMES, 9), out = planar_new(channels, FRAMES);
  for (uint32_t c = 1; c < channels; c++) memcpy(in.channel[c], in.channel[0], FRAMES * sizeof(float));
  MrEngine* engine = engine_of(channels, 48000, BANDS, level);
  Random blocks = {channels};
  run_moving(engine, &in, &out, 77, true, 300, &blocks);
  for (uint32_t c = 1; c < channels; c++) assert_memory_equal(out.channel[c], out.channel[0], FRAMES * sizeof(float));
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
  for_levels_and_channels(splits_change_no_bit);
}

static void test_equal_channels(void** state) {
  (void)state;
  for_levels_and_channels(equal_channels_stay_equal);
}

static void test_layouts_and_streams(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 67; channels += 3) {
    Planar in = planar_noise(channels, 1000, 5), out = planar_new(channels, 1000);
    float* interleaved = calloc((size_t)channels * 1000, sizeof(float));
    double* wide = calloc((size_t)channels * 1000, sizeof(double));
    double** wide_channel = calloc(channels, sizeof(double*));
    for (uint32_t c = 0; c < channels; c++) {
      for (uint32_t f = 0; f < 1000; f++) {
        interleaved[(size_t)f * channels + c] = in.channel[c][f];
        wide[(size_t)c * 1000 + f] = (double)in.channel[c][f];
      }
      wide_channel[c] = wide + (size_t)c * 1000;
    }
    MrEngine* engine = engine_of(channels, 48000, 0, 0);
    assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, true)), MR_OK);
    run_blocks(engine, &in, &out, 0, 1000, 0, NULL);
    mr_engine_reset(engine);
    mr_engine_process_interleaved_f32(engine, interleaved, interleaved, 333);
    mr_engine_process_interleaved_f32(engine, interleaved + (size_t)333 * channels, interleaved + (size_t)333 * channels, 667);
    mr_engine_reset(engine);
    mr_engine_process_f64(engine, (const double* const*)wide_channel, wide_channel, 1000);
    for (uint32_t c = 0; c < channels; c++)
      for (uint32_t f = 0; f < 1000; f++) {
        assert_true(out.channel[c][f] == interleaved[(size_t)f * channels + c]);
        assert_true(out.channel[c][f] == (float)wide_channel[c][f]);
      }
    mr_engine_free(engine);
    free(interleaved);
    free(wide);
    free(wide_channel);
    planar_free(&in);
    planar_free(&out);
  }
}

/* Any permutation of shared buffers, in blocks, against separate ones; with and without routes and in bypass. */
static void check_aliasing(uint32_t channels, bool bands, bool bypass) {
  Planar in = planar_noise(channels, 700, 3), out = planar_new(channels, 700), shared = planar_new(channels, 700);
  MrEngine* engine = engine_of(channels, 48000, bands ? 2 : 0, 0);
  MrBand band[2] = {band_on_all(MR_PEAK, 500, 6, 2), band_on(channels / 2, MR_LOWPASS, 2000, 0, 0.7)};
  const MrBands two = {band, 2, false};
  if (bands)
    assert_int_equal(mr_engine_set_bands(engine, &two) + mr_engine_set_gain(engine, -1), MR_OK);
  else
    assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, true)), MR_OK);
  mr_engine_bypass(engine, bypass);
  run_blocks(engine, &in, &out, 0, 700, 0, NULL);
  mr_engine_reset(engine);
  memcpy(shared.samples, in.samples, (size_t)channels * 700 * sizeof(float));
  float** outputs = calloc(channels, sizeof(float*));
  for (uint32_t c = 0; c < channels; c++) outputs[c] = shared.channel[(c * 5 + 3) % channels]; /* 5 divides no count used here */
  const float** inputs = (const float**)shared.channel;
  mr_engine_process_f32(engine, inputs, outputs, 700);
  for (uint32_t c = 0; c < channels; c++) assert_memory_equal(outputs[c], out.channel[c], 700 * sizeof(float));
  mr_engine_free(engine);
  free(outputs);
  planar_free(&in);
  planar_free(&out);
  planar_free(&shared);
}

static void test_shared_buffers(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 3, 8, 9, 17, 64};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int kind = 0; kind < 4; kind++) check_aliasing(counts[i], kind & 1, kind & 2);
}

/* Inputs in read-only pages, everything flush against a page that cannot be touched, at every alignment of four bytes. */
static void test_guard_pages(void** state) {
  (void)state;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  enum { CHANNELS = 11 };
  const uint32_t lengths[] = {1, 3, 63, 64, 65, 200};
  float *in[CHANNELS], *out[CHANNELS];
  char *in_page[CHANNELS], *out_page[CHANNELS];
  for (uint32_t c = 0; c < CHANNELS; c++) {
    in_page[c] = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    out_page[c] = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(in_page[c] != MAP_FAILED && out_page[c] != MAP_FAILED);
    assert_int_equal(mprotect(in_page[c], page, PROT_NONE) | mprotect(in_page[c] + 2 * page, page, PROT_NONE), 0);
    assert_int_equal(mprotect(in_page[c] + page, page, PROT_READ), 0);
    assert_int_equal(mprotect(out_page[c], page, PROT_NONE) | mprotect(out_page[c] + 2 * page, page, PROT_NONE), 0);
  }
  MrEngine* engine = engine_of(CHANNELS, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(CHANNELS, 48000, true)), MR_OK);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int end = 0; end < 2; end++) {
      for (uint32_t c = 0; c < CHANNELS;
           c++) { /* at the page's end or at its begin, where the block is misaligned by its own length or not */
        in[c] = (float*)(void*)(in_page[c] + (end ? 2 * page - lengths[i] * sizeof(float) : page));
        out[c] = (float*)(void*)(out_page[c] + (end ? 2 * page - lengths[i] * sizeof(float) : page));
      }
      mr_engine_process_f32(engine, (const float* const*)in, out, lengths[i]);
      mr_engine_process_f32(engine, (const float* const*)in, out, 0);
    }
  mr_engine_free(engine);
  for (uint32_t c = 0; c < CHANNELS; c++) {
    munmap(in_page[c], 3 * page);
    munmap(out_page[c], 3 * page);
  }
}

/* A bank with routes, delays, a muted channel and filters, another one for every `kind`. */
static MrProgram* routed_program(uint32_t channels, uint32_t kind) {
  MrBank* bank = mr_bank_new(channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < channels; c++) {
    const MrTerm terms[2] = {{.source = (c + kind) % channels, .gain = 0.7}, {.source = channels - 1 - c, .gain = -0.4}};
    const MrDesign bell = design_of(MR_PEAK, 200.0 * (1 + c % 20), 6, 1 + kind);
    if (kind % 2 && c % 3) assert_int_equal(mr_bank_set_terms(bank, c, terms, 2), MR_OK);
    if ((c + kind) % 5) assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    bank->channel[c].delay_samples = c % 4 ? 0 : 30 * c + 100 * kind;
    bank->channel[c].muted = c == 2 && kind == 3;
  }
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

static MrProgram* varied_program(uint32_t channels, uint32_t kind) {
  MrProgram* program = routed_program(channels, kind);
  for (uint32_t i = 1; i < kind % 4; i++) assert_int_equal(mr_program_add_variant(program, routed_program(channels, kind + i)), MR_OK);
  return program;
}

/* Programs given, variants chosen, gains set, bypass and mute switched at fixed frames, into fades under way too. Layout 0: planar, apart; 1: planar, in place; 2:
   planar, outputs are inputs the other way round; 3: interleaved, in place. */
static void run_programs(uint32_t channels, const Planar* in, Planar* out, int layout, uint32_t largest) {
  const uint32_t event[] = {0, 500, 700, 1000, 1700, 2900, 2960, 4100, 4164, 5300, in->frames};
  MrEngine* engine = engine_of(channels, 48000, 0, 0);
  Random random = {largest};
  float* block = calloc((size_t)channels * in->frames, sizeof(float));
  float **input = calloc(channels, sizeof *input), **output = calloc(channels, sizeof *output);
  assert_true(block && input && output);
  for (uint32_t e = 0; e < EVENTS_OF_PROGRAMS; e++) {
    if (e % 2 == 0) assert_int_equal(mr_engine_give(engine, varied_program(channels, e / 2 + 1)), MR_OK);
    mr_engine_choose(engine, e % 3);
    assert_int_equal(mr_engine_set_gain(engine, e % 4 < 2 ? 0 : -2), MR_OK);
    mr_engine_bypass(engine, e == 5);
    mr_engine_mute(engine, e == 4 || e == 8);
    for (uint32_t at = event[e], n; at < event[e + 1]; at += n) {
      n = largest ? random_below(&random, largest + 1) : event[e + 1] - at;
      if (n > event[e + 1] - at) n = event[e + 1] - at;
      for (uint32_t c = 0; c < channels; c++) {
        input[c] = layout ? block + (size_t)c * n : in->channel[c] + at;
        output[c] = layout == 0 ? out->channel[c] + at : layout == 1 ? input[c] : block + (size_t)(channels - 1 - c) * n;
        for (uint32_t f = 0; layout && f < n; f++)
          block[layout == 3 ? (size_t)f * channels + c : (size_t)c * n + f] = in->channel[c][at + f];
      }
      if (layout == 3)
        mr_engine_process_interleaved_f32(engine, block, block, n);
      else
        mr_engine_process_f32(engine, (const float* const*)input, output, n);
      for (uint32_t c = 0; c < channels; c++)
        for (uint32_t f = 0; layout && f < n; f++) out->channel[c][at + f] = layout == 3 ? block[(size_t)f * channels + c] : output[c][f];
    }
  }
  assert_int_equal(mr_engine_troubles(engine), 0);
  mr_engine_free(engine);
  free(block);
  free(input);
  free(output);
}

static void test_programs_at_fixed_frames(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 3, 8, 17};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    Planar in = planar_noise(counts[i], FRAMES, 6), whole = planar_new(counts[i], FRAMES), split = planar_new(counts[i], FRAMES);
    run_programs(counts[i], &in, &whole, 0, 0);
    for (int layout = 0; layout < 4; layout++) {
      const uint32_t largest[] = {5, 64, 500, 0};
      for (int l = 0; l < 4; l++) {
        run_programs(counts[i], &in, &split, layout, largest[l]);
        assert_same_bits(&whole, &split);
      }
    }
    planar_free(&in);
    planar_free(&whole);
    planar_free(&split);
  }
}

static void test_reset_is_a_fresh_engine(void** state) {
  (void)state;
  Planar in = planar_noise(9, 3000, 1), fresh = planar_new(9, 3000), again = planar_new(9, 3000);
  MrEngine* engine = engine_of(9, 44100, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(9, 44100, true)), MR_OK);
  run_blocks(engine, &in, &fresh, 0, 3000, 0, NULL);
  for (int i = 0; i < 3; i++) {
    mr_engine_reset(engine);
    run_blocks(engine, &in, &again, 0, 3000, 0, NULL);
    assert_same_bits(&fresh, &again);
  }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&fresh);
  planar_free(&again);
}

static void test_drain_is_silent_input(void** state) {
  (void)state;
  Planar in = planar_noise(3, 500, 1), silence = planar_new(3, 500), out = planar_new(3, 500), drained = planar_new(3, 500);
  MrEngine* engine = engine_of(3, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, program_of(3, 48000, false)), MR_OK);
  run_blocks(engine, &in, &out, 0, 500, 0, NULL);
  mr_engine_drain_f32(engine, drained.channel, 500);
  mr_engine_reset(engine);
  run_blocks(engine, &in, &out, 0, 500, 0, NULL);
  run_blocks(engine, &silence, &out, 0, 500, 0, NULL);
  assert_same_bits(&out, &drained);
  assert_true(drained.channel[0][0] != 0);
  double samples[3][500], *wide[3] = {samples[0], samples[1], samples[2]};
  float interleaved[500 * 3];
  double wide_interleaved[500 * 3];
  for (int layout = 0; layout < 3; layout++) { /* the other three drain the same */
    mr_engine_reset(engine);
    run_blocks(engine, &in, &out, 0, 500, 0, NULL);
    if (layout == 0) mr_engine_drain_f64(engine, wide, 500);
    if (layout == 1) mr_engine_drain_interleaved_f32(engine, interleaved, 500);
    if (layout == 2) mr_engine_drain_interleaved_f64(engine, wide_interleaved, 500);
  }
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t f = 0; f < 500; f++) {
      assert_true((float)wide[c][f] == drained.channel[c][f]);
      assert_true(interleaved[f * 3 + c] == drained.channel[c][f]);
      assert_true((float)wide_interleaved[f * 3 + c] == drained.channel[c][f]);
    }
  mr_engine_free(engine);
  planar_free(&in);
  planar_free(&silence);
  planar_free(&out);
  planar_free(&drained);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_splits),          cmocka_unit_test(test_equal_channels),
      cmocka_unit_test(test_layouts_and_streams),   cmocka_unit_test(test_shared_buffers),
      cmocka_unit_test(test_guard_pages),           cmocka_unit_test(test_reset_is_a_fresh_engine),
      cmocka_unit_test(test_drain_is_silent_input), cmocka_unit_test(test_programs_at_fixed_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
