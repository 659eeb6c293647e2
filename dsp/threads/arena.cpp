// Threads of oneTBB for loops that last.
// SPDX-License-Identifier: ISC
#include "arena.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace tbb = oneapi::tbb;

static constexpr std::chrono::microseconds WAIT{200};
static constexpr int MOST_WAITS_TO_BEGIN = 1000;  // 200 ms
static constexpr int MOST_WAITS_TO_END = 5000;    // 1 s: a loop that has begun ends at once, unless nothing lets it run

// Of all arenas together: where several allowances are alive, the least counts.
static std::unique_ptr<tbb::global_control> allowance;
static uint32_t allowed;

// False, with nothing allowed, where someone else's allowance is less: loops that last would take the workers that it leaves to others.
static bool allow(uint32_t loops) {
  const auto limit = tbb::global_control::max_allowed_parallelism;
  allowance.reset();
  allowed = 0;
  if (!loops) return true;
  const size_t wanted = std::max(tbb::global_control::active_value(limit), static_cast<size_t>(tbb::info::default_concurrency())) + loops;
  allowance = std::make_unique<tbb::global_control>(limit, wanted);
  allowed = loops;
  if (tbb::global_control::active_value(limit) >= wanted) return true;
  allowance.reset();
  allowed = 0;
  return false;
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

// Loops that wait for a worker, of all arenas: tasks carry nothing, and whichever runs begins whichever loop is next. Never destroyed: a task may run
// late.
struct Start {
  MrArena* arena;
  uint32_t index;
};
static std::mutex& starts_lock = *new std::mutex;
static std::deque<Start>& starts = *new std::deque<Start>;

static void begin_next() {
  Start start{nullptr, 0};
  {
    const std::lock_guard<std::mutex> lock(starts_lock);
    if (starts.empty()) return;  // called off
    start = starts.front();
    starts.pop_front();
  }
  if (!start.arena->ending) start.arena->loop(start.arena->context, start.index);
  start.arena->waiting--;
}

// Calls off what no worker has begun: workers may never come. False: there was such a loop, whose task is left.
static bool call_off(MrArena* arena) {
  const std::lock_guard<std::mutex> lock(starts_lock);
  const auto end = std::remove_if(starts.begin(), starts.end(), [arena](const Start& start) { return start.arena == arena; });
  const auto count = static_cast<uint32_t>(starts.end() - end);
  starts.erase(end, starts.end());
  arena->waiting -= count;
  return count == 0;
}

MrArena* mr_arena_new(uint32_t loops, void (*loop)(void*, uint32_t), void* context) {
  try {
    auto made = std::make_unique<MrArena>(loops, loop, context);
    const uint32_t before = allowed;
    if (!allow(before + loops)) {
      allow(before);
      return nullptr;
    }
    MrArena* arena = made.release();
    {
      const std::lock_guard<std::mutex> lock(starts_lock);
      for (uint32_t i = 0; i < loops; i++) starts.push_back({arena, i});
    }
    for (uint32_t i = 0; i < loops; i++) arena->arena.enqueue([] { begin_next(); });
    return arena;
  } catch (...) {
    return nullptr;
  }
}

// Whether all loops have ended by then.
static bool wait_for(const MrArena* arena, int most) {
  for (int wait = 0; arena->waiting && wait < most; wait++) std::this_thread::sleep_for(WAIT);
  return !arena->waiting;
}

bool mr_arena_free(MrArena* arena) {
  if (!arena) return true;
  arena->ending = true;
  try {
    wait_for(arena, MOST_WAITS_TO_BEGIN);  // loops that no worker had begun begin now, and end at once
    const bool all_begun = call_off(arena);
    if (!wait_for(arena, MOST_WAITS_TO_END)) return false;  // leave what the loop uses
    allow(allowed - std::min(allowed, arena->loops));
    if (!all_begun) return false;  // a task of this module's is still to run, in an arena that must be there
    arena->arena.terminate();
    tbb::task_scheduler_handle handle = std::move(arena->handle);
    delete arena;
    return tbb::finalize(handle, std::nothrow);
  } catch (...) {
    return false;
  }
}
