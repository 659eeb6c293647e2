/* A command of `millrace`: its options and its texts, one source for the parser, --help and the man page.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_COMMAND_H
#define MR_HOST_COMMAND_H

#include <popt.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit codes; signals give 128 + their number. */
enum { MR_EXIT_DONE = 0, MR_EXIT_FILE = 1, MR_EXIT_USAGE = 2, MR_EXIT_BANK = 3, MR_EXIT_DEVICE = 4 };

typedef struct MrCommand {
  const char* name;
  const char* summary;                                                      /* a few words, no full stop */
  const char* synopsis;                                                     /* what follows the name */
  struct poptOption* options;                                               /* ends in POPT_TABLEEND; every val is not 0, every arg NULL */
  const char* const* paragraphs;                                            /* ends in NULL */
  const char* const* examples;                                              /* pairs of what it does and the line to type; ends in NULL */
  int (*run)(const struct MrCommand* command, int argc, const char** argv); /* argv[0] is the name; an exit code */
} MrCommand;

extern const MrCommand mr_command_render, mr_command_plot, mr_command_sos, mr_command_info, mr_command_bench;
extern const MrCommand mr_command_jack; /* where it is built */

/* All commands; ends in NULL. */
extern const MrCommand* const mr_commands[];

/* Called for each option in the order given; false after a message where its value cannot be. */
typedef bool (*MrOption)(void* handle, int value, const char* argument);

/* Parses; what is left over goes to *rest (ends in NULL; valid until mr_command_done). Returns -1 to go on, else an exit code: after
   --help, or a usage error that has been said. */
int mr_command_parse(const MrCommand* command, int argc, const char** argv, MrOption option, void* handle, poptContext* context,
                     const char*** rest);
void mr_command_done(poptContext context); /* NULL is allowed */

/* A usage error: says it and where to look. Returns MR_EXIT_USAGE. */
int mr_command_refuse(const MrCommand* command, const char* format, ...);

/* The option --precision of commands that run an engine, for their tables, and its argument. False after a message. */
#define MR_PRECISION_OPTION(value)                                                                                                     \
  {                                                                                                                                    \
    "precision", '\0', POPT_ARG_STRING, NULL, value,                                                                                   \
        "Arithmetic: double (float64), the default, or fast (float32), at about twice the speed. fast is for filters that bear it: a " \
        "warning names the first that does not, where errors may pass 1e-4 of the peak.",                                              \
        "double|fast"                                                                                                                  \
  }
bool mr_command_set_precision(const MrCommand* command, const char* argument, bool* fast);

void mr_command_help(const MrCommand* command, FILE* out);
void mr_command_overview(FILE* out);
/* The man page of all commands, as troff. */
void mr_command_man(FILE* out);

#endif
