/* The peak of a stretch of samples. Part of the text of channel_lanes.h and reference.h.
   SPDX-License-Identifier: ISC

   Magnitudes of floats are in the order of their bits without the sign, NaNs above infinity, so whole numbers are compared: no NaN gets lost, and
   the compiler makes vectors of them, whatever the width. */

static float peak_f32(const float* x, uint32_t n) {
  int32_t most = 0;
  for (uint32_t f = 0; f < n; f++) {
    int32_t bits;
    memcpy(&bits, x + f, sizeof bits);
    bits &= 0x7fffffff;
    most = bits > most ? bits : most;
  }
  if (most > 0x7f800000) most = 0x7f800000; /* infinite */
  float peak;
  memcpy(&peak, &most, sizeof peak);
  return peak;
}
