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
  void *x, *y; /* [MR_BLOCKS_CHUNK] float or double, as `single`: in and out */
};

bool mr_blocks_suit(const MrProgram* program, bool single) {
  const MrSide* side = program->side;
  return program->channels <= (single ? FEW_SINGLE : FEW) && program->section_end[program->channels - 1] && !side->route && !side->delays;
}

static size_t size_of(const MrBlocks* b) { return b->single ? sizeof(float) : sizeof(double); }

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
  b->x = mr_memory_new(MR_BLOCKS_CHUNK, size_of(b));
  b->y = mr_memory_new(MR_BLOCKS_CHUNK, size_of(b));
  if (b->channel && b->x && b->y) *status = MR_OK;
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
  free(b->y);
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

static void take(const MrBlocks* b, const void* in, uint32_t n) {
  if (b->single && b->wide)
    mr_stream_take_f64_f32(in, b->channels, n, b->x);
  else if (b->single)
    mr_stream_take_f32_f32(in, b->channels, n, b->x);
  else if (b->wide)
    mr_stream_take_f64_f64(in, b->channels, n, b->x);
  else
    mr_stream_take_f32_f64(in, b->channels, n, b->x);
}

static void give(const MrBlocks* b, double gain, uint32_t n, void* out) {
  if (b->single && b->wide)
    mr_stream_give_f32_f64(b->y, (float)gain, b->channels, n, out);
  else if (b->single)
    mr_stream_give_f32_f32(b->y, (float)gain, b->channels, n, out);
  else if (b->wide)
    mr_stream_give_f64_f64(b->y, gain, b->channels, n, out);
  else
    mr_stream_give_f64_f32(b->y, gain, b->channels, n, out);
}

static bool is_poisoned(const MrBlocks* b, uint32_t frame, uint32_t n) {
  return b->single ? mr_stream_is_poisoned_f32((const float*)b->y + frame, n) : mr_stream_is_poisoned_f64((const double*)b->y + frame, n);
}

static void run(const MrBlocks* b, MrBlockCascade* cascade, uint32_t frame, uint32_t n) {
  const size_t offset = frame * size_of(b);
  mr_block_cascade_run(cascade, (const char*)b->x + offset, (char*)b->y + offset, n);
}

/* As an engine does it: a channel whose last output of a cell is poison starts from zero behind it. A group would carry poison to samples before it,
   so cells are run by themselves. */
static uint64_t run_cells(const MrBlocks* b, MrBlockCascade* cascade, uint32_t n) {
  uint64_t found = 0;
  for (uint32_t f = 0, piece; f < n; f += piece) {
    piece = n - f < MR_CELL ? n - f : MR_CELL;
    run(b, cascade, f, piece);
    if (piece < MR_CELL || !is_poisoned(b, f + piece - 1, 1)) continue;
    mr_block_cascade_reset(cascade);
    found++;
  }
  return found;
}

static uint64_t run_channel(const MrBlocks* b, MrBlockCascade* cascade, uint32_t n) {
  uint64_t found = 0;
  mr_block_cascade_keep(cascade);
  run(b, cascade, 0, n);
  if (is_poisoned(b, 0, n)) {
    mr_block_cascade_go_back(cascade);
    found = run_cells(b, cascade, n);
  }
  mr_block_cascade_settle_silence(cascade);
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
      take(b, (const char*)in + place, piece);
      if (cascade)
        found += run_channel(b, cascade, piece);
      else
        memcpy(b->y, b->x, piece * size_of(b));
      give(b, b->channel[c].gain, piece, (char*)out + place);
    }
  }
  mr_fpmode_leave(host);
  return found;
}
