/* What a flow of tiles does with a tile, in either arithmetic: the verbs of an engine's steady walk, and the same in stages.
   SPDX-License-Identifier: ISC

   Samples of a tile are x[MR_CELL][lanes] of float or double, aligned to MR_ALIGN bytes. A stage is some neighbouring sections. */
#ifndef MILLRACE_ENGINE_TILE_WAY_H
#define MILLRACE_ENGINE_TILE_WAY_H

#include "engine.h"

typedef struct MrTileWay MrTileWay;

/* Of one tile. */
typedef struct MrTileView {
  uint32_t lanes, sections; /* in use */
  bool routed, delayed;
} MrTileView;

typedef struct MrTileVerbs {
  MrTileView (*view)(const MrTileWay* way, uint32_t t);
  void (*load)(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, void* x);
  void (*route)(const MrTileWay* way, const void* staged, uint32_t t, uint32_t n, void* x); /* staged[tiles][MR_CELL][lanes] */
  void (*store)(const MrTileWay* way, const MrBuffers* buffers, uint32_t t, uint32_t frame, uint32_t n, const void* x);
  /* All sections, restarts after trouble, and delays, as the engine's walk has them. Returns how many lanes were in trouble. */
  uint32_t (*run)(const MrTileWay* way, uint32_t t, uint32_t at, uint32_t n, void* x);
  void (*settle)(const MrTileWay* way, uint32_t t);
  /* The same apart. */
  void (*run_stage)(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t n, void* x);
  void (*run_delays)(const MrTileWay* way, uint32_t t, uint32_t n, void* x);
  bool (*is_poisoned)(const MrTileWay* way, uint32_t t, const void* last);
  /* Bits of lanes: whose state is no silence; whose state is not all zero. Added to both. */
  void (*look)(const MrTileWay* way, uint32_t t, uint32_t first, uint32_t count, uint32_t* loud, uint32_t* held);
  void* (*state)(const MrTileWay* way, uint32_t t, uint32_t section);
} MrTileVerbs;

struct MrTileWay {
  const MrTileVerbs* verbs;
  uint32_t tiles, lanes; /* lanes of a tile */
  size_t number;         /* bytes */
  size_t state_bytes;    /* of a section of a tile */
  bool routed;           /* any tile */
  MrEngine* engine;
  MrFastParts fast;
};

/* The way of an engine that plays a settled program and nothing else. verbs is NULL where it passes its input. Thread: control, after
   the program was given. */
MrTileWay mr_tile_way(MrEngine* engine);
/* Whether the engine runs its one tile over many cells at once, sections in lanes (few_channels.h), which is faster than two threads are without. */
bool mr_tile_way_is_few(const MrTileWay* way);
MrTileWay mr_tile_way_fast(MrEngine* engine);

#endif
