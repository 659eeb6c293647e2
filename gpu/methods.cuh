/* The methods by which a group of samples goes through one section: what a lane does before it knows what it inherits, and after.
   SPDX-License-Identifier: ISC

   A group has L lanes of N samples, x[0 .. N - 1] of each in registers. `local` works from rest and returns the lanes' scanned pairs Z; the group's
   local carry is that of the last lane. When the pair X that the group inherits is known, Y[l] = Z[l] + M^(l + 1) X is what every lane hands on,
   and `inherit` finishes the samples.

     states  the section's own state (w, d): keeps its digits for low corners, needs no history of inputs
     PH      pairs of outputs; particular solution by recursion, then the homogeneous one
     STCR    cyclic reduction of the whole group with a single terminal, y[N - 1] of each lane; the pair is known when all is solved
     DTCR    even and odd samples reduced apart, two terminals: the pair is known before anything is solved backwards

   PH, STCR, DTCR: Zhai, "Parallel Cascaded Recursive Filtering on Multi-Core CPUs and GPUs", 2026, section IV. (The sign of its
   matrix C is that of -M here.) Cyclic reduction divides by numbers that are 0 for some pole angles; hosts refuse it near them. */
#ifndef MILLRACE_GPU_METHODS_CUH
#define MILLRACE_GPU_METHODS_CUH

#include "lanes.cuh"
#include "section.cuh"

/* Adds what the pair S contributes to each sample. */
template <class T, int N>
MR_DEVICE void mr_add_homogeneous(const T* rows, const MrGpuPair<T>& S, T (&x)[N]) {
  MR_UNROLL
  for (int m = 0; m < N; m++) x[m] = mr_fma(mr_load(rows + 2 * m), S.a, mr_fma(mr_load(rows + 2 * m + 1), S.b, x[m]));
}

/* Where a section's numbers are. */
template <class T, int L, int N>
struct MrGpuTable {
  const T* of;
  MR_DEVICE const T* scan() const { return of + MR_TABLE_SCAN; }
  MR_DEVICE const T* jump() const { return of + MR_TABLE_JUMP; }
  MR_DEVICE const T* level(int i) const { return of + MR_TABLE_LEVEL_0 + MR_TABLE_LEVEL * i; }
  MR_DEVICE const T* terminal() const { return of + MR_TABLE_TERMINAL; }
  MR_DEVICE const T* terminal_power() const { return of + MR_TABLE_TERMINAL_POWER; }
  MR_DEVICE const T* power() const { return of + MR_TABLE_POWER; }
  MR_DEVICE const T* rows() const { return of + MR_TABLE_POWER + 4 * L; }
  MR_DEVICE T at(int i) const { return mr_load(of + i); }
};

/* What `local` leaves beside the samples. */
template <class T>
struct MrGpuScan {
  MrGpuPair<T> before, all; /* of the warps before, of the block */
  int count;                /* given: of methods with states, samples of the lane after which the state is wanted; 0: none */
  MrGpuState<T> noted;      /* that state, from rest */
};

struct MrMethodStates {
  static constexpr bool HISTORY = false; /* needs the inputs before the lane's first sample */
  static constexpr bool JOINT = false;   /* `local` has solved all lanes of the group together */
  template <class T, int N>
  static constexpr int more() { /* registers, beside those of most methods */
    return sizeof(T) == 4 ? 8 : 40;
  }

  template <class T, int L, int N>
  static MR_DEVICE MrGpuPair<T> local(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, MrGpuPair<T>, T (&x)[N], MrGpuScan<T>* scan) {
    const MrGpuSection<T> q = mr_section_load(table.of);
    MrGpuState<T> z = {T(0), T(0)};
    if (scan->count > 0)
      mr_section_run_noting(q, z, x, scan->count, &scan->noted);
    else
      mr_section_run(q, z, x);
    return lanes.scan({z.w, z.d}, table.scan(), table.power(), &scan->before, &scan->all);
  }
  template <class T, int L, int N>
  static MR_DEVICE void inherit(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>&, const MrGpuPair<T>& S, const MrGpuPair<T>&,
                                const MrGpuPair<T>&, T (&x)[N]) {
    mr_add_homogeneous(table.rows(), S, x);
  }
};

/* x becomes its numerator's output; `h` has the two inputs before. */
template <class T, int L, int N>
MR_DEVICE void mr_numerator(const MrGpuTable<T, L, N>& table, const MrGpuPair<T>& h, T (&x)[N]) {
  const T b0 = table.at(0), b1 = table.at(1), b2 = table.at(2);
  MR_UNROLL
  for (int m = N - 1; m >= 0; m--) {
    const T x1 = m > 0 ? x[m - 1] : h.b, x2 = m > 1 ? x[m - 2] : m > 0 ? h.b : h.a;
    x[m] = mr_fma(b0, x[m], mr_fma(b1, x1, b2 * x2));
  }
}

