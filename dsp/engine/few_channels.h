/* Few channels, fewer than a vector has lanes, whose sections are in lanes: their samples without gaps, over several cells at once.
   SPDX-License-Identifier: ISC

   A chain fills and drains at the ends of a call, and a call has its cost. While nothing in a tile changes, cells need not be calls of
   their own: all that happens at a cell's end is the look for trouble, and that can be had afterwards, since trouble is rare. So a run takes its
   frames out of the caller's buffers, filters them, looks at the ends of its cells, and only then writes; after trouble the same frames are run cell
   by cell, as if the run had never been. Frame f of lane l is x[f * lanes + l]. All is real-time. */
#ifndef MILLRACE_ENGINE_FEW_CHANNELS_H
#define MILLRACE_ENGINE_FEW_CHANNELS_H

#include "sample_buffers.h"

/* Frames frame .. frame + n - 1 of channels first .. first + lanes - 1; interleaved ones must be all channels, and no segments. */
void mr_few_load_f64(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, double* x);
void mr_few_load_f32(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, float* x);
void mr_few_store_f64(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, const double* x,
                      const double* gain);
void mr_few_store_f32(const MrBuffers* buffers, uint32_t first, uint32_t lanes, uint32_t frame, uint32_t n, const float* x,
                      const float* gain);

/* Whether a lane is in trouble at the end of a cell, the first frame being frame `at` of one. */
bool mr_few_poisoned_f64(const double* x, uint32_t lanes, uint32_t at, uint32_t n);
bool mr_few_poisoned_f32(const float* x, uint32_t lanes, uint32_t at, uint32_t n);

#endif
