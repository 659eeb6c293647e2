/* The families that reduce the system of blocks by halves instead of running it: MCR, CR, DTCR. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   A level has `n` blocks and couples neighbours; every second one is eliminated, in place, until one is left; then the eliminated ones
   follow from their neighbours, level by level back. All operations of a level are independent. Columns one after the other. */

/* ---- MCR: unknowns are pairs of blocks Y[k] = V[k] + M Y[k - 1], M = F^2, F^4, .. */

#define MR_LEVEL(i) (table + (MR_BLOCK_BODY + MR_BLOCK_LEVEL_ROWS * (i)) * VW)

/* Pair k of a column += rows times the pair (a, b). */
MR_INLINE void update_pair(const T* rows, T* pair, size_t step, V a, V b) {
  V y0 = v_load(pair), y1 = v_load(pair + step);
  add_product(rows, a, b, &y0, &y1);
  v_store(pair, y0);
  v_store(pair + step, y1);
}

MR_INLINE void mcr_zero(const T* table, T* const* columns, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2), a1 = MR_ROW(MR_A1);
  MR_EACH(u) {
    T* const x = columns[u];
    V x1, x2;
    input_history(columns + u, step, N, history, &x1, &x2, 1);
    const uint32_t n = N / 2;
    for (uint32_t k = 0; k < n; k += 2) { /* numerator, pairs and the first level, two pairs at a time */
      T* p = x + 2 * k * step;
      const V xa = v_load(p), xb = v_load(p + step);
      const V va = v_fma(b0, xa, v_fma(b1, x1, v_mul(b2, x2))), vb = v_fma(b0, xb, v_fma(b1, xa, v_mul(b2, x1)));
      const V wb = v_fnma(a1, va, vb);
      v_store(p, va);
      v_store(p + step, wb);
      if (n == 1) break;
      const V xc = v_load(p + 2 * step), xd = v_load(p + 3 * step);
      V vc = v_fma(b0, xc, v_fma(b1, xb, v_mul(b2, xa))), vd = v_fma(b0, xd, v_fma(b1, xc, v_mul(b2, xb)));
      vd = v_fnma(a1, vc, vd);
      add_product(MR_LEVEL(0), va, wb, &vc, &vd);
      v_store(p + 2 * step, vc);
      v_store(p + 3 * step, vd);
      x2 = xc;
      x1 = xd;
    }
    const T* rows = MR_LEVEL(1);
    for (uint32_t st = 2; st < n; st *= 2, rows += MR_BLOCK_LEVEL_ROWS * VW) {
      for (uint32_t k = 2 * st - 1; k < n; k += 2 * st) {
        const T* from = x + 2 * (k - st) * step;
        update_pair(rows, x + 2 * k * step, step, v_load(from), v_load(from + step));
      }
    }
    V z0 = v_load(x + (N - 2) * step), z1 = v_load(x + (N - 1) * step);
    finish_zero(table, &z0, &z1, local + 2 * u * VW, 1);
  }
}

MR_INLINE void mcr_homogeneous(const T* table, T* const* columns, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  MR_EACH(u) {
    T* const x = columns[u];
    V z0 = v_load(local + 2 * u * VW), z1 = v_load(local + (2 * u + 1) * VW), s0, s1;
    inherit(table, carry, &z0, &z1, &s0, &s1);
    v_store(x + (N - 2) * step, z0);
    v_store(x + (N - 1) * step, z1);
    const uint32_t n = N / 2;
    uint32_t level = 0;
    while (4u << level < N) level++; /* the last one is n = 2^(level + 1) */
    for (uint32_t st = n / 2; st; st /= 2, level--) {
      const T* rows = MR_LEVEL(level);
      update_pair(rows, x + 2 * (st - 1) * step, step, s0, s1);
      for (uint32_t k = 3 * st - 1; k < n; k += 2 * st) {
        const T* from = x + 2 * (k - st) * step;
        update_pair(rows, x + 2 * k * step, step, v_load(from), v_load(from + step));
      }
    }
  }
}

/* ---- CR: unknowns are blocks; DTCR: the even and the odd blocks, each a system of CR from level 1 on. */

