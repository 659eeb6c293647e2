/* What the readers of bank texts share: where they are, what they say, which channels they act on.
   SPDX-License-Identifier: ISC

   A function that returns bool returns false after an error has been said; the status is then in the reader. Thread: control. */
#ifndef MR_BANK_READER_H
#define MR_BANK_READER_H

#include "bank.h"

#define MR_MAX_VIRTUAL  1024u
#define MR_ALL_CHANNELS (MR_MAX_CHANNELS + MR_MAX_VIRTUAL)
#define MR_QUOTE_SIZE   64
#define MR_SUSPECTS     16u

/* A channel that only the text knows: Copy made it. */
typedef struct MrVirtual {
  const char* name; /* in the text */
  size_t length;
  bool written; /* a Copy has given it a signal */
  MrChannel channel;
} MrVirtual;

/* Frequencies that could be meant as thousands, kept until the others are known. */
typedef struct MrSuspect {
  unsigned line;
  double value;
  char mark; /* that it has, point or comma */
} MrSuspect;

typedef struct MrReader {
  const char* file;
  const MrReadOptions* options;
  const MrMessages* messages;
  MrStatus status;
  unsigned line;  /* from 1 */
  const char* at; /* the rest of the line's statement, without comment and line end */
  const char* end;

  MrBank* bank;
  size_t cost;                             /* of all filters, virtual channels included */
  uint64_t selected[MR_ALL_CHANNELS / 64]; /* virtual channels follow MR_MAX_CHANNELS */
  bool selected_all;
  MrVirtual* virtuals; /* MR_MAX_VIRTUAL of them, made at the first */
  uint32_t virtual_count;
  uint32_t* place; /* Copy's: for each source, 1 + its term in the row that is being made, or 0 */

  MrMode mode;
  double rate; /* of the coefficients that follow; 0: any */
  bool rate_given, rate_missed;
  unsigned statements, prose; /* lines of each kind; rows of a table are statements */
  bool begun, beyond;         /* tables: a row or a header was there; a channel was one the file has not */

  MrSuspect suspect[MR_SUSPECTS];
  uint32_t suspects;
  bool hundreds, decimals; /* other frequencies: from 100 Hz up; with three decimals that can be nothing else */
  bool points, commas;     /* the decimal marks of all numbers but those suspects */
} MrReader;

/* Runs a reader over a text as mr_bank_read_text has it: a copy of the bank, or a new one, is worked on, and taken over at the end. NULL on
   an error, which has been said. */
MrBank* mr_bank_read_with(bool (*read)(MrReader* reader, const char* text, size_t length), MrBank* bank, const char* text, size_t length,
                          const char* file, const MrReadOptions* options, const MrMessages* messages, MrStatus* status);

/* ------------------------------------------------------------ messages */

bool mr_reader_fail(MrReader* reader, MrStatus status, const char* format, ...) __attribute__((format(printf, 3, 4)));
void mr_reader_warn(MrReader* reader, const char* format, ...) __attribute__((format(printf, 2, 3)));
void mr_reader_warn_at(MrReader* reader, unsigned line, const char* format, ...) __attribute__((format(printf, 3, 4)));
bool mr_reader_no_memory(MrReader* reader);
/* "expected WHAT, found 'abc'". */
bool mr_reader_expected(MrReader* reader, const char* what);
/* 'text', cut to what a message bears and without anything a terminal would act on. Returns quote. */
const char* mr_reader_quote(const char* text, size_t length, char quote[MR_QUOTE_SIZE]);
/* The next word, quoted, or "the end of the line". */
const char* mr_reader_quote_next(MrReader* reader, char quote[MR_QUOTE_SIZE]);

/* ------------------------------------------------------- words of a line */

bool mr_reader_is_blank(char c);
void mr_reader_skip_blanks(MrReader* reader);
bool mr_reader_at_end(MrReader* reader); /* skips blanks */
bool mr_reader_expect_end(MrReader* reader);
size_t mr_reader_word_length(MrReader* reader);                /* of the next run of characters that are not blank; skips blanks */
bool mr_reader_is_not_finite(const char* text, size_t length); /* nan, inf or infinity, perhaps with a sign */
bool mr_reader_same_word(const char* text, size_t length, const char* word); /* without regard to case */
bool mr_reader_take(MrReader* reader, const char* word);                     /* true if it was next; then it has been passed */
/* A number with a blank, a unit or the line's end behind it. `what` names it in the message: "a frequency after Fc". */
bool mr_reader_number(MrReader* reader, const char* what, double* value);
/* As above; its decimal mark is for the caller to note. */
bool mr_reader_number_unmarked(MrReader* reader, const char* what, double* value);
/* The first point or comma of a number, NULL where there is none. */
const char* mr_reader_decimal_mark(const char* text, size_t length);
/* Remembers the decimal mark of a number of the file. */
void mr_reader_note_mark(MrReader* reader, const char* text, size_t length);
/* As mr_reader_number, whatever follows. */
bool mr_reader_number_before(MrReader* reader, const char* what, double* value);
/* Digits alone; more than fits is UINT32_MAX. */
bool mr_reader_count(MrReader* reader, const char* what, uint32_t* value);

/* ------------------------------------------------------------- channels */

static inline MrChannel* mr_reader_channel(MrReader* reader, uint32_t index) {
  return index < MR_MAX_CHANNELS ? &reader->bank->channel[index] : &reader->virtuals[index - MR_MAX_CHANNELS].channel;
}
/* The first selected channel from `index` on, MR_ALL_CHANNELS if there is none. */
uint32_t mr_reader_next_selected(MrReader* reader, uint32_t index);
/* Something acts on the selected channels: under all, that lists every one of them. */
void mr_reader_touch(MrReader* reader);
/* Says so and returns false where that many filters more would be too many. */
bool mr_reader_room_for(MrReader* reader, size_t cost);
/* Sets a channel to a new content, which it owns from then on. */
void mr_reader_replace(MrReader* reader, uint32_t index, MrChannel* content);

#endif
