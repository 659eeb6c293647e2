// What a kernel does to memory beyond a plain load or store: checks, stores that are late, asynchronous copies, shared arrays.
// SPDX-License-Identifier: ISC
#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(place, bytes)   __asan_poison_memory_region(place, bytes)
#define UNPOISON(place, bytes) __asan_unpoison_memory_region(place, bytes)
#else
#define POISON(place, bytes)   ((void)0)
#define UNPOISON(place, bytes) ((void)0)
#endif

namespace mr_emulator {

namespace {

constexpr size_t MOST_PENDING = 96;  // stores that a block may hold back
constexpr size_t MARGIN = 128;       // between shared arrays
constexpr unsigned char EMPTY = 0xff, FENCE = 0xa5;

Random& random_of(Block& block) { return block.worker->random; }

std::string hex(const void* place) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", place);
  return text;
}

bool overlap(const Pending& a, uintptr_t low, unsigned bytes) { return a.to < low + bytes && low < a.to + a.size; }

bool seen_by(const Pending& store, const Lane& lane) {
  return store.seen == Seen::block || store.thread == lane.thread || (store.seen == Seen::warp && store.thread / LANES == lane.warp);
}

void write(const Pending& store) {
  void* to = reinterpret_cast<void*>(store.to);
  if (store.size == 4) {
    uint32_t value;
    std::memcpy(&value, store.bytes, sizeof value);
    __atomic_store_n(static_cast<uint32_t*>(to), value, __ATOMIC_RELAXED);
  } else if (store.size == 8) {
    uint64_t value;
    std::memcpy(&value, store.bytes, sizeof value);
    __atomic_store_n(static_cast<uint64_t*>(to), value, __ATOMIC_RELAXED);
  } else {
    std::memcpy(to, store.bytes, store.size);
  }
}

// Writes a store that is held back, and before it those to the same place that came earlier.
void commit(std::vector<Pending>& pending, size_t i) {
  for (size_t k = 0; k < i;) {
    if (overlap(pending[k], pending[i].to, pending[i].size)) {
      const size_t before = pending.size();
      commit(pending, k);
      i -= before - pending.size();
      k = 0;
    } else {
      k++;
    }
  }
  write(pending[i]);
  pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
}

template <class Chosen>
void commit_all(Block& block, Chosen chosen) {
  std::vector<Pending>& pending = block.pending;
  for (;;) {
    std::vector<size_t> which;
    for (size_t i = 0; i < pending.size(); i++)
      if (chosen(pending[i])) which.push_back(i);
    if (which.empty()) return;
    commit(pending, which[random_of(block).below(static_cast<unsigned>(which.size()))]);
  }
}

constexpr size_t NO_RANGE = static_cast<size_t>(-1);

// The last range that does not begin after the place.
size_t range_below(const Grid& grid, const void* place) {
  const auto after = std::upper_bound(grid.memory.begin(), grid.memory.end(), reinterpret_cast<uintptr_t>(place),
                                      [](uintptr_t low, const Range& range) { return low < range.low; });
  return after == grid.memory.begin() ? NO_RANGE : static_cast<size_t>(after - grid.memory.begin()) - 1;
}

}  // namespace

void check_access(Range& cache, const void* place, size_t bytes, bool store, Site site) {
  const auto text = [=](const std::string& wrong) {
    return std::string(store ? "a store" : "a load") + " of " + std::to_string(bytes) + " bytes at " + hex(place) + wrong;
  };
  if (reinterpret_cast<uintptr_t>(place) % bytes) fail(Fault::misaligned, site, [&] { return text(", which is not aligned"); });
  const Grid& grid = *current_lane->block->grid;
  const size_t i = range_below(grid, place);
  if (i == NO_RANGE) fail(Fault::address, site, [&] { return text(", which is not allocated"); });
  const Range& range = grid.memory[i];
  if (!range.holds(place, bytes)) {
    fail(Fault::address, site, [&] {
      return text(", which is not allocated: " + std::to_string(reinterpret_cast<uintptr_t>(place) - range.low) +
                  " bytes from the start of an allocation of " + std::to_string(range.bytes));
    });
  }
  cache = range;
}

