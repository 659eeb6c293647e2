/* The checks of the way between interleaved streams and groups. Text of block_checks.h.
   SPDX-License-Identifier: ISC */

enum { STREAM_MOST = 2 * 8 * 16 * 128, STREAM_APART = 48 };

static double number_at(const void* p, size_t i, bool single) { return single ? (double)((const float*)p)[i] : ((const double*)p)[i]; }

static void put_number(void* p, size_t i, double value, bool single) {
  if (single)
    ((float*)p)[i] = (float)value;
  else
    ((double*)p)[i] = value;
}

static double rounded(double value, bool single) { return single ? (double)(float)value : value; }

/* Sample n of channel c is in block n mod N, lane n / N of its group; and back, times a gain. `narrow`: float32 streams. */
static void check_stream(const MrBlockKernels* k, uint32_t lanes, uint32_t blocks, uint32_t channels, bool narrow) {
  static _Alignas(64) double stream[MR_BLOCK_CHANNELS * STREAM_MOST + 8], x[MR_BLOCK_CHANNELS * (STREAM_MOST + STREAM_APART)];
  const MrBlockShape shape = {lanes, blocks, 2};
  const uint32_t group = lanes * blocks, frames = 2 * group;
  const size_t step = frames + STREAM_APART, size = narrow ? sizeof(float) : sizeof(double);
  const double gain[MR_BLOCK_CHANNELS] = {0.7, -3, 1e-3, 1};
  _Alignas(64) double gains[MR_BLOCK_CHANNELS];
  for (uint32_t c = 0; c < channels; c++) put_number(gains, c, gain[c], k->single);
  char* at = (char*)stream + size; /* aligned to its samples only */
  for (uint32_t i = 0; i < frames * channels; i++) put_number(at, i, i / 3.0, narrow);
  memset(x, 0xff, sizeof x);
  if (narrow)
    k->take_f32((const float*)(const void*)at, channels, x, step, &shape);
  else
    k->take_f64((const double*)(const void*)at, channels, x, step, &shape);
  for (uint32_t i = 0; i < frames * channels; i++) {
    const uint32_t c = i % channels, n = i / channels, g = n / group;
    const size_t place = c * step + (size_t)g * group + n % blocks * lanes + n % group / blocks;
    if (number_at(x, place, k->single) != rounded(rounded(i / 3.0, narrow), k->single)) block_line.failures++;
  }
  for (uint32_t c = 0; c < channels; c++) /* nothing between the channels is touched */
    for (size_t i = frames; i < step; i++)
      if (number_at(x, c * step + i, k->single) == number_at(x, c * step + i, k->single)) block_line.failures++;
  memset(stream, 0xff, sizeof stream);
  if (narrow)
    k->give_f32(x, step, gains, &shape, channels, (float*)(void*)at);
  else
    k->give_f64(x, step, gains, &shape, channels, (double*)(void*)at);
  for (uint32_t i = 0; i < frames * channels; i++) {
    const double sample = rounded(rounded(i / 3.0, narrow), k->single), factor = rounded(gain[i % channels], k->single);
    if (number_at(at, i, narrow) != rounded(rounded(sample * factor, k->single), narrow)) block_line.failures++;
  }
  if (number_at(stream, 0, narrow) == number_at(stream, 0, narrow)) block_line.failures++;
  const double behind = number_at(at, (size_t)frames * channels, narrow);
  if (behind == behind) block_line.failures++;
}

static void check_streams(const BlockLevel* level, uint32_t lanes, uint32_t blocks) {
  begin_line();
  for (uint32_t channels = 1; channels <= MR_BLOCK_CHANNELS; channels++)
    for (uint32_t narrow = 0; narrow < 2; narrow++) check_stream(level->kernels, lanes, blocks, channels, narrow);
  end_line(level, "interleaved streams", lanes, blocks);
}

/* Poison at every place of arrays of several lengths is found; what is just below it is none. */
static void check_poison(const BlockLevel* level) {
  const MrBlockKernels* k = level->kernels;
  const double poison[] = {0x1p50, -0x1p50, INFINITY, -INFINITY, NAN}, least = k->single ? 0x1p50 - 0x1p26 : 0x1p50 - 0x1p-3;
  static _Alignas(64) double x[80];
  begin_line();
  for (uint32_t n = 0; n < 70; n++) {
    for (uint32_t i = 0; i < 80; i++) put_number(x, i, i < n ? (i % 2 ? least : -least) : NAN, k->single);
    if (k->is_poisoned(x, n)) block_line.failures++;
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < sizeof poison / sizeof *poison; j++) {
        put_number(x, i, poison[j], k->single);
        if (!k->is_poisoned(x, n)) block_line.failures++;
        put_number(x, i, least, k->single);
      }
  }
  end_line(level, "poison", k->width, 1);
}

/* A cascade run on groups as they lie has the bits of one run on samples in their order, and goes on from the same state. */
static void check_groups(const BlockLevel* level, uint32_t lanes, uint32_t blocks) {
  enum { GROUPS = 2, REST = 300 };
  const MrBlockKernels* k = level->kernels;
  const Case* c = &block_case[1];
  const size_t size = k->single ? sizeof(float) : sizeof(double);
  const uint32_t frames = GROUPS * lanes * blocks;
  const MrBlockShape shape = {lanes, blocks, GROUPS};
  static _Alignas(64) double x[STREAM_MOST], got_out[STREAM_MOST];
  begin_line();
  if (frames + REST > CASE_MOST_FRAMES) abort();
  _Static_assert(CASE_MOST_FRAMES - REST <= STREAM_MOST, "a stream holds what is left");
  for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) {
    const MrBlockOptions options = {.families = 1U << family, .lanes = lanes, .blocks = blocks, .kernels = k};
    MrStatus status;
    MrBlockCascade* cascade[2] = {mr_block_cascade_new(&options, c->section, c->sections, &status),
                                  mr_block_cascade_new(&options, c->section, c->sections, &status)};
    double last[2][CASE_MOST_SECTIONS][2];
    if (cascade[0] && cascade[1]) {
      put_input(k, c, CASE_MOST_FRAMES);
      mr_block_cascade_run(cascade[0], block_in, block_out, frames);
      k->permute(block_in, x, &shape);
      mr_block_cascade_run_groups(cascade[1], x, 0);
      mr_block_cascade_run_groups(cascade[1], x, 1);
      mr_block_cascade_run_groups(cascade[1], (char*)x + (size_t)lanes * blocks * size, GROUPS - 1);
      k->depermute(x, got_out, &shape);
      if (memcmp(got_out, block_out, frames * size)) block_fail(c, mr_block_family_name((MrBlockFamily)family), 1, 0);
      for (uint32_t i = 0; i < 2; i++) mr_block_cascade_get_direct(cascade[i], last[i]);
      if (memcmp(last[0], last[1], c->sections * sizeof *last[0])) block_fail(c, "another state", 1, 0);
    } else if (family != MR_BLOCK_CR && family != MR_BLOCK_DTCR) {
      block_fail(c, mr_strerror(status), 1, 0);
    }
    for (uint32_t i = 0; i < 2; i++) mr_block_cascade_free(cascade[i]);
  }
  end_line(level, "groups as they lie", lanes, blocks);
}
