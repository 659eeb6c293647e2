/* Reading, filtering and writing at the same time.
   SPDX-License-Identifier: ISC */
#include "pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMPUTING = 3 /* blocks, and threads, that keep processors busy */ };

typedef struct Pipeline {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t done[MR_PIPELINE_STAGES]; /* blocks that have passed a stage, under the lock */
  uint64_t end;                      /* blocks that there are, once it is known; under the lock */
  unsigned threads;
  unsigned running; /* threads, under the lock */
  bool failed;      /* under the lock */
  const MrPipeline* of;
} Pipeline;

typedef struct Worker {
  Pipeline* pipeline;
  MrBlock block;
  void* memory[2]; /* of the block's buffers, where they are the pipeline's own */
  unsigned number;
  pthread_t thread;
} Worker;

/* Waits until it is block n's turn in a stage; false where that will not come. */
static bool enter(Pipeline* p, unsigned stage, uint64_t n) {
  pthread_mutex_lock(&p->lock);
  while (!p->failed && n < p->end && p->done[stage] != n) pthread_cond_wait(&p->changed, &p->lock);
  const bool turn = !p->failed && n < p->end;
  pthread_mutex_unlock(&p->lock);
  return turn;
}

static void leave(Pipeline* p, unsigned stage, uint64_t n, bool ok, bool last) {
  pthread_mutex_lock(&p->lock);
  p->done[stage] = n + 1;
  if (!ok) p->failed = true;
  if (last) p->end = n + 1;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static void* work(void* handle) {
  Worker* const worker = handle;
  Pipeline* const p = worker->pipeline;
  bool going = true;
  for (uint64_t n = worker->number; going; n += p->threads) {
    for (unsigned stage = 0; going && stage < MR_PIPELINE_STAGES && p->of->stage[stage]; ++stage) {
      going = enter(p, stage, n);
      if (!going) break;
      going = p->of->stage[stage](p->of->handle, &worker->block);
      leave(p, stage, n, going, stage == 0 && worker->block.last);
    }
  }
  pthread_mutex_lock(&p->lock);
  --p->running;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Headers are short, so a file's samples mostly start near the beginning of a page of the page cache, and blocks are whole pages. On some
   processors the kernel's copying takes five times as long where the target lies less than a cache line above the source, both seen from
   the start of their page; half a page apart they never do. */
static void* ordinary_buffer(void** memory, size_t bytes) {
  enum { PAGE = 4096 };
  if (posix_memalign(memory, PAGE, bytes + PAGE / 2) != 0) *memory = NULL;
  return *memory ? (char*)*memory + PAGE / 2 : NULL;
}

static unsigned count_threads(const MrPipeline* of) {
  if (of->blocks) return of->blocks < MR_PIPELINE_BLOCKS ? of->blocks : MR_PIPELINE_BLOCKS;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors >= COMPUTING ? COMPUTING : 2;
}

static bool allocate(const MrPipeline* of, Worker* worker, unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    void** const buffer[] = {&worker[i].block.samples, &worker[i].block.result};
    const size_t bytes[] = {of->sample_bytes, of->result_bytes};
    for (int k = 0; k < 2; ++k) {
      if (!bytes[k]) continue;
      *buffer[k] = of->allocate ? of->allocate(of->handle, bytes[k]) : ordinary_buffer(&worker[i].memory[k], bytes[k]);
      if (!*buffer[k]) return false;
    }
  }
  return true;
}

static struct timespec after_ms(unsigned ms) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += ms / 1000;
  t.tv_nsec += (long)(ms % 1000) * 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    ++t.tv_sec;
  }
  return t;
}

static void watch(Pipeline* p) {
  struct timespec next = after_ms(p->of->tick_ms);
  pthread_mutex_lock(&p->lock);
  while (p->running) {
    if (pthread_cond_timedwait(&p->changed, &p->lock, &next) == 0) continue;
    pthread_mutex_unlock(&p->lock);
    p->of->tick(p->of->handle);
    next = after_ms(p->of->tick_ms);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

bool mr_pipeline_run(const MrPipeline* of, bool* started) {
  Pipeline p;
  Worker worker[MR_PIPELINE_BLOCKS];
  memset(&p, 0, sizeof p);
  memset(worker, 0, sizeof worker);
  p.of = of;
  p.end = UINT64_MAX;
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.changed, NULL);
  unsigned threads = 0;
  p.threads = count_threads(of);
  bool ok = allocate(of, worker, p.threads);
  pthread_mutex_lock(&p.lock);
  while (ok && threads < p.threads) {
    worker[threads].pipeline = &p;
    worker[threads].number = threads;
    ok = pthread_create(&worker[threads].thread, NULL, work, &worker[threads]) == 0;
    if (ok) ++threads;
  }
  p.running = threads;
  p.failed = !ok;
  *started = ok;
  pthread_mutex_unlock(&p.lock);
  watch(&p);
  for (unsigned i = 0; i < threads; ++i) pthread_join(worker[i].thread, NULL);
  for (int i = 0; i < MR_PIPELINE_BLOCKS; ++i) {
    free(worker[i].memory[0]);
    free(worker[i].memory[1]);
  }
  pthread_cond_destroy(&p.changed);
  pthread_mutex_destroy(&p.lock);
  return !p.failed;
}
