/* Channels of a set as people write them.
   SPDX-License-Identifier: ISC */
#include "channel_list.h"

static bool is_between(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r'; }

/* 1 to 64, or 0 where no such number stands there. */
static unsigned read_number(const char** at, const char* end) {
  unsigned value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    value = 10 * value + (unsigned)(**at - '0');
    if (value > MR_CHANNEL_LIST_CHANNELS) return 0;
  }
  return value;
}

bool mr_channel_list_read(const char* text, size_t length, uint64_t* set) {
  uint64_t found = 0;
  for (const char *at = text, *end = text + length; at < end;) {
    if (is_between(*at)) {
      at++;
      continue;
    }
    const unsigned first = read_number(&at, end);
    unsigned last = first;
    if (at < end && *at == '-') {
      at++;
      last = read_number(&at, end);
    }
    if (!first || last < first || (at < end && !is_between(*at))) return false;
    for (unsigned channel = first; channel <= last; channel++) found |= (uint64_t)1 << (channel - 1);
  }
  *set = found;
  return true;
}

static size_t write_number(unsigned value, char* text) {
  if (value < 10) {
    text[0] = (char)('0' + value);
    return 1;
  }
  text[0] = (char)('0' + value / 10);
  text[1] = (char)('0' + value % 10);
  return 2;
}

size_t mr_channel_list_write(uint64_t set, char text[MR_CHANNEL_LIST_SIZE]) {
  size_t length = 0;
  for (unsigned channel = 0; channel < MR_CHANNEL_LIST_CHANNELS; channel++) {
    if (!(set >> channel & 1)) continue;
    unsigned last = channel;
    while (last + 1 < MR_CHANNEL_LIST_CHANNELS && set >> (last + 1) & 1) last++;
    if (last < channel + 2) last = channel;
    if (length) text[length++] = ' ';
    length += write_number(channel + 1, text + length);
    if (last > channel) {
      text[length++] = '-';
      length += write_number(last + 1, text + length);
    }
    channel = last;
  }
  text[length] = '\0';
  return length;
}
