/* The scan over lanes, and the families whose lanes run a recursion: PH, PH_STATES, SSPH. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   The zero-state half of `count` columns side by side: as many chains as hide the latency of one. `count` is a constant where these are
   called. */

#define MR_MOST_CHAINS 8u

/* Pair r of rows of the table, as [00, 01, 10, 11], times the pair (a, b), added to (y0, y1). */
MR_INLINE void add_product(const T* rows, V a, V b, V* y0, V* y1) {
  *y0 = v_fma(v_load(rows), a, v_fma(v_load(rows + VW), b, *y0));
  *y1 = v_fma(v_load(rows + 2 * VW), a, v_fma(v_load(rows + 3 * VW), b, *y1));
}

#define MR_SCAN_ROUND(s, round) \
  add_product(table + (MR_BLOCK_SCAN + 4 * (round)) * VW, v_scan_source(*z0, s), v_scan_source(*z1, s), z0, z1)

/* What each lane passes on if the first one inherits nothing, from what each passes on from rest. */
MR_INLINE void scan(const T* table, V* z0, V* z1) {
  MR_SCAN_ROUND(1, 0);
#if VW > 2
  MR_SCAN_ROUND(2, 1);
#endif
#if VW > 4
  MR_SCAN_ROUND(4, 2);
#endif
#if VW > 8
  MR_SCAN_ROUND(8, 3);
#endif
}

/* The same with what the first lane inherits, all lanes of `carry`; it becomes what the last one passes on, and (s0, s1) what each lane
   inherits. */
MR_INLINE void inherit(const T* table, V* carry, V* z0, V* z1, V* s0, V* s1) {
  add_product(table + MR_BLOCK_POWER * VW, carry[0], carry[1], z0, z1);
  *s0 = v_up(*z0, carry[0]);
  *s1 = v_up(*z1, carry[1]);
  carry[0] = v_last(*z0);
  carry[1] = v_last(*z1);
}

#define MR_EACH(u) MR_UNROLL for (uint32_t u = 0; u < count; u++)
#define MR_ROW(n)  v_load(table + (MR_BLOCK_COEF + (n)) * VW)

/* The inputs before each lane's first, from the column's last blocks and the column before. */
MR_INLINE void input_history(T* const* x, size_t step, uint32_t N, V* history, V* x1, V* x2, const uint32_t count) {
  MR_EACH(u) {
    const V a = v_load(x[u] + (N - 2) * step), b = v_load(x[u] + (N - 1) * step);
    x2[u] = v_up(a, history[0]);
    x1[u] = v_up(b, history[1]);
    history[0] = v_last(a);
    history[1] = v_last(b);
  }
}

/* What the section before has left to add to its blocks while the next one reads them; `out` is NULL where blocks are as they should
   be. */
MR_INLINE V input_block(const T* x, const T* out, size_t m, V s0, V s1) {
  const V w = v_load(x);
  return out ? v_fma(v_set1(out[2 * m + 1]), s1, v_fma(v_set1(out[2 * m]), s0, w)) : w;
}

/* Two blocks of direct form 1 in column u; x1 and y1 are the newer ones. */
#define MR_DIRECT_STEP(x0, x_newer, x_older, y_newer, y_older, to)             \
  do {                                                                         \
    const V numerator = v_fma(b0, x0, v_fma(b1, x_newer, v_mul(b2, x_older))); \
    y_older = v_fnma(a1, y_newer, v_fnma(a2, y_older, numerator));             \
    v_store(to, y_older);                                                      \
    x_older = x0;                                                              \
  } while (0)

/* Direct form 1 from no output history, in place; the last two outputs are left in y1 (newer) and y2. With `out`, the blocks still lack
   the response of (s0, s1), and the last two are (last0, last1). */
