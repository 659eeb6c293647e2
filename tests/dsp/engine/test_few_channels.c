/* Runs of few channels over several cells: the bits and the troubles are those of the same cells one by one, on every level.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

enum { MOST_CHANNELS = 9, FRAMES = 4096 + 4096 + 1000, RUN = 1024 };

static const MrCpuLevel levels[] = {MR_CPU_REFERENCE, MR_CPU_REFERENCE_NOFMA, MR_CPU_SSE2, MR_CPU_AVX2, MR_CPU_AVX512, MR_CPU_NEON};
#define LEVELS (sizeof levels / sizeof *levels)

static const MrPrecision precisions[] = {MR_PRECISION_DOUBLE, MR_PRECISION_FAST};

static bool unfused(MrCpuLevel level) { return level == MR_CPU_REFERENCE_NOFMA || level == MR_CPU_SSE2; }

/* Costs by which few channels are always run so, or never. */
static MrCosts costs_of(bool wanted) {
  MrCosts costs = mr_costs_estimate(MR_CPU_AVX2);
  costs.step_fixed = wanted ? 0 : 1e9;
  if (wanted) costs.step_vector = costs.chain_fixed = costs.chain_vector = costs.few_run = costs.few_sample = 0;
  return costs;
}

/* NULL where this machine lacks the level. */
static MrEngine* engine_at(MrCpuLevel level, uint32_t channels, MrPrecision precision, bool wanted) {
  const MrCosts costs = costs_of(wanted);
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .cpu_level = level, .costs = &costs, .precision = precision};
  MrEngine* engine = mr_engine_new(&options, NULL);
  if (!engine) return NULL;
  assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, true)), MR_OK);
  if (level == MR_CPU_AVX2) /* a float64 vector has 4 lanes, a float32 one 8 */
    assert_int_equal(mr_engine_plan(engine).chains, !wanted ? 0 : precision ? channels % 8 : channels % 4);
  return engine;
}

/* All channels' samples, one after another. */
typedef struct Wide {
  double x[MOST_CHANNELS][FRAMES];
} Wide;

static void run(MrEngine* engine, uint32_t channels, const Wide* in, Wide* out, uint32_t from, uint32_t n) {
  const double* input[MOST_CHANNELS];
  double* output[MOST_CHANNELS];
  for (uint32_t c = 0; c < channels; c++) {
    input[c] = in->x[c] + from;
    output[c] = out->x[c] + from;
  }
  mr_engine_process_f64(engine, input, output, n);
}

/* In blocks of `length` frames, or of random lengths up to -length. */
static void run_all(MrEngine* engine, uint32_t channels, const Wide* in, Wide* out, uint32_t frames, int length) {
  Random random = {(uint64_t)channels};
  for (uint32_t f = 0, n; f < frames; f += n) {
    n = length < 0 ? random_below(&random, (uint32_t)-length + 1) : (uint32_t)length;
    if (n > frames - f) n = frames - f;
    run(engine, channels, in, out, f, n);
  }
}

static bool same_number(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

/* Which of two NaN is passed on is left open. */
static void assert_same(const Wide* a, const Wide* b, uint32_t channels, uint32_t frames) {
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t f = 0; f < frames; f++)
      if (!same_number(a->x[c][f], b->x[c][f])) fail_msg("channel %u, frame %u: %a, not %a", c, f, a->x[c][f], b->x[c][f]);
}

static void noise(Wide* wide, uint64_t seed) {
  Random random = {seed};
  for (uint32_t c = 0; c < MOST_CHANNELS; c++)
    for (uint32_t f = 0; f < FRAMES; f++) wide->x[c][f] = random_between(&random, -0.5, 0.5);
}

static Wide in, expected, out;

/* What the reference of a class makes of the input, cell by cell. */
static uint64_t run_reference(MrCpuLevel level, uint32_t channels, MrPrecision precision, uint32_t frames) {
  MrEngine* engine = engine_at(unfused(level) ? MR_CPU_REFERENCE_NOFMA : MR_CPU_REFERENCE, channels, precision, false);
  assert_non_null(engine);
  run_all(engine, channels, &in, &expected, frames, MR_CELL);
  const uint64_t troubles = mr_engine_troubles(engine);
  mr_engine_free(engine);
  return troubles;
}

