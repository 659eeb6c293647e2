/* What the bank tests share: reading a text, and what was said meanwhile.
   SPDX-License-Identifier: ISC */
#ifndef MR_TESTS_BANK_SUPPORT_H
#define MR_TESTS_BANK_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../dsp/millrace.h"

/* The messages of one reading, joined: "error 3: text\n". */
typedef struct Said {
  char text[4096];
  unsigned errors, warnings;
} Said;

static inline void note_message(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  Said* said = handle;
  const size_t used = strlen(said->text);
  snprintf(said->text + used, sizeof said->text - used, "%s %s:%u: %s\n", severity == MR_ERROR ? "error" : "warning", file, line, text);
  severity == MR_ERROR ? said->errors++ : said->warnings++;
}

/* Appends to `bank` or makes one of `channels`. */
static inline MrBank* read_text_onto(MrBank* bank, uint32_t channels, const char* text, Said* said, MrStatus* status) {
  const MrReadOptions options = {.channels = channels, .fs = 48000};
  const MrMessages messages = {note_message, said};
  memset(said, 0, sizeof *said);
  return mr_bank_read_text(bank, text, strlen(text), "bank.txt", &options, &messages, status);
}

/* A text that must read, without an error. */
static inline MrBank* read_text(uint32_t channels, const char* text) {
  Said said = {.errors = 0};
  MrStatus status = MR_ERR_MEMORY;
  MrBank* bank = read_text_onto(NULL, channels, text, &said, &status);
  if (!bank) fail_msg("%s", said.text);
  assert_int_equal(status, MR_OK);
  assert_int_equal(said.errors, 0);
  return bank;
}

/* A growing text that writers write to. */
typedef struct Text {
  char* text;
  size_t length, room;
} Text;

static inline bool put_text(void* handle, const char* text, size_t length) {
  Text* all = handle;
  while (all->length + length + 1 > all->room) {
    all->room = all->room ? 2 * all->room : 4096;
    all->text = realloc(all->text, all->room);
    if (!all->text) return false;
  }
  memcpy(all->text + all->length, text, length);
  all->length += length;
  all->text[all->length] = 0;
  return true;
}

#endif
