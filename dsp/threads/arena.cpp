// Threads of oneTBB for loops that last.
// SPDX-License-Identifier: ISC
#include "arena.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace tbb = oneapi::tbb;

static constexpr std::chrono::microseconds WAIT{200};
static constexpr int MOST_WAITS = 50000;  // 10 s

// Of all arenas together: where several allowances are alive, the least counts.
static std::unique_ptr<tbb::global_control> allowance;
static uint32_t allowed;

static void allow(uint32_t loops) {
  allowance.reset();
  allowed = loops;
  const auto limit = tbb::global_control::max_allowed_parallelism;
  if (loops) allowance = std::make_unique<tbb::global_control>(limit, tbb::global_control::active_value(limit) + loops);
}

struct MrArena {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  uint32_t loops;
  tbb::task_arena arena;
  std::atomic<uint32_t> waiting;  // loops that have not ended
  std::atomic<bool> ending{false};

  void (*const loop)(void*, uint32_t);
  void* const context;

  MrArena(uint32_t count, void (*run)(void*, uint32_t), void* with)
      : loops(count), arena(static_cast<int>(count), 0), waiting(count), loop(run), context(with) {}
};

// Loops that wait for a worker, of all arenas: tasks carry nothing, and whichever runs begins whichever loop is next.
struct Start {
  MrArena* arena;
  uint32_t index;
};
static std::mutex starts_lock;
static std::deque<Start> starts;

static void begin_next() {
  starts_lock.lock();
  const Start start = starts.front();
  starts.pop_front();
  starts_lock.unlock();
  if (!start.arena->ending) start.arena->loop(start.arena->context, start.index);
  start.arena->waiting--;
}

MrArena* mr_arena_new(uint32_t loops, void (*loop)(void*, uint32_t), void* context) {
  try {
    auto made = std::make_unique<MrArena>(loops, loop, context);
    allow(allowed + loops);
    MrArena* arena = made.release();
    starts_lock.lock();
    for (uint32_t i = 0; i < loops; i++) starts.push_back({arena, i});
    starts_lock.unlock();
    for (uint32_t i = 0; i < loops; i++) arena->arena.enqueue([] { begin_next(); });
    return arena;
  } catch (...) {
    return nullptr;
  }
}

bool mr_arena_free(MrArena* arena) {
  if (!arena) return true;
  arena->ending = true;
  try {
    for (int wait = 0; arena->waiting; wait++) {  // loops that no worker had begun begin now, and end at once
      if (wait == MOST_WAITS) return false;       // no worker ever comes: leave what it would use
      std::this_thread::sleep_for(WAIT);
    }
    arena->arena.terminate();
    tbb::task_scheduler_handle handle = std::move(arena->handle);
    allow(allowed - arena->loops);
    delete arena;
    return tbb::finalize(handle, std::nothrow);
  } catch (...) {
    return false;
  }
}
