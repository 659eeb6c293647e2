/* The memory of shared blocks: jobs of an engine, slots of a side.
   SPDX-License-Identifier: ISC */
#include "sharing_memory.h"

#include "memory.h"
#include "sharing_work.h"

/* ------------------------------------------------------------------- jobs */

static void free_job(MrBlockJob* job) {
  free(job->part);
  free(job->status);
  free(job->troubled);
  free(job->gain);
  free((void*)job->unity);
  free((void*)job->in_pointer);
  free((void*)job->out_pointer);
  free(job->in_samples);
  free(job->out_samples);
  free(job->nowhere);
  for (uint32_t k = 0; k < MR_LAYERS; k++) {
    free(job->layer[k].tile);
    for (int who = 0; who < 2; who++) free(job->x[k][who]);
  }
}

static bool make_samples(MrBlockJob* job, uint32_t channels) {
  const size_t bytes = MR_SHARED_FRAMES * sizeof(double);
  job->in_samples = mr_memory_new(channels, bytes);
  job->out_samples = mr_memory_new(channels, bytes);
  job->in_pointer = mr_memory_new(channels, sizeof *job->in_pointer);
  job->out_pointer = mr_memory_new(channels, sizeof *job->out_pointer);
  job->nowhere = mr_memory_new(MR_CELL, sizeof(double));
  if (!job->in_samples || !job->out_samples || !job->in_pointer || !job->out_pointer || !job->nowhere) return false;
  for (uint32_t c = 0; c < channels; c++) {
    job->in_pointer[c] = job->in_samples + c * bytes;
    job->out_pointer[c] = job->out_samples + c * bytes;
  }
  return true;
}

static bool make_gains(MrBlockJob* job) {
  double* unity = mr_memory_new(MR_LANES, sizeof *unity);
  for (uint32_t l = 0; unity && l < MR_LANES; l++) unity[l] = 1;
  job->unity = unity;
  job->gain = mr_memory_new(MR_SHARED_FRAMES, sizeof *job->gain);
  return job->unity && job->gain;
}

/* Samples of each layer, for workers and for the caller. */
static bool make_x(double* x[MR_LAYERS][2], uint32_t stages, uint32_t tiles) {
  bool made = true;
  for (uint32_t k = 0; k < MR_LAYERS; k++)
    for (int who = 0; who < 2; who++) {
      x[k][who] = mr_memory_new((size_t)stages * tiles * mr_job_room(k), MR_LANES * sizeof(double));
      made = made && x[k][who];
    }
  return made;
}

static bool make_job(const MrSharer* sharer, MrBlockJob* job) {
  const uint32_t tiles = MR_TILES(sharer->channels), stages = mr_cut_stages_most(sharer);
  job->job.help = mr_job_help;
  job->kernels = sharer->kernels;
  job->schedule = sharer->schedule;
  job->tiles = tiles;
  atomic_store(&job->closed, true);
  job->part = mr_memory_new(MR_PARTS_MOST, sizeof *job->part);
  job->status = mr_memory_new(MR_PARTS_MOST, sizeof *job->status);
  job->troubled = mr_memory_new(tiles, sizeof *job->troubled);
  bool made = job->part && job->status && job->troubled;
  for (uint32_t k = 0; k < MR_LAYERS; k++) {
    job->layer[k].tile = mr_memory_new(tiles, sizeof *job->layer[k].tile);
    made = made && job->layer[k].tile;
  }
  made = make_gains(job) && made;
  made = (stages < 2 || make_x(job->x, stages, tiles)) && made;
  return make_samples(job, sharer->channels) && made;
}

MrBlockJob* mr_jobs_new(const MrSharer* sharer) {
  MrBlockJob* jobs = mr_memory_new(MR_JOBS, sizeof *jobs);
  if (!jobs) return NULL;
  bool made = true;
  for (uint32_t j = 0; j < MR_JOBS; j++) made &= make_job(sharer, &jobs[j]);
  if (made) return jobs;
  mr_jobs_free(jobs);
  return NULL;
}

void mr_jobs_free(MrBlockJob* jobs) {
  for (uint32_t j = 0; jobs && j < MR_JOBS; j++) free_job(&jobs[j]);
  free(jobs);
}

/* ------------------------------------------------------------------ slots */

static bool make_slot(const MrSharer* sharer, const MrSide* side, MrSlot* slot) {
  const size_t sections = (size_t)side->tiles * side->capacity;
  slot->coef = mr_memory_new(sections, MR_COEF_STRIDE * sizeof(double));
  slot->state = mr_memory_new(sections, MR_STATE_STRIDE * sizeof(double));
  slot->version = mr_memory_new(side->tiles, sizeof *slot->version);
  bool made = slot->coef && slot->state && slot->version;
  for (int who = 0; who < 2; who++) {
    slot->later[who] = mr_memory_new(sections * mr_cut_chunks_most(sharer), MR_STATE_STRIDE * sizeof(double));
    made = made && slot->later[who];
  }
  if (side->delays && mr_cut_stages_most(sharer) < 2) made = make_x(slot->x, 1, side->tiles) && made;
  if (side->motion) made = mr_motion_make_copy(side->motion, &slot->moves) && made;
  return made;
}

MrSharing* mr_slots_new(const MrSharer* sharer, const MrSide* side) {
  MrSharing* sharing = mr_memory_new(1, sizeof *sharing);
  if (!sharing) return NULL;
  bool made = true;
  for (uint32_t j = 0; j < MR_JOBS; j++) made &= make_slot(sharer, side, &sharing->slot[j]);
  if (made) return sharing;
  mr_sharing_free(sharing);
  return NULL;
}

void mr_sharing_free(MrSharing* sharing) {
  for (uint32_t j = 0; sharing && j < MR_JOBS; j++) {
    MrSlot* slot = &sharing->slot[j];
    free(slot->coef);
    free(slot->state);
    free(slot->version);
    for (int who = 0; who < 2; who++) {
      free(slot->later[who]);
      for (uint32_t k = 0; k < MR_LAYERS; k++) free(slot->x[k][who]);
    }
    mr_moves_free(&slot->moves);
  }
  free(sharing);
}
