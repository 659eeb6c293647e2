/* Groups of the stream, each a block's: the whole cascade in one kernel, a section at a time over the samples that the lanes hold in registers.
   SPDX-License-Identifier: ISC

   How a lane goes through a section is the method (methods.cuh), how a group comes by what it inherits is the carry (carries.cuh). Samples are read
   once and written once, 8 bytes of traffic for a float32 sample, whatever the number of sections; beside them go two pairs and a flag of each
   group and section. */
#ifndef MILLRACE_GPU_GROUPS_CUH
#define MILLRACE_GPU_GROUPS_CUH

#include "carries.cuh"
#include "rows.cuh"

template <class S, class T, int L, int N>
struct MrGpuGroup {
  typedef MrGpuRows<S, N> Rows;
  typedef typename MrGpuPiece<S>::Type Piece;
  static constexpr int C = L * N;
  const MrGpuLaunch& p;
  uint32_t channel;
  int64_t first;   /* frame of this warp's first row */
  S* rows;         /* of this warp */

  MR_DEVICE uint64_t offset(int64_t frame) const {
    return p.samples.interleaved ? (uint64_t)frame * p.samples.channels + channel : channel * p.samples.channel_step + (uint64_t)frame;
  }
  MR_DEVICE bool has(int64_t frame) const { return frame >= 0 && (uint64_t)frame < p.samples.frames; }
  MR_DEVICE T input(int64_t frame) const { return (T)mr_load((const S*)p.samples.in + offset(frame)); }

  MR_DEVICE void fetch() const {
    const S* const in = (const S*)p.samples.in;
    if (p.samples.interleaved)
      for (int e = (int)mr_lane(); e < 32 * N; e += 32) {
        const bool there = has(first + e);
        mr_copy_async<(int)sizeof(S)>(rows + e / N * Rows::STEP + e % N, in + (there ? offset(first + e) : 0), there);
      }
    else
      for (int e = (int)mr_lane() * Rows::PIECE; e < 32 * N; e += 32 * Rows::PIECE) {
        const bool there = has(first + e);
        mr_copy_async<16>(rows + e / N * Rows::STEP + e % N, in + (there ? offset(first + e) : 0), there);
      }
    mr_copy_commit();
    mr_copy_wait<0>();
    mr_sync_warp();
  }

  MR_DEVICE void store() const {
    S* const out = (S*)p.samples.out;
    mr_sync_warp();
    if (p.samples.interleaved)
      for (int e = (int)mr_lane(); e < 32 * N; e += 32) {
        if (has(first + e)) mr_store_once(out + offset(first + e), rows[e / N * Rows::STEP + e % N]);
      }
    else
      for (int e = (int)mr_lane() * Rows::PIECE; e < 32 * N; e += 32 * Rows::PIECE) {
        const S* const from = rows + e / N * Rows::STEP + e % N;
        if (has(first + e + Rows::PIECE - 1))
          mr_store_once((Piece*)(out + offset(first + e)), *(const Piece*)from);
        else
          for (int j = 0; has(first + e + j) && j < Rows::PIECE; j++) mr_store_once(out + offset(first + e + j), from[j]);
      }
    mr_sync_warp();
  }
};

/* The last two samples of a lane's stream up to its sample number `at`, S being those before the lane. */
template <class T, int N>
MR_DEVICE MrGpuPair<T> mr_last_two(const T (&x)[N], int at, const MrGpuPair<T>& S) {
  MrGpuPair<T> v = S;
  MR_UNROLL
  for (int j = 0; j < N; j++)
    if (j <= at) v = {v.b, x[j]};
  return v;
}

/* A section's state after `count` samples of the lane, from what they leave from rest and the state before them. */
template <class T>
MR_DEVICE MrGpuPair<T> mr_state_after(const MrGpuSection<T>& q, int count, const MrGpuState<T>& rest, const MrGpuPair<T>& S) {
  MrGpuState<T> z = {S.a, S.b};
  for (int j = 0; j < count; j++) {
    T none = T(0);
    mr_section_step(q, false, z, none);
  }
  return {z.w + rest.w, z.d + rest.d};
}

template <class T, int L>
struct MrGpuGroupShared {
  MrGpuExchange<T, L> exchange;
  uint32_t ticket;
};

/* Bytes of dynamic shared memory of a block. */
template <class S, class T, class Carry, int L, int N>
constexpr unsigned mr_groups_shared(unsigned sections) {
  return (unsigned)(L * MrGpuRows<S, N>::BYTES) + (Carry::OWN ? sections * 2u * (unsigned)sizeof(T) : 0u);
}