struct MrMethodPH {
  static constexpr bool HISTORY = true;
  static constexpr bool JOINT = false;
  template <class T, int N>
  static constexpr int more() {
    return sizeof(T) == 4 ? 24 : 48;
  }

  template <class T, int L, int N>
  static MR_DEVICE MrGpuPair<T> local(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, MrGpuPair<T> h, T (&x)[N], MrGpuScan<T>* scan) {
    mr_numerator(table, h, x);
    const T a1 = table.at(3), a2 = table.at(4);
    x[1] = mr_fma(-a1, x[0], x[1]);
    MR_UNROLL
    for (int m = 2; m < N; m++) x[m] = mr_fma(-a1, x[m - 1], mr_fma(-a2, x[m - 2], x[m]));
    return lanes.scan({x[N - 2], x[N - 1]}, table.scan(), table.power(), &scan->before, &scan->all);
  }
  template <class T, int L, int N>
  static MR_DEVICE void inherit(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>&, const MrGpuPair<T>& S, const MrGpuPair<T>& Y,
                                const MrGpuPair<T>&, T (&x)[N]) {
    mr_add_homogeneous(table.rows(), S, x);
    x[N - 2] = Y.a; /* what the next lane has taken up, to the bit */
    x[N - 1] = Y.b;
  }
};

constexpr int mr_log2(int n) { return n > 1 ? 1 + mr_log2(n / 2) : 0; }

/* A system of cyclic reduction: every STEP-th of a lane's samples from FIRST on, n = N / STEP of them, from level log2(STEP) on. */
template <class T, int L, int N, int FIRST, int STEP>
struct MrGpuReduction {
  static constexpr int n = N / STEP, BASE = mr_log2(STEP), LEVELS = mr_log2(n);
  static MR_DEVICE T& z(T (&x)[N], int i) { return x[FIRST + STEP * i]; }

  static MR_DEVICE void reduce(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, T (&x)[N]) {
    MR_UNROLL
    for (int st = 1, level = BASE; st < n; st *= 2, level++) {
      const T e = mr_load(table.level(level) + MR_LEVEL_E), rho = mr_load(table.level(level) + MR_LEVEL_RHO);
      T before = lanes.shift(z(x, n - 1), T(0));
      MR_UNROLL
      for (int k = st - 1; k < n; k += 2 * st) {
        T &even = z(x, k), &odd = z(x, k + st);
        const T old = odd;
        even = mr_fma(-rho, before, even);
        odd = mr_fma(-e, even, odd);
        before = old;
      }
    }
  }

  /* The terminal system over the lanes, from rest: y[l] + e y[l - 1] + f y[l - 2] = z[l]. */
  static MR_DEVICE T terminal(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, T (&x)[N]) {
    MrGpuPair<T> before, all;
    return z(x, n - 1) = lanes.scan({T(0), z(x, n - 1)}, table.terminal(), table.terminal_power(), &before, &all).b;
  }

  /* z[n - 1] is solved in all lanes; `own` and `other` are the carries of this parity and of the other one, `c` and `d` their numbers. */
  static MR_DEVICE void back(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, T own, T other, int first_own, int first_other, T (&x)[N]) {
    const bool head = mr_thread() == 0;
    const T before = lanes.shift(z(x, n - 1), own);
    MR_UNROLL
    for (int st = n / 2, level = BASE + LEVELS - 1; st; st /= 2, level--) {
      const T* const numbers = table.level(level);
      const T c = mr_load(numbers + MR_LEVEL_C), d = mr_load(numbers + MR_LEVEL_D);
      const T third = lanes.shift(n == 2 * st ? before : z(x, n - 1 - 2 * st < 0 ? 0 : n - 1 - 2 * st), other);
      const T c0 = head ? mr_load(numbers + first_own) : c, d0 = head ? mr_load(numbers + first_other) : d;
      z(x, st - 1) = mr_fma(-c0, before, mr_fma(-d0, third, z(x, st - 1)));
      T far = before;
      MR_UNROLL
      for (int k = 3 * st - 1; k < n; k += 2 * st) {
        const T near = z(x, k - st);
        z(x, k) = mr_fma(-c, near, mr_fma(-d, far, z(x, k)));
        far = near;
      }
    }
  }
};

struct MrMethodSTCR {
  static constexpr bool HISTORY = true;
  static constexpr bool JOINT = true;
  template <class T, int N>
  static constexpr int more() {
    return sizeof(T) == 4 ? 24 : 48;
  }

