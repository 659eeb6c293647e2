/* A cascade of one channel run by multi-block kernels.
   SPDX-License-Identifier: ISC */
#include "block_cascade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block_tables.h"
#include "bounds.h"
#include "fpmode.h"
#include "kernel.h"

/* Samples of a tile: with its tables it stays in a first-level cache of 32 KiB. */
#define TILE_BYTES 16384u

struct MrBlockCascade {
  const MrBlockKernels* kernels;
  MrBlockFamily family;
  uint32_t sections, lanes, blocks, tile_groups;
  size_t size;                           /* of a sample */
  size_t table_bytes[MR_BLOCK_FAMILIES]; /* of one section */
  char* table[MR_BLOCK_FAMILIES];        /* NULL where the family is not among those asked for */
  char *state, *x, *local, *t, *carry;   /* state[sections][MR_BLOCK_STATE] */
  double output[2];                      /* the last two, older first */
  char* kept;                            /* a copy of the state */
  double kept_output[2];
  MrSection* section;
  double (*direct)[2]; /* transposed direct form 2 of each section, while `direct_samples` are still to be run in it */
  uint32_t direct_samples;
};

static double get(const MrBlockCascade* c, const void* p, size_t i) {
  return c->kernels->single ? (double)((const float*)p)[i] : ((const double*)p)[i];
}

static void set(const MrBlockCascade* c, void* p, size_t i, double value) {
  if (c->kernels->single)
    ((float*)p)[i] = (float)value;
  else
    ((double*)p)[i] = value;
}

static char* state_of(const MrBlockCascade* c, uint32_t k) { return c->state + (size_t)k * MR_BLOCK_STATE * c->size; }
static const char* table_of(const MrBlockCascade* c, uint32_t k) { return c->table[c->family] + k * c->table_bytes[c->family]; }

static bool carries_states(MrBlockFamily family) { return family == MR_BLOCK_PH_STATES || family == MR_BLOCK_SSPH; }

/* ---- making */

static void* aligned(size_t bytes) {
  void* p = aligned_alloc(MR_ALIGN, (bytes + MR_ALIGN - 1) / MR_ALIGN * MR_ALIGN);
  if (p) memset(p, 0, bytes);
  return p;
}

static MrStatus make_tables(MrBlockCascade* c, MrBlockFamily family) {
  c->table_bytes[family] = mr_block_table_size(family, c->kernels->width, c->blocks) * c->size;
  c->table[family] = aligned(c->table_bytes[family] * c->sections);
  if (!c->table[family]) return MR_ERR_MEMORY;
  MrStatus status = MR_OK;
  for (uint32_t k = 0; k < c->sections && status == MR_OK; k++)
    status = mr_block_table_fill(c->kernels, family, &c->section[k], c->lanes, c->blocks, c->table[family] + k * c->table_bytes[family]);
  return status;
}

static MrStatus make(MrBlockCascade* c, const MrBlockOptions* options, const MrSection* section, uint32_t n) {
  c->kernels = options->kernels ? options->kernels : mr_block_kernels_choose(options->cpu_level, options->single);
  if (!c->kernels || !section || !n || !options->families || options->families >> MR_BLOCK_FAMILIES) return MR_ERR_ARGUMENT;
  c->size = c->kernels->single ? sizeof(float) : sizeof(double);
  c->sections = n;
  c->lanes = options->lanes ? options->lanes : c->kernels->width;
  c->blocks = options->blocks;
  if (c->lanes > MR_BLOCK_MAX_WIDTH * 8 || c->blocks > MR_BLOCK_MAX) return MR_ERR_RANGE;
  const size_t group = (size_t)c->lanes * c->blocks * c->size;
  c->tile_groups = group && group < TILE_BYTES ? (uint32_t)(TILE_BYTES / group) : 1;
  c->section = malloc(n * sizeof *section);
  c->direct = calloc(n, sizeof *c->direct);
  c->state = aligned((size_t)n * MR_BLOCK_STATE * c->size);
  c->kept = aligned((size_t)n * MR_BLOCK_STATE * c->size);
  c->x = aligned(c->tile_groups * group);
  c->local = aligned((size_t)c->tile_groups * c->lanes * 2 * c->size);
  c->t = aligned((size_t)c->tile_groups * 2 * c->size);
  c->carry = aligned(((size_t)c->tile_groups + 1) * 2 * c->size);
  if (!c->section || !c->direct || !c->state || !c->kept || !c->x || !c->local || !c->t || !c->carry) return MR_ERR_MEMORY;
  memcpy(c->section, section, n * sizeof *section);
  MrStatus status = MR_OK;
  for (uint32_t family = MR_BLOCK_FAMILIES; family-- > 0 && status == MR_OK;) {
    if (!(options->families >> family & 1)) continue;
    status = make_tables(c, (MrBlockFamily)family);
    c->family = (MrBlockFamily)family;
  }
  return status;
}

