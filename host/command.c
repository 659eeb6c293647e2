/* A command of `millrace`: its options and its texts, one source for the parser, --help and the man page.
   SPDX-License-Identifier: ISC */
#include "command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../dsp/millrace.h"
#include "message.h"

enum { WIDTH = 79, HELP = 0x7fff0001 };

static const char* const exit_codes[] = {
    "0",       "done",
    "1",       "an input cannot be read or an output cannot be written",
    "2",       "wrong usage",
    "3",       "a bank or filter line is refused",
    "4",       "a device is missing or refuses",
    "128 + N", "stopped by signal N",
    NULL,
};

static const char* const environment[] = {
    "MILLRACE_CPU",
    "the CPU levels that may be used, separated by commas: reference, reference-nofma, sse2, avx2, avx512, neon. Without it all "
    "that the machine has.",
    NULL,
};

static const char about[] =
    "Millrace runs cascades of second-order sections (biquads) on many channels at once. A bank gives each channel its filters; it is a "
    "text such as Equalizer APO, REW and AutoEq write, a table of sections as CSV, or JSON with the sections as scipy has them.";

/* ------------------------------------------------------------- parsing */

static int refuse(const MrCommand* command, const char* format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  mr_say_error("%s (see millrace %s --help)", text, command->name);
  return MR_EXIT_USAGE;
}

int mr_command_refuse(const MrCommand* command, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int code = refuse(command, format, arguments);
  va_end(arguments);
  return code;
}

bool mr_command_set_precision(const MrCommand* command, const char* argument, bool* fast) {
  *fast = strcmp(argument, "fast") == 0;
  if (*fast || strcmp(argument, "double") == 0) return true;
  mr_command_refuse(command, "--precision %s: double or fast is expected", argument);
  return false;
}

int mr_command_parse(const MrCommand* command, int argc, const char** argv, MrOption option, void* handle, poptContext* context,
                     const char*** rest) {
  const struct poptOption all[] = {
      {NULL, '\0', POPT_ARG_INCLUDE_TABLE, command->options, 0, NULL, NULL},
      {"help", 'h', POPT_ARG_NONE, NULL, HELP, "Show this help", NULL},
      POPT_TABLEEND,
  };
  static const char* none[] = {NULL};
  *context = poptGetContext("millrace", argc, argv, all, 0);
  *rest = none;
  int value = 0;
  while ((value = poptGetNextOpt(*context)) > 0) {
    if (value == HELP) {
      mr_command_help(command, stdout);
      return MR_EXIT_DONE;
    }
    char* const argument = poptGetOptArg(*context);
    const bool ok = option(handle, value, argument);
    free(argument);
    if (!ok) return MR_EXIT_USAGE;
  }
  if (value < -1) return mr_command_refuse(command, "%s: %s", poptBadOption(*context, POPT_BADOPTION_NOALIAS), poptStrerror(value));
  const char** const left = poptGetArgs(*context);
  if (left) *rest = left;
  return -1;
}

void mr_command_done(poptContext context) {
  if (context) poptFreeContext(context);
}

/* ---------------------------------------------------------------- help */

/* Words of text, broken to lines of WIDTH that start after `indent` spaces; the cursor stands at `column`. */
static void put_words(FILE* out, const char* text, int indent, int column) {
  bool first = true;
  while (*text) {
    const int length = (int)strcspn(text, " ");
    if (!first && column + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      fputc(' ', out);
      ++column;
    }
    fprintf(out, "%.*s", length, text);
    column += length;
    text += length;
    text += strspn(text, " ");
    first = false;
  }
  fputc('\n', out);
}

/* "-b, --bank FILE" */
static void option_name(const struct poptOption* option, char* name, size_t size) {
  char short_name[8] = "";
  if (option->shortName) snprintf(short_name, sizeof short_name, "-%c%s", option->shortName, option->longName ? ", " : "");
  snprintf(name, size, "%s%s%s%s%s", short_name, option->longName ? "--" : "", option->longName ? option->longName : "",
           option->argDescrip ? " " : "", option->argDescrip ? option->argDescrip : "");
}

static bool is_end(const struct poptOption* option) { return !option->longName && !option->shortName; }

static void put_item(FILE* out, const char* name, const char* text) {
  enum { INDENT = 26 };
  const int column = fprintf(out, "  %s", name);
  if (column + 2 > INDENT) {
    fprintf(out, "\n%*s", INDENT, "");
  } else {
    fprintf(out, "%*s", INDENT - column, "");
  }
  put_words(out, text, INDENT, INDENT);
}

