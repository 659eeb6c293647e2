/* Kernels: sections over the samples of a lane tile. Types, layouts and the table of pointers.
   SPDX-License-Identifier: ISC

   A lane tile is MR_LANES channels that run side by side. Its samples are doubles x[frame][MR_LANES], at most MR_CELL frames
   a call; lanes that stand for no channel hold anything. Sections lie one after another:

     settled   coef[section][5][MR_LANES]  s, r, D, e1, e       state[section][2][MR_LANES]  w, d
     moving    row[section][MR_CELL][8]    E F G K C1 C2 D 0    state[section][2][MR_LANES]  z1, z2

   Settled form (delta DF2), the expression tree of every variant:

     d' = fma(-s, w, x) + fma(-r, d, d) ;  y = fma(D, x, fma(e, d, e1 w)) ;  w' = w + d ;  d = d'

   with r = P + s and e = e1 + e2 of the section: w leaves d out, unlike the textbook's, so that a step waits for one fma and one addition
   of the step before.

   Moving form (normalised state-variable filter):

     v = fma(K, x, -z2) ;  y = fma(D, x, fma(C1, z1, C2 z2))
     z1' = fma(F, v, fma(E, z1, z1)) ;  z2' = fma(G, v, fma(F, z1, z2))

   The tree is the same in every variant of a class, so lanes, tiles and splits change no bit. There are two classes: fused, and
   unfused (SSE2), where fma(a, b, c) is a b + c rounded twice. All arrays of doubles are aligned to MR_ALIGN bytes; sample
   buffers of the caller to their samples only. All functions are real-time: no allocation, no lock, no system call. */
#ifndef MILLRACE_KERNEL_KERNEL_H
#define MILLRACE_KERNEL_KERNEL_H

#include "../millrace.h"

#define MR_LANES        8u
#define MR_ALIGN        64u
#define MR_SETTLED_ROWS 5u /* of coef, in the order s r D e1 e */
#define MR_STATE_ROWS   2u

/* Doubles of one section in a tile's arrays. */
#define MR_COEF_STRIDE  (MR_SETTLED_ROWS * MR_LANES)
#define MR_STATE_STRIDE (MR_STATE_ROWS * MR_LANES)

/* Coefficients of a moving section at one frame. */
typedef struct MrMoving {
  double E, F, G, K, C1, C2, D, zero;
} MrMoving;

/* A chain's section runs so many frames behind the one before it. */
#define MR_SKEW                   2u
#define MR_CHAIN_FRAMES(sections) (MR_SKEW * ((sections)-1) + 1)

/* What the schedule plan has to know of kernels. */
typedef struct MrKernelShape {
  uint32_t vector;            /* lanes that are run together */
  uint32_t sections_per_pass; /* settled sections that one sweep over a tile's frames runs */
  uint32_t chain;             /* vectors of a chain at most; 0: run_chains gains nothing */
} MrKernelShape;

typedef struct MrKernels {
  MrCpuLevel level;
  bool fused;
  MrKernelShape shape;

  /* Planar samples to a tile and back. MR_LANES valid pointers, lanes without a channel included; n frames at each.
     The store multiplies lane l by gain[l] first. */
  void (*load_f32)(const float* const* in, uint32_t n, double* x);
  void (*load_f64)(const double* const* in, uint32_t n, double* x);
  void (*store_f32)(const double* x, uint32_t n, const double* gain, float* const* out);
  void (*store_f64)(const double* x, uint32_t n, const double* gain, double* const* out);

  /* Interleaved samples: frame f of lane l is at in[f * stride + l]; only `lanes` of them are touched. With fewer lanes than a
     tile has, x and gain may begin at any of them. */
  void (*load_interleaved_f32)(const float* in, size_t stride, uint32_t lanes, uint32_t n, double* x);
  void (*load_interleaved_f64)(const double* in, size_t stride, uint32_t lanes, uint32_t n, double* x);
  void (*store_interleaved_f32)(const double* x, uint32_t n, const double* gain, float* out, size_t stride, uint32_t lanes);
  void (*store_interleaved_f64)(const double* x, uint32_t n, const double* gain, double* out, size_t stride, uint32_t lanes);

  /* Runs n frames of x in place through `sections` settled sections. Lanes from `lanes` up need not be run. */
  void (*run_settled)(double* x, uint32_t n, const double* coef, double* state, uint32_t sections, uint32_t lanes);

  /* The same with sections in lanes, for fewer lanes than a vector has (the reference: any); they may begin at any lane of the tile. Frames of x
     lie `stride` doubles apart, and need no alignment: MR_LANES in a tile, or fewer. n is at least MR_CHAIN_FRAMES(sections), and may be more than
     MR_CELL. The same bits. */
  void (*run_chains)(double* x, size_t stride, uint32_t n, const double* coef, double* state, uint32_t sections, uint32_t lanes);

  /* The same as run_settled for moving sections. row points at the first frame's row of the first section; the next section's rows lie MR_CELL rows
     on. Where mask[l] (all bits of a double) is 0, lane l passes unchanged and its state is left in any finite condition. */
  void (*run_moving)(double* x, uint32_t n, const MrMoving* row, double* state, const double* mask, uint32_t sections, uint32_t lanes);

  /* Rows of frames first .. first + n - 1 of a cell: the uniform cubic B-spline with four control points, oldest first. A row
     depends on its own frame alone. */
  void (*rows)(const MrMoving* control, uint32_t first, uint32_t n, MrMoving* row);

  /* x[f][l] *= w[f]. */
  void (*ramp)(double* x, uint32_t n, const double* w);
  /* x[f][l] = fma(w[f], y[f][l] - x[f][l], x[f][l]): a crossfade from x to y. */
  void (*mix)(double* x, const double* y, uint32_t n, const double* w);

  /* The largest magnitude of n samples, 0 of none; infinity where one is NaN. */
  float (*peak_f32)(const float* x, uint32_t n);
} MrKernels;

extern const MrKernels mr_kernels_reference, mr_kernels_reference_nofma;
#if defined(__x86_64__)
extern const MrKernels mr_kernels_reference_fma, mr_kernels_sse2, mr_kernels_avx2, mr_kernels_avx512;
#elif defined(__aarch64__)
extern const MrKernels mr_kernels_neon;
#endif

/* The fastest kernels whose level is in the mask (0: any) and that this machine runs; the reference if there are no others; NULL if the
   mask has levels but none that can run. Thread: control. */
const MrKernels* mr_kernels_choose(uint32_t mask);

#endif
