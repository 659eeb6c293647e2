/* A client from its start to its end: what the main thread does.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_SESSION_H
#define MR_HOST_JACK_SESSION_H

#include "options.h"

/* Plays until a signal or the server ends it. Returns an exit code. */
int mr_jack_session(MrJackOptions* options);

#endif
