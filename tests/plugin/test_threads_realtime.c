/* What threads may cost a callback: no allocation, no lock, one system call a block at most, which wakes; a worker that is late costs its part once
   more, is counted, and writes nothing late; engines share one crew, which comes and goes, leaves the program's own threads alone, and survives a
   limit on real-time processor time.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE
#include "host.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "dsp/engine/sharing.h"
#include "trap.h"

enum { CHANNELS = 64, FRAMES = 1024, CYCLES = 200 };

static float samples_in[CHANNELS][FRAMES], samples_out[CHANNELS][FRAMES];
static const float* in[CHANNELS];
static float* out[CHANNELS];

static void fill(void) {
  for (uint32_t c = 0; c < CHANNELS; c++) {
    in[c] = samples_in[c];
    out[c] = samples_out[c];
    for (uint32_t f = 0; f < FRAMES; f++) samples_in[c][f] = (float)((c * 7919 + f * 104729) % 2003) / 2003 - 0.5f;
  }
}

static MrProgram* program_of(uint32_t channels) {
  static const char text[] = "Filter: ON Butterworth LP Order 16 Fc 5000 Hz\nFilter: ON Butterworth HP Order 8 Fc 50 Hz";
  const MrReadOptions options = {.channels = channels, .fs = 48000};
  MrBank* bank = mr_bank_read_text(NULL, text, strlen(text), "test", &options, NULL, NULL);
  MrProgram* program = bank ? mr_program_new(bank, 48000, NULL, NULL) : NULL;
  mr_bank_free(bank);
  assert_non_null(program);
  return program;
}

static MrEngine* engine_with(uint32_t channels, MrThreadPolicy policy, uint32_t threads, bool awake) {
  const MrEngineOptions options = {.channels = channels, .fs = 48000, .threads = {.policy = policy, .threads = threads, .awake = awake}};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, program_of(channels)), MR_OK);
  return engine;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

/* Processes until workers help; false: none ever does. */
static bool wait_for_help(MrEngine* engine) {
  for (int i = 0; i < 2000; i++) {
    mr_engine_process_f32(engine, in, out, FRAMES);
    if (mr_engine_thread_report(engine).helped) return true;
    pause_ms(1);
  }
  return false;
}

static bool has_threads(void) {
  MrPost* post = mr_crew_join(1, false);
  mr_crew_leave(post);
  return post != NULL;
}

/* ------------------------------------------------------------------ traps */

typedef struct Trapped {
  MrThreadPolicy policy;
  bool awake, ready, helped;
  uint32_t blocks, calls, most; /* blocks run; system calls of all, and of one block */
  uint32_t wrong;               /* calls that are no futex */
} Trapped;

static void* run_trapped(void* data) {
  Trapped* t = data;
  MrEngine* engine = engine_with(CHANNELS, t->policy, 2, t->awake);
  t->helped = t->policy == MR_THREADS_ONE || wait_for_help(engine);
  t->ready = trap_system_calls();
  trap_reset();
  for (t->blocks = 0; t->ready && t->blocks < 300; t->blocks++) {
    const unsigned before = atomic_load(&trap_counts.calls);
    host_in_run = true;
    mr_engine_process_f32(engine, in, out, t->blocks % 3 ? FRAMES : 256);
    host_in_run = false;
    const unsigned calls = atomic_load(&trap_counts.calls) - before;
    t->calls += calls;
    if (calls > t->most) t->most = calls;
    if (calls && atomic_load(&trap_counts.last_call) != SYS_futex) t->wrong++;
    if (t->blocks % 10 == 0) pause_ms(1); /* workers fall asleep */
  }
  mr_engine_free(engine);
  return NULL;
}

static void callback_calls_nothing_but_one_wake(void** state) {
  (void)state;
  if (!TRAPS || !has_threads()) skip();
  const struct {
    MrThreadPolicy policy;
    bool awake;
    uint32_t most;
  } cases[] = {{MR_THREADS_ONE, false, 0}, {MR_THREADS_ALWAYS, true, 1}, {MR_THREADS_ALWAYS, false, 1}};
  for (size_t i = 0; i < 3; i++) {
    Trapped t = {.policy = cases[i].policy, .awake = cases[i].awake};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_trapped, &t), 0);
    pthread_join(thread, NULL);
    assert_true(t.ready && t.helped);
    assert_int_equal(t.blocks, 300);
    assert_int_equal(atomic_load(&trap_counts.allocations), 0);
    assert_int_equal(atomic_load(&trap_counts.locks), 0);
    assert_in_range(t.most, 0, cases[i].most);
    assert_int_equal(t.wrong, 0);
    if (cases[i].policy == MR_THREADS_ALWAYS && !cases[i].awake) assert_true(t.calls > 0); /* the trap sees wakes */
  }
}

