/* The renderer: segments of the stream side by side are the stream, whatever the chunks; or, on request, an engine's bits.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

/* A bank with unlike filters, and on request routes, delays, a muted channel and gains. */
static MrBank* bank_of(uint32_t channels, bool all) {
  MrBank* bank = mr_bank_new(channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < channels; c++) {
    MrDesign high = design_of(MR_BUTTERWORTH, 80 + 10 * c, 0, 1), bell = design_of(MR_PEAK, 300 * (1 + c), 6, 4);
    high.response = MR_RESPONSE_HP;
    high.order = 7;
    assert_int_equal(mr_bank_add_filter(bank, c, &high), MR_OK);
    assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    if (!all) continue;
    const MrTerm term[2] = {{.source = (c + 1) % channels, .gain = 0.5}, {.source = c, .gain = -3, .is_db = true, .inverted = true}};
    assert_int_equal(mr_bank_set_terms(bank, c, term, 2), MR_OK);
    bank->channel[c].delay_samples = 100 * c;
    bank->channel[c].preamp_db = -1.5 * c;
  }
  if (all && channels > 2) bank->channel[2].muted = true;
  return bank;
}

static MrProgram* compile(const MrBank* bank, double fs) {
  MrStatus status;
  MrProgram* program = mr_program_new(bank, fs, NULL, &status);
  assert_int_equal(status, MR_OK);
  return program;
}

static MrRenderer* renderer_of(const MrBank* bank, double fs, bool realtime) {
  const MrRendererOptions options = {.engine = {.channels = bank->channels, .fs = fs}, .wide = true, .realtime_kernels = realtime};
  MrStatus status;
  MrRenderer* renderer = mr_renderer_new(&options, compile(bank, fs), &status);
  assert_int_equal(status, MR_OK);
  return renderer;
}

/* Interleaved noise. */
static double* noise_of(uint32_t channels, uint32_t frames) {
  Random random = {frames};
  double* x = malloc((size_t)channels * frames * sizeof *x);
  assert_non_null(x);
  for (size_t i = 0; i < (size_t)channels * frames; i++) x[i] = random_between(&random, -1, 1);
  return x;
}

static double* through_engine(const MrBank* bank, double fs, const double* x, uint32_t frames) {
  MrStatus status;
  const MrEngineOptions options = {.channels = bank->channels, .fs = fs};
  MrEngine* engine = mr_engine_new(&options, &status);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, compile(bank, fs)), MR_OK);
  double* y = malloc((size_t)bank->channels * frames * sizeof *y);
  assert_non_null(y);
  mr_engine_process_interleaved_f64(engine, x, y, frames);
  mr_engine_free(engine);
  return y;
}

/* In calls of so many chunks; the last one is what is left. */
static double* through_renderer(MrRenderer* renderer, uint32_t channels, const double* x, uint32_t frames, uint32_t chunks) {
  const uint32_t chunk = mr_renderer_chunk(renderer) * chunks;
  double* y = malloc((size_t)channels * frames * sizeof *y);
  assert_non_null(y);
  memcpy(y, x, (size_t)channels * frames * sizeof *y);
  for (uint32_t f = 0; f < frames; f += chunk) {
    double* at = y + (size_t)f * channels;
    assert_int_equal(mr_renderer_process(renderer, at, at, frames - f < chunk ? frames - f : chunk), MR_OK);
  }
  return y;
}

static double difference(const double* a, const double* b, size_t n) {
  double most = 0, peak = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    peak = fmax(peak, fabs(a[i]));
  }
  return most / peak;
}