static void put_exit_codes(FILE* out) {
  fputs("\nExit codes:\n", out);
  for (int i = 0; exit_codes[i]; i += 2) put_item(out, exit_codes[i], exit_codes[i + 1]);
}

void mr_command_help(const MrCommand* command, FILE* out) {
  const int column = fprintf(out, "Usage: millrace %s ", command->name);
  put_words(out, command->synopsis, 8, column);
  for (int i = 0; command->paragraphs[i]; ++i) {
    fputc('\n', out);
    put_words(out, command->paragraphs[i], 0, 0);
  }
  fputs("\nOptions:\n", out);
  for (const struct poptOption* option = command->options; !is_end(option); ++option) {
    char name[128];
    option_name(option, name, sizeof name);
    put_item(out, name, option->descrip);
  }
  put_item(out, "-h, --help", "Show this help");
  if (command->examples[0]) fputs("\nExamples:\n", out);
  for (int i = 0; command->examples[i]; i += 2) fprintf(out, "  %s:\n      %s\n", command->examples[i], command->examples[i + 1]);
  put_exit_codes(out);
}

void mr_command_overview(FILE* out) {
  fputs("Usage: millrace COMMAND ...\n\n", out);
  put_words(out, about, 0, 0);
  fputs("\nCommands:\n", out);
  for (int i = 0; mr_commands[i]; ++i) put_item(out, mr_commands[i]->name, mr_commands[i]->summary);
  put_item(out, "help [COMMAND]", "show this help, or a command's");
  put_item(out, "--version", "print the version");
  fputs("\nEnvironment:\n", out);
  for (int i = 0; environment[i]; i += 2) put_item(out, environment[i], environment[i + 1]);
  put_exit_codes(out);
}

/* ------------------------------------------------------------ man page */

/* Text as troff takes it: '-' as a minus, no line that starts as a request. */
static void put_troff(FILE* out, const char* text) {
  if (*text == '.' || *text == '\'') fputs("\\&", out);
  for (; *text; ++text) {
    if (*text == '-') {
      fputs("\\-", out);
    } else if (*text == '\\') {
      fputs("\\e", out);
    } else {
      fputc(*text, out);
    }
  }
  fputc('\n', out);
}

static void put_tagged(FILE* out, const char* tag, const char* text) {
  fputs(".TP\n.B ", out);
  put_troff(out, tag);
  put_troff(out, text);
}

static void man_command(const MrCommand* command, FILE* out) {
  fprintf(out, ".SH MILLRACE %s\n.B millrace %s\n", command->name, command->name);
  put_troff(out, command->synopsis);
  for (int i = 0; command->paragraphs[i]; ++i) {
    fputs(".PP\n", out);
    put_troff(out, command->paragraphs[i]);
  }
  for (const struct poptOption* option = command->options; !is_end(option); ++option) {
    char name[128];
    option_name(option, name, sizeof name);
    put_tagged(out, name, option->descrip);
  }
  for (int i = 0; command->examples[i]; i += 2) {
    fputs(i ? ".PP\n" : ".SS Examples\n", out);
    put_troff(out, command->examples[i]);
    fputs(".PP\n.nf\n.RS\n", out);
    put_troff(out, command->examples[i + 1]);
    fputs(".RE\n.fi\n", out);
  }
}

static void man_list(FILE* out, const char* title, const char* const* pairs) {
  fprintf(out, ".SH %s\n", title);
  for (int i = 0; pairs[i]; i += 2) put_tagged(out, pairs[i], pairs[i + 1]);
}

void mr_command_man(FILE* out) {
  fprintf(out, ".TH MILLRACE 1 \"\" \"Millrace %s\" \"User Commands\"\n", mr_version());
  fputs(".SH NAME\nmillrace \\- filters for many channels at once\n.SH SYNOPSIS\n", out);
  for (int i = 0; mr_commands[i]; ++i) {
    fprintf(out, "%s.B millrace %s\n", i ? ".br\n" : "", mr_commands[i]->name);
    put_troff(out, mr_commands[i]->synopsis);
  }
  fputs(".br\n.B millrace help\n[COMMAND]\n.br\n.B millrace \\-\\-version\n.SH DESCRIPTION\n", out);
  put_troff(out, about);
  for (int i = 0; mr_commands[i]; ++i) put_tagged(out, mr_commands[i]->name, mr_commands[i]->summary);
  for (int i = 0; mr_commands[i]; ++i) man_command(mr_commands[i], out);
  man_list(out, "EXIT STATUS", exit_codes);
  man_list(out, "ENVIRONMENT", environment);
}
