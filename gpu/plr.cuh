/* A recursive filter in direct form by correction factors, to compare with: S. Maleki, M. Burtscher, "Automatic Hierarchical Parallelization of
   Linear Recurrences", 2018 (PLR).
   SPDX-License-Identifier: ISC

   y[i] = sum b[j] x[i - j] - sum a[j] y[i - j], all P poles in one recurrence. Pieces are solved from rest and joined by twos: what a piece's last P
   outputs add to output q of the piece after it is fixed, the correction factors F[j][q]. In float32 this form cannot hold filters of high order, which is
   what cascades are for: it is here for its speed.

   The table is that of tables.h. */
#ifndef MILLRACE_GPU_PLR_CUH
#define MILLRACE_GPU_PLR_CUH

#include "groups.cuh"

/* x[m] += sum over j of F[j][q + m] v[j] */
template <class T, int P>
MR_DEVICE void mr_plr_correct(const T* factors, uint32_t q, const T (&v)[P], T (&x)[MR_PLR_SAMPLES]) {
  for (int j = 0; j < P; j++) {
    MR_UNROLL
    for (int m = 0; m < MR_PLR_SAMPLES; m++) x[m] = mr_fma(mr_load(factors + j * MR_PLR_GROUP + q + m), v[j], x[m]);
  }
}

template <class T, int P>
MR_DEVICE void mr_plr_last(const T (&x)[MR_PLR_SAMPLES], unsigned lane, T (&v)[P]) {
  MR_UNROLL
  for (int j = 0; j < P; j++) v[j] = mr_shuffle(x[MR_PLR_SAMPLES - 1 - j], lane);
}

/* Lane j < P gets v[j]. */
template <class T, int P>
MR_DEVICE T mr_plr_own(const T (&v)[P]) {
  T own = T(0);
  MR_UNROLL
  for (int j = 0; j < P; j++)
    if ((int)mr_lane() == j) own = v[j];
  return own;
}

/* What a group hands on of what it inherits: lane j's output number -1 - j. */
template <class T, int P>
MR_DEVICE T mr_plr_hand_on(const T* factors, T inherited, T local) {
  const uint32_t q = MR_PLR_GROUP - 1 - (mr_lane() < P ? mr_lane() : 0);
  T sum = local;
  for (int j = 0; j < P; j++) sum = mr_fma(mr_load(factors + j * MR_PLR_GROUP + q), mr_shuffle(inherited, (unsigned)j), sum);
  return sum;
}

/* One channel, planar, from rest. groups.local and groups.global: [count][P]. */
template <class T, int P>
MR_KERNEL_REGISTERS(168) mr_plr_kernel(MR_PARAM(MrGpuLaunch, p)) {
  constexpr int N = MR_PLR_SAMPLES;
  typedef MrGpuRows<float, N> Rows;
  MR_SHARED(float, rows, 32 * Rows::STEP);
  MR_SHARED(uint32_t, ticket, 1);
  if (mr_thread() == 0) ticket[0] = mr_ticket(p.groups.ticket) - p.groups.ticket_base;
  mr_sync_warp();
  const int64_t g = ticket[0], begin = g * MR_PLR_GROUP;
  const T* const table = (const T*)p.cascades.table;
  const T* const factors = table + MR_PLR_FACTORS;
  const MrGpuGroup<float, T, MR_PLR_LANES, N> group = {p, 0, begin, rows};
  group.fetch();
  T x[N], v[P];
  float* const row = rows + mr_lane() * Rows::STEP;
  mr_row_get<float>(row, x);

  /* The numerator: P inputs before the lane's own. */
  for (int j = 0; j < P; j++) {
    const int64_t frame = begin + (int64_t)mr_lane() * N - 1 - j;
    v[j] = frame < 0 || !group.has(frame) ? T(0) : mr_lane() > 0 ? (T)(row - Rows::STEP)[N - 1 - j] : group.input(frame);
  }
  MR_UNROLL
  for (int m = N - 1; m >= 0; m--) {
    T sum = mr_load(table + MR_PLR_ORDER) * x[m];
    MR_UNROLL
    for (int j = 1; j <= P; j++) sum = mr_fma(mr_load(table + MR_PLR_ORDER + j), m >= j ? x[m >= j ? m - j : 0] : v[m >= j ? 0 : j - m - 1], sum);
    x[m] = sum;
  }
  MR_UNROLL
  for (int m = 1; m < N; m++) {
    MR_UNROLL
    for (int j = 1; j <= P && j <= m; j++) x[m] = mr_fma(-mr_load(table + j - 1), x[m - j], x[m]);
  }
  /* Pieces joined by twos. */
  for (unsigned s = 1; s < 32; s *= 2) {
    mr_plr_last(x, (mr_lane() / s * s - 1) & 31, v);
    if (mr_lane() & s) mr_plr_correct(factors, mr_lane() % s * N, v, x);
  }
  mr_plr_last(x, 31, v);
  const T local = mr_plr_own(v);
  const uint32_t here = 2 * p.groups.launch + 1;
  T *const locals = (T*)p.groups.local, *const globals = (T*)p.groups.global;
  if (mr_lane() < P) mr_store_relaxed(locals + g * P + mr_lane(), local);
  mr_sync_warp();
  if (mr_lane() == 0) mr_store_release(p.groups.flag + g, here);

  /* Back to the nearest group whose outputs are known, and forward again. */
  int64_t known = -1;
  for (int64_t from = g - 1; from >= 0; from -= 32) {
    const int64_t at = from - mr_lane();
    unsigned ends;
    for (;;) {
      const uint32_t flag = at >= 0 ? mr_load_acquire(p.groups.flag + at) : here + 1;
      ends = mr_ballot((int32_t)(flag - here) >= 1);
      const unsigned nearest = ends ? mr_find_first(ends) : 31;
      const unsigned before = nearest == 31 ? 0xffffffffu : (2u << nearest) - 1;
      if (!(mr_ballot((int32_t)(flag - here) < 0) & before)) break;
      mr_pause();
    }
    if (!ends) continue;
    known = from - mr_find_first(ends);
    break;
  }
  T inherited = known >= 0 && mr_lane() < P ? mr_load_relaxed(globals + known * P + mr_lane()) : T(0);
  for (int64_t i = known < 0 ? 0 : known + 1; i < g; i++)
    inherited = mr_plr_hand_on<T, P>(factors, inherited, mr_lane() < P ? mr_load_relaxed(locals + i * P + mr_lane()) : T(0));
  const T next = mr_plr_hand_on<T, P>(factors, inherited, local);
  if (mr_lane() < P) mr_store_relaxed(globals + g * P + mr_lane(), next);
  mr_sync_warp();
  if (mr_lane() == 0) mr_store_release(p.groups.flag + g, here + 1);

  MR_UNROLL
  for (int j = 0; j < P; j++) v[j] = mr_shuffle(inherited, (unsigned)j);
  mr_plr_correct(factors, mr_lane() * N, v, x);
  mr_row_put<float>(row, x);
  group.store();
}

#endif
