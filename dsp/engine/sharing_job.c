/* Running the parts of a job.
   SPDX-License-Identifier: ISC */
#include "sharing_job.h"

#include <math.h>
#include <string.h>

#include "../kernel/bounds.h"
#include "few_channels.h"

void (*mr_sharing_interrupt)(void);

double* mr_job_samples(const MrBlockJob* job, const MrPart* part, uint32_t who) {
  return job->x[who] + ((size_t)(part->stage * job->tiles + part->tile) * MR_SHARED_FRAMES + part->frame) * MR_LANES;
}

double* mr_job_states(const MrBlockJob* job, uint32_t chunk, uint32_t tile, uint32_t who) {
  return job->later[who] + (size_t)(chunk * job->tiles + tile) * job->capacity * MR_STATE_STRIDE;
}

static void route_lane(const MrBlockJob* job, uint32_t channel, uint32_t frame, uint32_t n, double* lane) {
  for (uint32_t i = channel ? job->route_end[channel - 1] : 0; i < job->route_end[channel]; i++) {
    const double gain = job->route[i].gain;
    const char* from = mr_buffers_input(&job->in, job->route[i].source);
    for (uint32_t f = 0; f < n; f++)
      lane[f * MR_LANES] +=
          gain * (job->in.is_double ? ((const double*)(const void*)from)[frame + f] : (double)((const float*)(const void*)from)[frame + f]);
  }
}

void mr_job_load(const MrBlockJob* job, uint32_t t, uint32_t frame, uint32_t n, double* x) {
  const MrTile* tile = &job->tile[t];
  if (!tile->routed || !job->in.in) {
    mr_buffers_load(&job->in, job->kernels, tile, frame, n, x);
    return;
  }
  memset(x, 0, n * MR_LANES * sizeof *x);
  for (uint32_t l = 0; l < tile->lanes; l++) route_lane(job, tile->first + l, frame, n, x + l);
}

/* Samples of one call: a cell of a tile, or a run of few channels. */
typedef struct Piece {
  uint32_t tile, frame, n, width; /* frame f of lane l is x[f * width + l] */
  bool few;
  double* x;
} Piece;

static uint32_t winner(const MrBlockJob* job, uint32_t part) {
  return atomic_load_explicit(&job->status[part], memory_order_acquire) == MR_DONE_BY_WORKER ? 0 : 1;
}

static void take_input(const MrBlockJob* job, const MrPart* part, const Piece* piece) {
  if (part->lower != MR_NO_PART) {
    const double* from =
        mr_job_samples(job, &job->part[part->lower], winner(job, part->lower)) + (size_t)(piece->frame - part->frame) * piece->width;
    memcpy(piece->x, from, (size_t)piece->n * piece->width * sizeof *from);
    return;
  }
  if (piece->few)
    mr_few_load_f64(&job->in, job->tile[piece->tile].first, job->tile[piece->tile].lanes, piece->frame, piece->n, piece->x);
  else
    mr_job_load(job, piece->tile, piece->frame, piece->n, piece->x);
  if (job->mid_side) mr_side_encode(piece->x, piece->width, piece->n);
}

static void filter(const MrBlockJob* job, const MrPart* part, const Piece* piece, double* state) {
  const MrTile* tile = &job->tile[piece->tile];
  const double* coef = tile->coef + (size_t)part->section * MR_COEF_STRIDE;
  if (!part->sections) return;
  if (piece->few)
    job->kernels->run_chains(piece->x, piece->width, piece->n, coef, state, part->sections, tile->lanes);
  else
    mr_schedule_run(job->schedule, job->kernels, piece->x, piece->n, coef, state, part->sections, tile->lanes);
}

/* At the ends of cells, as an engine looks. */
static bool is_poisoned(const MrBlockJob* job, const Piece* piece) {
  const uint32_t at = (job->at + piece->frame) % MR_CELL, lanes = job->tile[piece->tile].lanes;
  for (size_t f = MR_CELL - 1 - at; f < piece->n; f += MR_CELL)
    for (uint32_t l = 0; l < lanes; l++)
      if (!(fabs(piece->x[f * piece->width + l]) < (double)MR_POISON)) return true;
  return false;
}

static void finish(MrBlockJob* job, const MrPart* part, const Piece* piece, const MrBuffers* out, uint32_t first) {
  const MrTile* tile = &job->tile[piece->tile];
  if (tile->sections && is_poisoned(job, piece)) atomic_store_explicit(&job->troubled[piece->tile], true, memory_order_relaxed);
  if (job->mid_side) mr_side_decode(piece->x, piece->width, piece->n);
  if (mr_job_is_delayed(job, part->tile)) return;
  for (size_t i = 0; i < (size_t)piece->n * piece->width && job->gain != 1; i++) piece->x[i] *= job->gain;
  if (piece->few)
    mr_few_store_f64(out, tile->first, tile->lanes, first + piece->frame, piece->n, piece->x, tile->gain);
  else
    mr_buffers_store(out, job->kernels, tile, first + piece->frame, piece->n, piece->x, tile->gain);
}

/* Frames of the next call, from frame f of the job on. */
static uint32_t piece_frames(const MrBlockJob* job, const MrPart* part, uint32_t f) {
  const uint32_t rest = part->frame + part->n - f, to_end = MR_CELL - (job->at + f) % MR_CELL;
  const uint32_t most = job->few[part->tile] ? mr_schedule_few_most(job->tile[part->tile].lanes) : to_end;
  return rest < most ? rest : most;
}

bool mr_job_run_part(MrBlockJob* job, const MrPart* part, uint32_t who, const MrBuffers* out, uint32_t first, const atomic_uchar* done) {
  _Alignas(MR_ALIGN) double scratch[MR_FEW_SAMPLES];
  const uint32_t t = part->tile;
  const bool kept = !part->last || mr_job_is_delayed(job, t), few = job->few[t];
  const size_t bytes = (size_t)part->sections * MR_STATE_STRIDE * sizeof(double), place = (size_t)part->section * MR_STATE_STRIDE;
  double* state = mr_job_states(job, part->chunk, t, who) + place;
  const double* before =
      part->earlier == MR_NO_PART ? job->tile[t].state : mr_job_states(job, part->chunk - 1, t, winner(job, part->earlier));
  memcpy(state, before + place, bytes);
  Piece piece = {.tile = t, .frame = part->frame, .few = few, .width = few ? job->tile[t].lanes : MR_LANES};
  for (; piece.frame < part->frame + part->n; piece.frame += piece.n) {
    if (done && atomic_load_explicit(done, memory_order_relaxed) != MR_PART_OPEN) return false;
    piece.n = piece_frames(job, part, piece.frame);
    piece.x = kept ? mr_job_samples(job, part, who) + (size_t)(piece.frame - part->frame) * piece.width : scratch;
    take_input(job, part, &piece);
    filter(job, part, &piece, state);
    if (who == 0 && mr_sharing_interrupt) mr_sharing_interrupt();
    if (part->last) finish(job, part, &piece, out, first);
  }
  return true;
}