MrBlockCascade* mr_block_cascade_new(const MrBlockOptions* options, const MrSection* section, uint32_t n, MrStatus* status) {
  MrBlockCascade* c = calloc(1, sizeof *c);
  *status = c ? make(c, options, section, n) : MR_ERR_MEMORY;
  if (*status == MR_OK) return c;
  mr_block_cascade_free(c);
  return NULL;
}

void mr_block_cascade_free(MrBlockCascade* cascade) {
  if (!cascade) return;
  for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++) free(cascade->table[family]);
  free(cascade->state);
  free(cascade->kept);
  free(cascade->x);
  free(cascade->local);
  free(cascade->t);
  free(cascade->carry);
  free(cascade->section);
  free(cascade->direct);
  free(cascade);
}

void mr_block_cascade_reset(MrBlockCascade* cascade) {
  memset(cascade->state, 0, (size_t)cascade->sections * MR_BLOCK_STATE * cascade->size);
  cascade->output[0] = cascade->output[1] = 0;
  cascade->direct_samples = 0;
}

/* ---- change of family */

/* What transposed direct form 2 would hold after these inputs and outputs. */
static void direct_from_history(const MrSection* q, const double x[2], const double y[2], double direct[2]) {
  const MrBiquad b = mr_section_to_biquad(q);
  direct[0] = b.b1 * x[1] + b.b2 * x[0] - b.a1 * y[1] - b.a2 * y[0];
  direct[1] = b.b2 * x[1] - b.a2 * y[1];
}

/* The state (w, d) of least size (as the state-variable filter measures it) whose response without input is that of direct form 2. */
static void states_from_direct(const MrSection* q, const double direct[2], double state[2]) {
  /* the first output is s1, the second s2 - a1 s1 */
  const double first = direct[0], rise = direct[1] - (1 + mr_section_to_biquad(q).a1) * direct[0];
  const double G = 0.5 * q->s, F = 0.5 * sqrt(q->s * (4 - q->s - 2 * q->P));
  const double c2 = q->e1 / q->s, c1 = (q->e2 + c2 * G) / F;
  /* rows: the output, and its rise over one step */
  const double r1 = -c1 * (G + q->P) + c2 * F, r2 = -c1 * F - c2 * G;
  const double n0 = hypot(c1, c2), n1 = hypot(r1, r2), det = c1 * r2 - c2 * r1;
  state[0] = state[1] = 0;
  if (n0 == 0) return;
  if (fabs(det) > 1e-9 * n0 * n1) {
    state[0] = (first * r2 - rise * c2) / det;
    state[1] = (c1 * rise - r1 * first) / det;
  } else {
    state[0] = first * c1 / (n0 * n0);
    state[1] = first * c2 / (n0 * n0);
  }
  mr_block_states_from_svf(q, state);
}

