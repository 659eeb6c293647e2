/* Few channels' samples to frames without gaps and back, float or double on either side.
   SPDX-License-Identifier: ISC

   Frame f of lane l is x[f * lanes + l]: what run_chains() takes with a stride of `lanes`. The bits are those of the loads and stores of kernel.h. */
#ifndef MILLRACE_KERNEL_FEW_IO_H
#define MILLRACE_KERNEL_FEW_IO_H

#include <stdint.h>

/* Planar: x[f * lanes + l] = in[l][f]. x overlaps no input. Real-time, as all of these. */
void mr_few_take_f32_f32(const float* const* in, uint32_t lanes, uint32_t n, float* x);
void mr_few_take_f32_f64(const float* const* in, uint32_t lanes, uint32_t n, double* x);
void mr_few_take_f64_f32(const double* const* in, uint32_t lanes, uint32_t n, float* x);
void mr_few_take_f64_f64(const double* const* in, uint32_t lanes, uint32_t n, double* x);

/* Planar: out[l][f] = x[f * lanes + l] gain[l]. */
void mr_few_give_f32_f32(const float* x, uint32_t lanes, uint32_t n, const float* gain, float* const* out);
void mr_few_give_f32_f64(const float* x, uint32_t lanes, uint32_t n, const float* gain, double* const* out);
void mr_few_give_f64_f32(const double* x, uint32_t lanes, uint32_t n, const double* gain, float* const* out);
void mr_few_give_f64_f64(const double* x, uint32_t lanes, uint32_t n, const double* gain, double* const* out);

/* Interleaved, the lanes being all channels: out[i] = x[i] gain[i % lanes]. The way in is a copy: mr_stream_take_*() of n x lanes samples. */
void mr_few_give_interleaved_f32_f32(const float* x, uint32_t lanes, uint32_t n, const float* gain, float* out);
void mr_few_give_interleaved_f32_f64(const float* x, uint32_t lanes, uint32_t n, const float* gain, double* out);
void mr_few_give_interleaved_f64_f32(const double* x, uint32_t lanes, uint32_t n, const double* gain, float* out);
void mr_few_give_interleaved_f64_f64(const double* x, uint32_t lanes, uint32_t n, const double* gain, double* out);

#endif
