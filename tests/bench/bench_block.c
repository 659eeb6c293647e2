/* Cycles of the multi-block kernels, and of the dense form, for 8 samples of one section, as papers on the subject count them.
   SPDX-License-Identifier: ISC

   Eight sections of a Butterworth low-pass of order 16 at 0.2 pi over a tile that stays in the first-level cache; with the permutation
   of the tile in and out ("with") or without. A cycle is the latency of an integer addition: a chain of them is timed in every round,
   beside the kernels. Rounds of all kernels in turn; medians, and the 10th and 90th percentile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../dsp/kernel/block_sections.h"

#include "../../dsp/kernel/block_tables.h"
#include "../../dsp/kernel/dense.h"
#include "../../dsp/kernel/fpmode.h"

enum { ROUNDS = 31, SECTIONS = 8, TILE = 4096, CHAIN = 100000, TIMES = 8, MOST_LINES = 1024 };

typedef struct Line {
  MrBlockFamily family;
  uint32_t lanes, blocks;
  bool unit;      /* b0 = 1 in every section */
  MrDense* dense; /* instead of a family */
  void* table;
  size_t table_bytes;
  double without[ROUNDS], with[ROUNDS];
} Line;

static const MrBlockKernels* kernels;
static size_t size;
static _Alignas(64) double in[TILE], x[TILE], out[TILE];
static _Alignas(64) double state[SECTIONS * MR_BLOCK_STATE];
static Line lines[MOST_LINES];
static uint32_t line_count;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of a cycle: dependent additions of registers, which take one each on every processor we know. */
static double cycle_ns(void) {
  uint64_t a = 1, b = 3;
  const double from = now();
  for (uint32_t i = 0; i < CHAIN / 20; i++) {
#if defined(__x86_64__)
    __asm__ volatile(".rept 20\n\taddq %1, %0\n\t.endr" : "+r"(a) : "r"(b));
#elif defined(__aarch64__)
    __asm__ volatile(".rept 20\n\tadd %0, %0, %1\n\t.endr" : "+r"(a) : "r"(b));
#else
#error "no chain for this processor"
#endif
  }
  return (now() - from) / CHAIN;
}

static void run_sections(const Line* line, const MrBlockShape* shape) {
  kernels->run[line->family](x, shape, line->table, line->table_bytes, state, SECTIONS);
}

static void run_dense(const Line* line, uint32_t call) {
  for (uint32_t at = 0; at < TILE; at += call) mr_dense_run(line->dense, (const char*)in + at * size, (char*)out + at * size, call);
}

static double cycle_sum; /* of all measured, ns */
static uint32_t cycle_count;

/* Cycles of 8 samples and a section. */
static void time_line(Line* line, uint32_t round) {
  const MrBlockShape shape = {line->lanes, line->blocks, TILE / (line->lanes * line->blocks)};
  const double work = TIMES * (double)TILE / 8 * SECTIONS;
  memset(state, 0, sizeof state);
  if (line->dense) {
    run_dense(line, TILE); /* its tables into the cache */
  } else {
    kernels->permute(in, x, &shape);
    run_sections(line, &shape);
  }
  const double cycle_before = cycle_ns();
  double from = now();
  for (uint32_t i = 0; i < TIMES; i++) {
    if (line->dense) {
      run_dense(line, 64);
      continue;
    }
    kernels->permute(in, x, &shape);
    run_sections(line, &shape);
    kernels->depermute(x, out, &shape);
  }
  const double with = now() - from;
  from = now();
  for (uint32_t i = 0; i < TIMES; i++) {
    if (line->dense)
      run_dense(line, TILE);
    else
      run_sections(line, &shape);
  }
  const double without = now() - from, cycle_after = cycle_ns();
  const double cycle = cycle_before < cycle_after ? cycle_before : cycle_after;
  cycle_sum += cycle;
  cycle_count++;
  line->with[round] = with / work / cycle;
  line->without[round] = without / work / cycle;
}

static int ascending(const void* a, const void* b) {
  const double p = *(const double*)a, q = *(const double*)b;
  return (p > q) - (p < q);
}

