/* What a bank's text is at a glance, before it is read, and also where it cannot be.
   SPDX-License-Identifier: ISC */
#include <string.h>

#include "reader.h"

static size_t line_length(const char* at, const char* end) {
  const char* stop = memchr(at, '\n', (size_t)(end - at));
  return (size_t)((stop ? stop : end) - at);
}

static const char* skip_mark(const char* text, const char* end) {
  return end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

static bool is_one_of(char c, const char* set) { return c != '\0' && strchr(set, c) != NULL; }

/* The first line that is neither empty nor a comment, from its first character on; end where there is none. */
static const char* first_word(const char* text, const char* end) {
  const char* at = skip_mark(text, end);
  while (at < end) {
    if (*at == '#')
      at += line_length(at, end);
    else if (is_one_of(*at, " \t\r\n"))
      at++;
    else
      break;
  }
  return at;
}

MrBankKind mr_bank_kind(const char* name, const char* text, size_t length) {
  const char* const point = name ? strrchr(name, '.') : NULL;
  if (point && mr_reader_same_word(point, strlen(point), ".json")) return MR_BANK_JSON;
  if (point && mr_reader_same_word(point, strlen(point), ".csv")) return MR_BANK_TABLE;
  if (!length) return MR_BANK_TEXT;
  const char *const end = text + length, *at = first_word(text, end);
  if (at == end) return MR_BANK_TEXT;
  if (*at == '{' || *at == '[') return MR_BANK_JSON;
  const size_t line = line_length(at, end);
  if (memchr(at, ':', line)) return MR_BANK_TEXT;
  if (is_one_of(*at, "+-.0123456789")) return MR_BANK_TABLE;
  for (size_t i = 0; i + 1 < line; i++)
    if ((at[i] == 'b' || at[i] == 'B') && at[i + 1] == '0') return MR_BANK_TABLE;
  return MR_BANK_TEXT;
}

bool mr_bank_text_protects(const char* text, size_t length) {
  static const char* const words[] = {"Copy", "Delay", "Crossover", "Protects"};
  if (!length) return false;
  const char* const end = text + length;
  for (const char* at = skip_mark(text, end); at < end;) {
    const char* const stop = at + line_length(at, end);
    while (at < stop && mr_reader_is_blank(*at)) at++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
      const size_t word = strlen(words[i]);
      if ((size_t)(stop - at) > word && mr_reader_same_word(at, word, words[i]) &&
          !is_one_of(at[word], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return true;
    }
    at = stop < end ? stop + 1 : end;
  }
  return false;
}
