/* Channel numbers, ranges and names.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_CHANNELS_H
#define MR_BANK_CHANNELS_H

#include "reader.h"

typedef enum MrFound {
  MR_FOUND = 0,
  MR_FOUND_BEYOND,    /* a number or a loudspeaker that the file does not have */
  MR_FOUND_NO_LAYOUT, /* a loudspeaker, but this many channels name none */
  MR_FOUND_UNWRITTEN, /* a name that could be a virtual channel's; none has it yet, or it has no signal yet */
  MR_FOUND_NOTHING    /* no channel has such a name */
} MrFound;

/* The loudspeakers that a count of channels names, in WAVE order: 1 (one channel is L, and C too), 2, 6, 8, 10 and 12.
   *index counts from 0 and goes on, from MR_MAX_CHANNELS, with the virtual channels. Names without regard to case. */
MrFound mr_channels_find(MrReader* reader, const char* name, size_t length, uint32_t* index);

/* As above, but what cannot be found is said: "the file has no channel 9: it has 8" with MR_ERR_ROUTE, a name that
   means nothing with MR_ERR_SYNTAX. */
bool mr_channels_require(MrReader* reader, const char* name, size_t length, uint32_t* index);

/* The same for what a Copy writes to: a new name becomes a virtual channel. */
bool mr_channels_require_target(MrReader* reader, const char* name, size_t length, uint32_t* index);

/* The statement Channel. */
bool mr_channels_read(MrReader* reader);

#endif
