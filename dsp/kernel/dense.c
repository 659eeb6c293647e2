/* A cascade of one channel as one matrix over blocks of 16 samples.
   SPDX-License-Identifier: ISC */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block_tables.h"
#include "fpmode.h"
#include "kernel.h"

typedef long double Wide;

struct MrDense {
  const MrBlockKernels* kernels;
  uint32_t sections, rows;
  size_t size;         /* of a sample */
  size_t single_bytes; /* of a section's table for single samples */
  char *matrix, *single;
  _Alignas(MR_ALIGN) double state[MR_DENSE_STATES]; /* floats or doubles, two a section */
};

/* A section as a state-variable filter in long double (block_tables.h has the same states). */
typedef struct WideSection {
  Wide E, F, G, C1, C2, D;
} WideSection;

static WideSection wide_section(const MrSection* q) {
  const Wide s = q->s, P = q->P, G = s / 2, F = sqrtl(s * (4 - s - 2 * P)) / 2, C2 = q->e1 / s;
  return (WideSection){.E = -(G + P), .F = F, .G = G, .C1 = (q->e2 + C2 * G) / F, .C2 = C2, .D = q->D};
}

static Wide wide_step(const WideSection* q, Wide state[2], Wide x) {
  const Wide y = q->D * x + q->C1 * state[0] + q->C2 * state[1], v = x - state[1];
  const Wide next = state[0] + q->E * state[0] + q->F * v;
  state[1] += q->F * state[0] + q->G * v;
  state[0] = next;
  return y;
}

/* A column: outputs and last states of what one input or one state of 1 makes. */
static void fill_column(MrDense* d, const MrSection* section, uint32_t column) {
  Wide state[MR_DENSE_STATES] = {0}, value[MR_DENSE_BLOCK + MR_DENSE_STATES];
  if (column >= MR_DENSE_BLOCK) state[column - MR_DENSE_BLOCK] = 1;
  for (uint32_t i = 0; i < MR_DENSE_BLOCK; i++) value[i] = i == column;
  for (uint32_t k = 0; k < d->sections; k++) {
    const WideSection q = wide_section(&section[k]);
    for (uint32_t i = 0; i < MR_DENSE_BLOCK; i++) value[i] = wide_step(&q, state + 2 * k, value[i]);
  }
  memcpy(value + MR_DENSE_BLOCK, state, sizeof state);
  for (uint32_t r = 0; r < MR_DENSE_BLOCK + 2 * d->sections; r++) {
    const size_t at = (size_t)column * d->rows + r;
    if (d->kernels->single)
      ((float*)(void*)d->matrix)[at] = fabsl(value[r]) < 1e-30L ? 0.0F : (float)value[r];
    else
      ((double*)(void*)d->matrix)[at] = fabsl(value[r]) < 1e-290L ? 0.0 : (double)value[r];
  }
}

static MrStatus make(MrDense* d, const MrBlockKernels* kernels, const MrSection* section, uint32_t n) {
  if (!kernels || !section || !n || 2 * n > MR_DENSE_STATES) return MR_ERR_ARGUMENT;
  d->kernels = kernels;
  d->sections = n;
  d->size = kernels->single ? sizeof(float) : sizeof(double);
  d->rows = (MR_DENSE_BLOCK + 2 * n + kernels->width - 1) / kernels->width * kernels->width;
  d->single_bytes = mr_block_table_size(MR_BLOCK_SSPH, kernels->width, MR_BLOCK_MIN) * d->size;
  const size_t bytes = (MR_DENSE_BLOCK + 2 * (size_t)n) * d->rows * d->size;
  d->matrix = aligned_alloc(MR_ALIGN, (bytes + MR_ALIGN - 1) / MR_ALIGN * MR_ALIGN);
  d->single = aligned_alloc(MR_ALIGN, (d->single_bytes * n + MR_ALIGN - 1) / MR_ALIGN * MR_ALIGN);
  if (!d->matrix || !d->single) return MR_ERR_MEMORY;
  memset(d->matrix, 0, bytes);
  for (uint32_t k = 0; k < n; k++) {
    const MrStatus status =
        mr_block_table_fill(kernels, MR_BLOCK_SSPH, &section[k], kernels->width, MR_BLOCK_MIN, d->single + k * d->single_bytes);
    if (status != MR_OK) return status;
  }
  for (uint32_t column = 0; column < MR_DENSE_BLOCK + 2 * n; column++) fill_column(d, section, column);
  return MR_OK;
}

MrDense* mr_dense_new(const MrBlockKernels* kernels, const MrSection* section, uint32_t n, MrStatus* status) {
  MrDense* d = aligned_alloc(MR_ALIGN, sizeof *d);
  if (d) memset(d, 0, sizeof *d);
  *status = d ? make(d, kernels, section, n) : MR_ERR_MEMORY;
  if (*status == MR_OK) return d;
  mr_dense_free(d);
  return NULL;
}

void mr_dense_free(MrDense* dense) {
  if (!dense) return;
  free(dense->matrix);
  free(dense->single);
  free(dense);
}

void mr_dense_reset(MrDense* dense) { memset(dense->state, 0, sizeof dense->state); }

/* What is left over, on the states of the sections. */
static void run_single(MrDense* d, void* x, size_t n) {
  for (uint32_t k = 0; k < d->sections; k++) {
    _Alignas(double) char state[MR_BLOCK_STATE * sizeof(double)] = {0};
    char* own = (char*)d->state + 2 * k * d->size;
    memcpy(state + 2 * d->size, own, 2 * d->size);
    d->kernels->single_samples[MR_BLOCK_SSPH](x, n, d->single + k * d->single_bytes, state);
    memcpy(own, state + 2 * d->size, 2 * d->size);
  }
}

static bool is_finite(const MrDense* d) {
  bool finite = true;
  for (uint32_t i = 0; i < 2 * d->sections; i++)
    finite &= isfinite(d->kernels->single ? (double)((const float*)(const void*)d->state)[i] : d->state[i]) != 0;
  return finite;
}

void mr_dense_run(MrDense* dense, const void* in, void* out, size_t n) {
  const MrFpMode host = mr_fpmode_enter();
  const char* from = in;
  char* to = out;
  while (n >= MR_DENSE_BLOCK) {
    const uint32_t blocks = n / MR_DENSE_BLOCK < 65536 ? (uint32_t)(n / MR_DENSE_BLOCK) : 65536;
    dense->kernels->dense(from, to, blocks, dense->matrix, dense->rows, 2 * dense->sections, dense->state);
    from += blocks * (size_t)MR_DENSE_BLOCK * dense->size;
    to += blocks * (size_t)MR_DENSE_BLOCK * dense->size;
    n -= blocks * (size_t)MR_DENSE_BLOCK;
  }
  if (n && to != from) memcpy(to, from, n * dense->size);
  if (n) run_single(dense, to, n);
  if (!is_finite(dense)) mr_dense_reset(dense);
  mr_fpmode_leave(host);
}
