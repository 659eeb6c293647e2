/* Cascades at levels that suit a card: numerators scaled by powers of two, so that D is 1 wherever that can be.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_GPU_LEVELS_H
#define MILLRACE_GPU_LEVELS_H

#include "../dsp/millrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies n sections to `scaled`, their D, e1 and e2 multiplied by powers of two, which rounds nothing: D becomes 1 where it is a power of two
   and the level after the section stays within 2^40 of the input's (2^20 after the last one, where outputs are looked at for poison); where it would
   not, the level goes back to the input's. exponent[n + 1]: the state of scaled section k is 2^exponent[k] times that of section k, and the output
   of all 2^exponent[n] times theirs. Thread: any; no allocation. */
void mr_gpu_levels(const MrSection* section, uint32_t n, MrSection* scaled, int* exponent);

#ifdef __cplusplus
}
#endif

#endif
