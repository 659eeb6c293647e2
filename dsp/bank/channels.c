/* Channel numbers, ranges and names.
   SPDX-License-Identifier: ISC */
#include "channels.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char* name;
  uint32_t index;
} speakers[] = {{"L", 0},  {"R", 1},  {"C", 2},  {"LFE", 3}, {"SUB", 3}, {"BL", 4},   {"RL", 4},  {"BR", 5},
                {"RR", 5}, {"SL", 6}, {"SR", 7}, {"TFL", 8}, {"TFR", 9}, {"TBL", 10}, {"TBR", 11}};

static bool names_loudspeakers(uint32_t channels) {
  return channels == 1 || channels == 2 || channels == 6 || channels == 8 || channels == 10 || channels == 12;
}

/* A mono file's loudspeaker is called C by some and L, the first of the list, by others. */
static uint32_t speaker_index(uint32_t channels, uint32_t index) { return channels == 1 && index == 2 ? 0 : index; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name(const char* name, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const char c = name[i];
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (!letter && (i == 0 || !is_digit(c))) return false;
  }
  return length > 0 && !mr_reader_same_word(name, length, "all");
}

static bool is_number(const char* text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!is_digit(text[i])) return false;
  return length > 0;
}

/* A channel number as written, UINT32_MAX if it is larger. */
static uint32_t number_of(const char* text, size_t length) {
  uint64_t n = 0;
  for (size_t i = 0; i < length && n < UINT32_MAX; i++) n = 10 * n + (uint64_t)(text[i] - '0');
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static MrFound find_virtual(const MrReader* reader, const char* name, size_t length, uint32_t* index) {
  for (uint32_t i = 0; i < reader->virtual_count; i++) {
    const MrVirtual* one = &reader->virtuals[i];
    if (one->length != length) continue;
    size_t same = 0;
    while (same < length && (name[same] | 0x20) == (one->name[same] | 0x20)) same++; /* letters, digits and _ keep apart under 0x20 */
    if (same < length) continue;
    *index = MR_MAX_CHANNELS + i;
    return one->written ? MR_FOUND : MR_FOUND_UNWRITTEN;
  }
  *index = MR_ALL_CHANNELS;
  return MR_FOUND_UNWRITTEN;
}

MrFound mr_channels_find(MrReader* reader, const char* name, size_t length, uint32_t* index) {
  const uint32_t channels = reader->bank->channels;
  if (is_number(name, length)) {
    const uint32_t n = number_of(name, length);
    if (n == 0) return MR_FOUND_NOTHING;
    *index = n - 1;
    return n <= channels ? MR_FOUND : MR_FOUND_BEYOND;
  }
  for (size_t i = 0; i < sizeof speakers / sizeof speakers[0]; i++) {
    if (!mr_reader_same_word(name, length, speakers[i].name)) continue;
    if (!names_loudspeakers(channels)) return MR_FOUND_NO_LAYOUT;
    *index = speaker_index(channels, speakers[i].index);
    return *index < channels ? MR_FOUND : MR_FOUND_BEYOND;
  }
  return is_name(name, length) ? find_virtual(reader, name, length, index) : MR_FOUND_NOTHING;
}

static bool fail_no_layout(MrReader* reader, const char* quote) {
  return mr_reader_fail(reader, MR_ERR_CHANNELS,
                        "loudspeaker names such as %s need 1, 2, 6, 8, 10 or 12 channels, and the file has %u: number the channels", quote,
                        reader->bank->channels);
}

static bool fail_nothing(MrReader* reader, const char* quote) {
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a channel number from 1, or a channel name, found %s", quote);
}

static bool fail_beyond(MrReader* reader, const char* quote) {
  return mr_reader_fail(reader, MR_ERR_ROUTE, "the file has no channel %s: it has %u channel%s", quote, reader->bank->channels,
                        reader->bank->channels == 1 ? "" : "s");
}

bool mr_channels_require(MrReader* reader, const char* name, size_t length, uint32_t* index) {
  char quote[MR_QUOTE_SIZE];
  mr_reader_quote(name, length, quote);
  switch (mr_channels_find(reader, name, length, index)) {
    case MR_FOUND:
      return true;
    case MR_FOUND_BEYOND:
      return fail_beyond(reader, quote);
    case MR_FOUND_NO_LAYOUT:
      return fail_no_layout(reader, quote);
    case MR_FOUND_UNWRITTEN:
      return mr_reader_fail(reader, MR_ERR_ROUTE, "no channel is named %s, and no Copy before this line makes one", quote);
    default:
      return fail_nothing(reader, quote);
  }
}

bool mr_channels_require_target(MrReader* reader, const char* name, size_t length, uint32_t* index) {
  const MrFound found = mr_channels_find(reader, name, length, index);
  if (found != MR_FOUND_UNWRITTEN) return mr_channels_require(reader, name, length, index);
  if (*index < MR_ALL_CHANNELS) return true; /* another Copy of the same line has named it */
  if (reader->virtual_count == MR_MAX_VIRTUAL)
    return mr_reader_fail(reader, MR_ERR_ROUTE, "too many virtual channels: %u at most", MR_MAX_VIRTUAL);
  if (!reader->virtuals) reader->virtuals = calloc(MR_MAX_VIRTUAL, sizeof *reader->virtuals);
  if (!reader->virtuals) return mr_reader_no_memory(reader);
  *index = MR_MAX_CHANNELS + reader->virtual_count;
  reader->virtuals[reader->virtual_count++] = (MrVirtual){.name = name, .length = length};
  return true;
}

/* ------------------------------------------------------- the statement */

typedef struct Selection {
  uint64_t bits[MR_ALL_CHANNELS / 64];
  bool all, warned;
} Selection;

static void warn_beyond(MrReader* reader, Selection* selection, const char* text, size_t length) {
  char quote[MR_QUOTE_SIZE];
  if (selection->warned) return;
  selection->warned = true;
  const uint32_t channels = reader->bank->channels;
  mr_reader_warn(reader, "channel %s goes beyond the file's %u channel%s: what is beyond is ignored", mr_reader_quote(text, length, quote),
                 channels, channels == 1 ? "" : "s");
}

/* first-last */
static bool select_range(MrReader* reader, Selection* selection, const char* text, size_t length, size_t dash) {
  char quote[MR_QUOTE_SIZE];
  const uint32_t first = number_of(text, dash), last = number_of(text + dash + 1, length - dash - 1);
  if (first == 0 || last < first)
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a range of channels such as 7-9, found %s",
                          mr_reader_quote(text, length, quote));
  if (last > reader->bank->channels) warn_beyond(reader, selection, text, length);
  for (uint32_t n = first; n <= last && n <= reader->bank->channels; n++) mr_bit_set(selection->bits, n - 1);
  return true;
}