/* The last two samples of what goes into section k; of the output for k = sections. */
static void get_stream(const MrBlockCascade* c, uint32_t k, double last[2]) {
  for (uint32_t i = 0; i < 2; i++) last[i] = k < c->sections ? get(c, state_of(c, k), i) : c->output[i];
}

static void get_states(const MrBlockCascade* c, uint32_t k, double pair[2]);

static void get_direct(const MrBlockCascade* c, uint32_t k, double direct[2]) {
  if (c->direct_samples) {
    memcpy(direct, c->direct[k], sizeof c->direct[k]);
  } else if (carries_states(c->family)) {
    const MrSection* q = &c->section[k];
    double state[2];
    get_states(c, k, state);
    const double w = state[0], d = state[1], step = d - q->s * w - q->P * d; /* (w, d) one sample on is (w + step, step) */
    direct[0] = q->e1 * w + q->e2 * d;
    direct[1] = q->e1 * (w + step) + q->e2 * step + mr_section_to_biquad(q).a1 * direct[0];
  } else {
    double x[2], y[2];
    get_stream(c, k, x);
    get_stream(c, k + 1, y);
    direct_from_history(&c->section[k], x, y, direct);
  }
}

/* (w, d) of section k, or of least size. */
static void get_states(const MrBlockCascade* c, uint32_t k, double pair[2]) {
  double direct[2];
  for (uint32_t i = 0; i < 2; i++) pair[i] = get(c, state_of(c, k), 2 + i);
  if (c->family == MR_BLOCK_SSPH) mr_block_states_from_svf(&c->section[k], pair);
  if (carries_states(c->family)) return;
  get_direct(c, k, direct);
  states_from_direct(&c->section[k], direct, pair);
}

static void set_states(MrBlockCascade* c, uint32_t k, MrBlockFamily family, double pair[2]) {
  if (family == MR_BLOCK_SSPH) mr_block_states_to_svf(&c->section[k], pair);
  for (uint32_t i = 0; i < 2; i++) set(c, state_of(c, k), 2 + i, pair[i]);
}

void mr_block_cascade_choose(MrBlockCascade* c, MrBlockFamily family) {
  for (uint32_t k = 0; k < c->sections; k++) {
    double pair[2];
    if (carries_states(family)) {
      get_states(c, k, pair);
      set_states(c, k, family, pair);
    } else if (carries_states(c->family)) {
      get_stream(c, k + 1, pair);
      for (uint32_t i = 0; i < 2; i++) set(c, state_of(c, k), 2 + i, pair[i]);
    }
  }
  if (carries_states(family)) c->direct_samples = 0;
  c->family = family;
}

void mr_block_cascade_get_direct(const MrBlockCascade* cascade, double (*state)[2]) {
  for (uint32_t k = 0; k < cascade->sections; k++) get_direct(cascade, k, state[k]);
}

void mr_block_cascade_set_direct(MrBlockCascade* cascade, const double (*state)[2]) {
  memcpy(cascade->direct, state, cascade->sections * sizeof *state);
  cascade->direct_samples = carries_states(cascade->family) ? 0 : 2;
  for (uint32_t k = 0; k < cascade->sections && carries_states(cascade->family); k++) {
    double pair[2];
    states_from_direct(&cascade->section[k], state[k], pair);
    set_states(cascade, k, cascade->family, pair);
  }
}

/* ---- running */

static void keep_output(MrBlockCascade* c, const void* x, size_t n) {
  if (!n) return;
  c->output[0] = n > 1 ? get(c, x, n - 2) : c->output[1];
  c->output[1] = get(c, x, n - 1);
}

