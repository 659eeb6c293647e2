/* Segments of the stream, each on a lane of its own: the plain recursion, started early.
   SPDX-License-Identifier: ISC

   A lane runs one segment of one channel through all sections. It starts `early` frames before its segment, from rest: by then the filters
   have forgotten what came before, to below the last digits that count. Lanes that would start before the launch's first frame start there with the
   states carried over from the launch before. There are no flags and no barriers between blocks, nothing depends on the
   schedule, and a sample is read 1 + early / frames times and written once.

   With one segment this is the kernel of very many channels, a lane each.

   Sections are the outer loop over the N samples that a lane holds in registers: coefficients, which may differ in every lane, and states, in shared memory, are
   fetched once for N samples, and one text does for any number of sections. While a row runs, the next one is on its way. */
#ifndef MILLRACE_GPU_SEGMENTS_CUH
#define MILLRACE_GPU_SEGMENTS_CUH

#include "rows.cuh"
#include "section.cuh"

enum { MR_SEGMENTS_WARPS = 2 };

/* Samples of a row: 128 bytes. */
template <class S>
struct MrGpuSegmentsRow {
  static constexpr int N = 128 / (int)sizeof(S);
  typedef MrGpuRows<S, N> Rows;
};

/* Bytes of dynamic shared memory of a block. */
template <class S, class T>
constexpr unsigned mr_segments_shared(unsigned sections) {
  return MR_SEGMENTS_WARPS * (2u * 32u * (unsigned)MrGpuSegmentsRow<S>::Rows::BYTES + sections * 2u * 32u * (unsigned)sizeof(T));
}

/* The part of the stream that a warp works on. */
template <class S, int N>
struct MrGpuWarpSpan {
  typedef MrGpuRows<S, N> Rows;
  typedef typename MrGpuPiece<S>::Type Piece;
  MrGpuSamples m;
  MrGpuSegments cut;
  uint32_t channel, segment; /* of row 0 */
  uint32_t rows;             /* in use */

  MR_DEVICE MrGpuWarpSpan(const MrGpuLaunch& p, uint32_t warp) : m(p.samples), cut(p.segments) {
    channel = warp % cut.channel_warps * cut.lane_channels;
    segment = warp / cut.channel_warps * cut.lane_segments;
    const uint32_t channels = m.channels - channel < cut.lane_channels ? m.channels - channel : cut.lane_channels;
    rows = cut.lane_segments == 1 ? channels : cut.lane_segments * cut.lane_channels;
  }
  MR_DEVICE uint32_t row_channel(uint32_t r) const { return channel + r % cut.lane_channels; }
  MR_DEVICE uint32_t row_segment(uint32_t r) const { return segment + r / cut.lane_channels; }
  MR_DEVICE bool has(int64_t frame) const { return frame >= 0 && (uint64_t)frame < m.frames; }

  /* Planar: f(row's offset in the samples, frame, shared offset) for each piece that this lane moves; rows are evenly spaced. */
  template <class F>
  MR_DEVICE void each_piece(int64_t t, F f) const {
    const uint32_t lane = mr_lane(), part = lane % Rows::PIECES * Rows::PIECE;
    const bool side = cut.lane_channels > 1; /* rows are channels, else segments */
    const uint64_t step = side ? m.channel_step : cut.frames;
    uint32_t r = lane / Rows::PIECES;
    int64_t frame = (int64_t)((segment + (side ? 0 : r)) * cut.frames) + t + part;
    int64_t at = (int64_t)(channel * m.channel_step + segment * cut.frames + r * step) + t + part;
    MR_UNROLL
    for (int i = 0; i < Rows::PIECES; i++) {
      f(at, frame, r * Rows::STEP + part, r < rows);
      r += 32 / Rows::PIECES;
      at += (int64_t)(step * (32 / Rows::PIECES));
      if (!side) frame += (int64_t)(cut.frames * (32 / Rows::PIECES));
    }
  }

  /* Interleaved: the same for each sample. Of many channels a lane has one; of few, lanes go along the frames of a segment. */
  template <class F>
  MR_DEVICE void each_sample(int64_t t, F f) const {
    const uint32_t lane = mr_lane();
    if (cut.lane_segments == 1) {
      int64_t frame = (int64_t)(segment * cut.frames) + t;
      int64_t at = frame * m.channels + channel + lane;
      MR_LOOP
      for (int j = 0; j < N; j++, frame++, at += m.channels) f(at, frame, lane * Rows::STEP + j, lane < rows);
      return;
    }
    MR_LOOP
    for (uint32_t i = 0; i < cut.lane_segments; i++) {
      const int64_t first = (int64_t)((segment + i) * cut.frames) + t;
      MR_LOOP
      for (uint32_t e = lane; e < N * cut.lane_channels; e += 32) {
        const uint32_t j = (e * cut.over_channels) >> 16, c = e - j * cut.lane_channels;
        f(first * m.channels + e, first + j, (i * cut.lane_channels + c) * Rows::STEP + j, true);
      }
    }
  }

  /* Sends for the rows at frame t of each segment. Where there are no frames they are zeros. */
  MR_DEVICE void fetch(S* rows_of, int64_t t) const {
    const S* in = (const S*)m.in;
    if (m.interleaved)
      each_sample(t, [&](int64_t at, int64_t frame, uint32_t to, bool used) {
        const bool there = used && has(frame);
        mr_copy_async<(int)sizeof(S)>(rows_of + to, in + (there ? at : 0), there);
      });
    else
      each_piece(t, [&](int64_t at, int64_t frame, uint32_t to, bool used) {
        const bool there = used && has(frame);
        mr_copy_async<16>(rows_of + to, in + (there ? at : 0), there);
      });
    mr_copy_commit();
  }