/* Levels `level` .. of the system z[0 .. n - 1], blocks `step` apart. */
MR_INLINE void cr_reduce(const T* table, T* z, size_t step, uint32_t n, uint32_t level) {
  for (uint32_t st = 1; st < n; st *= 2, level++) {
    const V e = v_load(MR_LEVEL(level) + MR_LEVEL_E * VW), rho = v_load(MR_LEVEL(level) + MR_LEVEL_RHO * VW);
    V before = v_up(v_load(z + (n - 1) * step), v_set1(0));
    for (uint32_t k = st - 1; k < n; k += 2 * st) {
      T *even = z + k * step, *odd = z + (k + st) * step;
      const V old = v_load(odd), a = v_fnma(rho, before, v_load(even));
      v_store(even, a);
      v_store(odd, v_fnma(e, a, old));
      before = old;
    }
  }
}

/* The last block's system over the lanes: its inverse, a column a lane, times the block. */
MR_INLINE V cr_terminal(const T* table, const T* z) {
  const T* column = MR_LEVEL(7);
  V a = v_mul(v_set1(z[0]), v_load(column)), b = v_mul(v_set1(z[1]), v_load(column + VW));
  MR_UNROLL for (uint32_t j = 2; j < VW; j += 2) {
    a = v_fma(v_set1(z[j]), v_load(column + j * VW), a);
    b = v_fma(v_set1(z[j + 1]), v_load(column + (j + 1) * VW), b);
  }
  return v_add(a, b);
}

/* z[n - 1] is solved; the others follow. `own` and `other` are the carries of this parity and of the other one; rows `first` and `first` + 1
   have their coefficients in lane 0. */
MR_INLINE void cr_back(const T* table, T* z, size_t step, uint32_t n, uint32_t level, const uint32_t first, V own, V other) {
  uint32_t st = n / 2;
  for (uint32_t m = st; m > 1; m /= 2) level++;
  const V before = v_up(v_load(z + (n - 1) * step), own); /* block -1 of every level */
  for (; st; st /= 2, level--) {
    const V c = v_load(MR_LEVEL(level) + MR_LEVEL_C * VW), d = v_load(MR_LEVEL(level) + MR_LEVEL_D * VW);
    const V third = n == 2 * st ? v_up(before, other) : v_up(v_load(z + (n - 1 - 2 * st) * step), other);
    T* p = z + (st - 1) * step;
    v_store(p, v_fnma(v_load(MR_LEVEL(level) + first * VW), before, v_fnma(v_load(MR_LEVEL(level) + (first + 1) * VW), third, v_load(p))));
    V far = before;
    for (uint32_t k = 3 * st - 1; k < n; k += 2 * st) {
      const V near = v_load(z + (k - st) * step);
      p = z + k * step;
      v_store(p, v_fnma(c, near, v_fnma(d, far, v_load(p))));
      far = near;
    }
  }
}

/* Numerator and the first level, then the others. `local` holds the solution over the lanes from rest. */
MR_INLINE void cr_zero(const T* table, T* const* columns, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2);
  const V e = v_load(MR_LEVEL(0) + MR_LEVEL_E * VW), rho = v_load(MR_LEVEL(0) + MR_LEVEL_RHO * VW);
  MR_EACH(u) {
    T* const x = columns[u];
    V x1, x2;
    input_history(columns + u, step, N, history, &x1, &x2, 1);
    const V last2 = v_load(x + (N - 1) * step), last1 = v_load(x + (N - 2) * step), last0 = N > 2 ? v_load(x + (N - 3) * step) : x1;
    V before = v_up(v_fma(b0, last2, v_fma(b1, last1, v_mul(b2, last0))), v_set1(0));
    for (uint32_t m = 0; m < N; m += 2) {
      T* p = x + m * step;
      const V xa = v_load(p), xb = v_load(p + step);
      const V va = v_fma(b0, xa, v_fma(b1, x1, v_mul(b2, x2))), vb = v_fma(b0, xb, v_fma(b1, xa, v_mul(b2, x1)));
      const V za = v_fnma(rho, before, va);
      v_store(p, za);
      v_store(p + step, v_fnma(e, za, vb));
      before = vb;
      x2 = xa;
      x1 = xb;
    }
    cr_reduce(table, x + step, 2 * step, N / 2, 1);
    v_store(local + 2 * u * VW, cr_terminal(table, x + (N - 1) * step));
    v_store(local + (2 * u + 1) * VW, v_set1(0));
  }
}

