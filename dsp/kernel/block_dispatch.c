/* Which multi-block kernels run.
   SPDX-License-Identifier: ISC */
#include "block.h"
#include "kernel.h"

const MrBlockKernels* mr_block_kernels_choose(uint32_t mask, bool single) {
  static const MrBlockKernels* const tables[] = {
    &mr_block_reference_nofma_f32,
    &mr_block_reference_nofma_f64,
    &mr_block_reference_f32,
    &mr_block_reference_f64,
#if defined(__x86_64__)
    &mr_block_sse2_f32,
    &mr_block_sse2_f64,
    &mr_block_avx2_f32,
    &mr_block_avx2_f64,
    &mr_block_avx512_f32,
    &mr_block_avx512_f64,
#elif defined(__aarch64__)
    &mr_block_neon_f32,
    &mr_block_neon_f64,
#endif
    NULL,
  };
  const MrKernels* lanes = mr_kernels_choose(mask); /* one place knows what this machine runs */
  if (!lanes) return NULL;
  const MrBlockKernels* const* table = tables;
  while (*table && ((*table)->level != lanes->level || (*table)->single != single)) table++;
  return *table;
}

const char* mr_block_family_name(MrBlockFamily family) {
  static const char* const names[MR_BLOCK_FAMILIES] = {"ph", "ph-states", "mcr", "cr", "dtcr", "ssph"};
  return (unsigned)family < MR_BLOCK_FAMILIES ? names[family] : "unknown";
}
