/* Which CPU levels there are, how the environment and a mask choose among them.
   SPDX-License-Identifier: ISC */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../dsp/kernel/kernel.h"
#include "../../../dsp/kernel/single.h"

/* All levels, the slowest first: a mask gives the last of them that it has and that this machine runs. */
static const struct {
  MrCpuLevel level;
  const char* name;
  const char* flags; /* what a processor needs, as /proc/cpuinfo has it; NULL: another family's */
} all[] = {
    {MR_CPU_REFERENCE_NOFMA, "reference-nofma", ""},
    {MR_CPU_REFERENCE, "reference", ""},
#if defined(__x86_64__)
    {MR_CPU_SSE2, "sse2", ""},
    {MR_CPU_AVX2, "avx2", "avx2 fma"},
    {MR_CPU_AVX512, "avx512", "avx2 fma avx512f avx512dq avx512vl avx512bw"},
    {MR_CPU_NEON, "neon", NULL},
#else
    {MR_CPU_SSE2, "sse2", NULL},
    {MR_CPU_AVX2, "avx2", NULL},
    {MR_CPU_AVX512, "avx512", NULL},
    {MR_CPU_NEON, "neon", ""},
#endif
};
#define LEVELS (sizeof all / sizeof *all)

static int without_mask(void** state) {
  (void)state;
  return unsetenv("MILLRACE_CPU");
}

static void names_are_those_that_are_documented(void** state) {
  (void)state;
  for (size_t i = 0; i < LEVELS; i++) assert_string_equal(mr_cpu_level_name(all[i].level), all[i].name);
  assert_string_equal(mr_cpu_level_name((MrCpuLevel)(1u << 30)), "unknown");
  assert_string_equal(mr_cpu_level_name((MrCpuLevel)0), "unknown");
}

/* Whether the word is in the list. */
static bool has_word(const char* list, const char* word, size_t length) {
  for (const char* at = list; (at = strstr(at, word)) != NULL; at += length) {
    const char after = at[length];
    if (at > list && at[-1] == ' ' && (after == ' ' || after == '\n' || after == '\0')) return true;
  }
  return false;
}

/* What the kernel of the operating system says of this processor; false where it says nothing. */
static bool read_flags(char* flags, size_t size) {
  FILE* file = fopen("/proc/cpuinfo", "r");
  bool found = false;
  while (file && !found && fgets(flags, (int)size, file)) found = !strncmp(flags, "flags", 5);
  if (file) fclose(file);
  return found;
}

static void levels_are_what_the_processor_has(void** state) {
  (void)state;
  const uint32_t levels = mr_cpu_levels();
  static char flags[1 << 14];
  const bool known = read_flags(flags, sizeof flags);
  for (size_t i = 0; i < LEVELS; i++) {
    bool expected = all[i].flags != NULL;
    if (expected && *all[i].flags && !known) continue;
    for (const char* at = all[i].flags; at && *at;) {
      const size_t length = strcspn(at, " ");
      char word[32];
      assert_true(length < sizeof word);
      memcpy(word, at, length);
      word[length] = '\0';
      expected = expected && has_word(flags, word, length);
      at += length + (at[length] == ' ');
    }
    if (expected != !!(levels & all[i].level)) fail_msg("%s: %s", all[i].name, expected ? "missing" : "claimed");
  }
}

/* What a mask must give; -1: nothing. */
static int best_of(uint32_t levels) {
  for (int i = (int)LEVELS - 1; i >= 0; i--)
    if (levels & all[i].level) return i;
  return -1;
}

static void each_mask_gives_its_best_level(void** state) {
  (void)state;
  const uint32_t levels = mr_cpu_levels();
  for (uint32_t mask = 1; mask < 1u << LEVELS; mask++) {
    const MrKernels* kernels = mr_kernels_choose(mask);
    const int best = best_of(mask & levels);
    if (best < 0) {
      assert_null(kernels);
    } else {
      assert_non_null(kernels);
      assert_int_equal(kernels->level, all[best].level);
    }
  }
  assert_int_equal(mr_kernels_choose(0)->level, all[best_of(levels)].level);
}

