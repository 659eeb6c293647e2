/* A renderer's threads: the same bits for any number of them and any grain, in every way to render, also where samples are no numbers.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>
#include <stdio.h>

#include "dsp/threads/flow.h"

/* One way to render: what the bank has in it and what the options ask for. */
typedef struct Way {
  const char* name;
  uint32_t channels, sections;
  double low; /* Hz: where the filters begin */
  bool routes, delays;
  MrPrecision precision;
  bool realtime;
  uint32_t frames;
} Way;

static const Way ways[] = {
    {"multi-block, one channel", 1, 9, 60, false, false, MR_PRECISION_DOUBLE, false, 100000},
    {"multi-block, two channels", 2, 5, 60, false, false, MR_PRECISION_DOUBLE, false, 70000},
    {"multi-block, float32", 1, 8, 900, false, false, MR_PRECISION_FAST, false, 110000},
    {"multi-block, float32, three channels", 3, 3, 900, false, false, MR_PRECISION_FAST, false, 90000},
    {"multi-block, one section", 1, 1, 500, false, false, MR_PRECISION_DOUBLE, false, 300000},
    {"multi-block, float32, two channels of three sections", 2, 3, 900, false, false, MR_PRECISION_FAST, false, 200000},
    {"multi-block, one section that rings", 1, 1, 3, false, false, MR_PRECISION_DOUBLE, false, 80000},
    {"segments, one channel with a delay", 1, 4, 900, true, true, MR_PRECISION_DOUBLE, false, 200000},
    {"segments, two channels with routes", 2, 3, 900, true, false, MR_PRECISION_DOUBLE, false, 150000},
    {"tiles", 29, 4, 60, false, false, MR_PRECISION_DOUBLE, false, 20000},
    {"tiles with routes", 29, 4, 60, true, false, MR_PRECISION_DOUBLE, false, 20000},
    {"tiles with routes and delays", 17, 3, 60, true, true, MR_PRECISION_DOUBLE, false, 20000},
    {"one tile", 7, 6, 60, false, false, MR_PRECISION_DOUBLE, false, 50000},
    {"one tile with routes and delays", 8, 6, 60, true, true, MR_PRECISION_DOUBLE, false, 50000},
    {"real-time kernels, one channel", 1, 8, 60, false, false, MR_PRECISION_DOUBLE, true, 50000},
    {"real-time kernels, two channels, delays", 2, 5, 60, false, true, MR_PRECISION_DOUBLE, true, 50000},
    {"tiles, float32", 37, 4, 900, false, false, MR_PRECISION_FAST, false, 20000},
    {"one tile with routes and delays, float32", 11, 5, 900, true, true, MR_PRECISION_FAST, false, 30000},
    {"one tile, float32", 5, 7, 900, false, false, MR_PRECISION_FAST, false, 50000},
};
#define WAYS (sizeof ways / sizeof ways[0])

/* Filters of every channel differ in number and kind. */
static MrProgram* program_for(const Way* way) {
  MrBank* bank = mr_bank_new(way->channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < way->channels; c++) {
    const uint32_t sections = way->sections > 1 && c % 3 == 2 ? way->sections - 1 : way->sections;
    for (uint32_t i = 0; i < sections; i++) {
      MrDesign design = design_of(i % 4 == 3 ? MR_HIGHSHELF : MR_PEAK, way->low * pow(1.7, i % 6) * (1 + 0.03 * c), i % 2 ? -4 : 5, 1.5);
      if (i == 0) design = design_of(MR_HIGHPASS, way->low, 0, 0.7);
      assert_int_equal(mr_bank_add_filter(bank, c, &design), MR_OK);
    }
    if (way->delays) bank->channel[c].delay_samples = 37 * c;
    if (!way->routes) continue;
    const MrTerm term[2] = {{.source = (c + 1) % way->channels, .gain = 0.5}, {.source = c, .gain = -3, .is_db = true, .inverted = true}};
    assert_int_equal(mr_bank_set_terms(bank, c, term, 2), MR_OK);
  }
  MrStatus status;
  MrProgram* program = mr_program_new(bank, 48000, NULL, &status);
  assert_int_equal(status, MR_OK);
  mr_bank_free(bank);
  return program;
}

static MrRenderer* renderer_for(const Way* way, bool wide, uint32_t threads, uint32_t grain, uint32_t stages) {
  const MrRendererOptions options = {.engine = {.channels = way->channels, .fs = 48000, .precision = way->precision},
                                     .wide = wide,
                                     .realtime_kernels = way->realtime,
                                     .threads = threads,
                                     .grain = grain,
                                     .stages = stages};
  MrStatus status;
  MrRenderer* renderer = mr_renderer_new(&options, program_for(way), &status);
  assert_int_equal(status, MR_OK);
  return renderer;
}

typedef struct Stream {
  bool wide;
  uint32_t channels, frames;
  size_t bytes;
  void* samples;
} Stream;

static void put(const Stream* s, size_t i, double value) {
  if (s->wide)
    ((double*)s->samples)[i] = value;
  else
    ((float*)s->samples)[i] = (float)value;
}

/* Noise; then silence long enough for filters to fall silent, and noise again. Poison: so many samples that are no numbers, or too large ones, at
   random places of the noise. */
