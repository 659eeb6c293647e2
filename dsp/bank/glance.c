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

/* Where a line ends to this look: other programs' line ends too. */
static size_t any_line_length(const char* at, const char* end) {
  size_t length = 0;
  while (at + length < end && at[length] != '\n' && at[length] != '\r') length++;
  return length;
}

/* Bytes that are not those of a text in UTF-8: UTF-16, above all, whose words no look at bytes finds. */
static bool is_no_text(const char* text, size_t length) {
  return memchr(text, 0, length) || (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0));
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Whether a line of so many characters begins with a word of its own and goes on behind it. */
static bool begins_with(const char* line, size_t length, const char* word) {
  const size_t letters = strlen(word);
  return length > letters && mr_reader_same_word(line, letters, word) && !is_letter(line[letters]);
}

bool mr_bank_text_protects(const char* text, size_t length) {
  static const char* const words[] = {"Copy", "Delay", "Crossover", "Protects"};
  if (!length) return false;
  if (is_no_text(text, length)) return true;
  const char* const end = text + length;
  for (const char* at = text; at < end;) {
    size_t line = any_line_length(at, end);
    for (; line && !is_letter(*at) && *at != '#'; line--) at++; /* blanks, those beyond ASCII too, and whatever else is no word */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
      if (begins_with(at, line, words[i])) return true;
    at += line < (size_t)(end - at) ? line + 1 : line;
  }
  return false;
}
