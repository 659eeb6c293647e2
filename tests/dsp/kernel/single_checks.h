/* Checks of the float32 kernels: each function against the reference of its class, and no byte beside its arrays read or written. Text
   of the check_single*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_SINGLE_CHECKS_H
#define MILLRACE_TESTS_SINGLE_CHECKS_H

#include <termios.h>

#include "../../../dsp/kernel/single.h"
#include "kernel_cases.h"

#define MAX_STRIDE  70u
#define MAX_SHIFT   13u /* planar channels lie up to 2^13 samples apart */
#define BLOCK_BYTES ((MR_SINGLE_LANES << MAX_SHIFT) * sizeof(double))

/* Kernels to check, and the text they are compared with. */
typedef struct Level {
  const char* name;
  const MrSingleKernels *kernels, *reference;
  bool runs;                             /* on this processor */
  void (*truth)(const MrSingleKernels*); /* for a reference: what checks it itself */
} Level;

static struct {
  Region x, coef, state, gain, channel[MR_SINGLE_LANES], block;
  unsigned char *before, *expected; /* copies of the block */
  _Alignas(MR_ALIGN) float x1[MR_CELL * MR_SINGLE_LANES], coef1[MAX_SECTIONS * MR_SINGLE_COEF_STRIDE],
      state1[MAX_SECTIONS * MR_SINGLE_STATE_STRIDE], gain1[MR_SINGLE_LANES];
} tile;

static void make_regions(void) {
  tile.x = new_region(sizeof tile.x1);
  tile.coef = new_region(sizeof tile.coef1);
  tile.state = new_region(sizeof tile.state1);
  tile.gain = new_region(sizeof tile.gain1);
  for (uint32_t l = 0; l < MR_SINGLE_LANES; l++) tile.channel[l] = new_region(2 * MR_CELL * sizeof(double));
  tile.block = new_region(BLOCK_BYTES + sizeof(double)); /* at any sample */
  const size_t bytes = BLOCK_BYTES;
  tile.before = malloc(bytes);
  tile.expected = malloc(bytes);
  if (!tile.before || !tile.expected) exit(2);
}

/* Aligned as tiles and coefficients are: every count of them is a whole number of MR_ALIGN bytes. */
static float* place_floats(Region* r, size_t count) { return place(r, count * sizeof(float), random_below(2), 0); }

static void put_single_section(float* coef, uint32_t lane, const MrSection* q) {
  coef[lane] = (float)q->s;
  coef[MR_SINGLE_LANES + lane] = (float)q->P;
  coef[2 * MR_SINGLE_LANES + lane] = (float)q->D;
  coef[3 * MR_SINGLE_LANES + lane] = (float)q->e1;
  coef[4 * MR_SINGLE_LANES + lane] = (float)q->e2;
}

/* ---------------------------------------------------------------- samples */

typedef enum Signal { SIGNAL_NOISE, SIGNAL_ZEROS, SIGNAL_TINY, SIGNAL_FLUSHED, SIGNAL_EDGES, SIGNALS } Signal;

static double random_sample(Signal signal) {
  switch (signal) {
    case SIGNAL_ZEROS:
      return random_below(2) ? 0.0 : -0.0;
    case SIGNAL_TINY:
    case SIGNAL_FLUSHED: /* subnormal floats, and floats that products of two make subnormal */
      return ldexp(random_signed(), random_below(2) ? -130 : -70);
    case SIGNAL_EDGES:
      return random_below(4) ? random_signed() : random_edge();
    default:
      return random_signed();
  }
}

static void fill(float* x, size_t count, Signal signal) {
  for (size_t i = 0; i < count; i++) x[i] = (float)random_sample(signal);
}

/* Equal to the bit; but which of two NaN an operation passes on is left open. */
static bool same_floats(float a, float b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* Lanes 0 .. lanes-1 of `rows` rows of a tile. */
static void expect_lanes(const float* got, const float* expected, uint32_t rows, uint32_t lanes, const char* name) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t l = 0; l < lanes; l++)
      if (!same_floats(got[i * MR_SINGLE_LANES + l], expected[i * MR_SINGLE_LANES + l])) {
        fail("%s, row %u, lane %u: %a, the reference %a", name, i, l, (double)got[i * MR_SINGLE_LANES + l],
             (double)expected[i * MR_SINGLE_LANES + l]);
        return;
      }
}

/* ---------------------------------------------------------------- sections */

