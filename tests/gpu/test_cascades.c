/* Cascades as cards have them: the same filter, to the bit of each number, at levels that float32 can carry.
   SPDX-License-Identifier: ISC */
#include "gpu/cascades.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/job.h"
#include "gpu/levels.h"

static MrCascade cascade_of(MrFilterType type, MrResponse response, uint32_t order, double fc) {
  MrDesign design = mr_design_default(type);
  MrCascade cascade;
  design.response = response;
  design.order = order;
  design.fc = fc;
  assert_int_equal(mr_design(&design, 48000, &cascade, NULL), MR_OK);
  return cascade;
}

/* Multiplying by a power of two rounds nothing: what is scaled back is what was there. */
static void scaling_is_exact(void** state) {
  (void)state;
  const double corners[] = {1, 20, 1000, 20000};
  for (size_t i = 0; i < 4; i++)
    for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_HP; response++)
      for (uint32_t order = 1; order <= 32; order++) {
        const MrCascade c = cascade_of(MR_BUTTERWORTH, (MrResponse)response, order, corners[i]);
        MrSection scaled[MR_MAX_DESIGN_SECTIONS];
        int exponent[MR_MAX_DESIGN_SECTIONS + 1];
        mr_gpu_levels(c.section, c.n, scaled, exponent);
        assert_int_equal(exponent[0], 0);
        for (uint32_t k = 0; k < c.n; k++) {
          const int shift = exponent[k + 1] - exponent[k];
          assert_true(scaled[k].s == c.section[k].s && scaled[k].P == c.section[k].P);
          assert_true(ldexp(scaled[k].D, -shift) == c.section[k].D);
          assert_true(ldexp(scaled[k].e1, -shift) == c.section[k].e1 && ldexp(scaled[k].e2, -shift) == c.section[k].e2);
        }
      }
}

/* Partial products of the peaks of the sections, by their response over the whole band. */
static void levels_stay_within_reach(void** state) {
  (void)state;
  const double corners[] = {1, 20, 1000, 20000};
  for (size_t i = 0; i < 4; i++)
    for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_HP; response++) {
      const MrCascade c = cascade_of(MR_BUTTERWORTH, (MrResponse)response, 32, corners[i]);
      MrSection scaled[MR_MAX_DESIGN_SECTIONS];
      int exponent[MR_MAX_DESIGN_SECTIONS + 1];
      uint32_t ones = 0;
      mr_gpu_levels(c.section, c.n, scaled, exponent);
      for (uint32_t k = 0; k < c.n; k++) ones += scaled[k].D == 1;
      if (ones < c.n / 2) fail_msg("%g Hz, response %d: D is 1 in %u of %u", corners[i], response, ones, c.n);
      for (uint32_t n = 1; n <= c.n; n++) {
        double peak = -INFINITY;
        for (double f = 0.01; f < 24000; f *= 1.05) peak = fmax(peak, mr_sections_response(scaled, n, 1, 48000, f).magnitude_db);
        assert_true(peak < 20 * log10(2) * 42); /* the peaks of sections together lie somewhat above that of all */
      }
    }
}

static void what_does_not_fold_is_left(void** state) {
  (void)state;
  const MrSection section[3] = {{0.1, 0.2, 0.3, 0.01, 0.02}, {0.1, 0.2, 0, 0.1, 0}, {0.1, 0.2, -0.5, 0.1, 0}};
  MrSection scaled[3];
  int exponent[4];
  mr_gpu_levels(section, 3, scaled, exponent);
  assert_memory_equal(section, scaled, sizeof section);
  for (int k = 0; k <= 3; k++) assert_int_equal(exponent[k], 0);
}

