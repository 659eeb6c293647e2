// A launch while it runs: lanes that are fibers, warps and blocks in which they meet, and who goes next.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_GRID_H
#define MILLRACE_EMULATOR_GRID_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fiber.h"
#include "options.h"

namespace mr_emulator {

inline constexpr unsigned LANES = 32, WARPS = 32, THREADS = LANES * WARPS;
inline constexpr uint32_t FULL = 0xffffffffu;

struct Block;
struct Grid;
struct Worker;

// Where in the source something happens.
struct Site {
  const char* file = nullptr;
  int line = 0;
};

enum class Meeting : uint8_t { none, sync_warp, shuffle, shuffle_up, shuffle_down, shuffle_xor, ballot, sync_block };
const char* meeting_name(Meeting meeting);

// An asynchronous copy that has not arrived.
struct Copy {
  void* to;
  const void* from;  // nullptr: zeros
  unsigned bytes, group;
};

struct alignas(64) Lane {  // what a switch touches comes first
  MrFiber fiber;
  Block* block = nullptr;
  unsigned thread = 0, lane = 0, warp = 0;
  Meeting waiting = Meeting::none;  // and where
  Site site;
  unsigned group = 0;  // of copies, the open one
  std::vector<Copy> copies;
  void* fake_stack = nullptr;  // of AddressSanitizer
  const char* stack = nullptr;
  size_t stack_bytes = 0;
};

struct Warp {
  uint32_t ready = 0, arrived = 0, exited = 0, parked = 0;  // bits of lanes; parked: at an access, in lockstep
  unsigned phase = 0, last = LANES - 1;                     // last: lane that had its turn
  Meeting meeting = Meeting::none;
  Site site;
  uint64_t values[2][LANES];  // of this meeting and of the one before, which some have not read yet
};

// Memory that a kernel may touch.
struct Range {
  uintptr_t low = 0, bytes = 0;

  bool holds(const void* place, size_t size) const {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(place) - low;
    return offset < bytes && bytes - offset >= size;
  }
};

// A store that other blocks do not see yet.
enum class Seen : uint8_t { lane, warp, block };  // by whom
struct Pending {
  uintptr_t to;
  unsigned char bytes[16];
  unsigned size, thread;
  Seen seen;
};

// An access of a lane that waits for its warp, in lockstep.
struct Access {
  const void* place = nullptr;
  unsigned bytes = 0;
  bool store = false;
  Site site;
};

struct SharedArray {
  const void* key;  // nullptr: the dynamic one
  size_t offset, bytes;
};

struct Block {
  Grid* grid = nullptr;
  Worker* worker = nullptr;
  unsigned index = 0, threads = 0, warps = 0, alive = 0;
  int budget = 0;        // steps before somebody else may go
  bool careful = false;  // loads and stores need more than a look at the ranges: fuzz or lockstep
  bool live = false;
  Range loads, stores;  // where the last ones went
  Counters counters;

  uint32_t ready_warps = 0;
  unsigned exited = 0, waiting = 0;  // threads, that returned and that are at a barrier
  Site barrier;
  unsigned last_warp = 0;                // that had its turn
  uint64_t told = 0, progress_seen = 0;  // stores: own ones that the grid knows of, and the grid's when last looked at
  uint64_t idle_steps = 0;               // since then
  int granted = 0;                       // the budget at first

  unsigned char* shared = nullptr;  // SHARED_SPACE bytes
  size_t shared_used = 0;
  std::vector<SharedArray> arrays;
  std::vector<Pending> pending;
  std::vector<Access> accesses;  // one a lane, in lockstep

  Warp warp[WARPS];
  std::vector<Lane> lanes;
  char* stacks = nullptr;
  size_t stacks_bytes = 0;
};

// Goes through random numbers; never 0.
struct Random {
  uint64_t state = 0x9e3779b97f4a7c15u;

  void start(uint64_t seed, uint64_t stream) {
    state = (seed * 0xd1342543de82ef95u) ^ (stream * 0x2545f4914f6cdd1du) ^ 0x9e3779b97f4a7c15u;
    if (!state) state = 1;
    for (int i = 0; i < 12; i++) next();
  }
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(((next() >> 32) * n) >> 32); }
};

// A thread that runs the resident blocks it has: all of them, or one.
struct Worker {
  Grid* grid = nullptr;
  Random random;
  std::vector<Block*> blocks;
  unsigned turn = 0;
  MrFiber main;
  const void* main_stack = nullptr;
  size_t main_stack_bytes = 0;
  void* main_fake_stack = nullptr;
};

struct Grid {
  void (*call)(void (*kernel)(), const void* parameters) = nullptr;
  void (*kernel)() = nullptr;
  const void* parameters = nullptr;
  std::string name;
  unsigned blocks = 0, threads = 0;
  size_t dynamic_shared = 0, static_shared = 0;
  Options options;
  std::vector<unsigned> order;                // of dispatch
  std::vector<Range> memory;                  // sorted
  std::vector<std::vector<uint8_t>> written;  // with fuzz: of each of these, 4 bytes each
  std::atomic<unsigned> dispatched{0};
  std::atomic<uint64_t> progress{0};  // counts stores, as far as blocks have told
  std::atomic<bool> failed{false};
  Report report;
  Counters counters;
};

// Runs a launch to its end, or to the first fault, which is then in grid.report.
void run_grid(Grid& grid);

inline thread_local Lane* current_lane __attribute__((tls_model("initial-exec"))) = nullptr;

// Notes what is wrong, which ends the launch.
void note_fault(const Block& block, unsigned thread, Fault fault, Site site, const std::string& text);

// To the worker that runs the lane, for good: nothing on the lane's stack may own memory.
[[noreturn]] void leave_lane();

// Ends the launch from within a lane. The text is a function that makes it, so that it is gone before the lane is left.
template <class Text>
[[noreturn]] void fail(Fault fault, Site site, const Text& text) {
  note_fault(*current_lane->block, current_lane->thread, fault, site, text());
  leave_lane();
}

// Somebody else goes first: another lane, and maybe another block.
void hand_over();
void pause_lane();

// A step of a lane, at which others may get their turn.
inline void tick() {
  if (--current_lane->block->budget <= 0) hand_over();
}

// The lane waits until all 32 of its warp have come with their values, which stay until it comes to its next meeting.
const uint64_t* meet(Meeting meeting, uint64_t value, Site site);
void meet_block(Site site);

// Waits for the warp at an access, in lockstep.
void park(const Access& access);

}  // namespace mr_emulator

#endif
