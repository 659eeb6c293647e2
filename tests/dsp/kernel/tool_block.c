/* Runs cascades by multi-block kernels for the Python tests, which compare them with oracles of their own.
   SPDX-License-Identifier: ISC

   Requests follow each other on the standard input, all in the machine's own binary form: six 32-bit numbers (family as MrBlockFamily
   or MR_BLOCK_FAMILIES for the dense form, 1 for float or 0 for double, blocks, lanes, sections, frames), five doubles a section (s P D
   e1 e2), a double a frame. An answer is a 32-bit status, and if it is 0 a double a frame. Calls have changing lengths. AVX-512 is left
   out: its vectors are wider than the lanes that are asked for. */
#include <stdio.h>
#include <stdlib.h>

#include "../../../dsp/kernel/block_cascade.h"
#include "../../../dsp/kernel/dense.h"

enum { FAMILY, SINGLE, BLOCKS, LANES, SECTIONS, FRAMES, NUMBERS };

static void fail(const char* text) {
  fprintf(stderr, "tool_block: %s\n", text);
  exit(1);
}

static void* space(size_t n) {
  void* p = calloc(n ? n : 1, sizeof(double));
  if (!p) fail("no memory");
  return p;
}

/* One of the two is NULL. */
static void run(MrBlockCascade* cascade, MrDense* dense, void* x, size_t size, uint32_t frames) {
  uint32_t length = 1;
  for (uint32_t at = 0; at < frames;) {
    const uint32_t n = frames - at < length ? frames - at : length;
    char* block = (char*)x + at * size;
    if (dense)
      mr_dense_run(dense, block, block, n);
    else
      mr_block_cascade_run(cascade, block, block, n);
    at += n;
    length = length * 5 % 4099;
  }
}

int main(void) {
  uint32_t request[NUMBERS];
  while (fread(request, sizeof *request, NUMBERS, stdin) == NUMBERS) {
    MrSection* section = space(5 * (size_t)request[SECTIONS]);
    double* x = space(request[FRAMES]);
    if (fread(section, sizeof *section, request[SECTIONS], stdin) != request[SECTIONS] ||
        fread(x, sizeof *x, request[FRAMES], stdin) != request[FRAMES])
      fail("the request ends too early");
    const MrBlockOptions options = {.families = 1U << request[FAMILY],
                                    .single = request[SINGLE],
                                    .blocks = request[BLOCKS],
                                    .lanes = request[LANES],
                                    .cpu_level = mr_cpu_levels() & ~(uint32_t)MR_CPU_AVX512};
    MrStatus status;
    MrBlockCascade* cascade = NULL;
    MrDense* dense = NULL;
    if (request[FAMILY] == MR_BLOCK_FAMILIES)
      dense = mr_dense_new(mr_block_kernels_choose(options.cpu_level, options.single), section, request[SECTIONS], &status);
    else
      cascade = mr_block_cascade_new(&options, section, request[SECTIONS], &status);
    const uint32_t answer = status;
    fwrite(&answer, sizeof answer, 1, stdout);
    if (cascade || dense) {
      float* f = request[SINGLE] ? space(request[FRAMES]) : NULL;
      for (uint32_t i = 0; f && i < request[FRAMES]; i++) f[i] = (float)x[i];
      run(cascade, dense, f ? (void*)f : (void*)x, f ? sizeof *f : sizeof *x, request[FRAMES]);
      for (uint32_t i = 0; f && i < request[FRAMES]; i++) x[i] = (double)f[i];
      fwrite(x, sizeof *x, request[FRAMES], stdout);
      free(f);
      mr_block_cascade_free(cascade);
      mr_dense_free(dense);
    }
    fflush(stdout);
    free(section);
    free(x);
  }
  return 0;
}
