/* Where a stream is filtered: on the CPU, or on a card and by which plan.
   SPDX-License-Identifier: ISC */
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../gpu/library.h"
#include "costs.h"

/* ns a sample of a core of a few GHz, as render_file.c has them. */
#define FILES_NS   4.0
#define BESIDE_NS  0.8
#define SECTION_NS 0.5

#define FOR_SURE 0.8

enum { CHUNK_BYTES = 8 << 20, CHUNK_UNIT = 4096, CELL = 64 };

/* ---------------------------------------------------------------- whether */

/* ns that a sample of a section costs a core by these costs. */
static double section_ns(void) {
  const MrCosts costs = mr_costs_read();
  const uint32_t levels = mr_cpu_levels();
  const double lanes = levels & MR_CPU_AVX512 ? 8 : levels & MR_CPU_AVX2 ? 4 : levels & (MR_CPU_SSE2 | MR_CPU_NEON) ? 2 : 1;
  return fmin(SECTION_NS, costs.pass_section / lanes);
}

MrDeviceTimes mr_device_times(const MrDeviceNeed* need) {
  const double section = section_ns();
  MrDeviceTimes times = {.processors = need->threads ? need->threads : 1, .start = MR_GPU_START_S};
  for (uint32_t c = 0; c < need->channels; ++c) times.filter += BESIDE_NS + section * mr_program_sections(need->program, c);
  times.filter *= (need->fast ? 0.5e-9 : 1e-9) * (double)need->frames;
  times.files = FILES_NS * 1e-9 * (double)need->frames * need->channels;
  return times;
}

bool mr_device_pays(const MrDeviceTimes* t) {
  /* The CPU: all processors busy without a gap, and nothing faster than the slower of reading and writing. The card: one processor for files. */
  const double cpu = fmax(0.5 * t->files, (t->files + t->filter) / t->processors);
  const double card = t->start + fmax(t->files, fmax(t->transfer, t->kernel));
  return card < FOR_SURE * cpu;
}

/* -------------------------------------------------------------- which one */

static uint32_t chunk_of(const MrDeviceNeed* need) {
  const uint64_t frame = (uint64_t)need->channels * (need->wide ? sizeof(double) : sizeof(float));
  uint64_t chunk = need->block;
  if (!chunk) {
    chunk = CHUNK_BYTES / frame / CHUNK_UNIT * CHUNK_UNIT;
    if (chunk < CHUNK_UNIT) chunk = CHUNK_UNIT;
    if (need->frames && need->frames < chunk) chunk = need->frames;
  }
  return (uint32_t)((chunk + CELL - 1) / CELL * CELL);
}

static bool say_status(MrDevice* d, MrGpuStatus status, const char* why) {
  const char* const before = status == MR_GPU_NO_DRIVER   ? "no CUDA"
                             : status == MR_GPU_NO_DEVICE ? "no card"
                             : status == MR_GPU_MEMORY    ? "too little memory"
                             : status == MR_GPU_REFUSED   ? "not for a card"
                                                          : "the card has failed";
  snprintf(d->reason, sizeof d->reason, "%s: %s", before, why);
  return false;
}

static bool say_cpu(MrDevice* d, const char* reason) {
  snprintf(d->reason, sizeof d->reason, "%s", reason);
  return false;
}

static bool open_session(MrDevice* d, const MrGpuJob* job, const MrDeviceNeed* need) {
  char why[MR_GPU_WHY] = "";
  const MrGpuStatus status = d->api->open(0, job, &d->session, why);
  if (status != MR_GPU_OK) return say_status(d, status, why);
  d->plan = d->api->plan(d->session);
  const size_t bytes = (size_t)d->chunk * need->channels * (need->wide ? sizeof(double) : sizeof(float));
  for (int i = 0; i < 2 * MR_DEVICE_BLOCKS; ++i) {
    d->memory[i] = d->api->allocate(d->session, bytes);
    if (!d->memory[i]) return say_status(d, MR_GPU_MEMORY, "the host has none that a card can reach");
  }
  return true;
}

