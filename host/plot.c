/* `millrace plot`: draws what banks do.
   SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "numbers.h"
#include "plot.h"

enum {
  OPT_OUTPUT = MR_BANK_OPTIONS,
  OPT_PRESET,
  OPT_STATE,
  OPT_COMPARE,
  OPT_NAME,
  OPT_CHANNELS,
  OPT_SIZE,
  OPT_DARK,
  OPT_PHASE,
  OPT_DELAY,
  OPT_RANGE,
  OPT_FREQUENCIES,
  OPT_BANDS,
  OPT_NO_BANDS,
  OPT_TITLE,
  OPT_JSON
};

enum { SHORTEST_SIDE = 16, LONGEST_SIDE = 16384 };

/* ------------------------------------------------------------- options */

static bool set_text(char** text, const char* argument) {
  free(*text);
  *text = strdup(argument);
  return *text != NULL;
}

static bool set_output(MrPlot* p, const char* argument) {
  p->format = mr_plot_format(argument);
  if (p->format == MR_PLOT_NONE) {
    mr_command_refuse(p->command, "-o %s: a name is expected that ends in .png, .svg, .pdf or .csv", argument);
    return false;
  }
  if (mr_plot_can(p->format)) return set_text(&p->output, argument);
  mr_command_refuse(p->command, "-o %s: this millrace was built without cairo, and writes .csv alone", argument);
  return false;
}

static bool set_channels(MrPlot* p, const char* argument) {
  if (mr_numbers_parse_channels(argument, p->channel, &p->channels)) return true;
  mr_command_refuse(p->command, "--channels %s: numbers and ranges from 1 to %u are expected, each channel once, for example 1-4,7",
                    argument, MR_MAX_CHANNELS);
  return false;
}

/* Two numbers with a mark between. */
static bool parse_pair(const char* argument, char mark, double* a, double* b) {
  char first[64];
  const char* const between = strchr(argument, mark);
  const size_t length = between ? (size_t)(between - argument) : sizeof first;
  if (length >= sizeof first) return false;
  memcpy(first, argument, length);
  first[length] = '\0';
  return mr_number_parse(first, a) && mr_number_parse(between + 1, b);
}

static bool set_size(MrPlot* p, const char* argument) {
  double w = 0, h = 0;
  if (parse_pair(argument, 'x', &w, &h) && w == floor(w) && h == floor(h) && fmin(w, h) >= SHORTEST_SIDE && fmax(w, h) <= LONGEST_SIDE) {
    p->width = w;
    p->height = h;
    return true;
  }
  mr_command_refuse(p->command, "--size %s: WIDTHxHEIGHT is expected, %d to %d each, for example 1200x600", argument, SHORTEST_SIDE,
                    LONGEST_SIDE);
  return false;
}

static bool set_range(MrPlot* p, const char* argument) {
  if (parse_pair(argument, ':', &p->least_db, &p->most_db) && p->most_db - p->least_db >= 0.1 && p->most_db - p->least_db <= 1000)
    return true;
  mr_command_refuse(p->command, "--range %s: LEAST:MOST in dB is expected, for example -24:12", argument);
  return false;
}

static bool set_frequencies(MrPlot* p, const char* argument) {
  if (parse_pair(argument, ':', &p->least_hz, &p->most_hz) && p->least_hz >= 1e-3 && p->most_hz >= 1.1 * p->least_hz &&
      p->most_hz <= MR_MAX_RATE)
    return true;
  mr_command_refuse(p->command, "--frequencies %s: LEAST:MOST in Hz is expected, for example 20:20000", argument);
  return false;
}

static MrPlotBank* current(MrPlot* p) { return &p->bank[p->banks - 1]; }

/* What -b and -f have gathered belongs to the bank that is being built. */
static void take_input(MrPlot* p) {
  current(p)->input = p->shared.input;
  p->shared.input = (MrBankInput){NULL, 0};
}

static bool begin_another(MrPlot* p) {
  take_input(p);
  if (!current(p)->input.parts && !current(p)->preset_name) {
    mr_command_refuse(p->command, "--compare stands between two banks, and before it there is none");
    return false;
  }
  if (p->banks == MR_PLOT_BANKS) {
    mr_command_refuse(p->command, "%d banks are compared at most", MR_PLOT_BANKS);
    return false;
  }
  p->banks++;
  return true;
}

static bool set_preset(MrPlot* p, const char* argument, bool by_uri) {
  if (current(p)->preset_name) {
    mr_command_refuse(p->command, "one preset or state is a bank, and %s is the second: --compare goes between them", argument);
    return false;
  }
  current(p)->preset_by_uri = by_uri;
  return set_text(&current(p)->preset_name, argument);
}

