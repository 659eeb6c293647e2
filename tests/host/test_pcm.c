/* Samples to integers: nearest, saturated, counted.
   SPDX-License-Identifier: ISC */
#include "pcm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a sample has to become, by long double and the C library's own rounding. */
static long long expected(double x, unsigned bits, bool* clips) {
  const long double scale = ldexpl(1.0L, (int)bits - 1);
  if (isnan(x)) {
    *clips = false;
    return 0;
  }
  const long double v = (long double)x * scale;
  const long double rounded = isinf(x) ? v : rintl(v);
  *clips = rounded > scale - 1 || rounded < -scale;
  return rounded > scale - 1 ? (long long)scale - 1 : rounded < -scale ? -(long long)scale : (long long)rounded;
}

static long long step(unsigned bits) { return 1ll << ((bits <= 16 ? 16 : 32) - bits); }

static const unsigned all_bits[] = {8, 12, 16, 20, 24, 32};
enum { ALL = sizeof all_bits / sizeof all_bits[0], N = 4096 };

static long long got(const void* out, unsigned bits, size_t i) { return bits <= 16 ? ((const int16_t*)out)[i] : ((const int32_t*)out)[i]; }

static void fill(double* x, unsigned bits) {
  const double scale = ldexp(1.0, (int)bits - 1);
  const double special[] = {0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            1.0 - 0.5 / scale,
                            1.0 - 1.0 / scale,
                            -1.0 - 0.5 / scale,
                            -1.0 - 0.51 / scale,
                            1e300,
                            -1e300,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            1e-300,
                            0.5 / scale,
                            1.5 / scale,
                            -0.5 / scale,
                            -1.5 / scale,
                            2.5 / scale,
                            1.0 - 0.5001 / scale,
                            0.4999999 / scale,
                            1 + 1e-9};
  const size_t specials = sizeof special / sizeof special[0];
  srand(7);
  for (size_t i = 0; i < N; ++i) x[i] = i < specials ? special[i] : 2.4 * ((double)rand() / RAND_MAX - 0.5);
}

static void nearest_and_saturated_from_float64(void** state) {
  (void)state;
  static double x[N];
  static int32_t out[N];
  for (int b = 0; b < ALL; ++b) {
    fill(x, all_bits[b]);
    MrClip clip;
    memset(&clip, 0, sizeof clip);
    mr_pcm_from_f64(x, out, N, 1, all_bits[b], 100, &clip);
    uint64_t count = 0, first = 0;
    for (size_t i = 0; i < N; ++i) {
      bool clips = false;
      assert_int_equal(got(out, all_bits[b], i), expected(x[i], all_bits[b], &clips) * step(all_bits[b]));
      if (clips && !count++) first = i;
    }
    assert_int_equal(clip.count, count);
    assert_int_equal(clip.first_frame, 100 + first);
    assert_true(isinf(clip.peak));
  }
}

static void nearest_and_saturated_from_float32(void** state) {
  (void)state;
  static double x[N];
  static float y[N];
  static int32_t out[N];
  for (int b = 0; b < ALL; ++b) {
    fill(x, all_bits[b]);
    for (size_t i = 0; i < N; ++i) y[i] = (float)x[i];
    MrClip clip;
    memset(&clip, 0, sizeof clip);
    mr_pcm_from_f32(y, out, N, 1, all_bits[b], 0, &clip);
    for (size_t i = 0; i < N; ++i) {
      bool clips = false;
      assert_int_equal(got(out, all_bits[b], i), expected((double)y[i], all_bits[b], &clips) * step(all_bits[b]));
    }
  }
}

/* Every 24-bit integer, as libsndfile reads it, comes back. */
static void integers_come_back(void** state) {
  (void)state;
  static float y[N];
  static int32_t out[N];
  MrClip clip;
  memset(&clip, 0, sizeof clip);
  for (int base = -(1 << 23); base < 1 << 23; base += N) {
    for (int i = 0; i < N; ++i) y[i] = (float)(base + i) / 8388608.0f;
    mr_pcm_from_f32(y, out, N, 1, 24, 0, &clip);
    for (int i = 0; i < N; ++i)
      if (out[i] != (base + i) * 256) fail_msg("%d became %d", base + i, out[i] / 256);
  }
  assert_int_equal(clip.count, 0);
}

static void clips_are_those_of_their_channel(void** state) {
  (void)state;
  const float in[] = {0.0f, 1.5f, 0.0f, /**/ 0.1f, -2.0f, 0.0f, /**/ 0.2f, 0.0f, 1.25f};
  int16_t out[9];
  MrClip clip[3];
  memset(clip, 0, sizeof clip);
  mr_pcm_from_f32(in, out, 3, 3, 16, 1000, clip);
  mr_pcm_from_f32(in, out, 3, 3, 16, 2000, clip);
  assert_int_equal(clip[0].count, 0);
  assert_int_equal(clip[1].count, 4);
  assert_int_equal(clip[1].first_frame, 1000);
  assert_true(clip[1].peak == 2.0);
  assert_int_equal(clip[2].count, 2);
  assert_int_equal(clip[2].first_frame, 1002);
  assert_int_equal(out[8], 32767);
  assert_int_equal(out[4], -32768);
}

static void the_preamp_avoids_the_clip(void** state) {
  (void)state;
  assert_true(mr_pcm_preamp_db(0.5, 16) == 0.0);
  assert_true(isinf(mr_pcm_preamp_db(INFINITY, 16)));
  for (int b = 0; b < ALL; ++b) {
    for (int i = 0; i < 44; ++i) {
      const double peak = pow(1.37, i);
      const double db = mr_pcm_preamp_db(peak, all_bits[b]);
      const double in = peak * pow(10.0, db / 20);
      int32_t out[1];
      MrClip clip;
      memset(&clip, 0, sizeof clip);
      mr_pcm_from_f64(&in, out, 1, 1, all_bits[b], 0, &clip);
      assert_int_equal(clip.count, 0);
      assert_true(20 * log10(in) > 20 * log10(1 - ldexp(1.0, 1 - (int)all_bits[b])) - 0.0101); /* and no more than that */
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_and_saturated_from_float64),
      cmocka_unit_test(nearest_and_saturated_from_float32),
      cmocka_unit_test(integers_come_back),
      cmocka_unit_test(clips_are_those_of_their_channel),
      cmocka_unit_test(the_preamp_avoids_the_clip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
