// The primitives of gpu/primitives.cuh for kernels that run on the CPU, name by name.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_KERNELS_H
#define MILLRACE_EMULATOR_KERNELS_H

#include <cmath>
#include <cstring>
#include <type_traits>

#include "memory.h"
#include "vector_types.h"

#define MR_KERNEL(threads, blocks) void
#define MR_DEVICE                  inline __attribute__((always_inline))
#define MR_PARAM(Type, name)       const Type& name
#ifdef __clang__
#define MR_UNROLL _Pragma("unroll")
#else
#define MR_UNROLL _Pragma("GCC unroll 32")
#endif
#define MR_SHARED(Type, name, count)       \
  static const char name##_shared_key = 0; \
  Type(&name)[count] =                     \
      *static_cast<Type(*)[count]>(::mr_emulator::shared_array(&name##_shared_key, sizeof(Type[count]), {__FILE__, __LINE__}))
#define MR_DYNAMIC_SHARED(Type, name) Type* const name = static_cast<Type*>(::mr_emulator::shared_array(nullptr, 0, {__FILE__, __LINE__}))
#define MR_LAUNCH(kernel, grid, block, shared_bytes, stream, params) \
  ::mr_emulator::launch(kernel, #kernel, grid, block, shared_bytes, stream, params)

template <class Parameters>
using MrKernel = void (*)(const Parameters&);

// The line that a kernel calls from.
#define MR_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline unsigned mr_thread() { return mr_emulator::current_lane->thread; }
inline unsigned mr_block() { return mr_emulator::current_lane->block->index; }
inline unsigned mr_blocks() { return mr_emulator::current_lane->block->grid->blocks; }
inline unsigned mr_lane() { return mr_emulator::current_lane->lane; }
inline unsigned mr_warp() { return mr_emulator::current_lane->warp; }

inline void mr_sync_block(MR_CALLER) { mr_emulator::meet_block({file, line}); }
inline void mr_sync_warp(MR_CALLER) { mr_emulator::meet(mr_emulator::Meeting::sync_warp, 0, {file, line}); }

namespace mr_emulator {

template <class T>
inline T exchange(Meeting meeting, T value, unsigned from, Site site) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int> || std::is_same_v<T, unsigned>);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const uint64_t* all = meet(meeting, bits, site);
  std::memcpy(&value, &all[from < LANES ? from : current_lane->lane], sizeof value);
  return value;
}

}  // namespace mr_emulator

template <class T>
inline T mr_shuffle(T value, unsigned lane, MR_CALLER) {
  return mr_emulator::exchange(mr_emulator::Meeting::shuffle, value, lane % 32, {file, line});
}
template <class T>
inline T mr_shuffle_up(T value, unsigned distance, MR_CALLER) {
  return mr_emulator::exchange(mr_emulator::Meeting::shuffle_up, value, mr_lane() - distance, {file, line});
}
template <class T>
inline T mr_shuffle_down(T value, unsigned distance, MR_CALLER) {
  return mr_emulator::exchange(mr_emulator::Meeting::shuffle_down, value, mr_lane() + distance, {file, line});
}
template <class T>
inline T mr_shuffle_xor(T value, unsigned mask, MR_CALLER) {
  return mr_emulator::exchange(mr_emulator::Meeting::shuffle_xor, value, mr_lane() ^ mask, {file, line});
}
inline unsigned mr_ballot(bool vote, MR_CALLER) {
  const uint64_t* all = mr_emulator::meet(mr_emulator::Meeting::ballot, vote, {file, line});
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; i++) bits |= static_cast<unsigned>(all[i]) << i;
  return bits;
}
inline unsigned mr_find_first(unsigned bits) { return bits ? static_cast<unsigned>(__builtin_ctz(bits)) : 32; }

template <class T>
inline T mr_load(const T* from, MR_CALLER) {
  return mr_emulator::load(from, mr_emulator::Load::constant, {file, line});
}
template <class T>
inline T mr_load_once(const T* from, MR_CALLER) {
  return mr_emulator::load(from, mr_emulator::Load::streaming, {file, line});
}
template <class T>
inline void mr_store(T* to, T value, MR_CALLER) {
  mr_emulator::store(to, value, false, {file, line});
}
template <class T>
inline void mr_store_once(T* to, T value, MR_CALLER) {
  mr_emulator::store(to, value, false, {file, line});
}

template <class T>
inline T mr_load_relaxed(const T* from, MR_CALLER) {
  return mr_emulator::load(from, mr_emulator::Load::relaxed, {file, line});
}
template <class T>
inline void mr_store_relaxed(T* to, std::type_identity_t<T> value, MR_CALLER) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  mr_emulator::store(to, value, true, {file, line});
}
inline unsigned mr_load_acquire(const unsigned* from, MR_CALLER) {
  return mr_emulator::load(from, mr_emulator::Load::acquire, {file, line});
}
inline void mr_store_release(unsigned* to, unsigned value, MR_CALLER) {
  mr_emulator::Block* block = mr_emulator::current_lane->block;
  block->counters.stores++;
  block->counters.stored_bytes += sizeof *to;
  mr_emulator::check(true, to, {file, line});
  mr_emulator::tick();
  if (block->careful) mr_emulator::release(*mr_emulator::current_lane, to, sizeof *to);
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
inline void mr_fence() {
  mr_emulator::tick();
  if (mr_emulator::current_lane->block->careful) mr_emulator::release(*mr_emulator::current_lane, nullptr, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline unsigned mr_ticket(unsigned* counter, MR_CALLER) {
  mr_emulator::current_lane->block->counters.tickets++;
  mr_emulator::check(true, counter, {file, line});
  mr_emulator::tick();
  if (mr_emulator::current_lane->block->careful) mr_emulator::settle(counter, sizeof *counter);
  return __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
}
inline void mr_pause() { mr_emulator::pause_lane(); }

template <int bytes>
inline void mr_copy_async(void* shared, const void* global, bool valid, MR_CALLER) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "what the hardware copies");
  mr_emulator::copy_async(shared, global, bytes, valid, {file, line});
}
inline void mr_copy_commit() { mr_emulator::copy_commit(); }
template <int n>
inline void mr_copy_wait() {
  mr_emulator::copy_wait(n);
}

inline float mr_fma(float a, float b, float c) {
  mr_emulator::current_lane->block->counters.fused++;
  return __builtin_fmaf(a, b, c);
}
inline double mr_fma(double a, double b, double c) {
  mr_emulator::current_lane->block->counters.fused++;
  return __builtin_fma(a, b, c);
}

#undef MR_CALLER

#endif
