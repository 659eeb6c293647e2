/* What a recording says of itself beside its samples.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_METADATA_H
#define MR_HOST_METADATA_H

#include <sndfile.h>
#include <stdbool.h>

/* Copies titles and the like, channel map, B-format mark, bext, cart, cues, instrument, and the iXML, axml and chna chunks, as far as the
   output's format can hold them. Before the first sample is written. `whole`: the channels are all there and in place; else what
   names single channels is left out. What cannot be copied is left out without a word, as players do without it. */
void mr_metadata_copy(SNDFILE* in, SNDFILE* out, bool whole);

#endif
