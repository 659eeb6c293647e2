/* Checks of loads and stores of float32 tiles: the bits of the reference, and no byte beside the samples read or written. Text of the
   check_single*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_SINGLE_SAMPLES_H
#define MILLRACE_TESTS_SINGLE_SAMPLES_H

#include "single_sections.h"

typedef enum SampleType { SAMPLE_F32, SAMPLE_F64 } SampleType;

static size_t size_of(SampleType type) { return type == SAMPLE_F32 ? sizeof(float) : sizeof(double); }

/* Samples of every kind; a tenth at an edge, NaN with a payload and floats that round to subnormal ones among them. */
static void fill_samples(SampleType type, void* to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t kind = random_below(20);
    const double value = kind == 0 ? random_edge() : kind == 1 ? ldexp(random_signed(), -126 - (int)random_below(24)) : random_signed();
    if (type == SAMPLE_F32)
      ((float*)to)[i] = (float)value;
    else
      ((double*)to)[i] = value;
    if (kind == 2 && type == SAMPLE_F32) ((uint32_t*)to)[i] = 0x7fc00000u | ((uint32_t)random_bits() & 0x3fffffu);
  }
}

/* Equal samples; which NaN comes out of a product is left open. */
static void expect_samples(SampleType type, const void* got, const void* expected, size_t count, const char* name) {
  const size_t size = size_of(type);
  for (size_t i = 0; i < count; i++) {
    if (!memcmp((const char*)got + i * size, (const char*)expected + i * size, size)) continue;
    const double a = type == SAMPLE_F32 ? (double)((const float*)got)[i] : ((const double*)got)[i];
    const double b = type == SAMPLE_F32 ? (double)((const float*)expected)[i] : ((const double*)expected)[i];
    if (isnan(a) && isnan(b)) continue;
    fail("%s, sample %zu: %a, the reference %a", name, i, a, b);
    return;
  }
}

static void load_planar(const MrSingleKernels* k, SampleType type, void* const* in, uint32_t lanes, uint32_t n, float* x) {
  if (type == SAMPLE_F32)
    k->load_f32((const float* const*)in, lanes, n, x);
  else
    k->load_f64((const double* const*)in, lanes, n, x);
}

static void store_planar(const MrSingleKernels* k, SampleType type, const float* x, uint32_t lanes, uint32_t n, const float* gain,
                         void* const* out) {
  if (type == SAMPLE_F32)
    k->store_f32(x, lanes, n, gain, (float* const*)out);
  else
    k->store_f64(x, lanes, n, gain, (double* const*)out);
}

static void load_interleaved(const MrSingleKernels* k, SampleType type, const void* in, size_t stride, uint32_t lanes, uint32_t n,
                             float* x) {
  if (type == SAMPLE_F32)
    k->load_interleaved_f32(in, stride, lanes, n, x);
  else
    k->load_interleaved_f64(in, stride, lanes, n, x);
}

static void store_interleaved(const MrSingleKernels* k, SampleType type, const float* x, uint32_t n, const float* gain, void* out,
                              size_t stride, uint32_t lanes) {
  if (type == SAMPLE_F32)
    k->store_interleaved_f32(x, n, gain, out, stride, lanes);
  else
    k->store_interleaved_f64(x, n, gain, out, stride, lanes);
}

static void fill_tile(float* x, float* gain, uint32_t n) {
  fill_samples(SAMPLE_F32, x, n * MR_SINGLE_LANES);
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) gain[l] = random_below(4) ? ldexpf((float)random_signed(), (int)random_below(12)) : 1;
  memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
  memcpy(tile.gain1, gain, sizeof tile.gain1);
}

static void expect_tile(const float* x, const float* gain, uint32_t n) {
  expect_equal(x, tile.x1, n * MR_SINGLE_LANES * sizeof *x, "the tile");
  expect_equal(gain, tile.gain1, sizeof tile.gain1, "the gains");
  expect_untouched(&tile.x, "the tile");
  expect_untouched(&tile.gain, "the gains");
}

static void planar_load_case(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, uint32_t lanes, uint32_t n,
                             void* const* in) {
  float* x = place_floats(&tile.x, n * MR_SINGLE_LANES);
  fill(x, n * MR_SINGLE_LANES, SIGNAL_NOISE);
  memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x); /* lanes that are not loaded stay as they are */
  const bool flush = random_below(2);
  flush_subnormals(flush);
  load_planar(k, type, in, lanes, n, x);
  load_planar(reference, type, in, lanes, n, tile.x1);
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, MR_SINGLE_LANES, "the tile");
  expect_untouched(&tile.x, "the tile");
}

static void planar_store_case(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, uint32_t lanes, uint32_t n,
                              void* const* out, void* const* expected) {
  float *x = place_floats(&tile.x, n * MR_SINGLE_LANES), *gain = place_floats(&tile.gain, MR_SINGLE_LANES);
  fill_tile(x, gain, n);
  const bool flush = random_below(2);
  flush_subnormals(flush);
  store_planar(k, type, x, lanes, n, gain, out);
  store_planar(reference, type, x, lanes, n, gain, expected);
  flush_subnormals(false);
  expect_tile(x, gain, n);
}