static void section_superposed(MrBlockCascade* c, uint32_t k, const MrBlockShape* shape) {
  const MrBlockKernels* kernels = c->kernels;
  char* state = state_of(c, k);
  const MrBlockShape one = {shape->lanes, shape->blocks, 1};
  const size_t group_bytes = (size_t)shape->lanes * shape->blocks * c->size, local_bytes = (size_t)shape->lanes * 2 * c->size;
  kernels->zero[c->family](c->x, shape, table_of(c, k), state, c->local);
  kernels->local_carry(c->local, shape, table_of(c, k), c->t);
  memcpy(c->carry, state + 2 * c->size, 2 * c->size);
  kernels->global_carry(c->t, shape, table_of(c, k), c->carry);
  for (uint32_t g = shape->groups; g-- > 0;) { /* in any order: each has its carry */
    _Alignas(double) char inherited[MR_BLOCK_STATE * sizeof(double)] = {0};
    memcpy(inherited + 2 * c->size, c->carry + 2 * g * c->size, 2 * c->size);
    kernels->homogeneous[c->family](c->x + g * group_bytes, &one, table_of(c, k), c->local + g * local_bytes, inherited);
  }
  memcpy(state + 2 * c->size, c->carry + 2 * shape->groups * c->size, 2 * c->size);
}

static void run_tile(MrBlockCascade* c, const void* in, void* out, uint32_t groups, bool superposed) {
  const MrBlockShape shape = {c->lanes, c->blocks, groups};
  c->kernels->permute(in, c->x, &shape);
  if (superposed && c->family != MR_BLOCK_CR) {
    for (uint32_t k = 0; k < c->sections; k++) section_superposed(c, k, &shape);
  } else {
    c->kernels->run[c->family](c->x, &shape, table_of(c, 0), c->table_bytes[c->family], c->state, c->sections);
  }
  c->kernels->depermute(c->x, out, &shape);
}

/* A state that is not finite would stay so. */
static void start_afresh_if_lost(MrBlockCascade* c) {
  bool finite = true;
  for (size_t i = 0; i < (size_t)c->sections * MR_BLOCK_STATE; i++) finite &= isfinite(get(c, c->state, i)) != 0;
  finite &= isfinite(c->output[0]) && isfinite(c->output[1]);
  if (!finite) mr_block_cascade_reset(c);
}

/* The first samples after mr_block_cascade_set_direct, until there are histories. */
static void run_direct(MrBlockCascade* c, const void* in, void* out) {
  double u = get(c, in, 0);
  for (uint32_t k = 0; k < c->sections; k++) {
    const MrBiquad q = mr_section_to_biquad(&c->section[k]);
    double* s = c->direct[k];
    const double x = u, y = q.b0 * x + s[0];
    s[0] = q.b1 * x - q.a1 * y + s[1];
    s[1] = q.b2 * x - q.a2 * y;
    char* state = state_of(c, k);
    set(c, state, 0, get(c, state, 1));
    set(c, state, 1, x);
    set(c, state, 2, get(c, state, 3));
    set(c, state, 3, y);
    u = y;
  }
  set(c, out, 0, u);
  c->direct_samples--;
}

static void run(MrBlockCascade* c, const void* in, void* out, size_t n, bool superposed) {
  const MrFpMode host = mr_fpmode_enter();
  const size_t group = (size_t)c->lanes * c->blocks;
  const char* from = in;
  char* to = out;
  const size_t all = n;
  for (; n && c->direct_samples; n--, from += c->size, to += c->size) run_direct(c, from, to);
  while (group && n >= group) {
    const size_t fits = n / group;
    const uint32_t groups = fits < c->tile_groups ? (uint32_t)fits : c->tile_groups;
    run_tile(c, from, to, groups, superposed);
    from += groups * group * c->size;
    to += groups * group * c->size;
    n -= groups * group;
  }
  if (n && to != from) memcpy(to, from, n * c->size);
  for (uint32_t k = 0; k < c->sections && n; k++) c->kernels->single_samples[c->family](to, n, table_of(c, k), state_of(c, k));
  keep_output(c, out, all);
  start_afresh_if_lost(c);
  mr_fpmode_leave(host);
}

