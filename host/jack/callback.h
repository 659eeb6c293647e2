/* What the server's real-time thread does with a block, and all that it touches. Knows nothing of JACK.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_CALLBACK_H
#define MR_HOST_JACK_CALLBACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../dsp/millrace.h"
#include "meter.h"

/* An engine as the callback takes it. */
typedef struct MrJackEngine {
  MrEngine* engine;
  uint32_t rate; /* that it was made for: at another one it is not heard */
  bool muted;    /* for good: what is to be heard comes in an engine of its own, so that nothing else is heard while it fades in */
  bool fades_in; /* its first block is silent, then it fades in */
} MrJackEngine;

typedef struct MrJackRealtime {
  /* of the callback alone */
  MrJackEngine* now; /* NULL: silence */
  MrJackMeter meter; /* but for looks at it */

  /* from the main thread */
  _Atomic(MrJackEngine*) fresh; /* to be taken at the next block */
  _Atomic uint32_t rate;        /* the server's, Hz */
  atomic_bool freewheels;       /* the server does; blocks then have no time to keep */
  atomic_bool ends;             /* fade to silence */

  /* to the main thread */
  _Atomic(MrJackEngine*) stale; /* done with */
  _Atomic uint64_t frames;      /* that have passed */
  _Atomic uint64_t busy_ns;     /* in the callback, and */
  _Atomic uint64_t span_ns;     /* the time of its frames: both since the last look, without freewheel */
  _Atomic uint32_t worst;       /* of a block's time over that of its frames since the last look, in ppm */
} MrJackRealtime;

typedef struct MrJackLoad {
  double mean, worst; /* of a block's time over that of its frames */
} MrJackLoad;

/* Without an engine. False without memory. Thread: control, as all of these functions but process. */
bool mr_jack_realtime_init(MrJackRealtime* rt, uint32_t channels, uint32_t rate);
/* Once no callback runs any more: with all engines. */
void mr_jack_realtime_free(MrJackRealtime* rt);

/* Hands an engine to the callback, which takes it at its next block; an earlier one that has not been taken is freed. */
void mr_jack_realtime_give(MrJackRealtime* rt, MrJackEngine* engine);
/* Frees what the callback has done with. */
void mr_jack_realtime_collect(MrJackRealtime* rt);
/* The load since the last look. */
MrJackLoad mr_jack_realtime_load(MrJackRealtime* rt);

/* One block of n frames, planar. Thread: real-time: no allocation, no lock, no system call. */
void mr_jack_realtime_process(MrJackRealtime* rt, const float* const* in, float* const* out, uint32_t n);

#endif
