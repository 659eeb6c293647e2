/* `millrace render`: filters audio files.
   SPDX-License-Identifier: ISC */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "numbers.h"
#include "render_file.h"
#include "target.h"

enum {
  OPT_BANK = 1,
  OPT_FILTER,
  OPT_PRESET,
  OPT_STATE,
  OPT_OUTPUT,
  OPT_CHANNELS,
  OPT_TAIL,
  OPT_ENCODING,
  OPT_FORMAT,
  OPT_RAW,
  OPT_CONVERT_RATE,
  OPT_REALTIME,
  OPT_PRECISION,
  OPT_BLOCK,
  OPT_THREADS,
  OPT_DEVICE,
  OPT_JSON,
  OPT_QUIET
};

typedef struct Render {
  const MrCommand* command;
  MrRenderOptions options;
  MrPreset preset;
  char *preset_name, *state_name;
  char* output;
  int code; /* of an option that is refused */
} Render;

/* ------------------------------------------------------------- options */

static bool set_tail(Render* r, const char* argument) {
  r->options.tail_auto = strcmp(argument, "auto") == 0;
  if (r->options.tail_auto || (mr_number_parse(argument, &r->options.tail) && r->options.tail >= 0 && r->options.tail <= 86400))
    return true;
  mr_command_refuse(r->command, "--tail %s: seconds from 0 to 86400 are expected, or auto", argument);
  return false;
}

/* RATE:CHANNELS:ENCODING */
static bool set_raw(Render* r, const char* argument) {
  char rate_text[32], channels_text[32], encoding_text[32];
  double rate = 0, channels = 0;
  const bool parts = sscanf(argument, "%31[^:]:%31[^:]:%31s", rate_text, channels_text, encoding_text) == 3;
  const bool numbers = parts && mr_number_parse(rate_text, &rate) && mr_number_parse(channels_text, &channels);
  const int encoding = numbers ? mr_encoding_parse_raw(encoding_text) : 0;
  if (!encoding || rate < MR_MIN_RATE || rate > MR_MAX_RATE || rate != floor(rate) || channels < 1 || channels > MR_MAX_CHANNELS ||
      channels != floor(channels)) {
    mr_command_refuse(
        r->command, "--raw %s: RATE:CHANNELS:ENCODING is expected, for example 48000:64:float, with 1 to %u channels and an encoding of %s",
        argument, MR_MAX_CHANNELS, MR_ENCODING_NAMES);
    return false;
  }
  r->options.has_raw = true;
  r->options.raw = (MrRawFormat){(int)rate, (int)channels, encoding};
  return true;
}

static bool set_channels(Render* r, const char* argument) {
  if (mr_numbers_parse_channels(argument, r->options.channel, &r->options.channels)) return true;
  mr_command_refuse(r->command, "--channels %s: numbers and ranges from 1 to %u are expected, each channel once, for example 1-4,7",
                    argument, MR_MAX_CHANNELS);
  return false;
}

static bool set_block(Render* r, const char* argument) {
  double frames = 0;
  if (mr_number_parse(argument, &frames) && frames >= 1 && frames <= 65536 && frames == floor(frames)) {
    r->options.block = (uint32_t)frames;
    return true;
  }
  mr_command_refuse(r->command, "--block %s: frames from 1 to 65536 are expected", argument);
  return false;
}

static bool set_threads(Render* r, const char* argument) {
  double threads = 0;
  const bool is_auto = strcmp(argument, "auto") == 0;
  if (is_auto || (mr_number_parse(argument, &threads) && threads >= 1 && threads <= 256 && threads == floor(threads))) {
    r->options.threads = (uint32_t)threads;
    return true;
  }
  mr_command_refuse(r->command, "-j %s: a number of threads from 1 to 256 is expected, or auto", argument);
  return false;
}

static bool set_device(Render* r, const char* argument) {
  static const char* const names[] = {[MR_DEVICE_AUTO] = "auto", [MR_DEVICE_CPU] = "cpu", [MR_DEVICE_CUDA] = "cuda"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(argument, names[i]) != 0) continue;
    r->options.device = (MrDeviceWish)i;
    return true;
  }
  mr_command_refuse(r->command, "--device %s: auto, cpu or cuda is expected", argument);
  return false;
}

