/* Samples in their order to blocks of lanes and back: transpositions in registers. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   A sample's number in a group is lane N + block. Where N is at least a vector, vectors of neighbouring blocks of `width` lanes are
   squares that are transposed. Where it is less, N vectors hold `width` lanes: exchanging the bits of the block's number leaves the
   lanes of each vector in a fixed order that one permutation puts right. */

/* Exchanges bit log2(s) of the vector's number and of the lane's. `count` is a constant where this is called. */
#define MR_EXCHANGE(v, count, s)                                     \
  MR_UNROLL for (uint32_t j = 0; j < (count); j++) if (!(j & (s))) { \
    const V a = v[j], b = v[j | (s)];                                \
    v[j] = MR_TAKE(a, b, MR_LANE_UPPER, s);                          \
    v[j | (s)] = MR_TAKE(a, b, MR_LANE_LOWER, s);                    \
  }

MR_INLINE void exchange_all(V* v, const uint32_t count) {
  if (count > 1) MR_EXCHANGE(v, count, 1)
#if VW > 2
  if (count > 2) MR_EXCHANGE(v, count, 2)
#endif
#if VW > 4
  if (count > 4) MR_EXCHANGE(v, count, 4)
#endif
#if VW > 8
  if (count > 8) MR_EXCHANGE(v, count, 8)
#endif
}

/* The square of VW lanes from sample 0 of `from` on, VW blocks. */
MR_INLINE void permute_square(const T* from, size_t from_step, T* to, size_t to_step) {
  V v[VW];
  MR_UNROLL for (uint32_t j = 0; j < VW; j++) v[j] = v_load_any(from + j * from_step);
  exchange_all(v, VW);
  MR_UNROLL for (uint32_t j = 0; j < VW; j++) v_store_any(to + j * to_step, v[j]);
}

/* VW lanes of N < VW blocks; N is a constant where these are called. */
#define MR_PERMUTE_FEW(N)                                                                                        \
  static __attribute__((noinline)) void permute_##N(const T* in, T* x, size_t lanes) {                           \
    V v[N];                                                                                                      \
    MR_UNROLL for (uint32_t j = 0; j < (N); j++) v[j] = v_load_any(in + j * VW);                                 \
    exchange_all(v, N);                                                                                          \
    MR_UNROLL for (uint32_t j = 0; j < (N); j++) v_store(x + j * lanes, MR_TAKE(v[j], v[j], MR_LANE_SPREAD, N)); \
  }                                                                                                              \
  static __attribute__((noinline)) void depermute_##N(const T* x, T* out, size_t lanes) {                        \
    V v[N];                                                                                                      \
    MR_UNROLL for (uint32_t j = 0; j < (N); j++) {                                                               \
      const V a = v_load(x + j * lanes);                                                                         \
      v[j] = MR_TAKE(a, a, MR_LANE_GATHER, N);                                                                   \
    }                                                                                                            \
    exchange_all(v, N);                                                                                          \
    MR_UNROLL for (uint32_t j = 0; j < (N); j++) v_store_any(out + j * VW, v[j]);                                \
  }

#if VW > 2
MR_PERMUTE_FEW(2)
#endif
#if VW > 4
MR_PERMUTE_FEW(4)
#endif
#if VW > 8
MR_PERMUTE_FEW(8)
#endif

static void permute(const void* in, void* x, const MrBlockShape* shape) {
  const uint32_t L = shape->lanes, N = shape->blocks;
  const T* from = in;
  T* to = x;
  for (uint32_t g = 0; g < shape->groups; g++, to += (size_t)L * N)
    for (uint32_t i = 0; i < L; i += VW, from += (size_t)VW * N) {
#if VW > 2
      if (N == 2) {
        permute_2(from, to + i, L);
        continue;
      }
#endif
#if VW > 4
      if (N == 4) {
        permute_4(from, to + i, L);
        continue;
      }
#endif
#if VW > 8
      if (N == 8) {
        permute_8(from, to + i, L);
        continue;
      }
#endif
      for (uint32_t m = 0; m < N; m += VW) permute_square(from + m, N, to + (size_t)m * L + i, L);
    }
}

static void depermute(const void* x, void* out, const MrBlockShape* shape) {
  const uint32_t L = shape->lanes, N = shape->blocks;
  const T* from = x;
  T* to = out;
  for (uint32_t g = 0; g < shape->groups; g++, from += (size_t)L * N)
    for (uint32_t i = 0; i < L; i += VW, to += (size_t)VW * N) {
#if VW > 2
      if (N == 2) {
        depermute_2(from + i, to, L);
        continue;
      }
#endif
#if VW > 4
      if (N == 4) {
        depermute_4(from + i, to, L);
        continue;
      }
#endif
#if VW > 8
      if (N == 8) {
        depermute_8(from + i, to, L);
        continue;
      }
#endif
      for (uint32_t m = 0; m < N; m += VW) permute_square(from + (size_t)m * L + i, L, to + m, N);
    }
}
