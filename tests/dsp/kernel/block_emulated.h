/* Vectors of LANES numbers EMULATED in plain C, with the operations that simd.h takes from AVX-512. Text of the emulated checks.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_BLOCK_EMULATED_H
#define MILLRACE_TESTS_BLOCK_EMULATED_H

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

#define MR_EMULATED_LANES /* chains of sections are not part of it */

typedef struct Emulated {
  EMULATED lane[LANES];
} Emulated;

#define EMULATED_OPERATION static __attribute__((noinline, unused)) /* inlined, they take a compiler minutes */

#define EACH(expression)                                              \
  Emulated r;                                                         \
  for (int i = 0; i < LANES; i++) r.lane[i] = (EMULATED)(expression); \
  return r

static void expect_aligned(const EMULATED* p) {
  if ((uintptr_t)p % 64) raise(SIGSEGV);
}

EMULATED_OPERATION Emulated emulated_load(const EMULATED* p) {
  expect_aligned(p);
  EACH(p[i]);
}

EMULATED_OPERATION void emulated_store(EMULATED* p, Emulated a) {
  expect_aligned(p);
  memcpy(p, a.lane, sizeof a.lane);
}

EMULATED_OPERATION Emulated emulated_set1(EMULATED a) { EACH(a); }
EMULATED_OPERATION Emulated emulated_add(Emulated a, Emulated b) { EACH(a.lane[i] + b.lane[i]); }
EMULATED_OPERATION Emulated emulated_sub(Emulated a, Emulated b) { EACH(a.lane[i] - b.lane[i]); }
EMULATED_OPERATION Emulated emulated_mul(Emulated a, Emulated b) { EACH(a.lane[i] * b.lane[i]); }
EMULATED_OPERATION Emulated emulated_fmadd(Emulated a, Emulated b, Emulated c) { EACH(fma(a.lane[i], b.lane[i], c.lane[i])); }
EMULATED_OPERATION Emulated emulated_fnmadd(Emulated a, Emulated b, Emulated c) { EACH(fma(-a.lane[i], b.lane[i], c.lane[i])); }
EMULATED_OPERATION Emulated emulated_fmsub(Emulated a, Emulated b, Emulated c) { EACH(fma(a.lane[i], b.lane[i], -c.lane[i])); }

/* The sign bits. */
EMULATED_OPERATION unsigned emulated_mask(Emulated a) {
  unsigned mask = 0;
  for (unsigned i = 0; i < LANES; i++) mask |= (unsigned)!!signbit(a.lane[i]) << i;
  return mask;
}

/* b where the mask has a bit, else a. */
EMULATED_OPERATION Emulated emulated_blend(unsigned mask, Emulated a, Emulated b) { EACH(mask >> i & 1 ? b.lane[i] : a.lane[i]); }

EMULATED_OPERATION Emulated emulated_take(Emulated a, Emulated b, const int* from) {
  EACH(from[i] < LANES ? a.lane[from[i]] : b.lane[from[i] - LANES]);
}

#define TAKE_8(P, s)        P(0, s), P(1, s), P(2, s), P(3, s), P(4, s), P(5, s), P(6, s), P(7, s)
#define TAKE_16(P, s)       TAKE_8(P, s), P(8, s), P(9, s), P(10, s), P(11, s), P(12, s), P(13, s), P(14, s), P(15, s)
#define MR_TAKE(a, b, P, s) emulated_take(a, b, (const int[]){TAKE_16(P, s)}) /* of which LANES count */
#define MR_FIRST(a)         ((a).lane[0])

#endif
