/* The families that reduce the system of blocks by halves instead of running it: MCR, CR, DTCR. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   A level has `n` blocks and couples neighbours; every second one is eliminated, in place, until one is left; then the eliminated ones
   follow from their neighbours, level by level back. All operations of a level are independent; columns go side by side all the same,
   for what there is to wait for between the levels. */

/* ---- MCR: unknowns are pairs of blocks Y[k] = V[k] + M Y[k - 1], M = F^2, F^4, .. */

#define MR_LEVEL_OF(from, i) ((from) + (MR_BLOCK_BODY + MR_BLOCK_LEVEL_ROWS * (i)) * VW)
#define MR_LEVEL(i)          MR_LEVEL_OF(table, i)

/* The pair of blocks at `pair` += rows times the pair (a, b). */
MR_INLINE void update_pair(const T* rows, T* pair, size_t step, V a, V b) {
  V y0 = v_load(pair), y1 = v_load(pair + step);
  add_product(rows, a, b, &y0, &y1);
  v_store(pair, y0);
  v_store(pair + step, y1);
}

/* Numerator, pairs and the first level, two pairs at a time; then the other levels. With `before`, the table of the section before, the
   first of two pairs still lacks what that section's first level adds last. */
MR_INLINE void mcr_reduce(const T* table, T* const* x, size_t step, uint32_t N, V* x1, V* x2, T* local, const T* before,
                          const uint32_t count) {
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2), a1 = MR_ROW(MR_A1);
  const uint32_t n = N / 2;
  for (uint32_t k = 0; k < n; k += 2) {
    MR_EACH(u) {
      T* const p = x[u] + 2 * k * step;
      V xa = v_load(p), xb = v_load(p + step);
      if (before) add_product(MR_LEVEL_OF(before, 0), x2[u], x1[u], &xa, &xb);
      const V va = v_fma(b0, xa, v_fma(b1, x1[u], v_mul(b2, x2[u]))), vb = v_fma(b0, xb, v_fma(b1, xa, v_mul(b2, x1[u])));
      const V wb = v_fnma(a1, va, vb);
      v_store(p, va);
      v_store(p + step, wb);
      if (n == 1) continue;
      const V xc = v_load(p + 2 * step), xd = v_load(p + 3 * step);
      V vc = v_fma(b0, xc, v_fma(b1, xb, v_mul(b2, xa))), vd = v_fma(b0, xd, v_fma(b1, xc, v_mul(b2, xb)));
      vd = v_fnma(a1, vc, vd);
      add_product(MR_LEVEL(0), va, wb, &vc, &vd);
      v_store(p + 2 * step, vc);
      v_store(p + 3 * step, vd);
      x2[u] = xc;
      x1[u] = xd;
    }
  }
  const T* rows = MR_LEVEL(1);
  for (uint32_t st = 2; st < n; st *= 2, rows += MR_BLOCK_LEVEL_ROWS * VW) {
    for (uint32_t k = 2 * st - 1; k < n; k += 2 * st) {
      MR_EACH(u) {
        const T* from = x[u] + 2 * (k - st) * step;
        update_pair(rows, x[u] + 2 * k * step, step, v_load(from), v_load(from + step));
      }
    }
  }
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS];
  MR_EACH(u) {
    z0[u] = v_load(x[u] + (N - 2) * step);
    z1[u] = v_load(x[u] + (N - 1) * step);
  }
  finish_zero(table, z0, z1, local, count);
}

/* From the last pair, which is solved, the others level by level back, but for levels below `lowest`. */
MR_INLINE void mcr_back(const T* table, T* const* x, size_t step, uint32_t N, const V* s0, const V* s1, uint32_t lowest,
                        const uint32_t count) {
  const uint32_t n = N / 2;
  uint32_t level = 0;
  while (4U << level < N) level++; /* of the last one n = 2^(level + 1) */
  for (uint32_t st = n / 2; st >= 1U << lowest && st; st /= 2, level--) {
    const T* rows = MR_LEVEL(level);
    MR_EACH(u) update_pair(rows, x[u] + 2 * (st - 1) * step, step, s0[u], s1[u]);
    for (uint32_t k = 3 * st - 1; k < n; k += 2 * st) {
      MR_EACH(u) {
        const T* from = x[u] + 2 * (k - st) * step;
        update_pair(rows, x[u] + 2 * k * step, step, v_load(from), v_load(from + step));
      }
    }
  }
}

MR_INLINE void mcr_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  V x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS];
  input_history(x, step, N, history, x1, x2, count);
  mcr_reduce(table, x, step, N, x1, x2, local, NULL, count);
}

MR_INLINE void mcr_homogeneous(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  store_pairs(x, step, N, z0, z1, count);
  mcr_back(table, x, step, N, s0, s1, 0, count);
}

