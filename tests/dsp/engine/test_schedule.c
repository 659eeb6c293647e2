/* The schedule plan: it takes the cheaper way by its costs, and changes no bit.
   SPDX-License-Identifier: ISC */
#include "fixture.h"

#include <math.h>

static const MrCpuLevel levels[] = {MR_CPU_REFERENCE, MR_CPU_SSE2, MR_CPU_AVX2, MR_CPU_AVX512, MR_CPU_NEON};
#define LEVELS (sizeof levels / sizeof *levels)

static MrCosts with_chains(bool wanted) {
  MrCosts costs = mr_costs_estimate(MR_CPU_AVX2);
  costs.step_fixed = wanted ? 0 : 1e9;
  if (wanted) costs.step_vector = costs.chain_fixed = costs.chain_vector = costs.few_run = costs.few_sample = 0;
  return costs;
}

static MrEngine* planned(uint32_t channels, uint32_t level, const MrCosts* costs, bool different, MrPrecision precision) {
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .cpu_level = level, .costs = costs, .precision = precision};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, program_of(channels, 48000, different)), MR_OK);
  return engine;
}

static void the_plan_changes_no_bit(void** state) {
  (void)state;
  const MrCosts never = with_chains(false), always = with_chains(true);
  for (size_t i = 0; i < LEVELS; i++) {
    const MrEngineOptions here = {.channels = 1, .fs = 48000, .cpu_level = levels[i]};
    MrEngine* there = mr_engine_new(&here, NULL);
    mr_engine_free(there);
    if (!there) continue;
    for (uint32_t kind = 2; kind < 32; kind++) { /* either arithmetic */
      const uint32_t channels = kind / 2;
      const MrPrecision precision = kind % 2 ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE;
      Random blocks = {channels};
      Planar in = planar_noise(channels, 3000, channels), a = planar_new(channels, 3000), b = planar_new(channels, 3000);
      MrEngine* one = planned(channels, levels[i], &never, channels % 2, precision);
      MrEngine* two = planned(channels, levels[i], &always, channels % 2, precision);
      assert_int_equal(mr_engine_plan(one).chains, 0);
      run_blocks(one, &in, &a, 0, 3000, 0, NULL);
      run_blocks(two, &in, &b, 0, 3000, 200, &blocks);
      assert_same_bits(&a, &b);
      mr_engine_free(one);
      mr_engine_free(two);
      planar_free(&in);
      planar_free(&a);
      planar_free(&b);
    }
  }
}

static MrEngine* bells(uint32_t channels, uint32_t sections, const MrCosts* costs) {
  MrBank* bank = mr_bank_new(channels);
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < sections; k++) {
      const MrDesign bell = design_of(MR_PEAK, 100 * (k + 1), 3, 2);
      assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    }
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .cpu_level = MR_CPU_SSE2 | MR_CPU_NEON | MR_CPU_AVX2, .costs = costs};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
  mr_bank_free(bank);
  return engine;
}

/* No block is predicted to take longer than without chains, and where they are taken, it is predicted to be shorter: up to a cell, and longer. */
static void the_plan_is_the_cheaper_way(void** state) {
  (void)state;
  const MrCosts costs = mr_costs_estimate(MR_CPU_AVX2);
  MrCosts never = costs;
  never.step_fixed = 1e9;
  uint32_t taken = 0, left = 0;
  for (uint32_t channels = 1; channels <= 9; channels++) {
    for (uint32_t sections = 1; sections <= 40; sections++) {
      MrEngine *engine = bells(channels, sections, &costs), *other = bells(channels, sections, &never);
      const MrPlan plan = mr_engine_plan(engine);
      assert_int_equal(plan.sections, sections);
      for (uint32_t block = 1; block <= 4096; block = block < 64 ? block + 1 : block + block / 3) {
        const double chosen = mr_engine_predict(engine, block, false), side_by_side = mr_engine_predict(other, block, false);
        const bool chains = plan.chains && block >= plan.chain_from;
        assert_true(chains ? chosen < side_by_side : fabs(chosen - side_by_side) < 1e-9);
        *(chains ? &taken : &left) += 1;
      }
      mr_engine_free(engine);
      mr_engine_free(other);
    }
  }
  assert_true(taken > 1000 && left > 1000); /* both happen */
}

static void costs_are_measured(void** state) {
  (void)state;
  MrCosts costs;
  memset(&costs, 0, sizeof costs);
  assert_int_equal(mr_costs_measure(0, &costs), MR_OK);
  /* of a machine that does between 20 million and 20 thousand million operations a second */
  assert_true(costs.pass_least > 0.05 && costs.pass_least < 1000);
  assert_true(costs.planar > 0.01 && costs.planar < 1000 && costs.single > 0.01 && costs.single < 1000);
  assert_true(costs.interleaved > 0.01 && costs.interleaved < 1000 && costs.cell > 0.5 && costs.cell < 1e6);
  const MrEngineOptions none = {.channels = 1, .fs = 48000, .costs = &costs};
  MrEngine* engine = mr_engine_new(&none, NULL);
  assert_true(mr_engine_predict(engine, 64, true) > 0); /* it plans with them */
  mr_engine_free(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_plan_changes_no_bit),
      cmocka_unit_test(the_plan_is_the_cheaper_way),
      cmocka_unit_test(costs_are_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