static void test_blocks_across_runs(void** state) {
  (void)state;
  const int lengths[] = {FRAMES, 1024, 1000, 480, 128, MR_CELL, -100, -700, -3000};
  noise(&in, 1);
  for (size_t i = 0; i < LEVELS; i++)
    for (uint32_t kind = 2; kind < 2 * MOST_CHANNELS + 2; kind++) {
      const uint32_t channels = kind / 2;
      MrEngine* engine = engine_at(levels[i], channels, precisions[kind % 2], true);
      if (!engine) break;
      run_reference(levels[i], channels, precisions[kind % 2], FRAMES);
      for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
        mr_engine_reset(engine);
        run_all(engine, channels, &in, &out, FRAMES, lengths[j]);
        assert_same(&out, &expected, channels, FRAMES);
      }
      mr_engine_free(engine);
    }
}

/* Poison in any cell of a run, first, inner or last frame, in any channel; and again some cells on. */
static void test_trouble_in_every_cell(void** state) {
  (void)state;
  const double poisons[] = {NAN, INFINITY, 1e300, -1e30};
  for (size_t i = 0; i < LEVELS; i++)
    for (uint32_t kind = 2; kind < 16; kind++) {
      const uint32_t channels = kind / 2;
      MrEngine* engine = engine_at(levels[i], channels, precisions[kind % 2], true);
      if (!engine) break;
      MrEngine* cells = engine_at(levels[i], channels, precisions[kind % 2], false);
      for (uint32_t cell = 0; cell < RUN / MR_CELL; cell++) {
        const uint32_t place[] = {0, 17, MR_CELL - 1}, victim = cell % channels, frames = RUN + 3 * MR_CELL + 7;
        noise(&in, cell);
        in.x[victim][cell * MR_CELL + place[cell % 3]] = poisons[cell / 3 % 4];
        if (cell % 2) in.x[(victim + 1) % channels][(cell + 3) * MR_CELL + 5] = poisons[cell % 4];
        const uint64_t troubles = run_reference(levels[i], channels, precisions[kind % 2], frames);
        assert_true(troubles >= 1);
        for (uint32_t way = 0; way < 3; way++) {
          MrEngine* other = way == 2 ? cells : engine;
          const uint64_t before = mr_engine_troubles(other);
          mr_engine_reset(other);
          run_all(other, channels, &in, &out, frames, way == 1 ? -900 : way == 2 ? (int)MR_CELL : (int)frames);
          assert_same(&out, &expected, channels, frames);
          assert_int_equal(mr_engine_troubles(other) - before, troubles);
        }
      }
      mr_engine_free(engine);
      mr_engine_free(cells);
    }
}

/* A channel falls silent at a look, every 4096 frames, whichever block that lies in. */
static void test_silence_at_the_same_frame(void** state) {
  (void)state;
  memset(&in, 0, sizeof in);
  for (uint32_t f = 0; f < 700; f++) in.x[0][f] = in.x[1][f] = sin(0.1 * f);
  for (uint32_t f = 700; f < FRAMES; f++) in.x[1][f] = 1e-3 * sin(0.3 * f); /* not this one */
  for (size_t i = 0; i < LEVELS; i++) {
    const int lengths[] = {MR_CELL, FRAMES, 1024, 3000, -1500};
    for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
      const MrCosts costs = costs_of(true);
      const MrEngineOptions options = {.channels = 2, .fs = 48000, .cpu_level = levels[i], .costs = &costs};
      MrEngine* engine = mr_engine_new(&options, NULL);
      if (!engine) break;
      MrBank* bank = mr_bank_new(2);
      for (uint32_t c = 0; c < 2; c++)
        for (uint32_t k = 0; k < 5; k++) {
          const MrDesign bell = design_of(MR_PEAK, 3000 + 500 * k, 3, 2);
          assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
        }
      assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
      mr_bank_free(bank);
      run_all(engine, 2, &in, &out, FRAMES, lengths[j]);
      mr_engine_free(engine);
      assert_true(out.x[0][4000] != 0 && fabs(out.x[0][4000]) < 1e-30);
      for (uint32_t f = 4096; f < FRAMES; f++) assert_true(out.x[0][f] == 0);
      assert_true(out.x[0][4095] != 0 && out.x[1][4096] != 0);
    }
  }
}

