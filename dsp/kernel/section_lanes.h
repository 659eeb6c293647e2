/* Sections in lanes: the settled form for few channels. Part of the text of channel_lanes.h, with its expression tree.
   SPDX-License-Identifier: ISC

   A section's recursion is a chain of about seven cycles a frame, so few channels with their sections in series leave the pipes empty. Here
   slot k of a chain of vectors runs section k, MR_SKEW frames behind slot k - 1: a wavefront inside the registers. All slots step at once, each
   result moves one slot up between steps, and n frames of K sections take n + MR_SKEW (K - 1) steps. A slot's state is put in as its first
   frame comes and taken out after its last, so a call leaves nothing behind and the bits are those of any other order. A slot is as wide as
   the channels that share the chain: a power of two of lanes, half a vector at most.

   MR_SKEW is 2, not 1, since a result has to pass the multiplications and the move before the next slot can begin. */

#define MR_CHAIN 3u /* vectors that a chain may be long: more would not stay in the registers */

/* Coefficients and first state of neighbouring channels' sections: [vector][row], in slots. */
typedef struct MrChain {
  _Alignas(MR_ALIGN) V coef[MR_CHAIN][MR_SETTLED_ROWS];
  _Alignas(MR_ALIGN) V state[MR_CHAIN][MR_STATE_ROWS];
} MrChain;

/* `width` numbers again and again. */
MR_INLINE V chain_repeat(const T* p, const uint32_t width) {
  V v = v_set1(p[0]);
  MR_UNROLL for (uint32_t i = 1; i < VW; i++) V_LANE(v, i) = p[i % width];
  return v;
}

/* A row of the first `slots` sections, `stride` numbers apart; slots beyond them get `other`. */
MR_INLINE V chain_row(const T* p, uint32_t stride, uint32_t slots, T other, const uint32_t width) {
  V v = v_set1(other);
  MR_UNROLL for (uint32_t i = 0; i < VW; i++) if (i / width < slots) V_LANE(v, i) = p[(i / width) * stride + i % width];
  return v;
}

/* What a chain's slots hold between two steps: their state, their last result and the one before. */
typedef struct MrSlots {
  V w[MR_CHAIN], d[MR_CHAIN], y[MR_CHAIN], late[MR_CHAIN];
} MrSlots;

/* One step of the whole chain; x: the next frame. */
MR_INLINE void chain_step(const T* x, const MrChain* chain, MrSlots* s, const uint32_t width, const uint32_t vectors) {
  V below = chain_repeat(x, width);
  MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
    const V u = v_up(below, s->late[v], width);
    below = s->late[v];
    s->late[v] = s->y[v];
    s->y[v] = settled_step(u, &s->w[v], &s->d[v], (const T*)chain->coef[v], VW);
  }
}

/* A slot of a vector to memory: a lane's number is a constant wherever one is taken, since a lane by a variable goes through memory. */
MR_INLINE void chain_take(V v, uint32_t slot, T* to, const uint32_t width) {
  MR_UNROLL for (uint32_t i = 0; i < VW / width; i++) {
    if (i != slot) continue;
    MR_UNROLL for (uint32_t c = 0; c < width; c++) to[c] = V_LANE(v, i * width + c);
  }
}

#if MR_SINGLE
typedef uint32_t MrLaneMask;
#else
typedef uint64_t MrLaneMask;
#endif

/* All lanes of a slot set: a window on a table that has `width` set words in its middle. */
MR_INLINE V chain_mask(uint32_t slot, const uint32_t width) {
#define MR_SET ((MrLaneMask)-1)
  static const MrLaneMask sliding[4][2 * VW + 8] = {{[VW] = MR_SET},
                                                    {[VW] = MR_SET, MR_SET},
                                                    {[VW] = MR_SET, MR_SET, MR_SET, MR_SET},
                                                    {[VW] = MR_SET, MR_SET, MR_SET, MR_SET, MR_SET, MR_SET, MR_SET, MR_SET}};
#undef MR_SET
  V mask;
  memcpy(&mask, sliding[width < 4 ? width / 2 : width / 4 + 1] + VW - slot * width, sizeof mask);
  return mask;
}

