/* A state taken out of one engine and put into another: the stream goes on as if nothing had happened.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

enum { FRAMES = 4096, LARGEST = 67 };

static MrEngine* make(uint32_t channels, MrPrecision precision) {
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .precision = precision};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, true)), MR_OK);
  return engine;
}

static size_t state_size(uint32_t channels) {
  MrProgram* program = program_of(channels, 48000, true);
  uint32_t most = 0;
  for (uint32_t c = 0; c < channels; c++) most = mr_program_sections(program, c) > most ? mr_program_sections(program, c) : most;
  mr_program_free(program);
  return (size_t)channels * most * 2;
}

static double largest(const Planar* a, const Planar* b, uint32_t from) {
  double most = 0;
  for (uint32_t c = 0; c < a->channels; c++)
    for (uint32_t f = from; f < a->frames; f++) most = fmax(most, fabs((double)a->channel[c][f] - (double)b->channel[c][f]));
  return most;
}

/* From an engine of one precision to one of another, at a cell's start; the reference plays all of it. */
static void hand_over(uint32_t channels, uint32_t at, MrPrecision first, MrPrecision second, double bound) {
  Random random = {channels};
  Planar in = planar_noise(channels, FRAMES, 7), want = planar_new(channels, FRAMES), got = planar_new(channels, FRAMES);
  MrEngine *whole = make(channels, MR_PRECISION_DOUBLE), *before = make(channels, first), *after = make(channels, second);
  double* state = calloc(state_size(channels) + 1, sizeof *state);
  assert_non_null(state);
  run_blocks(whole, &in, &want, 0, FRAMES, 0, &random);
  run_blocks(before, &in, &got, 0, at, 333, &random);
  assert_int_equal(mr_engine_state(before, state), MR_OK);
  assert_int_equal(mr_engine_set_state(after, state), MR_OK);
  run_blocks(after, &in, &got, at, FRAMES, 333, &random);
  assert_true(largest(&want, &got, 0) <= bound);
  mr_engine_free(whole);
  mr_engine_free(before);
  mr_engine_free(after);
  free(state);
  planar_free(&in);
  planar_free(&want);
  planar_free(&got);
}

static void the_stream_goes_on(void** none) {
  (void)none;
  for (uint32_t channels = 1; channels <= LARGEST; channels = channels < 20 ? channels + 1 : channels + 47) {
    hand_over(channels, 1024, MR_PRECISION_DOUBLE, MR_PRECISION_DOUBLE, 0x1p-22); /* float32 samples: a last digit */
    hand_over(channels, 64, MR_PRECISION_DOUBLE, MR_PRECISION_DOUBLE, 0x1p-22);
    hand_over(channels, 1024, MR_PRECISION_DOUBLE, MR_PRECISION_FAST, 2e-5);
    hand_over(channels, 1024, MR_PRECISION_FAST, MR_PRECISION_DOUBLE, 2e-5);
  }
}