/* Every layout, in place too, and what drains. */
static void test_layouts_of_a_run(void** state) {
  (void)state;
  enum { N = 2000 };
  static float planar[MOST_CHANNELS][N], interleaved[MOST_CHANNELS * N], drained[MOST_CHANNELS][N];
  static double wide[MOST_CHANNELS * N];
  noise(&in, 3);
  for (uint32_t kind = 2; kind < 2 * MOST_CHANNELS + 2; kind++) {
    const uint32_t channels = kind / 2;
    MrEngine *engine = engine_at((MrCpuLevel)0, channels, precisions[kind % 2], true),
             *cells = engine_at((MrCpuLevel)0, channels, precisions[kind % 2], false);
    float* channel[MOST_CHANNELS];
    float* rest[MOST_CHANNELS];
    for (uint32_t c = 0; c < channels; c++) {
      channel[c] = planar[c];
      rest[c] = drained[c];
      for (uint32_t f = 0; f < FRAMES; f++) in.x[c][f] = (float)in.x[c][f];
      for (uint32_t f = 0; f < N; f++) wide[f * channels + c] = planar[c][f] = interleaved[f * channels + c] = (float)in.x[c][f];
    }
    run_all(cells, channels, &in, &expected, N, MR_CELL);
    mr_engine_process_f32(engine, (const float* const*)channel, channel, N);
    mr_engine_drain_f32(engine, rest, N);
    mr_engine_reset(engine);
    mr_engine_process_interleaved_f32(engine, interleaved, interleaved, N);
    mr_engine_reset(engine);
    mr_engine_process_interleaved_f64(engine, wide, wide, N);
    for (uint32_t c = 0; c < channels; c++)
      for (uint32_t f = 0; f < N; f++) {
        assert_true(planar[c][f] == (float)expected.x[c][f] && interleaved[f * channels + c] == planar[c][f]);
        assert_true(wide[f * channels + c] == expected.x[c][f]);
      }
    for (uint32_t c = 0; c < channels; c++) memset(in.x[c], 0, sizeof in.x[c]);
    run_all(cells, channels, &in, &expected, N, MR_CELL);
    for (uint32_t c = 0; c < channels; c++)
      for (uint32_t f = 0; f < N; f++) assert_true(drained[c][f] == (float)expected.x[c][f]);
    assert_true(drained[0][0] != 0);
    noise(&in, 3);
    mr_engine_free(engine);
    mr_engine_free(cells);
  }
}

/* Bands that move and rest, with an output gain, and mid and side for two channels: only what rests is run so. */
static void test_bands_at_rest(void** state) {
  (void)state;
  noise(&in, 5);
  const MrCosts always = costs_of(true), never = costs_of(false);
  for (uint32_t channels = 1; channels <= 4; channels++) {
    Wide* result[] = {&expected, &out};
    for (uint32_t way = 0; way < 2; way++) {
      const MrEngineOptions options = {.channels = channels, .fs = 48000, .max_bands = 4, .costs = way ? &always : &never};
      MrEngine* engine = mr_engine_new(&options, NULL);
      assert_non_null(engine);
      MrBand band[4] = {band_on_all(MR_PEAK, 500, 6, 2), band_on(0, MR_LOWSHELF, 200, 3, 0.7), band_on_all(MR_PEAK, 5000, -3, 1),
                        band_on_all(MR_PEAK, 9000, -3, 1)};
      mr_engine_set_gain(engine, -3);
      const uint32_t event[] = {0, 2100, 5000, FRAMES};
      for (uint32_t e = 0; e < 3; e++) {
        band[0].design.gain_db = e ? -6 : 6;
        if (e == 2) mr_engine_set_gain(engine, 2);
        const MrBands bands = {band, 4, channels == 2 && e > 0};
        assert_int_equal(mr_engine_set_bands(engine, &bands), MR_OK);
        for (uint32_t f = event[e], n; f < event[e + 1]; f += n) {
          n = event[e + 1] - f < (way ? 1024 : MR_CELL) ? event[e + 1] - f : way ? 1024 : MR_CELL;
          run(engine, channels, &in, result[way], f, n);
        }
      }
      mr_engine_free(engine);
    }
    assert_same(&out, &expected, channels, FRAMES);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_across_runs),
      cmocka_unit_test(test_trouble_in_every_cell),
      cmocka_unit_test(test_silence_at_the_same_frame),
      cmocka_unit_test(test_layouts_of_a_run),
      cmocka_unit_test(test_bands_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
