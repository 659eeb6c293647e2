/* Pairs that lanes hand to each other: shifts and scans over the lanes of a block.
   SPDX-License-Identifier: ISC

   A scan solves Z[l] = W[l] + M Z[l - 1] over all lanes in log2 rounds (P. M. Kogge, H. S. Stone, "A Parallel Algorithm for the Efficient Solution of a
   General Class of Recurrence Equations", 1973): within warps by shuffles, over warps through shared memory. The order of
   operations is fixed. */
#ifndef MILLRACE_GPU_LANES_CUH
#define MILLRACE_GPU_LANES_CUH

#include "primitives.cuh"
#include "tables.h"

template <class T>
struct MrGpuPair {
  T a, b; /* of outputs the older and the newer, of states w and d */
};

/* to + matrix v */
template <class T>
MR_DEVICE MrGpuPair<T> mr_pair_add(const T* matrix, const MrGpuPair<T>& v, const MrGpuPair<T>& to) {
  return {mr_fma(mr_load(matrix), v.a, mr_fma(mr_load(matrix + 1), v.b, to.a)),
          mr_fma(mr_load(matrix + 2), v.a, mr_fma(mr_load(matrix + 3), v.b, to.b))};
}

template <class T>
MR_DEVICE MrGpuPair<T> mr_pair_shuffle_up(const MrGpuPair<T>& v, unsigned by) {
  return {mr_shuffle_up(v.a, by), mr_shuffle_up(v.b, by)};
}

/* What the warps of a block leave for each other. Two of each, used in turn, so that one barrier a use is enough: who waits at the next one has read
   the one before. */
template <class T, int L>
struct MrGpuExchange {
  static constexpr int WARPS = L / 32;
  MrGpuPair<T> total[2][WARPS];
  T edge[2][WARPS];
  MrGpuPair<T> carry[2];
};

template <class T, int L>
struct MrGpuLanes {
  static constexpr int WARPS = L / 32;
  MrGpuExchange<T, L>* shared;
  unsigned totals, edges, carries; /* uses so far */

  MR_DEVICE explicit MrGpuLanes(MrGpuExchange<T, L>* exchange) : shared(exchange), totals(0), edges(0), carries(0) {}

  /* All lanes of the block. */
  MR_DEVICE void sync_own() const {
    if (WARPS > 1)
      mr_sync_block();
    else
      mr_sync_warp();
  }

  /* The value of the lane before; `first` in the block's first lane. */
  MR_DEVICE T shift(T v, T first) {
    T up = mr_shuffle_up(v, 1);
    if (WARPS > 1) {
      T* const edge = shared->edge[edges++ & 1];
      if (mr_lane() == 31) edge[mr_warp()] = v;
      mr_sync_block();
      if (mr_lane() == 0 && mr_warp() > 0) up = edge[mr_warp() - 1];
    }
    return mr_thread() == 0 ? first : up;
  }

  /* Inclusive scan with the powers M^1, M^2, M^4, .. in `rounds` and M^(l + 1) in powers[l]. *before is the scan of the warps before this one, and
     *all that of the whole block. */
  MR_DEVICE MrGpuPair<T> scan(MrGpuPair<T> z, const T* rounds, const T* powers, MrGpuPair<T>* before, MrGpuPair<T>* all) {
    MR_UNROLL
    for (int r = 0; r < 5; r++) {
      const MrGpuPair<T> u = mr_pair_shuffle_up(z, 1u << r);
      const MrGpuPair<T> sum = mr_pair_add(rounds + 4 * r, u, z);
      if (mr_lane() >= (1u << r)) z = sum;
    }
    *before = {T(0), T(0)};
    if (WARPS == 1) {
      *all = {mr_shuffle(z.a, 31), mr_shuffle(z.b, 31)};
      return z;
    }
    MrGpuPair<T>* const total = shared->total[totals++ & 1];
    if (mr_lane() == 31) total[mr_warp()] = z;
    mr_sync_block();
    *all = total[0];
    for (int i = 1; i < WARPS; i++) {
      if (mr_warp() == (unsigned)i) *before = *all;
      *all = mr_pair_add(rounds + 4 * 5, *all, total[i]);
    }
    if (mr_warp() > 0) z = mr_pair_add(powers + 4 * mr_lane(), *before, z);
    return z;
  }

  /* Of pairs that are scanned already: that of the lane before this warp's first one, and the block's last. */
  MR_DEVICE void gather(const MrGpuPair<T>& z, MrGpuPair<T>* before, MrGpuPair<T>* all) {
    *before = {T(0), T(0)};
    *all = {mr_shuffle(z.a, 31), mr_shuffle(z.b, 31)};
    if (WARPS == 1) return;
    MrGpuPair<T>* const total = shared->total[totals++ & 1];
    if (mr_lane() == 31) total[mr_warp()] = z;
    mr_sync_block();
    *all = total[WARPS - 1];
    if (mr_warp() > 0) *before = total[mr_warp() - 1];
  }

  /* Whether `here` holds in any lane of the block. */
  MR_DEVICE bool any(bool here) {
    const bool warp = mr_ballot(here) != 0;
    if (WARPS == 1) return warp;
    T* const edge = shared->edge[edges++ & 1];
    if (mr_lane() == 0) edge[mr_warp()] = warp ? T(1) : T(0);
    mr_sync_block();
    T sum = T(0);
    for (int i = 0; i < WARPS; i++) sum += edge[i];
    return sum != T(0);
  }

  /* A pair that one warp, the first, has in all its lanes, to all. */
  MR_DEVICE MrGpuPair<T> share(const MrGpuPair<T>& v) {
    if (WARPS == 1) return v;
    MrGpuPair<T>* const carry = &shared->carry[carries++ & 1];
    if (mr_thread() == 0) *carry = v;
    mr_sync_block();
    return *carry;
  }
};

#endif
