/* The callback: it allocates nothing, locks nothing and makes no system call while engines and banks change; an engine of another rate is silent; a
   new one fades in; what is muted stays so.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE
#include "jack/callback.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "plugin/trap.c" /* NOLINT(bugprone-suspicious-include): not in every test program, for it replaces the C library's functions */

enum { CHANNELS = 5, LARGEST = 512, BLOCKS = 4000 };

_Thread_local volatile bool host_in_run;

typedef struct Audio {
  MrJackRealtime rt;
  float in[CHANNELS][LARGEST], out[CHANNELS][LARGEST];
  bool ready;
  atomic_bool ended;
} Audio;

static MrProgram* program_of(const char* text, uint32_t rate) {
  const MrReadOptions options = {.channels = CHANNELS, .fs = rate};
  MrStatus status = MR_OK;
  MrBank* bank = mr_bank_read_text(NULL, text, strlen(text), "bank", &options, NULL, &status);
  assert_non_null(bank);
  MrProgram* program = mr_program_new(bank, rate, NULL, &status);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

static MrJackEngine* engine_of(const char* text, uint32_t rate) {
  const MrEngineOptions options = {.channels = CHANNELS, .fs = rate, .largest_block = LARGEST};
  MrJackEngine* made = calloc(1, sizeof *made);
  MrStatus status = MR_OK;
  assert_non_null(made);
  made->engine = mr_engine_new(&options, &status);
  assert_non_null(made->engine);
  made->rate = rate;
  if (text) assert_int_equal(mr_engine_give(made->engine, program_of(text, rate)), MR_OK);
  return made;
}

static void run_block(Audio* audio, uint32_t n) {
  const float* in[CHANNELS];
  float* out[CHANNELS];
  for (int c = 0; c < CHANNELS; c++) {
    in[c] = audio->in[c];
    out[c] = audio->out[c];
  }
  host_in_run = true;
  mr_jack_realtime_process(&audio->rt, in, out, n);
  host_in_run = false;
}

static float peak_of(const Audio* audio, uint32_t n) {
  float peak = 0;
  for (int c = 0; c < CHANNELS; c++)
    for (uint32_t f = 0; f < n; f++) peak = fmaxf(peak, fabsf(audio->out[c][f]));
  return peak;
}

static Audio* audio_new(uint32_t rate) {
  Audio* audio = calloc(1, sizeof *audio);
  assert_non_null(audio);
  assert_true(mr_jack_realtime_init(&audio->rt, CHANNELS, rate));
  for (int c = 0; c < CHANNELS; c++)
    for (int f = 0; f < LARGEST; f++) audio->in[c][f] = 0.5f;
  return audio;
}

static void audio_free(Audio* audio) {
  mr_jack_realtime_free(&audio->rt);
  free(audio);
}

static void* play(void* data) {
  Audio* audio = data;
  audio->ready = !TRAPS || trap_system_calls();
  for (int i = 0; audio->ready && i < BLOCKS; i++) {
    if (i % 500 == 499) audio->in[0][i % LARGEST] = i % 1000 == 999 ? NAN : 2;
    run_block(audio, (uint32_t)(i * 37 % (LARGEST + 1)));
    if (i % 40 == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  atomic_store(&audio->ended, true);
  return NULL;
}

static void it_is_quiet_while_all_changes(void** state) {
  (void)state;
  static const char* const texts[] = {
      "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nDelay: 1 ms\n",
      "Crossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 3 4\nFilter: ON Butterworth HP Order 16 Fc 20 Hz\n"};
  Audio* audio = audio_new(48000);
  MrJackEngine* last = engine_of(texts[0], 48000);
  mr_jack_realtime_give(&audio->rt, last);
  trap_reset();
  pthread_t thread;
  uint64_t clips = 0;
  double worst = 0;
  uint32_t rate = 48000;
  assert_int_equal(pthread_create(&thread, NULL, play, audio), 0);
  for (int i = 0; !atomic_load(&audio->ended); i++) {
    mr_jack_realtime_collect(&audio->rt);
    if (i % 5 == 4) {
      rate = rate == 48000 ? 96000 : 48000;
      atomic_store(&audio->rt.rate, rate);
      last = engine_of(i % 3 ? texts[i % 2] : NULL, rate);
      last->muted = i % 3 == 0;
      last->fades_in = true;
      mr_jack_realtime_give(&audio->rt, last);
    }
    assert_int_equal(mr_engine_give(last->engine, program_of(texts[i % 2], rate)), MR_OK);
    atomic_store(&audio->rt.freewheels, i % 7 == 0);
    const MrJackLoad load = mr_jack_realtime_load(&audio->rt);
    worst = fmax(worst, load.worst);
    clips = mr_jack_meter_look(&audio->rt.meter).clips;
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  }
  pthread_join(thread, NULL);
  const bool ready = audio->ready;
  if (ready) {
    assert_int_equal(atomic_load(&trap_counts.allocations), 0);
    assert_int_equal(atomic_load(&trap_counts.locks), 0);
    if (atomic_load(&trap_counts.calls)) fail_msg("%u system calls, the last of them number %d", trap_counts.calls, trap_counts.last_call);
    assert_true(clips > 0 && worst > 0);
    assert_true(atomic_load(&audio->rt.frames) > BLOCKS * 100);
  }
  audio_free(audio);
  if (!ready) skip();
}

/* And the trap would have seen it. */
static void the_trap_is_set(void** state) {
  (void)state;
#if TRAPS
  trap_reset();
  host_in_run = true;
  void* volatile memory = malloc(10);
  free(memory);
  host_in_run = false;
  assert_int_equal(atomic_load(&trap_counts.allocations), 2);
#else
  skip();
#endif
}

static void without_an_engine_of_the_rate_there_is_silence(void** state) {
  (void)state;
  Audio* audio = audio_new(48000);
  memset(audio->out, 0x55, sizeof audio->out);
  run_block(audio, LARGEST);
  assert_true(peak_of(audio, LARGEST) == 0);
  mr_jack_realtime_give(&audio->rt, engine_of("Preamp: -6 dB", 48000));
  run_block(audio, LARGEST);
  assert_true(fabsf(audio->out[4][0] - 0.5f * (float)pow(10, -0.3)) < 1e-6f); /* at once */
  atomic_store(&audio->rt.rate, 44100);
  run_block(audio, LARGEST);
  assert_true(peak_of(audio, LARGEST) == 0);

  /* the new one comes in after a silent block, under a fade */
  MrJackEngine* fresh = engine_of("Preamp: -6 dB", 44100);
  fresh->fades_in = true;
  mr_jack_realtime_give(&audio->rt, fresh);
  run_block(audio, 0);
  run_block(audio, LARGEST);
  assert_true(peak_of(audio, LARGEST) == 0);
  assert_ptr_equal(audio->rt.now, fresh);
  assert_non_null(atomic_load(&audio->rt.stale));
  float before = 0, step = 0;
  for (int i = 0; i < 40; i++) {
    run_block(audio, LARGEST);
    for (int f = 0; f < LARGEST; f++) {
      step = fmaxf(step, fabsf(audio->out[0][f] - before));
      before = audio->out[0][f];
    }
  }
  assert_true(fabsf(before - 0.5f * (float)pow(10, -0.3)) < 1e-6f && step < 0.01f);

  /* the next waits until the stale one is collected */
  MrJackEngine* next = engine_of("Preamp: -20 dB", 44100);
  mr_jack_realtime_give(&audio->rt, next);
  run_block(audio, 64);
  assert_ptr_equal(audio->rt.now, fresh);
  mr_jack_realtime_collect(&audio->rt);
  run_block(audio, 64);
  assert_ptr_equal(audio->rt.now, next);
  audio_free(audio);
}

static void what_is_muted_stays_so(void** state) {
  (void)state;
  Audio* audio = audio_new(48000);
  MrJackEngine* silent = engine_of(NULL, 48000);
  silent->muted = true;
  mr_jack_realtime_give(&audio->rt, silent);
  audio->in[1][3] = NAN;
  for (int i = 0; i < 20; i++) {
    run_block(audio, LARGEST);
    for (int c = 0; c < CHANNELS; c++)
      for (int f = 0; f < LARGEST; f++) assert_true(audio->out[c][f] == 0);
  }
  audio_free(audio);
}

static void the_end_fades(void** state) {
  (void)state;
  Audio* audio = audio_new(48000);
  mr_jack_realtime_give(&audio->rt, engine_of(NULL, 48000));
  run_block(audio, 64);
  assert_true(audio->out[0][0] == 0.5f && audio->out[0][63] == 0.5f);
  atomic_store(&audio->rt.ends, true);
  float before = 0.5f, step = 0;
  for (int i = 0; i < 15; i++) { /* 160 ms */
    run_block(audio, LARGEST);
    for (int f = 0; f < LARGEST; f++) {
      step = fmaxf(step, fabsf(audio->out[0][f] - before));
      before = audio->out[0][f];
    }
  }
  assert_true(peak_of(audio, LARGEST) == 0 && step < 0.01f);
  audio_free(audio);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_an_engine_of_the_rate_there_is_silence),
                                     cmocka_unit_test(what_is_muted_stays_so), cmocka_unit_test(the_end_fades),
                                     cmocka_unit_test(the_trap_is_set), cmocka_unit_test(it_is_quiet_while_all_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
