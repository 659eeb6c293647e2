/* What the ports are called: short names that stay, and others that say the bank and the loudspeaker.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_NAMES_H
#define MR_HOST_JACK_NAMES_H

#include <jack/jack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "in_3", "out_3" for channel 2: what sessions keep. */
void mr_jack_port_name(bool input, uint32_t channel, char* name, size_t size);

/* "room in 3 C" for channel 2 of 6 of the bank room, "room in 3" where the number of channels names no loudspeakers. */
void mr_jack_port_title(const char* bank, bool input, uint32_t channel, uint32_t channels, char* title, size_t size);

/* Aliases, "CLIENT:TITLE", for all ports. Where the server has none, nothing happens. */
void mr_jack_names_set_aliases(jack_port_t* const* input, jack_port_t* const* output, uint32_t channels, const char* bank,
                               const char* client);

/* Titles as JACK's metadata has them, and the order of the channels. Only where that is safe: names.c says why. */
void mr_jack_names_set_properties(jack_client_t* jack, jack_port_t* const* input, jack_port_t* const* output, uint32_t channels,
                                  const char* bank);

#endif