static bool option(void* handle, int value, const char* argument) {
  MrPlot* const p = handle;
  switch (value) {
    case OPT_OUTPUT:
      return set_output(p, argument);
    case OPT_PRESET:
    case OPT_STATE:
      return set_preset(p, argument, value == OPT_PRESET);
    case OPT_COMPARE:
      return begin_another(p);
    case OPT_NAME:
      return set_text(&current(p)->name, argument);
    case OPT_CHANNELS:
      return set_channels(p, argument);
    case OPT_SIZE:
      return set_size(p, argument);
    case OPT_RANGE:
      return set_range(p, argument);
    case OPT_FREQUENCIES:
      return set_frequencies(p, argument);
    case OPT_TITLE:
      return set_text(&p->title, argument);
    case OPT_DARK:
      return p->dark = true;
    case OPT_PHASE:
      return p->phase = true;
    case OPT_DELAY:
      return p->delay = true;
    case OPT_BANDS:
      return p->bands = true;
    case OPT_NO_BANDS:
      return p->no_bands = true;
    case OPT_JSON:
      return p->json = true;
    default:
      p->has_rate |= value == MR_BANK_OPTION_RATE;
      p->has_count |= value == MR_BANK_OPTION_COUNT;
      return mr_bank_command_option(&p->shared, value, argument);
  }
}

/* ------------------------------------------------------------ making it */

static int no_memory(void) {
  mr_say_error("no memory");
  return MR_EXIT_FILE;
}

static int check(MrPlot* p, const char** rest) {
  take_input(p);
  for (uint32_t i = 0; i < p->banks; ++i) {
    if (p->bank[i].preset_name && p->bank[i].input.parts)
      return mr_command_refuse(p->command, "--preset and --state exclude -b and -f in one bank: a preset has its filters with it");
    if (!p->bank[i].preset_name && !p->bank[i].input.parts)
      return mr_command_refuse(p->command, "no bank is given%s: -b BANK or -f 'FILTER LINE', or a plugin's settings: --preset or --state",
                               i ? " behind --compare" : "");
  }
  if (!p->output) return mr_command_refuse(p->command, "no output is given: -o OUT.png, .svg, .pdf or .csv");
  if (p->bands && p->no_bands) return mr_command_refuse(p->command, "--bands and --no-bands exclude each other");
  if (rest[0] && rest[1]) return mr_command_refuse(p->command, "%s: one recording is shown at a time", rest[1]);
  if (rest[0] && !mr_spectrum_is_there())
    return mr_command_refuse(p->command, "%s: this millrace was built without kissfft, and measures no spectra", rest[0]);
  if (rest[0] && p->has_rate) return mr_command_refuse(p->command, "--rate excludes a recording, which has a rate of its own");
  if (rest[0] && p->has_count) return mr_command_refuse(p->command, "--channel-count excludes a recording, which has channels of its own");
  return -1;
}

static int open_recording(MrPlot* p, const char* path) {
  char why[MR_WHY] = "";
  p->in = mr_audio_in_open(path, NULL, why);
  if (!p->in) {
    mr_say_error("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, why);
    return MR_EXIT_FILE;
  }
  p->shared.rate = p->in->info.samplerate;
  p->shared.channels = (uint32_t)p->in->info.channels;
  return MR_EXIT_DONE;
}

static int make_banks(MrPlot* p) {
  for (uint32_t k = 0; k < p->channels; ++k) {
    if (p->channel[k] >= p->shared.channels)
      return mr_command_refuse(p->command, "--channels names channel %" PRIu32 ", and there %s %" PRIu32, p->channel[k] + 1,
                               p->shared.channels == 1 ? "is" : "are", p->shared.channels);
    p->wanted[p->channel[k]] = true;
  }
  for (uint32_t c = 0; c < p->shared.channels && !p->channels; ++c) p->wanted[c] = true;
  const MrReadOptions read = {.channels = p->shared.channels, .fs = p->shared.rate, .convert_rate = p->shared.convert_rate};
  int code = MR_EXIT_DONE;
  for (uint32_t i = 0; i < p->banks && code == MR_EXIT_DONE; ++i) code = mr_plot_bank_make(&p->bank[i], &read, p->wanted);
  return code;
}

static int plot(MrPlot* p, const char* recording) {
  int code = recording ? open_recording(p, recording) : MR_EXIT_DONE;
  if (code == MR_EXIT_DONE) code = make_banks(p);
  return code == MR_EXIT_DONE ? mr_plot_draw(p, recording) : code;
}

static int run(const MrCommand* command, int argc, const char** argv) {
  MrPlot* const p = calloc(1, sizeof *p);
  if (!p) return no_memory();
  p->command = command;
  p->banks = 1;
  mr_bank_command_start(&p->shared, command);
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, p, &context, &rest);
  if (code == MR_EXIT_USAGE && p->shared.code) code = p->shared.code;
  if (code < 0) code = check(p, rest);
  if (code < 0) code = plot(p, rest[0]);
  mr_command_done(context);
  for (uint32_t i = 0; i < p->banks; ++i) mr_plot_bank_free(&p->bank[i]);
  for (uint32_t i = 0; i <= MR_PLOT_BANKS; ++i) mr_spectrum_free(p->spectrum[i]);
  mr_curves_free(p->curves);
  mr_audio_in_close(p->in);
  mr_bank_command_free(&p->shared);
  free(p->output);
  free(p->title);
  free(p);
  return code;
}