  template <class T, int L, int N>
  static MR_DEVICE MrGpuPair<T> local(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, MrGpuPair<T> h, T (&x)[N], MrGpuScan<T>* scan) {
    typedef MrGpuReduction<T, L, N, 0, 1> All;
    mr_numerator(table, h, x);
    All::reduce(table, lanes, x);
    All::terminal(table, lanes, x);
    All::back(table, lanes, T(0), T(0), MR_LEVEL_G, MR_LEVEL_H, x);
    const MrGpuPair<T> z = {x[N - 2], x[N - 1]};
    lanes.gather(z, &scan->before, &scan->all);
    return z;
  }
  template <class T, int L, int N>
  static MR_DEVICE void inherit(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>&, const MrGpuPair<T>& S, const MrGpuPair<T>& Y,
                                const MrGpuPair<T>&, T (&x)[N]) {
    mr_add_homogeneous(table.rows(), S, x);
    x[N - 2] = Y.a;
    x[N - 1] = Y.b;
  }
};

struct MrMethodDTCR {
  static constexpr bool HISTORY = true;
  static constexpr bool JOINT = false; /* `inherit` takes what it needs from X */
  template <class T, int N>
  static constexpr int more() {
    return sizeof(T) == 4 ? N / 2 + 24 : 48;
  }

  /* B(z) A(-z), five taps, which makes the first level's step for both parities at once; the group's first two samples have no outputs before
     them that the fold could take in. */
  template <class T, int L, int N>
  static MR_DEVICE void numerator(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, const MrGpuPair<T>& h, T (&x)[N]) {
    const T* const fold = table.of + MR_TABLE_FOLD;
    const bool head = mr_thread() == 0;
    const T x3 = lanes.shift(x[N - 3], T(0)), x4 = lanes.shift(x[N - 4], T(0));
    const T n0 = mr_load(fold), n1 = mr_load(fold + 1), n2 = mr_load(fold + 2), n3 = mr_load(fold + 3), n4 = mr_load(fold + 4);
    MR_UNROLL
    for (int m = N - 1; m >= 0; m--) {
      const T v1 = m > 0 ? x[m - 1 < 0 ? 0 : m - 1] : h.b;
      const T v2 = m > 1 ? x[m - 2 < 0 ? 0 : m - 2] : m > 0 ? h.b : h.a;
      const T v3 = m > 2 ? x[m - 3 < 0 ? 0 : m - 3] : m > 1 ? h.b : m > 0 ? h.a : x3;
      const T v4 = m > 3 ? x[m - 4 < 0 ? 0 : m - 4] : m > 2 ? h.b : m > 1 ? h.a : m > 0 ? x3 : x4;
      const T t1 = m == 0 && head ? mr_load(fold + 5) : n1;
      const T t2 = m == 0 && head ? mr_load(fold + 6) : m == 1 && head ? mr_load(fold + 7) : n2;
      const T t3 = m == 1 && head ? mr_load(fold + 8) : n3;
      x[m] = mr_fma(n0, x[m], mr_fma(t1, v1, mr_fma(t2, v2, mr_fma(t3, v3, n4 * v4))));
    }
  }
  template <class T, int L, int N>
  static MR_DEVICE MrGpuPair<T> local(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, MrGpuPair<T> h, T (&x)[N], MrGpuScan<T>* scan) {
    typedef MrGpuReduction<T, L, N, 0, 2> Even;
    typedef MrGpuReduction<T, L, N, 1, 2> Odd;
    numerator(table, lanes, h, x);
    Even::reduce(table, lanes, x);
    Odd::reduce(table, lanes, x);
    const MrGpuPair<T> z = {Even::terminal(table, lanes, x), Odd::terminal(table, lanes, x)};
    lanes.gather(z, &scan->before, &scan->all);
    return z;
  }
  template <class T, int L, int N>
  static MR_DEVICE void inherit(const MrGpuTable<T, L, N>& table, MrGpuLanes<T, L>& lanes, const MrGpuPair<T>&, const MrGpuPair<T>& Y,
                                const MrGpuPair<T>& X, T (&x)[N]) {
    typedef MrGpuReduction<T, L, N, 0, 2> Even;
    typedef MrGpuReduction<T, L, N, 1, 2> Odd;
    x[N - 2] = Y.a;
    x[N - 1] = Y.b;
    Even::back(table, lanes, X.a, X.b, MR_LEVEL_P, MR_LEVEL_Q, x);
    Odd::back(table, lanes, X.b, X.a, MR_LEVEL_G, MR_LEVEL_H, x);
  }
};

#endif