static bool select_word(MrReader* reader, Selection* selection, const char* text, size_t length) {
  char quote[MR_QUOTE_SIZE];
  if (mr_reader_same_word(text, length, "all")) {
    selection->all = true;
    return true;
  }
  const char* dash = memchr(text, '-', length);
  if (dash && is_number(text, (size_t)(dash - text)) && is_number(dash + 1, length - (size_t)(dash - text) - 1))
    return select_range(reader, selection, text, length, (size_t)(dash - text));
  uint32_t index = 0;
  switch (mr_channels_find(reader, text, length, &index)) {
    case MR_FOUND:
      mr_bit_set(selection->bits, index);
      return true;
    case MR_FOUND_BEYOND:
      warn_beyond(reader, selection, text, length);
      return true;
    case MR_FOUND_NO_LAYOUT:
      return fail_no_layout(reader, mr_reader_quote(text, length, quote));
    default:
      return fail_nothing(reader, mr_reader_quote(text, length, quote));
  }
}

bool mr_channels_read(MrReader* reader) {
  Selection selection = {.all = false};
  bool any = false;
  for (;;) { /* blanks or commas between */
    while (reader->at < reader->end && (mr_reader_is_blank(*reader->at) || *reader->at == ',')) reader->at++;
    if (reader->at == reader->end) break;
    const char* start = reader->at;
    while (reader->at < reader->end && !mr_reader_is_blank(*reader->at) && *reader->at != ',') reader->at++;
    if (!select_word(reader, &selection, start, (size_t)(reader->at - start))) return false;
    any = true;
  }
  if (!any) return mr_reader_expected(reader, "all, or channel numbers, ranges or names");
  memcpy(reader->selected, selection.bits, sizeof reader->selected);
  reader->selected_all = selection.all;
  MrHeldBank* held = mr_bank_held(reader->bank);
  for (uint32_t i = 0; i < MR_CHANNEL_WORDS; i++) held->listed[i] |= selection.bits[i];
  return true;
}
