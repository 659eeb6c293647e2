/* The multi-block kernels: the one text. An isa_*_block_*.c file defines MR_BLOCK_NAME, MR_BLOCK_LEVEL, MR_SINGLE and MR_REGISTERS (vector
   registers of the machine), compiles it for its instruction set and gets the table MR_BLOCK_NAME.
   SPDX-License-Identifier: ISC */
#include "block.h"
#include "block_vectors.h"
/* these need the vectors */
#include "block_chain.h"
#include "block_permute.h"
#include "block_reduction.h"
#include "block_single.h"

/* Columns side by side. PH keeps two inputs and two outputs of each in registers, PH_STATES two states with a longer latency. */
#if MR_REGISTERS >= 32
#define MR_CHAINS_PH        4
#define MR_CHAINS_PH_STATES 8
#define MR_CHAINS_SSPH      4
#else
#define MR_CHAINS_PH        2
#define MR_CHAINS_PH_STATES 4
#define MR_CHAINS_SSPH      2
#endif
#define MR_CHAINS_REDUCTION 1

/* Column c of the groups at x. */
MR_INLINE T* column_of(T* x, const MrBlockShape* shape, uint32_t per_group, uint32_t c) {
  return x + (size_t)(c / per_group) * shape->lanes * shape->blocks + (c % per_group) * VW;
}

MR_INLINE void put_pair(T* state, const V* pair) {
  state[0] = MR_FIRST(pair[0]);
  state[1] = MR_FIRST(pair[1]);
}

/* For all columns, `chains` at a time and the rest singly: BODY(columns, first column, how many). */
#define MR_FOR_COLUMNS(chains, BODY)                                                                        \
  do {                                                                                                      \
    const uint32_t per_group = shape->lanes / VW, all = shape->groups * per_group;                          \
    uint32_t c = 0;                                                                                         \
    for (; c + (chains) <= all; c += (chains)) {                                                            \
      T* columns[MR_MOST_CHAINS];                                                                           \
      MR_UNROLL for (uint32_t u = 0; u < (chains); u++) columns[u] = column_of(x, shape, per_group, c + u); \
      BODY(columns, c, chains);                                                                             \
    }                                                                                                       \
    for (; c < all; c++) {                                                                                  \
      T* columns[1] = {column_of(x, shape, per_group, c)};                                                  \
      BODY(columns, c, 1);                                                                                  \
    }                                                                                                       \
  } while (0)

#define MR_RUN_COLUMNS(columns, c, n)                                     \
  zero(table, columns, shape->lanes, shape->blocks, history, scratch, n); \
  homogeneous(table, columns, shape->lanes, shape->blocks, scratch, carry, n)
#define MR_ZERO_COLUMNS(columns, c, n)        zero(table, columns, shape->lanes, shape->blocks, history, local + (size_t)(c)*2 * VW, n)
#define MR_HOMOGENEOUS_COLUMNS(columns, c, n) homogeneous(table, columns, shape->lanes, shape->blocks, local + (size_t)(c)*2 * VW, carry, n)

typedef void ZeroHalf(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count);
typedef void HomogeneousHalf(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count);

/* `zero`, `homogeneous` and `chains` are constants where these are called. */
MR_INLINE void run_family(T* x, const MrBlockShape* shape, const T* table, T* state, ZeroHalf* zero, HomogeneousHalf* homogeneous,
                          const uint32_t chains) {
  _Alignas(MR_VECTOR_BYTES) T scratch[MR_MOST_CHAINS * 2 * VW];
  V history[2] = {v_set1(state[0]), v_set1(state[1])}, carry[2] = {v_set1(state[2]), v_set1(state[3])};
  MR_FOR_COLUMNS(chains, MR_RUN_COLUMNS);
  put_pair(state, history);
  put_pair(state + 2, carry);
}

MR_INLINE void zero_family(T* x, const MrBlockShape* shape, const T* table, T* state, T* local, ZeroHalf* zero, const uint32_t chains) {
  V history[2] = {v_set1(state[0]), v_set1(state[1])};
  MR_FOR_COLUMNS(chains, MR_ZERO_COLUMNS);
  put_pair(state, history);
}