static bool set_text(char** text, const char* argument) {
  free(*text);
  *text = strdup(argument);
  return *text != NULL;
}

/* One preset or state is played. */
static bool set_preset(Render* r, char** name, const char* argument) {
  if (!r->preset_name && !r->state_name) return set_text(name, argument);
  mr_command_refuse(r->command, "one preset or state is played at a time, and %s is the second", argument);
  return false;
}

static bool set_encoding(Render* r, const char* argument) {
  r->options.encoding = mr_encoding_parse(argument);
  if (!r->options.encoding) mr_command_refuse(r->command, "--encoding %s: one of %s is expected", argument, MR_ENCODING_NAMES);
  return r->options.encoding != 0;
}

static bool set_format(Render* r, const char* argument) {
  r->options.format = mr_format_parse(argument);
  if (!r->options.format) mr_command_refuse(r->command, "--format %s: one of %s is expected", argument, MR_FORMAT_NAMES);
  return r->options.format != 0;
}

static bool add_bank(Render* r, bool added) {
  if (!added) r->code = MR_EXIT_BANK;
  return added;
}

static bool option(void* handle, int value, const char* argument) {
  Render* const r = handle;
  switch (value) {
    case OPT_BANK:
      return add_bank(r, mr_bank_input_add_file(&r->options.bank, argument));
    case OPT_FILTER:
      return add_bank(r, mr_bank_input_add_line(&r->options.bank, argument));
    case OPT_OUTPUT:
      return set_text(&r->output, argument);
    case OPT_PRESET:
      return set_preset(r, &r->preset_name, argument);
    case OPT_STATE:
      return set_preset(r, &r->state_name, argument);
    case OPT_CHANNELS:
      return set_channels(r, argument);
    case OPT_TAIL:
      return set_tail(r, argument);
    case OPT_ENCODING:
      return set_encoding(r, argument);
    case OPT_FORMAT:
      return set_format(r, argument);
    case OPT_RAW:
      return set_raw(r, argument);
    case OPT_BLOCK:
      return set_block(r, argument);
    case OPT_THREADS:
      return set_threads(r, argument);
    case OPT_DEVICE:
      return set_device(r, argument);
    case OPT_PRECISION:
      return mr_command_set_precision(r->command, argument, &r->options.fast);
    case OPT_CONVERT_RATE:
      r->options.convert_rate = true;
      return true;
    case OPT_JSON:
      r->options.json = true;
      return true;
    case OPT_QUIET:
      r->options.quiet = true;
      return true;
    case OPT_REALTIME:
      r->options.realtime_kernels = true;
      return true;
    default:
      return false;
  }
}

/* --------------------------------------------------------------- files */

