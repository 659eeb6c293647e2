/* What the readers of bank texts share: messages, words, numbers, selected channels.
   SPDX-License-Identifier: ISC */
#include "reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

/* ------------------------------------------------------------ messages */

#define MESSAGE_SIZE 512

static void say(const MrReader* reader, MrSeverity severity, unsigned line, const char* text) {
  if (reader->messages && reader->messages->say) reader->messages->say(reader->messages->handle, severity, reader->file, line, text);
}

/* Formats hold strings and whole numbers alone: printf's fractions would follow the locale. */
bool mr_reader_fail(MrReader* reader, MrStatus status, const char* format, ...) {
  char text[MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  say(reader, MR_ERROR, reader->line, text);
  reader->status = status;
  return false;
}

void mr_reader_warn(MrReader* reader, const char* format, ...) {
  char text[MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  say(reader, MR_WARNING, reader->line, text);
}

void mr_reader_warn_at(MrReader* reader, unsigned line, const char* format, ...) {
  char text[MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  say(reader, MR_WARNING, line, text);
}

bool mr_reader_no_memory(MrReader* reader) { return mr_reader_fail(reader, MR_ERR_MEMORY, "%s", mr_strerror(MR_ERR_MEMORY)); }

/* Bytes of the UTF-8 character that text begins with; 0 where it is none or a control character. */
static size_t printable(const unsigned char* text, size_t length) {
  const unsigned char c = text[0];
  if (c < 0x80) return c >= 0x20 && c != 0x7f;
  const size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || n > length) return 0;
  for (size_t i = 1; i < n; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] > 0x8f))
    return 0; /* overlong, surrogates, beyond U+10FFFF */
  return c == 0xc2 && text[1] < 0xa0 ? 0 : n;
}

const char* mr_reader_quote(const char* text, size_t length, char quote[MR_QUOTE_SIZE]) {
  const unsigned char* p = (const unsigned char*)text;
  size_t at = 0;
  quote[at++] = '\'';
  while (length > 0) {
    if (at > MR_QUOTE_SIZE - 10) {
      memcpy(quote + at, "...", 3);
      at += 3;
      break;
    }
    const size_t n = printable(p, length);
    if (n > 0)
      memcpy(quote + at, p, n);
    else
      quote[at] = '?';
    at += n > 0 ? n : 1;
    p += n > 0 ? n : 1;
    length -= n > 0 ? n : 1;
  }
  quote[at++] = '\'';
  quote[at] = 0;
  return quote;
}

const char* mr_reader_quote_next(MrReader* reader, char quote[MR_QUOTE_SIZE]) {
  const size_t length = mr_reader_word_length(reader);
  if (length > 0) return mr_reader_quote(reader->at, length, quote);
  snprintf(quote, MR_QUOTE_SIZE, "the end of the line");
  return quote;
}

bool mr_reader_expected(MrReader* reader, const char* what) {
  char quote[MR_QUOTE_SIZE];
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected %s, found %s", what, mr_reader_quote_next(reader, quote));
}

/* ------------------------------------------------------- words of a line */

bool mr_reader_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void mr_reader_skip_blanks(MrReader* reader) {
  while (reader->at < reader->end && mr_reader_is_blank(*reader->at)) reader->at++;
}

bool mr_reader_at_end(MrReader* reader) {
  mr_reader_skip_blanks(reader);
  return reader->at == reader->end;
}

bool mr_reader_expect_end(MrReader* reader) { return mr_reader_at_end(reader) || mr_reader_expected(reader, "the end of the line"); }

size_t mr_reader_word_length(MrReader* reader) {
  mr_reader_skip_blanks(reader);
  const char* p = reader->at;
  while (p < reader->end && !mr_reader_is_blank(*p)) p++;
  return (size_t)(p - reader->at);
}

bool mr_reader_same_word(const char* text, size_t length, const char* word) {
  for (size_t i = 0; i < length; i++)
    if (!word[i] || lower(text[i]) != lower(word[i])) return false;
  return !word[length];
}

bool mr_reader_take(MrReader* reader, const char* word) {
  const size_t length = mr_reader_word_length(reader);
  if (length == 0 || !mr_reader_same_word(reader->at, length, word)) return false;
  reader->at += length;
  return true;
}

bool mr_reader_is_not_finite(const char* text, size_t length) {
  if (length > 0 && (text[0] == '-' || text[0] == '+')) {
    text++;
    length--;
  }
  return mr_reader_same_word(text, length, "nan") || mr_reader_same_word(text, length, "inf") ||
         mr_reader_same_word(text, length, "infinity");
}

