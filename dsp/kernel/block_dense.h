/* A cascade as one matrix over blocks of samples: outputs and states from inputs and states. Part of the text of block_kernels.h.
   SPDX-License-Identifier: ISC

   Four vectors of rows at a time; sums over inputs, even states and odd states apart, so that a block waits for the one before for
   half its states only. */

/* Rows r .. r + count - 1, in vectors. */
MR_INLINE void dense_rows(const T* matrix, uint32_t rows, uint32_t r, const T* from, uint32_t inputs, uint32_t states, T* to,
                          const uint32_t count) {
  V of_inputs[4], even[4], odd[4];
  const T* column = matrix + (size_t)r * VW;
  MR_EACH(u) of_inputs[u] = even[u] = odd[u] = v_set1(0);
  for (uint32_t j = 0; j < inputs; j++) {
    const V a = v_set1(from[j]);
    MR_EACH(u) of_inputs[u] = v_fma(a, v_load(column + (size_t)j * rows + u * VW), of_inputs[u]);
  }
  column += (size_t)MR_DENSE_BLOCK * rows;
  for (uint32_t j = 0; j < states; j += 2, column += 2 * (size_t)rows) {
    const V a = v_set1(from[MR_DENSE_BLOCK + j]), b = v_set1(from[MR_DENSE_BLOCK + j + 1]);
    MR_EACH(u) even[u] = v_fma(a, v_load(column + u * VW), even[u]);
    MR_EACH(u) odd[u] = v_fma(b, v_load(column + rows + u * VW), odd[u]);
  }
  MR_EACH(u) v_store(to + (r + u) * VW, v_add(of_inputs[u], v_add(even[u], odd[u])));
}

/* Inputs that rows r .. r + count - 1 have anything of: no output has of later ones. */
static uint32_t dense_inputs(uint32_t r, uint32_t count) {
  const uint32_t end = (r + count) * VW;
  return end < MR_DENSE_BLOCK ? end : MR_DENSE_BLOCK;
}

static void dense(const void* in, void* out, uint32_t blocks, const void* matrix, uint32_t rows, uint32_t states, void* state) {
  _Alignas(64) T vector[2][MR_DENSE_BLOCK + MR_DENSE_STATES];
  const uint32_t vectors = rows / VW;
  T *from = vector[0], *to = vector[1];
  memcpy(from + MR_DENSE_BLOCK, state, states * sizeof(T));
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t r = 0;
    memcpy(from, (const T*)in + b * (size_t)MR_DENSE_BLOCK, MR_DENSE_BLOCK * sizeof(T));
    for (; r + 4 <= vectors; r += 4) dense_rows(matrix, rows, r, from, dense_inputs(r, 4), states, to, 4);
    if (r + 2 <= vectors) dense_rows(matrix, rows, r, from, dense_inputs(r, 2), states, to, 2), r += 2;
    if (r < vectors) dense_rows(matrix, rows, r, from, dense_inputs(r, 1), states, to, 1);
    memcpy((T*)out + b * (size_t)MR_DENSE_BLOCK, to, MR_DENSE_BLOCK * sizeof(T));
    T* other = from;
    from = to;
    to = other;
  }
  memcpy(state, from + MR_DENSE_BLOCK, states * sizeof(T));
}
