/* A renderer's multi-block way: each channel by itself, many of its samples at a time.
   SPDX-License-Identifier: ISC */
#include "blocks.h"

#include <float.h>
#include <math.h>

#include "../kernel/block_cascade.h"
#include "../kernel/fpmode.h"
#include "../kernel/stream_io.h"
#include "fast_scale.h"
#include "memory.h"

#define FEW        1u /* with more, a tile's lanes are faster */
#define FEW_SINGLE 4u

typedef struct Channel {
  MrBlockCascade* cascade; /* NULL: no sections */
  uint32_t sections;
  double gain;
} Channel;

struct MrBlocks {
  uint32_t channels;
  bool single, wide;
  const MrBlockKernels* kernels;
  Channel* channel;
  void* x; /* [MR_BLOCKS_CHUNK] float or double, as `single` */
};

bool mr_blocks_suit(const MrProgram* program, bool single) {
  const MrSide* side = program->side;
  return program->channels <= (single ? FEW_SINGLE : FEW) && program->section_end[program->channels - 1] && !side->route && !side->delays;
}

static MrStatus make_channel(MrBlocks* b, const MrProgram* program, uint32_t c) {
  const uint32_t sections = mr_program_sections(program, c);
  b->channel[c].gain = program->gain[c];
  b->channel[c].sections = sections;
  if (!sections) return MR_OK;
  MrSection* scaled = mr_memory_new(sections, sizeof *scaled);
  if (!scaled) return MR_ERR_MEMORY;
  memcpy(scaled, mr_program_section(program, c, 0), sections * sizeof *scaled);
  if (b->single)
    b->channel[c].gain = ldexp(program->gain[c], mr_fast_scale(mr_program_section(program, c, 0), sections, program->fs, scaled));
  const MrBlockOptions options = {
      .families = 1u << MR_BLOCK_PH_STATES, .lanes = MR_BLOCKS_LANES, .blocks = MR_BLOCKS_N, .kernels = b->kernels, .single = b->single};
  MrStatus status = MR_OK;
  b->channel[c].cascade = mr_block_cascade_new(&options, scaled, sections, &status);
  free(scaled);
  return status == MR_OK && b->single && !(fabs(b->channel[c].gain) <= FLT_MAX) ? MR_ERR_RANGE : status;
}

MrBlocks* mr_blocks_new(const MrProgram* program, bool single, bool wide, uint32_t cpu_level, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  const MrBlockKernels* kernels = mr_block_kernels_choose(cpu_level, single);
  if (!kernels) return NULL;
  *status = MR_ERR_MEMORY;
  MrBlocks* b = mr_memory_new(1, sizeof *b);
  if (!b) return NULL;
  *b = (MrBlocks){.channels = program->channels, .single = single, .wide = wide, .kernels = kernels};
  b->channel = mr_memory_new(b->channels, sizeof *b->channel);
  b->x = mr_memory_new(MR_BLOCKS_CHUNK, single ? sizeof(float) : sizeof(double));
  if (b->channel && b->x) *status = MR_OK;
  for (uint32_t c = 0; c < b->channels && *status == MR_OK; c++) *status = make_channel(b, program, c);
  if (*status == MR_OK) return b;
  mr_blocks_free(b);
  return NULL;
}

void mr_blocks_free(MrBlocks* b) {
  if (!b) return;
  for (uint32_t c = 0; b->channel && c < b->channels; c++) mr_block_cascade_free(b->channel[c].cascade);
  free(b->channel);
  free(b->x);
  free(b);
}

uint32_t mr_blocks_sections(const MrBlocks* b) {
  uint32_t most = 0;
  for (uint32_t c = 0; c < b->channels; c++)
    if (b->channel[c].sections > most) most = b->channel[c].sections;
  return most;
}

MrCpuLevel mr_blocks_level(const MrBlocks* b) { return b->kernels->level; }
bool mr_blocks_are_fused(const MrBlocks* b) { return b->kernels->fused; }

static bool take(const MrBlocks* b, const void* in, uint32_t n) {
  if (b->single) return b->wide ? mr_stream_take_f64_f32(in, b->channels, n, b->x) : mr_stream_take_f32_f32(in, b->channels, n, b->x);
  return b->wide ? mr_stream_take_f64_f64(in, b->channels, n, b->x) : mr_stream_take_f32_f64(in, b->channels, n, b->x);
}

static void give(const MrBlocks* b, double gain, uint32_t n, void* out) {
  if (b->single && b->wide)
    mr_stream_give_f32_f64(b->x, (float)gain, b->channels, n, out);
  else if (b->single)
    mr_stream_give_f32_f32(b->x, (float)gain, b->channels, n, out);
  else if (b->wide)
    mr_stream_give_f64_f64(b->x, gain, b->channels, n, out);
  else
    mr_stream_give_f64_f32(b->x, gain, b->channels, n, out);
}

static bool is_poison(const MrBlocks* b, uint32_t frame, uint32_t n) {
  bool poison = false;
  for (uint32_t f = frame; f < frame + n; f++) {
    const double x = b->single ? (double)((const float*)b->x)[f] : ((const double*)b->x)[f];
    poison |= !(fabs(x) < MR_STREAM_POISON);
  }
  return poison;
}

static void run(const MrBlocks* b, MrBlockCascade* cascade, uint32_t frame, uint32_t n) {
  void* x = (char*)b->x + (size_t)frame * (b->single ? sizeof(float) : sizeof(double));
  mr_block_cascade_run(cascade, x, x, n);
}

/* A cell with poison is run by itself, and the channel starts from zero behind it. */
static uint64_t run_poisoned(const MrBlocks* b, MrBlockCascade* cascade, uint32_t n) {
  uint64_t found = 0;
  uint32_t clean = 0; /* where what is not yet run begins */
  for (uint32_t f = 0, piece; f < n; f += piece) {
    piece = n - f < MR_CELL ? n - f : MR_CELL;
    if (!is_poison(b, f, piece)) continue;
    run(b, cascade, clean, f - clean);
    run(b, cascade, f, piece);
    mr_block_cascade_reset(cascade);
    clean = f + piece;
    found++;
  }
  run(b, cascade, clean, n - clean);
  return found;
}

uint64_t mr_blocks_process(MrBlocks* b, const void* in, void* out, uint32_t n) {
  const size_t sample = b->wide ? sizeof(double) : sizeof(float);
  uint64_t found = 0;
  const MrFpMode host = mr_fpmode_enter();
  for (uint32_t f = 0, piece; f < n; f += piece) {
    piece = n - f < MR_BLOCKS_CHUNK ? n - f : MR_BLOCKS_CHUNK;
    for (uint32_t c = 0; c < b->channels; c++) {
      const size_t place = ((size_t)f * b->channels + c) * sample;
      MrBlockCascade* cascade = b->channel[c].cascade;
      const bool poison = take(b, (const char*)in + place, piece);
      if (cascade && poison) found += run_poisoned(b, cascade, piece);
      if (cascade && !poison) run(b, cascade, 0, piece);
      if (cascade) mr_block_cascade_settle_silence(cascade);
      give(b, b->channel[c].gain, piece, (char*)out + place);
    }
  }
  mr_fpmode_leave(host);
  return found;
}
