/* `millrace jack`: a bank of filters as a client of a JACK server.
   SPDX-License-Identifier: ISC */
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../message.h"
#include "../numbers.h"
#include "options.h"
#include "session.h"

enum {
  OPT_CHANNELS = 1,
  OPT_BANK,
  OPT_FILTER,
  OPT_CONNECT,
  OPT_NAME,
  OPT_SERVER,
  OPT_THREADS,
  OPT_KEEP_AWAKE,
  OPT_ON_ERROR,
  OPT_CONVERT_RATE,
  OPT_JSON,
  OPT_EVERY,
  OPT_QUIET
};

typedef struct Jack {
  const MrCommand* command;
  MrJackOptions options;
  char *name, *server;
  int code; /* of an option that is refused */
} Jack;

/* ------------------------------------------------------------- options */

static bool set_count(const Jack* j, const char* option, const char* argument, uint32_t most, uint32_t* value) {
  uint32_t count = 0;
  if (mr_numbers_parse(argument, most, value, &count, 1) && count == 1) return true;
  mr_command_refuse(j->command, "--%s %s: a number from 1 to %u is expected", option, argument, most);
  return false;
}

static bool set_threads(Jack* j, const char* argument) {
  if (strcmp(argument, "auto") != 0) {
    uint32_t count = 0;
    if (mr_numbers_parse(argument, MR_JACK_MOST_THREADS, &j->options.threads, &count, 1) && count == 1) return true;
    mr_command_refuse(j->command, "--threads %s: auto or a number from 1 to %u is expected", argument, MR_JACK_MOST_THREADS);
    return false;
  }
  j->options.threads = 0;
  return true;
}

static bool set_text(char** text, const char* argument) {
  free(*text);
  *text = strdup(argument);
  return *text != NULL;
}

static bool set_name(Jack* j, const char* argument) {
  const size_t most = (size_t)jack_client_name_size() - 1;
  if (*argument && !strchr(argument, ':') && strlen(argument) <= most) return set_text(&j->name, argument);
  mr_command_refuse(j->command, "--name %s: a name of 1 to %zu bytes without a colon is expected", argument, most);
  return false;
}

static bool set_on_error(Jack* j, const char* argument) {
  j->options.passes_on_error = strcmp(argument, "pass") == 0;
  if (j->options.passes_on_error || strcmp(argument, "mute") == 0) return true;
  mr_command_refuse(j->command, "--on-error %s: mute or pass is expected", argument);
  return false;
}

static bool set_every(Jack* j, const char* argument) {
  if (mr_number_parse(argument, &j->options.every) && j->options.every >= 0.1 && j->options.every <= 86400) return true;
  mr_command_refuse(j->command, "--every %s: seconds from 0.1 to 86400 are expected", argument);
  return false;
}

static bool add_connection(Jack* j, const char* argument) {
  if (mr_jack_rules_add(&j->options.rules, argument)) return true;
  mr_command_refuse(j->command,
                    "--connect %s: physical, in=PORTS, out=PORTS or, for certain channels, in1-4,7=PORTS is expected, where PORTS is "
                    "physical, CLIENT or CLIENT:PORT",
                    argument);
  return false;
}

static bool add_source(Jack* j, bool added) {
  if (!added) j->code = MR_EXIT_BANK;
  return added;
}

static bool option(void* handle, int value, const char* argument) {
  Jack* const j = handle;
  switch (value) {
    case OPT_CHANNELS:
      return set_count(j, "channels", argument, MR_MAX_CHANNELS, &j->options.channels);
    case OPT_BANK:
      return add_source(j, mr_sources_add_file(&j->options.sources, argument));
    case OPT_FILTER:
      return add_source(j, mr_sources_add_line(&j->options.sources, argument));
    case OPT_CONNECT:
      return add_connection(j, argument);
    case OPT_NAME:
      return set_name(j, argument);
    case OPT_SERVER:
      return set_text(&j->server, argument);
    case OPT_THREADS:
      return set_threads(j, argument);
    case OPT_KEEP_AWAKE:
      j->options.awake = true;
      return true;
    case OPT_ON_ERROR:
      return set_on_error(j, argument);
    case OPT_CONVERT_RATE:
      j->options.convert_rate = true;
      return true;
    case OPT_JSON:
      j->options.json = true;
      return true;
    case OPT_EVERY:
      return set_every(j, argument);
    case OPT_QUIET:
      j->options.quiet = true;
      return true;
    default:
      return false;
  }
}

static int check_and_play(Jack* j, const char** rest) {
  const uint32_t largest = mr_jack_rules_largest(&j->options.rules);
  if (rest[0]) return mr_command_refuse(j->command, "%s: no such argument; banks are given with -b", rest[0]);
  if (!j->options.channels) return mr_command_refuse(j->command, "no number of channels is given: -c N");
  if (!j->options.sources.sources) return mr_command_refuse(j->command, "no bank is given: -b BANK or -f 'FILTER LINE'");
  if (largest > j->options.channels)
    return mr_command_refuse(j->command, "--connect names channel %u, and there are %u", largest, j->options.channels);
  j->options.name = j->name ? j->name : "millrace";
  j->options.server = j->server;
  return mr_jack_session(&j->options);
}

