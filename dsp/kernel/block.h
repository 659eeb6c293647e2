/* Multi-block kernels: one channel through one section, many samples of it at a time. Families, layouts and the table of pointers.
   SPDX-License-Identifier: ISC

   A group is N L consecutive samples of one channel, N blocks of L lanes. Lane i owns samples i N .. i N + N - 1; in memory they lie as
   x[block][lane], so that a vector operation takes the same step in every lane. Lanes start from rest (the zero-state half), the
   recursion over lanes is solved by a scan, and what each lane inherits is added (the homogeneous half). By linearity

     y = zero-state response + homogeneous response,    carry of the next group = t + M^L carry

   with t, the local carry, from the samples of the group alone. Families differ in what is carried and in how a lane is run:

     PH         pairs of outputs (y[-2], y[-1]); a particular solution by recursion, then the homogeneous one
     PH_STATES  the section's own state (w, d) of design/section.h: keeps its digits for low corners; needs no history of input or output
     MCR        pairs of outputs; cyclic reduction on pairs of blocks, which divides by nothing
     CR         outputs; cyclic reduction on single blocks: wrong near pole angles pi (2 m + 1) / 2^i, and refused there; no early t
     DTCR       pairs of outputs; the first level of CR taken for both parities, with the numerator folded in; refused likewise
     SSPH       the state of a state-variable filter; the particular solution by recursion, for N <= 16 in float32

   PH, CR and DTCR and the scan over lanes: Zhai, "Parallel Cascaded Recursive Filtering on Multi-Core CPUs and GPUs", 2026. (The
   sign of its matrix C is that of -M here.) Scan: J. Sklansky, "Conditional-Sum Addition Logic", 1960. State-variable filter: A.
   Wishnick, "Time-Varying Filters for Musical Applications", 2014.

   L is the vector's width times a power of two of registers; a register of lanes, a column, is chained to the next one by M^width. So a
   column is computed by the same expressions whatever L and the number of groups in a call are.

   Data are float where `single`, else double, aligned to MR_ALIGN bytes; in and out of the permutation to their samples only.
   All functions of the table are real-time: no allocation, no lock, no system call. */
#ifndef MILLRACE_KERNEL_BLOCK_H
#define MILLRACE_KERNEL_BLOCK_H

#include "../millrace.h"

#define MR_BLOCK_MIN       2u   /* N; a power of two */
#define MR_BLOCK_MAX       128u /* N */
#define MR_BLOCK_MAX_WIDTH 16u
#define MR_BLOCK_CHANNELS  4u /* of an interleaved stream that groups are taken from */
#define MR_BLOCK_STATE     4u /* numbers of a section's state: its last two inputs, older first, then the carried pair */

#define MR_DENSE_BLOCK  16u
#define MR_DENSE_STATES 64u /* at most: of 32 sections */

typedef enum MrBlockFamily {
  MR_BLOCK_PH,
  MR_BLOCK_PH_STATES,
  MR_BLOCK_MCR,
  MR_BLOCK_CR,
  MR_BLOCK_DTCR,
  MR_BLOCK_SSPH,
  MR_BLOCK_FAMILIES
} MrBlockFamily;

/* Rows of a section's table, each as wide as a vector. Then come, for PH, PH_STATES and SSPH, pairs of numbers [N][2] that multiply the
   inherited pair in the outputs, for SSPH pairs [N][2] that make the state of the inputs; for MCR, CR and DTCR rows
   MR_BLOCK_LEVEL_ROWS a level; for CR and DTCR the columns of the inverse of the system over the lanes. */
enum {
  MR_BLOCK_POWER = 0, /* M^(l+1) in lane l: 00, 01, 10, 11 */
  MR_BLOCK_SCAN = 4,  /* for each round the same, M^((l mod s) + 1) where l & s, else 0 */
  MR_BLOCK_MAP = 20,  /* M^L in lane 0: 00, 01, 10, 11 */
  MR_BLOCK_COEF = 24, /* of the recursion, the same number in all lanes: below */
  MR_BLOCK_BODY = 40,
  MR_BLOCK_LEVEL_ROWS = 8
};
/* MR_BLOCK_COEF + ... */
enum { MR_B0, MR_B1, MR_B2, MR_A1, MR_A2 };                      /* PH, MCR, CR, DTCR, SSPH */
enum { MR_D, MR_S, MR_P, MR_E1, MR_E2 };                         /* PH_STATES */
enum { MR_SVF_E = 5, MR_SVF_F, MR_SVF_G, MR_SVF_C1, MR_SVF_C2 }; /* SSPH too, for single samples */
enum {
  MR_N0 = 5,
  MR_N1,
  MR_N2,
  MR_N3,
  MR_N4,
  MR_FIRST,
  MR_SECOND = 12
}; /* DTCR too: B(z) A(-z); lane 0 of blocks 0 and 1 (two rows each) */
/* Rows of a level. MCR: F^(2^(i+1)), 00, 01, 10, 11. */
enum { MR_LEVEL_E, MR_LEVEL_RHO, MR_LEVEL_C, MR_LEVEL_D, MR_LEVEL_ODD_C, MR_LEVEL_ODD_D, MR_LEVEL_EVEN_C, MR_LEVEL_EVEN_D };