MR_INLINE void direct_recursion(const T* table, T* const* x, size_t step, uint32_t N, V* x1, V* x2, V* y1, V* y2, const T* out, const V* s0,
                                const V* s1, const V* last0, const V* last1, const uint32_t count) {
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2), a1 = MR_ROW(MR_A1), a2 = MR_ROW(MR_A2);
  MR_EACH(u) y1[u] = y2[u] = v_set1(0);
  const uint32_t blocks = out ? N - 2 : N;
  for (uint32_t m = 0; m < blocks; m += 2) {
    MR_EACH(u) {
      T* const to = x[u] + m * step;
      const V x0 = input_block(to, out, m, out ? s0[u] : x1[u], out ? s1[u] : x1[u]);
      MR_DIRECT_STEP(x0, x1[u], x2[u], y1[u], y2[u], to);
    }
    MR_EACH(u) {
      T* const to = x[u] + (m + 1) * step;
      const V x0 = input_block(to, out, m + 1, out ? s0[u] : x1[u], out ? s1[u] : x1[u]);
      MR_DIRECT_STEP(x0, x2[u], x1[u], y2[u], y1[u], to);
    }
  }
  if (!out) return;
  MR_EACH(u) {
    MR_DIRECT_STEP(last0[u], x1[u], x2[u], y1[u], y2[u], x[u] + (N - 2) * step);
    MR_DIRECT_STEP(last1[u], x2[u], x1[u], y2[u], y1[u], x[u] + (N - 1) * step);
  }
}

MR_INLINE void finish_zero(const T* table, V* z0, V* z1, T* local, const uint32_t count) {
  MR_EACH(u) {
    scan(table, &z0[u], &z1[u]);
    v_store(local + 2 * u * VW, z0[u]);
    v_store(local + (2 * u + 1) * VW, z1[u]);
  }
}

MR_INLINE void ph_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  V x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS], y1[MR_MOST_CHAINS], y2[MR_MOST_CHAINS];
  input_history(x, step, N, history, x1, x2, count);
  direct_recursion(table, x, step, N, x1, x2, y1, y2, NULL, NULL, NULL, NULL, NULL, count);
  finish_zero(table, y2, y1, local, count);
}

/* The settled form of design/section.h from rest. */
MR_INLINE void states_recursion(const T* table, T* const* x, size_t step, uint32_t N, V* w, V* d, const T* out, const V* s0, const V* s1,
                                const bool unit, const uint32_t count) {
  const V D = MR_ROW(MR_D), s = MR_ROW(MR_S), P = MR_ROW(MR_P), e1 = MR_ROW(MR_E1), e2 = MR_ROW(MR_E2);
  MR_EACH(u) w[u] = d[u] = v_set1(0);
  for (uint32_t m = 0; m < N; m++) {
    MR_EACH(u) {
      T* const to = x[u] + m * step;
      const V x0 = input_block(to, out, m, out ? s0[u] : w[u], out ? s1[u] : w[u]);
      const V next = v_add(v_fnma(P, d[u], x0), v_fnma(s, w[u], d[u]));
      v_store(to, unit ? v_fma(e1, w[u], v_fma(e2, d[u], x0)) : v_fma(D, x0, v_fma(e1, w[u], v_mul(e2, d[u]))));
      w[u] = v_add(w[u], next);
      d[u] = next;
    }
  }
}

/* The last two inputs, for whoever goes on from histories. */
MR_INLINE void keep_inputs(T* x, size_t step, uint32_t N, V* history, const T* out, V s0, V s1) {
  history[0] = v_last(input_block(x + (N - 2) * step, out, N - 2, s0, s1));
  history[1] = v_last(input_block(x + (N - 1) * step, out, N - 1, s0, s1));
}

MR_INLINE void ph_states_start(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const T* out, const V* s0,
                               const V* s1, const uint32_t count) {
  keep_inputs(x[count - 1], step, N, history, out, out ? s0[count - 1] : history[0], out ? s1[count - 1] : history[0]);
  V w[MR_MOST_CHAINS], d[MR_MOST_CHAINS];
  if (table[(MR_BLOCK_COEF + MR_D) * VW] == 1)
    states_recursion(table, x, step, N, w, d, out, s0, s1, true, count);
  else
    states_recursion(table, x, step, N, w, d, out, s0, s1, false, count);
  finish_zero(table, w, d, local, count);
}

MR_INLINE void ph_states_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  ph_states_start(table, x, step, N, history, local, NULL, NULL, NULL, count);
}

