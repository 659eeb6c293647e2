/* The floating-point mode of a callback or a task: round to nearest, no traps, subnormals flushed to zero on the way in and out.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_FPMODE_H
#define MILLRACE_KERNEL_FPMODE_H

#include <stdint.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
typedef unsigned int MrFpMode;
/* All exceptions masked (0x1f80), flush to zero (0x8000), denormals are zero (0x0040), rounding to nearest (0). */
static inline MrFpMode mr_fpmode_enter(void) {
  const MrFpMode host = _mm_getcsr();
  _mm_setcsr(0x9fc0);
  return host;
}
static inline void mr_fpmode_leave(MrFpMode host) { _mm_setcsr(host); }
#elif defined(__aarch64__)
typedef uint64_t MrFpMode;
static inline MrFpMode mr_fpmode_enter(void) {
  MrFpMode host;
  __asm__ volatile("mrs %0, fpcr" : "=r"(host));
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24));
  return host;
}
static inline void mr_fpmode_leave(MrFpMode host) { __asm__ volatile("msr fpcr, %0" : : "r"(host)); }
#else
typedef int MrFpMode;
static inline MrFpMode mr_fpmode_enter(void) { return 0; }
static inline void mr_fpmode_leave(MrFpMode host) { (void)host; }
#endif

#endif
