/* `millrace info`: what this machine offers, and what a bank becomes on it.
   SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bank_command.h"
#include "command.h"
#include "costs.h"
#include "info_cards.h"
#include "message.h"
#include "numbers.h"
#include "preset.h"
#include "report.h"

enum { OPT_JSON = MR_BANK_OPTIONS, OPT_BLOCK, OPT_PRECISION, OPT_PRESETS };

typedef struct Info {
  MrBankCommand bank;
  uint32_t block;
  bool json, fast, presets;
} Info;

static const double ring_rest = 1e-6;

static bool option(void* handle, int value, const char* argument) {
  Info* const info = handle;
  switch (value) {
    case OPT_JSON:
      info->json = true;
      return true;
    case OPT_PRESETS:
      info->presets = true;
      return true;
    case OPT_PRECISION:
      return mr_command_set_precision(info->bank.command, argument, &info->fast);
    case OPT_BLOCK: {
      uint32_t count = 0;
      if (mr_numbers_parse(argument, 65536, &info->block, &count, 1) && count == 1) return true;
      mr_command_refuse(info->bank.command, "--block %s: a number of frames from 1 to 65536 is expected", argument);
      return false;
    }
    default:
      return mr_bank_command_option(&info->bank, value, argument);
  }
}

/* ----------------------------------------------------------------- parts */

static json_t* levels_json(void) {
  json_t* const list = json_array();
  const uint32_t levels = mr_cpu_levels();
  for (uint32_t bit = 1; bit && bit <= levels; bit <<= 1)
    if (levels & bit) json_array_append_new(list, json_string(mr_cpu_level_name((MrCpuLevel)bit)));
  return list;
}

static const char* type_name(const MrDesign* design) {
  static const char* const names[] = {"none",         "peak",           "low-pass",    "high-pass",          "band-pass",   "notch",
                                      "all-pass",     "low shelf",      "high shelf",  "low-pass 1",         "high-pass 1", "low shelf 1",
                                      "high shelf 1", "all-pass 1",     "Butterworth", "Chebyshev 1",        "Chebyshev 2", "elliptic",
                                      "Bessel",       "Linkwitz-Riley", "weighting",   "Linkwitz transform", "analogue",    "coefficients"};
  const size_t type = (size_t)design->type;
  return type < sizeof names / sizeof names[0] ? names[type] : "filter";
}

static const struct Note {
  uint32_t bit;
  const char* text;
} notes_known[] = {
    {MR_NOTE_FREQUENCY_CLAMPED, "frequency clamped"},
    {MR_NOTE_WIDTH_CLAMPED, "Q or width clamped"},
    {MR_NOTE_GAIN_CLAMPED, "gain clamped"},
    {MR_NOTE_ORDER_CLAMPED, "order rounded up"},
    {MR_NOTE_RIPPLE_CLAMPED, "ripple clamped"},
    {MR_NOTE_ABOVE_NYQUIST, "off: above what this rate can have"},
    {MR_NOTE_NOT_MATCHED, "bilinear: matched mode does not cover this type"},
    {MR_NOTE_MATCHED_FALLBACK, "matched by its simpler design: the fit was refused"},
    {MR_NOTE_RATE_CONVERTED, "coefficients carried over from another rate"},
};

/* What the designs of a channel did to their numbers, or could not be. */
static json_t* notes_json(const Info* info, const MrBank* bank, uint32_t channel) {
  json_t* const list = json_array();
  const MrChannel* const c = &bank->channel[channel];
  for (uint32_t i = 0; i < c->filters; ++i) {
    MrCascade cascade;
    uint32_t notes = 0;
    double error_db = 0;
    MrStatus status = mr_design(&c->filter[i], info->bank.rate, &cascade, &notes);
    if (status == MR_ERR_RATE) status = mr_design_convert(&c->filter[i], info->bank.rate, &cascade, &notes, &error_db);
    if (status != MR_OK) continue; /* such a bank was refused before */
    for (size_t k = 0; k < sizeof notes_known / sizeof notes_known[0]; ++k)
      if (notes & notes_known[k].bit)
        json_array_append_new(
            list, json_pack("{s:I,s:s,s:s}", "filter", (json_int_t)i + 1, "type", type_name(&c->filter[i]), "note", notes_known[k].text));
  }
  return list;
}

static uint64_t ring_of(const MrProgram* program, uint32_t channel, double rate) {
  const uint32_t n = mr_program_sections(program, channel);
  return n ? mr_sections_ring_time(mr_program_section(program, channel, 0), n, ring_rest, (uint64_t)(600 * rate)) : 0;
}

