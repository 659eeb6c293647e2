// Runs a launch: blocks dispatched to workers, lanes that take turns, and meetings of warps and blocks.
// SPDX-License-Identifier: ISC
#include "grid.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "memory.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace mr_emulator {

namespace {

constexpr int BUDGET = 256;     // steps of a block before another one goes
constexpr int PAUSE = 32;       // what a pause costs of them
constexpr size_t COLOURS = 61;  // different places in the cache for the stacks' first lines
constexpr size_t COLOUR_STEP = 320;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t STACK = 256 << 10;
#else
constexpr size_t STACK = 96 << 10;
#endif

std::mutex report_lock;

void announce_switch([[maybe_unused]] void** fake, [[maybe_unused]] const void* stack, [[maybe_unused]] size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(fake, stack, bytes);
#endif
}

void announce_arrival([[maybe_unused]] void* fake, [[maybe_unused]] Worker& worker) {
#ifdef __SANITIZE_ADDRESS__
  const void* stack = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake, &stack, &bytes);
  if (!worker.main_stack) {  // the first switch came from there
    worker.main_stack = stack;
    worker.main_stack_bytes = bytes;
  }
#endif
}

// From one lane to another; returns when somebody switches back.
void switch_lanes(Lane& from, Lane& to) {
  current_lane = &to;
  announce_switch(&from.fake_stack, to.stack, to.stack_bytes);
  mr_fiber_switch(&from.fiber, &to.fiber);
  announce_arrival(from.fake_stack, *from.block->worker);
}

unsigned first_from(uint32_t bits, unsigned from) {  // the lowest bit, cyclically; bits is not 0
  const uint32_t turned = (bits >> (from & 31)) | (bits << (-from & 31));
  return (static_cast<unsigned>(__builtin_ctz(turned)) + from) & 31;
}

// Any of the bits: all alike where they are few, so that none is passed over for long.
unsigned any_of(uint32_t bits, unsigned random) {
  const unsigned count = static_cast<unsigned>(__builtin_popcount(bits));
  if (count > 6) return first_from(bits, random);
  for (unsigned skip = random % count; skip; skip--) bits &= bits - 1;
  return static_cast<unsigned>(__builtin_ctz(bits));
}

void make_ready(Block& block, unsigned warp, uint32_t lanes) {
  block.warp[warp].ready |= lanes;
  if (block.warp[warp].ready) block.ready_warps |= 1u << warp;
}

// In lockstep: the accesses at the lowest line go together; their lanes are ready again.
void resolve(Block& block, unsigned index) {
  Warp& warp = block.warp[index];
  const Access* first = nullptr;
  for (uint32_t left = warp.parked; left; left &= left - 1) {
    const Access& access = block.accesses[index * LANES + static_cast<unsigned>(__builtin_ctz(left))];
    if (!first || access.site.line < first->site.line) first = &access;
  }
  uint32_t together = 0;
  std::vector<uintptr_t> sectors;
  for (uint32_t left = warp.parked; left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    const Access& access = block.accesses[index * LANES + lane];
    if (access.site.line != first->site.line || access.store != first->store) continue;
    together |= 1u << lane;
    const uintptr_t sector = reinterpret_cast<uintptr_t>(access.place) / 32;
    bool known = false;
    for (uintptr_t other : sectors) known = known || other == sector;
    if (!known) sectors.push_back(sector);
  }
  (first->store ? block.counters.stored_sectors : block.counters.loaded_sectors) += sectors.size();
  warp.parked &= ~together;
  make_ready(block, index, together);
}

