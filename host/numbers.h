/* Numbers and lists of numbers on the command line.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_NUMBERS_H
#define MR_HOST_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finite number and nothing else. */
bool mr_number_parse(const char* text, double* value);

/* Numbers and ranges, separated by commas or spaces: "1-4,7". Each lies in 1 .. most and comes in the order given. False where the
   text is anything else, names nothing, or has more than `room` numbers. */
bool mr_numbers_parse(const char* text, uint32_t most, uint32_t* number, uint32_t* count, uint32_t room);

/* Channels, from 0, none twice; channel has MR_MAX_CHANNELS places. */
bool mr_numbers_parse_channels(const char* text, uint32_t* channel, uint32_t* count);

#endif
