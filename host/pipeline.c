/* Reading, filtering and writing at the same time: three threads and a ring of blocks.
   SPDX-License-Identifier: ISC */
#include "pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Pipeline {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  MrBlock block[MR_PIPELINE_BLOCKS];
  uint64_t done[MR_PIPELINE_STAGES]; /* blocks that have passed a stage, under the lock */
  unsigned running;                  /* threads, under the lock */
  bool failed;                       /* under the lock */
  const MrStage* stage;
  void* handle;
} Pipeline;

typedef struct Worker {
  Pipeline* pipeline;
  unsigned stage;
  pthread_t thread;
} Worker;

/* True if block number `n` may enter the stage: the stage before has passed it; the ring has a free block for the first. */
static bool may_enter(const Pipeline* p, unsigned stage, uint64_t n) {
  return stage ? p->done[stage - 1] > n : n < p->done[MR_PIPELINE_STAGES - 1] + MR_PIPELINE_BLOCKS;
}

static void* work(void* handle) {
  const Worker* const worker = handle;
  Pipeline* const p = worker->pipeline;
  bool last = false;
  for (uint64_t n = 0; !last; ++n) {
    pthread_mutex_lock(&p->lock);
    while (!p->failed && !may_enter(p, worker->stage, n)) pthread_cond_wait(&p->changed, &p->lock);
    const bool stop = p->failed;
    pthread_mutex_unlock(&p->lock);
    if (stop) break;
    MrBlock* const block = &p->block[n % MR_PIPELINE_BLOCKS];
    const bool ok = p->stage[worker->stage](p->handle, block);
    last = block->last; /* before the block is handed on */
    pthread_mutex_lock(&p->lock);
    ++p->done[worker->stage];
    if (!ok) p->failed = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
  }
  pthread_mutex_lock(&p->lock);
  --p->running;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static bool allocate(Pipeline* p, size_t sample_bytes, size_t result_bytes) {
  for (int i = 0; i < MR_PIPELINE_BLOCKS; ++i) {
    if (posix_memalign(&p->block[i].samples, 64, sample_bytes) != 0) {
      p->block[i].samples = NULL;
      return false;
    }
    if (result_bytes && posix_memalign(&p->block[i].result, 64, result_bytes) != 0) {
      p->block[i].result = NULL;
      return false;
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

static void watch(Pipeline* p, MrTick tick, unsigned tick_ms) {
  struct timespec next = after_ms(tick_ms);
  pthread_mutex_lock(&p->lock);
  while (p->running) {
    if (pthread_cond_timedwait(&p->changed, &p->lock, &next) == 0) continue;
    pthread_mutex_unlock(&p->lock);
    tick(p->handle);
    next = after_ms(tick_ms);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

bool mr_pipeline_run(const MrStage stage[MR_PIPELINE_STAGES], void* handle, size_t sample_bytes, size_t result_bytes, MrTick tick,
                     unsigned tick_ms, bool* started) {
  Pipeline p;
  memset(&p, 0, sizeof p);
  p.stage = stage;
  p.handle = handle;
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.changed, NULL);
  Worker worker[MR_PIPELINE_STAGES];
  unsigned threads = 0;
  bool ok = allocate(&p, sample_bytes, result_bytes);
  pthread_mutex_lock(&p.lock);
  while (ok && threads < MR_PIPELINE_STAGES) {
    worker[threads] = (Worker){.pipeline = &p, .stage = threads};
    ok = pthread_create(&worker[threads].thread, NULL, work, &worker[threads]) == 0;
    if (ok) ++threads;
  }
  p.running = threads;
  p.failed = !ok;
  *started = ok;
  pthread_mutex_unlock(&p.lock);
  watch(&p, tick, tick_ms);
  for (unsigned i = 0; i < threads; ++i) pthread_join(worker[i].thread, NULL);
  for (int i = 0; i < MR_PIPELINE_BLOCKS; ++i) {
    free(p.block[i].samples);
    free(p.block[i].result);
  }
  pthread_cond_destroy(&p.changed);
  pthread_mutex_destroy(&p.lock);
  return !p.failed;
}
