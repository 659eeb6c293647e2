/* The multi-block kernels: the one text. An isa_*_block_*.c file defines MR_BLOCK_NAME, MR_BLOCK_LEVEL, MR_SINGLE and MR_REGISTERS
   (vector registers of the machine), compiles it for its instruction set and gets the table MR_BLOCK_NAME.
   SPDX-License-Identifier: ISC */
#include "block.h"
#include "block_vectors.h"
#include "bounds.h"
/* these need the vectors */
#include "block_chain.h"
#include "block_dense.h"
#include "block_permute.h"
#include "block_reduction.h"
#include "block_single.h"
/* and this one the permutation */
#include "block_stream.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MR_SANITIZED 1
#else
#define MR_SANITIZED 0
#endif

/* Columns side by side; the bits do not depend on them. PH keeps two inputs and two outputs of each in registers, PH_STATES two states
   with a longer latency. */
#if defined(MR_CHAINS_PH)
/* chosen by the file that includes this one */
#elif MR_REGISTERS >= 32 && !MR_SANITIZED
#define MR_CHAINS_PH        4
#define MR_CHAINS_PH_STATES 8
#define MR_CHAINS_SSPH      4
#define MR_CHAINS_REDUCTION 4
#elif MR_REGISTERS >= 16 && !MR_SANITIZED
#define MR_CHAINS_PH        2
#define MR_CHAINS_PH_STATES 4
#define MR_CHAINS_SSPH      2
#define MR_CHAINS_REDUCTION 4
#else /* plain C, where loops are what takes the time; and sanitizers, which have the compiler take minutes over more */
#define MR_CHAINS_PH        1
#define MR_CHAINS_PH_STATES 1
#define MR_CHAINS_SSPH      1
#define MR_CHAINS_REDUCTION 1
#endif

/* Columns of a stretch that all sections of a call run over before the next stretch: its blocks stay in the first-level cache. */
#define MR_STRETCH_BYTES   16384U
#define MR_STRETCH_COLUMNS 64U

/* Where the columns of a shape are: of x, or of a stretch of it. */
typedef struct Columns {
  T* x;
  size_t step, group;
  uint32_t blocks, shift; /* log2 of the columns of a group */
} Columns;

static Columns columns_of(void* x, const MrBlockShape* shape) {
  /* cppcheck-suppress ctunullpointer ; it takes the first column, 0, of another call on the same line for a pointer */
  Columns c = {.x = x, .step = shape->lanes, .group = (size_t)shape->lanes * shape->blocks, .blocks = shape->blocks};
  while (((uint32_t)VW << c.shift) < shape->lanes) c.shift++;
  return c;
}

static uint32_t count_columns(const MrBlockShape* shape) { return shape->groups * (shape->lanes / VW); }

MR_INLINE void find_columns(const Columns* c, uint32_t first, T** x, const uint32_t count) {
  MR_EACH(u) x[u] = c->x + ((first + u) >> c->shift) * c->group + (size_t)((first + u) & ((1U << c->shift) - 1)) * VW;
}

MR_INLINE void put_pair(T* state, const V* pair) {
  state[0] = MR_FIRST(pair[0]);
  state[1] = MR_FIRST(pair[1]);
}

typedef void ZeroHalf(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count);
typedef void HomogeneousHalf(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count);
typedef void Join(const T* table, const T* next, T* const* x, size_t step, uint32_t N, T* local, V* carry, V* history,
                  const uint32_t count);

/* DO(first column, count) for columns c .. end - 1: `chains` at a time, and the rest by halves of it. */
#define MR_FOR_COLUMNS(c, end, chains, DO)                          \
  do {                                                              \
    for (; (c) + (chains) <= (end); (c) += (chains)) DO(c, chains); \
    if ((chains) > 4 && (c) + 4 <= (end)) DO(c, 4), (c) += 4;       \
    if ((chains) > 2 && (c) + 2 <= (end)) DO(c, 2), (c) += 2;       \
    if ((chains) > 1 && (c) < (end)) DO(c, 1), (c) += 1;            \
  } while (0)

