/* The table of functions that every level has, and the program around it. Text of the check_*.c programs.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_CHECKS_H
#define MILLRACE_TESTS_KERNEL_CHECKS_H

#include <termios.h>

#include "kernel_bench.h"
#include "kernel_cases.h"
#include "kernel_samples.h"
#include "kernel_sections.h"

/* Kernels to check, and the text they are compared with. */
typedef struct Level {
  const char* name;
  const MrKernels *kernels, *reference;
  bool runs;       /* on this processor */
  bool also_truth; /* the reference itself: is compared with what its formulas mean, too */
} Level;

typedef void Check(const MrKernels* k, const MrKernels* reference, bool quick);

#define FUNCTION(name) \
  { #name, offsetof(MrKernels, name), check_##name }

static const struct {
  const char* name;
  size_t pointer;
  Check* check;
} functions[] = {
    FUNCTION(load_f32),
    FUNCTION(load_f64),
    FUNCTION(store_f32),
    FUNCTION(store_f64),
    FUNCTION(load_interleaved_f32),
    FUNCTION(load_interleaved_f64),
    FUNCTION(store_interleaved_f32),
    FUNCTION(store_interleaved_f64),
    {"run_settled", offsetof(MrKernels, run_settled), check_settled},
    {"run_chains", offsetof(MrKernels, run_chains), check_chains},
    {"run_moving", offsetof(MrKernels, run_moving), check_moving},
    FUNCTION(rows),
    FUNCTION(ramp),
    FUNCTION(mix),
    FUNCTION(peak_f32),
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

_Static_assert(sizeof(MrKernels) == offsetof(MrKernels, load_f32) + FUNCTIONS * sizeof(void (*)(void)),
               "a function of MrKernels has no line in the table of checks");

static struct { unsigned passed, failed; } total;

static sigjmp_buf after_fault;

static void fault(int signal_number) { siglongjmp(after_fault, signal_number); }

/* Runs one line of the table; a fault of memory is a failure of that line. */
static void run_line(const char* level, const char* name, Check* check, const MrKernels* k, const MrKernels* reference, bool quick) {
  now.failures = 0;
  now.number = 0;
  random_state = 1; /* a line alone does what it does in the complete run */
  const int signal_number = sigsetjmp(after_fault, 1);
  if (signal_number == 0) {
    fill_section_pool();
    check(k, reference, quick);
  } else {
    flush_subnormals(false);
    fail("%s", strsignal(signal_number));
  }
  printf("%s %s %s (%" PRIu64 " cases)\n", now.failures ? "FAILED" : "ok    ", level, name, now.number);
  if (now.failures || now.number == 0)
    total.failed++;
  else
    total.passed++;
}

static void run_level(const Level* level, bool quick) {
  const MrKernels *k = level->kernels, *reference = level->reference;
  const bool sound = k->fused == reference->fused && k->shape.sections_per_pass >= 1;
  if (!sound) printf("FAILED %s: its class is not that of its reference\n", level->name), total.failed++;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    void (*function)(void);
    memcpy(&function, (const char*)k + functions[i].pointer, sizeof function);
    if (function) {
      run_line(level->name, functions[i].name, functions[i].check, k, reference, quick);
    } else {
      printf("FAILED %s %s: there is none\n", level->name, functions[i].name);
      total.failed++;
    }
  }
}

static void use(const char* program) { printf("use: %s [--quick] [--list] [--bench] [--level=NAME]\n", program); }

typedef struct Options {
  bool quick, list, bench;
  const char* level;
} Options;

static bool read_options(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--quick"))
      options->quick = true;
    else if (!strcmp(argv[i], "--list"))
      options->list = true;
    else if (!strcmp(argv[i], "--bench"))
      options->bench = true;
    else if (!strncmp(argv[i], "--level=", 8))
      options->level = argv[i] + 8;
    else
      return false;
  }
  return true;
}

/* Everything that was asked for of `count` levels; `truth` checks the references themselves. Returns the exit status. */
static int check_levels(int argc, char** argv, const Level* levels, size_t count, void (*truth)(const Level*, bool quick)) {
  Options options = {0};
  if (!read_options(argc, argv, &options)) {
    use(argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_tile_regions();
  make_sample_regions();
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGBUS, &(struct sigaction){.sa_handler = fault}, NULL);
  sigaction(SIGILL, &(struct sigaction){.sa_handler = fault}, NULL);
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    const Level* level = &levels[i];
    if (options.level && strcmp(options.level, level->name)) continue;
    found = true;
    if (options.list) {
      for (size_t j = 0; j < FUNCTIONS; j++)
        printf("%s %s%s\n", level->name, functions[j].name, level->runs ? "" : " (not on this processor)");
    } else if (!level->runs) {
      printf("left out: %s (not on this processor)\n", level->name);
      if (options.level) total.failed++; /* asked for by name */
    } else if (options.bench) {
      bench_level(level->name, level->kernels, level->reference);
    } else {
      run_level(level, options.quick);
      if (level->also_truth && truth) truth(level, options.quick);
    }
  }
  if (!found) {
    fprintf(stderr, "%s: there is no level %s\n", argv[0], options.level);
    return 2;
  }
  if (!options.list && !options.bench) printf("%u passed, %u failed\n", total.passed, total.failed);
  fflush(stdout);
  tcdrain(STDOUT_FILENO); /* as the only program of an emulated machine, this ends the machine */
  return total.failed ? 1 : 0;
}

#endif
