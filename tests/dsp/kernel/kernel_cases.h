/* What the checks of kernels share: random sections, arrays between guard pages, counting. Text of the check_*.c programs.
   SPDX-License-Identifier: ISC

   It is text, not a module, so that a check is one source that also builds for another processor. */
#ifndef MILLRACE_TESTS_KERNEL_CASES_H
#define MILLRACE_TESTS_KERNEL_CASES_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../dsp/kernel/kernel.h"

#define MAX_SECTIONS 32u
#define ANY_LANES    MR_LANES /* where a function has no number of lanes */

/* ---------------------------------------------------------------- random numbers */

static uint64_t random_state = 1;

static uint64_t random_bits(void) { /* splitmix64, public domain */
  uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint32_t random_below(uint32_t n) { return (uint32_t)((random_bits() >> 32) % n); }
static double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }
static double random_signed(void) { return 2 * random_unit() - 1; }

/* Numbers that are at an edge of something: signed zeros, infinities, NaN, the largest, subnormals. */
static double random_edge(void) {
  static const double edge[] = {0.0,       -0.0,       INFINITY,  -INFINITY, NAN,   1.7e308, -1.7e308,
                                0x1p-1074, -0x1p-1074, 0x1p-1022, 3.5e38,    1e-40, -1e-46};
  return edge[random_below(sizeof edge / sizeof *edge)];
}

/* ---------------------------------------------------------------- sections */

typedef enum SectionKind {
  SECTION_COMPLEX,
  SECTION_REAL,
  SECTION_FIRST_ORDER,
  SECTION_FIR,
  SECTION_IDENTITY,
  SECTION_SLOW, /* poles at radius 1 - 1e-7 */
  SECTION_NO_DIRECT,
  SECTION_KINDS
} SectionKind;

static MrSection section_of(const long double b[3], const long double a[2]) {
  const double s = (double)(1 + a[0] + a[1]), P = (double)(1 - a[1]), D = (double)b[0];
  return (MrSection){s, P, D, (double)(b[0] + b[1] + b[2] - (long double)D * s), (double)((long double)D * a[1] - b[2])};
}

static MrSection random_section(SectionKind kind) {
  long double r = 0.2L + 0.79L * (long double)random_unit(), angle = 3.1L * (long double)random_unit() + 0.01L;
  long double b[3] = {(long double)random_signed(), (long double)random_signed(), (long double)random_signed()};
  if (kind == SECTION_SLOW) {
    r = 1 - 1e-7L;
    angle = 1e-5L + 1e-2L * (long double)random_unit();
    b[0] *= 1e-6L, b[1] *= 1e-6L, b[2] *= 1e-6L;
  }
  long double a[2] = {-2 * r * cosl(angle), r * r};
  if (kind == SECTION_REAL) {
    const long double p = (long double)random_signed() * 0.99L, q = (long double)random_signed() * 0.99L;
    a[0] = -(p + q), a[1] = p * q;
  }
  if (kind == SECTION_FIRST_ORDER) a[0] = (long double)random_signed() * 0.999L, a[1] = 0, b[2] = 0;
  if (kind == SECTION_FIR || kind == SECTION_IDENTITY) a[0] = a[1] = 0;
  if (kind == SECTION_IDENTITY) b[0] = 1, b[1] = b[2] = 0;
  if (kind == SECTION_NO_DIRECT) b[0] = 0;
  return section_of(b, a);
}

#define POOL 512u
static MrSection section_pool[POOL];

static void fill_section_pool(void) {
  for (uint32_t i = 0; i < POOL; i++) section_pool[i] = random_section((SectionKind)(i % SECTION_KINDS));
}

/* ---------------------------------------------------------------- arrays between guard pages */

#define CANARY_BYTES 256u
#define CANARY       0xa5

/* Memory with a page before and after it that nobody may touch. */
typedef struct Region {
  unsigned char *begin, *end; /* of the memory */
  unsigned char* array;       /* in use */
  size_t bytes;
} Region;

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static Region new_region(size_t bytes) {
  const size_t page = page_size(), size = (bytes + page - 1) / page * page;
  unsigned char* all = mmap(NULL, size + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) || mprotect(all + page + size, page, PROT_NONE)) {
    perror("guard pages");
    exit(2);
  }
  Region r = {.begin = all + page, .end = all + page + size};
  memset(r.begin, CANARY, size);
  r.array = r.begin;
  return r;
}

static size_t canary_length(const unsigned char* from, const unsigned char* to) {
  return (size_t)(to - from) < CANARY_BYTES ? (size_t)(to - from) : CANARY_BYTES;
}

/* An array of the region that ends at the guard page (at_end) or starts `offset` bytes after the other one. */
static void* place(Region* r, size_t bytes, bool at_end, size_t offset) {
  r->array = at_end ? r->end - bytes : r->begin + offset;
  r->bytes = bytes;
  const size_t before = canary_length(r->begin, r->array), after = canary_length(r->array + bytes, r->end);
  memset(r->array - before, CANARY, before);
  memset(r->array + bytes, CANARY, after);
  return r->array;
}

static bool untouched_around(const Region* r) {
  const size_t before = canary_length(r->begin, r->array), after = canary_length(r->array + r->bytes, r->end);
  for (size_t i = 1; i <= before; i++)
    if (*(r->array - i) != CANARY) return false;
  for (size_t i = 0; i < after; i++)
    if (r->array[r->bytes + i] != CANARY) return false;
  return true;
}

/* ---------------------------------------------------------------- cases and counting */

/* The case that runs, for the message of one that fails. */
static struct {
  const char* what;
  uint32_t sections, lanes, frames, first, stride;
  uint64_t number;
  unsigned failures;
} now;

static void begin_case(const char* what, uint32_t sections, uint32_t lanes, uint32_t frames, uint32_t first, uint32_t stride) {
  now.what = what;
  now.sections = sections;
  now.lanes = lanes;
  now.frames = frames;
  now.first = first;
  now.stride = stride;
  now.number++;
}

__attribute__((format(printf, 1, 2))) static void fail(const char* format, ...) {
  if (now.failures++ >= 3) return; /* the first few say it */
  va_list arguments;
  va_start(arguments, format);
  printf("    %s, %u sections, %u lanes, %u frames from %u, stride %u: ", now.what, now.sections, now.lanes, now.frames, now.first,
         now.stride);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
}

static void expect_untouched(const Region* r, const char* name) {
  if (!untouched_around(r)) fail("wrote outside of %s", name);
}

static void expect_equal(const void* got, const void* expected, size_t bytes, const char* name) {
  if (memcmp(got, expected, bytes)) fail("%s changed", name);
}

/* ---------------------------------------------------------------- floating-point modes */

/* Subnormals as zero, in and out; what the engine sets. Returns whether that can be set here. */
static void flush_subnormals(bool on) {
#if defined(__x86_64__)
  const unsigned mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(on ? mode | 0x8040u : mode & ~0x8040u);
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  mode = on ? mode | (1u << 24) : mode & ~((uint64_t)1 << 24);
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
  (void)on;
#endif
}

#endif