void note_written(const void* place, size_t bytes) {
  Grid& grid = *current_lane->block->grid;
  const size_t i = range_below(grid, place);
  const size_t first = (reinterpret_cast<uintptr_t>(place) - grid.memory[i].low) / 4;
  for (size_t k = 0; k < bytes / 4; k++) __atomic_store_n(&grid.written[i][first + k], uint8_t{1}, __ATOMIC_RELAXED);
}

bool was_written(const void* place, size_t bytes) {
  const Grid& grid = *current_lane->block->grid;
  const size_t i = range_below(grid, place);
  const size_t first = (reinterpret_cast<uintptr_t>(place) - grid.memory[i].low) / 4;
  for (size_t k = 0; k < bytes / 4; k++)
    if (__atomic_load_n(&grid.written[i][first + k], __ATOMIC_RELAXED)) return true;
  return false;
}

void careful_load(const void* place, unsigned bytes, Load load, Site site) {
  Lane& lane = *current_lane;
  Block& block = *lane.block;
  const Options& options = block.grid->options;
  if (options.lockstep) park({place, bytes, false, site});
  if (!options.fuzz) return;
  if (load == Load::constant && was_written(place, bytes))
    fail(Fault::stale, site, [&] { return "mr_load of what this launch has written, at " + hex(place); });
  const uintptr_t low = reinterpret_cast<uintptr_t>(place);
  for (size_t i = block.pending.size(); i-- > 0;) {
    if (i < block.pending.size() && overlap(block.pending[i], low, bytes) && seen_by(block.pending[i], lane)) {
      commit(block.pending, i);
      i = block.pending.size();
    }
  }
}

void careful_store(void* place, const void* value, unsigned bytes, Site site) {
  Lane& lane = *current_lane;
  Block& block = *lane.block;
  const Options& options = block.grid->options;
  if (options.lockstep) park({place, bytes, true, site});
  Pending store{reinterpret_cast<uintptr_t>(place), {}, bytes, lane.thread, Seen::lane};
  std::memcpy(store.bytes, value, bytes);
  if (!options.fuzz) {
    write(store);
    return;
  }
  note_written(place, bytes);
  block.pending.push_back(store);
  if (block.pending.size() > MOST_PENDING || random_of(block).below(8) == 0)
    commit(block.pending, random_of(block).below(static_cast<unsigned>(block.pending.size())));
}

void publish_warp(Block& block, unsigned warp) {
  for (Pending& store : block.pending)
    if (store.seen == Seen::lane && store.thread / LANES == warp) store.seen = Seen::warp;
}

void publish_block(Block& block) {
  for (Pending& store : block.pending) store.seen = Seen::block;
}

void release(Lane& lane, const void* about_to_store, unsigned bytes) {
  Block& block = *lane.block;
  const uintptr_t low = reinterpret_cast<uintptr_t>(about_to_store);
  commit_all(block, [&](const Pending& store) { return seen_by(store, lane) || overlap(store, low, bytes); });
  if (bytes && block.grid->options.fuzz) note_written(about_to_store, bytes);
}

void settle(const void* about_to_change, unsigned bytes) {
  Block& block = *current_lane->block;
  const uintptr_t low = reinterpret_cast<uintptr_t>(about_to_change);
  commit_all(block, [&](const Pending& store) { return overlap(store, low, bytes); });
  if (block.grid->options.fuzz) note_written(about_to_change, bytes);
}

void drain_some(Block& block) {
  for (unsigned n = random_of(block).below(4); n-- > 0 && !block.pending.empty();)
    commit(block.pending, random_of(block).below(static_cast<unsigned>(block.pending.size())));
}

void drain_all(Block& block) {
  commit_all(block, [](const Pending&) { return true; });
}

static void arrive(const Copy& copy) {
  if (copy.from)
    std::memcpy(copy.to, copy.from, copy.bytes);
  else
    std::memset(copy.to, 0, copy.bytes);
}

