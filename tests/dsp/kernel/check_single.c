/* Every variant of every float32 kernel against the C reference of its class, to the bit, and the reference against float64.
   SPDX-License-Identifier: ISC

   As check_kernels.c: one line of the table a level, one line of the table in single_checks.h a function. */
#define _DEFAULT_SOURCE /* anonymous mappings, for guard pages */

#include "single_checks.h"

static bool chosen(MrCpuLevel level, const MrSingleKernels* kernels) { return mr_single_kernels_choose(level) == kernels; }

/* A level that the library can choose has a line here, and one that runs sections in float64 runs them in float32. */
static void check_complete(const Level* levels, size_t count) {
  for (uint32_t bit = 0; bit < 32; bit++) {
    const MrCpuLevel level = (MrCpuLevel)(1u << bit);
    const MrSingleKernels* kernels = mr_single_kernels_choose(level);
    const MrKernels* wide = mr_kernels_choose(level);
    bool has_line = !kernels;
    for (size_t i = 0; i < count; i++) has_line |= levels[i].kernels == kernels;
    const bool same = kernels ? wide && kernels->level == wide->level && kernels->fused == wide->fused : !wide;
    if (has_line && same) continue;
    printf("FAILED level %s: %s\n", mr_cpu_level_name(level), same ? "it has no line in the table of checks" : "not as in float64");
    total.failed++;
  }
}

/* The reference is what its formulas mean: the recursion in float64, on sections that float32 holds. */
static void check_meaning(const MrSingleKernels* k) {
  for (uint32_t i = 0; i < 300; i++) {
    MrSection q;
    do q = random_section((SectionKind)random_below(SECTION_KINDS));
    while (mr_section_fast_error(&q) > 5e-6);
    begin_case("against float64", 1, 1, MR_CELL, 0, 0);
    memset(tile.x1, 0, sizeof tile.x1);
    memset(tile.state1, 0, sizeof tile.state1);
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) put_single_section(tile.coef1, l, &q);
    double w = 0, d = 0, peak = 0, right[MR_CELL];
    for (uint32_t f = 0; f < MR_CELL; f++) {
      tile.x1[f * MR_SINGLE_LANES] = (float)random_signed();
      const double x = (double)tile.x1[f * MR_SINGLE_LANES], next = (x - q.P * d) + (d - q.s * w);
      right[f] = q.D * x + (q.e1 * w + q.e2 * d);
      peak = fmax(peak, fabs(right[f]));
      w += next;
      d = next;
    }
    k->run_settled(tile.x1, MR_CELL, tile.coef1, tile.state1, 1, 1);
    for (uint32_t f = 0; f < MR_CELL; f++)
      if (!(fabs((double)tile.x1[f * MR_SINGLE_LANES] - right[f]) <= 5e-6 * peak)) {
        fail("frame %u: %a, in float64 %a, the peak %a", f, (double)tile.x1[f * MR_SINGLE_LANES], right[f], peak);
        break;
      }
  }
}

int main(int argc, char** argv) {
  const Level levels[] = {
    {"reference", &mr_single_kernels_reference, &mr_single_kernels_reference, true, check_meaning},
    {"reference-nofma", &mr_single_kernels_reference_nofma, &mr_single_kernels_reference_nofma, true, check_meaning},
#if defined(__x86_64__)
    {"reference-fma", &mr_single_kernels_reference_fma, &mr_single_kernels_reference,
     chosen(MR_CPU_REFERENCE, &mr_single_kernels_reference_fma), NULL},
    {"sse2", &mr_single_kernels_sse2, &mr_single_kernels_reference_nofma, chosen(MR_CPU_SSE2, &mr_single_kernels_sse2), NULL},
    {"avx2", &mr_single_kernels_avx2, &mr_single_kernels_reference, chosen(MR_CPU_AVX2, &mr_single_kernels_avx2), NULL},
    {"avx512", &mr_single_kernels_avx512, &mr_single_kernels_reference, chosen(MR_CPU_AVX512, &mr_single_kernels_avx512), NULL},
#elif defined(__aarch64__)
    {"neon", &mr_single_kernels_neon, &mr_single_kernels_reference, chosen(MR_CPU_NEON, &mr_single_kernels_neon), NULL},
#endif
  };
  check_complete(levels, sizeof levels / sizeof *levels);
  return check_levels(argc, argv, levels, sizeof levels / sizeof *levels);
}
