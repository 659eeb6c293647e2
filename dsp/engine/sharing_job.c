/* Running the parts of a job.
   SPDX-License-Identifier: ISC */
#include "sharing_job.h"

#include <math.h>
#include <string.h>

#include "../kernel/bounds.h"
#include "few_channels.h"

void (*mr_sharing_interrupt)(void);

double* mr_job_samples(const MrBlockJob* job, uint32_t layer, const MrPart* part, uint32_t who) {
  return job->layer[layer].x[who] + ((size_t)(part->stage * job->tiles + part->tile) * mr_job_room(layer) + part->frame) * MR_LANES;
}

double* mr_job_states(const MrBlockJob* job, uint32_t layer, uint32_t chunk, uint32_t tile, uint32_t who) {
  return job->layer[layer].slot->later[who] + (size_t)(chunk * job->tiles + tile) * job->layer[layer].capacity * MR_STATE_STRIDE;
}

uint32_t mr_job_winner(const MrBlockJob* job, uint32_t part) {
  return atomic_load_explicit(&job->status[part], memory_order_acquire) == MR_DONE_BY_WORKER ? 0 : 1;
}

bool mr_job_is_late(const MrBlockJob* job, uint32_t t) {
  bool late = false;
  for (uint32_t k = 0; k < job->layers; k++) late |= job->layer[k].tile[t].delay_begin != job->layer[k].tile[t].delay_end;
  return late;
}

static void route_lane(const MrBlockJob* job, const MrLayer* layer, uint32_t channel, uint32_t frame, uint32_t n, double* lane) {
  for (uint32_t i = channel ? layer->route_end[channel - 1] : 0; i < layer->route_end[channel]; i++) {
    const double gain = layer->route[i].gain;
    const char* from = mr_buffers_input(&job->in, layer->route[i].source);
    for (uint32_t f = 0; f < n; f++)
      lane[f * MR_LANES] +=
          gain * (job->in.is_double ? ((const double*)(const void*)from)[frame + f] : (double)((const float*)(const void*)from)[frame + f]);
  }
}

void mr_job_load(const MrBlockJob* job, uint32_t layer, uint32_t t, uint32_t frame, uint32_t n, double* x) {
  const MrLayer* from = &job->layer[layer];
  const MrTile* tile = &from->tile[t];
  if (from->silent) {
    memset(x, 0, n * MR_LANES * sizeof *x);
  } else if (tile->routed && job->in.in) {
    memset(x, 0, n * MR_LANES * sizeof *x);
    for (uint32_t l = 0; l < tile->lanes; l++) route_lane(job, from, tile->first + l, frame, n, x + l);
  } else {
    mr_buffers_load(&job->in, job->kernels, tile, frame, n, x);
  }
  if (layer) job->kernels->ramp(x, n, job->window + frame);
}

/* Samples of one call: a cell of a tile, or a run of few channels. */
typedef struct Piece {
  uint32_t layer, tile, frame, n, width; /* frame f of lane l is x[f * width + l] */
  bool few;
  double* x;
} Piece;

static void take_input(const MrBlockJob* job, const MrPart* part, const Piece* piece) {
  if (part->lower != MR_NO_PART) {
    const double* from = mr_job_samples(job, piece->layer, &job->part[part->lower], mr_job_winner(job, part->lower)) +
                         (size_t)(piece->frame - part->frame) * piece->width;
    memcpy(piece->x, from, (size_t)piece->n * piece->width * sizeof *from);
    return;
  }
  const MrLayer* layer = &job->layer[piece->layer];
  if (piece->few)
    mr_few_load_f64(&job->in, layer->tile[piece->tile].first, layer->tile[piece->tile].lanes, piece->frame, piece->n, piece->x);
  else
    mr_job_load(job, piece->layer, piece->tile, piece->frame, piece->n, piece->x);
  if (layer->mid_side) mr_side_encode(piece->x, piece->width, piece->n);
}

static void filter(const MrBlockJob* job, const MrPart* part, const Piece* piece, double* state) {
  const MrTile* tile = &job->layer[piece->layer].tile[piece->tile];
  const uint32_t begin = mr_stage_begin(tile, part->stage, job->cut.stages),
                 sections = mr_stage_begin(tile, part->stage + 1, job->cut.stages) - begin;
  if (!sections) return;
  if (job->layer[piece->layer].moves) { /* of one stage */
    mr_moves_run(job->layer[piece->layer].moves, tile, state, piece->tile, job->kernels, job->schedule, (job->at + piece->frame) % MR_CELL,
                 piece->n, piece->x);
    return;
  }
  const double* coef = tile->coef + (size_t)begin * MR_COEF_STRIDE;
  state += (size_t)begin * MR_STATE_STRIDE;
  if (piece->few)
    job->kernels->run_chains(piece->x, piece->width, piece->n, coef, state, sections, tile->lanes);
  else
    mr_schedule_run(job->schedule, job->kernels, piece->x, piece->n, coef, state, sections, tile->lanes);
}

/* At the ends of cells, as an engine looks. */
static bool is_poisoned(const MrBlockJob* job, const Piece* piece, uint32_t lanes) {
  const uint32_t at = (job->at + piece->frame) % MR_CELL;
  for (size_t f = MR_CELL - 1 - at; f < piece->n; f += MR_CELL)
    for (uint32_t l = 0; l < lanes; l++)
      if (!(fabs(piece->x[f * piece->width + l]) < (double)MR_POISON)) return true;
  return false;
}

