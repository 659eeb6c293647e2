/* Few channels' samples to frames without gaps and back. Loops that the compiler turns into vectors: for one channel and for two, which
   are what few channels mostly are; of more, a channel at a time.
   SPDX-License-Identifier: ISC */
#include "few_io.h"

#include <stddef.h>

#define FEW_IO(FROM, FROM_NAME, TO, TO_NAME)                                                                                       \
  void mr_few_take_##FROM_NAME##_##TO_NAME(const FROM* const* in, uint32_t lanes, uint32_t n, TO* restrict x) {                    \
    const FROM* restrict a = in[0], * restrict b = in[lanes > 1];                                                                  \
    if (lanes == 1) {                                                                                                              \
      for (uint32_t f = 0; f < n; f++) x[f] = (TO)a[f];                                                                            \
    } else if (lanes == 2) {                                                                                                       \
      for (size_t f = 0; f < n; f++) {                                                                                             \
        x[2 * f] = (TO)a[f];                                                                                                       \
        x[2 * f + 1] = (TO)b[f];                                                                                                   \
      }                                                                                                                            \
    } else {                                                                                                                       \
      for (uint32_t l = 0; l < lanes; l++)                                                                                         \
        for (size_t f = 0; f < n; f++) x[f * lanes + l] = (TO)in[l][f];                                                            \
    }                                                                                                                              \
  }                                                                                                                                \
  void mr_few_give_##FROM_NAME##_##TO_NAME(const FROM* restrict x, uint32_t lanes, uint32_t n, const FROM* gain, TO* const* out) { \
    const FROM left = gain[0], right = gain[lanes > 1];                                                                            \
    if (lanes == 1) {                                                                                                              \
      TO* restrict a = out[0];                                                                                                     \
      for (uint32_t f = 0; f < n; f++) a[f] = (TO)(x[f] * left);                                                                   \
    } else if (lanes == 2) {                                                                                                       \
      TO* restrict a = out[0], * restrict b = out[1];                                                                              \
      for (size_t f = 0; f < n; f++) {                                                                                             \
        a[f] = (TO)(x[2 * f] * left);                                                                                              \
        b[f] = (TO)(x[2 * f + 1] * right);                                                                                         \
      }                                                                                                                            \
    } else {                                                                                                                       \
      for (uint32_t l = 0; l < lanes; l++)                                                                                         \
        for (size_t f = 0; f < n; f++) out[l][f] = (TO)(x[f * lanes + l] * gain[l]);                                               \
    }                                                                                                                              \
  }                                                                                                                                \
  void mr_few_give_interleaved_##FROM_NAME##_##TO_NAME(const FROM* restrict x, uint32_t lanes, uint32_t n, const FROM* gain,       \
                                                       TO* restrict out) {                                                         \
    const FROM left = gain[0], right = gain[lanes > 1];                                                                            \
    if (lanes == 1) {                                                                                                              \
      for (uint32_t f = 0; f < n; f++) out[f] = (TO)(x[f] * left);                                                                 \
    } else if (lanes == 2) {                                                                                                       \
      for (size_t f = 0; f < n; f++) {                                                                                             \
        out[2 * f] = (TO)(x[2 * f] * left);                                                                                        \
        out[2 * f + 1] = (TO)(x[2 * f + 1] * right);                                                                               \
      }                                                                                                                            \
    } else {                                                                                                                       \
      for (uint32_t l = 0; l < lanes; l++)                                                                                         \
        for (size_t f = 0; f < n; f++) out[f * lanes + l] = (TO)(x[f * lanes + l] * gain[l]);                                      \
    }                                                                                                                              \
  }

FEW_IO(float, f32, float, f32)
FEW_IO(float, f32, double, f64)
FEW_IO(double, f64, float, f32)
FEW_IO(double, f64, double, f64)