static bool same_designs(const MrBank* bank, uint32_t a, uint32_t b) {
  const MrChannel *x = &bank->channel[a], *y = &bank->channel[b];
  if (x->filters != y->filters) return false;
  for (uint32_t i = 0; i < x->filters; ++i)
    if (x->filter[i].type != y->filter[i].type || x->filter[i].mode != y->filter[i].mode || x->filter[i].fc != y->filter[i].fc)
      return false;
  return true;
}

static json_t* channels_json(const Info* info, const MrBank* bank, const MrProgram* program) {
  json_t* const list = json_array();
  bool done[MR_MAX_CHANNELS] = {false}, same[MR_MAX_CHANNELS];
  for (uint32_t k = 0; k < bank->channels; ++k) {
    if (done[k]) continue;
    for (uint32_t j = 0; j < bank->channels; ++j) {
      same[j] = j >= k && !done[j] && mr_bank_command_equal(program, k, j) && same_designs(bank, k, j);
      done[j] |= same[j];
    }
    char text[8192];
    mr_bank_command_channels(same, bank->channels, text, sizeof text);
    const uint64_t ring = ring_of(program, k, info->bank.rate);
    json_array_append_new(
        list, json_pack("{s:s,s:I,s:f,s:I,s:I,s:f,s:o}", "channels", text, "sections", (json_int_t)mr_program_sections(program, k), "gain",
                        mr_program_gain(program, k), "delay_frames", (json_int_t)mr_program_delay(program, k), "ring_frames",
                        (json_int_t)ring, "ring_seconds", (double)ring / info->bank.rate, "notes", notes_json(info, bank, k)));
  }
  return list;
}

/* The engine that a plugin or client would have, planned by these costs. NULL where it cannot be made. */
static MrEngine* engine_of(const Info* info, const MrBank* bank, const MrCosts* costs) {
  const MrEngineOptions wanted = {.channels = bank->channels, .fs = info->bank.rate, .largest_block = info->block, .costs = costs};
  MrProgram* const program = mr_program_new(bank, info->bank.rate, NULL, NULL);
  MrEngine* const engine = program ? mr_engine_new(&wanted, NULL) : NULL;
  if (engine && mr_engine_give(engine, program) == MR_OK) return engine;
  if (!engine) mr_program_free(program);
  mr_engine_free(engine);
  return NULL;
}

static double predict_us(const Info* info, const MrBank* bank, const MrCosts* costs) {
  MrEngine* const engine = engine_of(info, bank, costs);
  const double us = engine ? 1e-3 * mr_engine_predict(engine, info->block, false) : 0;
  mr_engine_free(engine);
  return us;
}

/* Why the schedule is as it is: the time of a block by the cost model, and that of what was not chosen. */
static json_t* prediction_json(const Info* info, const MrBank* bank) {
  const MrCosts costs = mr_costs_read();
  MrCosts never = costs, always = costs;
  never.step_fixed = 1e9;
  always.step_fixed = always.step_vector = always.chain_fixed = always.chain_vector = always.few_run = always.few_sample = 0;
  MrEngine* const forced = engine_of(info, bank, &always);
  const bool choice = forced && mr_engine_plan(forced).chains;
  mr_engine_free(forced);
  const double planned = predict_us(info, bank, &costs), period = 1e6 * info->block / info->bank.rate;
  json_t* const object = json_pack("{s:I,s:f,s:f}", "block", (json_int_t)info->block, "predicted_us", planned, "percent_of_its_period",
                                   100 * planned / period);
  if (choice) json_object_set_new(object, "channels_side_by_side_only_us", json_real(predict_us(info, bank, &never)));
  return object;
}

/* Takes the program. NULL after a message. */
static json_t* plan_json(const Info* info, const MrBank* bank, MrProgram* program) {
  const MrCosts costs = mr_costs_read();
  const MrRendererOptions wanted = {.engine = {.channels = info->bank.channels,
                                               .fs = info->bank.rate,
                                               .largest_block = info->block,
                                               .costs = &costs,
                                               .precision = info->fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE}};
  MrStatus status = MR_OK;
  MrRenderer* const renderer = mr_renderer_new(&wanted, program, &status);
  if (!renderer) {
    mr_say_error("the bank cannot be played: %s", mr_strerror(status));
    return NULL;
  }
  const MrPlan offline = mr_renderer_plan(renderer);
  mr_renderer_free(renderer);
  json_t* const object = mr_report_plan(&offline);
  json_object_set_new(object, "render",
                      json_pack("{s:I,s:I,s:I,s:I}", "threads", (json_int_t)offline.threads, "strands", (json_int_t)offline.strands,
                                "stages", (json_int_t)offline.stages, "grain", (json_int_t)offline.grain));
  if (info->fast) return object; /* real-time programs are float64, and so is the cost model */
  MrEngine* const engine = engine_of(info, bank, &costs);
  if (engine) {
    const MrPlan live = mr_engine_plan(engine);
    json_t* const both = mr_report_plan(&live);
    json_object_set(object, "schedule", json_object_get(both, "schedule")); /* a plugin's; a renderer's numeric plan */
    json_decref(both);
  }
  mr_engine_free(engine);
  json_object_set_new(object, "prediction", prediction_json(info, bank));
  return object;
}