/* The passes over columns first .. end - 1, with their local pairs. Their functions and `chains` are constants where these are called. */
MR_INLINE void zero_pass(const Columns* columns, uint32_t first, uint32_t end, const T* table, T* state, T* local, ZeroHalf* zero,
                         const uint32_t chains) {
  V history[2] = {v_set1(state[0]), v_set1(state[1])};
  T* x[MR_MOST_CHAINS];
  uint32_t c = first;
#define MR_DO(at, n) \
  (find_columns(columns, at, x, n), zero(table, x, columns->step, columns->blocks, history, local + (size_t)((at)-first) * 2 * VW, n))
  MR_FOR_COLUMNS(c, end, chains, MR_DO);
#undef MR_DO
  put_pair(state, history);
}

MR_INLINE void homogeneous_pass(const Columns* columns, uint32_t first, uint32_t end, const T* table, T* state, const T* local,
                                HomogeneousHalf* homogeneous, const uint32_t chains) {
  V carry[2] = {v_set1(state[2]), v_set1(state[3])};
  T* x[MR_MOST_CHAINS];
  uint32_t c = first;
#define MR_DO(at, n) \
  (find_columns(columns, at, x, n), homogeneous(table, x, columns->step, columns->blocks, local + (size_t)((at)-first) * 2 * VW, carry, n))
  MR_FOR_COLUMNS(c, end, chains, MR_DO);
#undef MR_DO
  put_pair(state + 2, carry);
}

MR_INLINE void join_pass(const Columns* columns, uint32_t first, uint32_t end, const T* table, const T* next, T* state, T* next_state,
                         T* local, Join* join, const uint32_t chains) {
  V carry[2] = {v_set1(state[2]), v_set1(state[3])}, history[2] = {v_set1(next_state[0]), v_set1(next_state[1])};
  T* x[MR_MOST_CHAINS];
  uint32_t c = first;
#define MR_DO(at, n)                \
  (find_columns(columns, at, x, n), \
   join(table, next, x, columns->step, columns->blocks, local + (size_t)((at)-first) * 2 * VW, carry, history, n))
  MR_FOR_COLUMNS(c, end, chains, MR_DO);
#undef MR_DO
  put_pair(state + 2, carry);
  put_pair(next_state, history);
}

/* Passes over all sections, a stretch at a time: the zero-state half of the first section, joins (or halves where there is no join),
   the homogeneous half of the last one. Neighbouring columns of a pass do not wait for each other's scan. */
#define MR_RUN_STRETCH(name, zero, homogeneous, JOIN)                                                                                   \
  static void name##_run(void* x, const MrBlockShape* shape, const void* tables, size_t table_bytes, void* states, uint32_t sections) { \
    _Alignas(MR_VECTOR_BYTES) T local[MR_STRETCH_COLUMNS * 2 * VW];                                                                     \
    const Columns columns = columns_of(x, shape);                                                                                       \
    const uint32_t all = count_columns(shape), fit = MR_STRETCH_BYTES / (MR_VECTOR_BYTES * shape->blocks);                              \
    const uint32_t stretch = fit > MR_STRETCH_COLUMNS ? MR_STRETCH_COLUMNS : fit < MR_MOST_CHAINS ? MR_MOST_CHAINS : fit;               \
    for (uint32_t first = 0; first < all; first += stretch) {                                                                           \
      const uint32_t end = all - first < stretch ? all : first + stretch;                                                               \
      const T* table = tables;                                                                                                          \
      T* state = states;                                                                                                                \
      zero(&columns, first, end, table, state, local);                                                                                  \
      for (uint32_t k = 1; k < sections; k++, state += MR_BLOCK_STATE) {                                                                \
        const T* next = (const T*)(const void*)((const char*)table + table_bytes);                                                      \
        JOIN(name, &columns, first, end, table, next, state, state + MR_BLOCK_STATE, local);                                            \
        table = next;                                                                                                                   \
      }                                                                                                                                 \
      homogeneous(&columns, first, end, table, state, local);                                                                           \
    }                                                                                                                                   \
  }

