// A prefix sum over integers with decoupled look-back: a kernel to try the emulator on, right, and with one fault planted at a time.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TEST_SCAN_CUH
#define MILLRACE_TEST_SCAN_CUH

#include "../../gpu/primitives.cuh"

enum class Planted {
  nothing,
  no_release,         // the flag is stored without an order
  flag_first,         // the flag is stored before the value
  no_barrier,         // none between writing the tile and reading it
  no_ticket,          // the block's own number in place of one
  no_wait,            // nobody waits for the copies
  no_commit,          // nobody closes the group that is waited for
  wait_for_one_less,  // the last group may still be under way
  read_only,          // values of other blocks by mr_load
};

constexpr unsigned SCAN_THREADS = 64, SCAN_EACH = 4, SCAN_TILE = SCAN_THREADS * SCAN_EACH;
constexpr unsigned SCAN_EMPTY = 0, SCAN_LOCAL = 1, SCAN_ALL = 2;  // states of a tile: what its value holds

struct ScanTile {
  unsigned state, local, all, unused;
};

struct ScanParameters {
  const unsigned* from;
  unsigned* to;
  ScanTile* tiles;
  unsigned* ticket;
  unsigned count;
};

// The sum of all tiles before this one, for all lanes of the warp that asks.
template <Planted planted>
MR_DEVICE unsigned scan_look_back(const ScanTile* tiles, unsigned tile) {
  unsigned sum = 0;
  int last = static_cast<int>(tile) - 1;
  while (last >= 0) {
    const int mine = last - static_cast<int>(mr_lane());
    const unsigned state = mine >= 0 ? mr_load_acquire(&tiles[mine].state) : SCAN_ALL;
    const unsigned first_all = mr_find_first(mr_ballot(state == SCAN_ALL)), first_empty = mr_find_first(mr_ballot(state == SCAN_EMPTY));
    if (first_empty < first_all) {
      mr_pause();
      continue;
    }
    unsigned value = 0;
    if (mine >= 0 && mr_lane() <= first_all) {
      const unsigned* from = state == SCAN_ALL ? &tiles[mine].all : &tiles[mine].local;
      value = planted == Planted::read_only ? mr_load(from) : mr_load_relaxed(from);
    }
    for (unsigned mask = 16; mask; mask /= 2) value += mr_shuffle_xor(value, mask);
    sum += value;
    if (first_all < 32) break;
    last -= 32;
  }
  return sum;
}

template <Planted planted>
MR_DEVICE void scan_publish(unsigned* place, unsigned value, unsigned* state, unsigned reached) {
  if (planted == Planted::flag_first) mr_store_release(state, reached);
  mr_store_relaxed(place, value);
  if (planted == Planted::no_release) mr_store_relaxed(state, reached);
  if (planted != Planted::flag_first && planted != Planted::no_release) mr_store_release(state, reached);
}

template <Planted planted>
MR_KERNEL(SCAN_THREADS, 2)
scan_kernel(MR_PARAM(ScanParameters, p)) {
  MR_SHARED(unsigned, shared, 2);                // the tile's number, and the sum of those before
  MR_SHARED(unsigned, sums, SCAN_THREADS / 32);  // of the warps
  MR_DYNAMIC_SHARED(unsigned, values);
  const unsigned thread = mr_thread();
  if (thread == 0) shared[0] = planted == Planted::no_ticket ? mr_block() : mr_ticket(p.ticket);
  mr_sync_block();
  const unsigned tile = shared[0], begin = tile * SCAN_TILE;

  for (unsigned i = thread; i < SCAN_TILE; i += SCAN_THREADS) {
    mr_copy_async<4>(&values[i], &p.from[begin + i], begin + i < p.count);
    if (planted != Planted::no_commit) mr_copy_commit();
  }
  if (planted == Planted::wait_for_one_less) mr_copy_wait<1>();
  if (planted != Planted::wait_for_one_less && planted != Planted::no_wait) mr_copy_wait<0>();
  if (planted != Planted::no_barrier) mr_sync_block();

  unsigned own[SCAN_EACH], sum = 0;
  MR_UNROLL
  for (unsigned i = 0; i < SCAN_EACH; i++) own[i] = sum += values[thread * SCAN_EACH + i];
  unsigned through = sum;  // of this lane and those before it
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned other = mr_shuffle_up(through, distance);
    if (mr_lane() >= distance) through += other;
  }
  if (mr_lane() == 31) sums[mr_warp()] = through;
  mr_sync_block();
  unsigned before = 0, all = 0;
  for (unsigned i = 0; i < SCAN_THREADS / 32; i++) {
    if (i < mr_warp()) before += sums[i];
    all += sums[i];
  }

  if (mr_warp() == 0) {
    ScanTile* mine = &p.tiles[tile];
    if (mr_lane() == 0) {
      if (tile)
        scan_publish<planted>(&mine->local, all, &mine->state, SCAN_LOCAL);
      else
        scan_publish<planted>(&mine->all, all, &mine->state, SCAN_ALL);
    }
    const unsigned sum_before = scan_look_back<planted>(p.tiles, tile);
    if (mr_lane() == 0) {
      shared[1] = sum_before;
      if (tile) scan_publish<planted>(&mine->all, sum_before + all, &mine->state, SCAN_ALL);
    }
  }
  mr_sync_block();
  const unsigned offset = shared[1] + before + through - sum;
  MR_UNROLL
  for (unsigned i = 0; i < SCAN_EACH; i++) values[thread * SCAN_EACH + i] = offset + own[i];
  mr_sync_block();
  for (unsigned i = thread; i < SCAN_TILE; i += SCAN_THREADS)
    if (begin + i < p.count) mr_store_once(&p.to[begin + i], values[i]);
}

#endif
