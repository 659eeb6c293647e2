/* A program as a card's job.
   SPDX-License-Identifier: ISC */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const double REST = 1e-9;          /* of the sum of |h|: below the last digits of float32 samples */
static const uint64_t STEPS = 200000000U; /* sections times frames of all impulses together: about a second */

bool mr_gpu_program_suits(const MrProgram* program, uint32_t channels, char* why) {
  if (mr_program_routes(program)) {
    snprintf(why, MR_GPU_WHY, "the bank routes channels, which kernels do not");
    return false;
  }
  for (uint32_t c = 0; c < channels; c++) {
    const uint32_t sections = mr_program_sections(program, c);
    if (mr_program_delay(program, c)) {
      snprintf(why, MR_GPU_WHY, "channel %u is delayed, which kernels do not", c + 1);
      return false;
    }
    if (sections > MR_MAX_DESIGN_SECTIONS) {
      snprintf(why, MR_GPU_WHY, "channel %u has %u sections, and kernels take %u", c + 1, sections, MR_MAX_DESIGN_SECTIONS);
      return false;
    }
  }
  return true;
}

/* An earlier channel with the same sections, or c itself. */
static uint32_t like(const MrGpuProgram* p, uint32_t c) {
  const MrGpuCascade* own = &p->cascade[c];
  for (uint32_t i = 0; i < c; i++) {
    const MrGpuCascade* other = &p->cascade[i];
    if (other->sections == own->sections && (!own->sections || !memcmp(other->section, own->section, own->sections * sizeof *own->section)))
      return i;
  }
  return c;
}

static uint64_t decay_of(const MrSection* section, uint32_t n, uint64_t limit) {
  const uint64_t frames = n ? mr_sections_ring_time(section, n, REST, limit) : 0;
  return frames < limit ? frames : UINT64_MAX;
}

static void find_decays(MrGpuProgram* p, const uint32_t* first, uint64_t limit) {
  for (uint32_t c = 0; c < p->job.channels; c++) {
    MrGpuCascade* cascade = &p->cascade[c];
    if (first[c] < c) {
      cascade->decay = p->cascade[first[c]].decay;
      cascade->section_decay = p->cascade[first[c]].section_decay;
      continue;
    }
    cascade->decay = decay_of(cascade->section, cascade->sections, limit);
    for (uint32_t k = 0; k < cascade->sections; k++) p->decay[(size_t)c * p->sections + k] = decay_of(&cascade->section[k], 1, limit);
  }
}

static bool allocate(MrGpuProgram* p, uint32_t** first) {
  const size_t sections = (size_t)p->job.channels * p->sections + 1;
  p->cascade = calloc(p->job.channels, sizeof *p->cascade);
  p->section = calloc(sections, sizeof *p->section);
  p->decay = calloc(sections, sizeof *p->decay);
  *first = calloc(p->job.channels, sizeof **first);
  return p->cascade && p->section && p->decay && *first;
}

static void fill(MrGpuProgram* p, const MrProgram* program, uint32_t* first) {
  uint64_t steps = 1, limit = mr_gpu_decay_limit(p->job.chunk);
  for (uint32_t c = 0; c < p->job.channels; c++) {
    const uint32_t n = mr_program_sections(program, c);
    MrSection* section = p->section + (size_t)c * p->sections;
    if (n) memcpy(section, mr_program_section(program, c, 0), n * sizeof *section);
    p->cascade[c] = (MrGpuCascade){
        .section = section, .sections = n, .gain = mr_program_gain(program, c), .section_decay = p->decay + (size_t)c * p->sections};
    first[c] = like(p, c);
    if (first[c] == c) steps += 2 * (uint64_t)n;
    p->cascade[c].section = p->cascade[first[c]].section;
  }
  if (limit > STEPS / steps) limit = STEPS / steps;
  find_decays(p, first, limit);
}

MrGpuStatus mr_gpu_program_make(const MrProgram* program, const MrGpuJob* job, MrGpuProgram* made, char* why) {
  memset(made, 0, sizeof *made);
  if (!mr_gpu_program_suits(program, job->channels, why)) return MR_GPU_REFUSED;
  made->job = *job;
  for (uint32_t c = 0; c < job->channels; c++) {
    const uint32_t n = mr_program_sections(program, c);
    if (n > made->sections) made->sections = n;
  }
  uint32_t* first = NULL;
  const bool enough = allocate(made, &first);
  if (enough) fill(made, program, first);
  free(first);
  made->job.cascade = made->cascade;
  if (enough) return MR_GPU_OK;
  mr_gpu_program_free(made);
  snprintf(why, MR_GPU_WHY, "no memory");
  return MR_GPU_MEMORY;
}

void mr_gpu_program_free(MrGpuProgram* made) {
  free(made->cascade);
  free(made->section);
  free(made->decay);
  memset(made, 0, sizeof *made);
}
