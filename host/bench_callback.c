/* Measures an engine in a simulated callback.
   SPDX-License-Identifier: ISC */
#include "bench_callback.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RATE         48000.0
#define WARM_UP      64u /* blocks, in which workers get the caller's class */
#define MOST_LOADERS 64

typedef struct Callback {
  const MrCallbackCase* c;
  MrEngine* engine[2]; /* one thread, several */
  float** channel;     /* [channels] inputs, then [channels] outputs */
  float* samples;
  double* time[2]; /* [blocks], ns */
  double* ratio;
  pthread_t loader[MOST_LOADERS];
  int loaders;
  atomic_bool end;
} Callback;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void wait_until(double ns) {
  const struct timespec at = {(time_t)(ns / 1e9), (long)(ns - 1e9 * (double)(time_t)(ns / 1e9))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) continue;
}

/* ------------------------------------------------------------- the cast */

static MrStatus make_engine(const MrCallbackCase* c, bool shared, MrEngine** engine) {
  char text[512] = "";
  for (uint32_t left = c->order, order; left; left -= order) {
    const size_t used = strlen(text);
    order = left < MR_MAX_ORDER ? left : MR_MAX_ORDER;
    snprintf(text + used, sizeof text - used, "Filter: ON Butterworth LP Order %u Fc 5000 Hz\n", order);
  }
  const MrReadOptions read = {.channels = c->channels, .fs = RATE};
  MrStatus status = MR_ERR_MEMORY;
  MrBank* const bank = mr_bank_read_text(NULL, text, strlen(text), NULL, &read, NULL, &status);
  MrProgram* const program = bank ? mr_program_new(bank, RATE, NULL, &status) : NULL;
  mr_bank_free(bank);
  if (!program) return status;
  MrEngineOptions options = {.channels = c->channels, .fs = RATE, .largest_block = c->block};
  if (shared)
    options.threads =
        (MrThreadOptions){.policy = c->policy, .threads = c->threads, .awake = c->awake, .stages = c->stages, .grain = c->grain};
  *engine = mr_engine_new(&options, &status);
  if (*engine) return mr_engine_give(*engine, program);
  mr_program_free(program);
  return status;
}

static MrStatus make(Callback* b, uint32_t blocks) {
  const MrCallbackCase* const c = b->c;
  const size_t stride = c->block + 16; /* channels in other cache sets */
  b->channel = calloc(2 * (size_t)c->channels, sizeof *b->channel);
  b->samples = calloc(2 * (size_t)c->channels * stride, sizeof *b->samples);
  b->time[0] = calloc(blocks, sizeof(double));
  b->time[1] = calloc(blocks, sizeof(double));
  b->ratio = calloc(blocks, sizeof(double));
  if (!b->channel || !b->samples || !b->time[0] || !b->time[1] || !b->ratio) return MR_ERR_MEMORY;
  for (uint32_t k = 0; k < 2 * c->channels; k++) b->channel[k] = b->samples + k * stride;
  for (size_t i = 0; i < c->channels * stride; i++) b->samples[i] = (float)(i * 2654435761u % 65536) / 65536 - 0.5f;
  const MrStatus status = make_engine(c, false, &b->engine[0]);
  return status == MR_OK ? make_engine(c, true, &b->engine[1]) : status;
}

static void* load(void* handle) {
  Callback* const b = handle;
  volatile double x = 1;
  while (!atomic_load_explicit(&b->end, memory_order_relaxed))
    for (int i = 0; i < 1000; i++) x = x * 1.0000001;
  return NULL;
}

static void begin_load(Callback* b) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  while (b->c->loaded && b->loaders < MOST_LOADERS && b->loaders < processors)
    if (pthread_create(&b->loader[b->loaders++], NULL, load, b) != 0) {
      b->loaders--;
      break;
    }
}

static void end(Callback* b) {
  atomic_store(&b->end, true);
  while (b->loaders) pthread_join(b->loader[--b->loaders], NULL);
  mr_engine_free(b->engine[0]);
  mr_engine_free(b->engine[1]);
  free(b->channel);
  free(b->samples);
  free(b->time[0]);
  free(b->time[1]);
  free(b->ratio);
}

/* ---------------------------------------------------------------- the run */

static double run_block(const Callback* b, int kind) {
  const double begun = now_ns();
  mr_engine_process_f32(b->engine[kind], (const float* const*)b->channel, b->channel + b->c->channels, b->c->block);
  return now_ns() - begun;
}

static void run(Callback* b, uint32_t blocks) {
  const double period = b->c->block / RATE * 1e9;
  double next = now_ns() + period;
  for (uint32_t i = 0; i < WARM_UP + blocks; i++)
    for (int turn = 0; turn < 2; turn++) {
      const int kind = (turn + (int)i) % 2; /* neither always comes first */
      if (b->c->paced) wait_until(next);
      const double ns = run_block(b, kind);
      if (i >= WARM_UP) b->time[kind][i - WARM_UP] = ns;
      next = now_ns() > next + period ? now_ns() + period : next + period;
    }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static MrCallbackTimes times_of(double* ns, uint32_t blocks) {
  qsort(ns, blocks, sizeof *ns, ascending);
  return (MrCallbackTimes){ns[blocks / 2] / 1e3, ns[(size_t)blocks * 99 / 100] / 1e3, ns[blocks - 1] / 1e3};
}

MrStatus mr_bench_callback(const MrCallbackCase* c, uint32_t blocks, MrCallbackResult* result) {
  Callback b = {.c = c};
  const MrStatus status = make(&b, blocks);
  if (status == MR_OK) {
    begin_load(&b);
    run(&b, blocks);
    for (uint32_t i = 0; i < blocks; i++) b.ratio[i] = b.time[0][i] / b.time[1][i];
    qsort(b.ratio, blocks, sizeof *b.ratio, ascending);
    result->gain = b.ratio[blocks / 2];
    result->one = times_of(b.time[0], blocks);
    result->shared = times_of(b.time[1], blocks);
    result->report = mr_engine_thread_report(b.engine[1]);
    const double stretches = (double)(WARM_UP + blocks) * ((c->block + 1023) / 1024);
    result->shared_share = (double)result->report.blocks / stretches;
  }
  end(&b);
  return status;
}