static void segments_are_the_stream(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 5; channels++) {
    for (int all = 0; all < 2; all++) {
      MrBank* bank = bank_of(channels, all);
      MrRenderer *one = renderer_of(bank, 48000, false), *two = renderer_of(bank, 48000, false);
      const MrPlan plan = mr_renderer_plan(one);
      /* one or two channels by themselves are run in blocks; with routes, segments fill the lanes; more channels fill them well enough */
      const bool blocks = channels <= 2 && !all, whole = !blocks && channels > 2;
      assert_int_equal(plan.blocks, blocks ? 64 : 0);
      assert_int_equal(plan.segments, blocks || whole ? 1 : plan.lanes / channels);
      assert_int_equal(mr_renderer_chunk(one), blocks ? 4096 : plan.segments * plan.segment_frames + whole);
      /* two chunks and a part that ends in the third segment, or in the first */
      const uint32_t chunk = whole ? 5000 : mr_renderer_chunk(one);
      const uint32_t frames = 2 * chunk + (all ? 777 : plan.segments > 2 ? 2 * plan.segment_frames + 333 : 333);
      double* x = noise_of(channels, frames);
      double *want = through_engine(bank, 48000, x, frames), *got = through_renderer(one, channels, x, frames, 1);
      double* again = through_renderer(two, channels, x, frames, whole ? 999 : 2);
      assert_true(difference(want, got, (size_t)frames * channels) < (whole ? 0x1p-1000 : 1e-13));
      assert_memory_equal(got, again, (size_t)frames * channels * sizeof *got);
      free(x);
      free(want);
      free(got);
      free(again);
      mr_renderer_free(one);
      mr_renderer_free(two);
      mr_bank_free(bank);
    }
  }
}

static void real_time_kernels_give_the_engines_bits(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 3; channels++) {
    MrBank* bank = bank_of(channels, true);
    MrRenderer* renderer = renderer_of(bank, 48000, true);
    assert_int_equal(mr_renderer_plan(renderer).segments, 1);
    assert_int_equal(mr_renderer_chunk(renderer), 1);
    const uint32_t frames = 100000;
    double* x = noise_of(channels, frames);
    double *want = through_engine(bank, 48000, x, frames), *got = through_renderer(renderer, channels, x, frames, 777);
    assert_memory_equal(got, want, (size_t)frames * channels * sizeof *got);
    free(x);
    free(want);
    free(got);
    mr_renderer_free(renderer);
    mr_bank_free(bank);
  }
}

/* Filters that do not forget within a segment, and banks that have none, are run as they are. */
static void slow_filters_have_no_segments(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(2);
  MrDesign slow = design_of(MR_PEAK, 1, 6, 30);
  MrRenderer* renderer = renderer_of(bank, 48000, false);
  assert_int_equal(mr_renderer_chunk(renderer), 1);
  mr_renderer_free(renderer);
  assert_int_equal(mr_bank_add_filter(bank, 0, &slow), MR_OK);
  renderer = renderer_of(bank, 48000, false);
  assert_int_equal(mr_renderer_plan(renderer).blocks, 64); /* which asks for no forgetting */
  mr_renderer_free(renderer);
  bank->channel[1].delay_samples = 1;
  renderer = renderer_of(bank, 48000, false);
  assert_int_equal(mr_renderer_chunk(renderer), 1);
  mr_renderer_free(renderer);
  mr_bank_free(bank);
}

/* A poisoned sample costs its cell, is counted once, and is forgotten. */
static void poison_is_counted_once(void** state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t channels = 1 + i % 2;
    MrBank* bank = bank_of(channels, false);
    const uint32_t delay = i / 2; /* behind the filters; with it, in segments */
    bank->channel[0].delay_samples = delay;
    MrRenderer* renderer = renderer_of(bank, 48000, false);
    const MrPlan plan = mr_renderer_plan(renderer);
    assert_true(delay ? plan.segments > 1 : plan.blocks > 0);
    const uint32_t frames = 2 * mr_renderer_chunk(renderer);
    double* x = noise_of(channels, frames);
    const uint32_t bad = plan.blocks ? 4000 : 2 * plan.segment_frames - 100; /* in what the next segment begins with */
    x[channels * bad] = channels == 1 ? 0x1p60 : NAN;
    double* y = through_renderer(renderer, channels, x, frames, 1);
    assert_int_equal(mr_renderer_troubles(renderer), 1);
    double* want = through_engine(bank, 48000, x, frames);
    const uint32_t end = (bad / MR_CELL + 1) * MR_CELL + delay; /* of the cell */
    for (uint32_t n = 0; n < frames * channels; n++)
      if (n % channels || n / channels < bad || n / channels >= end) assert_true(fabs(y[n] - want[n]) < 1e-12);
    free(x);
    free(y);
    free(want);
    mr_renderer_free(renderer);
    mr_bank_free(bank);
  }
}

