/* Blocks on their way through a card, and what becomes of them when it fails.
   SPDX-License-Identifier: ISC

   Two stages of a pipeline: one sends a block, the other takes it back. Inputs stay as they are until then. The state that the stream goes on with comes
   back with every block; so where one does not come back the CPU begins with its input and that state, and filters it and all that follow. */
#ifndef MR_HOST_DEVICE_FLOW_H
#define MR_HOST_DEVICE_FLOW_H

#include <stdatomic.h>

#include "device.h"
#include "pipeline.h"
#include "player.h"

typedef struct MrDeviceFlow {
  MrDevice* device;
  MrRendererOptions options; /* of the CPU's renderer, should it come to that */
  MrProgram** program;       /* which it then takes */
  MrPlayer* player;          /* and where it is put */
  double* state[2];          /* of the last block that came back, and of the next one */
  atomic_bool lost;          /* nothing is sent any more */
  bool on_cpu;               /* of the taking stage */
  uint64_t frames;           /* taken */
  uint64_t troubles;         /* on the card */
  uint64_t lost_at;          /* frame from which the CPU filters */
  char why[MR_GPU_WHY];      /* the card failed; "" while it did not */
} MrDeviceFlow;

/* False: no memory. */
bool mr_device_flow_start(MrDeviceFlow* flow, MrDevice* device, const MrRendererOptions* options, MrProgram** program, MrPlayer* player);
void mr_device_flow_free(MrDeviceFlow* flow);

/* Sends block->samples; nothing of it fails. */
void mr_device_flow_send(MrDeviceFlow* flow, MrBlock* block);
/* Sets block->output to the filtered samples, in its result or, from the CPU, in place. False: the CPU cannot go on either. */
MrStatus mr_device_flow_take(MrDeviceFlow* flow, MrBlock* block);

#endif