/* Behind the last section of a layer. */
static void leave_sections(MrBlockJob* job, const Piece* piece) {
  const MrLayer* layer = &job->layer[piece->layer];
  const MrTile* tile = &layer->tile[piece->tile];
  if (tile->sections && is_poisoned(job, piece, tile->lanes))
    atomic_store_explicit(&job->troubled[piece->tile], true, memory_order_relaxed);
  if (layer->mid_side) mr_side_decode(piece->x, piece->width, piece->n);
}

void mr_job_put_out(const MrBlockJob* job, uint32_t t, const MrBuffers* out, uint32_t first, uint32_t frame, uint32_t n, double* const* x) {
  for (uint32_t k = 0; k < job->layers && job->gains; k++)
    if (job->layer[k].gained) job->kernels->ramp(x[k], n, job->gain + frame);
  if (job->layers == 1) {
    mr_buffers_store(out, job->kernels, &job->layer[0].tile[t], first + frame, n, x[0], job->layer[0].tile[t].gain);
    return;
  }
  for (uint32_t k = 0; k < job->layers; k++) mr_tile_apply_gain(&job->layer[k].tile[t], n, x[k]);
  job->kernels->mix(x[0], x[1], n, job->window + frame);
  mr_buffers_store(out, job->kernels, &job->layer[0].tile[t], first + frame, n, x[0], job->unity);
}

/* The same for few channels, of which there is one layer. */
static void put_out_few(const MrBlockJob* job, const Piece* piece, const MrBuffers* out, uint32_t first) {
  const MrTile* tile = &job->layer[0].tile[piece->tile];
  for (uint32_t f = 0; f < piece->n && job->gains; f++)
    for (uint32_t l = 0; l < piece->width; l++) piece->x[(size_t)f * piece->width + l] *= job->gain[piece->frame + f];
  mr_few_store_f64(out, tile->first, tile->lanes, first + piece->frame, piece->n, piece->x, tile->gain);
}

/* Frames of the next call, from frame f of the job on. */
static uint32_t piece_frames(const MrBlockJob* job, const MrPart* part, uint32_t f, bool few) {
  const uint32_t rest = part->frame + part->n - f, to_end = MR_CELL - (job->at + f) % MR_CELL;
  const uint32_t most = few ? mr_schedule_few_most(job->layer[0].tile[part->tile].lanes) : to_end;
  return rest < most ? rest : most;
}

/* The states of a part's sections, as they are before it; NULL where it has none. */
static double* take_states(const MrBlockJob* job, uint32_t k, const MrPart* part, uint32_t who) {
  const MrLayer* layer = &job->layer[k];
  const MrTile* tile = &layer->tile[part->tile];
  if (!layer->slot) return NULL;
  const size_t begin = mr_stage_begin(tile, part->stage, job->cut.stages), end = mr_stage_begin(tile, part->stage + 1, job->cut.stages);
  double* state = mr_job_states(job, k, part->chunk, part->tile, who);
  const double* before =
      part->earlier == MR_NO_PART ? tile->state : mr_job_states(job, k, part->chunk - 1, part->tile, mr_job_winner(job, part->earlier));
  memcpy(state + begin * MR_STATE_STRIDE, before + begin * MR_STATE_STRIDE, (end - begin) * MR_STATE_STRIDE * sizeof *state);
  return state;
}

bool mr_job_run_part(MrBlockJob* job, const MrPart* part, uint32_t who, const MrBuffers* out, uint32_t first, const atomic_uchar* done) {
  _Alignas(MR_ALIGN) double memory[MR_FEW_SAMPLES + MR_CELL * MR_LANES];
  double *const scratch[MR_LAYERS] = {memory, memory + MR_FEW_SAMPLES}, *state[MR_LAYERS], *x[MR_LAYERS];
  const uint32_t t = part->tile;
  const bool late = mr_job_is_late(job, t), kept = !part->last || late, few = job->few && t + 1 == job->tiles;
  for (uint32_t k = 0; k < job->layers; k++) state[k] = take_states(job, k, part, who);
  Piece piece = {.tile = t, .frame = part->frame, .few = few, .width = few ? job->layer[0].tile[t].lanes : MR_LANES};
  for (; piece.frame < part->frame + part->n; piece.frame += piece.n) {
    if (done && atomic_load_explicit(done, memory_order_relaxed) != MR_PART_OPEN) return false;
    piece.n = piece_frames(job, part, piece.frame, few);
    for (uint32_t k = 0; k < job->layers; k++) {
      const size_t behind = (size_t)(piece.frame - part->frame) * piece.width;
      piece.layer = k;
      piece.x = x[k] = kept ? mr_job_samples(job, k, part, who) + behind : scratch[k];
      take_input(job, part, &piece);
      filter(job, part, &piece, state[k]);
      if (part->last) leave_sections(job, &piece);
    }
    if (who == 0 && mr_sharing_interrupt) mr_sharing_interrupt();
    if (!part->last || late) continue;
    if (few)
      put_out_few(job, &piece, out, first);
    else
      mr_job_put_out(job, t, out, first, piece.frame, piece.n, x);
  }
  return true;
}