#define MR_JOINED(name, columns, first, end, table, next, state, next_state, local) \
  name##_join_all(columns, first, end, table, next, state, next_state, local)
#define MR_APART(name, columns, first, end, table, next, state, next_state, local) \
  name##_homogeneous_all(columns, first, end, table, state, local);                \
  name##_zero_all(columns, first, end, next, next_state, local)

#define MR_FAMILY(name, zero, homogeneous, chains, JOIN)                                                                                \
  static __attribute__((noinline)) void name##_zero_all(const Columns* columns, uint32_t first, uint32_t end, const T* table, T* state, \
                                                        T* local) {                                                                     \
    zero_pass(columns, first, end, table, state, local, zero, chains);                                                                  \
  }                                                                                                                                     \
  static __attribute__((noinline)) void name##_homogeneous_all(const Columns* columns, uint32_t first, uint32_t end, const T* table,    \
                                                               T* state, const T* local) {                                              \
    homogeneous_pass(columns, first, end, table, state, local, homogeneous, chains);                                                    \
  }                                                                                                                                     \
  static void name##_zero_half(void* x, const MrBlockShape* shape, const void* table, void* state, void* local) {                       \
    const Columns columns = columns_of(x, shape);                                                                                       \
    name##_zero_all(&columns, 0, count_columns(shape), table, state, local);                                                            \
  }                                                                                                                                     \
  static void name##_homogeneous_half(void* x, const MrBlockShape* shape, const void* table, const void* local, void* state) {          \
    const Columns columns = columns_of(x, shape);                                                                                       \
    name##_homogeneous_all(&columns, 0, count_columns(shape), table, state, local);                                                     \
  }                                                                                                                                     \
  MR_RUN_STRETCH(name, name##_zero_all, name##_homogeneous_all, JOIN)

#define MR_JOIN_OF(name, chains)                                                                                              \
  static __attribute__((noinline)) void name##_join_all(const Columns* columns, uint32_t first, uint32_t end, const T* table, \
                                                        const T* next, T* state, T* next_state, T* local) {                   \
    join_pass(columns, first, end, table, next, state, next_state, local, name##_join, chains);                               \
  }

MR_JOIN_OF(ph, MR_CHAINS_PH)
MR_JOIN_OF(ph_states, MR_CHAINS_PH_STATES)
MR_JOIN_OF(ssph, MR_CHAINS_SSPH)
MR_JOIN_OF(mcr, MR_CHAINS_REDUCTION)
MR_FAMILY(ph, ph_zero, ph_homogeneous, MR_CHAINS_PH, MR_JOINED)
MR_FAMILY(ph_states, ph_states_zero, states_homogeneous, MR_CHAINS_PH_STATES, MR_JOINED)
MR_FAMILY(mcr, mcr_zero, mcr_homogeneous, MR_CHAINS_REDUCTION, MR_JOINED)
MR_FAMILY(cr, cr_zero, cr_homogeneous, MR_CHAINS_REDUCTION, MR_APART)
MR_FAMILY(dtcr, dtcr_zero, dtcr_homogeneous, MR_CHAINS_REDUCTION, MR_APART)
MR_FAMILY(ssph, ssph_zero, states_homogeneous, MR_CHAINS_SSPH, MR_JOINED)

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
    .take_f32 = take_f32,
    .take_f64 = take_f64,
    .give_f32 = give_f32,
    .give_f64 = give_f64,
    .is_poisoned = is_poisoned,
    .run = MR_EACH_FAMILY(run),
    .zero = MR_EACH_FAMILY(zero_half),
    .homogeneous = MR_EACH_FAMILY(homogeneous_half),
    .single_samples = MR_EACH_FAMILY(single),
    .dense = dense,
    .local_carry = local_carry,
    .global_carry = global_carry,
};