/* The level that a mask gives in float32 is the one that it gives in float64. */
static void float32_follows(void** state) {
  (void)state;
  for (uint32_t mask = 0; mask < 1u << (LEVELS + 1); mask++) {
    const MrKernels* wide = mr_kernels_choose(mask);
    const MrSingleKernels* single = mr_single_kernels_choose(mask);
    assert_int_equal(!wide, !single);
    if (!wide || !single) continue;
    assert_int_equal(single->level, wide->level);
    assert_int_equal(single->fused, wide->fused);
  }
  assert_int_equal(setenv("MILLRACE_CPU", "reference-nofma", 1), 0);
  assert_int_equal(mr_single_kernels_choose(0)->level, MR_CPU_REFERENCE_NOFMA);
}

static void nothing_that_runs_is_null(void** state) {
  (void)state;
  assert_null(mr_kernels_choose(1u << 31));
  for (size_t i = 0; i < LEVELS; i++)
    if (!all[i].flags) assert_null(mr_kernels_choose(all[i].level));
}

static void classes_are_right(void** state) {
  (void)state;
  for (size_t i = 0; i < LEVELS; i++) {
    const MrKernels* kernels = mr_kernels_choose(all[i].level);
    const bool unfused = all[i].level == MR_CPU_SSE2 || all[i].level == MR_CPU_REFERENCE_NOFMA;
    if (kernels) assert_int_equal(kernels->fused, !unfused);
  }
}

static void the_environment_masks(void** state) {
  (void)state;
  const uint32_t levels = mr_cpu_levels();
  for (size_t i = 0; i < LEVELS; i++) {
    assert_int_equal(setenv("MILLRACE_CPU", all[i].name, 1), 0);
    if (levels & all[i].level) {
      assert_int_equal(mr_cpu_levels(), all[i].level);
      assert_int_equal(mr_kernels_choose(0)->level, all[i].level);
    } else { /* none of those named runs: never nothing */
      assert_int_equal(mr_cpu_levels(), MR_CPU_REFERENCE);
      assert_int_equal(mr_kernels_choose(0)->level, MR_CPU_REFERENCE);
    }
    assert_int_equal(mr_kernels_choose(MR_CPU_REFERENCE_NOFMA)->level, MR_CPU_REFERENCE_NOFMA); /* a mask of the program goes before */
  }
}

static void the_environment_has_lists(void** state) {
  (void)state;
  const uint32_t levels = mr_cpu_levels();
  static const struct {
    const char* list;
    uint32_t allowed;
  } cases[] = {
      {"sse2,avx2", MR_CPU_SSE2 | MR_CPU_AVX2},
      {"reference,reference-nofma", MR_CPU_REFERENCE | MR_CPU_REFERENCE_NOFMA},
      {"reference-nofma, neon", MR_CPU_REFERENCE_NOFMA | MR_CPU_NEON},
      {"neon reference-nofma", MR_CPU_REFERENCE_NOFMA | MR_CPU_NEON},
      {",,reference-nofma,,", MR_CPU_REFERENCE_NOFMA},
      {"nonsense,reference-nofma", MR_CPU_REFERENCE_NOFMA},
      {"reference-nofm", 0},
      {"nonsense", 0},
      {"", ~0u},
      {"all", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(setenv("MILLRACE_CPU", cases[i].list, 1), 0);
    const uint32_t allowed = levels & cases[i].allowed;
    assert_int_equal(mr_cpu_levels(), allowed ? allowed : (uint32_t)MR_CPU_REFERENCE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_are_those_that_are_documented, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(levels_are_what_the_processor_has, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(each_mask_gives_its_best_level, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(float32_follows, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(nothing_that_runs_is_null, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(classes_are_right, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(the_environment_masks, without_mask, without_mask),
      cmocka_unit_test_setup_teardown(the_environment_has_lists, without_mask, without_mask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