// The next lane of the block, taken off the ready ones; nullptr: all wait. Of another warp if that is wished and can be.
Lane* pick(Block& block, bool other_warp) {
  if (!block.ready_warps && block.careful) {
    for (unsigned i = 0; i < block.warps; i++)
      if (block.warp[i].parked) resolve(block, i);
  }
  if (!block.ready_warps) return nullptr;
  const bool seeded = block.grid->options.seed != 0;
  const uint64_t random = seeded ? block.worker->random.next() : 0;
  unsigned index = block.last_warp;
  if (other_warp || !(block.ready_warps >> index & 1) || (seeded && (random >> 40) % 8 == 0))
    index = seeded ? any_of(block.ready_warps, static_cast<unsigned>(random >> 48)) : first_from(block.ready_warps, index + 1);
  Warp& warp = block.warp[index];
  const unsigned lane = seeded ? any_of(warp.ready, static_cast<unsigned>(random >> 32)) : first_from(warp.ready, warp.last + 1);
  warp.ready &= ~(1u << lane);
  if (!warp.ready) block.ready_warps &= ~(1u << index);
  warp.last = lane;
  block.last_warp = index;
  return &block.lanes[index * LANES + lane];
}

std::string place(const Site& site) { return std::string(site.file ? site.file : "?") + ":" + std::to_string(site.line); }

// "threads 0 to 3 wait at ...", for all that wait.
std::string waiting_list(const Block& block) {
  std::string text;
  for (unsigned i = 0; i < block.threads;) {
    const Lane& lane = block.lanes[i];
    unsigned end = i + 1;
    while (end < block.threads && block.lanes[end].waiting == lane.waiting && block.lanes[end].site.line == lane.site.line) end++;
    if (lane.waiting != Meeting::none) {
      text += "\n  threads " + std::to_string(i) + " to " + std::to_string(end - 1) + " wait in " + meeting_name(lane.waiting) + " at " +
              place(lane.site);
    }
    i = end;
  }
  return text;
}

// Out of the way of what is quick.
[[noreturn, gnu::noinline]] void fail_absent(Meeting meeting, Site site) {
  fail(Fault::missing_lane, site,
       [&] { return std::string("a lane has returned where others come to ") + meeting_name(meeting) + " at " + place(site); });
}

[[noreturn, gnu::noinline]] void fail_divergent(Meeting first, Site first_site, Meeting meeting, Site site) {
  fail(Fault::divergent, site, [&] {
    return std::string("lanes meet at different lines: ") + meeting_name(first) + " at " + place(first_site) + ", and " +
           meeting_name(meeting) + " at " + place(site);
  });
}

bool same(Site a, Site b) { return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0); }

[[noreturn, gnu::noinline]] void dead_lock(Block& block) {
  fail(Fault::dead_lock, current_lane->site, [&] { return "all threads of the block wait" + waiting_list(block); });
}

// The running lane has put itself where it waits: another one goes on.
void suspend(bool other_warp = false) {
  Lane& me = *current_lane;
  Lane* next = pick(*me.block, other_warp);
  if (!next) dead_lock(*me.block);
  if (next != &me) switch_lanes(me, *next);
}

// The last one to come has made the others ready: it may go on itself, or not.
void go_on_or_not() {
  Lane& me = *current_lane;
  Block& block = *me.block;
  if (!block.grid->options.seed || block.worker->random.next() >> 63) return;
  make_ready(block, me.warp, 1u << me.lane);
  suspend();
}

void wait_here(Meeting meeting, Site site) {
  Lane& me = *current_lane;
  me.waiting = meeting;
  me.site = site;
  suspend();
  me.waiting = Meeting::none;
}

[[noreturn]] void lane_main() {
  Lane& me = *current_lane;
  Block& block = *me.block;
  announce_arrival(nullptr, *block.worker);
  Grid& grid = *block.grid;
  grid.call(grid.kernel, grid.parameters);
  Warp& warp = block.warp[me.warp];
  warp.exited |= 1u << me.lane;
  block.exited++;
  if (warp.arrived)
    fail(Fault::missing_lane, warp.site,
         [&] { return std::string("a lane has returned where others wait in ") + meeting_name(warp.meeting) + waiting_list(block); });
  if (block.waiting)
    fail(Fault::missing_lane, block.barrier,
         [&] { return "a thread has returned where others wait in mr_sync_block" + waiting_list(block); });
  if (--block.alive == 0) leave_lane();
  Lane* next = pick(block, false);
  if (!next) dead_lock(block);
  current_lane = next;
  announce_switch(nullptr, next->stack, next->stack_bytes);
  mr_fiber_switch(&me.fiber, &next->fiber);
  __builtin_unreachable();
}

