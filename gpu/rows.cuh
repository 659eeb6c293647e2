/* Rows of samples in shared memory: a row holds N neighbouring samples of one channel, which one lane then runs. Warps bring them in and out so
   that neighbouring lanes touch neighbouring addresses.
   SPDX-License-Identifier: ISC

   A row is 16 bytes longer than its samples, which puts the rows of neighbouring lanes on different banks for accesses of 16 bytes. */
#ifndef MILLRACE_GPU_ROWS_CUH
#define MILLRACE_GPU_ROWS_CUH

#include "launch.h"
#include "primitives.cuh"

template <class S, int N>
struct MrGpuRows {
  static constexpr int PIECE = 16 / sizeof(S);       /* samples of 16 bytes */
  static constexpr int PIECES = N / PIECE;           /* of a row */
  static constexpr int STEP = N + PIECE;             /* samples from row to row */
  static constexpr int BYTES = STEP * (int)sizeof(S); /* of a row */
  static_assert(N % PIECE == 0 && 32 % PIECES == 0, "a row is whole pieces, and lanes share rows evenly");
};

template <class S>
struct MrGpuPiece;
template <>
struct MrGpuPiece<float> {
  typedef float4 Type;
};
template <>
struct MrGpuPiece<double> {
  typedef double2 Type;
};

template <class T, class S>
MR_DEVICE void mr_piece_get(const S* row, T* x);
template <class T, class S>
MR_DEVICE void mr_piece_put(S* row, const T* x);

#define MR_PIECE_4(T)                                                                  \
  template <>                                                                          \
  MR_DEVICE void mr_piece_get<T, float>(const float* row, T* x) {                      \
    const float4 v = *(const float4*)row;                                              \
    x[0] = (T)v.x, x[1] = (T)v.y, x[2] = (T)v.z, x[3] = (T)v.w;                        \
  }                                                                                    \
  template <>                                                                          \
  MR_DEVICE void mr_piece_put<T, float>(float* row, const T* x) {                      \
    *(float4*)row = make_float4((float)x[0], (float)x[1], (float)x[2], (float)x[3]);   \
  }
MR_PIECE_4(float)
MR_PIECE_4(double)
#undef MR_PIECE_4
template <>
MR_DEVICE void mr_piece_get<double, double>(const double* row, double* x) {
  const double2 v = *(const double2*)row;
  x[0] = v.x, x[1] = v.y;
}
template <>
MR_DEVICE void mr_piece_put<double, double>(double* row, const double* x) {
  *(double2*)row = make_double2(x[0], x[1]);
}

/* A lane's row into registers, and back. */
template <class S, class T, int N>
MR_DEVICE void mr_row_get(const S* row, T (&x)[N]) {
  MR_UNROLL
  for (int q = 0; q < N; q += MrGpuRows<S, N>::PIECE) mr_piece_get<T, S>(row + q, x + q);
}
template <class S, class T, int N>
MR_DEVICE void mr_row_put(S* row, const T (&x)[N]) {
  MR_UNROLL
  for (int q = 0; q < N; q += MrGpuRows<S, N>::PIECE) mr_piece_put<T, S>(row + q, x + q);
}

#endif