/* A cascade that float32 has to carry at other levels: states are those of the program's sections all the same. */
static void levels_are_the_programs(void** none) {
  (void)none;
  MrBank* bank = mr_bank_new(1);
  MrDesign low = design_of(MR_BUTTERWORTH, 20, 0, 1);
  low.response = MR_RESPONSE_LP;
  low.order = 16;
  assert_int_equal(mr_bank_add_filter(bank, 0, &low), MR_OK);
  const MrEngineOptions wide = {.channels = 1, .fs = 48000}, fast = {.channels = 1, .fs = 48000, .precision = MR_PRECISION_FAST};
  MrEngine *a = mr_engine_new(&wide, NULL), *b = mr_engine_new(&fast, NULL);
  assert_int_equal(mr_engine_give(a, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
  assert_int_equal(mr_engine_give(b, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
  Planar in = planar_new(1, 64 * 512), out = planar_new(1, 64 * 512);
  for (uint32_t f = 0; f < in.frames; f++) in.samples[f] = 1;
  Random random = {1};
  double x[16] = {0}, y[16] = {0};
  run_blocks(a, &in, &out, 0, in.frames, 0, &random);
  run_blocks(b, &in, &out, 0, in.frames, 0, &random);
  assert_int_equal(mr_engine_state(a, x), MR_OK);
  assert_int_equal(mr_engine_state(b, y), MR_OK);
  for (uint32_t k = 0; k < 8; k++) {
    assert_true(x[2 * k] != 0);
    assert_true(fabs(y[2 * k] / x[2 * k] - 1) < 1e-3); /* the last sections have settled to within that */
  }
  mr_engine_free(a);
  mr_engine_free(b);
  mr_bank_free(bank);
  planar_free(&in);
  planar_free(&out);
}

/* A constant at the end of its ring: w = x / s of the first section, by d' = 0. */
static void states_are_those_of_the_recursion(void** none) {
  (void)none;
  MrBank* bank = mr_bank_new(1);
  MrDesign low = design_of(MR_LOWPASS, 3000, 0, 0.7);
  assert_int_equal(mr_bank_add_filter(bank, 0, &low), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  const double s = mr_program_section(program, 0, 0)->s;
  const MrRendererOptions options = {.engine = {.channels = 1, .fs = 48000}, .wide = true, .realtime_kernels = true};
  MrRenderer* renderer = mr_renderer_new(&options, program, NULL);
  assert_non_null(renderer);
  double x[4096], state[2] = {0, 1};
  for (int f = 0; f < 4096; f++) x[f] = 1;
  assert_int_equal(mr_renderer_process(renderer, x, x, 4096), MR_OK);
  assert_int_equal(mr_renderer_state(renderer, state), MR_OK);
  assert_true(fabs(state[0] * s - 1) < 1e-12);
  assert_true(fabs(state[1]) < 1e-12);
  mr_renderer_free(renderer);
  mr_bank_free(bank);
}

static void what_has_no_such_state_is_refused(void** none) {
  (void)none;
  double state[2 * 64] = {0};
  float block[64] = {0}, *channel[1] = {block};
  const float* input[1] = {block};
  MrEngine* engine = engine_of(1, 48000, 4, 0);
  assert_int_equal(mr_engine_set_state(engine, state), MR_ERR_ARGUMENT); /* bands */
  mr_engine_free(engine);
  engine = engine_of(1, 48000, 0, 0);
  assert_int_equal(mr_engine_state(engine, state), MR_ERR_ARGUMENT); /* nothing given */
  assert_int_equal(mr_engine_give(engine, program_of(1, 48000, true)), MR_OK);
  mr_engine_process_f32(engine, input, channel, 63);
  assert_int_equal(mr_engine_state(engine, state), MR_ERR_ARGUMENT); /* within a cell */
  mr_engine_process_f32(engine, input, channel, 1);
  assert_int_equal(mr_engine_state(engine, state), MR_OK);
  state[0] = NAN;
  assert_int_equal(mr_engine_set_state(engine, state), MR_ERR_NOT_FINITE);
  assert_int_equal(mr_engine_give(engine, program_of(1, 48000, false)), MR_OK);
  assert_int_equal(mr_engine_state(engine, state), MR_ERR_ARGUMENT); /* another program is about to play */
  mr_engine_process_f32(engine, input, channel, 64);
  assert_int_equal(mr_engine_state(engine, state), MR_ERR_ARGUMENT); /* fades */
  mr_engine_free(engine);
  for (int fast = 0; fast < 2; fast++) {
    MrBank* bank = mr_bank_new(1);
    bank->channel[0].delay_samples = 3;
    const MrDesign low = design_of(MR_LOWPASS, 3000, 0, 0.7);
    assert_int_equal(mr_bank_add_filter(bank, 0, &low), MR_OK);
    const MrEngineOptions options = {.channels = 1, .fs = 48000, .precision = fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE};
    engine = mr_engine_new(&options, NULL);
    assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
    assert_int_equal(mr_engine_set_state(engine, (double[2]){0, 0}), MR_ERR_ARGUMENT); /* delays */
    mr_engine_free(engine);
    mr_bank_free(bank);
  }
}

static void routes_are_told(void** none) {
  (void)none;
  MrBank* bank = mr_bank_new(2);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_false(mr_program_routes(program));
  mr_program_free(program);
  const MrTerm swapped = {.source = 1, .gain = 1};
  assert_int_equal(mr_bank_set_terms(bank, 0, &swapped, 1), MR_OK);
  program = mr_program_new(bank, 48000, NULL, NULL);
  assert_true(mr_program_routes(program));
  mr_program_free(program);
  mr_bank_free(bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_stream_goes_on),
      cmocka_unit_test(levels_are_the_programs),
      cmocka_unit_test(states_are_those_of_the_recursion),
      cmocka_unit_test(what_has_no_such_state_is_refused),
      cmocka_unit_test(routes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
