/* What filters a file's samples.
   SPDX-License-Identifier: ISC */
#include "player.h"

#include <string.h>

MrStatus mr_player_start(MrPlayer* player, const MrRendererOptions* options, const MrPreset* preset, MrProgram* program) {
  MrStatus status = MR_OK;
  memset(player, 0, sizeof *player);
  player->wide = options->wide;
  if (preset && mr_preset_needs_engine(preset, options->realtime_kernels))
    player->engine = mr_preset_engine(preset, &options->engine, program, &status);
  else
    player->renderer = mr_renderer_new(options, program, &status);
  return status;
}

void mr_player_free(MrPlayer* player) {
  mr_renderer_free(player->renderer);
  mr_engine_free(player->engine);
  memset(player, 0, sizeof *player);
}

uint32_t mr_player_chunk(const MrPlayer* player) { return player->renderer ? mr_renderer_chunk(player->renderer) : 1; }

uint32_t mr_player_call(const MrPlayer* player) { return player->renderer ? mr_renderer_call(player->renderer) : 1; }

MrStatus mr_player_process(MrPlayer* player, void* samples, uint32_t frames) {
  if (player->renderer) return mr_renderer_process(player->renderer, samples, samples, frames);
  if (player->wide)
    mr_engine_process_interleaved_f64(player->engine, samples, samples, frames);
  else
    mr_engine_process_interleaved_f32(player->engine, samples, samples, frames);
  return MR_OK;
}

uint64_t mr_player_troubles(const MrPlayer* player) {
  return player->renderer ? mr_renderer_troubles(player->renderer) : mr_engine_troubles(player->engine);
}

MrPlan mr_player_plan(const MrPlayer* player) {
  return player->renderer ? mr_renderer_plan(player->renderer) : mr_engine_plan(player->engine);
}
