// Memory as a kernel sees it: what may be touched, stores that are late, copies that are later, and shared arrays.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_MEMORY_H
#define MILLRACE_EMULATOR_MEMORY_H

#include "grid.h"

namespace mr_emulator {

enum class Load : uint8_t { constant, streaming, relaxed, acquire };

// The part of a check that is seldom needed: looks for the range in the grid's memory, reports what is wrong.
void check_access(Range& cache, const void* place, size_t bytes, bool store, Site site);

// Before a load and in place of a store where Block::careful is set.
void careful_load(const void* place, unsigned bytes, Load load, Site site);
void careful_store(void* place, const void* value, unsigned bytes, Site site);

// What a barrier, a release and the end of a block do with stores that are late. All nothing without fuzz.
void publish_warp(Block& block, unsigned warp);
void publish_block(Block& block);
void release(Lane& lane, const void* about_to_store, unsigned bytes);
void settle(const void* about_to_change, unsigned bytes);  // what waits for there comes first
void drain_some(Block& block);
void drain_all(Block& block);

// Which of the grid's memory this launch has written; with fuzz only.
void note_written(const void* place, size_t bytes);
bool was_written(const void* place, size_t bytes);

void copy_async(void* shared, const void* global, unsigned bytes, bool valid, Site site);
void copy_commit();
void copy_wait(unsigned groups);

// A shared array of the block, the same for all threads that name the same key.
void* shared_array(const void* key, size_t bytes, Site site);
void begin_shared(Block& block);
void end_shared(Block& block);  // notes a fault where an array was written past its end
inline constexpr size_t SHARED_SPACE = 512 << 10;

template <class T>
inline void check(bool store, const T* place, Site site) {
  Block* block = current_lane->block;
  Range& cache = store ? block->stores : block->loads;
  if (__builtin_expect(!cache.holds(place, sizeof(T)) || reinterpret_cast<uintptr_t>(place) % sizeof(T), 0))
    check_access(cache, place, sizeof(T), store, site);
}

template <class T>
inline T load(const T* from, Load kind, Site site) {
  Block* block = current_lane->block;
  block->counters.loads++;
  block->counters.loaded_bytes += sizeof(T);
  check(false, from, site);
  if (kind >= Load::relaxed) tick();
  if (__builtin_expect(block->careful, 0)) careful_load(from, sizeof(T), kind, site);
  if constexpr (sizeof(T) <= sizeof(uint64_t)) {
    T value;
    if (kind == Load::acquire) {
      __atomic_load(from, &value, __ATOMIC_ACQUIRE);
      return value;
    }
    if (kind == Load::relaxed) {
      __atomic_load(from, &value, __ATOMIC_RELAXED);
      return value;
    }
  }
  return *from;
}

template <class T>
inline void store(T* to, T value, bool relaxed, Site site) {
  Block* block = current_lane->block;
  block->counters.stores++;
  block->counters.stored_bytes += sizeof(T);
  check(true, to, site);
  if (relaxed) tick();
  if (__builtin_expect(block->careful, 0)) {
    careful_store(to, &value, sizeof(T), site);
    return;
  }
  if constexpr (sizeof(T) <= sizeof(uint64_t)) {
    if (relaxed) {
      __atomic_store(to, &value, __ATOMIC_RELAXED);
      return;
    }
  }
  *to = value;
}

}  // namespace mr_emulator

#endif
