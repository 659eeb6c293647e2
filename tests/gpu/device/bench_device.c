/* How many samples a second a card's kernels filter, beside what it copies.
   SPDX-License-Identifier: ISC

   bench_device [--quick] [--json FILE] [--table FILE]

   The protocol is the paper's (Zhai, "Parallel Cascaded Recursive Filtering on Multi-Core CPUs and GPUs", 2026): Butterworth low-passes at 0.2 pi of order 2
   to 16, one channel of 2^16 to 2^28 samples that lie in the card's memory, inputs in turn so that none is still in a cache, launches in batches, of
   whose means the 20th percentile counts. The roof is the card's own copy of the same bytes, measured in turn with the kernels. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/library.h"
#include "gpu/plan.h"

enum { BATCHES = 20, BATCH = 5, BUFFERS = 4, MOST_SECTIONS = 8 };

typedef struct Kernel {
  const char* name;
  MrGpuKernel kernel;
  uint32_t lanes, samples;
  bool fast;
} Kernel;

static const Kernel kernels[] = {
    {"planned, float64", MR_GPU_AUTO, 0, 0, false},
    {"planned, float32", MR_GPU_AUTO, 0, 0, true},
    {"segments, float64", MR_GPU_SEGMENTS, 0, 0, false},
    {"segments, float32", MR_GPU_SEGMENTS, 0, 0, true},
    {"runs, float64", MR_GPU_RUNS, 0, 0, false},
    {"runs, float32", MR_GPU_RUNS, 0, 0, true},
    {"fixed look-back, float64", MR_GPU_FIXED, 0, 0, false},
    {"fixed look-back, float32", MR_GPU_FIXED, 0, 0, true},
    {"windows, float64", MR_GPU_WINDOWS, 0, 0, false},
    {"windows, float32", MR_GPU_WINDOWS, 0, 0, true},
    {"PH 32 x 32", MR_GPU_PH_KERNEL, 32, 32, true},
    {"PH 32 x 64", MR_GPU_PH_KERNEL, 32, 64, true},
    {"PH 32 x 128", MR_GPU_PH_KERNEL, 32, 128, true},
    {"PH 64 x 64", MR_GPU_PH_KERNEL, 64, 64, true},
    {"STCR 32 x 32", MR_GPU_STCR_KERNEL, 32, 32, true},
    {"STCR 32 x 64", MR_GPU_STCR_KERNEL, 32, 64, true},
    {"STCR 32 x 128", MR_GPU_STCR_KERNEL, 32, 128, true},
    {"STCR 64 x 64", MR_GPU_STCR_KERNEL, 64, 64, true},
    {"DTCR 32 x 32", MR_GPU_DTCR_KERNEL, 32, 32, true},
    {"DTCR 32 x 64", MR_GPU_DTCR_KERNEL, 32, 64, true},
    {"DTCR 32 x 128", MR_GPU_DTCR_KERNEL, 32, 128, true},
    {"DTCR 64 x 64", MR_GPU_DTCR_KERNEL, 64, 64, true},
    {"PLR", MR_GPU_PLR_KERNEL, 0, 0, true},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct Filter {
  MrCascade cascade;
  uint64_t section_decay[MOST_SECTIONS];
  MrGpuCascade job;
} Filter;

static bool make_filter(uint32_t order, uint64_t frames, Filter* f) {
  MrDesign design = mr_design_default(MR_BUTTERWORTH);
  design.order = order;
  design.fc = 0.1 * 48000;
  if (mr_design(&design, 48000, &f->cascade, NULL) != MR_OK || f->cascade.n > MOST_SECTIONS) return false;
  const uint64_t limit = mr_gpu_decay_limit(frames);
  uint64_t ring = mr_sections_ring_time(f->cascade.section, f->cascade.n, 1e-9, limit + 1);
  for (uint32_t k = 0; k < f->cascade.n; k++) {
    const uint64_t own = mr_sections_ring_time(&f->cascade.section[k], 1, 1e-9, limit + 1);
    f->section_decay[k] = own > limit ? UINT64_MAX : own;
  }
  if (ring > limit) ring = UINT64_MAX;
  f->job = (MrGpuCascade){f->cascade.section, f->cascade.n, f->cascade.gain, ring, f->section_decay};
  return true;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The 20th percentile of the batches' means, of all launches but the first. */
static double seconds_of(const double* seconds) {
  double mean[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    mean[i] = 0;
    for (int j = 0; j < BATCH; j++) mean[i] += seconds[1 + i * BATCH + j] / BATCH;
  }
  qsort(mean, BATCHES, sizeof *mean, compare);
  return mean[BATCHES / 5];
}

