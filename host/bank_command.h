/* What `sos`, `info` and `plot` share: a bank at a rate, for a number of channels.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_BANK_COMMAND_H
#define MR_HOST_BANK_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"
#include "bank_input.h"
#include "command.h"

/* Option values of the table below; a command's own start after them. */
enum { MR_BANK_OPTION_BANK = 1, MR_BANK_OPTION_FILTER, MR_BANK_OPTION_RATE, MR_BANK_OPTION_COUNT, MR_BANK_OPTION_CONVERT, MR_BANK_OPTIONS };

/* popt entries, for the start of a command's table. */
#define MR_BANK_OPTION_TABLE                                                                                                              \
  {"bank",                                                                                                                                \
   'b',                                                                                                                                   \
   POPT_ARG_STRING,                                                                                                                       \
   NULL,                                                                                                                                  \
   MR_BANK_OPTION_BANK,                                                                                                                   \
   "A bank file: text, CSV or JSON. May be given several times; -b and -f are joined in the order given. Each file, and each run of -f, " \
   "begins with Channel: all, "                                                                                                           \
   "Mode: RBJ and no Rate.",                                                                                                              \
   "FILE"},                                                                                                                               \
      {"filter",                                                                                                                          \
       'f',                                                                                                                               \
       POPT_ARG_STRING,                                                                                                                   \
       NULL,                                                                                                                              \
       MR_BANK_OPTION_FILTER,                                                                                                             \
       "A line of bank text, or a filter as it stands after 'Filter: ON', for example 'PK Fc 1000 Hz Gain -3 dB Q 1.4'.",                 \
       "LINE"},                                                                                                                           \
      {"rate", 'r', POPT_ARG_STRING, NULL, MR_BANK_OPTION_RATE, "Sample rate in Hz; default 48000.", "HZ"},                               \
      {"channel-count", 'n', POPT_ARG_STRING, NULL, MR_BANK_OPTION_COUNT, "Channels of the bank, 1 to 1024; default 1.", "N"}, {          \
    "convert-rate", '\0', POPT_ARG_NONE, NULL, MR_BANK_OPTION_CONVERT,                                                                    \
        "Carry coefficients of another sample rate over, and say how much that changes them. Without it they are refused.", NULL          \
  }

typedef struct MrBankCommand {
  const MrCommand* command;
  MrBankInput input;
  double rate;
  uint32_t channels;
  bool convert_rate;
  int code; /* of a bank that cannot be read; else 0 */
} MrBankCommand;

void mr_bank_command_start(MrBankCommand* state, const MrCommand* command);
/* True where the option is taken; false after a message, or (without one) where value is none of the table. */
bool mr_bank_command_option(MrBankCommand* state, int value, const char* argument);
void mr_bank_command_free(MrBankCommand* state);

/* The bank and its program; MR_EXIT_DONE or an exit code after messages. Both are the caller's. */
int mr_bank_command_make(const MrBankCommand* state, MrBank** bank, MrProgram** program);

/* For MrWrite: the handle is a FILE. */
bool mr_bank_command_write(void* handle, const char* text, size_t length);

/* The channels in `same`, a flag a channel, as "1-3, 7". */
void mr_bank_command_channels(const bool* same, uint32_t channels, char* text, size_t size);

/* True where two channels of a program do the same: sections, gain, delay. */
bool mr_bank_command_equal(const MrProgram* program, uint32_t a, uint32_t b);

#endif