/* Channels each between guard pages, at any alignment; lanes up to a multiple of four that stand for no channel share the last one's buffer. */
static void planar_case(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, bool store, uint32_t n) {
  void *channel[MR_SINGLE_LANES] = {NULL}, *expected[MR_SINGLE_LANES] = {NULL}, *buffer = NULL;
  const uint32_t lanes = 1 + random_below(MR_SINGLE_LANES);
  begin_case(store ? "planar store" : "planar load", 0, lanes, n, 0, 0);
  for (uint32_t l = 0; l < (lanes + 3) / 4 * 4; l++) {
    if (l < lanes) {
      buffer = place(&tile.channel[l], n * size_of(type), random_below(2), random_below(16) * size_of(type));
      fill_samples(type, buffer, n);
    }
    channel[l] = buffer;
    expected[l] = tile.expected + l * MR_CELL * sizeof(double);
    if (l < lanes) memcpy(expected[l], buffer, n * size_of(type));
  }
  if (store)
    planar_store_case(k, reference, type, lanes, n, channel, expected);
  else
    planar_load_case(k, reference, type, lanes, n, channel);
  for (uint32_t l = 0; l < lanes; l++) {
    expect_untouched(&tile.channel[l], "a channel");
    if (store && l + 1 < lanes) expect_samples(type, channel[l], expected[l], n, "output"); /* the last buffer may be shared */
    if (!store) expect_equal(channel[l], expected[l], n * size_of(type), "the input");
  }
}

/* Channels 2^shift samples apart in one block, each from an odd offset. */
static void planar_stride_case(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, uint32_t shift, uint32_t n) {
  const size_t size = size_of(type), stride = (size_t)1 << shift, bytes = MR_SINGLE_LANES * stride * size, offset = n + 3 < stride ? 3 : 0;
  begin_case("planar, channels a power of two apart", 0, MR_SINGLE_LANES, n, 0, (uint32_t)stride);
  unsigned char* block = place(&tile.block, bytes, random_below(2), size);
  void *channel[MR_SINGLE_LANES], *expected[MR_SINGLE_LANES];
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) {
    channel[l] = block + (l * stride + offset) * size;
    expected[l] = tile.expected + (l * stride + offset) * size;
    fill_samples(type, channel[l], n);
  }
  planar_load_case(k, reference, type, MR_SINGLE_LANES, n, channel);
  memset(block, 0x5a, bytes);
  memset(tile.expected, 0x5a, bytes);
  planar_store_case(k, reference, type, MR_SINGLE_LANES, n, channel, expected);
  expect_samples(type, block, tile.expected, MR_SINGLE_LANES * stride, "output and what lies between");
  expect_untouched(&tile.block, "the samples");
}

static void interleaved_case(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, bool store, uint32_t stride,
                             uint32_t lanes, uint32_t n) {
  begin_case(store ? "interleaved store" : "interleaved load", 0, lanes, n, 0, stride);
  const size_t samples = n ? (size_t)(n - 1) * stride + lanes : 0, bytes = samples * size_of(type);
  void* block = place(&tile.block, bytes, random_below(2), random_below(16) * size_of(type));
  fill_samples(type, block, samples);
  memcpy(tile.before, block, bytes);
  memcpy(tile.expected, block, bytes);
  float *x = place_floats(&tile.x, n * MR_SINGLE_LANES), *gain = place_floats(&tile.gain, MR_SINGLE_LANES);
  fill_tile(x, gain, n);
  const bool flush = random_below(2);
  flush_subnormals(flush);
  if (store) {
    store_interleaved(k, type, x, n, gain, block, stride, lanes);
    store_interleaved(reference, type, tile.x1, n, gain, tile.expected, stride, lanes);
  } else {
    load_interleaved(k, type, block, stride, lanes, n, x);
    load_interleaved(reference, type, tile.before, stride, lanes, n, tile.x1);
  }
  flush_subnormals(false);
  expect_samples(type, block, store ? tile.expected : tile.before, samples, store ? "output and what lies between" : "the input");
  for (size_t f = 0; f + 1 < n && store && lanes < stride; f++) /* what belongs to other channels keeps each bit */
    expect_equal((char*)block + (f * stride + lanes) * size_of(type), tile.before + (f * stride + lanes) * size_of(type),
                 (stride - lanes) * size_of(type), "another channel");
  if (!store) { /* lanes that stand for no channel hold anything */
    expect_lanes(x, tile.x1, n, lanes, "the tile");
    memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
  }
  expect_tile(x, gain, n);
  expect_untouched(&tile.block, "the samples");
}

static void check_planar(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, bool store, bool quick) {
  for (uint32_t i = 0; i < (quick ? 3u : 20u); i++)
    for (uint32_t n = 0; n <= MR_CELL; n++) planar_case(k, reference, type, store, n);
  for (uint32_t shift = 6; shift <= MAX_SHIFT; shift++)
    for (uint32_t i = 0; i < (quick ? 1u : 4u); i++)
      planar_stride_case(k, reference, type, shift, i == 0 ? MR_CELL : random_below(MR_CELL));
}

static void check_interleaved(const MrSingleKernels* k, const MrSingleKernels* reference, SampleType type, bool store, bool quick) {
  for (uint32_t stride = 1; stride <= MAX_STRIDE; stride++)
    for (uint32_t lanes = 1; lanes <= MR_SINGLE_LANES && lanes <= stride; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : 5u); i++)
        interleaved_case(k, reference, type, store, stride, lanes, random_below(i == 0 ? 6 : MR_CELL + 1));
}

#endif