static Stream stream_of(const Way* way, bool wide, uint32_t poison) {
  Stream s = {.wide = wide, .channels = way->channels, .frames = way->frames};
  s.bytes = (size_t)s.frames * s.channels * (wide ? sizeof(double) : sizeof(float));
  s.samples = calloc(1, s.bytes);
  assert_non_null(s.samples);
  Random random = {way->frames + poison};
  for (uint32_t f = 0; f < s.frames; f++)
    for (uint32_t c = 0; c < s.channels; c++)
      if (f < s.frames / 3 || f > s.frames / 5 * 4) put(&s, (size_t)f * s.channels + c, random_between(&random, -1, 1));
  static const double values[] = {NAN, INFINITY, -INFINITY, 1e30, 3e38};
  for (uint32_t i = 0; i < poison; i++)
    put(&s, (size_t)random_below(&random, s.frames) * s.channels + random_below(&random, s.channels), values[random_below(&random, 5)]);
  return s;
}

typedef struct Rendered {
  void* samples;
  uint64_t troubles;
  MrPlan plan;
} Rendered;

/* In calls of `call` frames, or of random numbers of chunks where it is 0; in place on request. */
static Rendered render(const Way* way, const Stream* in, uint32_t threads, uint32_t grain, uint32_t stages, uint32_t call, bool in_place) {
  MrRenderer* renderer = renderer_for(way, in->wide, threads, grain, stages);
  const uint32_t chunk = mr_renderer_chunk(renderer);
  const size_t frame = in->bytes / in->frames;
  Rendered r = {.samples = malloc(in->bytes), .plan = mr_renderer_plan(renderer)};
  assert_non_null(r.samples);
  if (in_place) memcpy(r.samples, in->samples, in->bytes);
  Random random = {threads + 7 * grain};
  for (uint32_t f = 0, n; f < in->frames; f += n) {
    n = call ? call : chunk > 1 ? chunk * (1 + random_below(&random, 20)) : 1 + random_below(&random, 50000);
    n = (n + chunk - 1) / chunk * chunk;
    if (n > in->frames - f) n = in->frames - f;
    char* out = (char*)r.samples + f * frame;
    assert_int_equal(mr_renderer_process(renderer, in_place ? out : (const char*)in->samples + f * frame, out, n), MR_OK);
  }
  r.troubles = mr_renderer_troubles(renderer);
  mr_renderer_free(renderer);
  return r;
}

static void assert_same(const Way* way, const Stream* in, const Rendered* want, uint32_t threads, uint32_t grain, uint32_t stages,
                        uint32_t call, bool in_place) {
  const Rendered got = render(way, in, threads, grain, stages, call, in_place);
  if (memcmp(got.samples, want->samples, in->bytes) != 0 || got.troubles != want->troubles) {
    size_t at = 0;
    while (at < in->bytes && ((char*)got.samples)[at] == ((char*)want->samples)[at]) at++;
    fail_msg("%s: %u threads, grain %u, %u stages, calls of %u%s: differs from one thread at frame %zu; %llu troubles, not %llu", way->name,
             threads, grain, stages, call, in_place ? ", in place" : "", at / (in->bytes / in->frames), (unsigned long long)got.troubles,
             (unsigned long long)want->troubles);
  }
  if (mr_flow_has_threads() && threads > 1) {
    assert_in_range(got.plan.threads, way->realtime && !stages ? 1 : 2, threads);
    if (stages) assert_true(got.plan.stages == stages || got.plan.stages == got.plan.sections || got.plan.early_frames);
  }
  free(got.samples);
}

static void every_way_has_the_bits_of_one_thread(void** state) {
  (void)state;
  for (size_t w = 0; w < WAYS; w++) {
    const Way* way = &ways[w];
    for (uint32_t poison = 0; poison < 3; poison++) {
      const Stream in = stream_of(way, w % 2, poison * poison * 5);
      const Rendered want = render(way, &in, 1, 0, 0, 0, false);
      assert_int_equal(want.plan.threads, 1);
      assert_true(!poison || want.troubles);
      static const uint32_t threads[] = {2, 3, 4, 8, 16};
      for (int i = 0; i < 5; i += poison ? 2 : 1) {
        assert_same(way, &in, &want, threads[i], 0, 0, way->frames, i % 2);
        assert_same(way, &in, &want, threads[i], i % 2 ? 4096 : 1, 0, 0, !(i % 2));
        assert_same(way, &in, &want, threads[i], 5000, 1 + (uint32_t)i, way->frames, true);
      }
      free(in.samples);
      free(want.samples);
    }
  }
}

/* Ends of streams: no frame, one, a piece and a frame. */
static void streams_of_any_length(void** state) {
  (void)state;
  static const uint32_t lengths[] = {1, 63, 64, 1023, 1025, 4095, 4097, 8191, 12289};
  for (size_t w = 0; w < WAYS; w++)
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
      Way way = ways[w];
      way.frames = lengths[i];
      const Stream in = stream_of(&way, true, i % 2);
      const Rendered want = render(&way, &in, 1, 0, 0, 0, false);
      assert_same(&way, &in, &want, 2, 1, 2, way.frames, true);
      assert_same(&way, &in, &want, 4, 0, 0, way.frames, false);
      free(in.samples);
      free(want.samples);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_way_has_the_bits_of_one_thread),
      cmocka_unit_test(streams_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
