/* Checks of loads and stores: the bits of the reference, and no byte beside the samples read or written.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_SAMPLES_H
#define MILLRACE_TESTS_KERNEL_SAMPLES_H

#include "kernel_doubles.h"

#define MAX_STRIDE   70u
#define MAX_SHIFT    13u /* planar channels lie up to 2^13 samples apart */
#define PLANAR_BYTES ((MR_LANES << MAX_SHIFT) * sizeof(double))

typedef enum SampleType { SAMPLE_F32, SAMPLE_F64 } SampleType;

static struct {
  Region channel[MR_LANES], block, x, gain;
  unsigned char *before, *expected; /* copies of the block */
  _Alignas(MR_ALIGN) double x1[MR_CELL * MR_LANES], gain1[MR_LANES];
} io;

static void make_sample_regions(void) {
  for (uint32_t l = 0; l < MR_LANES; l++) io.channel[l] = new_region(2 * MR_CELL * sizeof(double));
  io.block = new_region(PLANAR_BYTES + sizeof(double)); /* at any sample */
  io.x = new_region(sizeof io.x1);
  io.gain = new_region(sizeof io.gain1);
  const size_t bytes = PLANAR_BYTES;
  io.before = malloc(bytes);
  io.expected = malloc(bytes);
  if (!io.before || !io.expected) exit(2);
}

static size_t size_of(SampleType type) { return type == SAMPLE_F32 ? sizeof(float) : sizeof(double); }

static void put_sample(SampleType type, void* to, size_t index, double value) {
  if (type == SAMPLE_F32)
    ((float*)to)[index] = (float)value;
  else
    ((double*)to)[index] = value;
}

/* Samples of every kind; a tenth at an edge, NaN with a payload among them. */
static void fill_samples(SampleType type, void* to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t kind = random_below(20);
    put_sample(type, to, i, kind == 0 ? random_edge() : kind == 1 ? random_tiny() : random_signed());
    if (kind == 2 && type == SAMPLE_F32) ((uint32_t*)to)[i] = 0x7fc00000u | (uint32_t)random_bits();
    if (kind == 2 && type == SAMPLE_F64) ((uint64_t*)to)[i] = 0x7ff8000000000000u | random_bits();
    if (kind == 3) put_sample(type, to, i, ldexp(random_signed(), -126 - (int)random_below(24))); /* subnormal in float32 */
  }
}

static void fill_tile(double* x, double* gain, uint32_t n) {
  fill_samples(SAMPLE_F64, x, n * MR_LANES);
  for (uint32_t l = 0; l < MR_LANES; l++) gain[l] = random_below(4) ? ldexp(random_signed(), (int)random_below(12)) : 1;
  memcpy(io.x1, x, n * MR_LANES * sizeof *x);
  memcpy(io.gain1, gain, sizeof io.gain1);
}

static float peak_by_numbers(const float* x, uint32_t n) {
  float most = 0;
  for (uint32_t f = 0; f < n; f++) most = isnan(x[f]) ? INFINITY : fmaxf(most, fabsf(x[f]));
  return most;
}

/* The peak among samples of every kind, and of one sample anywhere among smaller ones. */
static void check_peak_f32(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t n = 0; n <= 2 * MR_CELL; n++)
    for (uint32_t i = 0; i < (quick ? 2u : 20u); i++) {
      begin_case("peak_f32", 0, ANY_LANES, n, 0, i);
      float* x = place(&io.channel[0], n * sizeof *x, i & 1, 0);
      if (i & 2) {
        for (uint32_t f = 0; f < n; f++) x[f] = (float)(0.5 * random_signed());
        if (n) x[random_below(n)] = random_below(2) ? 0.75f : random_below(2) ? -1e20f : NAN;
      } else {
        fill_samples(SAMPLE_F32, x, n);
      }
      const float expected = peak_by_numbers(x, n);
      flush_subnormals(i & 1);
      const float peak = k->peak_f32(x, n);
      flush_subnormals(false);
      expect_equal(&peak, &expected, sizeof peak, "the peak");
    }
}