// Whether anybody has stored anything since the block last asked.
bool anything_new(Block& block) {
  Grid& grid = *block.grid;
  const uint64_t own = block.counters.stores + block.counters.tickets;
  if (own != block.told) {
    block.told = own;
    grid.progress.fetch_add(1, std::memory_order_relaxed);
  }
  const uint64_t all = grid.progress.load(std::memory_order_relaxed);
  const bool is_new = all != block.progress_seen;
  block.progress_seen = all;
  return is_new;
}

void new_budget(Block& block) {
  block.budget = block.granted = block.grid->options.seed ? 1 + static_cast<int>(block.worker->random.below(BUDGET)) : BUDGET;
}

// A live block of the worker, the running one among them.
Block& next_block(Worker& worker) {
  const unsigned count = static_cast<unsigned>(worker.blocks.size());
  unsigned i = worker.grid->options.seed ? worker.random.below(count) : (worker.turn + 1) % count;
  while (!worker.blocks[i]->live) i = (i + 1) % count;
  worker.turn = i;
  return *worker.blocks[i];
}

}  // namespace

const char* meeting_name(Meeting meeting) {
  static const char* const names[] = {"nothing",         "mr_sync_warp",   "mr_shuffle", "mr_shuffle_up",
                                      "mr_shuffle_down", "mr_shuffle_xor", "mr_ballot",  "mr_sync_block"};
  return names[static_cast<int>(meeting)];
}

void leave_lane() {
  Lane& lane = *current_lane;
  Worker& worker = *lane.block->worker;
  current_lane = nullptr;
  announce_switch(nullptr, worker.main_stack, worker.main_stack_bytes);
  mr_fiber_switch(&lane.fiber, &worker.main);
  __builtin_unreachable();
}

void note_fault(const Block& block, unsigned thread, Fault fault, Site site, const std::string& text) {
  Grid& grid = *block.grid;
  const std::lock_guard<std::mutex> guard(report_lock);
  if (grid.report.fault == Fault::none) {
    grid.report.fault = fault;
    grid.report.text = text;
    grid.report.kernel = grid.name;
    grid.report.file = site.file ? site.file : "";
    grid.report.line = site.line;
    grid.report.block = block.index;
    grid.report.thread = thread;
  }
  grid.failed = true;
}

void hand_over() {
  Lane& me = *current_lane;
  Block& block = *me.block;
  Worker& worker = *block.worker;
  if (block.grid->failed.load(std::memory_order_relaxed)) leave_lane();
  block.idle_steps = anything_new(block) ? 0 : block.idle_steps + static_cast<unsigned>(block.granted);
  if (block.idle_steps > block.grid->options.steps)
    fail(Fault::live_lock, me.site, [&] {
      return "no thread of any block has stored anything for " + std::to_string(block.idle_steps) + " steps" + waiting_list(block);
    });
  if (!block.pending.empty()) drain_some(block);
  new_budget(block);
  make_ready(block, me.warp, 1u << me.lane);
  Block& to = next_block(worker);
  if (worker.blocks.size() == 1 && block.grid->options.mode == Mode::threads) sched_yield();
  if (&to == &block) {
    suspend(true);
    return;
  }
  Lane* next = pick(to, false);
  if (!next) dead_lock(to);  // cannot be: a block gives its turn away with a lane that is ready
  switch_lanes(me, *next);
}

void pause_lane() {
  Lane& me = *current_lane;
  Block& block = *me.block;
  block.counters.pauses++;
  block.budget -= PAUSE;
  if (block.careful && block.warp[me.warp].parked) resolve(block, me.warp);
  if (block.budget <= 0) {
    hand_over();
    return;
  }
  make_ready(block, me.warp, 1u << me.lane);
  Lane* next = pick(block, true);
  if (next != &me) switch_lanes(me, *next);
}