/* ------------------------------------------------------------ late workers */

static atomic_int late, left;

static void sleep_once(void) {
  if (atomic_exchange(&late, 0) != 1) return;
  pause_ms(50);
  atomic_store(&left, 1);
}

/* Blocks until a worker falls asleep in a part of one, with the samples of one thread; and a short block more than a period later. False: by then it
   was awake again, since the machine had other work. */
static bool meet_a_late_worker(MrEngine* engine, MrEngine* alone, float* const* wanted, MrThreadReport* before) {
  mr_engine_reset(engine);
  mr_engine_reset(alone);
  *before = mr_engine_thread_report(engine);
  atomic_store(&left, 0);
  atomic_store(&late, 1);
  for (int blocks = 0; atomic_load(&late) == 1 && blocks < 1000; blocks++) {
    mr_engine_process_f32(alone, in, wanted, FRAMES);
    mr_engine_process_f32(engine, in, out, FRAMES);
    for (uint32_t c = 0; c < CHANNELS; c++) assert_memory_equal(samples_out[c], wanted[c], sizeof samples_out[c]);
  }
  assert_int_equal(atomic_load(&late), 0);
  const bool sleeps = !atomic_load(&left); /* though the block is done, since the caller did its part again */
  const uint64_t redone = mr_engine_thread_report(engine).redone;
  memset(samples_out, 0x55, sizeof samples_out); /* the host takes its buffers back */
  pause_ms(30);
  float other[CHANNELS][8];
  float* few[CHANNELS];
  for (uint32_t c = 0; c < CHANNELS; c++) few[c] = other[c];
  mr_engine_process_f32(engine, in, few, 8);
  if (sleeps) assert_true(redone > before->redone);
  return sleeps && !atomic_load(&left);
}

static void a_late_worker_costs_its_part_and_writes_nothing(void** state) {
  (void)state;
  if (!has_threads()) skip();
  MrEngine *engine = engine_with(CHANNELS, MR_THREADS_ALWAYS, 2, true), *alone = engine_with(CHANNELS, MR_THREADS_ONE, 1, false);
  static float expected[CHANNELS][FRAMES];
  float* wanted[CHANNELS];
  for (uint32_t c = 0; c < CHANNELS; c++) wanted[c] = expected[c];
  assert_true(wait_for_help(engine));
  mr_sharing_interrupt = sleep_once;
  MrThreadReport before;
  int attempts = 20;
  while (!meet_a_late_worker(engine, alone, wanted, &before) && --attempts) continue;
  assert_int_not_equal(attempts, 0);
  const MrThreadReport after = mr_engine_thread_report(engine);
  while (!atomic_load(&left)) pause_ms(1);
  pause_ms(5);
  for (uint32_t c = 0; c < CHANNELS; c++)
    for (size_t i = 0; i < sizeof samples_out[c]; i++) assert_int_equal(((unsigned char*)samples_out[c])[i], 0x55);
  assert_int_equal(after.stalls, before.stalls + 1);
  assert_true(after.dropped);
  uint32_t frames = 8;
  for (; frames < 10 * 48000 && mr_engine_thread_report(engine).blocks == after.blocks; frames += FRAMES) {
    mr_engine_process_f32(engine, in, out, FRAMES);
    assert_true(mr_engine_thread_report(engine).dropped || frames + FRAMES >= 48000);
  }
  assert_true(mr_engine_thread_report(engine).blocks > after.blocks); /* it is tried again, a second later, */
  assert_in_range(frames, 48000, 48000 + 5 * FRAMES);
  mr_engine_reset(engine); /* and after a reset at once */
  assert_false(mr_engine_thread_report(engine).dropped);
  mr_sharing_interrupt = NULL;
  mr_engine_free(engine);
  mr_engine_free(alone);
}

/* ---------------------------------------------------------------- the crew */

