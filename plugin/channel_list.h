/* Channels of a set as people write them: numbers and ranges from 1, "1-4 7".
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_CHANNEL_LIST_H
#define MILLRACE_PLUGIN_CHANNEL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MR_CHANNEL_LIST_CHANNELS 64u
#define MR_CHANNEL_LIST_SIZE     192u /* of the longest text, its end included */

/* Reads a list of channels 1 to 64, with blanks or commas between; bit k of *set is channel k + 1. An empty text is an empty set. False, with
   *set as it was, where the text is no such list: half typed, say. Thread: real-time. */
bool mr_channel_list_read(const char* text, size_t length, uint64_t* set);

/* Writes the list, with ranges of three channels or more; returns its length without the end. Thread: real-time. */
size_t mr_channel_list_write(uint64_t set, char text[MR_CHANNEL_LIST_SIZE]);

#endif