  MR_DEVICE void store(const S* rows_of, int64_t t) const {
    S* out = (S*)m.out;
    if (m.interleaved)
      each_sample(t, [&](int64_t at, int64_t frame, uint32_t from, bool used) {
        if (used && has(frame)) mr_store_once(out + at, rows_of[from]);
      });
    else
      each_piece(t, [&](int64_t at, int64_t frame, uint32_t from, bool used) {
        if (!used || !has(frame)) return;
        if (has(frame + Rows::PIECE - 1))
          mr_store_once((Piece*)(out + at), *(const Piece*)(rows_of + from));
        else
          for (int j = 0; has(frame + j); j++) mr_store_once(out + at + j, rows_of[from + j]);
      });
  }
};

/* States of a warp's lanes, [sections][2][32]. */
template <class T>
struct MrGpuLaneStates {
  T* of;
  MR_DEVICE MrGpuState<T> get(uint32_t k) const { return {of[k * 64 + mr_lane()], of[k * 64 + 32 + mr_lane()]}; }
  MR_DEVICE void set(uint32_t k, const MrGpuState<T>& z) {
    of[k * 64 + mr_lane()] = z.w;
    of[k * 64 + 32 + mr_lane()] = z.d;
  }
};

template <class S, class T>
MR_KERNEL_REGISTERS((MrGpuRegisters<T, MrGpuSegmentsRow<S>::N, 24>::COUNT)) mr_segments_kernel(MR_PARAM(MrGpuLaunch, p)) {
  constexpr int N = MrGpuSegmentsRow<S>::N;
  typedef MrGpuRows<S, N> Rows;
  MR_DYNAMIC_SHARED(unsigned char, shared);
  const uint32_t sections = p.cascades.sections, lane = mr_lane();
  const uint32_t warps = (p.segments.count + p.segments.lane_segments - 1) / p.segments.lane_segments * p.segments.channel_warps;
  const uint32_t warp = mr_block() * MR_SEGMENTS_WARPS + mr_warp();
  if (warp >= warps) return;
  S* const rows = (S*)(shared + mr_warp() * (2 * 32 * Rows::BYTES + sections * 64 * sizeof(T)));
  MrGpuLaneStates<T> states = {(T*)(rows + 2 * 32 * Rows::STEP)};

  const MrGpuWarpSpan<S, N> span(p, warp);
  const bool used = lane < span.rows && span.row_segment(lane) < p.segments.count;
  const uint32_t channel = used ? span.row_channel(lane) : 0;
  const int64_t begin = (int64_t)((used ? span.row_segment(lane) : 0) * p.segments.frames); /* of the lane's segment */
  const int64_t frames = (int64_t)p.samples.frames, left = frames - begin;
  const T* const table = (const T*)p.cascades.table + channel * p.cascades.channel_table;
  const T gain = mr_load((const T*)p.cascades.gain + channel);
  const T* const carried = (const T*)p.cascades.state_in + (uint64_t)channel * sections * 2;
  T* const kept = (T*)p.cascades.state_out + (uint64_t)channel * sections * 2;
  const bool last = used && left > 0 && left <= (int64_t)p.segments.frames;

  MR_LOOP
  for (uint32_t k = 0; k < sections; k++) states.set(k, {T(0), T(0)});
  /* The first segment of all has nothing before it. */
  const int64_t from = span.segment == 0 && p.segments.lane_segments == 1 ? 0 : -(int64_t)p.segments.early;
  span.fetch(rows, from);
  for (int64_t t = from; t < (int64_t)p.segments.frames; t += N) {
    S* const now = rows + ((t - from) / N & 1) * 32 * Rows::STEP;
    S* const next = rows + (((t - from) / N + 1) & 1) * 32 * Rows::STEP;
    if (t + N < (int64_t)p.segments.frames) {
      span.fetch(next, t + N);
      mr_copy_wait<1>();
    } else {
      mr_copy_wait<0>();
    }
    mr_sync_warp();
    S* const row = now + lane * Rows::STEP;
    T x[N];
    mr_row_get<S>(row, x);
    if (begin + t == 0) {
      MR_LOOP
      for (uint32_t k = 0; k < sections; k++) states.set(k, {mr_load(carried + 2 * k), mr_load(carried + 2 * k + 1)});
    }
    const bool whole = !last || t + N <= left;
    if (whole || t < left) {
      MR_LOOP
      for (uint32_t k = 0; k < sections; k++) {
        const MrGpuSection<T> q = mr_section_load(table + k * p.cascades.section_table);
        MrGpuState<T> z = states.get(k);
        if (whole) {
          mr_section_run(q, z, x);
        } else { /* the stream ends in this row */
          MrGpuState<T> run = z;
          mr_section_run_noting(q, run, x, (int)(left - t), &z);
        }
        states.set(k, z);
      }
      if ((t + N) % 64 == 0 && whole && !mr_is_finite_below(x[N - 1], T(MR_GPU_POISON))) {
        MR_LOOP
        for (uint32_t k = 0; k < sections; k++) states.set(k, {T(0), T(0)});
        if (used && t >= 0 && begin + t < frames) mr_ticket(p.cascades.troubles);
      }
      MR_UNROLL
      for (int j = 0; j < N; j++) x[j] *= gain;
      mr_row_put<S>(row, x);
    }
    mr_sync_warp();
    if (t >= 0) span.store(now, t);
    mr_sync_warp();
  }
  if (last) {
    MR_LOOP
    for (uint32_t k = 0; k < sections; k++) {
      const MrGpuState<T> z = states.get(k);
      mr_store_once(kept + 2 * k, z.w);
      mr_store_once(kept + 2 * k + 1, z.d);
    }
  }
}

#endif
