/* An engine's tiles shared by threads, for a whole stream of interleaved samples and a program that plays as it is.
   SPDX-License-Identifier: ISC

   Tiles are strands. Where they are fewer than threads, their sections are cut into stages, which run ahead of what the last one may find, as in
   blocks_flow.c. The bits are the engine's. */
#ifndef MILLRACE_ENGINE_TILE_FLOW_H
#define MILLRACE_ENGINE_TILE_FLOW_H

#include "engine.h"
#include "parallel_plan.h"

typedef struct MrTileFlow MrTileFlow;

/* wanted: threads, grain and stages. NULL with MR_OK where there is nothing to share, NULL with MR_ERR_MEMORY. The engine has been given its program, has
   not played, and is not owned. Thread: control. */
MrTileFlow* mr_tile_flow_new(MrEngine* engine, bool wide, const MrParallelNeed* wanted, MrStatus* status);
void mr_tile_flow_free(MrTileFlow* flow); /* NULL is allowed */

/* As mr_engine_process_interleaved_*(); the engine may be called itself between. MR_ERR_MEMORY: the stream is lost. */
MrStatus mr_tile_flow_process(MrTileFlow* flow, const void* in, void* out, uint32_t n);

MrParallelPlan mr_tile_flow_plan(const MrTileFlow* flow);
struct MrFlow* mr_tile_flow_graph(const MrTileFlow* flow);

#endif