static void settled_case(const MrSingleKernels* k, const MrSingleKernels* reference, uint32_t sections, uint32_t lanes, uint32_t n,
                         Signal signal) {
  begin_case("settled", sections, lanes, n, signal, 0);
  float* x = place_floats(&tile.x, n * MR_SINGLE_LANES);
  float* coef = place_floats(&tile.coef, sections * MR_SINGLE_COEF_STRIDE);
  float* state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
  const bool whole = random_below(2);
  for (uint32_t s = 0; s < sections; s++)
    for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
      put_single_section(coef + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
  fill(x, n * MR_SINGLE_LANES, signal);
  fill(state, sections * MR_SINGLE_STATE_STRIDE, signal == SIGNAL_EDGES ? SIGNAL_NOISE : signal);
  memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
  memcpy(tile.coef1, coef, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef);
  memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
  flush_subnormals(signal == SIGNAL_FLUSHED);
  reference->run_settled(tile.x1, n, tile.coef1, tile.state1, sections, lanes);
  for (uint32_t f = 0; f < n;) { /* in one part or in several: that changes no bit */
    const uint32_t part = whole ? n : 1 + random_below(n - f);
    k->run_settled(x + f * MR_SINGLE_LANES, part, coef, state, sections, lanes);
    f += part;
  }
  if (n == 0) k->run_settled(x, 0, coef, state, sections, lanes);
  flush_subnormals(false);
  expect_lanes(x, tile.x1, n, lanes, "samples");
  expect_lanes(state, tile.state1, sections * MR_STATE_ROWS, lanes, "state");
  expect_equal(coef, tile.coef1, sections * MR_SINGLE_COEF_STRIDE * sizeof *coef, "coefficients");
  expect_untouched(&tile.x, "the samples");
  expect_untouched(&tile.coef, "the coefficients");
  expect_untouched(&tile.state, "the state");
}

/* A lane that is poisoned changes no bit of the others. */
static void lane_isolation(const MrSingleKernels* k) {
  static const float poison[] = {NAN, -NAN, INFINITY, -INFINITY, 3e38f};
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t sections = 1 + random_below(9), bad = i % MR_SINGLE_LANES, n = 1 + random_below(MR_CELL);
    begin_case("settled, one lane poisoned", sections, MR_SINGLE_LANES, n, bad, 0);
    float *x = place_floats(&tile.x, n * MR_SINGLE_LANES), *state = place_floats(&tile.state, sections * MR_SINGLE_STATE_STRIDE);
    for (uint32_t s = 0; s < sections; s++)
      for (uint32_t l = 0; l < MR_SINGLE_LANES; l++)
        put_single_section(tile.coef1 + s * MR_SINGLE_COEF_STRIDE, l, &section_pool[random_below(POOL)]);
    fill(x, n * MR_SINGLE_LANES, SIGNAL_NOISE);
    fill(state, sections * MR_SINGLE_STATE_STRIDE, SIGNAL_NOISE);
    memcpy(tile.x1, x, n * MR_SINGLE_LANES * sizeof *x);
    memcpy(tile.state1, state, sections * MR_SINGLE_STATE_STRIDE * sizeof *state);
    for (uint32_t f = 0; f < n; f++) x[f * MR_SINGLE_LANES + bad] = poison[i % 5];
    k->run_settled(tile.x1, n, tile.coef1, tile.state1, sections, MR_SINGLE_LANES);
    k->run_settled(x, n, tile.coef1, state, sections, MR_SINGLE_LANES);
    for (uint32_t f = 0; f < n; f++) x[f * MR_SINGLE_LANES + bad] = tile.x1[f * MR_SINGLE_LANES + bad];
    expect_equal(x, tile.x1, n * MR_SINGLE_LANES * sizeof *x, "another lane's samples");
    for (uint32_t j = 0; j < sections * MR_STATE_ROWS; j++) state[j * MR_SINGLE_LANES + bad] = tile.state1[j * MR_SINGLE_LANES + bad];
    expect_equal(state, tile.state1, sections * MR_SINGLE_STATE_STRIDE * sizeof *state, "another lane's state");
  }
}

/* Every number of sections with every number of lanes; every number of frames, in the complete run with each of those. */
static void check_settled(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick) {
  uint32_t n = 0;
  for (uint32_t s = 0; s <= 21; s++)
    for (uint32_t lanes = 1; lanes <= MR_SINGLE_LANES; lanes++)
      for (uint32_t i = 0; i < (quick ? 1u : 9u); i++) {
        settled_case(k, reference, s == 21 ? MAX_SECTIONS : s, lanes, n, (Signal)random_below(SIGNALS));
        n = (n + 1) % (MR_CELL + 1);
      }
  lane_isolation(k);
}

/* ---------------------------------------------------------------- loads and stores */

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