MR_INLINE void mcr_join(const T* table, const T* next, T* const* x, size_t step, uint32_t N, T* local, V* carry, V* history,
                        const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], s0[MR_MOST_CHAINS], s1[MR_MOST_CHAINS], x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS];
  inherit_columns(table, local, carry, z0, z1, s0, s1, count);
  store_pairs(x, step, N, z0, z1, count);
  mcr_back(table, x, step, N, s0, s1, 1, count);
  outputs_history(z0, z1, history, x1, x2, count);
  mcr_reduce(next, x, step, N, x1, x2, local, N > 2 ? table : NULL, count);
}

/* ---- CR: unknowns are blocks; DTCR: the even and the odd blocks, each a system of CR from level 1 on. */

/* Levels `level` .. of the systems z[u][0 .. n - 1], blocks `step` apart. */
MR_INLINE void cr_reduce(const T* table, T* const* z, size_t step, uint32_t n, uint32_t level, const uint32_t count) {
  for (uint32_t st = 1; st < n; st *= 2, level++) {
    const V e = v_load(MR_LEVEL(level) + MR_LEVEL_E * VW), rho = v_load(MR_LEVEL(level) + MR_LEVEL_RHO * VW);
    V before[MR_MOST_CHAINS];
    MR_EACH(u) before[u] = v_up(v_load(z[u] + (n - 1) * step), v_set1(0));
    for (uint32_t k = st - 1; k < n; k += 2 * st) {
      MR_EACH(u) {
        T *even = z[u] + k * step, *odd = z[u] + (k + st) * step;
        const V old = v_load(odd), a = v_fnma(rho, before[u], v_load(even));
        v_store(even, a);
        v_store(odd, v_fnma(e, a, old));
        before[u] = old;
      }
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

/* z[u][n - 1] is solved; the others follow. `own` and `other` are the carries of this parity and of the other one; rows `first` and
   `first` + 1 have their coefficients in lane 0. */
MR_INLINE void cr_back(const T* table, T* const* z, size_t step, uint32_t n, uint32_t level, const uint32_t first, const V* own,
                       const V* other, const uint32_t count) {
  uint32_t st = n / 2;
  V before[MR_MOST_CHAINS]; /* block -1 of every level */
  for (uint32_t m = st; m > 1; m /= 2) level++;
  MR_EACH(u) before[u] = v_up(v_load(z[u] + (n - 1) * step), own[u]);
  for (; st; st /= 2, level--) {
    const T* rows = MR_LEVEL(level);
    const V c = v_load(rows + MR_LEVEL_C * VW), d = v_load(rows + MR_LEVEL_D * VW);
    V far[MR_MOST_CHAINS];
    MR_EACH(u) {
      const V third = v_up(n == 2 * st ? before[u] : v_load(z[u] + (n - 1 - 2 * st) * step), other[u]);
      T* const p = z[u] + (st - 1) * step;
      v_store(p, v_fnma(v_load(rows + first * VW), before[u], v_fnma(v_load(rows + (first + 1) * VW), third, v_load(p))));
      far[u] = before[u];
    }
    for (uint32_t k = 3 * st - 1; k < n; k += 2 * st) {
      MR_EACH(u) {
        const V near = v_load(z[u] + (k - st) * step);
        T* const p = z[u] + k * step;
        v_store(p, v_fnma(c, near, v_fnma(d, far[u], v_load(p))));
        far[u] = near;
      }
    }
  }
}

MR_INLINE void shifted(T* const* x, size_t by, T** z, const uint32_t count) { MR_EACH(u) z[u] = x[u] + by; }

/* Numerator and the first level, then the others. `local` holds the solution over the lanes from rest. */
MR_INLINE void cr_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  const V b0 = MR_ROW(MR_B0), b1 = MR_ROW(MR_B1), b2 = MR_ROW(MR_B2);
  const V e = v_load(MR_LEVEL(0) + MR_LEVEL_E * VW), rho = v_load(MR_LEVEL(0) + MR_LEVEL_RHO * VW);
  V x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS], before[MR_MOST_CHAINS];
  input_history(x, step, N, history, x1, x2, count);
  MR_EACH(u) {
    const V last2 = v_load(x[u] + (N - 1) * step), last1 = v_load(x[u] + (N - 2) * step);
    const V last0 = N > 2 ? v_load(x[u] + (N - 3) * step) : x1[u];
    before[u] = v_up(v_fma(b0, last2, v_fma(b1, last1, v_mul(b2, last0))), v_set1(0));
  }
  for (uint32_t m = 0; m < N; m += 2) {
    MR_EACH(u) {
      T* const p = x[u] + m * step;
      const V xa = v_load(p), xb = v_load(p + step);
      const V va = v_fma(b0, xa, v_fma(b1, x1[u], v_mul(b2, x2[u]))), vb = v_fma(b0, xb, v_fma(b1, xa, v_mul(b2, x1[u])));
      const V za = v_fnma(rho, before[u], va);
      v_store(p, za);
      v_store(p + step, v_fnma(e, za, vb));
      before[u] = vb;
      x2[u] = xa;
      x1[u] = xb;
    }
  }
  T* odd[MR_MOST_CHAINS];
  shifted(x, step, odd, count);
  cr_reduce(table, odd, 2 * step, N / 2, 1, count);
  MR_EACH(u) {
    v_store(local + 2 * u * VW, cr_terminal(table, x[u] + (N - 1) * step));
    v_store(local + (2 * u + 1) * VW, v_set1(0));
  }
}

/* y[-2] of the next column is known only when this one is done: one after the other. */
MR_INLINE void cr_homogeneous(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  MR_EACH(u) {
    const T* power = table + (MR_BLOCK_POWER + 2) * VW;
    const V last = v_fma(v_load(power), carry[0], v_fma(v_load(power + VW), carry[1], v_load(local + 2 * u * VW)));
    v_store(x[u] + (N - 1) * step, last);
    cr_back(table, x + u, step, N, 0, MR_LEVEL_ODD_C, carry + 1, carry, 1);
    carry[0] = v_last(v_load(x[u] + (N - 2) * step));
    carry[1] = v_last(last);
  }
}

/* Five taps of the numerator times A(-z). */
MR_INLINE V five_taps(const V* n, V x0, V x1, V x2, V x3, V x4) {
  return v_fma(n[0], x0, v_fma(n[1], x1, v_fma(n[2], x2, v_fma(n[3], x3, v_mul(n[4], x4)))));
}

MR_INLINE void dtcr_zero(const T* table, T* const* x, size_t step, uint32_t N, V* history, T* local, const uint32_t count) {
  const V n[5] = {MR_ROW(MR_N0), MR_ROW(MR_N1), MR_ROW(MR_N2), MR_ROW(MR_N3), MR_ROW(MR_N4)};
  V x1[MR_MOST_CHAINS], x2[MR_MOST_CHAINS], x3[MR_MOST_CHAINS], x4[MR_MOST_CHAINS];
  MR_EACH(u) {
    x3[u] = v_up(v_load(x[u] + (N - 3) * step), v_set1(0));
    x4[u] = v_up(v_load(x[u] + (N - 4) * step), v_set1(0));
  }
  input_history(x, step, N, history, x1, x2, count);
  for (uint32_t m = 0; m < N; m += 2) {
    /* lane 0 of the first two blocks has no outputs before it that the fold could take in */
    const V n0[5] = {n[0], m ? n[1] : MR_ROW(MR_FIRST), m ? n[2] : MR_ROW(MR_FIRST + 1), n[3], n[4]};
    const V n1[5] = {n[0], n[1], m ? n[2] : MR_ROW(MR_SECOND), m ? n[3] : MR_ROW(MR_SECOND + 1), n[4]};
    MR_EACH(u) {
      T* const p = x[u] + m * step;
      const V xa = v_load(p), xb = v_load(p + step);
      v_store(p, five_taps(n0, xa, x1[u], x2[u], x3[u], x4[u]));
      v_store(p + step, five_taps(n1, xb, xa, x1[u], x2[u], x3[u]));
      x4[u] = x2[u];
      x3[u] = x1[u];
      x2[u] = xa;
      x1[u] = xb;
    }
  }
  T* odd[MR_MOST_CHAINS];
  shifted(x, step, odd, count);
  cr_reduce(table, x, 2 * step, N / 2, 1, count);
  cr_reduce(table, odd, 2 * step, N / 2, 1, count);
  MR_EACH(u) {
    v_store(local + 2 * u * VW, cr_terminal(table, x[u] + (N - 2) * step));
    v_store(local + (2 * u + 1) * VW, cr_terminal(table, x[u] + (N - 1) * step));
  }
}

MR_INLINE void dtcr_homogeneous(const T* table, T* const* x, size_t step, uint32_t N, const T* local, V* carry, const uint32_t count) {
  V z0[MR_MOST_CHAINS], z1[MR_MOST_CHAINS], older[MR_MOST_CHAINS], newer[MR_MOST_CHAINS];
  MR_EACH(u) {
    older[u] = carry[0];
    newer[u] = carry[1];
    z0[u] = v_load(local + 2 * u * VW);
    z1[u] = v_load(local + (2 * u + 1) * VW);
    add_product(table + MR_BLOCK_POWER * VW, older[u], newer[u], &z0[u], &z1[u]);
    carry[0] = v_last(z0[u]);
    carry[1] = v_last(z1[u]);
  }
  store_pairs(x, step, N, z0, z1, count);
  T* odd[MR_MOST_CHAINS];
  shifted(x, step, odd, count);
  cr_back(table, x, 2 * step, N / 2, 1, MR_LEVEL_EVEN_C, older, newer, count);
  cr_back(table, odd, 2 * step, N / 2, 1, MR_LEVEL_ODD_C, newer, older, count);
}
