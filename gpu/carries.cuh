/* How a group comes by the pair that it inherits from the groups before it.
   SPDX-License-Identifier: ISC

   carry of group g = sum over i of (M^L)^i local[g - 1 - i], local of group -1 being the stream's state.

     look-back  any number of groups, as far as the nearest whose carry is known: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with
                Decoupled Look-back", 2016, over windows of 32 groups
     fixed      exactly `depth` groups, by when a section has forgotten what came before: no chain from group to group, and the same bits in every run
     own        a block runs its groups one after the other and keeps the carry to itself

   A ticket gives out groups, so whatever a group waits for is already running or done. Flags count launches and are never reset:
   of launch n, 2 n + 1 says that the local carry is there, 2 n + 2 that the carry itself is; anything older means nothing.

   A pair that is not finite, or beyond 2^100, is poison, and so is one of a group with such an input (groups.cuh): the channel starts again from rest at the
   end of the group. */
#ifndef MILLRACE_GPU_CARRIES_CUH
#define MILLRACE_GPU_CARRIES_CUH

#include "launch.h"
#include "methods.cuh"

template <class T>
MR_DEVICE bool mr_pair_is_poison(const MrGpuPair<T>& v) {
  const T bound = T(1267650600228229401496703205376.0);
  return !mr_is_finite_below(v.a, bound) || !mr_is_finite_below(v.b, bound);
}

template <class T>
MR_DEVICE void mr_pair_publish(void* pairs, uint64_t at, const MrGpuPair<T>& v) {
  T* const to = (T*)pairs + 2 * at;
  mr_store_relaxed(to, v.a);
  mr_store_relaxed(to + 1, v.b);
}

template <class T>
MR_DEVICE MrGpuPair<T> mr_pair_read(const void* pairs, uint64_t at) {
  const T* const from = (const T*)pairs + 2 * at;
  return {mr_load_relaxed(from), mr_load_relaxed(from + 1)};
}

/* The sum over a warp's lanes, in all of them, in a fixed order. */
template <class T>
MR_DEVICE MrGpuPair<T> mr_pair_sum(MrGpuPair<T> v) {
  for (unsigned by = 16; by; by /= 2) {
    v.a += mr_shuffle_xor(v.a, by);
    v.b += mr_shuffle_xor(v.b, by);
  }
  return v;
}

/* Which group of which channel a block has. */
struct MrGpuPlace {
  int64_t group;
  uint32_t channel;
};

/* (M^L)^(32 windows) v */
template <class T>
MR_DEVICE MrGpuPair<T> mr_pair_jump_windows(const T* jump, MrGpuPair<T> v, int windows) {
  for (int i = 0; i < windows; i++) v = mr_pair_add(jump + 4 * MR_TABLE_BACK, v, {T(0), T(0)});
  return v;
}

struct MrCarryBase {
  static MR_DEVICE uint64_t place_of(const MrGpuLaunch& p, uint32_t k, int64_t group, uint32_t channel) {
    return ((uint64_t)k * p.groups.count + (uint64_t)group) * p.samples.channels + channel;
  }
};

/* Carries by looking back. All lanes of the first warp call `find`; the others get what it returns. */
template <bool FIXED>
struct MrCarryLookback : MrCarryBase {
  static constexpr bool OWN = false;

  /* What a lane of a window brings: the pair of group `at`, or the stream's state at -1, or nothing before. */
  template <class T>
  static MR_DEVICE MrGpuPair<T> bring(const MrGpuLaunch& p, uint32_t k, int64_t at, uint32_t channel, bool known, const MrGpuPair<T>& first) {
    if (at < -1) return {T(0), T(0)};
    if (at == -1) return first;
    return mr_pair_read<T>(known ? p.groups.global : p.groups.local, place_of(p, k, at, channel));
  }

  template <class T>
  static MR_DEVICE MrGpuPair<T> find(const MrGpuLaunch& p, const T* jump, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& first,
                                     uint32_t depth) {
    const uint32_t here = 2 * p.groups.launch + 1;
    MrGpuPair<T> sum = {T(0), T(0)};
    int64_t from = place.group - 1;
    for (int window = 0;; window++, from -= 32) {
      const int64_t at = from - mr_lane();
      const bool wanted = !FIXED || window * 32 + mr_lane() < depth;
      bool known = at < 0, ready = known || !wanted;
      for (;;) {
        if (!ready) {
          const uint32_t flag = mr_load_acquire(p.groups.flag + place_of(p, k, at, place.channel));
          ready = (int32_t)(flag - here) >= 0;
          known = flag == here + 1;
        } else if (!FIXED && !known) {
          known = mr_load_acquire(p.groups.flag + place_of(p, k, at, place.channel)) == here + 1;
        }
        /* Enough if no lane is without a pair before the nearest one that ends the sum. */
        const unsigned ends = mr_ballot(FIXED ? at < 0 : known), missing = mr_ballot(!ready);
        const unsigned nearest = ends ? mr_find_first(ends) : 31;
        const unsigned before = nearest == 31 ? 0xffffffffu : (2u << nearest) - 1;
        if (!(missing & before)) break;
        mr_pause();
      }
      const unsigned ends = mr_ballot(FIXED ? at < 0 : known);
      const unsigned nearest = ends ? mr_find_first(ends) : 31;
      MrGpuPair<T> v = {T(0), T(0)};
      if (wanted && mr_lane() <= nearest) v = bring(p, k, at, place.channel, known && !FIXED, first);
      const unsigned poison = mr_ballot(mr_pair_is_poison(v));
      if (mr_lane() >= (poison ? mr_find_first(poison) : 32)) v = {T(0), T(0)};
      v = mr_pair_add(jump + 4 * mr_lane(), v, {T(0), T(0)});
      const MrGpuPair<T> part = mr_pair_jump_windows(jump, mr_pair_sum(v), window);
      sum.a += part.a;
      sum.b += part.b;
      if (ends || poison || (FIXED && (uint32_t)(window + 1) * 32 >= depth)) return sum;
    }
  }

  template <class T>
  static MR_DEVICE void publish_local(const MrGpuLaunch& p, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& local) {
    if (mr_thread() != 0) return;
    const uint64_t at = place_of(p, k, place.group, place.channel);
    const bool cut = !FIXED && mr_pair_is_poison(local); /* nobody is to look past it */
    if (cut)
      mr_pair_publish<T>(p.groups.global, at, {T(0), T(0)});
    else
      mr_pair_publish(p.groups.local, at, local);
    mr_store_release(p.groups.flag + at, 2 * p.groups.launch + (cut ? 2 : 1));
  }

  template <class T>
  static MR_DEVICE void publish_global(const MrGpuLaunch& p, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& carry) {
    if (FIXED || mr_thread() != 0) return;
    const uint64_t at = place_of(p, k, place.group, place.channel);
    mr_pair_publish(p.groups.global, at, carry);
    mr_store_release(p.groups.flag + at, 2 * p.groups.launch + 2);
  }
};

struct MrCarryOwn : MrCarryBase {
  static constexpr bool OWN = true;
};

#endif