static void expect_tile(const double* x, const double* gain, uint32_t n) {
  expect_equal(x, io.x1, n * MR_LANES * sizeof *x, "the tile");
  expect_equal(gain, io.gain1, sizeof io.gain1, "the gains");
  expect_untouched(&io.x, "the tile");
  expect_untouched(&io.gain, "the gains");
}

/* Equal samples; which NaN comes out of a product is left open. */
static void expect_samples(SampleType type, const void* got, const void* expected, size_t count, const char* name) {
  for (size_t i = 0; i < count; i++) {
    const size_t size = size_of(type);
    if (!memcmp((const char*)got + i * size, (const char*)expected + i * size, size)) continue;
    const double a = type == SAMPLE_F32 ? (double)((const float*)got)[i] : ((const double*)got)[i];
    const double b = type == SAMPLE_F32 ? (double)((const float*)expected)[i] : ((const double*)expected)[i];
    if (isnan(a) && isnan(b)) continue;
    fail("%s, sample %zu: %a, the reference %a", name, i, a, b);
    return;
  }
}

static void load_planar(const MrKernels* k, SampleType type, void* const* in, uint32_t n, double* x) {
  if (type == SAMPLE_F32)
    k->load_f32((const float* const*)in, n, x);
  else
    k->load_f64((const double* const*)in, n, x);
}

static void store_planar(const MrKernels* k, SampleType type, const double* x, uint32_t n, const double* gain, void* const* out) {
  if (type == SAMPLE_F32)
    k->store_f32(x, n, gain, (float* const*)out);
  else
    k->store_f64(x, n, gain, (double* const*)out);
}

static void load_interleaved(const MrKernels* k, SampleType type, const void* in, size_t stride, uint32_t lanes, uint32_t n, double* x) {
  if (type == SAMPLE_F32)
    k->load_interleaved_f32(in, stride, lanes, n, x);
  else
    k->load_interleaved_f64(in, stride, lanes, n, x);
}

static void store_interleaved(const MrKernels* k, SampleType type, const double* x, uint32_t n, const double* gain, void* out,
                              size_t stride, uint32_t lanes) {
  if (type == SAMPLE_F32)
    k->store_interleaved_f32(x, n, gain, out, stride, lanes);
  else
    k->store_interleaved_f64(x, n, gain, out, stride, lanes);
}

/* Channels each between guard pages, at any alignment; lanes that stand for no channel share the last one's buffer. */
static void place_channels(SampleType type, uint32_t n, uint32_t lanes, void* channel[MR_LANES]) {
  void* buffer = NULL;
  for (uint32_t l = 0; l < MR_LANES; l++) {
    if (l < lanes) {
      buffer = place(&io.channel[l], n * size_of(type), random_below(2), random_below(16) * size_of(type));
      fill_samples(type, buffer, n);
    }
    channel[l] = buffer;
  }
}

static void planar_load_case(const MrKernels* k, const MrKernels* reference, SampleType type, uint32_t n) {
  void* in[MR_LANES];
  const uint32_t lanes = 1 + random_below(MR_LANES);
  begin_case("planar load", 0, lanes, n, 0, 0);
  place_channels(type, n, lanes, in);
  double* x = place_doubles(&io.x, n * MR_LANES, random_below(2));
  for (uint32_t l = 0; l < lanes; l++) memcpy(io.before + l * MR_CELL * sizeof(double), in[l], n * size_of(type));
  const bool flush = random_below(2);
  flush_subnormals(flush);
  load_planar(k, type, in, n, x);
  load_planar(reference, type, in, n, io.x1);
  flush_subnormals(false);
  expect_equal(x, io.x1, n * MR_LANES * sizeof *x, "a sample on its way to the tile");
  for (uint32_t l = 0; l < lanes; l++) {
    expect_equal(in[l], io.before + l * MR_CELL * sizeof(double), n * size_of(type), "the input");
    expect_untouched(&io.channel[l], "the input");
  }
  expect_untouched(&io.x, "the tile");
}