/* One group through all sections. `carry` [sections][2] is a block's own, in shared memory; else NULL. */
template <class S, class T, class Method, class Carry, int L, int N>
MR_DEVICE void mr_group_run(const MrGpuLaunch& p, MrGpuLanes<T, L>& lanes, const MrGpuPlace& place, S* rows, T* carry, bool written) {
  constexpr int C = L * N;
  constexpr uint32_t SHIFT = Method::HISTORY ? 1 : 0; /* pairs of state before the sections' own */
  const uint32_t sections = p.cascades.sections;
  const int64_t begin = place.group * C, left = (int64_t)p.samples.frames - begin;
  const MrGpuGroup<S, T, L, N> group = {p, place.channel, begin + (int64_t)mr_warp() * 32 * N, rows + mr_warp() * 32 * MrGpuRows<S, N>::STEP};
  const bool ends = left > 0 && left <= C, part = ends && left < C; /* the stream's last group, not a full one */
  const int at = part ? (int)(left - 1 - (int64_t)mr_thread() * N) : N - 1; /* the stream's last sample in this lane, if 0 <= at < N */
  const bool mine = part ? at >= 0 && at < N : mr_thread() == L - 1;
  const T* const states = (const T*)p.cascades.state_in + (uint64_t)place.channel * (sections + SHIFT) * 2;
  T* const kept = (T*)p.cascades.state_out + (uint64_t)place.channel * (sections + SHIFT) * 2;
  const uint32_t* const depth = p.groups.depth ? p.groups.depth + (p.cascades.channel_table ? (uint64_t)place.channel * sections : 0) : nullptr;

  group.fetch();
  T x[N];
  S* const row = group.rows + mr_lane() * MrGpuRows<S, N>::STEP;
  mr_row_get<S>(row, x);
  MrGpuPair<T> h = {T(0), T(0)};
  if (Method::HISTORY) {
    const int64_t before = begin + (int64_t)mr_thread() * N;
    if (mr_lane() > 0) {
      const S* const last = row - MrGpuRows<S, N>::STEP + N - 2;
      h = {(T)last[0], (T)last[1]};
    } else if (before > 0) {
      if (before <= (int64_t)p.samples.frames) h = {group.input(before - 2), group.input(before - 1)};
      if (mr_thread() == 0) { /* of the group before, which has handed on nothing if they are poison */
        if (!mr_is_finite_below(h.a, T(MR_GPU_POISON))) h.a = T(0);
        if (!mr_is_finite_below(h.b, T(MR_GPU_POISON))) h.b = T(0);
      }
    } else if (before == 0) {
      h = {mr_load(states), mr_load(states + 1)};
    }
    if (ends && mine) {
      const MrGpuPair<T> v = mr_last_two(x, at, h);
      mr_store_once(kept, v.a);
      mr_store_once(kept + 1, v.b);
    }
    mr_sync_warp();
  }
  bool wild = false; /* an input that is poison ends what this group hands on, as a pair that is */
  MR_UNROLL
  for (int j = 0; j < N; j++) wild = wild || (!mr_is_finite_below(x[j], T(MR_GPU_POISON)) && j < left - (int64_t)mr_thread() * N);
  wild = lanes.any(wild);
  bool troubled = false;
  for (uint32_t k = 0; k < sections; k++) {
    const MrGpuTable<T, L, N> table = {(const T*)p.cascades.table + place.channel * p.cascades.channel_table + (uint64_t)k * p.cascades.section_table};
    MrGpuScan<T> scan = {{T(0), T(0)}, {T(0), T(0)}, part && mine ? at + 1 : 0, {T(0), T(0)}};
    MrGpuPair<T> X = {T(0), T(0)};
    if (Carry::OWN) X = {carry[2 * k], carry[2 * k + 1]};
    const MrGpuPair<T> Z = Method::local(table, lanes, h, x, &scan);
    if (wild) scan.all.a = T(NAN);
    if constexpr (!Carry::OWN) {
      Carry::publish_local(p, k, place, scan.all);
      const MrGpuPair<T> first = {mr_load(states + 2 * (k + SHIFT)), mr_load(states + 2 * (k + SHIFT) + 1)};
      if (mr_warp() == 0) X = Carry::find(p, table.jump(), k, place, first, depth ? mr_load(depth + k) : 0u);
      X = lanes.share(X);
    }
    MrGpuPair<T> next = mr_pair_add(table.power() + 4 * (L - 1), X, scan.all);
    const bool poison = mr_pair_is_poison(next);
    if (poison) next = {T(0), T(0)};
    if constexpr (Carry::OWN) {
      lanes.sync_own(); /* all have read the carry */
      if (mr_thread() == 0) carry[2 * k] = next.a, carry[2 * k + 1] = next.b;
    } else if (!mr_pair_is_poison(scan.all)) {
      Carry::publish_global(p, k, place, next);
    }
    if (poison && !troubled && written && mr_thread() == 0) mr_ticket(p.cascades.troubles);
    troubled = troubled || poison;

    /* What this lane hands on, and what it inherits. */
    const MrGpuPair<T> Y = mr_pair_add(table.power() + 4 * mr_thread(), X, Z);
    MrGpuPair<T> S_l = mr_pair_shuffle_up(Y, 1);
    MrGpuPair<T> H = X; /* M^l X */
    if (mr_thread() > 0) H = mr_pair_add(table.power() + 4 * (mr_thread() - 1), X, {T(0), T(0)});
    if (mr_lane() == 0) S_l = {scan.before.a + H.a, scan.before.b + H.b};
    Method::inherit(table, lanes, Method::JOINT ? H : S_l, Y, X, x);
    if (ends && mine) {
      MrGpuPair<T> v = next;
      if (part) v = Method::HISTORY ? mr_last_two(x, at, S_l) : mr_state_after(mr_section_load(table.of), at + 1, scan.noted, S_l);
      if (wild || mr_pair_is_poison(v)) v = {T(0), T(0)};
      mr_store_once(kept + 2 * (k + SHIFT), v.a);
      mr_store_once(kept + 2 * (k + SHIFT) + 1, v.b);
    }
    h = S_l;
  }
  if (!written) return;
  const T gain = mr_load((const T*)p.cascades.gain + place.channel);
  MR_UNROLL
  for (int j = 0; j < N; j++) x[j] *= gain;
  mr_row_put<S>(row, x);
  group.store();
}

