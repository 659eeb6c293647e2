/* The table of functions that every level of the float32 kernels has, and the program around it. Text of the check_single*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_SINGLE_CHECKS_H
#define MILLRACE_TESTS_SINGLE_CHECKS_H

#include <termios.h>

#include "single_samples.h"

/* Kernels to check, and the text they are compared with. */
typedef struct Level {
  const char* name;
  const MrSingleKernels *kernels, *reference;
  bool runs;                             /* on this processor */
  void (*truth)(const MrSingleKernels*); /* for a reference: what checks it itself */
} Level;

#define IO_CHECK(name, check, type, store) \
  static void check_##name(const MrSingleKernels* k, const MrSingleKernels* r, bool quick) { check(k, r, type, store, quick); }
IO_CHECK(load_f32, check_planar, SAMPLE_F32, false)
IO_CHECK(load_f64, check_planar, SAMPLE_F64, false)
IO_CHECK(store_f32, check_planar, SAMPLE_F32, true)
IO_CHECK(store_f64, check_planar, SAMPLE_F64, true)
IO_CHECK(load_interleaved_f32, check_interleaved, SAMPLE_F32, false)
IO_CHECK(load_interleaved_f64, check_interleaved, SAMPLE_F64, false)
IO_CHECK(store_interleaved_f32, check_interleaved, SAMPLE_F32, true)
IO_CHECK(store_interleaved_f64, check_interleaved, SAMPLE_F64, true)

static const struct {
  const char* name;
  size_t pointer;
  void (*check)(const MrSingleKernels* k, const MrSingleKernels* reference, bool quick);
} functions[] = {
#define FUNCTION(name) \
  { #name, offsetof(MrSingleKernels, name), check_##name }
    FUNCTION(load_f32),
    FUNCTION(load_f64),
    FUNCTION(store_f32),
    FUNCTION(store_f64),
    FUNCTION(load_interleaved_f32),
    FUNCTION(load_interleaved_f64),
    FUNCTION(store_interleaved_f32),
    FUNCTION(store_interleaved_f64),
    {"run_settled", offsetof(MrSingleKernels, run_settled), check_settled},
    {"run_chains", offsetof(MrSingleKernels, run_chains), check_chains},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

_Static_assert(sizeof(MrSingleKernels) == offsetof(MrSingleKernels, load_f32) + FUNCTIONS * sizeof(void (*)(void)),
               "a function of MrSingleKernels has no line in the table of checks");

static struct { unsigned passed, failed; } total;

static sigjmp_buf after_fault;

static void fault(int signal_number) { siglongjmp(after_fault, signal_number); }

/* Runs one line of the table, or what checks a reference itself; a fault of memory is a failure of that line. */
static void run_line(const Level* level, size_t function, bool quick) {
  const bool truth = function == FUNCTIONS;
  now.failures = 0;
  now.number = 0;
  random_state = 1; /* a line alone does what it does in the complete run */
  const int signal_number = sigsetjmp(after_fault, 1);
  if (signal_number == 0) {
    fill_section_pool();
    if (truth)
      level->truth(level->kernels);
    else
      functions[function].check(level->kernels, level->reference, quick);
  } else {
    flush_subnormals(false);
    fail("%s", strsignal(signal_number));
  }
  printf("%s %s %s (%" PRIu64 " cases)\n", now.failures ? "FAILED" : "ok    ", level->name,
         truth ? "its meaning" : functions[function].name, now.number);
  if (now.failures || now.number == 0)
    total.failed++;
  else
    total.passed++;
}

static void run_level(const Level* level, bool quick) {
  const MrSingleKernels* k = level->kernels;
  if (k->fused != level->reference->fused || k->shape.sections_per_pass < 1) {
    printf("FAILED %s: its class is not that of its reference\n", level->name);
    total.failed++;
  }
  for (size_t i = 0; i < FUNCTIONS; i++) run_line(level, i, quick);
  if (level->truth) run_line(level, FUNCTIONS, quick);
}

/* Options: --quick, --level=NAME. Returns the exit status. */
static int check_levels(int argc, char** argv, const Level* levels, size_t count) {
  bool quick = false, found = false;
  const char* only = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--quick")) {
      quick = true;
    } else if (!strncmp(argv[i], "--level=", 8)) {
      only = argv[i] + 8;
    } else {
      fprintf(stderr, "use: %s [--quick] [--level=NAME]\n", argv[0]);
      return 2;
    }
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_regions();
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGBUS, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGILL, &(struct sigaction){.sa_handler = fault}, NULL);
  for (size_t i = 0; i < count; i++) {
    if (only && strcmp(only, levels[i].name)) continue;
    found = true;
    if (levels[i].runs) {
      run_level(&levels[i], quick);
    } else {
      printf("left out: %s (not on this processor)\n", levels[i].name);
      if (only) total.failed++; /* asked for by name */
    }
  }
  if (!found) {
    fprintf(stderr, "%s: there is no level %s\n", argv[0], only);
    return 2;
  }
  printf("%u passed, %u failed\n", total.passed, total.failed);
  fflush(stdout);
  tcdrain(STDOUT_FILENO); /* as the only program of an emulated machine, this ends the machine */
  return total.failed ? 1 : 0;
}

#endif