/* --------------------------------------------------------------- texts */

static struct poptOption options[] = {
    MR_BANK_OPTION_TABLE,
    {"preset", '\0', POPT_ARG_STRING, NULL, OPT_PRESET,
     "In place of -b and -f: what a preset of the plugins Millrace EQ or Millrace Bank holds, as render --preset plays it.", "URI|FILE"},
    {"state", '\0', POPT_ARG_STRING, NULL, OPT_STATE, "The same, from a state that a host has saved.", "FILE"},
    {"compare", '\0', POPT_ARG_NONE, NULL, OPT_COMPARE,
     "What follows is another bank, of options of its own, in the same picture. Up to 16 are compared.", NULL},
    {"name", '\0', POPT_ARG_STRING, NULL, OPT_NAME, "What to call the bank that is being given. Default: its files or lines.", "TEXT"},
    {"output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,
     "Where the result goes: a name that ends in .png, .svg or .pdf for a picture, in .csv for its numbers.", "OUT"},
    {"channels", '\0', POPT_ARG_STRING, NULL, OPT_CHANNELS,
     "Show only these channels, for example 1-4,7; channels that do the same share a curve. Spectra are the average over them.", "LIST"},
    {"phase", '\0', POPT_ARG_NONE, NULL, OPT_PHASE, "Show the phase too, without delays, in degrees.", NULL},
    {"group-delay", '\0', POPT_ARG_NONE, NULL, OPT_DELAY, "Show the group delay too, with delays, in milliseconds.", NULL},
    {"bands", '\0', POPT_ARG_NONE, NULL, OPT_BANDS,
     "Show each filter's own curve, whatever else is shown. Default: where one bank does the same to all channels and no recording is "
     "shown.",
     NULL},
    {"no-bands", '\0', POPT_ARG_NONE, NULL, OPT_NO_BANDS, "Show no filter's own curve.", NULL},
    {"range", '\0', POPT_ARG_STRING, NULL, OPT_RANGE, "Magnitudes that the picture shows, in dB. Default: by what there is to see.",
     "LEAST:MOST"},
    {"frequencies", '\0', POPT_ARG_STRING, NULL, OPT_FREQUENCIES, "Frequencies that are shown, in Hz. Default: by what there is to see.",
     "LEAST:MOST"},
    {"size", '\0', POPT_ARG_STRING, NULL, OPT_SIZE,
     "Of the picture, in pixels or, of a PDF, in points. Default: 1200x600, higher with --phase and --group-delay.", "WIDTHxHEIGHT"},
    {"dark", '\0', POPT_ARG_NONE, NULL, OPT_DARK, "Light on dark.", NULL},
    {"title", '\0', POPT_ARG_STRING, NULL, OPT_TITLE, "Over the picture. Default: the bank's name, where there is one bank; '' for none.",
     "TEXT"},
    {"json", '\0', POPT_ARG_NONE, NULL, OPT_JSON, "Report what was drawn as a JSON object on standard output.", NULL},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Draws the response of a bank: its magnitude over frequency, the whole and each filter, as the engine's own sections have it at a "
    "sample rate. "
    "Channels that do the same share a curve. What is above Nyquist is hatched; a filter that the rate cannot hold is grey and dotted.",
    "With a recording, IN, the bank is made for its rate and channels and filters it, and the picture shows the spectra before and after: "
    "levels of "
    "bands of a twelfth of an octave, in dB of a sine of full scale, by Welch's average over the whole recording.",
    "The CSV has a row for each frequency and the numbers that the pictures are drawn from; between two rows a straight line along the "
    "logarithm of "
    "frequency is within 0.01 dB of the curves, down to -240 dB. Empty: above Nyquist.",
    NULL,
};

static const char* const examples[] = {
    "A bank's response",
    "millrace plot -b room.txt -o room.png",
    "Two rumble filters, with what they do to time",
    "millrace plot -f 'Butterworth HP Order 4 Fc 30 Hz' --compare -f 'Bessel HP Order 4 Fc 30 Hz' --group-delay -o rumble.svg",
    "A recording before and after",
    "millrace plot -b room.txt concert.wav --dark -o concert.png",
    "The numbers, at 96 kHz",
    "millrace plot -b room.txt --rate 96000 --phase -o room.csv",
    NULL,
};

const MrCommand mr_command_plot = {
    .name = "plot",
    .summary = "draw the response of banks, and spectra before and after",
    .synopsis = "{[-b BANK | -f 'FILTER LINE']... | --preset URI|FILE | --state FILE} [--compare ...] [OPTIONS] [IN] -o OUT",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
