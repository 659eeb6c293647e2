/* What filters a file's samples: a renderer or, where a preset's settings or bits ask for it, an engine.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PLAYER_H
#define MR_HOST_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"
#include "preset.h"

/* One of them; all NULL before the start. */
typedef struct MrPlayer {
  MrRenderer* renderer;
  MrEngine* engine;
  bool wide;
} MrPlayer;

/* Takes the program, also on an error. preset: NULL, or what the program was made of (mr_preset_bank()). */
MrStatus mr_player_start(MrPlayer* player, const MrRendererOptions* options, const MrPreset* preset, MrProgram* program);
void mr_player_free(MrPlayer* player);

/* As mr_renderer_chunk(), mr_renderer_call(), mr_renderer_process(), mr_renderer_troubles(), mr_renderer_plan(). */
uint32_t mr_player_chunk(const MrPlayer* player);
uint32_t mr_player_call(const MrPlayer* player);
MrStatus mr_player_process(MrPlayer* player, void* samples, uint32_t frames);
uint64_t mr_player_troubles(const MrPlayer* player);
MrPlan mr_player_plan(const MrPlayer* player);

#endif