static bool is_folder(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The same regular file under whatever names. */
static bool is_same_file(const char* a, const char* b) {
  struct stat x, y;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || stat(a, &x) != 0 || stat(b, &y) != 0) return false;
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* FOLDER/NAME, with another ending where another format was asked for. */
static char* path_in_folder(const Render* r, const char* input) {
  const char* const slash = strrchr(input, '/');
  const char* const name = slash ? slash + 1 : input;
  const char* const point = strrchr(name, '.');
  const int format = r->options.format;
  const bool rename =
      format && !(mr_format_is_wave(format) ? mr_format_is_wave(mr_format_from_path(name)) : mr_format_from_path(name) == format);
  const int stem = rename && point && point > name ? (int)(point - name) : (int)strlen(name);
  const size_t folder = strlen(r->output);
  const char* const separator = folder && r->output[folder - 1] == '/' ? "" : "/";
  const size_t size = folder + strlen(name) + 32;
  char* const path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s%.*s%s%s", r->output, separator, stem, name, rename ? "." : "", rename ? mr_format_ending(format) : "");
  return path;
}

static void free_list(char** list, int count) {
  for (int i = 0; list && i < count; ++i) free(list[i]);
  free(list);
}

/* A target for each input; NULL after a message. */
static char** choose_outputs(const Render* r, const char** input, int count) {
  const bool folder = is_folder(r->output);
  char** const output = calloc((size_t)count, sizeof *output);
  if (!output) return NULL;
  for (int i = 0; i < count; ++i) {
    if (folder && strcmp(input[i], "-") == 0) {
      mr_command_refuse(r->command, "%s is a folder: standard input has no name to give to a file in it", r->output);
      free_list(output, count);
      return NULL;
    }
    output[i] = folder ? path_in_folder(r, input[i]) : strdup(r->output);
    if (!output[i]) {
      mr_say_error("no memory");
      free_list(output, count);
      return NULL;
    }
  }
  return output;
}

/* No output may be an input, a bank or another output: that would lose it. */
static bool check_outputs(const Render* r, const char** input, char** output, int count) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      if (is_same_file(output[i], input[k])) {
        mr_command_refuse(r->command, "%s is an input too: choose another output", output[i]);
        return false;
      }
      if (k < i && (strcmp(output[i], output[k]) == 0 || is_same_file(output[i], output[k]))) {
        mr_command_refuse(r->command, "%s and %s would both become %s", input[k], input[i], output[i]);
        return false;
      }
    }
    if (r->preset.path && is_same_file(output[i], r->preset.path)) {
      mr_command_refuse(r->command, "%s is the preset: choose another output", output[i]);
      return false;
    }
    for (size_t k = 0; k < r->options.bank.parts; ++k) {
      if (r->options.bank.part[k].is_lines || !is_same_file(output[i], r->options.bank.part[k].name)) continue;
      mr_command_refuse(r->command, "%s is the bank: choose another output", output[i]);
      return false;
    }
  }
  return true;
}

/* All are tried; the first failure decides the exit code. */
static int render_all(const Render* r, const char** input, int count) {
  char** const output = choose_outputs(r, input, count);
  if (!output) return MR_EXIT_USAGE;
  int code = check_outputs(r, input, output, count) ? MR_EXIT_DONE : MR_EXIT_USAGE;
  if (code == MR_EXIT_DONE) {
    MrWarned warned = {0, 0};
    mr_target_watch_signals();
    for (int i = 0; i < count; ++i) {
      const int one = mr_render_file(&r->options, input[i], output[i], &warned);
      if (code == MR_EXIT_DONE) code = one;
    }
    mr_target_unwatch_signals();
  }
  free_list(output, count);
  return code;
}

static int check_and_render(Render* r, const char** input) {
  const char* const preset = r->preset_name ? r->preset_name : r->state_name;
  int count = 0;
  while (input[count]) ++count;
  if (!count) return mr_command_refuse(r->command, "no input is given");
  if (!r->output) return mr_command_refuse(r->command, "no output is given: -o OUT");
  if (r->options.realtime_kernels && r->options.fast)
    return mr_command_refuse(r->command, "--realtime-kernels and --precision fast exclude each other: real-time programs use float64");
  if (r->options.realtime_kernels && r->options.device == MR_DEVICE_CUDA)
    return mr_command_refuse(r->command, "--realtime-kernels and --device cuda exclude each other: real-time programs run on the CPU");
  if (preset && r->options.bank.parts)
    return mr_command_refuse(r->command, "--preset and --state exclude -b and -f: a preset has its filters with it");
  if (preset && r->options.fast)
    return mr_command_refuse(r->command, "--preset and --state exclude --precision fast: the plugins filter in float64");
  if (!preset && !r->options.bank.parts)
    return mr_command_refuse(r->command, "no bank is given: -b BANK or -f 'FILTER LINE', or a plugin's settings: --preset or --state");
  if (strcmp(r->output, "-") == 0 && isatty(STDOUT_FILENO))
    return mr_command_refuse(r->command, "standard output is a terminal: send the samples to a file or a pipe");
  if (count > 1 && !is_folder(r->output)) return mr_command_refuse(r->command, "%s is not a folder: several inputs need one", r->output);
  if (preset) {
    const int code = mr_preset_read(&r->preset, preset, r->preset_name != NULL);
    if (code != MR_EXIT_DONE) return code;
    r->options.preset = &r->preset;
  }
  return render_all(r, input, count);
}