/* A large sample is not poison while the cell's last output is small, as in an engine; and poison of the last, partial cell is not yet found. */
static void poison_is_an_engines(void** state) {
  (void)state;
  MrBank* bank = bank_of(1, false);
  const uint32_t frames = 3 * 4096 + 40, places[] = {64, 100, 4095, 4096, 3 * 4096 + 20};
  const double values[] = {2e15, 1e16, 1e300, INFINITY, NAN};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      MrRenderer* renderer = renderer_of(bank, 48000, false);
      double* x = noise_of(1, frames);
      x[places[i]] = values[v];
      double *got = through_renderer(renderer, 1, x, frames, 1), *want = through_engine(bank, 48000, x, frames);
      double peak = 1; /* of what is not poison, around it */
      for (uint32_t f = 0; f < frames; f++) {
        if (!isfinite(want[f]) || fabs(want[f]) > 1e17) continue;
        peak = fmax(peak, fabs(want[f]));
      }
      for (uint32_t f = 0; f < frames; f++) {
        const bool odd = !isfinite(want[f]) || fabs(want[f]) > 1e17;
        assert_true(odd ? !isfinite(got[f]) || fabs(got[f]) > 1e16 : fabs(got[f] - want[f]) <= 1e-12 * peak);
      }
      free(x);
      free(got);
      free(want);
      mr_renderer_free(renderer);
    }
  mr_bank_free(bank);
}

/* After sound, zeros in the end, and a new sound as if there had been none before. */
static void silence_becomes_zero(void** state) {
  (void)state;
  MrBank* bank = bank_of(1, false);
  MrRenderer *renderer = renderer_of(bank, 48000, false), *fresh = renderer_of(bank, 48000, false);
  const uint32_t frames = 40 * mr_renderer_chunk(renderer), sound = mr_renderer_chunk(renderer);
  double* x = noise_of(1, frames);
  memset(x + sound, 0, (frames - sound) * sizeof *x);
  double* y = through_renderer(renderer, 1, x, frames, 1);
  for (uint32_t f = frames - 2 * sound; f < frames; f++) assert_true(y[f] == 0);
  double *again = through_renderer(renderer, 1, x, sound, 1), *first = through_renderer(fresh, 1, x, sound, 1);
  assert_memory_equal(again, first, sound * sizeof *first);
  free(x);
  free(y);
  free(again);
  free(first);
  mr_renderer_free(renderer);
  mr_renderer_free(fresh);
  mr_bank_free(bank);
}

static MrRenderer* fast_renderer_of(const MrBank* bank, bool wide) {
  const MrRendererOptions options = {.engine = {.channels = bank->channels, .fs = 48000, .precision = MR_PRECISION_FAST}, .wide = wide};
  MrStatus status;
  MrRenderer* renderer = mr_renderer_new(&options, compile(bank, 48000), &status);
  assert_int_equal(status, MR_OK);
  return renderer;
}

/* In float32 arithmetic, up to four channels: what it may differ, and not only from this product's other arithmetic; the same in any chunks, in place,
   and from float32 samples to float32 samples. */
