/* Filtered samples to integers: nearest, saturated, and counted where they saturate.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PCM_H
#define MR_HOST_PCM_H

#include <stddef.h>
#include <stdint.h>

/* What clipped in one channel. */
typedef struct MrClip {
  uint64_t count;       /* samples beyond the range */
  uint64_t first_frame; /* of the first one; where count > 0 */
  double peak;          /* largest |sample|, full scale 1; where count > 0 */
} MrClip;

/* Interleaved samples of full scale 1 -> the integers that libsndfile takes as int16 (bits <= 16) or int32 (bits <= 32): round to
   nearest, ties to even; beyond the range saturated; NaN gives 0. `bits` is 8 to 32: the lower bits of the result are 0.
   clip has a place a channel; first_frame is the stream's frame of in[0]. in and out do not overlap. */
void mr_pcm_from_f32(const float* in, void* out, size_t frames, uint32_t channels, unsigned bits, uint64_t first_frame, MrClip* clip);
void mr_pcm_from_f64(const double* in, void* out, size_t frames, uint32_t channels, unsigned bits, uint64_t first_frame, MrClip* clip);

/* Gain in dB (<= 0, rounded down to 0.01 dB) under which a peak stays inside `bits` bits. */
double mr_pcm_preamp_db(double peak, unsigned bits);

#endif
