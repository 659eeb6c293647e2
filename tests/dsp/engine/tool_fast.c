/* Cascades given as coefficients through the engine in float32 arithmetic, and what the rule says of them.
   SPDX-License-Identifier: ISC

   Use: tool_fast LEVEL, a CPU level's name. Standard input: channels, sections a channel, frames as uint32; b0 b1 b2 a1 a2 of every section as float64
   [channels][sections][5]; samples as float64 [frames], the same for every channel. Standard output: mr_section_fast_error() of every section,
   float64 [channels][sections]; then four float64 of mr_program_fast_rule(): holds, channel, section, error; then the
   output, float32 [frames][channels]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/millrace.h"

static void fail(const char* what) {
  fprintf(stderr, "tool_fast: %s\n", what);
  exit(1);
}

static void get(void* to, size_t size, size_t count) {
  if (fread(to, size, count, stdin) != count) fail("the input is too short");
}

static void put(const void* from, size_t size, size_t count) {
  if (fwrite(from, size, count, stdout) != count) fail("output");
}

static uint32_t level_named(const char* name) {
  for (uint32_t level = 1; level <= MR_CPU_NEON; level <<= 1)
    if (!strcmp(mr_cpu_level_name((MrCpuLevel)level), name)) return level;
  fail("no such level");
  return 0;
}

static MrProgram* read_program(uint32_t channels, uint32_t sections) {
  MrBank* bank = mr_bank_new(channels);
  if (!bank) fail("bank");
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < sections; k++) {
      double row[5];
      get(row, sizeof row, 1);
      MrDesign design = mr_design_default(MR_COEFFICIENTS);
      memcpy(design.b, row, sizeof design.b);
      design.a[0] = 1;
      design.a[1] = row[3];
      design.a[2] = row[4];
      if (mr_bank_add_filter(bank, c, &design) != MR_OK) fail("filter");
    }
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  mr_bank_free(bank);
  if (!program) fail("program");
  return program;
}

static void put_rule(const MrProgram* program, uint32_t channels, uint32_t sections) {
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < sections; k++) {
      const double error = mr_section_fast_error(mr_program_section(program, c, k));
      put(&error, sizeof error, 1);
    }
  const MrFastRule rule = mr_program_fast_rule(program);
  const double numbers[4] = {rule.holds, rule.channel, rule.section, rule.error};
  put(numbers, sizeof numbers, 1);
}

int main(int argc, char** argv) {
  uint32_t size[3];
  if (argc != 2) fail("use: tool_fast LEVEL");
  const uint32_t level = level_named(argv[1]);
  get(size, sizeof size, 1);
  MrProgram* program = read_program(size[0], size[1]);
  put_rule(program, size[0], size[1]);
  const MrEngineOptions options = {.channels = size[0], .fs = 48000, .cpu_level = level, .precision = MR_PRECISION_FAST};
  MrEngine* engine = mr_engine_new(&options, NULL);
  if (!engine || mr_engine_give(engine, program) != MR_OK) fail("engine");
  float* block = calloc((size_t)64 * size[0], sizeof *block);
  double sample[64];
  if (!block) fail("memory");
  for (uint32_t at = 0; at < size[2]; at += 64) {
    const uint32_t n = size[2] - at < 64 ? size[2] - at : 64;
    get(sample, sizeof *sample, n);
    for (size_t i = 0; i < (size_t)n * size[0]; i++) block[i] = (float)sample[i / size[0]];
    mr_engine_process_interleaved_f32(engine, block, block, n);
    put(block, sizeof *block, (size_t)n * size[0]);
  }
  free(block);
  mr_engine_free(engine);
  return 0;
}
