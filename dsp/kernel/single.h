/* Float32 kernels: settled sections over the samples of a lane tile of floats. Layouts and the table of pointers.
   SPDX-License-Identifier: ISC

   Everything as kernel.h has it, in float32: a tile is MR_SINGLE_LANES channels, its samples are floats x[frame][MR_SINGLE_LANES],
   coefficients coef[section][5][MR_SINGLE_LANES], state [section][2][MR_SINGLE_LANES]; the same settled form, expression tree and two
   classes. Coefficients are those of the float64 section, each rounded once. Samples of float64 buffers are rounded to float32 as they are loaded.
   There are no moving sections: what moves is float64. */
#ifndef MILLRACE_KERNEL_SINGLE_H
#define MILLRACE_KERNEL_SINGLE_H

#include "kernel.h"

#define MR_SINGLE_LANES        16u
#define MR_SINGLE_COEF_STRIDE  (MR_SETTLED_ROWS * MR_SINGLE_LANES)
#define MR_SINGLE_STATE_STRIDE (MR_STATE_ROWS * MR_SINGLE_LANES)

typedef struct MrSingleKernels {
  MrCpuLevel level;
  bool fused;
  MrKernelShape shape;

  /* Planar samples to a tile and back: `lanes` lanes, rounded up to a multiple of four, of n frames each, and as many valid pointers.
     Other lanes of the tile are left as they are. The store multiplies lane l by gain[l] first. */
  void (*load_f32)(const float* const* in, uint32_t lanes, uint32_t n, float* x);
  void (*load_f64)(const double* const* in, uint32_t lanes, uint32_t n, float* x);
  void (*store_f32)(const float* x, uint32_t lanes, uint32_t n, const float* gain, float* const* out);
  void (*store_f64)(const float* x, uint32_t lanes, uint32_t n, const float* gain, double* const* out);

  /* Interleaved samples: frame f of lane l is at in[f * stride + l]; only `lanes` of them are touched. */
  void (*load_interleaved_f32)(const float* in, size_t stride, uint32_t lanes, uint32_t n, float* x);
  void (*load_interleaved_f64)(const double* in, size_t stride, uint32_t lanes, uint32_t n, float* x);
  void (*store_interleaved_f32)(const float* x, uint32_t n, const float* gain, float* out, size_t stride, uint32_t lanes);
  void (*store_interleaved_f64)(const float* x, uint32_t n, const float* gain, double* out, size_t stride, uint32_t lanes);

  /* Runs n frames of x in place through `sections` settled sections. Lanes from `lanes` up need not be run. */
  void (*run_settled)(float* x, uint32_t n, const float* coef, float* state, uint32_t sections, uint32_t lanes);

  /* The same with sections in lanes, as kernel.h has it. */
  void (*run_chains)(float* x, size_t stride, uint32_t n, const float* coef, float* state, uint32_t sections, uint32_t lanes);
} MrSingleKernels;

extern const MrSingleKernels mr_single_kernels_reference, mr_single_kernels_reference_nofma;
#if defined(__x86_64__)
extern const MrSingleKernels mr_single_kernels_reference_fma, mr_single_kernels_sse2, mr_single_kernels_avx2, mr_single_kernels_avx512;
#elif defined(__aarch64__)
extern const MrSingleKernels mr_single_kernels_neon;
#endif

/* As mr_kernels_choose, of the float32 kernels. Thread: control. */
const MrSingleKernels* mr_single_kernels_choose(uint32_t mask);

#endif