static int run(const MrCommand* command, int argc, const char** argv) {
  Render* const r = calloc(1, sizeof *r);
  if (!r) {
    mr_say_error("no memory");
    return MR_EXIT_FILE;
  }
  r->command = command;
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, r, &context, &rest);
  if (code == MR_EXIT_USAGE && r->code) code = r->code;
  if (code < 0) code = check_and_render(r, rest);
  mr_command_done(context);
  mr_bank_input_free(&r->options.bank);
  mr_preset_free(&r->preset);
  free(r->preset_name);
  free(r->state_name);
  free(r->output);
  free(r);
  return code;
}

/* --------------------------------------------------------------- texts */

static struct poptOption options[] = {
    {"bank", 'b', POPT_ARG_STRING, NULL, OPT_BANK,
     "A bank file: text, CSV or JSON. May be given several times; -b and -f are joined in the order given. Each file, and each run of -f, "
     "begins with Channel: all, "
     "Mode: RBJ and no Rate.",
     "FILE"},
    {"filter", 'f', POPT_ARG_STRING, NULL, OPT_FILTER,
     "A line of bank text, or a filter as it stands after 'Filter: ON', for example 'PK Fc 1000 Hz Gain -3 dB Q 1.4'.", "LINE"},
    {"preset", '\0', POPT_ARG_STRING, NULL, OPT_PRESET,
     "In place of -b and -f: play what a preset of the plugins Millrace EQ or Millrace Bank holds, on as many channels as the input has. A "
     "name (`millrace info --presets` lists them) or a URI means one in the LV2 path; a file or a bundle's folder may be anywhere.",
     "NAME|URI|FILE"},
    {"state", '\0', POPT_ARG_STRING, NULL, OPT_STATE,
     "The same, from a state that a host has saved: a file or a folder with port values in it, as jalv and others save them.", "FILE"},
    {"output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,
     "Where the result goes: a file, an existing folder (always where there are several inputs), or - for standard output.", "OUT"},
    {"channels", '\0', POPT_ARG_STRING, NULL, OPT_CHANNELS,
     "Write only these channels, in this order, for example 1-4,7. The bank still acts on all channels of the input, by their own numbers.",
     "LIST"},
    {"tail", '\0', POPT_ARG_STRING, NULL, OPT_TAIL,
     "How long the output goes on after the input's end. 0 is the default: exactly the input's length. auto is the time that the filters "
     "ring, plus the longest "
     "delay, at most 60 s.",
     "SECONDS|auto"},
    {"encoding", '\0', POPT_ARG_STRING, NULL, OPT_ENCODING, "Encoding of the output: " MR_ENCODING_NAMES ". Default: the input's.", "NAME"},
    {"format", '\0', POPT_ARG_STRING, NULL, OPT_FORMAT,
     "Format of the output: " MR_FORMAT_NAMES ". Default: what the name of OUT ends in, else the input's.", "NAME"},
    {"raw", '\0', POPT_ARG_STRING, NULL, OPT_RAW,
     "The inputs are bare samples, interleaved, for example 48000:64:float. Encodings: " MR_ENCODING_NAMES
     "; s16be and the like for the other byte order. The output is bare samples too, unless --format or the name of OUT says more.",
     "RATE:CHANNELS:ENCODING"},
    {"convert-rate", '\0', POPT_ARG_NONE, NULL, OPT_CONVERT_RATE,
     "Carry coefficients of another sample rate over to the input's, and say how much that changes them. Without it they are refused.",
     NULL},
    {"realtime-kernels", '\0', POPT_ARG_NONE, NULL, OPT_REALTIME,
     "Use only the kernels of real-time programs, so that the samples are theirs to the bit. Without it, few channels are filtered many "
     "samples "
     "at a time or in segments of the stream side by side, which is faster and differs in the last digits.",
     NULL},
    MR_PRECISION_OPTION(OPT_PRECISION),
    {"threads", 'j', POPT_ARG_STRING, NULL, OPT_THREADS,
     "Threads that filter, 1 to 256. They change no sample. auto, the default, is as many as help, since reading and writing take their "
     "part of the "
     "processors too.",
     "N|auto"},
    {"device", '\0', POPT_ARG_STRING, NULL, OPT_DEVICE,
     "What filters: cpu, cuda (a card with CUDA, or an error and exit code 4), or auto, the default: a card where it is sure to be faster, "
     "with the time "
     "counted that it takes to begin. A card's samples are the CPU's within -120 dB, with --precision fast within what that can hold.",
     "auto|cpu|cuda"},
    {"block", '\0', POPT_ARG_STRING, NULL, OPT_BLOCK,
     "Frames read, filtered and written at a time. It changes speed and memory, and on the CPU never a sample. By default as many as keep the threads "
     "busy, up to "
     "16 MB.",
     "FRAMES"},
    {"json", '\0', POPT_ARG_NONE, NULL, OPT_JSON,
     "Report each file as a JSON object on a line of standard output (standard error if the result goes to standard output).", NULL},
    {"quiet", 'q', POPT_ARG_NONE, NULL, OPT_QUIET, "No progress and no summary. Warnings and errors stay.", NULL},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Filters audio files of any length through a bank. Channel k of the bank is channel k of the file. IN is any file that libsndfile "
    "reads, or - for standard "
    "input. Encoding, format, channel order, loudspeaker mask and metadata of the output are the input's unless options say otherwise.",
    "A WAV file that would pass 4 GiB is written as RF64. An encoding that the output's format cannot hold gives way to the best one that "
    "it can, unless it was "
    "asked for. Integers are rounded to nearest; what lies beyond their range is saturated, counted and reported with the preamp that "
    "would avoid it. A "
    "filter that changes nothing gives the input's samples back to the bit.",
    "The result is written beside OUT under another name and takes its name when it is whole; after an error or a signal nothing is left "
    "of it, and a file "
    "that was there before is as it was. An input that ends before the length that its header promises is an error. A bank line that is "
    "refused is an "
    "error, with file, line and what was expected.",
    "To a pipe WAV, AU, CAF, FLAC, Ogg and raw can be written. Where the length is not known beforehand, or is over 4 GiB, a WAV header to "
    "a pipe has the size "
    "0xFFFFFFFF, which SoX, ffmpeg and libsndfile take for 'until the end'.",
    "A preset plays as it does in a host: port values that it lacks are the plugin's defaults, what a port cannot be is clamped, channel "
    "sets are "
    "those that it saved, and a preset that was made for another number of channels serves too. An EQ filters up to 64 channels, and "
    "always with the "
    "plugin's samples to the bit; a Bank does with --realtime-kernels. Of a Bank's state the bank's content counts, not the file that it "
    "came from. "
    "What a session of Ardour keeps holds no port values: there save a preset.",
    "A card filters what has no routes, no delays and at most 32 sections a channel. Should it fail in the middle of a file, the CPU goes "
    "on from the last "
    "samples that came back, and a warning says so.",
    "With several inputs all are tried; the exit code is that of the first that failed.",
    NULL,
};

static const char* const examples[] = {
    "Filter a recording through a bank file",
    "millrace render -b room.txt concert.wav -o filtered.wav",
    "A rumble filter for all channels, as 24-bit FLAC",
    "millrace render -f 'Butterworth HP Order 8 Fc 20 Hz' -o out.flac --encoding s24 in.wav",
    "Every file of a folder, with a report a line",
    "millrace render -b array.json --json takes/*.wav -o filtered/",
    "What the plugin does in the session, outside it",
    "millrace render --preset ~/.lv2/room.preset.lv2 --realtime-kernels concert.wav -o filtered.wav",
    "A recording A-weighted, by one of the presets that come with the plugins",
    "millrace render --preset weighting-a street.wav -o weighted.wav",
    "In a pipe",
    "sox in.mp3 -t wav - | millrace render -f 'PK Fc 1000 Hz Gain 3 dB Q 1' - -o - | aplay",
    NULL,
};

const MrCommand mr_command_render = {
    .name = "render",
    .summary = "filter audio files through a bank",
    .synopsis = "{[-b BANK | -f 'FILTER LINE']... | --preset NAME|URI|FILE | --state FILE} [OPTIONS] IN... -o OUT",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