void mr_block_cascade_run_stage(MrBlockCascade* c, uint32_t first, uint32_t count, void* x, uint32_t groups) {
  if (!groups || !count) return;
  const MrBlockShape shape = {c->lanes, c->blocks, groups};
  c->kernels->run[c->family](x, &shape, table_of(c, first), c->table_bytes[c->family], state_of(c, first), count);
  if (first + count < c->sections) return;
  const size_t end = (size_t)groups * c->lanes * c->blocks; /* the last samples are the last lane's */
  c->output[0] = get(c, x, end - 1 - c->lanes);
  c->output[1] = get(c, x, end - 1);
}

void mr_block_cascade_run_groups(MrBlockCascade* c, void* x, uint32_t groups) {
  if (!groups) return;
  const MrFpMode host = mr_fpmode_enter();
  mr_block_cascade_run_stage(c, 0, c->sections, x, groups);
  start_afresh_if_lost(c);
  mr_fpmode_leave(host);
}

void mr_block_cascade_keep(MrBlockCascade* c) {
  memcpy(c->kept, c->state, (size_t)c->sections * MR_BLOCK_STATE * c->size);
  memcpy(c->kept_output, c->output, sizeof c->output);
}

void mr_block_cascade_go_back(MrBlockCascade* c) {
  memcpy(c->state, c->kept, (size_t)c->sections * MR_BLOCK_STATE * c->size);
  memcpy(c->output, c->kept_output, sizeof c->output);
}

static uint32_t condition_of(double value) {
  return (isfinite(value) ? 0u : MR_BLOCK_LOST) | (fabs(value) < (double)MR_SILENCE ? 0u : MR_BLOCK_LOUD) |
         (value == 0 && !signbit(value) ? 0u : MR_BLOCK_HELD);
}

uint32_t mr_block_cascade_condition(const MrBlockCascade* c, uint32_t first, uint32_t count) {
  uint32_t found = 0;
  for (size_t i = (size_t)first * MR_BLOCK_STATE; i < (size_t)(first + count) * MR_BLOCK_STATE; i++)
    found |= condition_of(get(c, c->state, i));
  for (uint32_t i = 0; i < 2 && count && first + count == c->sections; i++) found |= condition_of(c->output[i]);
  return found;
}

/* The output lies behind the states. */
static size_t output_place(const MrBlockCascade* c) { return (size_t)c->sections * MR_BLOCK_STATE * c->size; }

size_t mr_block_cascade_state_bytes(const MrBlockCascade* c) { return output_place(c) + sizeof c->output; }

void mr_block_cascade_save_stage(const MrBlockCascade* c, uint32_t first, uint32_t count, void* to) {
  const size_t place = (size_t)first * MR_BLOCK_STATE * c->size;
  memcpy((char*)to + place, c->state + place, (size_t)count * MR_BLOCK_STATE * c->size);
  if (count && first + count == c->sections) memcpy((char*)to + output_place(c), c->output, sizeof c->output);
}

void mr_block_cascade_load(MrBlockCascade* c, const void* from) {
  memcpy(c->state, from, output_place(c));
  memcpy(c->output, (const char*)from + output_place(c), sizeof c->output);
}

void mr_block_cascade_settle_silence(MrBlockCascade* c) {
  bool loud = !(fabs(c->output[0]) < (double)MR_SILENCE) || !(fabs(c->output[1]) < (double)MR_SILENCE);
  for (size_t i = 0; i < (size_t)c->sections * MR_BLOCK_STATE && !loud; i++) loud = !(fabs(get(c, c->state, i)) < (double)MR_SILENCE);
  if (!loud) mr_block_cascade_reset(c);
}

void mr_block_cascade_run(MrBlockCascade* cascade, const void* in, void* out, size_t n) { run(cascade, in, out, n, false); }

void mr_block_cascade_run_superposed(MrBlockCascade* cascade, const void* in, void* out, size_t n) { run(cascade, in, out, n, true); }