static void engines_share_one_crew_that_comes_and_goes(void** state) {
  (void)state;
  if (!has_threads()) skip();
  for (int i = 0; i < CYCLES; i++) {
    MrEngine* engine = engine_with(8, MR_THREADS_ALWAYS, 2 + (uint32_t)i % 2, i % 5 == 0);
    for (int k = 0; k < i % 4; k++) mr_engine_process_f32(engine, in, out, FRAMES);
    mr_engine_free(engine);
    assert_int_equal(mr_crew_workers(), 0);
  }
  MrEngine* engine[8];
  for (int i = 0; i < 8; i++) engine[i] = engine_with(16, MR_THREADS_ALWAYS, 3, false);
  for (int round = 0; round < 50; round++)
    for (int i = 0; i < 8; i++) mr_engine_process_f32(engine[i], in, out, FRAMES);
  assert_true(wait_for_help(engine[7]));
  for (int i = 0; i < 8; i++) assert_in_range(mr_engine_thread_report(engine[i]).workers, 1, 2); /* and not 16 */
  for (int i = 0; i < 8; i++) mr_engine_free(engine[i]);
  assert_int_equal(mr_crew_workers(), 0);
}

/* What a child does with the engine that it was born with, and with one of its own: 0 for the samples of one thread. */
static int run_in_child(MrEngine* engine) {
  static float expected[CHANNELS][FRAMES];
  float* wanted[CHANNELS];
  for (uint32_t c = 0; c < CHANNELS; c++) wanted[c] = expected[c];
  MrEngine *own = engine_with(CHANNELS, MR_THREADS_ALWAYS, 2, true), *alone = engine_with(CHANNELS, MR_THREADS_ONE, 1, false);
  mr_engine_reset(engine);
  int wrong = mr_engine_thread_report(own).workers != 0;
  for (int i = 0; i < 3; i++) {
    mr_engine_process_f32(alone, in, wanted, FRAMES);
    mr_engine_process_f32(engine, in, out, FRAMES);
    wrong |= memcmp(samples_out, expected, sizeof expected) != 0;
    mr_engine_process_f32(own, in, out, FRAMES);
    wrong |= memcmp(samples_out, expected, sizeof expected) != 0;
  }
  mr_engine_free(engine);
  mr_engine_free(own);
  mr_engine_free(alone);
  return wrong;
}

/* A child of the process has none of its threads: it filters alone, and neither waits nor hangs. The parent goes on as before. */
static void a_child_process_runs_alone(void** state) {
  (void)state;
  if (!has_threads()) skip();
  MrEngine* engine = engine_with(CHANNELS, MR_THREADS_ALWAYS, 3, true);
  assert_true(wait_for_help(engine));
  for (int i = 0; i < 10; i++) {
    mr_engine_process_f32(engine, in, out, FRAMES);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(5); /* ends it, if it waits */
      _exit(run_in_child(engine));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  const uint64_t before = mr_engine_thread_report(engine).helped;
  for (int i = 0; i < 2000 && mr_engine_thread_report(engine).helped == before; i++) mr_engine_process_f32(engine, in, out, FRAMES);
  assert_true(mr_engine_thread_report(engine).helped > before);
  mr_engine_free(engine);
}

/* Two seconds with workers awake under the limit that desktops set for real-time threads; SIGXCPU, and then SIGKILL, would end the program. */
static void awake_workers_survive_a_limit_on_realtime(void** state) {
  (void)state;
  if (!has_threads()) skip();
  const struct rlimit limit = {200000, 250000};
  assert_int_equal(setrlimit(RLIMIT_RTTIME, &limit), 0);
  const struct sched_param parameters = {.sched_priority = 5};
  const bool realtime = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
  if (!realtime) print_message("No real-time class here: workers stay in the common one.\n");
  MrEngine* engine = engine_with(CHANNELS, MR_THREADS_ALWAYS, 2, true);
  const bool helped = wait_for_help(engine);
  for (int i = 0; i < 200; i++) {
    mr_engine_process_f32(engine, in, out, FRAMES);
    pause_ms(10);
  }
  mr_engine_free(engine);
  const struct sched_param common = {.sched_priority = 0};
  assert_int_equal(pthread_setschedparam(pthread_self(), SCHED_OTHER, &common), 0);
  assert_true(helped);
}

int main(void) {
  fill();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callback_calls_nothing_but_one_wake), cmocka_unit_test(a_late_worker_costs_its_part_and_writes_nothing),
      cmocka_unit_test(engines_share_one_crew_that_comes_and_goes), cmocka_unit_test(a_child_process_runs_alone),
      cmocka_unit_test(awake_workers_survive_a_limit_on_realtime)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
