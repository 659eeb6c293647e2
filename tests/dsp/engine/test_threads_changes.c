/* Promise 7 with threads while something changes: swept bands, swaps, programs given, variants chosen, bypass, mute and gain, in blocks of any length,
   with poison and with workers that dawdle: the samples and the troubles of one thread. Fades and glides are shared, too.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE
#include "fixture.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "dsp/engine/sharing.h"

#define SEEDS      200u
#define MOST_SEEDS 1000u /* until workers had their part, on a machine with other work */
#define FRAMES     10000u
#define BANDS      6u

/* What was shared while something changed. */
typedef struct Shared {
  uint64_t fades, glides, helped, redone, troubles;
} Shared;

static atomic_uint dawdles;

static void dawdle(void) {
  if (atomic_fetch_add_explicit(&dawdles, 1, memory_order_relaxed) % 97 == 0) nanosleep(&(struct timespec){.tv_nsec = 60000}, NULL);
}

static MrProgram* random_program(uint32_t channels, Random* random) {
  static const char* const banks[] = {
      "Filter: ON Butterworth LP Order 16 Fc 5000 Hz\nFilter: ON PK Fc 300 Hz Gain 6 dB Q 4",
      "Channel: 1\nDelay: 2.5 ms\nChannel: all\nPreamp: -3 dB\nFilter: ON Butterworth HP Order 8 Fc 100 Hz",
      "Copy: 1=1+0.5*2 2=-6dB*1\nFilter: ON Butterworth LP Order 12 Fc 900 Hz",
      "Filter: ON HS Fc 4000 Hz Gain 3 dB",
      "Preamp: -6 dB",
  };
  const uint32_t i = random_below(random, 6);
  if (i == 5) return program_of(channels, 48000, true);
  return program_of_text(channels, banks[channels == 1 && i == 2 ? 0 : i]);
}

static MrProgram* with_variant(uint32_t channels, Random* random) {
  MrProgram* program = random_program(channels, random);
  assert_int_equal(mr_program_add_variant(program, random_program(channels, random)), MR_OK);
  return program;
}

/* ------------------------------------------------------------- what changes */

typedef struct Pair {
  MrEngine* engine[2]; /* one thread, several */
  uint32_t channels;
  bool parametric, bypass, mute;
  MrBand band[BANDS];
  bool mid_side, glides; /* bands or gain were set for this block */
} Pair;

static MrBand random_band(uint32_t channels, Random* random) {
  static const MrFilterType types[] = {MR_PEAK, MR_LOWSHELF, MR_HIGHPASS, MR_BUTTERWORTH};
  const MrFilterType type = types[random_below(random, 4)];
  MrBand band = random_below(random, 3) ? band_on_all(type, 200, 0, 1) : band_on(random_below(random, channels), type, 200, 0, 1);
  band.design.fc = random_between(random, 40, 15000);
  band.design.gain_db = random_between(random, -12, 12);
  band.design.width = random_between(random, 0.3, 5);
  if (type == MR_BUTTERWORTH) band.design.order = 1 + random_below(random, 8);
  band.on = random_below(random, 5) > 0;
  return band;
}

static void set_bands(Pair* pair) {
  const MrBands bands = {pair->band, BANDS, pair->mid_side};
  for (int i = 0; i < 2; i++) assert_int_equal(mr_engine_set_bands(pair->engine[i], &bands), MR_OK);
}

static void change_bands(Pair* pair, Random* random) {
  MrBand* band = &pair->band[random_below(random, BANDS)];
  if (random_below(random, 2)) {
    band->design.fc *= random_between(random, 0.8, 1.25);
    band->design.gain_db += random_between(random, -1, 1);
    pair->glides = true;
  } else {
    *band = random_band(pair->channels, random);
    pair->mid_side = pair->channels == 2 && random_below(random, 2);
  }
  set_bands(pair);
}

static void change_program(Pair* pair, Random* random) {
  const uint32_t variant = random_below(random, 2);
  const Random again = *random;
  for (int i = 0; i < 2; i++) {
    if (random_below(random, 2)) {
      mr_engine_choose(pair->engine[i], variant);
    } else {
      assert_int_equal(mr_engine_give(pair->engine[i], with_variant(pair->channels, random)), MR_OK);
    }
    if (i == 0) *random = again;
  }
}

static void change(Pair* pair, Random* random) {
  pair->glides = false;
  switch (random_below(random, 8)) {
    case 0:
      pair->bypass = !pair->bypass;
      break;
    case 1:
      pair->mute = !pair->mute;
      break;
    case 2: {
      const double db = random_between(random, -20, 6);
      for (int i = 0; i < 2; i++) assert_int_equal(mr_engine_set_gain(pair->engine[i], db), MR_OK);
      pair->glides = true;
      break;
    }
    case 3:
    case 4:
    case 5:
      pair->parametric ? change_bands(pair, random) : change_program(pair, random);
      break;
    default:
      break;
  }
  if (random_below(random, 3) == 0) pair->bypass = pair->mute = false;
  for (int i = 0; i < 2; i++) {
    mr_engine_bypass(pair->engine[i], pair->bypass);
    mr_engine_mute(pair->engine[i], pair->mute);
  }
}

/* ------------------------------------------------------------------ the run */

