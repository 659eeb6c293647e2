/* Every variant of every kernel against the C reference of its class, to the bit; with --bench, how fast each is.
   SPDX-License-Identifier: ISC

   One line of the table a level, one line of the table in kernel_checks.h a function. Plain C and no test library, so that it runs
   under an emulator too. */
#define _DEFAULT_SOURCE /* anonymous mappings, for guard pages */

#include "kernel_checks.h"
#include "kernel_truth.h"

static bool chosen(MrCpuLevel level, const MrKernels* kernels) { return mr_kernels_choose(level) == kernels; }

/* A level that the library can choose or name has a line here. */
static void check_complete(const Level* levels, size_t count) {
  for (uint32_t bit = 0; bit < 32; bit++) {
    const MrCpuLevel level = (MrCpuLevel)(1u << bit);
    const MrKernels* kernels = mr_kernels_choose(level);
    bool has_table = !kernels, has_name = !strcmp(mr_cpu_level_name(level), "unknown");
    for (size_t i = 0; i < count; i++) {
      has_table |= levels[i].kernels == kernels;
      has_name |= levels[i].kernels->level == level;
    }
#if !defined(__x86_64__)
    has_name |= level == MR_CPU_SSE2 || level == MR_CPU_AVX2 || level == MR_CPU_AVX512;
#endif
#if !defined(__aarch64__)
    has_name |= level == MR_CPU_NEON;
#endif
    if (!has_table || !has_name) {
      printf("FAILED level %s: it has no line in the table of checks\n", mr_cpu_level_name(level));
      total.failed++;
    }
  }
}

int main(int argc, char** argv) {
  const Level levels[] = {
    {"reference", &mr_kernels_reference, &mr_kernels_reference, true, true},
    {"reference-nofma", &mr_kernels_reference_nofma, &mr_kernels_reference_nofma, true, true},
#if defined(__x86_64__)
    {"reference-fma", &mr_kernels_reference_fma, &mr_kernels_reference, chosen(MR_CPU_REFERENCE, &mr_kernels_reference_fma), false},
    {"sse2", &mr_kernels_sse2, &mr_kernels_reference_nofma, chosen(MR_CPU_SSE2, &mr_kernels_sse2), false},
    {"avx2", &mr_kernels_avx2, &mr_kernels_reference, chosen(MR_CPU_AVX2, &mr_kernels_avx2), false},
    {"avx512", &mr_kernels_avx512, &mr_kernels_reference, chosen(MR_CPU_AVX512, &mr_kernels_avx512), false},
#elif defined(__aarch64__)
    {"neon", &mr_kernels_neon, &mr_kernels_reference, chosen(MR_CPU_NEON, &mr_kernels_neon), false},
#endif
  };
  check_complete(levels, sizeof levels / sizeof *levels);
  return check_levels(argc, argv, levels, sizeof levels / sizeof *levels, check_truth);
}