static void planar_store_case(const MrKernels* k, const MrKernels* reference, SampleType type, uint32_t n) {
  void *out[MR_LANES], *expected[MR_LANES];
  const uint32_t lanes = 1 + random_below(MR_LANES);
  begin_case("planar store", 0, lanes, n, 0, 0);
  place_channels(type, n, lanes, out);
  for (uint32_t l = 0; l < MR_LANES; l++) expected[l] = io.expected + l * MR_CELL * sizeof(double);
  double* x = place_doubles(&io.x, n * MR_LANES, random_below(2));
  double* gain = place_doubles(&io.gain, MR_LANES, random_below(2));
  fill_tile(x, gain, n);
  const bool flush = random_below(2);
  flush_subnormals(flush);
  store_planar(k, type, x, n, gain, out);
  store_planar(reference, type, x, n, gain, expected);
  flush_subnormals(false);
  for (uint32_t l = 0; l < lanes; l++) {
    if (l + 1 < lanes || lanes == MR_LANES) expect_samples(type, out[l], expected[l], n, "output"); /* the last buffer may be shared */
    expect_untouched(&io.channel[l], "the output");
  }
  expect_tile(x, gain, n);
}

/* Channels 2^shift samples apart in one block, each from an odd offset. */
static void planar_stride_case(const MrKernels* k, const MrKernels* reference, SampleType type, uint32_t shift, uint32_t n) {
  const size_t size = size_of(type), stride = (size_t)1 << shift, bytes = (MR_LANES * stride) * size;
  const size_t offset = n + 3 < stride ? 3 : 0;
  begin_case("planar, channels a power of two apart", 0, MR_LANES, n, 0, (uint32_t)stride);
  unsigned char* block = place(&io.block, bytes, random_below(2), size);
  void *channel[MR_LANES], *expected[MR_LANES];
  for (uint32_t l = 0; l < MR_LANES; l++) {
    channel[l] = block + (l * stride + offset) * size;
    expected[l] = io.expected + (l * stride + offset) * size;
    fill_samples(type, channel[l], n);
  }
  double *x = place_doubles(&io.x, n * MR_LANES, false), *gain = place_doubles(&io.gain, MR_LANES, false);
  load_planar(k, type, channel, n, x);
  load_planar(reference, type, channel, n, io.x1);
  expect_equal(x, io.x1, n * MR_LANES * sizeof *x, "a sample on its way to the tile");
  fill_tile(x, gain, n);
  memset(block, 0x5a, bytes);
  memset(io.expected, 0x5a, bytes);
  store_planar(k, type, x, n, gain, channel);
  store_planar(reference, type, x, n, gain, expected);
  expect_samples(type, block, io.expected, MR_LANES * stride, "output and what lies between");
  expect_tile(x, gain, n);
  expect_untouched(&io.block, "the samples");
}

