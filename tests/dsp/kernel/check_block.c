/* Every multi-block kernel of every level that this processor runs, against the difference equation.
   SPDX-License-Identifier: ISC */
#include "block_checks.h"

int main(int argc, char** argv) {
  static const MrCpuLevel order[] = {MR_CPU_REFERENCE, MR_CPU_REFERENCE_NOFMA, MR_CPU_SSE2, MR_CPU_AVX2, MR_CPU_AVX512, MR_CPU_NEON};
  BlockLevel levels[2 * sizeof order / sizeof *order];
  size_t count = 0;
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    for (int single = 1; single >= 0; single--) {
      const MrBlockKernels* kernels = mr_block_kernels_choose(order[i], single);
      if (kernels) levels[count++] = (BlockLevel){mr_cpu_level_name(order[i]), kernels};
    }
  }
  /* as many as there are kernels for channels in lanes */
  for (size_t i = 0; i < count; i++)
    if (levels[i].kernels->single != (i % 2 == 0) || strcmp(levels[i].name, mr_cpu_level_name(levels[i].kernels->level))) {
      printf("FAILED level %s: another one was chosen\n", levels[i].name);
      return 1;
    }
  return check_block_levels(argc, argv, levels, count, false);
}