/* ---------------------------------------------------------------- the table and the program around it */

#define IO_CHECK(name, check, type, store) \
  static void check_##name(const MrSingleKernels* k, const MrSingleKernels* r, bool quick) { check(k, r, type, store, quick); }
IO_CHECK(load_f32, check_planar, SAMPLE_F32, false)
IO_CHECK(load_f64, check_planar, SAMPLE_F64, false)
IO_CHECK(store_f32, check_planar, SAMPLE_F32, true)
IO_CHECK(store_f64, check_planar, SAMPLE_F64, true)
IO_CHECK(load_interleaved_f32, check_interleaved, SAMPLE_F32, false)
IO_CHECK(load_interleaved_f64, check_interleaved, SAMPLE_F64, false)
IO_CHECK(store_interleaved_f32, check_interleaved, SAMPLE_F32, true)
IO_CHECK(store_interleaved_f64, check_interleaved, SAMPLE_F64, true)

static const struct {
  const char* name;
  size_t pointer;
  void (*check)(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick);
} functions[] = {
#define FUNCTION(name) \
  { #name, offsetof(MrSingleKernels, name), check_##name }
    FUNCTION(load_f32),
    FUNCTION(load_f64),
    FUNCTION(store_f32),
    FUNCTION(store_f64),
    FUNCTION(load_interleaved_f32),
    FUNCTION(load_interleaved_f64),
    FUNCTION(store_interleaved_f32),
    FUNCTION(store_interleaved_f64),
    {"run_settled", offsetof(MrSingleKernels, run_settled), check_settled},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

_Static_assert(sizeof(MrSingleKernels) == offsetof(MrSingleKernels, load_f32) + FUNCTIONS * sizeof(void (*)(void)),
               "a function of MrSingleKernels has no line in the table of checks");

static struct { unsigned passed, failed; } total;

static sigjmp_buf after_fault;

static void fault(int signal_number) { siglongjmp(after_fault, signal_number); }

/* Runs one line of the table, or what checks a reference itself; a fault of memory is a failure of that line. */
static void run_line(const Level* level, size_t function, bool quick) {
  const bool truth = function == FUNCTIONS;
  now.failures = 0;
  now.number = 0;
  random_state = 1; /* a line alone does what it does in the complete run */
  const int signal_number = sigsetjmp(after_fault, 1);
  if (signal_number == 0) {
    fill_section_pool();
    if (truth)
      level->truth(level->kernels);
    else
      functions[function].check(level->kernels, level->reference, quick);
  } else {
    flush_subnormals(false);
    fail("%s", strsignal(signal_number));
  }
  printf("%s %s %s (%" PRIu64 " cases)\n", now.failures ? "FAILED" : "ok    ", level->name,
         truth ? "its meaning" : functions[function].name, now.number);
  if (now.failures || now.number == 0)
    total.failed++;
  else
    total.passed++;
}

static void run_level(const Level* level, bool quick) {
  const MrSingleKernels* k = level->kernels;
  if (k->fused != level->reference->fused || k->sections_per_pass < 1) {
    printf("FAILED %s: its class is not that of its reference\n", level->name);
    total.failed++;
  }
  for (size_t i = 0; i < FUNCTIONS; i++) run_line(level, i, quick);
  if (level->truth) run_line(level, FUNCTIONS, quick);
}

/* Options: --quick, --level=NAME. Returns the exit status. */
static int check_levels(int argc, char** argv, const Level* levels, size_t count) {
  bool quick = false, found = false;
  const char* only = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--quick")) {
      quick = true;
    } else if (!strncmp(argv[i], "--level=", 8)) {
      only = argv[i] + 8;
    } else {
      fprintf(stderr, "use: %s [--quick] [--level=NAME]\n", argv[0]);
      return 2;
    }
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_regions();
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGBUS, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGILL, &(struct sigaction){.sa_handler = fault}, NULL);
  for (size_t i = 0; i < count; i++) {
    if (only && strcmp(only, levels[i].name)) continue;
    found = true;
    if (levels[i].runs) {
      run_level(&levels[i], quick);
    } else {
      printf("left out: %s (not on this processor)\n", levels[i].name);
      if (only) total.failed++; /* asked for by name */
    }
  }
  if (!found) {
    fprintf(stderr, "%s: there is no level %s\n", argv[0], only);
    return 2;
  }
  printf("%u passed, %u failed\n", total.passed, total.failed);
  fflush(stdout);
  tcdrain(STDOUT_FILENO); /* as the only program of an emulated machine, this ends the machine */
  return total.failed ? 1 : 0;
}

#endif
