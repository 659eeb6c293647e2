/* A renderer's multi-block way: each channel by itself, many of its samples at a time.
   SPDX-License-Identifier: ISC */
#include "blocks.h"

#include <float.h>
#include <math.h>

#include "../kernel/fpmode.h"
#include "../kernel/stream_io.h"
#include "blocks_parts.h"
#include "fast_scale.h"
#include "memory.h"

#define FEW        2u /* with more, a tile's lanes are faster */
#define FEW_SINGLE MR_BLOCK_CHANNELS

#define GROUP MR_BLOCKS_GROUP
/* Frames that are taken, run and given at a time. */
#define PIECE_BYTES 16384u /* of all channels: with a channel's tables they stay in a first-level cache */
#define LEAST       (2 * GROUP)
#define APART       32u /* numbers between the channels' samples, which would fall into the same sets of that cache */

bool mr_blocks_suit(const MrProgram* program, bool single) {
  const MrSide* side = program->side;
  return program->channels <= (single ? FEW_SINGLE : FEW) && program->section_end[program->channels - 1] && !side->route && !side->delays;
}

#define size_of   mr_blocks_size
#define sample_of mr_blocks_sample

static void* tile_of(const MrBlocks* b, void* x, uint32_t c) { return (char*)x + c * b->step * size_of(b); }
static void* in_order_of(const MrBlocks* b, uint32_t c) { return (char*)b->in_order + c * b->step * size_of(b); }
static double gain_of(const MrBlocks* b, uint32_t c) {
  return b->single ? (double)((const float*)b->gain)[c] : ((const double*)b->gain)[c];
}

/* MR_ERR_RANGE for what float32 has no number for. */
static MrStatus set_gain(const MrBlocks* b, uint32_t c, double gain) {
  if (!b->single) {
    ((double*)b->gain)[c] = gain;
    return MR_OK;
  }
  if (!(fabs(gain) <= (double)FLT_MAX)) return MR_ERR_RANGE;
  ((float*)b->gain)[c] = (float)gain;
  return MR_OK;
}

static MrStatus make_channel(MrBlocks* b, const MrProgram* program, uint32_t c) {
  const uint32_t sections = mr_program_sections(program, c);
  b->channel[c].sections = sections;
  if (!sections) return set_gain(b, c, program->gain[c]);
  MrSection* scaled = mr_memory_new(sections, sizeof *scaled);
  if (!scaled) return MR_ERR_MEMORY;
  memcpy(scaled, mr_program_section(program, c, 0), sections * sizeof *scaled);
  const int power = b->single ? mr_fast_scale(mr_program_section(program, c, 0), sections, program->fs, scaled) : 0;
  const MrBlockOptions options = {
      .families = 1u << MR_BLOCK_PH_STATES, .lanes = MR_BLOCKS_LANES, .blocks = MR_BLOCKS_N, .kernels = b->kernels, .single = b->single};
  MrStatus status = MR_OK;
  b->channel[c].cascade = mr_block_cascade_new(&options, scaled, sections, &status);
  free(scaled);
  return status == MR_OK ? set_gain(b, c, ldexp(program->gain[c], power)) : status;
}

/* Enough groups to keep the kernel's columns side by side, and as many as fit. */
static uint32_t piece_of(const MrBlocks* b) {
  const uint32_t fit = PIECE_BYTES / ((uint32_t)size_of(b) * b->channels) / GROUP * GROUP;
  return fit > LEAST ? fit : LEAST;
}

MrBlocks* mr_blocks_new(const MrProgram* program, bool single, bool wide, uint32_t cpu_level, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  const MrBlockKernels* kernels = mr_block_kernels_choose(cpu_level, single);
  if (!kernels) return NULL;
  *status = MR_ERR_MEMORY;
  MrBlocks* b = mr_memory_new(1, sizeof *b);
  if (!b) return NULL;
  *b = (MrBlocks){.channels = program->channels, .single = single, .wide = wide, .kernels = kernels};
  b->piece = piece_of(b);
  b->step = b->piece + APART;
  b->channel = mr_memory_new(b->channels, sizeof *b->channel);
  b->gain = mr_memory_new(b->channels, size_of(b));
  b->x = mr_memory_new(b->channels, b->step * size_of(b));
  b->in_order = mr_memory_new(b->channels, b->step * size_of(b));
  if (b->channel && b->gain && b->x && b->in_order) *status = MR_OK;
  for (uint32_t c = 0; c < b->channels && *status == MR_OK; c++) *status = make_channel(b, program, c);
  if (*status == MR_OK) return b;
  mr_blocks_free(b);
  return NULL;
}

void mr_blocks_free(MrBlocks* b) {
  if (!b) return;
  mr_blocks_unshare(b);
  for (uint32_t c = 0; b->channel && c < b->channels; c++) mr_block_cascade_free(b->channel[c].cascade);
  free(b->channel);
  free(b->gain);
  free(b->x);
  free(b->in_order);
  free(b);
}

uint32_t mr_blocks_sections(const MrBlocks* b) {
  uint32_t most = 0;
  for (uint32_t c = 0; c < b->channels; c++)
    if (b->channel[c].sections > most) most = b->channel[c].sections;
  return most;
}

MrPlan mr_blocks_plan(const MrBlocks* b) {
  const bool fused = b->kernels->fused;
  return (MrPlan){
      .form = "delta DF2",
      .family = "multi-block, PH in states",
      .arithmetic = b->single ? (fused ? "float32, fused" : "float32, unfused")
                    : fused   ? "float64, fused"
                              : "float64, unfused",
      .segments = 1,
      .block_lanes = MR_BLOCKS_LANES,
      .blocks = MR_BLOCKS_N,
      .level = b->kernels->level,
      .lanes = MR_BLOCKS_LANES,
      .tiles = b->channels,
      .sections = mr_blocks_sections(b),
  };
}

