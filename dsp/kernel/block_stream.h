/* Interleaved samples straight to the groups of each channel and back, and whether they are a signal. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   In memory a lane's samples of all channels are one row of N C numbers. The squares that the permutation transposes are cut from these rows as they
   are: a transposed vector is then one block of one channel, and which one follows from its place. So few channels cost what one costs. C is a
   constant where the loops are called, and so are all those places. */

/* VW samples from number `at` on; `other` is a constant where these are called. */
MR_INLINE V load_samples(const void* in, size_t at, const bool other) {
  return other ? v_load_other((const Other*)in + at) : v_load_any((const T*)in + at);
}

MR_INLINE void store_samples(void* out, size_t at, V v, const bool other) {
  if (other)
    v_store_other((Other*)out + at, v);
  else
    v_store_any((T*)out + at, v);
}

/* Vector j of the square r of C that begins at block m: its channel, and its block after m. */
#define MR_CHANNEL(j) ((r * VW + (j)) % C)
#define MR_BLOCK(j)   ((r * VW + (j)) / C)

/* Groups of `lanes` lanes, of which these are VW: `in` and x are at the first one's first samples. */
MR_INLINE void take_lanes(const void* in, const bool other, const uint32_t C, T* x, size_t step, uint32_t lanes, uint32_t blocks) {
  const size_t row = (size_t)blocks * C;
  for (uint32_t m = 0; m < blocks; m += VW) MR_UNROLL for (uint32_t r = 0; r < C; r++) {
      V v[VW];
      MR_UNROLL for (uint32_t j = 0; j < VW; j++) v[j] = load_samples(in, (size_t)m * C + r * VW + j * row, other);
      exchange_all(v, VW);
      MR_UNROLL for (uint32_t j = 0; j < VW; j++) v_store(x + MR_CHANNEL(j) * step + (size_t)(m + MR_BLOCK(j)) * lanes, v[j]);
    }
}

MR_INLINE void give_lanes(const T* x, size_t step, const T* gain, uint32_t lanes, uint32_t blocks, void* out, const bool other,
                          const uint32_t C) {
  const size_t row = (size_t)blocks * C;
  for (uint32_t m = 0; m < blocks; m += VW) MR_UNROLL for (uint32_t r = 0; r < C; r++) {
      V v[VW];
      MR_UNROLL for (uint32_t j = 0; j < VW; j++) v[j] =
          v_mul(v_load(x + MR_CHANNEL(j) * step + (size_t)(m + MR_BLOCK(j)) * lanes), v_set1(gain[MR_CHANNEL(j)]));
      exchange_all(v, VW);
      MR_UNROLL for (uint32_t j = 0; j < VW; j++) store_samples(out, (size_t)m * C + r * VW + j * row, v[j], other);
    }
}

/* DO(first sample of the stream, first number of a channel) for VW lanes after VW lanes. */
#define MR_FOR_LANES(DO)                                                          \
  for (uint32_t g = 0; g < shape->groups; g++)                                    \
    for (uint32_t i = 0; i < shape->lanes; i += VW) {                             \
      const size_t frame = ((size_t)g * shape->lanes + i) * shape->blocks;        \
      const size_t number = (size_t)g * shape->lanes * shape->blocks + (size_t)i; \
      DO;                                                                         \
    }

#define MR_STREAM(S, NAME, other)                                                                                                          \
  MR_INLINE void take_##NAME##_channels(const S* in, const uint32_t C, T* x, size_t step, const MrBlockShape* shape){MR_FOR_LANES(         \
      take_lanes(in + frame * C, other, C, x + number, step, shape->lanes,                                                                 \
                 shape->blocks))} MR_INLINE void give_##NAME##_channels(const T* x, size_t step, const T* gain, const MrBlockShape* shape, \
                                                                        S* out, const uint32_t C) {                                        \
    MR_FOR_LANES(give_lanes(x + number, step, gain, shape->lanes, shape->blocks, out + frame * C, other, C))                               \
  }                                                                                                                                        \
  static void take_##NAME(const S* in, uint32_t channels, void* x, size_t step, const MrBlockShape* shape) {                               \
    if (channels == 1)                                                                                                                     \
      take_##NAME##_channels(in, 1, x, step, shape);                                                                                       \
    else if (channels == 2)                                                                                                                \
      take_##NAME##_channels(in, 2, x, step, shape);                                                                                       \
    else if (channels == 3)                                                                                                                \
      take_##NAME##_channels(in, 3, x, step, shape);                                                                                       \
    else                                                                                                                                   \
      take_##NAME##_channels(in, MR_BLOCK_CHANNELS, x, step, shape);                                                                       \
  }                                                                                                                                        \
  static void give_##NAME(const void* x, size_t step, const void* gain, const MrBlockShape* shape, uint32_t channels, S* out) {            \
    if (channels == 1)                                                                                                                     \
      give_##NAME##_channels(x, step, gain, shape, out, 1);                                                                                \
    else if (channels == 2)                                                                                                                \
      give_##NAME##_channels(x, step, gain, shape, out, 2);                                                                                \
    else if (channels == 3)                                                                                                                \
      give_##NAME##_channels(x, step, gain, shape, out, 3);                                                                                \
    else                                                                                                                                   \
      give_##NAME##_channels(x, step, gain, shape, out, MR_BLOCK_CHANNELS);                                                                \
  }

MR_STREAM(float, f32, !MR_SINGLE)
MR_STREAM(double, f64, MR_SINGLE)

#if MR_SINGLE
typedef int32_t Mask; /* as wide as T */
#define MR_ABS(a) __builtin_fabsf(a)
#else
typedef int64_t Mask;
#define MR_ABS(a) __builtin_fabs(a)
#endif

/* A loop that the compiler turns into vectors. */
static bool is_poisoned(const void* data, size_t n) {
  const T* x = data;
  Mask poison = 0;
  _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) poison |= MR_ABS(x[i]) < (T)MR_POISON ? 0 : 1;
  return poison != 0;
}