/* --------------------------------------------------------------- printing */

static void print_channel(const json_t* channel) {
  const double gain = json_real_value(json_object_get(channel, "gain"));
  printf("  channel %s: %" JSON_INTEGER_FORMAT " sections, gain %.2f dB%s, delay %" JSON_INTEGER_FORMAT
         " frames, ring time %" JSON_INTEGER_FORMAT " frames (%.3f s)\n",
         json_string_value(json_object_get(channel, "channels")), json_integer_value(json_object_get(channel, "sections")),
         20 * log10(fabs(gain)), gain < 0 ? " inverted" : "", json_integer_value(json_object_get(channel, "delay_frames")),
         json_integer_value(json_object_get(channel, "ring_frames")), json_real_value(json_object_get(channel, "ring_seconds")));
  const json_t* const notes = json_object_get(channel, "notes");
  for (size_t i = 0; i < json_array_size(notes); ++i) {
    const json_t* const note = json_array_get(notes, i);
    printf("    filter %" JSON_INTEGER_FORMAT " (%s): %s\n", json_integer_value(json_object_get(note, "filter")),
           json_string_value(json_object_get(note, "type")), json_string_value(json_object_get(note, "note")));
  }
}

static void print_bank(const json_t* bank) {
  const json_t* const channels = json_object_get(bank, "channels");
  printf("bank at %.17g Hz, channels: %" JSON_INTEGER_FORMAT "\n", json_real_value(json_object_get(bank, "rate")),
         json_integer_value(json_object_get(bank, "channel_count")));
  for (size_t i = 0; i < json_array_size(channels); ++i) print_channel(json_array_get(channels, i));
}

static void print_group(json_t* group, const char* title) {
  const char* separator = "";
  printf("%s: ", title);
  for (void* at = json_object_iter(group); at; at = json_object_iter_next(group, at)) {
    const json_t* const value = json_object_iter_value(at);
    printf("%s%s ", separator, json_object_iter_key(at));
    separator = "; ";
    if (json_is_string(value)) {
      fputs(json_string_value(value), stdout);
    } else if (json_is_real(value)) {
      printf("%.3g", json_real_value(value));
    } else {
      printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
  }
  putchar('\n');
}

static void print_rule(const json_t* rule) {
  printf("float32 arithmetic (--precision fast): %s", json_is_true(json_object_get(rule, "holds")) ? "holds" : "does not hold");
  if (json_object_get(rule, "channel"))
    printf(", errors up to about %.0e of the peak, most in channel %" JSON_INTEGER_FORMAT ", section %" JSON_INTEGER_FORMAT,
           json_number_value(json_object_get(rule, "error")), json_integer_value(json_object_get(rule, "channel")),
           json_integer_value(json_object_get(rule, "section")));
  putchar('\n');
}

static void print_text(const json_t* object) {
  const json_t* const levels = json_object_get(object, "cpu_levels");
  const json_t* const plan = json_object_get(object, "plan");
  printf("millrace %s\nCPU levels:", json_string_value(json_object_get(object, "version")));
  for (size_t i = 0; i < json_array_size(levels); ++i) printf(" %s", json_string_value(json_array_get(levels, i)));
  putchar('\n');
  if (!plan) {
    mr_info_cards_print(json_object_get(object, "cuda"));
    return;
  }
  print_bank(json_object_get(object, "bank"));
  print_rule(json_object_get(object, "fast_rule"));
  print_group(json_object_get(plan, "numeric"), "numeric plan");
  print_group(json_object_get(plan, "schedule"), "schedule plan");
  print_group(json_object_get(plan, "render"), "threads of render");
  if (json_object_get(plan, "prediction")) print_group(json_object_get(plan, "prediction"), "prediction");
  mr_info_cards_print(json_object_get(object, "cuda"));
}

static int add_bank(const Info* info, json_t* object) {
  MrBank* bank = NULL;
  MrProgram* program = NULL;
  const int code = mr_bank_command_make(&info->bank, &bank, &program);
  if (code != MR_EXIT_DONE) return code;
  json_object_set_new(object, "bank",
                      json_pack("{s:f,s:I,s:b,s:o}", "rate", info->bank.rate, "channel_count", (json_int_t)bank->channels, "protects",
                                (int)mr_bank_protects(bank), "channels", channels_json(info, bank, program)));
  const MrFastRule rule = mr_program_fast_rule(program);
  json_object_set_new(object, "fast_rule", mr_report_fast_rule(&rule));
  json_object_set_new(object, "cuda", mr_info_cards_json(info->bank.channels, info->fast, program));
  json_t* const plan = plan_json(info, bank, program);
  mr_bank_free(bank);
  if (!plan) return MR_EXIT_BANK;
  json_object_set_new(object, "plan", plan);
  return MR_EXIT_DONE;
}

static int print(const Info* info) {
  json_t* const object = json_pack("{s:s,s:o}", "version", mr_version(), "cpu_levels", levels_json());
  const int code = info->bank.input.parts ? add_bank(info, object) : MR_EXIT_DONE;
  if (!info->bank.input.parts) json_object_set_new(object, "cuda", mr_info_cards_json(info->bank.channels, info->fast, NULL));
  if (code == MR_EXIT_DONE && info->json) {
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
    putchar('\n');
  } else if (code == MR_EXIT_DONE) {
    print_text(object);
  }
  json_decref(object);
  return code;
}

static int run(const MrCommand* command, int argc, const char** argv) {
  Info info;
  memset(&info, 0, sizeof info);
  mr_bank_command_start(&info.bank, command);
  info.block = 64;
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, &info, &context, &rest);
  if (code == MR_EXIT_USAGE && info.bank.code) code = info.bank.code;
  if (code < 0 && rest[0]) code = mr_command_refuse(command, "%s: no such argument; banks are given with -b", rest[0]);
  if (code < 0) code = info.presets ? mr_preset_list(info.json) : print(&info);
  mr_command_done(context);
  mr_bank_command_free(&info.bank);
  return code;
}