bool mr_reader_number_before(MrReader* reader, const char* what, double* value) {
  char quote[MR_QUOTE_SIZE];
  const size_t word = mr_reader_word_length(reader);
  const size_t read = mr_number_read(reader->at, (size_t)(reader->end - reader->at), true, value);
  if (read == 0) {
    const MrStatus status = mr_reader_is_not_finite(reader->at, word) ? MR_ERR_NOT_FINITE : MR_ERR_SYNTAX;
    return mr_reader_fail(reader, status, "expected %s, found %s", what, mr_reader_quote_next(reader, quote));
  }
  if (!isfinite(*value))
    return mr_reader_fail(reader, MR_ERR_NOT_FINITE, "expected %s, found a number too large: %s", what,
                          mr_reader_quote(reader->at, read, quote));
  reader->at += read;
  return true;
}

const char* mr_reader_decimal_mark(const char* text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] == '.' || text[i] == ',') return text + i;
  return NULL;
}

void mr_reader_note_mark(MrReader* reader, const char* text, size_t length) {
  const char* mark = mr_reader_decimal_mark(text, length);
  if (mark) *(*mark == '.' ? &reader->points : &reader->commas) = true;
}

bool mr_reader_number(MrReader* reader, const char* what, double* value) {
  mr_reader_skip_blanks(reader);
  const char* start = reader->at;
  if (!mr_reader_number_unmarked(reader, what, value)) return false;
  mr_reader_note_mark(reader, start, (size_t)(reader->at - start));
  return true;
}

bool mr_reader_number_unmarked(MrReader* reader, const char* what, double* value) {
  char quote[MR_QUOTE_SIZE];
  const size_t word = mr_reader_word_length(reader);
  const char* start = reader->at;
  if (!mr_reader_number_before(reader, what, value)) return false;
  if (reader->at == reader->end || mr_reader_is_blank(*reader->at) || is_letter(*reader->at)) return true;
  reader->at = start;
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected %s, found %s", what, mr_reader_quote(start, word, quote));
}

bool mr_reader_count(MrReader* reader, const char* what, uint32_t* value) {
  char quote[MR_QUOTE_SIZE];
  const size_t word = mr_reader_word_length(reader);
  const char* p = reader->at;
  uint64_t n = 0;
  for (; p < reader->end && is_digit(*p); p++)
    if (n < UINT32_MAX) n = 10 * n + (uint64_t)(*p - '0');
  if (p == reader->at || (p < reader->end && !mr_reader_is_blank(*p)))
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected %s, found %s", what,
                          word ? mr_reader_quote(reader->at, word, quote) : "the end of the line");
  reader->at = p;
  *value = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
  return true;
}

/* ------------------------------------------------------------- channels */

uint32_t mr_reader_next_selected(MrReader* reader, uint32_t index) {
  for (; index < MR_ALL_CHANNELS; index++) {
    const uint32_t past = index < MR_MAX_CHANNELS ? reader->bank->channels : MR_MAX_CHANNELS + reader->virtual_count;
    if (index >= past) { /* the virtual channels, or nothing, come next */
      if (index >= MR_MAX_CHANNELS) return MR_ALL_CHANNELS;
      index = MR_MAX_CHANNELS - 1;
      continue;
    }
    if (reader->selected_all || mr_bit_get(reader->selected, index)) return index;
  }
  return MR_ALL_CHANNELS;
}

void mr_reader_touch(MrReader* reader) {
  if (!reader->selected_all) return; /* then the Channel line has listed them */
  MrHeldBank* held = mr_bank_held(reader->bank);
  for (uint32_t k = 0; k < reader->bank->channels; k++) mr_bit_set(held->listed, k);
}

bool mr_reader_room_for(MrReader* reader, size_t cost) {
  if (reader->cost + cost <= MR_MAX_BANK_COST) return true;
  return mr_reader_fail(reader, MR_ERR_RANGE, "too many filters: all channels together have %zu at most", MR_MAX_BANK_COST);
}

void mr_reader_replace(MrReader* reader, uint32_t index, MrChannel* content) {
  MrChannel* channel = mr_reader_channel(reader, index);
  reader->cost += mr_channel_cost(content);
  reader->cost -= mr_channel_cost(channel);
  mr_channel_free(channel);
  *channel = *content;
  memset(content, 0, sizeof *content);
}