/* What a call works on: groups one after the other, each x[blocks][lanes]. */
typedef struct MrBlockShape {
  uint32_t lanes, blocks, groups;
} MrBlockShape;

typedef struct MrBlockKernels {
  MrCpuLevel level;
  bool single, fused;
  uint32_t width; /* lanes of a vector: the least L */

  /* Samples in their order to groups, and back: x[g][m][i] = in[(g L + i) N + m]. in and x do not overlap. */
  void (*permute)(const void* in, void* x, const MrBlockShape* shape);
  void (*depermute)(const void* x, void* out, const MrBlockShape* shape);

  /* Interleaved samples of 1 to MR_BLOCK_CHANNELS channels to the groups of each, rounded to the kernels' precision, and back, multiplied by each
     channel's gain first: channel c's groups begin at number c step of x. N is a multiple of `width`. in or out and x do not overlap. */
  void (*take_f32)(const float* in, uint32_t channels, void* x, size_t step, const MrBlockShape* shape);
  void (*take_f64)(const double* in, uint32_t channels, void* x, size_t step, const MrBlockShape* shape);
  void (*give_f32)(const void* x, size_t step, const void* gain, const MrBlockShape* shape, uint32_t channels, float* out);
  void (*give_f64)(const void* x, size_t step, const void* gain, const MrBlockShape* shape, uint32_t channels, double* out);
  /* Whether one of n numbers is poison, see bounds.h. */
  bool (*is_poisoned)(const void* x, size_t n);

  /* Runs sections in series over the groups in place, and their states on: tables lie table_bytes apart, states MR_BLOCK_STATE numbers.
     The bits are those of one section after the other, and do not depend on how many groups a call has. */
  void (*run[MR_BLOCK_FAMILIES])(void* x, const MrBlockShape* shape, const void* tables, size_t table_bytes, void* states,
                                 uint32_t sections);

  /* The halves. zero: the inputs in state[0], state[1] are used and moved on, and x becomes the response of every lane from rest, in
     the form that `homogeneous` expects; local[column][2][width] is what the lanes pass on. homogeneous: adds what the carried pair in
     state[2], state[3] contributes, and moves it on. Both over all groups of the shape; a group's own part of local begins at
     column g L / width. */
  void (*zero[MR_BLOCK_FAMILIES])(void* x, const MrBlockShape* shape, const void* table, void* state, void* local);
  void (*homogeneous[MR_BLOCK_FAMILIES])(void* x, const MrBlockShape* shape, const void* table, const void* local, void* state);

  /* Runs one section over n samples in their order, in place, and its state on: what is left over after the groups. */
  void (*single_samples[MR_BLOCK_FAMILIES])(void* x, size_t n, const void* table, void* state);

  /* A whole cascade as one matrix: blocks of MR_DENSE_BLOCK samples, in and out in their order. matrix[MR_DENSE_BLOCK + states][rows],
     a column for each input and each state, of the outputs and then the states that they make; rows is a multiple of width. in and out
     may be the same. */
  void (*dense)(const void* in, void* out, uint32_t blocks, const void* matrix, uint32_t rows, uint32_t states, void* state);

  /* t[g][2], the pair that each group passes on from rest. Not for CR. */
  void (*local_carry)(const void* local, const MrBlockShape* shape, const void* table, void* t);
  /* carry[g + 1] = t[g] + M^L carry[g] for all groups; carry has groups + 1 pairs, the first one given. Not for CR. */
  void (*global_carry)(const void* t, const MrBlockShape* shape, const void* table, void* carry);
} MrBlockKernels;

/* Of plain C, in float and in double; with fma() and without. */
extern const MrBlockKernels mr_block_reference_f32, mr_block_reference_f64, mr_block_reference_nofma_f32, mr_block_reference_nofma_f64;
#if defined(__x86_64__)
extern const MrBlockKernels mr_block_sse2_f32, mr_block_sse2_f64, mr_block_avx2_f32, mr_block_avx2_f64, mr_block_avx512_f32,
    mr_block_avx512_f64;
#elif defined(__aarch64__)
extern const MrBlockKernels mr_block_neon_f32, mr_block_neon_f64;
#endif

/* As mr_kernels_choose, of one precision. Thread: control. */
const MrBlockKernels* mr_block_kernels_choose(uint32_t mask, bool single);

/* "ph", "ph-states", "mcr", "cr", "dtcr", "ssph"; never NULL. Thread: any. */
const char* mr_block_family_name(MrBlockFamily family);

#endif