static void fast_blocks_are_the_stream(void** state) {
  (void)state;
  for (uint32_t channels = 1; channels <= 5; channels++) {
    MrBank* bank = bank_of(channels, false);
    MrRenderer *renderer = fast_renderer_of(bank, true), *two = fast_renderer_of(bank, true), *narrow = fast_renderer_of(bank, false);
    assert_int_equal(mr_renderer_plan(renderer).blocks, channels <= 4 ? 64 : 0);
    const uint32_t frames = 3 * 4096 + 1500;
    const size_t n = (size_t)frames * channels;
    double* x = noise_of(channels, frames);
    float *single = malloc(n * sizeof *single), *out = malloc(n * sizeof *out);
    assert_true(single && out);
    for (size_t i = 0; i < n; i++) x[i] = single[i] = (float)x[i];
    double *want = through_engine(bank, 48000, x, frames),
           *got = through_renderer(renderer, channels, x, frames, channels <= 4 ? 1 : frames);
    const double error = difference(want, got, n);
    assert_true(error < 1e-5 && error > 1e-9);
    double* again = through_renderer(two, channels, x, frames, channels <= 4 ? 2 : 777);
    assert_memory_equal(got, again, n * sizeof *got);
    assert_int_equal(mr_renderer_process(narrow, single, out, frames), MR_OK);
    for (size_t i = 0; i < n; i++) assert_true((double)out[i] == got[i]);
    free(x);
    free(single);
    free(out);
    free(want);
    free(got);
    free(again);
    mr_renderer_free(renderer);
    mr_renderer_free(two);
    mr_renderer_free(narrow);
    mr_bank_free(bank);
  }
}

/* Channels without filters beside others that have some pass as they are, but for their gain. */
static void channels_without_filters_pass(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(4);
  const MrDesign bell = design_of(MR_PEAK, 300, 6, 4);
  assert_int_equal(mr_bank_add_filter(bank, 2, &bell), MR_OK);
  bank->channel[3].preamp_db = 20 * log10(0.5);
  MrRenderer* renderer = fast_renderer_of(bank, true);
  assert_int_equal(mr_renderer_plan(renderer).blocks, 64);
  const uint32_t frames = 4096 + 2000;
  double* x = noise_of(4, frames);
  double* y = through_renderer(renderer, 4, x, frames, 1);
  double most = 0;
  for (uint32_t f = 0; f < frames; f++) {
    const double *from = x + 4 * (size_t)f, *to = y + 4 * (size_t)f;
    assert_true(to[0] == (double)(float)from[0] && to[1] == (double)(float)from[1]);
    assert_true(to[3] == 0.5 * (double)(float)from[3]);
    most = fmax(most, fabs(to[2] - from[2]));
  }
  assert_true(most > 0.1);
  free(x);
  free(y);
  mr_renderer_free(renderer);
  mr_bank_free(bank);
}

static void wrong_use_is_refused(void** state) {
  (void)state;
  MrBank* bank = bank_of(2, false);
  MrRenderer* renderer = renderer_of(bank, 48000, false);
  double x[200] = {0};
  assert_int_equal(mr_renderer_process(renderer, x, x, 0), MR_OK);
  assert_int_equal(mr_renderer_process(renderer, x, x, 100), MR_OK);
  x[0] = 5;
  assert_int_equal(mr_renderer_process(renderer, x, x, 100), MR_ERR_ARGUMENT);
  assert_true(x[0] == 5);
  mr_renderer_free(renderer);
  const MrRendererOptions three = {.engine = {.channels = 3, .fs = 48000}};
  MrStatus status = MR_OK;
  assert_null(mr_renderer_new(&three, compile(bank, 48000), &status));
  assert_int_equal(status, MR_ERR_CHANNELS);
  const MrRendererOptions slower = {.engine = {.channels = 2, .fs = 44100}};
  assert_null(mr_renderer_new(&slower, compile(bank, 48000), &status));
  assert_int_equal(status, MR_ERR_RATE);
  mr_renderer_free(NULL);
  mr_bank_free(bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_are_the_stream),       cmocka_unit_test(real_time_kernels_give_the_engines_bits),
      cmocka_unit_test(slow_filters_have_no_segments), cmocka_unit_test(poison_is_counted_once),
      cmocka_unit_test(poison_is_an_engines),          cmocka_unit_test(silence_becomes_zero),
      cmocka_unit_test(fast_blocks_are_the_stream),    cmocka_unit_test(wrong_use_is_refused),
      cmocka_unit_test(channels_without_filters_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