/* Samples a second; 0: there is no such kernel for it. */
static bool measure(const MrGpuApi* api, const Kernel* kernel, const Filter* filter, uint64_t frames, bool copy, double* rate, MrGpuPlan* plan) {
  MrGpuJob job = {.channels = 1, .cascade = &filter->job, .fast = kernel->fast, .chunk = (uint32_t)frames, .submissions = 1, .frames = frames,
                  .kernel = kernel->kernel, .lanes = kernel->lanes, .samples = kernel->samples};
  MrGpuSession* session = NULL;
  char why[MR_GPU_WHY] = "";
  double seconds[1 + BATCHES * BATCH];
  *rate = 0;
  MrGpuStatus status = api->open(0, &job, &session, why);
  if (status == MR_GPU_OK) {
    *plan = api->plan(session);
    status = api->measure(session, frames, BUFFERS, 1 + BATCHES * BATCH, copy, seconds, why);
    if (status == MR_GPU_OK) *rate = (double)frames / seconds_of(seconds);
    api->close(session);
  }
  if (status == MR_GPU_OK || status == MR_GPU_REFUSED) return true;
  fprintf(stderr, "bench_device: %s, 2^%.0f samples: %s\n", kernel->name, log2((double)frames), why);
  return status == MR_GPU_MEMORY;
}

static bool run(const MrGpuApi* api, bool quick, FILE* json, FILE* table, const MrGpuDevice* device) {
  const char* comma = "";
  fprintf(json, "{\"card\": \"%s\", \"compute_capability\": \"%u.%u\", \"multiprocessors\": %u, \"module\": \"%s\", \"records\": [", device->name,
          device->major, device->minor, device->processors, api->name);
  fprintf(table, "%s, compute capability %u.%u, %u multiprocessors: 10^9 samples a second, and percent of its copy\n", device->name, device->major,
          device->minor, device->processors);
  const uint32_t first = quick ? 16 : 16, last = quick ? 16 : 28, step = quick ? 1 : 3;
  for (uint32_t size = first; size <= last; size += step) {
    const uint64_t frames = (uint64_t)1 << size;
    fprintf(table, "\n2^%-24u%15s%15s%15s%15s\n", size, "order 2", "order 4", "order 8", "order 16");
    double roof = 0;
    Filter filter;
    MrGpuPlan plan;
    if (!make_filter(2, frames, &filter)) return false;
    if (!measure(api, &kernels[0], &filter, frames, true, &roof, &plan)) return false;
    fprintf(table, "%-26s%9.3f\n", "copy", roof * 1e-9);
    fprintf(json, "%s\n{\"kernel\": \"copy\", \"log2_samples\": %u, \"gigasamples_per_s\": %.4f}", comma, size, roof * 1e-9);
    comma = ",";
    for (int k = 0; k < KERNELS; k++) {
      fprintf(table, "%-26s", kernels[k].name);
      for (uint32_t order = 2; order <= 16; order *= 2) {
        double rate = 0;
        if (!make_filter(order, frames, &filter) || !measure(api, &kernels[k], &filter, frames, false, &rate, &plan)) return false;
        if (rate == 0) {
          fprintf(table, "%15s", "-");
          continue;
        }
        fprintf(table, "%9.3f %3.0f %%", rate * 1e-9, roof > 0 ? 100 * rate / roof : 0);
        fprintf(json,
                ",\n{\"kernel\": \"%s\", \"runs\": \"%s\", \"lanes\": %u, \"samples\": %u, \"order\": %u, \"log2_samples\": %u, \"gigasamples_per_s\": "
                "%.4f, \"percent_of_copy\": %.1f, \"predicted_gigasamples_per_s\": %.4f, \"registers\": %u, \"resident_blocks\": %u}",
                kernels[k].name, mr_gpu_kernel_name(plan.kernel), plan.lanes, plan.samples, order, size, rate * 1e-9, roof > 0 ? 100 * rate / roof : 0,
                (double)frames / plan.kernel_s * 1e-9, plan.registers, plan.resident);
      }
      fprintf(table, "\n");
      fflush(table);
    }
  }
  fprintf(json, "\n]}\n");
  return true;
}

int main(int argc, char** argv) {
  bool quick = false;
  FILE *json = NULL, *table = stdout;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (i + 1 < argc && strcmp(argv[i], "--json") == 0) {
      json = fopen(argv[++i], "w");
    } else if (i + 1 < argc && strcmp(argv[i], "--table") == 0) {
      table = fopen(argv[++i], "w");
    } else {
      fprintf(stderr, "Usage: bench_device [--quick] [--json FILE] [--table FILE]\n");
      return 2;
    }
    if (!table) break;
  }
  if (!json) json = fopen("/dev/null", "w");
  if (!json || !table) {
    perror("bench_device");
    return 1;
  }
  MrGpuStatus status = MR_GPU_OK;
  char why[MR_GPU_WHY] = "";
  MrGpuDevice device[1];
  uint32_t count = 0;
  const MrGpuApi* api = mr_gpu_library(&status, why);
  if (api) status = api->devices(device, 1, &count, why);
  if (!api || status != MR_GPU_OK) {
    fprintf(stderr, "bench_device: %s\n", why);
    return 4;
  }
  const bool ok = run(api, quick, json, table, &device[0]);
  return fclose(json) == 0 && fclose(table) == 0 && ok ? 0 : 1;
}