/* States and gains carry what the levels took: state in and out is the identity, the gain's product is the filter's. */
static void tables_keep_the_filter(void** state) {
  (void)state;
  const MrCascade low = cascade_of(MR_BUTTERWORTH, MR_RESPONSE_LP, 16, 20), high = cascade_of(MR_BUTTERWORTH, MR_RESPONSE_HP, 5, 3000);
  const uint64_t decay[MR_MAX_DESIGN_SECTIONS] = {5000, 1, 1023, 1024};
  const MrGpuCascade cascade[3] = {
      {low.section, low.n, low.gain, 5000, decay}, {high.section, high.n, high.gain, 100, decay}, {NULL, 0, -2, 0, decay}};
  for (int fast = 0; fast < 2; fast++)
    for (int groups = 0; groups < 2; groups++) {
      const MrGpuJob job = {.channels = 3, .cascade = cascade, .fast = fast, .chunk = 65536};
      const MrGpuPlan plan = {.kernel = groups ? MR_GPU_FIXED : MR_GPU_SEGMENTS, .lanes = 32, .samples = 32};
      MrGpuTables t;
      char why[MR_GPU_WHY];
      assert_int_equal(mr_gpu_tables_make(&job, &plan, &t, why), MR_GPU_OK);
      assert_int_equal(t.sections, 8);
      assert_true(t.channel_table == 8 * (uint64_t)t.section_table);
      assert_int_equal(mr_gpu_tables_state_bytes(&t), 3 * 8 * 2 * (fast ? 4 : 8));
      for (int c = 0; c < 3; c++) {
        const double gain = fast ? (double)((float*)t.gain)[c] : ((double*)t.gain)[c];
        const double ratio = cascade[c].gain / gain; /* a power of two, but for the rounding of a float */
        assert_true(fabs(log2(fabs(ratio)) - round(log2(fabs(ratio)))) < 1e-6 && ratio > 0);
      }
      if (groups) {
        assert_int_equal(t.depth[0], 5000 / 1024 + 1);
        assert_int_equal(t.depth[2], 1);
        assert_int_equal(t.depth[3], 2);
      }
      double in[3 * 8 * 2], out[3 * 8 * 2];
      double own[3 * 8 * 2];
      for (int i = 0; i < 3 * 8 * 2; i++) in[i] = ldexp(1 + i, i % 5);
      mr_gpu_tables_state_in(&t, in, own);
      mr_gpu_tables_state_out(&t, own, out);
      assert_memory_equal(in, out, sizeof in);
      mr_gpu_tables_free(&t);
    }
}

static void one_filter_has_one_table(void** state) {
  (void)state;
  const MrCascade a = cascade_of(MR_BUTTERWORTH, MR_RESPONSE_LP, 4, 1000);
  MrCascade b = a;
  const uint64_t decay[MR_MAX_DESIGN_SECTIONS] = {0};
  MrGpuCascade cascade[2] = {{a.section, a.n, 1, 0, decay}, {b.section, b.n, 2, 0, decay}};
  const MrGpuJob job = {.channels = 2, .cascade = cascade, .chunk = 64};
  const MrGpuPlan plan = {.kernel = MR_GPU_SEGMENTS};
  MrGpuTables t;
  char why[MR_GPU_WHY];
  assert_int_equal(mr_gpu_tables_make(&job, &plan, &t, why), MR_GPU_OK);
  assert_true(t.channel_table == 0);
  mr_gpu_tables_free(&t);
  b.section[1].P *= 1.5;
  assert_int_equal(mr_gpu_tables_make(&job, &plan, &t, why), MR_GPU_OK);
  assert_true(t.channel_table != 0);
  mr_gpu_tables_free(&t);
}

/* Routes and delays are said, and so is what has too many sections; equal channels are looked at once. */
static void programs_become_jobs(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(3);
  MrDesign low = mr_design_default(MR_BUTTERWORTH);
  low.order = 16;
  low.fc = 4800;
  for (uint32_t c = 0; c < 3; c++) assert_int_equal(mr_bank_add_filter(bank, c, &low), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  const MrGpuJob job = {.channels = 3, .chunk = 1 << 16};
  MrGpuProgram made;
  char why[MR_GPU_WHY] = "";
  assert_int_equal(mr_gpu_program_make(program, &job, &made, why), MR_GPU_OK);
  assert_int_equal(made.sections, 8);
  assert_ptr_equal(made.cascade[0].section, made.cascade[2].section);
  assert_in_range(made.cascade[1].decay, 360, 375); /* 367 by another program */
  mr_gpu_program_free(&made);
  mr_program_free(program);
  bank->channel[1].delay_samples = 2;
  program = mr_program_new(bank, 48000, NULL, NULL);
  assert_int_equal(mr_gpu_program_make(program, &job, &made, why), MR_GPU_REFUSED);
  assert_non_null(strstr(why, "channel 2 is delayed"));
  mr_gpu_program_free(&made);
  mr_program_free(program);
  bank->channel[1].delay_samples = 0;
  for (int i = 0; i < 4; i++) assert_int_equal(mr_bank_add_filter(bank, 2, &low), MR_OK);
  program = mr_program_new(bank, 48000, NULL, NULL);
  assert_int_equal(mr_gpu_program_make(program, &job, &made, why), MR_GPU_REFUSED);
  assert_non_null(strstr(why, "channel 3 has 40 sections"));
  mr_program_free(program);
  const MrTerm swapped = {.source = 1, .gain = 1};
  assert_int_equal(mr_bank_set_terms(bank, 0, &swapped, 1), MR_OK);
  program = mr_program_new(bank, 48000, NULL, NULL);
  assert_int_equal(mr_gpu_program_make(program, &job, &made, why), MR_GPU_REFUSED);
  assert_non_null(strstr(why, "routes"));
  mr_program_free(program);
  mr_bank_free(bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scaling_is_exact),       cmocka_unit_test(levels_stay_within_reach), cmocka_unit_test(what_does_not_fold_is_left),
      cmocka_unit_test(tables_keep_the_filter), cmocka_unit_test(one_filter_has_one_table), cmocka_unit_test(programs_become_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