const uint64_t* meet(Meeting meeting, uint64_t value, Site site) {
  Lane& me = *current_lane;
  Block& block = *me.block;
  tick();
  Warp& warp = block.warp[me.warp];
  if (__builtin_expect(warp.exited != 0, 0))
    fail(Fault::missing_lane, site,
         [&] { return std::string("a lane has returned where others come to ") + meeting_name(meeting) + " at " + place(site); });
  const unsigned phase = warp.phase;
  warp.values[phase][me.lane] = value;
  if (!warp.arrived) {
    warp.meeting = meeting;
    warp.site = site;
  } else if (__builtin_expect(warp.meeting != meeting || !same(warp.site, site), 0)) {
    fail_divergent(warp.meeting, warp.site, meeting, site);
  }
  warp.arrived |= 1u << me.lane;
  if (warp.arrived != FULL) {
    wait_here(meeting, site);
    return warp.values[phase];
  }
  warp.arrived = 0;
  warp.phase ^= 1;
  if (meeting == Meeting::sync_warp)
    block.counters.warp_syncs++;
  else if (meeting == Meeting::ballot)
    block.counters.ballots++;
  else
    block.counters.shuffles++;
  if (!block.pending.empty() && meeting == Meeting::sync_warp) publish_warp(block, me.warp);
  make_ready(block, me.warp, ~(1u << me.lane));
  go_on_or_not();
  return warp.values[phase];
}

void meet_block(Site site) {
  Lane& me = *current_lane;
  Block& block = *me.block;
  tick();
  if (block.exited) fail_absent(Meeting::sync_block, site);
  if (!block.waiting) {
    block.barrier = site;
  } else if (!same(block.barrier, site)) {
    fail_divergent(Meeting::sync_block, block.barrier, Meeting::sync_block, site);
  }
  if (++block.waiting != block.threads) {
    wait_here(Meeting::sync_block, site);
    return;
  }
  block.waiting = 0;
  block.counters.barriers++;
  if (!block.pending.empty()) publish_block(block);
  for (unsigned i = 0; i < block.warps; i++) make_ready(block, i, i == me.warp ? ~(1u << me.lane) : FULL);
  go_on_or_not();
}

void park(const Access& access) {
  Lane& me = *current_lane;
  Block& block = *me.block;
  block.accesses[me.thread] = access;
  block.warp[me.warp].parked |= 1u << me.lane;
  suspend();
}

namespace {

void free_block(Block* block) {
  if (block->stacks) munmap(block->stacks, block->stacks_bytes);
  if (block->shared) munmap(block->shared, SHARED_SPACE);
  delete block;
}

// Blocks that have stacks and shared memory, for the next launch.
struct Pool {
  std::mutex lock;
  std::vector<Block*> blocks;

