/* One section over the samples that a lane holds: delta DF2, see dsp/design/section.h.
   SPDX-License-Identifier: ISC

     d' = (x - P d) + (d - s w)
     y  = D x + (e2 d + e1 w)
     w' = w + d'

   w and d are, but for a fixed factor each, the two integrators of a state-variable filter, which is why low corners keep their digits in
   float32 too. Hosts scale sections so that D is 1 where the range of T allows it: six operations a sample in place of seven. */
#ifndef MILLRACE_GPU_SECTION_CUH
#define MILLRACE_GPU_SECTION_CUH

#include "primitives.cuh"

/* The first numbers of a section's table in every kernel that carries states. */
enum { MR_GPU_D, MR_GPU_S, MR_GPU_P, MR_GPU_E1, MR_GPU_E2, MR_GPU_COEFFICIENTS = 8 };

/* Registers of a thread that holds N samples of T: those, and what the loops around them take, and MORE. */
template <class T, int N, int MORE>
struct MrGpuRegisters {
  static constexpr int WANTED = N * (int)sizeof(T) / 4 + (sizeof(T) == 4 ? 56 : 72) + MORE;
  static constexpr int COUNT = WANTED < 255 ? WANTED : 255;
};

template <class T>
struct MrGpuSection {
  T D, s, P, e1, e2;
};

template <class T>
struct MrGpuState {
  T w, d;
};

template <class T>
MR_DEVICE MrGpuSection<T> mr_section_load(const T* table) {
  return {mr_load(table + MR_GPU_D), mr_load(table + MR_GPU_S), mr_load(table + MR_GPU_P), mr_load(table + MR_GPU_E1), mr_load(table + MR_GPU_E2)};
}

template <class T>
MR_DEVICE void mr_section_step(const MrGpuSection<T>& q, bool unit, MrGpuState<T>& z, T& x) {
  const T d = mr_fma(-q.P, z.d, x) + mr_fma(-q.s, z.w, z.d);
  x = mr_fma(q.e1, z.w, mr_fma(q.e2, z.d, unit ? x : q.D * x));
  z.w += d;
  z.d = d;
}

template <class T>
MR_DEVICE bool mr_is_finite_below(T a, T bound) {
  return a < bound && a > -bound; /* false for a NaN */
}

/* A sample that is not below this in magnitude is poison, as on the CPU: 301 dB over full scale. */
#define MR_GPU_POISON 1125899906842624.0 /* 2^50 */

/* Runs x[0 .. N - 1] through a section, in place, and its state on. */
template <class T, int N>
MR_DEVICE void mr_section_run(const MrGpuSection<T>& q, MrGpuState<T>& z, T (&x)[N]) {
  if (q.D == T(1)) {
    MR_UNROLL
    for (int j = 0; j < N; j++) mr_section_step(q, true, z, x[j]);
  } else {
    MR_UNROLL
    for (int j = 0; j < N; j++) mr_section_step(q, false, z, x[j]);
  }
}

/* The same, noting the state as it is after `count` samples, 1 to N. */
template <class T, int N>
MR_DEVICE void mr_section_run_noting(const MrGpuSection<T>& q, MrGpuState<T>& z, T (&x)[N], int count, MrGpuState<T>* noted) {
  MR_UNROLL
  for (int j = 0; j < N; j++) {
    mr_section_step(q, false, z, x[j]);
    if (j + 1 == count) *noted = z;
  }
}

#endif
