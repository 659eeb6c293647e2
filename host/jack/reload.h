/* The bank that plays: read, designed and handed to the callback, at the start, when it has changed, and at another sample rate.
   SPDX-License-Identifier: ISC

   Thread: control. The callback plays on meanwhile. */
#ifndef MR_HOST_JACK_RELOAD_H
#define MR_HOST_JACK_RELOAD_H

#include "callback.h"
#include "options.h"

/* What is heard. */
typedef enum MrJackState {
  MR_JACK_PLAYING, /* the bank */
  MR_JACK_MUTED,   /* silence: no bank could be read yet */
  MR_JACK_PASSING  /* the input: no bank could be read yet, and --on-error pass was asked for */
} MrJackState;

typedef enum MrReloaded {
  MR_RELOADED,         /* the bank of now plays */
  MR_RELOAD_UNCHANGED, /* it did already */
  MR_RELOAD_REFUSED,   /* said; what played plays on */
  MR_RELOAD_TRY_LATER, /* a file is being written */
  MR_RELOAD_IMPOSSIBLE /* said: no memory for an engine */
} MrReloaded;

typedef struct MrReload {
  const MrJackOptions* options;
  MrJackRealtime* rt;
  MrCosts costs;
  char name[64];    /* of the bank, for people */
  MrEngine* engine; /* the last one handed over */
  uint32_t rate;    /* of it */
  MrJackState state;
  MrBankInput text; /* of the bank that plays */
  unsigned reloads, refusals;
} MrReload;

void mr_reload_init(MrReload* reload, const MrJackOptions* options, MrJackRealtime* rt);
void mr_reload_free(MrReload* reload);

/* The first bank, at the server's rate, before the callback runs. A file that is just being written is read as it is. */
MrReloaded mr_reload_start(MrReload* reload, uint32_t rate, uint32_t block);

/* The files have changed, or may have. `block`: the server's frames a block. */
MrReloaded mr_reload_files(MrReload* reload, uint32_t block);

/* The server's rate has. What plays is designed anew, from the text as it was. */
MrReloaded mr_reload_rate(MrReload* reload, uint32_t rate, uint32_t block);

/* "playing", "muted", "passing". */
const char* mr_jack_state_name(MrJackState state);

#endif
