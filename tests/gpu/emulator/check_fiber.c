/* Fibers keep their registers, their stacks and their place, over switches in any order.
   SPDX-License-Identifier: ISC */
#include "fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIBERS = 7, ROUNDS = 50, STACK = 64 << 10 };

static MrFiber fibers[FIBERS], origin;
static char* stacks[FIBERS];
static unsigned running, ended;
static double sums[FIBERS];
static uint64_t hashes[FIBERS];
static int misaligned;

/* From the running fiber to the next that has not ended. */
static void go_on(void) {
  const unsigned from = running;
  do running = (running + 1) % FIBERS;
  while (ended >> running & 1);
  if (running != from) mr_fiber_switch(&fibers[from], &fibers[running]);
}

/* More values in registers than a switch may lose: eight of each kind, in use before and after it. */
static void work(void) {
  const unsigned me = running;
  uint64_t a = me, b = me + 1, c = me + 2, d = me + 3, e = me + 4, f = me + 5, g = me + 6, h = me + 7;
  double s = me, t = me + 0.25, u = me + 0.5, v = me + 0.75, w = 2 * me, x = 3 * me, y = 4 * me, z = 5 * me;
  for (unsigned round = 0; round < ROUNDS; round++) {
    char text[64] __attribute__((aligned(16)));
    if ((uintptr_t)text % 16) misaligned = 1;
    snprintf(text, sizeof text, "%u %.3f", round, s); /* a variadic call with doubles needs the alignment */
    go_on();
    a = a * 3 + h + (uint64_t)strtol(text, NULL, 10), b += a ^ c, c = c * 5 + b, d ^= c, e += d, f = f * 7 + e, g ^= f, h += g;
    s += 0.5 * t, t -= 0.25 * u, u += 0.125 * v, v -= 0.5 * w, w += 0.25 * x, x -= 0.125 * y, y += 0.5 * z, z -= 0.0625 * s;
  }
  hashes[me] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
  sums[me] = s + t + u + v + w + x + y + z;
}

static void entry(void) {
  work();
  ended |= 1u << running;
  if (ended == (1u << FIBERS) - 1) mr_fiber_switch(&fibers[running], &origin);
  go_on();
  abort(); /* nobody switches to a fiber that has ended */
}

/* The same work, with nobody to switch to. */
static void alone(double* sum, uint64_t* hash, unsigned me) {
  const unsigned others = ended;
  ended = ~(1u << me);
  running = me;
  work();
  *sum = sums[me];
  *hash = hashes[me];
  ended = others;
}

static int run_all(void) {
  ended = 0;
  running = 0;
  memset(sums, 0, sizeof sums);
  for (unsigned i = 0; i < FIBERS; i++) mr_fiber_prepare(&fibers[i], stacks[i], STACK - 16 * i, entry);
  mr_fiber_switch(&origin, &fibers[0]);
  double found[FIBERS];
  uint64_t hash[FIBERS];
  memcpy(found, sums, sizeof found);
  memcpy(hash, hashes, sizeof hash);
  for (unsigned i = 0; i < FIBERS; i++) {
    double sum = 0.0;
    uint64_t wanted = 0;
    alone(&sum, &wanted, i);
    if (hash[i] != wanted || memcmp(&found[i], &sum, sizeof sum) != 0) return 0;
  }
  return !misaligned;
}

static void leave(void) {
  for (;;) mr_fiber_switch(&fibers[0], &origin);
}

/* A fiber that is left in the middle, and prepared anew. */
static int left_for_good(void) {
  for (int i = 0; i < 3; i++) {
    mr_fiber_prepare(&fibers[0], stacks[0], STACK, leave);
    mr_fiber_switch(&origin, &fibers[0]);
    mr_fiber_switch(&origin, &fibers[0]);
  }
  return 1;
}

int main(void) {
  for (unsigned i = 0; i < FIBERS; i++) {
    stacks[i] = malloc(STACK);
    if (!stacks[i]) return EXIT_FAILURE;
  }
  const int kept = run_all(), again = run_all(), left = left_for_good();
  for (unsigned i = 0; i < FIBERS; i++) free(stacks[i]);
  const int passed = kept + again + left;
  if (!kept || !again) printf("registers or stacks differ after switches\n");
  printf("%d passed, %d failed\n", passed, 3 - passed);
  return passed == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
