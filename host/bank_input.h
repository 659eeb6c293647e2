/* Banks as the command line gives them: -b files and -f lines, joined in order.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_BANK_INPUT_H
#define MR_HOST_BANK_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "../dsp/millrace.h"

/* One text: a file's, or that of neighbouring -f lines. */
typedef struct MrBankPart {
  char* name; /* for messages: the path, or "-f" */
  char* text;
  size_t length;
  MrBankKind kind;
  bool is_lines; /* made of -f lines */
} MrBankPart;

typedef struct MrBankInput {
  MrBankPart* part;
  size_t parts;
} MrBankInput;

/* Reads the file at once, so that a bank that cannot be read is known before any work starts. False after a message. */
bool mr_bank_input_add_file(MrBankInput* input, const char* path);
/* A copy of a text that is in memory: `file`, whose ending may say what it is, had it; `name` is for messages. False after a message. */
bool mr_bank_input_add_text(MrBankInput* input, const char* name, const char* file, const char* text, size_t length);
/* A whole bank line, or one that starts at the filter's type: then it is that of a filter that is on. False after a message. */
bool mr_bank_input_add_line(MrBankInput* input, const char* line);
void mr_bank_input_free(MrBankInput* input);

/* The joined bank, or NULL after messages. `warnings`: whether those are wanted. */
MrBank* mr_bank_input_read(const MrBankInput* input, const MrReadOptions* options, bool warnings);

/* "a.txt, -f" for reports, into `name`. */
void mr_bank_input_name(const MrBankInput* input, char* name, size_t size);

#endif
