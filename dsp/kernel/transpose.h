/* Vectors of four and eight samples and their transposition in registers. Part of the text of channel_lanes.h.
   SPDX-License-Identifier: ISC */
typedef float MrFloat4 __attribute__((vector_size(16), may_alias));
typedef double MrDouble4 __attribute__((vector_size(32), may_alias));

#define MR_TRANSPOSE4(r0, r1, r2, r3)                                                                                        \
  do {                                                                                                                       \
    const __typeof__(r0) t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), t1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7); \
    const __typeof__(r0) t2 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7); \
    r0 = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);                                                                        \
    r1 = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);                                                                        \
    r2 = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);                                                                        \
    r3 = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);                                                                        \
  } while (0)

MR_INLINE MrFloat4 get_f32(const float* p) {
  MrFloat4 a;
  memcpy(&a, p, sizeof a);
  return a;
}

/* By pointer: a vector wider than the machine's registers has no settled way to be returned. */
MR_INLINE void get_f64(MrDouble4* a, const double* p) { memcpy(a, p, sizeof *a); }

#if MR_SINGLE && MR_VECTOR_BYTES >= 32

typedef float MrFloat8 __attribute__((vector_size(32), may_alias));

#define MR_PAIRS8(a, b, low, high)                               \
  low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); \
  high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define MR_FOURS8(a, b, low, high)                               \
  low = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); \
  high = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define MR_HALVES8(a, b, low, high)                              \
  low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); \
  high = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* An array of eight. Each step stays within the halves of a register but the last one. */
MR_INLINE void transpose8(MrFloat8* r) {
  MrFloat8 p[8], q[8];
  MR_PAIRS8(r[0], r[1], p[0], p[1]);
  MR_PAIRS8(r[2], r[3], p[2], p[3]);
  MR_PAIRS8(r[4], r[5], p[4], p[5]);
  MR_PAIRS8(r[6], r[7], p[6], p[7]);
  MR_FOURS8(p[0], p[2], q[0], q[1]);
  MR_FOURS8(p[1], p[3], q[2], q[3]);
  MR_FOURS8(p[4], p[6], q[4], q[5]);
  MR_FOURS8(p[5], p[7], q[6], q[7]);
  MR_HALVES8(q[0], q[4], r[0], r[4]);
  MR_HALVES8(q[1], q[5], r[1], r[5]);
  MR_HALVES8(q[2], q[6], r[2], r[6]);
  MR_HALVES8(q[3], q[7], r[3], r[7]);
}

#endif
