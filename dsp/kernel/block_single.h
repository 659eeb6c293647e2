/* Sections sample by sample, with the state and the tables of the multi-block kernels: for what is left over. Part of the text of
   block_kernels.h.
   SPDX-License-Identifier: ISC */

#define MR_NUMBER(n) ((const T*)table)[(MR_BLOCK_COEF + (n)) * VW]

/* Direct form 1, on histories. */
static void direct_single(void* data, size_t n, const void* table, void* state) {
  const T b0 = MR_NUMBER(MR_B0), b1 = MR_NUMBER(MR_B1), b2 = MR_NUMBER(MR_B2), a1 = MR_NUMBER(MR_A1), a2 = MR_NUMBER(MR_A2);
  T *x = data, *history = state;
  T x2 = history[0], x1 = history[1], y2 = history[2], y1 = history[3];
  for (size_t i = 0; i < n; i++) {
    const T x0 = x[i], v = MR_FMA(b0, x0, MR_FMA(b1, x1, b2 * x2)), y = MR_FMA(-a1, y1, MR_FMA(-a2, y2, v));
    x2 = x1;
    x1 = x0;
    y2 = y1;
    y1 = x[i] = y;
  }
  history[0] = x2;
  history[1] = x1;
  history[2] = y2;
  history[3] = y1;
}

static void keep_last(T* inputs, const T* x, size_t n) {
  if (!n) return;
  inputs[0] = n > 1 ? x[n - 2] : inputs[1];
  inputs[1] = x[n - 1];
}

/* The settled form of design/section.h. */
static void ph_states_single(void* data, size_t n, const void* table, void* state) {
  const T D = MR_NUMBER(MR_D), s = MR_NUMBER(MR_S), P = MR_NUMBER(MR_P), e1 = MR_NUMBER(MR_E1), e2 = MR_NUMBER(MR_E2);
  T *x = data, *pair = (T*)state + 2;
  T w = pair[0], d = pair[1];
  keep_last(state, x, n);
  for (size_t i = 0; i < n; i++) {
    const T x0 = x[i], next = MR_FMA(-P, d, x0) + MR_FMA(-s, w, d);
    x[i] = MR_FMA(D, x0, MR_FMA(e1, w, e2 * d));
    w = w + next;
    d = next;
  }
  pair[0] = w;
  pair[1] = d;
}

/* The moving form of kernel.h with K = 1. */
static void ssph_single(void* data, size_t n, const void* table, void* state) {
  const T E = MR_NUMBER(MR_SVF_E), F = MR_NUMBER(MR_SVF_F), G = MR_NUMBER(MR_SVF_G), D = MR_NUMBER(MR_B0);
  const T C1 = MR_NUMBER(MR_SVF_C1), C2 = MR_NUMBER(MR_SVF_C2);
  T *x = data, *pair = (T*)state + 2;
  T z1 = pair[0], z2 = pair[1];
  keep_last(state, x, n);
  for (size_t i = 0; i < n; i++) {
    const T x0 = x[i], v = x0 - z2;
    x[i] = MR_FMA(D, x0, MR_FMA(C1, z1, C2 * z2));
    const T next = MR_FMA(F, v, MR_FMA(E, z1, z1));
    z2 = MR_FMA(G, v, MR_FMA(F, z1, z2));
    z1 = next;
  }
  pair[0] = z1;
  pair[1] = z2;
}
