/* Which CPU levels there are, and which kernels run.
   SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "single.h"

static const struct {
  MrCpuLevel level;
  const char* name;
} level_names[] = {
    {MR_CPU_REFERENCE, "reference"}, {MR_CPU_REFERENCE_NOFMA, "reference-nofma"},
    {MR_CPU_SSE2, "sse2"},           {MR_CPU_AVX2, "avx2"},
    {MR_CPU_AVX512, "avx512"},       {MR_CPU_NEON, "neon"},
};

const char* mr_cpu_level_name(MrCpuLevel level) {
  for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
    if (level_names[i].level == level) return level_names[i].name;
  return "unknown";
}

#if defined(__x86_64__)
static bool has_fma(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"); /* the operating system saves the registers */
}
#endif

static uint32_t machine_levels(void) {
  uint32_t levels = MR_CPU_REFERENCE | MR_CPU_REFERENCE_NOFMA;
#if defined(__x86_64__)
  levels |= MR_CPU_SSE2;
  if (has_fma()) {
    levels |= MR_CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
      levels |= MR_CPU_AVX512;
  }
#elif defined(__aarch64__)
  levels |= MR_CPU_NEON;
#endif
  return levels;
}

/* Levels named in a list such as "sse2,avx2". Other words name nothing. */
static uint32_t parse_levels(const char* list) {
  uint32_t levels = 0;
  while (*list) {
    const size_t length = strcspn(list, ", ");
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
      if (strlen(level_names[i].name) == length && !strncmp(level_names[i].name, list, length)) levels |= level_names[i].level;
    list += length + (list[length] != '\0');
  }
  return levels;
}

uint32_t mr_cpu_levels(void) {
  const char* list = getenv("MILLRACE_CPU");
  const uint32_t levels = machine_levels();
  const uint32_t allowed = list && *list ? levels & parse_levels(list) : levels;
  return allowed ? allowed : (uint32_t)MR_CPU_REFERENCE;
}

/* The levels that a mask leaves; 0: what the environment leaves. */
static uint32_t levels_of(uint32_t mask) { return mask ? mask & machine_levels() : mr_cpu_levels(); }

const MrKernels* mr_kernels_choose(uint32_t mask) {
  const uint32_t levels = levels_of(mask);
  const MrKernels* best = NULL;
  if (levels & MR_CPU_REFERENCE_NOFMA) best = &mr_kernels_reference_nofma;
  if (levels & MR_CPU_REFERENCE) best = &mr_kernels_reference;
#if defined(__x86_64__)
  if (levels & MR_CPU_REFERENCE && has_fma()) best = &mr_kernels_reference_fma;
  if (levels & MR_CPU_SSE2) best = &mr_kernels_sse2;
  if (levels & MR_CPU_AVX2) best = &mr_kernels_avx2;
  if (levels & MR_CPU_AVX512) best = &mr_kernels_avx512;
#elif defined(__aarch64__)
  if (levels & MR_CPU_NEON) best = &mr_kernels_neon;
#endif
  return best;
}

const MrSingleKernels* mr_single_kernels_choose(uint32_t mask) {
  const uint32_t levels = levels_of(mask);
  const MrSingleKernels* best = NULL;
  if (levels & MR_CPU_REFERENCE_NOFMA) best = &mr_single_kernels_reference_nofma;
  if (levels & MR_CPU_REFERENCE) best = &mr_single_kernels_reference;
#if defined(__x86_64__)
  if (levels & MR_CPU_REFERENCE && has_fma()) best = &mr_single_kernels_reference_fma;
  if (levels & MR_CPU_SSE2) best = &mr_single_kernels_sse2;
  if (levels & MR_CPU_AVX2) best = &mr_single_kernels_avx2;
  if (levels & MR_CPU_AVX512) best = &mr_single_kernels_avx512;
#elif defined(__aarch64__)
  if (levels & MR_CPU_NEON) best = &mr_single_kernels_neon;
#endif
  return best;
}