/* Times of the card from a plan, for the whole stream. */
static void take_plan(MrDevice* d, const MrDeviceNeed* need, const MrGpuPlan* plan) {
  const double chunks = (double)need->frames / d->chunk;
  d->times.kernel = chunks * plan->kernel_s;
  d->times.transfer = chunks * plan->transfer_s;
}

/* At the least six a sample and section. */
static double operations_of(const MrDeviceNeed* need) {
  double sections = 0;
  for (uint32_t c = 0; c < need->channels; ++c) sections += mr_program_sections(need->program, c);
  return 6 * sections * (double)need->frames;
}

static double operations_a_second(const MrGpuDevice* card, bool fast) {
  return (fast ? card->singles : card->doubles) * card->processors * card->clock;
}

static bool open_card(MrDevice* d, const MrDeviceNeed* need, bool must_pay) {
  char why[MR_GPU_WHY] = "";
  uint32_t count = 0;
  MrGpuStatus status = MR_GPU_OK;
  d->api = mr_gpu_library(&status, why);
  if (d->api) status = d->api->devices(&d->card, 1, &count, why);
  if (status != MR_GPU_OK) return say_status(d, status, why);
  const MrGpuJob wanted = {.channels = need->channels,
                           .wide = need->wide,
                           .fast = need->fast,
                           .interleaved = true,
                           .chunk = d->chunk,
                           .submissions = MR_DEVICE_BLOCKS,
                           .frames = need->frames};
  const double bytes = (double)need->frames * need->channels * (need->wide ? sizeof(double) : sizeof(float));
  d->times.transfer = bytes / d->card.host_bandwidth;
  d->times.kernel = fmax(2 * bytes / d->card.bandwidth, operations_of(need) / operations_a_second(&d->card, need->fast));
  if (must_pay && !mr_device_pays(&d->times)) return say_cpu(d, "the link to the card would take longer than the CPU's work");
  MrGpuProgram made;
  status = mr_gpu_program_make(need->program, &wanted, &made, why);
  if (status != MR_GPU_OK) return say_status(d, status, why);
  d->sections = made.sections;
  MrGpuPlan plan;
  bool on_card = true;
  if (must_pay) {
    status = d->api->foresee(0, &made.job, &plan, why);
    if (status == MR_GPU_OK) take_plan(d, need, &plan);
    on_card = status == MR_GPU_OK ? mr_device_pays(&d->times) || say_cpu(d, "the card's plan is slower than the CPU's work")
                                  : say_status(d, status, why);
  }
  on_card = on_card && open_session(d, &made.job, need);
  mr_gpu_program_free(&made);
  if (on_card && !must_pay) take_plan(d, need, &d->plan);
  return on_card;
}

/* Whether a card is to be looked for at all. */
static bool worth_a_look(MrDevice* d, const MrDeviceNeed* need) {
  if (!need->frames) return say_cpu(d, "the stream's length is not known");
  d->times = mr_device_times(need);
  if (!mr_device_pays(&d->times)) return say_cpu(d, "the CPU is done before a card could have begun to pay");
  return true;
}

bool mr_device_open(MrDevice* d, MrDeviceWish wish, const MrDeviceNeed* need) {
  char why[MR_GPU_WHY] = "";
  memset(d, 0, sizeof *d);
  if (wish == MR_DEVICE_CPU) return true;
  d->chunk = chunk_of(need);
  d->times = mr_device_times(need);
  const bool suits = mr_gpu_program_suits(need->program, need->channels, why) || say_status(d, MR_GPU_REFUSED, why);
  if (suits && (wish == MR_DEVICE_CUDA || worth_a_look(d, need)) && open_card(d, need, wish == MR_DEVICE_AUTO)) return true;
  const MrDevice kept = *d;
  mr_device_close(d);
  d->times = kept.times;
  memcpy(d->reason, kept.reason, sizeof d->reason);
  return wish == MR_DEVICE_AUTO;
}

void mr_device_close(MrDevice* d) {
  if (d->api) d->api->close(d->session); /* and the buffers with it */
  memset(d, 0, sizeof *d);
}

void* mr_device_memory(MrDevice* d) { return d->given < 2 * MR_DEVICE_BLOCKS ? d->memory[d->given++] : NULL; }