static void add_line(MrBlockFamily family, uint32_t lanes, uint32_t blocks, bool unit) {
  Line* line = &lines[line_count++];
  *line = (Line){.family = family, .lanes = lanes, .blocks = blocks, .unit = unit};
  static Case c;
  memset(&c, 0, sizeof c);
  add_butterworth(&c, 2 * SECTIONS, 0.2 * acos(-1));
  if (family == MR_BLOCK_FAMILIES) {
    MrStatus status;
    line->dense = mr_dense_new(kernels, c.section, SECTIONS, &status);
    if (!line->dense) exit(1);
    return;
  }
  line->table_bytes = mr_block_table_size(family, kernels->width, blocks) * size;
  line->table = aligned_alloc(64, (line->table_bytes * SECTIONS + 63) / 64 * 64);
  if (!line->table) exit(1);
  for (uint32_t k = 0; k < SECTIONS; k++) {
    MrSection* q = &c.section[k];
    if (unit) *q = (MrSection){q->s, q->P, 1, q->e1 / q->D, q->e2 / q->D};
    if (mr_block_table_fill(kernels, family, q, lanes, blocks, (char*)line->table + k * line->table_bytes) != MR_OK) exit(1);
  }
}

static void print_line(const Line* line, bool json, bool last) {
  const uint32_t low = ROUNDS / 10, middle = ROUNDS / 2, high = ROUNDS - 1 - ROUNDS / 10;
  const double *w = line->with, *o = line->without;
  const char* format =
      json ? "  {\"family\": \"%s\", \"unit_b0\": %s, \"lanes\": %u, \"blocks\": %u, \"without\": [%.3f, %.3f, %.3f], \"with\": "
             "[%.3f, %.3f, %.3f]}%s\n"
           : "%-10s %-6s %5u %5u %8.2f  (%5.2f, %5.2f) %8.2f  (%5.2f, %5.2f)%s\n";
  printf(format, line->dense ? "dense" : mr_block_family_name(line->family),
         json ? (line->unit ? "true" : "false") : (line->unit ? "b0=1" : ""), line->lanes, line->blocks, json ? o[low] : o[middle],
         json ? o[middle] : o[low], o[high], json ? w[low] : w[middle], json ? w[middle] : w[low], w[high], json && !last ? "," : "");
}

int main(int argc, char** argv) {
  bool json = false, single = true;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--json")) {
      json = true;
    } else if (!strcmp(argv[i], "--double")) {
      single = false;
    } else {
      printf("use: %s [--json] [--double]\n", argv[0]);
      return 2;
    }
  }
  kernels = mr_block_kernels_choose(0, single);
  size = single ? sizeof(float) : sizeof(double);
  for (uint32_t i = 0; i < TILE; i++) {
    if (single)
      ((float*)(void*)in)[i] = (float)case_random();
    else
      in[i] = case_random();
  }
  for (uint32_t family = 0; family < MR_BLOCK_FAMILIES; family++)
    for (uint32_t unit = 0; unit < (family == MR_BLOCK_PH_STATES ? 2U : 1U); unit++)
      for (uint32_t lanes = 8; lanes <= 16; lanes *= 2)
        for (uint32_t blocks = 8; blocks <= 128 && lanes >= kernels->width; blocks *= 2)
          add_line((MrBlockFamily)family, lanes, blocks, unit);
  add_line(MR_BLOCK_FAMILIES, MR_DENSE_BLOCK, 1, false);
  (void)mr_fpmode_enter();
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t i = 0; i < line_count; i++) time_line(&lines[i], round);
  if (json)
    printf(
        "{\"level\": \"%s\", \"precision\": \"%s\", \"cycle_ns\": %.5f, \"unit\": \"cycles for 8 samples and a section: 10th percentile, "
        "median, 90th\", "
        "\"kernels\": [\n",
        mr_cpu_level_name(kernels->level), single ? "float32" : "float64", cycle_sum / cycle_count);
  else
    printf("%s, %s: cycles for 8 samples and a section; medians (10th and 90th percentile)\n%-10s %-6s %5s %5s %8s %16s %8s\n",
           mr_cpu_level_name(kernels->level), single ? "float32" : "float64", "family", "", "L", "N", "without", "", "with permutation");
  for (uint32_t i = 0; i < line_count; i++) {
    qsort(lines[i].with, ROUNDS, sizeof(double), ascending);
    qsort(lines[i].without, ROUNDS, sizeof(double), ascending);
    print_line(&lines[i], json, i + 1 == line_count);
    free(lines[i].table);
    mr_dense_free(lines[i].dense);
  }
  if (json) printf("]}\n");
  return 0;
}