void mr_blocks_reset(MrBlocks* b) {
  for (uint32_t c = 0; c < b->channels; c++)
    if (b->channel[c].cascade) mr_block_cascade_reset(b->channel[c].cascade);
}

/* ------------------------------------------------- one channel, in order */

/* n frames of channel c, of a stream that begins with its channel 0. */
static void take_in_order(const MrBlocks* b, uint32_t c, const void* in, uint32_t n) {
  const void* from = (const char*)in + c * sample_of(b);
  void* to = in_order_of(b, c);
  if (b->single && b->wide)
    mr_stream_take_f64_f32(from, b->channels, n, to);
  else if (b->single)
    mr_stream_take_f32_f32(from, b->channels, n, to);
  else if (b->wide)
    mr_stream_take_f64_f64(from, b->channels, n, to);
  else
    mr_stream_take_f32_f64(from, b->channels, n, to);
}

static void give_in_order(const MrBlocks* b, uint32_t c, uint32_t n, void* out) {
  const void* from = in_order_of(b, c);
  void* to = (char*)out + c * sample_of(b);
  if (b->single && b->wide)
    mr_stream_give_f32_f64(from, (float)gain_of(b, c), b->channels, n, to);
  else if (b->single)
    mr_stream_give_f32_f32(from, (float)gain_of(b, c), b->channels, n, to);
  else if (b->wide)
    mr_stream_give_f64_f64(from, gain_of(b, c), b->channels, n, to);
  else
    mr_stream_give_f64_f32(from, gain_of(b, c), b->channels, n, to);
}

/* As an engine does it: a channel whose last output of a cell is poison starts from zero behind it. A group would carry poison to samples before it,
   so cells are run by themselves. */
static uint64_t run_cells(const MrBlocks* b, uint32_t c, uint32_t n) {
  MrBlockCascade* cascade = b->channel[c].cascade;
  uint64_t found = 0;
  for (uint32_t f = 0, cell; f < n; f += cell) {
    cell = n - f < MR_CELL ? n - f : MR_CELL;
    char* x = (char*)in_order_of(b, c) + f * size_of(b);
    mr_block_cascade_run(cascade, x, x, cell);
    if (cell < MR_CELL || !b->kernels->is_poisoned(x + (cell - 1) * size_of(b), 1)) continue;
    mr_block_cascade_reset(cascade);
    found++;
  }
  return found;
}

/* What is left over of the stream behind its groups. */
static uint64_t run_rest(const MrBlocks* b, uint32_t c, const void* in, void* out, uint32_t n) {
  uint64_t found = 0;
  take_in_order(b, c, in, n);
  if (b->channel[c].cascade) found = run_cells(b, c, n);
  give_in_order(b, c, n, out);
  return found;
}

/* ------------------------------------------------- pieces, in groups */

void mr_blocks_take(const MrBlocks* b, const void* in, const MrBlockShape* shape, void* x) {
  if (b->wide)
    b->kernels->take_f64(in, b->channels, x, b->step, shape);
  else
    b->kernels->take_f32(in, b->channels, x, b->step, shape);
}

void mr_blocks_give(const MrBlocks* b, const void* x, const MrBlockShape* shape, void* out) {
  if (b->wide)
    b->kernels->give_f64(x, b->step, b->gain, shape, b->channels, out);
  else
    b->kernels->give_f32(x, b->step, b->gain, shape, b->channels, out);
}

uint64_t mr_blocks_run_channel(const MrBlocks* b, uint32_t c, const void* in, const MrBlockShape* shape, void* x) {
  MrBlockCascade* cascade = b->channel[c].cascade;
  void* tile = tile_of(b, x, c);
  const uint32_t n = shape->groups * GROUP;
  uint64_t found = 0;
  if (!cascade) return 0;
  mr_block_cascade_keep(cascade);
  mr_block_cascade_run_groups(cascade, tile, shape->groups);
  if (b->kernels->is_poisoned(tile, n)) {
    mr_block_cascade_go_back(cascade);
    take_in_order(b, c, in, n);
    found = run_cells(b, c, n);
    b->kernels->permute(in_order_of(b, c), tile, shape);
  }
  mr_block_cascade_settle_silence(cascade);
  return found;
}

uint64_t mr_blocks_run(MrBlocks* b, const void* in, void* out, uint32_t n) {
  const size_t frame = b->channels * sample_of(b);
  const char* from = in;
  char* to = out;
  uint64_t found = 0;
  for (uint32_t piece; n >= GROUP; n -= piece, from += piece * frame, to += piece * frame) {
    piece = n < b->piece ? n / GROUP * GROUP : b->piece;
    const MrBlockShape shape = {MR_BLOCKS_LANES, MR_BLOCKS_N, piece / GROUP};
    mr_blocks_take(b, from, &shape, b->x);
    for (uint32_t c = 0; c < b->channels; c++) found += mr_blocks_run_channel(b, c, from, &shape, b->x);
    mr_blocks_give(b, b->x, &shape, to);
  }
  for (uint32_t c = 0; c < b->channels && n; c++) found += run_rest(b, c, from, to, n);
  return found;
}

MrStatus mr_blocks_process(MrBlocks* b, const void* in, void* out, uint32_t n, uint64_t* troubles) {
  const MrFpMode host = mr_fpmode_enter();
  MrStatus status = MR_OK;
  if (b->flow)
    status = mr_blocks_run_shared(b, in, out, n, troubles);
  else
    *troubles += mr_blocks_run(b, in, out, n);
  mr_fpmode_leave(host);
  return status;
}
