/* Vectors of four samples and their transposition in registers. Part of the text of channel_lanes.h.
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
