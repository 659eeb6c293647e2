/* A job's cascades as the kernels of a plan read them.
   SPDX-License-Identifier: ISC */
#include "cascades.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "tables.h"

enum { COEFFICIENTS = 8 /* of a section, where there are no groups */ };

static bool has_groups(const MrGpuPlan* plan) { return plan->kernel != MR_GPU_SEGMENTS && plan->kernel != MR_GPU_CHANNELS; }

static MrGpuMethod method_of(const MrGpuPlan* plan) {
  switch (plan->kernel) {
    case MR_GPU_PH_KERNEL:
      return MR_GPU_PH;
    case MR_GPU_STCR_KERNEL:
      return MR_GPU_STCR;
    case MR_GPU_DTCR_KERNEL:
    case MR_GPU_PLR_KERNEL: /* for its histories alone */
      return MR_GPU_DTCR;
    default:
      return MR_GPU_STATES;
  }
}

/* Whether two channels' sections are the same; gains may differ. */
static bool same_filter(const MrGpuCascade* a, const MrGpuCascade* b) {
  if (a->sections != b->sections) return false;
  return a->section == b->section || !a->sections || memcmp(a->section, b->section, a->sections * sizeof *a->section) == 0;
}

static size_t size_of(const MrGpuTables* t) { return t->single ? sizeof(float) : sizeof(double); }
static char* table_at(const MrGpuTables* t, uint32_t channel, uint32_t section) {
  return (char*)t->table + (channel * t->channel_table + (uint64_t)section * t->section_table) * size_of(t);
}

static void put_section(const MrGpuTables* t, const MrSection* q, void* at) {
  const double numbers[] = {q->D, q->s, q->P, q->e1, q->e2};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (t->single)
      ((float*)at)[i] = (float)numbers[i];
    else
      ((double*)at)[i] = numbers[i];
  }
}

/* The tables of one channel, and where its states stand. *level: 2^level times the output is what comes out. */
static MrGpuStatus fill_channel(const MrGpuTables* t, const MrGpuJob* job, const MrGpuPlan* plan, uint32_t c, int16_t* exponent, int* level,
                                char* why) {
  static const MrSection nothing = {.s = 1, .P = 1, .D = 1, .e1 = 0, .e2 = 0};
  const MrGpuCascade* cascade = &job->cascade[c];
  MrSection scaled[MR_MAX_DESIGN_SECTIONS];
  int at[MR_MAX_DESIGN_SECTIONS + 1];
  mr_gpu_levels(cascade->section, cascade->sections, scaled, at);
  for (uint32_t k = 0; k < t->sections; k++) {
    const MrSection* q = k < cascade->sections ? &scaled[k] : &nothing;
    exponent[k] = (int16_t)at[k < cascade->sections ? k : cascade->sections];
    if (!has_groups(plan)) {
      put_section(t, q, table_at(t, c, k));
      continue;
    }
    const MrStatus status = mr_gpu_table_fill(method_of(plan), q, t->single, plan->lanes, plan->samples, table_at(t, c, k));
    if (status == MR_OK) continue;
    snprintf(why, MR_GPU_WHY, "channel %u, section %u: %s", c + 1, k + 1,
             status == MR_ERR_UNSTABLE ? "a pole on or outside the unit circle" : "the method divides by next to nothing");
    return MR_GPU_REFUSED;
  }
  *level = at[cascade->sections];
  return MR_GPU_OK;
}

static bool put_gain(const MrGpuTables* t, uint32_t c, double gain) {
  if (!t->single) {
    ((double*)t->gain)[c] = gain;
    return isfinite(gain);
  }
  ((float*)t->gain)[c] = (float)gain;
  return fabs(gain) <= (double)FLT_MAX;
}

static void put_depths(const MrGpuTables* t, const MrGpuJob* job, const MrGpuPlan* plan) {
  if (!has_groups(plan)) return;
  const uint64_t group = (uint64_t)plan->lanes * plan->samples;
  for (size_t i = 0; i < t->depths; i++) {
    const MrGpuCascade* cascade = &job->cascade[i / t->sections];
    const uint64_t decay = i % t->sections < cascade->sections ? cascade->section_decay[i % t->sections] : 0;
    const uint64_t depth = decay / group + 1;
    t->depth[i] = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
  }
}

static bool allocate(MrGpuTables* t) {
  const uint32_t distinct = t->channel_table ? t->channels : 1;
  t->table_bytes = (size_t)distinct * (t->sections ? t->sections : 1) * t->section_table * size_of(t);
  t->depths = (size_t)distinct * t->sections;
  t->table = calloc(1, t->table_bytes);
  t->gain = calloc(t->channels, size_of(t));
  t->depth = calloc(t->depths + 1, sizeof *t->depth);
  t->exponent = calloc((size_t)t->channels * t->sections + 1, sizeof *t->exponent);
  return t->table && t->gain && t->depth && t->exponent;
}

