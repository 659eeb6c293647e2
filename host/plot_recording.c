/* Spectra of a recording as it is and as filters leave it.
   SPDX-License-Identifier: ISC */
#include "plot_recording.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "player.h"

enum { FRAMES = 16384, PLAYERS = 16 };

typedef struct Recording {
  MrAudioIn* in;
  const char* path;
  MrPlayer player[PLAYERS];
  uint32_t players, frames; /* frames of a block */
  float *input, *output;
} Recording;

static int no_memory(void) {
  mr_say_error("no memory");
  return MR_EXIT_FILE;
}

static int start(Recording* r, MrProgram** program, const MrPreset* const* preset, uint32_t programs) {
  const MrRendererOptions options = {
      .engine = {.channels = (uint32_t)r->in->info.channels, .fs = r->in->info.samplerate, .largest_block = FRAMES}, .threads = 1};
  uint32_t multiple = 1;
  for (uint32_t i = 0; i < programs; ++i) {
    const MrStatus status = mr_player_start(&r->player[i], &options, preset[i], program[i]);
    program[i] = NULL;
    if (status == MR_ERR_MEMORY) return no_memory();
    if (status != MR_OK) {
      mr_say_error("the bank cannot be played: %s", mr_strerror(status));
      return MR_EXIT_BANK;
    }
    r->players = i + 1;
    const uint32_t chunk = mr_player_chunk(&r->player[i]);
    if (multiple % chunk) multiple *= chunk; /* a multiple of all */
  }
  r->frames = (FRAMES + multiple - 1) / multiple * multiple;
  const size_t samples = (size_t)r->frames * (size_t)r->in->info.channels;
  r->input = malloc(samples * sizeof(float));
  r->output = malloc(samples * sizeof(float));
  return r->input && r->output ? MR_EXIT_DONE : no_memory();
}

static int play(Recording* r, MrSpectrum** spectrum) {
  char why[MR_WHY] = "";
  for (uint32_t got = r->frames; got == r->frames;) {
    if (!mr_audio_in_read(r->in, r->input, false, r->frames, &got, why)) {
      mr_say_error("%s: %s", r->path, why);
      return MR_EXIT_FILE;
    }
    mr_spectrum_add(spectrum[0], r->input, got);
    for (uint32_t i = 0; i < r->players && got; ++i) {
      memcpy(r->output, r->input, (size_t)got * (size_t)r->in->info.channels * sizeof(float));
      if (mr_player_process(&r->player[i], r->output, got) != MR_OK) return no_memory();
      mr_spectrum_add(spectrum[1 + i], r->output, got);
    }
  }
  if (!r->in->frames_read) {
    mr_say_error("%s: has no samples, and so no spectrum", r->path);
    return MR_EXIT_FILE;
  }
  for (uint32_t i = 0; i <= r->players; ++i) mr_spectrum_end(spectrum[i]);
  return MR_EXIT_DONE;
}

int mr_plot_recording(const char* path, MrAudioIn* in, const bool* wanted, MrProgram** program, const MrPreset* const* preset,
                      uint32_t programs, MrSpectrum** spectrum) {
  Recording r = {.in = in, .path = path};
  int code = start(&r, program, preset, programs);
  for (uint32_t i = 0; i <= programs && code == MR_EXIT_DONE; ++i) {
    spectrum[i] = mr_spectrum_new((uint32_t)in->info.channels, wanted, in->info.samplerate);
    if (!spectrum[i]) code = no_memory();
  }
  if (code == MR_EXIT_DONE) code = play(&r, spectrum);
  for (uint32_t i = 0; i < r.players; ++i) mr_player_free(&r.player[i]);
  free(r.input);
  free(r.output);
  return code;
}