static void play(MrEngine* engine, const Planar* in, Planar* out, uint32_t from, uint32_t n, bool interleaved, float* scratch) {
  if (!interleaved) {
    run_blocks(engine, in, out, from, from + n, 0, NULL);
    return;
  }
  for (uint32_t c = 0; c < in->channels; c++)
    for (uint32_t f = 0; f < n; f++) scratch[f * in->channels + c] = in->channel[c][from + f];
  mr_engine_process_interleaved_f32(engine, scratch, scratch, n);
  for (uint32_t c = 0; c < in->channels; c++)
    for (uint32_t f = 0; f < n; f++) out->channel[c][from + f] = scratch[f * in->channels + c];
}

static MrEngine* engine_with(uint32_t channels, bool parametric, const MrThreadOptions* threads) {
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .max_bands = parametric ? BANDS : 0, .threads = *threads};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  return engine;
}

static void play_both(uint64_t seed, Shared* shared) {
  static const uint32_t counts[] = {1, 2, 3, 8, 9, 10, 17, 24, 40};
  Random random = {seed};
  for (int i = 0; i < 3; i++) random_below(&random, 2);
  const uint32_t channels = counts[random_below(&random, 9)];
  const MrThreadOptions one = {.policy = MR_THREADS_ONE}, many = {.policy = MR_THREADS_ALWAYS,
                                                                  .threads = 2 + random_below(&random, 7),
                                                                  .stages = random_below(&random, 3) ? 0 : 1 + random_below(&random, 4),
                                                                  .grain = random_below(&random, 3) ? 0 : 64 << random_below(&random, 3)};
  Pair pair = {.channels = channels, .parametric = random_below(&random, 3) > 0};
  pair.engine[0] = engine_with(channels, pair.parametric, &one);
  pair.engine[1] = engine_with(channels, pair.parametric, &many);
  for (uint32_t b = 0; b < BANDS; b++) pair.band[b] = random_band(channels, &random);
  if (pair.parametric)
    set_bands(&pair);
  else
    change_program(&pair, &random);
  Planar in = planar_noise(channels, FRAMES, seed), out[2] = {planar_new(channels, FRAMES), planar_new(channels, FRAMES)};
  float* scratch = calloc((size_t)channels * FRAMES, sizeof *scratch);
  assert_non_null(scratch);
  static const float evil[] = {NAN, INFINITY, 3e38f};
  for (uint32_t c = 0; c < channels && seed % 3 == 1; c++) /* below what counts as silence, when that is looked for */
    for (uint32_t f = 3300; f < 9000; f++) in.channel[c][f] *= 1e-32f;
  for (uint32_t i = 0; i < 3 && seed % 3 == 0; i++) in.channel[random_below(&random, channels)][random_below(&random, FRAMES)] = evil[i];
  const bool interleaved = random_below(&random, 4) == 0;
  const uint32_t largest = random_below(&random, 2) ? 1300 : 150;
  for (uint32_t from = 0, n; from < FRAMES; from += n) {
    n = random_below(&random, 4) ? random_below(&random, largest) : 64 * random_below(&random, largest / 64);
    n = n < FRAMES - from ? n : FRAMES - from;
    change(&pair, &random);
    const uint64_t before = mr_engine_thread_report(pair.engine[1]).blocks;
    for (int i = 0; i < 2; i++) play(pair.engine[i], &in, &out[i], from, n, interleaved, scratch);
    const uint64_t blocks = mr_engine_thread_report(pair.engine[1]).blocks - before;
    assert_int_equal(mr_engine_is_fading(pair.engine[0]), mr_engine_is_fading(pair.engine[1]));
    if (mr_engine_is_fading(pair.engine[1])) shared->fades += blocks; /* to the block's end */
    if (pair.glides && n <= 64) shared->glides += blocks;
  }
  for (uint32_t c = 0; c < channels; c++)
    if (memcmp(out[0].channel[c], out[1].channel[c], FRAMES * sizeof(float)) != 0) fail_msg("seed %d, channel %u", (int)seed, c);
  assert_int_equal(mr_engine_troubles(pair.engine[0]), mr_engine_troubles(pair.engine[1]));
  const MrThreadReport report = mr_engine_thread_report(pair.engine[1]);
  shared->helped += report.helped;
  shared->redone += report.redone;
  shared->troubles += mr_engine_troubles(pair.engine[0]);
  for (int i = 0; i < 2; i++) {
    mr_engine_free(pair.engine[i]);
    planar_free(&out[i]);
  }
  planar_free(&in);
  free(scratch);
}

/* A crew that lasts, which knows this thread. */
static MrPost* gather_crew(void) {
  MrPost* post = mr_crew_join(7, false);
  for (int i = 0; post && !mr_crew_serves(post) && i < 1000; i++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return post;
}

static void promise_7_changes_are_the_same_with_threads(void** state) {
  (void)state;
  MrPost* crew = gather_crew();
  Shared shared = {0};
  for (uint64_t seed = 0; seed < SEEDS || (crew && seed < MOST_SEEDS && (shared.helped <= 100 || !shared.redone)); seed++) {
    mr_sharing_interrupt = seed % 2 ? dawdle : NULL;
    play_both(seed, &shared);
  }
  mr_sharing_interrupt = NULL;
  print_message("shared: %llu stretches of fades, %llu of glides; %llu parts by workers, %llu done again; %llu troubles\n",
                (unsigned long long)shared.fades, (unsigned long long)shared.glides, (unsigned long long)shared.helped,
                (unsigned long long)shared.redone, (unsigned long long)shared.troubles);
  assert_true(shared.troubles > 50);
  if (crew) { /* without oneTBB there are no threads */
    assert_true(shared.fades > 300);
    assert_true(shared.glides > 30);
    assert_true(shared.helped > 100);
    assert_true(shared.redone > 0);
  }
  mr_crew_leave(crew);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(promise_7_changes_are_the_same_with_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
