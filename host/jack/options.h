/* What `millrace jack` was asked for.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_OPTIONS_H
#define MR_HOST_JACK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules.h"
#include "sources.h"

#define MR_JACK_MOST_THREADS 64u

typedef struct MrJackOptions {
  uint32_t channels;
  const char* name;     /* of the client, as wanted */
  const char* server;   /* NULL: the usual one */
  uint32_t threads;     /* 0: auto */
  bool awake;           /* the threads never sleep for long */
  bool convert_rate;    /* as MrReadOptions has it */
  bool passes_on_error; /* a bank that is refused while nothing plays leaves the input, if it protects nothing */
  bool json, quiet;
  double every; /* seconds between two lines of JSON */
  MrSources sources;
  MrJackRules rules;
} MrJackOptions;

#endif