void copy_async(void* shared, const void* global, unsigned bytes, bool valid, Site site) {
  Lane& lane = *current_lane;
  Block& block = *lane.block;
  block.counters.copies++;
  const size_t offset = static_cast<size_t>(static_cast<unsigned char*>(shared) - block.shared);
  bool inside = false;
  for (const SharedArray& array : block.arrays) inside = inside || (offset >= array.offset && offset + bytes <= array.offset + array.bytes);
  if (!inside)
    fail(Fault::address, site,
         [&] { return "a copy of " + std::to_string(bytes) + " bytes to " + hex(shared) + ", which is in no shared array"; });
  if (offset % bytes)
    fail(Fault::misaligned, site,
         [&] { return "a copy of " + std::to_string(bytes) + " bytes to " + hex(shared) + ", which is not aligned"; });
  if (valid) {
    block.counters.loads++;
    block.counters.loaded_bytes += bytes;
    if (!block.loads.holds(global, bytes) || reinterpret_cast<uintptr_t>(global) % bytes)
      check_access(block.loads, global, bytes, false, site);
    if (block.careful) careful_load(global, bytes, Load::streaming, site);
  }
  std::memset(shared, EMPTY, bytes);  // nobody may read it before it has arrived
  lane.copies.push_back({shared, valid ? global : nullptr, bytes, lane.group});
  Random& random = random_of(block);
  if (block.grid->options.seed && random.below(8) == 0) {
    const size_t i = random.below(static_cast<unsigned>(lane.copies.size()));
    arrive(lane.copies[i]);
    lane.copies.erase(lane.copies.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void copy_commit() { current_lane->group++; }

void copy_wait(unsigned groups) {
  Lane& lane = *current_lane;
  size_t kept = 0;
  for (const Copy& copy : lane.copies) {
    if (copy.group + groups < lane.group)
      arrive(copy);
    else
      lane.copies[kept++] = copy;
  }
  lane.copies.resize(kept);
}

static SharedArray& place_array(Block& block, const void* key, size_t bytes) {
  const size_t offset = block.shared_used;
  block.shared_used = (offset + bytes + MARGIN + 15) & ~size_t{15};
  const size_t fence = block.shared_used - offset - bytes;
  UNPOISON(block.shared + offset, bytes + fence);
  std::memset(block.shared + offset + bytes, FENCE, fence);
  POISON(block.shared + offset + bytes, fence);
  block.arrays.push_back({key, offset, bytes});
  return block.arrays.back();
}

void begin_shared(Block& block) {
  UNPOISON(block.shared, SHARED_SPACE);
  std::memset(block.shared, EMPTY, block.shared_used ? block.shared_used : 1);
  if (!block.shared_used) std::memset(block.shared, EMPTY, SHARED_SPACE);
  POISON(block.shared, SHARED_SPACE);
  block.arrays.clear();
  block.shared_used = MARGIN;
  place_array(block, nullptr, block.grid->dynamic_shared);
}

void* shared_array(const void* key, size_t bytes, Site site) {
  Block& block = *current_lane->block;
  for (const SharedArray& array : block.arrays)
    if (array.key == key) return block.shared + array.offset;
  size_t all = bytes, own = bytes;
  for (const SharedArray& array : block.arrays) {
    all += array.bytes;
    if (array.key) own += array.bytes;
  }
  const Device& device = block.grid->options.device;
  if (own > static_cast<size_t>(device.block_shared_bytes) || all > static_cast<size_t>(device.block_shared_most))
    fail(Fault::shared_memory, site, [&] {
      return "more shared memory than a block may have: " + std::to_string(own) + " bytes in arrays, " + std::to_string(all) + " in all";
    });
  return block.shared + place_array(block, key, bytes).offset;
}

void end_shared(Block& block) {
  UNPOISON(block.shared, SHARED_SPACE);
  Grid& grid = *block.grid;
  size_t own = 0;
  for (size_t i = 0; i < block.arrays.size(); i++) {
    const SharedArray& array = block.arrays[i];
    const size_t end = i + 1 < block.arrays.size() ? block.arrays[i + 1].offset : block.shared_used;
    if (array.key) own += array.bytes;
    for (size_t k = array.offset + array.bytes; k < end; k++) {
      if (block.shared[k] != FENCE) {
        note_fault(block, 0, Fault::shared_memory, Site{},
                   "a shared array of " + std::to_string(array.bytes) + " bytes was written past its end");
        return;
      }
    }
  }
  grid.static_shared = own;
}

}  // namespace mr_emulator