/* Transposed direct form 2 from rest, and beside it what the inputs make of the state. */
MR_INLINE void ssph_start(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const T* out, const V* s0,
                          const V* s1, const uint32_t count) {
  keep_inputs(x[count - 1], step, N, history, out, out ? s0[count - 1] : history[0], out ? s1[count - 1] : history[0]);
  V t1[MR_MOST_CHAINS], t2[MR_MOST_CHAINS], z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS];
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2), a1 = MR_ROW(MR_A1), a2 = MR_ROW(MR_A2);
  const T* in = table + MR_BLOCK_BODY * VW + 2 * N;
  MR_EACH(u) t1[u] = t2[u] = z0[u] = z1[u] = v_set1(0);
  for (uint32_t m = 0; m < N; m++) {
    const V k0 = v_set1(in[2 * m]), k1 = v_set1(in[2 * m + 1]);
    MR_EACH(u) {
      T* const to = x[u] + m * step;
      const V x0 = input_block(to, out, m, out ? s0[u] : t1[u], out ? s1[u] : t1[u]), y = v_fma(b0, x0, t1[u]);
      v_store(to, y);
      t1[u] = v_fnma(a1, y, v_fma(b1, x0, t2[u]));
      t2[u] = v_fnma(a2, y, v_mul(b2, x0));
      z0[u] = v_fma(k0, x0, z0[u]);
      z1[u] = v_fma(k1, x0, z1[u]);
    }
  }
  finish_zero(table, z0, z1, local, count);
}

MR_INLINE void ssph_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  ssph_start(table, x, step, N, history, local, NULL, NULL, NULL, count);
}

/* Adds the homogeneous response of what each lane inherits, to blocks 0 .. blocks - 1. */
MR_INLINE void add_response(const T* table, T* const* x, size_t step, uint32_t blocks, const V* s0, const V* s1, const uint32_t count) {
  const T* out = table + MR_BLOCK_BODY * VW;
  for (uint32_t m = 0; m < blocks; m++) {
    MR_EACH(u) v_store(x[u] + m * step, input_block(x[u] + m * step, out, m, s0[u], s1[u]));
  }
}

MR_INLINE void inherit_columns(const T* table, const T* local, V* carry, V* z0, V* z1, V* s0, V* s1, const uint32_t count) {
  MR_EACH(u) {
    z0[u] = v_load(local + 2 * u * VW);
    z1[u] = v_load(local + (2 * u + 1) * VW);
    inherit(table, carry, &z0[u], &z1[u], &s0[u], &s1[u]);
  }
}

MR_INLINE void store_pairs(T* const* x, size_t step, uint32_t N, const V* z0, const V* z1, const uint32_t count) {
  MR_EACH(u) {
    v_store(x[u] + (N - 2) * step, z0[u]);
    v_store(x[u] + (N - 1) * step, z1[u]);
  }
}

/* The inputs before each lane's first of the next section, from the outputs of this one. */
MR_INLINE void outputs_history(const V* z0, const V* z1, V* history, V* x1, V* x2, const uint32_t count) {
  MR_EACH(u) {
    x2[u] = v_up(z0[u], history[0]);
    x1[u] = v_up(z1[u], history[1]);
    history[0] = v_last(z0[u]);
    history[1] = v_last(z1[u]);
  }
}

/* In states. */
MR_INLINE void states_homogeneous(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  add_response(table, x, step, N, s0, s1, count);
}

/* In pairs of outputs: the last two blocks are the pair itself. */
MR_INLINE void ph_homogeneous(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  store_pairs(x, step, N, z0, z1, count);
  add_response(table, x, step, N - 2, s0, s1, count);
}

/* ---- The homogeneous half of one section and the zero-state half of the next one in a single pass, with the same bits as one after
   the other. `carry` is of the first, `history` of the second. */

MR_INLINE void ph_join(const T* table, const T* next, T* const* x, size_t step, uint32_t N, T* local, V* carry, V* history,
                       const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  V x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS], y1[MR_MOST_CHAINS], y2[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  outputs_history(z0, z1, history, x1, x2, count);
  direct_recursion(next, x, step, N, x1, x2, y1, y2, table + MR_BLOCK_BODY * VW, s0, s1, z0, z1, count);
  finish_zero(next, y2, y1, local, count);
}

MR_INLINE void ph_states_join(const T* table, const T* next, T* const* x, size_t step, uint32_t N, T* local, V* carry, V* history,
                              const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  ph_states_start(next, x, step, N, history, local, table + MR_BLOCK_BODY * VW, s0, s1, count);
}

MR_INLINE void ssph_join(const T* table, const T* next, T* const* x, size_t step, uint32_t N, T* local, V* carry, V* history,
                         const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  ssph_start(next, x, step, N, history, local, table + MR_BLOCK_BODY * VW, s0, s1, count);
}
