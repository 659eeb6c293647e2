/* liquid-dsp's cascade of sections on one channel: how long it takes and what comes out.
   SPDX-License-Identifier: ISC

   Usage: liquid SECTIONS IN OUT. SECTIONS has rows of b0 b1 b2 a0 a1 a2; IN and OUT are bare float32. Prints nanoseconds a sample. */
#include <stddef.h>

#include <liquid/liquid.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SECTIONS = 64 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned read_sections(const char* path, float* b, float* a) {
  FILE* const file = fopen(path, "r");
  if (!file) return 0;
  unsigned n = 0;
  while (n < SECTIONS &&
         fscanf(file, "%f %f %f %f %f %f", b + 3 * n, b + 3 * n + 1, b + 3 * n + 2, a + 3 * n, a + 3 * n + 1, a + 3 * n + 2) == 6)
    ++n;
  fclose(file);
  return n;
}

static float* read_samples(const char* path, size_t* n) {
  FILE* const file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *n = (size_t)ftell(file) / sizeof(float);
  rewind(file);
  float* const x = malloc(*n * sizeof *x + 1);
  if (x && fread(x, sizeof *x, *n, file) != *n) *n = 0;
  fclose(file);
  return x;
}

int main(int argc, char** argv) {
  float b[3 * SECTIONS], a[3 * SECTIONS];
  size_t n = 0;
  const unsigned sections = argc == 4 ? read_sections(argv[1], b, a) : 0;
  float* const x = sections ? read_samples(argv[2], &n) : NULL;
  FILE* const out = x && n ? fopen(argv[3], "wb") : NULL;
  if (!out) return 1;
  iirfilt_rrrf filter = iirfilt_rrrf_create_sos(b, a, sections);
  const double start = now();
  iirfilt_rrrf_execute_block(filter, x, (unsigned)n, x);
  printf("%.4f\n", 1e9 * (now() - start) / (double)n);
  iirfilt_rrrf_destroy(filter);
  const size_t written = fwrite(x, sizeof *x, n, out);
  free(x);
  return fclose(out) == 0 && written == n ? 0 : 1;
}