/* n > MR_SKEW (sections - 1) frames of `width` neighbouring channels; width and vectors are constants where this is called. */
MR_INLINE void chain_run(T* x, size_t stride, uint32_t n, const T* coef, T* state, uint32_t sections, const uint32_t width,
                         const uint32_t vectors) {
  static const T identity[MR_SETTLED_ROWS] = {1, 2, 1, 0, 0}; /* s = 1, P = 1, D = 1 */
  const uint32_t slots = VW / width, top = sections - 1;
  MrChain chain;
  MrSlots held;
  MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
    const uint32_t k = v * slots, here = sections - k < slots ? sections - k : slots;
    MR_UNROLL for (uint32_t r = 0; r < MR_SETTLED_ROWS; r++) chain.coef[v][r] =
        chain_row(coef + (size_t)k * COEF_STRIDE + r * LANES, COEF_STRIDE, here, identity[r], width);
    MR_UNROLL for (uint32_t r = 0; r < MR_STATE_ROWS; r++) chain.state[v][r] =
        chain_row(state + (size_t)k * STATE_STRIDE + r * LANES, STATE_STRIDE, here, 0, width);
    held.w[v] = held.d[v] = held.y[v] = held.late[v] = v_set1(0);
  }
  const T* from = x;
  T* to = x;
  MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
    for (uint32_t i = 0; i < slots && v * slots + i <= top; i++) {
      const V mask = chain_mask(i, width);
      held.w[v] = v_select(mask, chain.state[v][0], held.w[v]);
      held.d[v] = v_select(mask, chain.state[v][1], held.d[v]);
      for (uint32_t j = 0; j < MR_SKEW && v * slots + i < top; j++, from += stride) chain_step(from, &chain, &held, width, vectors);
    }
  }
  const uint32_t last = top % slots;
  for (uint32_t f = MR_SKEW * top; f < n; f++, from += stride, to += stride) {
    chain_step(from, &chain, &held, width, vectors);
    chain_take(held.y[vectors - 1], last, to, width);
  }
  from -= stride; /* read again, for slots whose state has been taken */
  MR_UNROLL for (uint32_t v = 0; v < vectors; v++) {
    for (uint32_t i = 0; i < slots && v * slots + i <= top; i++, state += STATE_STRIDE) {
      chain_take(held.w[v], i, state, width);
      chain_take(held.d[v], i, state + LANES, width);
      for (uint32_t j = 0; j < MR_SKEW && v * slots + i < top; j++, to += stride) {
        chain_step(from, &chain, &held, width, vectors);
        chain_take(held.y[vectors - 1], last, to, width);
      }
    }
  }
}

#define MR_CHAIN_CASE(width, vectors)                               \
  case 8 * (width) + (vectors):                                     \
    chain_run(x, stride, n, coef, state, sections, width, vectors); \
    break
#define MR_CHAIN_CASES(width) \
  MR_CHAIN_CASE(width, 1);    \
  MR_CHAIN_CASE(width, 2);    \
  MR_CHAIN_CASE(width, 3)

static __attribute__((noinline)) void chain_dispatch(T* x, size_t stride, uint32_t n, const T* coef, T* state, uint32_t sections,
                                                     uint32_t width, uint32_t vectors) {
  switch (8 * width + vectors) {
    MR_CHAIN_CASES(1);
#if VW >= 4
    MR_CHAIN_CASES(2);
#endif
#if VW >= 8
    MR_CHAIN_CASES(4);
#endif
#if VW >= 16
    MR_CHAIN_CASES(8);
#endif
    default:
      break;
  }
}

/* Channels that a chain takes of `lanes`, fewer than a vector has: the largest power of two. */
MR_INLINE uint32_t chain_width(uint32_t lanes) { return lanes >= 8 ? 8 : lanes >= 4 ? 4 : lanes >= 2 ? 2 : 1; }

/* `lanes` neighbouring channels, fewer than a vector has lanes; n > MR_SKEW (sections - 1). Chains are nearly equal in vectors, not in sections: a vector
   takes as long half full. */
static void run_chains(T* x, size_t stride, uint32_t n, const T* coef, T* state, uint32_t sections, uint32_t lanes) {
  for (uint32_t l = 0, width; l < lanes; l += width) {
    width = chain_width(lanes - l);
    const uint32_t slots = VW / width;
    uint32_t rest = (sections + slots - 1) / slots, k = 0; /* vectors that remain, and the section that comes next */
    for (uint32_t passes = (rest + MR_CHAIN - 1) / MR_CHAIN; passes; passes--) {
      const uint32_t vectors = (rest + passes - 1) / passes, K = vectors * slots < sections - k ? vectors * slots : sections - k;
      chain_dispatch(x + l, stride, n, coef + k * COEF_STRIDE + l, state + k * STATE_STRIDE + l, K, width, vectors);
      k += K;
      rest -= vectors;
    }
  }
}