static struct poptOption options[] = {
    MR_BANK_OPTION_TABLE,
    MR_PRECISION_OPTION(OPT_PRECISION),
    {"channels", '\0', POPT_ARG_STRING, NULL, MR_BANK_OPTION_COUNT, "The same as --channel-count.", "N"},
    {"block", '\0', POPT_ARG_STRING, NULL, OPT_BLOCK, "Frames of a host's block, for the prediction; default 64.", "FRAMES"},
    {"presets", '\0', POPT_ARG_NONE, NULL, OPT_PRESETS,
     "List the presets of the plugins that are in the LV2 path, by the names that `render --preset` takes, and nothing else.", NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, OPT_JSON, "Print a JSON object.", NULL},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Prints the version and the CPU levels that this machine has. With a bank also what it becomes at a sample rate: for each channel the "
    "sections, gain, delay and "
    "ring time (until 1e-6 of the impulse response's sum is left), and which filters were clamped, are off, or stay bilinear in matched "
    "mode; whether float32 arithmetic would hold it; and the "
    "plan by which an engine runs it.",
    "The numeric plan decides every bit of the output and is that of `render`, which may run few channels in blocks of many samples or in "
    "segments of the stream side by side. Real-time programs do neither. The schedule plan says how a real-time program computes it here, "
    "and "
    "never changes a bit; a cost model decides it: channels run in the lanes of tiles, and those left over, fewer than a vector has lanes, "
    "have "
    "their sections in lanes (chains) in blocks of chain_from frames or more, where that is faster. The prediction is the time of one "
    "block "
    "by that model, and where there was a choice, of what was not chosen.",
    "The threads of `render` share strands, channels or tiles that need nothing of each other; where these are fewer than threads, the "
    "sections of each are "
    "cut into stages, which run side by side on groups of the stream that follow each other, grain frames each at most.",
    "Last come the cards with CUDA, in the numbers that their cost model reckons with, or why there is none; and with a bank the kernel "
    "that each "
    "would be given, what it is bound by, and what else was reckoned. On a real card that takes some seconds.",
    NULL,
};

static const char* const examples[] = {
    "What would run a bank for 64 channels at 96 kHz",
    "millrace info -b array.txt --rate 96000 --channel-count 64",
    NULL,
};

const MrCommand mr_command_info = {
    .name = "info",
    .summary = "what this machine offers, and what a bank becomes on it",
    .synopsis = "[-b BANK | -f 'FILTER LINE']... [OPTIONS]",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
