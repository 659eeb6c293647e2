/* Plays a script on an engine: commands on standard input, float64 samples (interleaved, raw) on standard output.
   SPDX-License-Identifier: ISC

     engine CHANNELS FS BANDS LEVEL       LEVEL: a CPU level's name, or - for the best
     band I ON TYPE MODE RESPONSE ORDER FC GAIN Q [SET]   numbers of the enums; SET: channels 0 to 63 in hexadecimal, all if missing
     gain DB
     mid_side 0|1
     apply                                gives the bands and mid_side to a parametric engine, and the gain to any
     bypass 0|1
     mute 0|1
     bank LINE|LINE...                    gives a program of that bank text
     banks BANK/BANK...                   gives a program of the first bank text, with the others as its variants
     choose VARIANT
     reset
     sine FC AMPLITUDE                    channel c of C starts at phase 2 pi c / C; goes on through runs
     dc VALUE
     noise AMPLITUDE
     impulse VALUE                        at the first frame of the next run, then silence
     run FRAMES BLOCK
     skip FRAMES BLOCK                    as run, nothing printed
     stream FRAMES LINE|LINE...           the same signal through a renderer of one channel with that bank text, which is printed
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/millrace.h"

typedef enum Signal { SINE, DC, NOISE, IMPULSE } Signal;

typedef struct Player {
  MrEngine* engine;
  MrEngineOptions options;
  MrBand band[64];
  double gain_db;
  bool mid_side;
  Signal signal;
  double fc, amplitude;
  uint64_t frame;
  uint64_t random;
} Player;

static void fail(const char* what) {
  fprintf(stderr, "tool_engine: %s\n", what);
  exit(1);
}

static uint32_t level_named(const char* name) {
  for (uint32_t level = 1; level <= MR_CPU_NEON; level <<= 1)
    if (!strcmp(mr_cpu_level_name((MrCpuLevel)level), name)) return level;
  return 0;
}

static void make_engine(Player* player, const char* arguments) {
  char level[32];
  MrEngineOptions* o = &player->options;
  if (sscanf(arguments, "%u %lf %u %31s", &o->channels, &o->fs, &o->max_bands, level) != 4) fail("engine");
  o->cpu_level = level_named(level);
  o->largest_block = 1024;
  player->engine = mr_engine_new(o, NULL);
  if (!player->engine) fail("no engine");
}

static void set_band(Player* player, const char* arguments) {
  unsigned i, on, type, mode, response, order;
  unsigned long long set = ~0ull;
  double fc, gain_db, q;
  if (sscanf(arguments, "%u %u %u %u %u %u %lf %lf %lf %llx", &i, &on, &type, &mode, &response, &order, &fc, &gain_db, &q, &set) < 9 ||
      i >= 64)
    fail("band");
  MrBand* band = &player->band[i];
  band->on = on != 0;
  band->design = mr_design_default((MrFilterType)type);
  band->design.mode = (MrMode)mode;
  band->design.response = (MrResponse)response;
  band->design.order = order;
  band->design.fc = fc;
  band->design.gain_db = gain_db;
  band->design.width = q;
  band->set[0] = set;
}

static void say(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  (void)handle;
  (void)severity;
  (void)file;
  fprintf(stderr, "%u: %s\n", line, text);
}

static MrProgram* program_of_text(const Player* player, uint32_t channels, char* text) {
  for (char* c = text; *c; c++)
    if (*c == '|') *c = '\n';
  const MrReadOptions options = {.channels = channels, .fs = player->options.fs};
  const MrMessages messages = {say, NULL};
  MrBank* bank = mr_bank_read_text(NULL, text, strlen(text), "script", &options, &messages, NULL);
  MrProgram* program = bank ? mr_program_new(bank, player->options.fs, &messages, NULL) : NULL;
  mr_bank_free(bank);
  if (!program) fail("bank");
  return program;
}

static void give_bank(Player* player, char* text) {
  if (mr_engine_give(player->engine, program_of_text(player, player->options.channels, text)) != MR_OK) fail("bank");
}

static void give_banks(Player* player, char* texts) {
  MrProgram* program = NULL;
  char* rest = NULL;
  for (char* text = strtok_r(texts, "/", &rest); text; text = strtok_r(NULL, "/", &rest)) {
    MrProgram* next = program_of_text(player, player->options.channels, text);
    if (!program)
      program = next;
    else if (mr_program_add_variant(program, next) != MR_OK)
      fail("variant");
  }
  if (mr_engine_give(player->engine, program) != MR_OK) fail("banks");
}

static double sample(Player* player, uint32_t channel, uint32_t frame_of_run) {
  switch (player->signal) {
    case SINE:
      return player->amplitude *
             sin(2 * M_PI *
                 (fmod(player->fc * (double)player->frame / player->options.fs, 1) + (double)channel / player->options.channels));
    case DC:
      return player->amplitude;
    case NOISE:
      player->random = player->random * 6364136223846793005u + 1442695040888963407u;
      return player->amplitude * ((double)(player->random >> 11) * 0x1p-52 - 1);
    case IMPULSE:
      return frame_of_run ? 0 : player->amplitude;
  }
  return 0;
}

static void run(Player* player, const char* arguments, int print) {
  unsigned frames, block;
  if (sscanf(arguments, "%u %u", &frames, &block) != 2 || !block) fail("run");
  const uint32_t channels = player->options.channels;
  double* buffer = calloc((size_t)block * channels, sizeof *buffer);
  if (!buffer) fail("memory");
  for (uint32_t done = 0; done < frames; done += block) {
    const uint32_t n = frames - done < block ? frames - done : block;
    for (uint32_t f = 0; f < n; f++, player->frame++)
      for (uint32_t c = 0; c < channels; c++) buffer[(size_t)f * channels + c] = sample(player, c, done + f);
    mr_engine_process_interleaved_f64(player->engine, buffer, buffer, n);
    if (print && fwrite(buffer, sizeof *buffer * channels, n, stdout) != n) fail("output");
  }
  free(buffer);
}

/* In one call, which may be the last one of a stream. */
static void stream(Player* player, char* arguments) {
  int begin = 0;
  unsigned frames;
  if (sscanf(arguments, "%u %n", &frames, &begin) != 1 || !frames) fail("stream");
  const MrRendererOptions options = {.engine = {.channels = 1, .fs = player->options.fs, .cpu_level = player->options.cpu_level},
                                     .wide = true};
  MrRenderer* renderer = mr_renderer_new(&options, program_of_text(player, 1, arguments + begin), NULL);
  double* buffer = calloc(frames, sizeof *buffer);
  if (!renderer || !buffer) fail("renderer");
  for (uint32_t f = 0; f < frames; f++, player->frame++) buffer[f] = sample(player, 0, f);
  if (mr_renderer_process(renderer, buffer, buffer, frames) != MR_OK) fail("process");
  if (fwrite(buffer, sizeof *buffer, frames, stdout) != frames) fail("output");
  free(buffer);
  mr_renderer_free(renderer);
}

