/* The client of a JACK server: its ports, and what the server tells it.
   SPDX-License-Identifier: ISC

   What comes from the server's threads is left in atomics; the main thread looks at them. */
#ifndef MR_HOST_JACK_CLIENT_H
#define MR_HOST_JACK_CLIENT_H

#include <jack/jack.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callback.h"

typedef struct MrJackClient {
  jack_client_t* jack;
  uint32_t channels;
  jack_port_t **input, **output;
  bool active;

  /* of the callback */
  MrJackRealtime* rt;
  const float** in;
  float** out;

  /* from the server */
  _Atomic uint32_t block;  /* frames a cycle */
  _Atomic uint32_t xruns;  /* without those in freewheel */
  _Atomic uint32_t events; /* counts ports that came or went */
  atomic_bool gone;        /* the server */
  pthread_mutex_t lock;    /* of what follows; never taken by the callback */
  char why[200];           /* it is gone */
  jack_port_t** lost;      /* ports that went since the main thread last looked */
  size_t losts;
} MrJackClient;

/* Opens, under the name or, where that is taken, one that the server makes of it. False after a message. Thread: control, as all functions here. */
bool mr_jack_client_open(MrJackClient* client, const char* name, const char* server, uint32_t channels);

/* Registers the ports. False after a message. */
bool mr_jack_client_register(MrJackClient* client, const char* bank);

/* Begins to call back. The realtime is kept. False after a message. */
bool mr_jack_client_start(MrJackClient* client, MrJackRealtime* rt);

/* Gives the ports names for people, with the bank's in it, where the server has room for such. */
void mr_jack_client_describe(MrJackClient* client, const char* bank);

const char* mr_jack_client_name(const MrJackClient* client);

/* The ports that went away since the last call, to be freed; their number into *count. */
jack_port_t** mr_jack_client_lost(MrJackClient* client, size_t* count);

/* Ends; allowed after a failure too. */
void mr_jack_client_close(MrJackClient* client);

#endif
