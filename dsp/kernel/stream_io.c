/* One channel's samples out of interleaved ones and back. Loops that the compiler turns into vectors.
   SPDX-License-Identifier: ISC */
#include "stream_io.h"

#include <stddef.h>

#define STREAM_IO(FROM, FROM_NAME, TO, TO_NAME)                                                                           \
  static inline void take_##FROM_NAME##_##TO_NAME(const FROM* in, const uint32_t stride, uint32_t n, TO* x) {             \
    for (uint32_t f = 0; f < n; f++) x[f] = (TO)in[(size_t)f * stride];                                                   \
  }                                                                                                                       \
  void mr_stream_take_##FROM_NAME##_##TO_NAME(const FROM* in, uint32_t stride, uint32_t n, TO* x) {                       \
    if (stride == 1)                                                                                                      \
      take_##FROM_NAME##_##TO_NAME(in, 1, n, x);                                                                          \
    else                                                                                                                  \
      take_##FROM_NAME##_##TO_NAME(in, stride, n, x);                                                                     \
  }                                                                                                                       \
  static inline void give_##FROM_NAME##_##TO_NAME(const FROM* x, FROM gain, const uint32_t stride, uint32_t n, TO* out) { \
    for (uint32_t f = 0; f < n; f++) out[(size_t)f * stride] = (TO)(x[f] * gain);                                         \
  }                                                                                                                       \
  void mr_stream_give_##FROM_NAME##_##TO_NAME(const FROM* x, FROM gain, uint32_t stride, uint32_t n, TO* out) {           \
    if (stride == 1)                                                                                                      \
      give_##FROM_NAME##_##TO_NAME(x, gain, 1, n, out);                                                                   \
    else                                                                                                                  \
      give_##FROM_NAME##_##TO_NAME(x, gain, stride, n, out);                                                              \
  }

STREAM_IO(float, f32, float, f32)
STREAM_IO(float, f32, double, f64)
STREAM_IO(double, f64, float, f32)
STREAM_IO(double, f64, double, f64)
