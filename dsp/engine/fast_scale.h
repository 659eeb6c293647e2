/* Cascades whose levels fit the range of float32.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_FAST_SCALE_H
#define MILLRACE_ENGINE_FAST_SCALE_H

#include "../millrace.h"

/* Copies n sections of a cascade at rate fs to `scaled`, numerators multiplied by powers of two where the level inside the cascade would
   leave the range in which float32 has room to both sides. What float64 carries without a thought (tables often have the gain of all sections in
   the first one: 1e-46 for a low-pass of order 16 at 20 Hz) is then balanced; a cascade whose levels are within 2^20 of its input's is
   not changed. Returns e: the cascade is 2^e times `scaled`. Scaling rounds nothing. Thread: control. */
int mr_fast_scale(const MrSection* section, uint32_t n, double fs, MrSection* scaled);

#endif