static void interleaved_case(const MrKernels* k, const MrKernels* reference, SampleType type, bool store, uint32_t stride, uint32_t lanes,
                             uint32_t n) {
  begin_case(store ? "interleaved store" : "interleaved load", 0, lanes, n, 0, stride);
  const size_t samples = n ? (size_t)(n - 1) * stride + lanes : 0, bytes = samples * size_of(type);
  void* block = place(&io.block, bytes, random_below(2), random_below(16) * size_of(type));
  fill_samples(type, block, samples);
  memcpy(io.before, block, bytes);
  memcpy(io.expected, block, bytes);
  double* x = place_doubles(&io.x, n * MR_LANES, random_below(2));
  double* gain = place_doubles(&io.gain, MR_LANES, random_below(2));
  fill_tile(x, gain, n);
  const bool flush = random_below(2);
  flush_subnormals(flush);
  const uint32_t lane = lanes == 1 ? random_below(MR_LANES) : 0; /* a single lane may be any of the tile's */
  if (store) {
    store_interleaved(k, type, x + lane, n, gain + lane, block, stride, lanes);
    store_interleaved(reference, type, io.x1 + lane, n, gain + lane, io.expected, stride, lanes);
  } else {
    load_interleaved(k, type, block, stride, lanes, n, x + lane);
    load_interleaved(reference, type, io.before, stride, lanes, n, io.x1 + lane);
  }
  flush_subnormals(false);
  expect_samples(type, block, store ? io.expected : io.before, samples, store ? "output and what lies between" : "the input");
  for (size_t f = 0; f < n && store; f++) /* what belongs to other channels keeps each bit */
    if (f + 1 < n && lanes < stride)
      expect_equal((char*)block + (f * stride + lanes) * size_of(type), io.before + (f * stride + lanes) * size_of(type),
                   (stride - lanes) * size_of(type), "another channel");
  if (!store) { /* lanes that stand for no channel hold anything */
    for (uint32_t f = 0; f < n; f++)
      expect_equal(x + f * MR_LANES, io.x1 + f * MR_LANES, lanes * sizeof *x, "a sample on its way to the tile");
    memcpy(io.x1, x, n * MR_LANES * sizeof *x);
  }
  expect_tile(x, gain, n);
  expect_untouched(&io.block, "the samples");
}

static void check_planar(const MrKernels* k, const MrKernels* reference, SampleType type, bool store, bool quick) {
  for (uint32_t i = 0; i < (quick ? 3u : 40u); i++)
    for (uint32_t n = 0; n <= MR_CELL; n++) {
      if (store)
        planar_store_case(k, reference, type, n);
      else
        planar_load_case(k, reference, type, n);
    }
  for (uint32_t shift = 6; shift <= MAX_SHIFT; shift++)
    for (uint32_t i = 0; i < (quick ? 2u : 10u); i++)
      planar_stride_case(k, reference, type, shift, i == 0 ? MR_CELL : random_below(MR_CELL));
}

static void check_interleaved(const MrKernels* k, const MrKernels* reference, SampleType type, bool store, bool quick) {
  for (uint32_t stride = 1; stride <= MAX_STRIDE; stride++)
    for (uint32_t lanes = 1; lanes <= MR_LANES && lanes <= stride; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : 20u); i++)
        interleaved_case(k, reference, type, store, stride, lanes, random_below(i == 0 ? 6 : MR_CELL + 1));
}

static void check_load_f32(const MrKernels* k, const MrKernels* r, bool quick) { check_planar(k, r, SAMPLE_F32, false, quick); }
static void check_load_f64(const MrKernels* k, const MrKernels* r, bool quick) { check_planar(k, r, SAMPLE_F64, false, quick); }
static void check_store_f32(const MrKernels* k, const MrKernels* r, bool quick) { check_planar(k, r, SAMPLE_F32, true, quick); }
static void check_store_f64(const MrKernels* k, const MrKernels* r, bool quick) { check_planar(k, r, SAMPLE_F64, true, quick); }

static void check_load_interleaved_f32(const MrKernels* k, const MrKernels* r, bool quick) {
  check_interleaved(k, r, SAMPLE_F32, false, quick);
}
static void check_load_interleaved_f64(const MrKernels* k, const MrKernels* r, bool quick) {
  check_interleaved(k, r, SAMPLE_F64, false, quick);
}
static void check_store_interleaved_f32(const MrKernels* k, const MrKernels* r, bool quick) {
  check_interleaved(k, r, SAMPLE_F32, true, quick);
}
static void check_store_interleaved_f64(const MrKernels* k, const MrKernels* r, bool quick) {
  check_interleaved(k, r, SAMPLE_F64, true, quick);
}

#endif
