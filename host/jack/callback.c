/* What the server's real-time thread does with a block.
   SPDX-License-Identifier: ISC */
#include "callback.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool mr_jack_realtime_init(MrJackRealtime* rt, uint32_t channels, uint32_t rate) {
  memset(rt, 0, sizeof *rt);
  atomic_store(&rt->rate, rate);
  return mr_jack_meter_init(&rt->meter, channels);
}

static void free_engine(MrJackEngine* engine) {
  if (!engine) return;
  mr_engine_free(engine->engine);
  free(engine);
}

void mr_jack_realtime_free(MrJackRealtime* rt) {
  free_engine(rt->now);
  free_engine(atomic_load(&rt->fresh));
  free_engine(atomic_load(&rt->stale));
  mr_jack_meter_free(&rt->meter);
  memset(rt, 0, sizeof *rt);
}

void mr_jack_realtime_give(MrJackRealtime* rt, MrJackEngine* engine) {
  if (engine->muted || engine->fades_in) mr_engine_mute(engine->engine, true);
  free_engine(atomic_exchange_explicit(&rt->fresh, engine, memory_order_acq_rel));
}

void mr_jack_realtime_collect(MrJackRealtime* rt) { free_engine(atomic_exchange_explicit(&rt->stale, NULL, memory_order_acq_rel)); }

MrJackLoad mr_jack_realtime_load(MrJackRealtime* rt) {
  const uint64_t busy = atomic_exchange_explicit(&rt->busy_ns, 0, memory_order_relaxed);
  const uint64_t span = atomic_exchange_explicit(&rt->span_ns, 0, memory_order_relaxed);
  const uint32_t worst = atomic_exchange_explicit(&rt->worst, 0, memory_order_relaxed);
  return (MrJackLoad){.mean = span ? (double)busy / (double)span : 0, .worst = 1e-6 * worst};
}

/* ------------------------------------------------------------- real-time */

/* On Linux a look at a page that the kernel keeps up to date, no system call. */
static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One engine at a time is stale: the next is taken when the main thread has collected it. */
static void take_fresh(MrJackRealtime* rt) {
  if (!atomic_load_explicit(&rt->fresh, memory_order_relaxed) || atomic_load_explicit(&rt->stale, memory_order_acquire)) return;
  MrJackEngine* const fresh = atomic_exchange_explicit(&rt->fresh, NULL, memory_order_acq_rel);
  if (!fresh) return;
  atomic_store_explicit(&rt->stale, rt->now, memory_order_release);
  rt->now = fresh;
}

static void filter(MrJackRealtime* rt, uint32_t rate, const float* const* in, float* const* out, uint32_t n) {
  MrJackEngine* const engine = rt->now;
  if (!engine || engine->rate != rate) { /* filters of another rate would not protect what they are to protect */
    for (uint32_t c = 0; c < rt->meter.channels; ++c) memset(out[c], 0, n * sizeof(float));
    return;
  }
  mr_engine_mute(engine->engine, engine->muted || engine->fades_in || atomic_load_explicit(&rt->ends, memory_order_relaxed));
  mr_engine_process_f32(engine->engine, in, out, n);
  if (n) engine->fades_in = false;
}

static void keep_time(MrJackRealtime* rt, uint64_t busy, uint64_t span) {
  if (!span || atomic_load_explicit(&rt->freewheels, memory_order_relaxed)) return;
  const uint64_t ppm = busy * 1000000u / span;
  const uint32_t part = ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX;
  atomic_fetch_add_explicit(&rt->busy_ns, busy, memory_order_relaxed);
  atomic_fetch_add_explicit(&rt->span_ns, span, memory_order_relaxed);
  if (part > atomic_load_explicit(&rt->worst, memory_order_relaxed)) atomic_store_explicit(&rt->worst, part, memory_order_relaxed);
}

void mr_jack_realtime_process(MrJackRealtime* rt, const float* const* in, float* const* out, uint32_t n) {
  const uint64_t begin = now_ns();
  const uint32_t rate = atomic_load_explicit(&rt->rate, memory_order_relaxed);
  take_fresh(rt);
  if (rt->now) mr_jack_meter_in(&rt->meter, rt->now->engine, in, n);
  filter(rt, rate, in, out, n);
  if (rt->now) mr_jack_meter_out(&rt->meter, rt->now->engine, out, n); /* without an engine there is silence */
  atomic_fetch_add_explicit(&rt->frames, n, memory_order_relaxed);
  keep_time(rt, now_ns() - begin, rate ? (uint64_t)n * 1000000000u / rate : 0);
}