MR_INLINE void homogeneous_family(T* x, const MrBlockShape* shape, const T* table, const T* local, T* state, HomogeneousHalf* homogeneous,
                                  const uint32_t chains) {
  V carry[2] = {v_set1(state[2]), v_set1(state[3])};
  MR_FOR_COLUMNS(chains, MR_HOMOGENEOUS_COLUMNS);
  put_pair(state + 2, carry);
}

#define MR_FAMILY(name, zero, homogeneous, chains)                                                                             \
  static void name##_run(void* x, const MrBlockShape* shape, const void* table, void* state) {                                 \
    run_family(x, shape, table, state, zero, homogeneous, chains);                                                             \
  }                                                                                                                            \
  static void name##_zero_half(void* x, const MrBlockShape* shape, const void* table, void* state, void* local) {              \
    zero_family(x, shape, table, state, local, zero, chains);                                                                  \
  }                                                                                                                            \
  static void name##_homogeneous_half(void* x, const MrBlockShape* shape, const void* table, const void* local, void* state) { \
    homogeneous_family(x, shape, table, local, state, homogeneous, chains);                                                    \
  }

MR_FAMILY(ph, ph_zero, ph_homogeneous, MR_CHAINS_PH)
MR_FAMILY(ph_states, ph_states_zero, states_homogeneous, MR_CHAINS_PH_STATES)
MR_FAMILY(mcr, mcr_zero, mcr_homogeneous, MR_CHAINS_REDUCTION)
MR_FAMILY(cr, cr_zero, cr_homogeneous, MR_CHAINS_REDUCTION)
MR_FAMILY(dtcr, dtcr_zero, dtcr_homogeneous, MR_CHAINS_REDUCTION)
MR_FAMILY(ssph, ssph_zero, states_homogeneous, MR_CHAINS_SSPH)

static void local_carry(const void* local, const MrBlockShape* shape, const void* table, void* t) {
  const T* z = local;
  T* to = t;
  for (uint32_t g = 0; g < shape->groups; g++, to += 2) {
    V carry[2] = {v_set1(0), v_set1(0)};
    for (uint32_t i = 0; i < shape->lanes; i += VW, z += 2 * VW) {
      V z0 = v_load(z), z1 = v_load(z + VW), s0, s1;
      inherit(table, carry, &z0, &z1, &s0, &s1);
    }
    put_pair(to, carry);
  }
}

static void global_carry(const void* t, const MrBlockShape* shape, const void* table, void* carry) {
  const T* from = t;
  T* pair = carry;
  for (uint32_t g = 0; g < shape->groups; g++, pair += 2, from += 2) {
    V next[2] = {v_set1(from[0]), v_set1(from[1])};
    add_product((const T*)table + MR_BLOCK_MAP * VW, v_set1(pair[0]), v_set1(pair[1]), &next[0], &next[1]);
    put_pair(pair + 2, next);
  }
}

#define ph_single   direct_single
#define mcr_single  direct_single
#define cr_single   direct_single
#define dtcr_single direct_single

#define MR_EACH_FAMILY(half)                                                                                                    \
  {                                                                                                                             \
    [MR_BLOCK_PH] = ph_##half, [MR_BLOCK_PH_STATES] = ph_states_##half, [MR_BLOCK_MCR] = mcr_##half, [MR_BLOCK_CR] = cr_##half, \
    [MR_BLOCK_DTCR] = dtcr_##half, [MR_BLOCK_SSPH] = ssph_##half                                                                \
  }

const MrBlockKernels MR_BLOCK_NAME = {
    .level = MR_BLOCK_LEVEL,
    .single = MR_SINGLE,
    .fused = MR_FUSED,
    .width = VW,
    .permute = permute,
    .depermute = depermute,
    .run = MR_EACH_FAMILY(run),
    .zero = MR_EACH_FAMILY(zero_half),
    .homogeneous = MR_EACH_FAMILY(homogeneous_half),
    .single_samples = MR_EACH_FAMILY(single),
    .local_carry = local_carry,
    .global_carry = global_carry,
};
