/* How the client fares: a line on a terminal, or JSON.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_STATUS_H
#define MR_HOST_JACK_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "callback.h"
#include "client.h"
#include "reload.h"

typedef struct MrJackStatus {
  bool json, line;
  double every; /* seconds */
  double next;  /* time of the next one */
  double began;
  bool lost; /* standard output has no reader any more */
} MrJackStatus;

void mr_jack_status_init(MrJackStatus* status, const MrJackOptions* options, double now);

/* Tells if it is time to, or if `event` is not NULL: "start", "reload", "refused", "rate", "end". Waits for no slow reader: what that cannot take is left out. */
void mr_jack_status_tell(MrJackStatus* status, double now, const char* event, const MrReload* reload, MrJackClient* client,
                         MrJackRealtime* rt);

#endif
