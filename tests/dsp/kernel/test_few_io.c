/* Few channels' samples to frames without gaps and back: each sample goes where it belongs, converted once, and nothing else is written.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/kernel/few_io.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 15, MOST = 131, GUARD = 8, ROOM = LANES * (MOST + 2 * GUARD) };

static const uint32_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, MOST};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* A number that neither float holds exactly nor a product with a gain: what is rounded where shows in the bits. */
static double number(uint32_t i) {
  const double edge[] = {0.0, -0.0, 1e-46, 1e39, -1e300, INFINITY, -INFINITY};
  return i % 11 == 10 ? edge[i / 11 % 7] : sin(1 + 0.7 * i) * exp2((double)(i % 50) - 25);
}

#define CASES(FROM, FROM_NAME, TO, TO_NAME)                                                           \
  static void take_##FROM_NAME##_##TO_NAME(void** state) {                                            \
    (void)state;                                                                                      \
    static FROM in[LANES][MOST + GUARD];                                                              \
    static TO x[ROOM];                                                                                \
    const FROM* channel[LANES];                                                                       \
    for (uint32_t l = 0; l < LANES; l++)                                                              \
      for (uint32_t f = 0; f < MOST + GUARD; f++) in[l][f] = (FROM)number(l * 1000 + f);              \
    for (uint32_t lanes = 1; lanes <= LANES; lanes++)                                                 \
      for (size_t i = 0; i < 2 * LENGTHS; i++) {                                                      \
        const uint32_t n = lengths[i / 2], shift = i % 2 ? 3 : 0;                                     \
        for (uint32_t l = 0; l < LANES; l++) channel[l] = in[l] + shift;                              \
        for (size_t k = 0; k < ROOM; k++) x[k] = 77;                                                  \
        mr_few_take_##FROM_NAME##_##TO_NAME(channel, lanes, n, x + GUARD);                            \
        for (size_t k = 0; k < ROOM; k++) {                                                           \
          const bool inside = k >= GUARD && k < GUARD + (size_t)n * lanes;                            \
          const TO expected = inside ? (TO)in[(k - GUARD) % lanes][shift + (k - GUARD) / lanes] : 77; \
          assert_memory_equal(&x[k], &expected, sizeof expected);                                     \
        }                                                                                             \
      }                                                                                               \
  }                                                                                                   \
  static void give_##FROM_NAME##_##TO_NAME(void** state) {                                            \
    (void)state;                                                                                      \
    static FROM x[ROOM];                                                                              \
    static TO out[LANES][MOST + 2 * GUARD], interleaved[ROOM];                                        \
    FROM gain[LANES];                                                                                 \
    TO* channel[LANES];                                                                               \
    for (size_t k = 0; k < ROOM; k++) x[k] = (FROM)number((uint32_t)k);                               \
    for (uint32_t l = 0; l < LANES; l++) gain[l] = (FROM)(l % 4 ? 0.1 * (l + 1) : 1);                 \
    for (uint32_t lanes = 1; lanes <= LANES; lanes++)                                                 \
      for (size_t i = 0; i < 2 * LENGTHS; i++) {                                                      \
        const uint32_t n = lengths[i / 2], shift = i % 2 ? GUARD - 3 : GUARD;                         \
        for (uint32_t l = 0; l < LANES; l++) {                                                        \
          channel[l] = out[l] + shift;                                                                \
          for (uint32_t f = 0; f < MOST + 2 * GUARD; f++) out[l][f] = 77;                             \
        }                                                                                             \
        for (size_t k = 0; k < ROOM; k++) interleaved[k] = 77;                                        \
        mr_few_give_##FROM_NAME##_##TO_NAME(x, lanes, n, gain, channel);                              \
        mr_few_give_interleaved_##FROM_NAME##_##TO_NAME(x, lanes, n, gain, interleaved + shift);      \
        for (uint32_t l = 0; l < LANES; l++)                                                          \
          for (uint32_t f = 0; f < MOST + 2 * GUARD; f++) {                                           \
            const bool inside = l < lanes && f >= shift && f < shift + n;                             \
            const FROM product = inside ? x[(size_t)(f - shift) * lanes + l] * gain[l] : 77;          \
            const TO expected = (TO)product;                                                          \
            assert_memory_equal(&out[l][f], &expected, sizeof expected);                              \
          }                                                                                           \
        for (size_t k = 0; k < ROOM; k++) {                                                           \
          const bool inside = k >= shift && k < shift + (size_t)n * lanes;                            \
          const FROM product = inside ? x[k - shift] * gain[(k - shift) % lanes] : 77;                \
          const TO expected = (TO)product;                                                            \
          assert_memory_equal(&interleaved[k], &expected, sizeof expected);                           \
        }                                                                                             \
      }                                                                                               \
  }

CASES(float, f32, float, f32)
CASES(float, f32, double, f64)
CASES(double, f64, float, f32)
CASES(double, f64, double, f64)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(take_f32_f32), cmocka_unit_test(take_f32_f64), cmocka_unit_test(take_f64_f32), cmocka_unit_test(take_f64_f64),
      cmocka_unit_test(give_f32_f32), cmocka_unit_test(give_f32_f64), cmocka_unit_test(give_f64_f32), cmocka_unit_test(give_f64_f64),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