  ~Pool() {
    for (Block* block : blocks) free_block(block);
  }
  Block* take() {
    const std::lock_guard<std::mutex> guard(lock);
    if (blocks.empty()) return new Block;
    Block* block = blocks.back();
    blocks.pop_back();
    return block;
  }
  void give(Block* block) {
    const std::lock_guard<std::mutex> guard(lock);
    blocks.push_back(block);
  }
} pool;

void* map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

void furnish(Block& block, unsigned threads) {
  if (!block.shared) block.shared = static_cast<unsigned char*>(map(SHARED_SPACE));
  if (block.lanes.size() >= threads) return;
  if (block.stacks) munmap(block.stacks, block.stacks_bytes);
  block.stacks_bytes = STACK * threads;
  block.stacks = static_cast<char*>(map(block.stacks_bytes));
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (unsigned i = 0; i < threads; i++) mprotect(block.stacks + STACK * i, page, PROT_NONE);  // an overflow ends in a fault of the process
  block.lanes.resize(threads);
}

void begin_block(Block& block, Worker& worker, unsigned index) {
  Grid& grid = *worker.grid;
  block.grid = &grid;
  block.worker = &worker;
  block.index = index;
  block.threads = block.alive = grid.threads;
  block.warps = grid.threads / LANES;
  block.careful = grid.options.fuzz || grid.options.lockstep;
  block.live = true;
  new_budget(block);
  block.exited = block.waiting = 0;
  block.idle_steps = block.told = 0;
  block.last_warp = block.warps - 1;
  block.counters = Counters{};
  block.counters.blocks = 1;
  block.loads = block.stores = Range{};
  block.pending.clear();
  block.ready_warps = 0;
  if (grid.options.lockstep) block.accesses.resize(block.threads);
  for (unsigned w = 0; w < block.warps; w++) {
    Warp& warp = block.warp[w];
    warp.ready = warp.arrived = warp.exited = warp.parked = 0;
    warp.phase = 0;
    warp.last = LANES - 1;
    make_ready(block, w, FULL);
  }
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(block.stacks, block.stacks_bytes);
#endif
  for (unsigned t = 0; t < block.threads; t++) {
    Lane& lane = block.lanes[t];
    lane.block = &block;
    lane.thread = t;
    lane.lane = t % LANES;
    lane.warp = t / LANES;
    lane.waiting = Meeting::none;
    lane.site = Site{};
    lane.group = 0;
    lane.copies.clear();
    lane.fake_stack = nullptr;
    lane.stack = block.stacks + STACK * t;
    lane.stack_bytes = STACK - (t % COLOURS) * COLOUR_STEP;
    mr_fiber_prepare(&lane.fiber, block.stacks + STACK * t, lane.stack_bytes, lane_main);
  }
  begin_shared(block);
}

std::mutex totals_lock;

void end_block(Block& block) {
  Grid& grid = *block.grid;
  block.live = false;
  drain_all(block);
  end_shared(block);
  const std::lock_guard<std::mutex> guard(totals_lock);
  grid.counters += block.counters;
  grid.progress.fetch_add(1, std::memory_order_relaxed);
}

void work(Worker& worker) {
  Grid& grid = *worker.grid;
  for (;;) {
    unsigned live = 0;
    for (Block* block : worker.blocks) {
      if (!block->live && !grid.failed) {
        const unsigned i = grid.dispatched.fetch_add(1, std::memory_order_relaxed);
        if (i < grid.blocks) begin_block(*block, worker, grid.order[i]);
      }
      live += block->live;
    }
    if (!live || grid.failed) break;
    Block& block = next_block(worker);
    Lane* next = pick(block, true);
    current_lane = next;
    if (!next) std::abort();  // a live block that is not running has a lane that is ready
    announce_switch(&worker.main_fake_stack, next->stack, next->stack_bytes);
    mr_fiber_switch(&worker.main, &next->fiber);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(worker.main_fake_stack, nullptr, nullptr);
#endif
    for (Block* done : worker.blocks)
      if (done->live && !done->alive) end_block(*done);
  }
  for (Block* block : worker.blocks) block->live = false;
}

}  // namespace

void run_grid(Grid& grid) {
  const unsigned resident = std::max(1u, std::min(grid.options.resident, grid.blocks));
  grid.order.resize(grid.blocks);
  for (unsigned i = 0; i < grid.blocks; i++) grid.order[i] = i;
  if (grid.options.shuffle) {
    Random random;
    random.start(grid.options.seed, 1);
    for (unsigned i = grid.blocks; i > 1; i--) std::swap(grid.order[i - 1], grid.order[random.below(i)]);
  }
  const unsigned count = grid.options.mode == Mode::threads ? resident : 1;
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < count; i++) {
    workers.push_back(std::make_unique<Worker>());
    workers[i]->grid = &grid;
    workers[i]->random.start(grid.options.seed, 2 + i);
  }
  for (unsigned i = 0; i < resident; i++) {
    Block* block = pool.take();
    furnish(*block, grid.threads);
    Worker& worker = *workers[i % count];
    worker.blocks.push_back(block);
    worker.turn = static_cast<unsigned>(worker.blocks.size()) - 1;
  }
  if (count == 1) {
    work(*workers[0]);
  } else {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (auto& worker : workers) threads.emplace_back([&worker] { work(*worker); });
    for (std::thread& thread : threads) thread.join();
  }
  for (auto& worker : workers)
    for (Block* block : worker->blocks) pool.give(block);
}

}  // namespace mr_emulator