int main(void) {
  static Player player;
  static char line[1 << 20];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char* rest = line + strcspn(line, " ");
    if (*rest) *rest++ = '\0';
    if (!strcmp(line, "engine"))
      make_engine(&player, rest);
    else if (!player.engine)
      fail("a script starts with engine");
    else if (!strcmp(line, "band"))
      set_band(&player, rest);
    else if (!strcmp(line, "gain"))
      player.gain_db = atof(rest);
    else if (!strcmp(line, "mid_side"))
      player.mid_side = atoi(rest) != 0;
    else if (!strcmp(line, "apply")) {
      const MrBands bands = {player.band, player.options.max_bands, player.mid_side};
      if (player.options.max_bands && mr_engine_set_bands(player.engine, &bands) != MR_OK) fail("bands refused");
      if (mr_engine_set_gain(player.engine, player.gain_db) != MR_OK) fail("gain refused");
    } else if (!strcmp(line, "mute"))
      mr_engine_mute(player.engine, atoi(rest) != 0);
    else if (!strcmp(line, "choose"))
      mr_engine_choose(player.engine, (uint32_t)atoi(rest));
    else if (!strcmp(line, "banks"))
      give_banks(&player, rest);
    else if (!strcmp(line, "bypass"))
      mr_engine_bypass(player.engine, atoi(rest) != 0);
    else if (!strcmp(line, "bank"))
      give_bank(&player, rest);
    else if (!strcmp(line, "reset"))
      mr_engine_reset(player.engine);
    else if (!strcmp(line, "sine")) {
      player.signal = SINE;
      if (sscanf(rest, "%lf %lf", &player.fc, &player.amplitude) != 2) fail("sine");
    } else if (!strcmp(line, "dc") || !strcmp(line, "noise") || !strcmp(line, "impulse")) {
      player.signal = *line == 'd' ? DC : *line == 'n' ? NOISE : IMPULSE;
      player.amplitude = atof(rest);
    } else if (!strcmp(line, "run"))
      run(&player, rest, 1);
    else if (!strcmp(line, "stream"))
      stream(&player, rest);
    else if (!strcmp(line, "skip"))
      run(&player, rest, 0);
    else
      fail(line);
  }
  mr_engine_free(player.engine);
  return 0;
}
