/* Numbers and lists of numbers on the command line.
   SPDX-License-Identifier: ISC */
#include "numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../dsp/millrace.h"

bool mr_number_parse(const char* text, double* value) {
  char* end = NULL;
  if (!*text || isspace((unsigned char)*text)) return false;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value);
}

/* A whole number of 1 .. most at *at, which it passes. */
static bool take(const char** at, uint32_t most, uint32_t* value) {
  uint64_t n = 0;
  if (!isdigit((unsigned char)**at)) return false;
  for (; isdigit((unsigned char)**at); ++*at) {
    n = n * 10 + (uint64_t)(**at - '0');
    if (n > most) return false;
  }
  *value = (uint32_t)n;
  return n >= 1;
}

bool mr_numbers_parse(const char* text, uint32_t most, uint32_t* number, uint32_t* count, uint32_t room) {
  *count = 0;
  const char* at = text + strspn(text, ", ");
  while (*at) {
    uint32_t first = 0, last = 0;
    if (!take(&at, most, &first)) return false;
    last = first;
    if (*at == '-') {
      ++at;
      if (!take(&at, most, &last) || last < first) return false;
    }
    if (*at && *at != ',' && *at != ' ') return false;
    at += strspn(at, ", ");
    for (uint32_t n = first; n <= last; ++n) {
      if (*count == room) return false;
      number[(*count)++] = n;
    }
  }
  return *count > 0;
}

bool mr_numbers_parse_channels(const char* text, uint32_t* channel, uint32_t* count) {
  bool seen[MR_MAX_CHANNELS];
  memset(seen, 0, sizeof seen);
  if (!mr_numbers_parse(text, MR_MAX_CHANNELS, channel, count, MR_MAX_CHANNELS)) return false;
  for (uint32_t i = 0; i < *count; ++i) {
    channel[i] -= 1;
    if (seen[channel[i]]) return false;
    seen[channel[i]] = true;
  }
  return true;
}