static MrGpuStatus fill(MrGpuTables* t, const MrGpuJob* job, const MrGpuPlan* plan, char* why) {
  int level[MR_MAX_CHANNELS];
  for (uint32_t c = 0; c < t->channels; c++) {
    uint32_t like = c; /* an earlier channel with the same filter */
    for (uint32_t i = 0; i < c && like == c; i++)
      if (same_filter(&job->cascade[i], &job->cascade[c])) like = i;
    int16_t* exponent = t->exponent + (size_t)c * t->sections;
    if (like < c) {
      memcpy(exponent, t->exponent + (size_t)like * t->sections, t->sections * sizeof *exponent);
      if (t->channel_table) memcpy(table_at(t, c, 0), table_at(t, like, 0), t->channel_table * size_of(t));
      level[c] = level[like];
    } else {
      const MrGpuStatus status = fill_channel(t, job, plan, c, exponent, &level[c], why);
      if (status != MR_GPU_OK) return status;
    }
    if (put_gain(t, c, ldexp(job->cascade[c].gain, -level[c]))) continue;
    snprintf(why, MR_GPU_WHY, "channel %u: a gain of %g is beyond the arithmetic", c + 1, job->cascade[c].gain);
    return MR_GPU_REFUSED;
  }
  put_depths(t, job, plan);
  return MR_GPU_OK;
}

/* The direct form: one table for all sections of one channel. */
static MrGpuStatus make_direct(const MrGpuJob* job, MrGpuTables* t, char* why) {
  t->sections = job->cascade[0].sections;
  t->section_table =
      (MR_PLR_FACTORS + 2 * t->sections * MR_PLR_GROUP + t->sections - 1) / t->sections; /* as many numbers as there are, at least */
  if (!allocate(t)) {
    mr_gpu_tables_free(t);
    snprintf(why, MR_GPU_WHY, "no memory for the filters' tables");
    return MR_GPU_MEMORY;
  }
  mr_gpu_plr_table_fill(job->cascade[0].section, t->sections, t->table);
  return MR_GPU_OK;
}

MrGpuStatus mr_gpu_tables_make(const MrGpuJob* job, const MrGpuPlan* plan, MrGpuTables* t, char* why) {
  *t = (MrGpuTables){.single = job->fast, .channels = job->channels, .histories = has_groups(plan) && method_of(plan) != MR_GPU_STATES};
  if (plan->kernel == MR_GPU_PLR_KERNEL) return make_direct(job, t, why);
  bool all_same = true;
  for (uint32_t c = 0; c < job->channels; c++) {
    if (job->cascade[c].sections > t->sections) t->sections = job->cascade[c].sections;
    all_same = all_same && same_filter(&job->cascade[0], &job->cascade[c]);
  }
  t->section_table = has_groups(plan) ? mr_table_size(plan->lanes, plan->samples) : COEFFICIENTS;
  t->channel_table = all_same ? 0 : (uint64_t)t->sections * t->section_table;
  MrGpuStatus status = MR_GPU_MEMORY;
  if (allocate(t))
    status = fill(t, job, plan, why);
  else
    snprintf(why, MR_GPU_WHY, "no memory for the filters' tables");
  if (status != MR_GPU_OK) mr_gpu_tables_free(t);
  return status;
}

void mr_gpu_tables_free(MrGpuTables* t) {
  free(t->table);
  free(t->gain);
  free(t->depth);
  free(t->exponent);
  memset(t, 0, sizeof *t);
}

size_t mr_gpu_tables_state_bytes(const MrGpuTables* t) {
  return (size_t)t->channels * (t->sections + (t->histories ? 1 : 0)) * 2 * size_of(t);
}

void mr_gpu_tables_state_in(const MrGpuTables* t, const double* state, void* own) {
  for (size_t i = 0; i < (size_t)t->channels * t->sections * 2; i++) {
    const double value = ldexp(state[i], t->exponent[i / 2]);
    if (t->single)
      ((float*)own)[i] = (float)value;
    else
      ((double*)own)[i] = value;
  }
}

void mr_gpu_tables_state_out(const MrGpuTables* t, const void* own, double* state) {
  for (size_t i = 0; i < (size_t)t->channels * t->sections * 2; i++) {
    const double value = t->single ? (double)((const float*)own)[i] : ((const double*)own)[i];
    state[i] = ldexp(value, -t->exponent[i / 2]);
  }
}