/* Groups by tickets, with look-back. */
template <class S, class T, class Method, class Carry, int L, int N>
MR_KERNEL_REGISTERS((MrGpuRegisters<T, N, Method::template more<T, N>()>::COUNT)) mr_groups_kernel(MR_PARAM(MrGpuLaunch, p)) {
  MR_DYNAMIC_SHARED(S, rows);
  typedef MrGpuGroupShared<T, L> Shared;
  MR_SHARED(Shared, shared, 1);
  if (mr_thread() == 0) shared->ticket = mr_ticket(p.groups.ticket) - p.groups.ticket_base;
  if (L > 32)
    mr_sync_block();
  else
    mr_sync_warp();
  const MrGpuPlace place = {(int64_t)(shared->ticket / p.samples.channels), shared->ticket % p.samples.channels};
  MrGpuLanes<T, L> lanes(&shared->exchange);
  mr_group_run<S, T, Method, Carry, L, N>(p, lanes, place, rows, (T*)nullptr, true);
}

/* A block's own groups, one after the other, started early from rest. */
template <class S, class T, class Method, int L, int N>
MR_KERNEL_REGISTERS((MrGpuRegisters<T, N, Method::template more<T, N>() + 16>::COUNT)) mr_runs_kernel(MR_PARAM(MrGpuLaunch, p)) {
  MR_DYNAMIC_SHARED(S, rows);
  typedef MrGpuExchange<T, L> Exchange;
  MR_SHARED(Exchange, exchange, 1);
  constexpr uint32_t SHIFT = Method::HISTORY ? 1 : 0;
  const uint32_t channel = mr_block() % p.samples.channels, sections = p.cascades.sections;
  const int64_t begin = (int64_t)(mr_block() / p.samples.channels) * p.groups.run, wished = begin - p.groups.early;
  const int64_t end = begin + p.groups.run < p.groups.count ? begin + p.groups.run : p.groups.count, from = wished > 0 ? wished : 0;
  T* const carry = (T*)(rows + L * MrGpuRows<S, N>::STEP);
  const T* const states = (const T*)p.cascades.state_in + ((uint64_t)channel * (sections + SHIFT) + SHIFT) * 2;
  for (uint32_t i = mr_thread(); i < 2 * sections; i += L) carry[i] = from > 0 ? T(0) : mr_load(states + i);
  MrGpuLanes<T, L> lanes(exchange);
  for (int64_t g = from; g < end; g++) {
    lanes.sync_own();
    mr_group_run<S, T, Method, MrCarryOwn, L, N>(p, lanes, {g, channel}, rows, carry, g >= begin);
  }
}

#endif
