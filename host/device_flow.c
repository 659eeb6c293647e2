/* Blocks on their way through a card, and what becomes of them when it fails.
   SPDX-License-Identifier: ISC */
#include "device_flow.h"

#include <stdlib.h>
#include <string.h>

bool mr_device_flow_start(MrDeviceFlow* flow, MrDevice* device, const MrRendererOptions* options, MrProgram** program, MrPlayer* player) {
  memset(flow, 0, sizeof *flow);
  flow->device = device;
  flow->options = *options;
  flow->options.realtime_kernels = true; /* they take states */
  flow->options.engine.costs = NULL;
  flow->program = program;
  flow->player = player;
  atomic_init(&flow->lost, false);
  for (int i = 0; i < 2; ++i) {
    flow->state[i] = calloc((size_t)options->engine.channels * device->sections * 2 + 1, sizeof(double));
    if (!flow->state[i]) return false;
  }
  return true;
}

void mr_device_flow_free(MrDeviceFlow* flow) {
  free(flow->state[0]);
  free(flow->state[1]);
  memset(flow, 0, sizeof *flow);
}

void mr_device_flow_send(MrDeviceFlow* flow, MrBlock* block) {
  const MrDevice* const d = flow->device;
  char why[MR_GPU_WHY]; /* whoever takes the block is told the same */
  block->away = block->frames && !atomic_load(&flow->lost);
  if (!block->away || d->api->submit(d->session, block->samples, block->result, block->frames, why) == MR_GPU_OK) return;
  block->away = false;
  if (!atomic_exchange(&flow->lost, true)) memcpy(flow->why, why, sizeof why);
}

static MrStatus go_on_with_cpu(MrDeviceFlow* flow) {
  flow->on_cpu = true;
  flow->lost_at = flow->frames;
  MrStatus status = mr_player_start(flow->player, &flow->options, NULL, *flow->program);
  *flow->program = NULL;
  if (status == MR_OK && flow->device->sections) status = mr_renderer_set_state(flow->player->renderer, flow->state[0]);
  return status;
}

/* False: the block has not come back, and none will. */
static bool take_back(MrDeviceFlow* flow, const MrBlock* block) {
  const MrDevice* const d = flow->device;
  char why[MR_GPU_WHY];
  uint64_t troubles = 0;
  if (!block->away) return false;
  if (d->api->collect(d->session, flow->state[1], &troubles, why) != MR_GPU_OK) {
    if (!atomic_exchange(&flow->lost, true)) memcpy(flow->why, why, sizeof why);
    return false;
  }
  double* const next = flow->state[1];
  flow->state[1] = flow->state[0];
  flow->state[0] = next;
  flow->troubles = troubles;
  return true;
}

MrStatus mr_device_flow_take(MrDeviceFlow* flow, MrBlock* block) {
  MrStatus status = MR_OK;
  block->output = block->result;
  if (block->frames && (flow->on_cpu || !take_back(flow, block))) {
    if (!flow->on_cpu) status = go_on_with_cpu(flow);
    if (status == MR_OK) status = mr_player_process(flow->player, block->samples, block->frames);
    block->output = block->samples;
  }
  flow->frames += block->frames;
  return status;
}