static int run(const MrCommand* command, int argc, const char** argv) {
  Jack j;
  memset(&j, 0, sizeof j);
  j.command = command;
  j.options.every = 1;
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, &j, &context, &rest);
  if (code == MR_EXIT_USAGE && j.code) code = j.code;
  if (code < 0) code = check_and_play(&j, rest);
  mr_command_done(context);
  mr_sources_free(&j.options.sources);
  mr_jack_rules_free(&j.options.rules);
  free(j.name);
  free(j.server);
  return code;
}

/* --------------------------------------------------------------- texts */

static struct poptOption options[] = {
    {"channels", 'c', POPT_ARG_STRING, NULL, OPT_CHANNELS, "Channels, 1 to 1024: so many inputs, and so many outputs.", "N"},
    {"bank", 'b', POPT_ARG_STRING, NULL, OPT_BANK,
     "A bank file: text, CSV or JSON. May be given several times; -b and -f are joined in the order given. Each file, and each run of -f, "
     "begins with Channel: all, Mode: RBJ and no Rate.",
     "FILE"},
    {"filter", 'f', POPT_ARG_STRING, NULL, OPT_FILTER,
     "A line of bank text, or a filter as it stands after 'Filter: ON', for example 'PK Fc 1000 Hz Gain -3 dB Q 1.4'.", "LINE"},
    {"connect", '\0', POPT_ARG_STRING, NULL, OPT_CONNECT,
     "What to connect, also when it appears later. physical: the k-th physical input of the machine to channel k, and channel k to its "
     "k-th physical output. in=PORTS and out=PORTS: the inputs or outputs alone. PORTS is physical, CLIENT or CLIENT:PORT, in which *, ? "
     "and [...] are "
     "wildcards; the k-th port that fits, as the server lists them, meets channel k. in1-4,7=PORTS: it meets the k-th of these channels. "
     "May be given several times.",
     "[in|out][LIST=]PORTS"},
    {"name", '\0', POPT_ARG_STRING, NULL, OPT_NAME,
     "Name of the client; default millrace. Where it is taken, the server makes another one of it, which is said.", "NAME"},
    {"server", '\0', POPT_ARG_STRING, NULL, OPT_SERVER, "Name of the JACK server, where it is not the usual one.", "NAME"},
    {"threads", '\0', POPT_ARG_STRING, NULL, OPT_THREADS,
     "Threads that filter, the server's among them: auto, the default, as many as the processors, or a number. They are called for where "
     "that is faster; "
     "no sample depends on them.",
     "auto|N"},
    {"keep-awake", '\0', POPT_ARG_NONE, NULL, OPT_KEEP_AWAKE,
     "Never let the threads sleep for long, so that they begin at once: for machines whose processors are there for this alone.", NULL},
    {"on-error", '\0', POPT_ARG_STRING, NULL, OPT_ON_ERROR,
     "What is heard while a bank is refused and none plays yet: mute, the default, silence; pass, the input. A bank that routes, delays or "
     "crosses "
     "over protects loudspeakers: then, and where the bank could not be read to its end, always silence.",
     "mute|pass"},
    {"convert-rate", '\0', POPT_ARG_NONE, NULL, OPT_CONVERT_RATE,
     "Carry coefficients of another sample rate over to the server's, and say how much that changes them. Without it they are refused.",
     NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, OPT_JSON,
     "Report on standard output, a JSON object a line: at the start and the end, when a bank is read anew or refused, and in between.",
     NULL},
    {"every", '\0', POPT_ARG_STRING, NULL, OPT_EVERY, "Time between two reports of --json; default 1.", "SECONDS"},
    {"quiet", 'q', POPT_ARG_NONE, NULL, OPT_QUIET, "No status line and no notes. Warnings and errors stay.", NULL},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Filters, in real time and without latency, what comes in at the ports in_1 to in_N of a client of a JACK server, and gives it out at "
    "out_1 to "
    "out_N. Channel k of the bank is in_k and out_k. The server is JACK's or PipeWire's, and is never started. The samples are those that "
    "`render "
    "--realtime-kernels` gives. Ports also have names that say the bank and the loudspeaker, where the server keeps such.",
    "The bank is read again when a file of it has been written, renamed over or linked anew, and at SIGHUP. It changes without a click. "
    "One that is "
    "refused is said, with file, line and what was expected, and what plays plays on. Where nothing plays yet the client is silent, says "
    "so, and waits "
    "for the files to be mended. What comes from a pipe is read once.",
    "At another sample rate the bank is designed anew, and there is silence until then. Blocks may change at any time.",
    "SIGINT and SIGTERM end the client under a short fade, with exit code 0. 4: there is no server, it ended, or it has no room for the "
    "ports. 3: filter "
    "lines are refused and there is no file that could be mended. 129: the terminal was closed.",
    "On a terminal a line shows the state, the load (of the time of a block, on average and at most), xruns, blocks of a channel that "
    "passed full scale (clips), and the highest peaks.",
    NULL,
};

static const char* const examples[] = {
    "A crossover between the sound card's inputs and outputs",
    "millrace jack -c 8 -b crossover.txt --connect physical",
    "A room's equaliser behind a player that may start later, on outputs 3 and 4",
    "millrace jack -c 2 -b room.txt --name room --connect 'in=player:out_*' --connect 'out=system:playback_[34]'",
    "For a monitoring program",
    "millrace jack -c 64 -b array.json --json --every 10",
    NULL,
};

const MrCommand mr_command_jack = {
    .name = "jack",
    .summary = "filter the sound of a JACK graph through a bank",
    .synopsis = "-c N {-b BANK | -f 'FILTER LINE'}... [--connect [in|out][LIST=]PORTS]... [OPTIONS]",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
