/* `millrace sos`: prints a bank's sections.
   SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank_command.h"
#include "command.h"
#include "formats/json.h"
#include "message.h"

enum { OPT_FORMAT = MR_BANK_OPTIONS };

typedef enum Format { FORMAT_TEXT = 0, FORMAT_CSV, FORMAT_JSON } Format;

typedef struct Sos {
  MrBankCommand bank;
  Format format;
} Sos;

static bool option(void* handle, int value, const char* argument) {
  Sos* const sos = handle;
  if (value != OPT_FORMAT) return mr_bank_command_option(&sos->bank, value, argument);
  static const char* const names[] = {"text", "csv", "json"};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(argument, names[i]) != 0) continue;
    sos->format = (Format)i;
    return true;
  }
  mr_command_refuse(sos->bank.command, "--format %s: text, csv or json is expected", argument);
  return false;
}

/* Channels that do the same stand together. */
static void print_text(const Sos* sos, const MrProgram* program) {
  const uint32_t channels = sos->bank.channels;
  bool printed[MR_MAX_CHANNELS] = {false}, same[MR_MAX_CHANNELS];
  printf("# Sections at %.17g Hz: b0 b1 b2 a0 a1 a2\n", sos->bank.rate);
  for (uint32_t k = 0; k < channels; ++k) {
    if (printed[k]) continue;
    char list[8192];
    for (uint32_t j = 0; j < channels; ++j) {
      same[j] = j >= k && !printed[j] && mr_bank_command_equal(program, k, j);
      printed[j] |= same[j];
    }
    mr_bank_command_channels(same, channels, list, sizeof list);
    const uint32_t n = mr_program_sections(program, k);
    printf("Channel %s: %" PRIu32 " section%s, gain %.17g", list, n, n == 1 ? "" : "s", mr_program_gain(program, k));
    if (mr_program_delay(program, k)) printf(", delay %" PRIu32 " frames", mr_program_delay(program, k));
    putchar('\n');
    for (uint32_t i = 0; i < n; ++i) {
      const MrBiquad q = mr_section_to_biquad(mr_program_section(program, k, i));
      printf("  %.17g %.17g %.17g 1 %.17g %.17g\n", q.b0, q.b1, q.b2, q.a1, q.a2);
    }
  }
}

/* A format's own writer, on standard output. */
static int print_table(const Sos* sos, const MrBank* bank) {
  bool warnings = true;
  const MrMessages messages = {mr_say_library, &warnings};
  const MrStatus status = sos->format == FORMAT_CSV ? mr_bank_write_table(bank, sos->bank.rate, mr_bank_command_write, stdout, &messages)
                                                    : mr_bank_write_json(bank, sos->bank.rate, mr_bank_command_write, stdout, &messages);
  if (status == MR_OK) return MR_EXIT_DONE;
  mr_say_error("standard output: %s", mr_strerror(status));
  return MR_EXIT_FILE;
}

static int print(const Sos* sos) {
  MrBank* bank = NULL;
  MrProgram* program = NULL;
  int code = mr_bank_command_make(&sos->bank, &bank, &program);
  if (code != MR_EXIT_DONE) return code;
  if (bank->routes && sos->format == FORMAT_TEXT) mr_say_warning("the bank mixes channels: that is no section, and is not printed");
  if (sos->format == FORMAT_TEXT) {
    print_text(sos, program);
  } else {
    code = print_table(sos, bank);
  }
  mr_program_free(program);
  mr_bank_free(bank);
  return code;
}

static int run(const MrCommand* command, int argc, const char** argv) {
  Sos sos;
  memset(&sos, 0, sizeof sos);
  mr_bank_command_start(&sos.bank, command);
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, &sos, &context, &rest);
  if (code == MR_EXIT_USAGE && sos.bank.code) code = sos.bank.code;
  if (code < 0 && rest[0]) code = mr_command_refuse(command, "%s: no such argument; banks are given with -b", rest[0]);
  if (code < 0 && !sos.bank.input.parts) code = mr_command_refuse(command, "no bank is given: -b BANK or -f 'FILTER LINE'");
  if (code < 0) code = print(&sos);
  mr_command_done(context);
  mr_bank_command_free(&sos.bank);
  return code;
}

static struct poptOption options[] = {
    MR_BANK_OPTION_TABLE,
    {"format", '\0', POPT_ARG_STRING, NULL, OPT_FORMAT, "text (the default), csv or json.", "NAME"},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Prints the sections that a bank becomes at a sample rate, channel by channel, with 17 digits: rows of b0 b1 b2 a0 a1 a2, where a0 is "
    "1, and the gain "
    "(linear) and delay (frames) that each channel has beside them.",
    "The JSON is an object with fs and channels, each with gain, delay and sos, the rows as scipy.signal.sosfilt takes them. CSV is a "
    "table that -b reads "
    "back.",
    NULL,
};

static const char* const examples[] = {
    "The sections of a bank at 96 kHz, for two channels",
    "millrace sos -b room.txt --rate 96000 --channel-count 2",
    "A weighting filter for scipy",
    "millrace sos -f 'Weighting A' --format json > a.json",
    NULL,
};

const MrCommand mr_command_sos = {
    .name = "sos",
    .summary = "print a bank's sections as text, CSV or JSON",
    .synopsis = "[-b BANK | -f 'FILTER LINE']... [OPTIONS]",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
