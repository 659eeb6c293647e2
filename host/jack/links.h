/* Connections that --connect asks for: made when their ports are there, and again when those come back.
   SPDX-License-Identifier: ISC

   What a person disconnects stays so until the other port has gone and come. */
#ifndef MR_HOST_JACK_LINKS_H
#define MR_HOST_JACK_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client.h"
#include "rules.h"

typedef struct MrJackLink {
  bool input;
  uint32_t channel;
  char* other;       /* the port's name */
  jack_port_t* port; /* it */
  bool wanted;
} MrJackLink;

typedef struct MrJackLinks {
  MrJackLink* link;
  size_t links;
} MrJackLinks;

/* Looks at all ports of the server. Rules for which there is no port are said once. */
void mr_jack_links_update(MrJackLinks* links, MrJackClient* client, MrJackRules* rules);
void mr_jack_links_free(MrJackLinks* links);

#endif