/* y[-2] of the next column is known only when this one is done. */
MR_INLINE void cr_homogeneous(const T* table, T* const* columns, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  MR_EACH(u) {
    T* const x = columns[u];
    const T* power = table + (MR_BLOCK_POWER + 2) * VW;
    const V last = v_fma(v_load(power), carry[0], v_fma(v_load(power + VW), carry[1], v_load(local + 2 * u * VW)));
    v_store(x + (N - 1) * step, last);
    cr_back(table, x, step, N, 0, MR_LEVEL_ODD_C, carry[1], carry[0]);
    carry[0] = v_last(v_load(x + (N - 2) * step));
    carry[1] = v_last(last);
  }
}

/* Five taps of the numerator times A(-z). */
MR_INLINE V five_taps(const V* n, V x0, V x1, V x2, V x3, V x4) {
  return v_fma(n[0], x0, v_fma(n[1], x1, v_fma(n[2], x2, v_fma(n[3], x3, v_mul(n[4], x4)))));
}

MR_INLINE void dtcr_zero(const T* table, T* const* columns, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  const V n[5] = {MR_ROW(MR_N0), MR_ROW(MR_N1), MR_ROW(MR_N2), MR_ROW(MR_N3), MR_ROW(MR_N4)};
  /* Lane 0 of the first two blocks has no outputs before it that the fold could take in. */
  const V n0[5] = {n[0], MR_ROW(MR_FIRST), MR_ROW(MR_FIRST + 1), n[3], n[4]};
  const V n1[5] = {n[0], n[1], MR_ROW(MR_SECOND), MR_ROW(MR_SECOND + 1), n[4]};
  MR_EACH(u) {
    T* const x = columns[u];
    const V zero = v_set1(0);
    V x1, x2, x3 = v_up(v_load(x + (N - 3) * step), zero), x4 = v_up(v_load(x + (N - 4) * step), zero);
    input_history(columns + u, step, N, history, &x1, &x2, 1);
    for (uint32_t m = 0; m < N; m += 4) {
      T* p = x + m * step;
      const V xa = v_load(p), xb = v_load(p + step), xc = v_load(p + 2 * step), xd = v_load(p + 3 * step);
      v_store(p, five_taps(m ? n : n0, xa, x1, x2, x3, x4));
      v_store(p + step, five_taps(m ? n : n1, xb, xa, x1, x2, x3));
      v_store(p + 2 * step, five_taps(n, xc, xb, xa, x1, x2));
      v_store(p + 3 * step, five_taps(n, xd, xc, xb, xa, x1));
      x4 = xa;
      x3 = xb;
      x2 = xc;
      x1 = xd;
    }
    cr_reduce(table, x, 2 * step, N / 2, 1);
    cr_reduce(table, x + step, 2 * step, N / 2, 1);
    v_store(local + 2 * u * VW, cr_terminal(table, x + (N - 2) * step));
    v_store(local + (2 * u + 1) * VW, cr_terminal(table, x + (N - 1) * step));
  }
}

MR_INLINE void dtcr_homogeneous(const T* table, T* const* columns, size_t step, uint32_t N, const T* local, V* carry,
                                const uint32_t count) {
  MR_EACH(u) {
    T* const x = columns[u];
    V z0 = v_load(local + 2 * u * VW), z1 = v_load(local + (2 * u + 1) * VW);
    const V older = carry[0], newer = carry[1];
    add_product(table + MR_BLOCK_POWER * VW, older, newer, &z0, &z1);
    v_store(x + (N - 2) * step, z0);
    v_store(x + (N - 1) * step, z1);
    cr_back(table, x, 2 * step, N / 2, 1, MR_LEVEL_EVEN_C, older, newer);
    cr_back(table, x + step, 2 * step, N / 2, 1, MR_LEVEL_ODD_C, newer, older);
    carry[0] = v_last(z0);
    carry[1] = v_last(z1);
  }
}
