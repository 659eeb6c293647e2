/* Times of kernels, and their ratio to the C reference of their class in the same rounds.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_BENCH_H
#define MILLRACE_TESTS_KERNEL_BENCH_H

#include <time.h>

#include "kernel_doubles.h"

#define ROUNDS       31u
#define ROUND_FRAMES (64u * MR_CELL) /* at least, in a round */

typedef enum Work {
  WORK_SETTLED,
  WORK_MOVING,
  WORK_LOAD_F32,
  WORK_LOAD_F64,
  WORK_STORE_F32,
  WORK_STORE_F64,
  WORK_LOAD_INTERLEAVED_F32,
  WORK_LOAD_INTERLEAVED_F64,
  WORK_STORE_INTERLEAVED_F32,
  WORK_STORE_INTERLEAVED_F64
} Work;

static struct {
  _Alignas(MR_ALIGN) double x[MR_CELL * MR_LANES], coef[MAX_SECTIONS * MR_COEF_STRIDE], state[MAX_SECTIONS * MR_STATE_STRIDE];
  _Alignas(MR_ALIGN) double mask[MR_LANES], gain[MR_LANES], f64[MR_CELL * MR_LANES];
  _Alignas(MR_ALIGN) float f32[MR_CELL * MR_LANES];
  _Alignas(MR_ALIGN) MrMoving row[MAX_SECTIONS * MR_CELL];
} bench;

static void work_once(const MrKernels* k, Work work, uint32_t sections, uint32_t lanes) {
  const float* in32[MR_LANES];
  const double* in64[MR_LANES];
  float* out32[MR_LANES];
  double* out64[MR_LANES];
  for (uint32_t l = 0; l < MR_LANES; l++) {
    in32[l] = out32[l] = bench.f32 + l * MR_CELL;
    in64[l] = out64[l] = bench.f64 + l * MR_CELL;
  }
  switch (work) {
    case WORK_SETTLED:
      k->run_settled(bench.x, MR_CELL, bench.coef, bench.state, sections, lanes);
      break;
    case WORK_MOVING:
      k->run_moving(bench.x, MR_CELL, bench.row, bench.state, bench.mask, sections, lanes);
      break;
    case WORK_LOAD_F32:
      k->load_f32(in32, MR_CELL, bench.x);
      break;
    case WORK_LOAD_F64:
      k->load_f64(in64, MR_CELL, bench.x);
      break;
    case WORK_STORE_F32:
      k->store_f32(bench.x, MR_CELL, bench.gain, out32);
      break;
    case WORK_STORE_F64:
      k->store_f64(bench.x, MR_CELL, bench.gain, out64);
      break;
    case WORK_LOAD_INTERLEAVED_F32:
      k->load_interleaved_f32(bench.f32, MR_LANES, lanes, MR_CELL, bench.x);
      break;
    case WORK_LOAD_INTERLEAVED_F64:
      k->load_interleaved_f64(bench.f64, MR_LANES, lanes, MR_CELL, bench.x);
      break;
    case WORK_STORE_INTERLEAVED_F32:
      k->store_interleaved_f32(bench.x, MR_CELL, bench.gain, bench.f32, MR_LANES, lanes);
      break;
    case WORK_STORE_INTERLEAVED_F64:
      k->store_interleaved_f64(bench.x, MR_CELL, bench.gain, bench.f64, MR_LANES, lanes);
      break;
  }
}

/* ns for each frame of a round; the inputs are the same in each. */
static double time_round(const MrKernels* k, Work work, uint32_t sections, uint32_t lanes) {
  struct timespec from, to;
  random_state = 2;
  for (uint32_t i = 0; i < MR_CELL * MR_LANES; i++) bench.x[i] = random_signed();
  memset(bench.state, 0, sizeof bench.state);
  const uint32_t times = ROUND_FRAMES / MR_CELL;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (uint32_t i = 0; i < times; i++) work_once(k, work, sections, lanes);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (times * MR_CELL);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void bench_line(const char* level, const MrKernels* k, const MrKernels* reference, const char* name, Work work, uint32_t sections,
                       uint32_t lanes) {
  double ns[ROUNDS], ratio[ROUNDS];
  for (uint32_t i = 0; i < ROUNDS; i++) {
    const double slow = time_round(reference, work, sections, lanes);
    ns[i] = time_round(k, work, sections, lanes) / (lanes * (sections ? sections : 1));
    ratio[i] = slow / (lanes * (sections ? sections : 1)) / ns[i];
  }
  qsort(ns, ROUNDS, sizeof *ns, ascending);
  qsort(ratio, ROUNDS, sizeof *ratio, ascending);
  printf("%-16s %-22s %8u %5u %10.3f %8.2f\n", level, name, sections, lanes, ns[ROUNDS / 2], ratio[ROUNDS / 2]);
}

/* One line for each function and size: median of the rounds, those of kernels and reference in turn. The reference is the one that is
   compiled for this machine's fused instructions, where there is one. */
static void bench_level(const char* level, const MrKernels* k, const MrKernels* reference) {
  static const struct {
    const char* name;
    Work work;
    bool lanes;
  } sample_work[] = {
      {"load f32", WORK_LOAD_F32, false},
      {"load f64", WORK_LOAD_F64, false},
      {"store f32", WORK_STORE_F32, false},
      {"store f64", WORK_STORE_F64, false},
      {"load interleaved f32", WORK_LOAD_INTERLEAVED_F32, true},
      {"load interleaved f64", WORK_LOAD_INTERLEAVED_F64, true},
      {"store interleaved f32", WORK_STORE_INTERLEAVED_F32, true},
      {"store interleaved f64", WORK_STORE_INTERLEAVED_F64, true},
  };
  if (reference->fused) reference = mr_kernels_choose(MR_CPU_REFERENCE);
  for (uint32_t s = 0; s < MAX_SECTIONS; s++) {
    MrSection q[MR_LANES];
    for (uint32_t l = 0; l < MR_LANES; l++) {
      do q[l] = random_section(SECTION_COMPLEX);
      while (q[l].s > 1.5); /* poles at the right, as of an equaliser */
      q[l].D = 1;
      put_section(bench.coef + s * MR_COEF_STRIDE, l, &q[l]);
    }
    const MrMoving m = moving_of(&q[0]);
    for (uint32_t f = 0; f < MR_CELL; f++) bench.row[s * MR_CELL + f] = m;
  }
  memset(bench.mask, 0xff, sizeof bench.mask);
  for (uint32_t l = 0; l < MR_LANES; l++) bench.gain[l] = 0.5;
  printf("%-16s %-22s %8s %5s %10s %8s\n", "level", "function", "sections", "lanes", "ns", "ratio"); /* ns: a section, frame, channel */
  for (uint32_t moving = 0; moving < 2; moving++)
    for (uint32_t sections = 1; sections <= 16; sections *= 2)
      for (uint32_t lanes = 1; lanes <= MR_LANES; lanes *= 2)
        bench_line(level, k, reference, moving ? "moving" : "settled", moving ? WORK_MOVING : WORK_SETTLED, sections, lanes);
  for (size_t i = 0; i < sizeof sample_work / sizeof *sample_work; i++)
    for (uint32_t lanes = sample_work[i].lanes ? 1 : MR_LANES; lanes <= MR_LANES; lanes *= 2)
      bench_line(level, k, reference, sample_work[i].name, sample_work[i].work, 0, lanes);
}

#endif
