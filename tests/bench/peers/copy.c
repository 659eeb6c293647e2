/* A plain libsndfile copy of an audio file's samples as float32, with default settings: what file access alone costs.
   SPDX-License-Identifier: ISC

   Usage: copy IN OUT [nopeak]. Reads and writes about a megabyte at a time. */
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char* what, SNDFILE* file) {
  fprintf(stderr, "copy: %s: %s\n", what, sf_strerror(file));
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  SF_INFO info;
  memset(&info, 0, sizeof info);
  SNDFILE* const in = sf_open(argv[1], SFM_READ, &info);
  if (!in) return fail(argv[1], NULL);
  SNDFILE* const out = sf_open(argv[2], SFM_WRITE, &info);
  if (!out) return fail(argv[2], NULL);
  if (argc > 3) sf_command(out, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
  const sf_count_t frames = (1 << 18) / info.channels + 1;
  float* const block = malloc((size_t)frames * (size_t)info.channels * sizeof *block);
  if (!block) return 1;
  sf_count_t n = 0, written = 0;
  while (n == written && (n = sf_readf_float(in, block, frames)) > 0) written = sf_writef_float(out, block, n);
  free(block);
  if (n > 0) return fail(argv[2], out);
  sf_close(in);
  return sf_close(out) == 0 ? 0 : 1;
}
