/* One channel's samples out of interleaved ones and back, float or double on either side.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_STREAM_IO_H
#define MILLRACE_KERNEL_STREAM_IO_H

#include <stdint.h>

/* x[f] = in[f * stride]. mr_stream_take_FROM_TO. Real-time, as all of these. */
void mr_stream_take_f32_f32(const float* in, uint32_t stride, uint32_t n, float* x);
void mr_stream_take_f32_f64(const float* in, uint32_t stride, uint32_t n, double* x);
void mr_stream_take_f64_f32(const double* in, uint32_t stride, uint32_t n, float* x);
void mr_stream_take_f64_f64(const double* in, uint32_t stride, uint32_t n, double* x);

/* out[f * stride] = x[f] gain. */
void mr_stream_give_f32_f32(const float* x, float gain, uint32_t stride, uint32_t n, float* out);
void mr_stream_give_f32_f64(const float* x, float gain, uint32_t stride, uint32_t n, double* out);
void mr_stream_give_f64_f32(const double* x, double gain, uint32_t stride, uint32_t n, float* out);
void mr_stream_give_f64_f64(const double* x, double gain, uint32_t stride, uint32_t n, double* out);

#endif
