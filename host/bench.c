/* `millrace bench`: how fast the engine is here, against its C reference in the same run.
   SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_rows.h"
#include "command.h"
#include "costs.h"
#include "message.h"
#include "numbers.h"
#include "report.h"
#include "trace_picture.h"

enum {
  OPT_CHANNELS = 1,
  OPT_ORDERS,
  OPT_BLOCKS,
  OPT_LAYOUT,
  OPT_STREAMS,
  OPT_PRECISION,
  OPT_ROUNDS,
  OPT_QUICK,
  OPT_EQ,
  OPT_CASCADES,
  OPT_CALIBRATE,
  OPT_PLAN,
  OPT_RENDERER,
  OPT_THREADS,
  OPT_GRAINS,
  OPT_STAGES,
  OPT_CALLBACK,
  OPT_TRACE,
  OPT_JSON,
  LIST = 32,
  CALLBACKS_A_ROUND = 10,
  TRACED = 100000 /* nodes */
};

typedef struct List {
  uint32_t n[LIST];
  uint32_t count;
} List;

typedef struct Bench {
  const MrCommand* command;
  List channels, orders, blocks, threads, grains, stages;
  bool layout[2];    /* planar, interleaved */
  bool streams[2];   /* float32, float64 */
  bool precision[2]; /* double, fast */
  uint32_t rounds;
  double seconds; /* of one measurement */
  bool blocks_chosen;
  bool callback;
  char* trace; /* a picture of the first case's threads; NULL: none */
  bool cascades, eq, plan, calibrate, renderer, json;
  MrCosts costs;
} Bench;

/* ------------------------------------------------------------- options */

static bool set_list(const Bench* bench, List* list, const char* name, const char* argument, uint32_t most) {
  if (mr_numbers_parse(argument, most, list->n, &list->count, LIST)) return true;
  mr_command_refuse(bench->command, "--%s %s: up to %d numbers from 1 to %" PRIu32 " are expected, for example 1,8,64", name, argument,
                    LIST, most);
  return false;
}

/* One of two names, or "both". */
static bool set_choice(const Bench* bench, bool chosen[2], const char* name, const char* first, const char* second, const char* argument) {
  const bool both = strcmp(argument, "both") == 0;
  chosen[0] = both || strcmp(argument, first) == 0;
  chosen[1] = both || strcmp(argument, second) == 0;
  if (chosen[0] || chosen[1]) return true;
  mr_command_refuse(bench->command, "--%s %s: %s, %s or both is expected", name, argument, first, second);
  return false;
}

enum { MOST_ORDER = 4 * MR_MAX_ORDER };

static bool option(void* handle, int value, const char* argument) {
  Bench* const bench = handle;
  List one;
  switch (value) {
    case OPT_CHANNELS:
      return set_list(bench, &bench->channels, "channels", argument, MR_MAX_CHANNELS);
    case OPT_ORDERS:
      return set_list(bench, &bench->orders, "orders", argument, MOST_ORDER);
    case OPT_BLOCKS:
      bench->blocks_chosen = true;
      return set_list(bench, &bench->blocks, "blocks", argument, 1u << 22);
    case OPT_LAYOUT:
      return set_choice(bench, bench->layout, "layout", "planar", "interleaved", argument);
    case OPT_STREAMS:
      return set_choice(bench, bench->streams, "streams", "float", "double", argument);
    case OPT_PRECISION:
      return set_choice(bench, bench->precision, "precision", "double", "fast", argument);
    case OPT_ROUNDS:
      if (!set_list(bench, &one, "rounds", argument, 10000)) return false;
      bench->rounds = one.n[0];
      return true;
    case OPT_QUICK:
      bench->rounds = 5;
      bench->seconds = 2e-4;
      return true;
    case OPT_EQ:
      bench->cascades = false;
      return true;
    case OPT_CASCADES:
      bench->eq = false;
      return true;
    case OPT_CALIBRATE:
      bench->calibrate = true;
      return true;
    case OPT_RENDERER:
      bench->renderer = true;
      bench->eq = false;
      return true;
    case OPT_THREADS:
      return set_list(bench, &bench->threads, "threads", argument, 256);
    case OPT_GRAINS:
      return set_list(bench, &bench->grains, "grains", argument, 1u << 20);
    case OPT_STAGES:
      return set_list(bench, &bench->stages, "stages", argument, 64);
    case OPT_CALLBACK:
      bench->callback = true;
      return true;
    case OPT_TRACE:
      free(bench->trace);
      bench->trace = strdup(argument);
      return bench->trace != NULL;
    case OPT_PLAN:
      bench->plan = true;
      return true;
    case OPT_JSON:
      bench->json = true;
      return true;
    default:
      return false;
  }
}

/* ------------------------------------------------------------- records */

static void precision_name(bool fast, bool wide, char* name, size_t size) {
  snprintf(name, size, "float%d arithmetic, float%d streams", fast ? 32 : 64, wide ? 64 : 32);
}

static void emit(const Bench* bench, json_t* records, json_t* record, const char* line) {
  json_array_append_new(records, record);
  if (bench->json) return;
  puts(line);
  fflush(stdout);
}

static void add_cascade(const Bench* bench, json_t* records, const MrBenchCase* c, const MrBenchResult* r) {
  char line[256], precision[64], predicted[32] = "-";
  precision_name(c->fast, c->wide, precision, sizeof precision);
  const bool modelled = !c->fast && !c->renderer; /* the cost model is that of float64 in an engine */
  if (modelled) snprintf(predicted, sizeof predicted, "%.4f", r->predicted_ns);
  snprintf(line, sizeof line, "%8" PRIu32 "  %5" PRIu32 "  %5" PRIu32 "  %-11s  %-7s  %-9s  %-9s  %9.4f  %9s  %9.4f  %6.2f", c->channels,
           c->order, r->block, c->interleaved ? "interleaved" : "planar", c->wide ? "float64" : "float32", c->fast ? "fast" : "double",
           mr_cpu_level_name(r->plan.level), r->ns, predicted, r->reference_ns, r->ratio);
  json_t* const record =
      json_pack("{s:s,s:I,s:I,s:I,s:s,s:s,s:s,s:s,s:f,s:f,s:f,s:f}", "kind", c->renderer ? "rendered cascade" : "cascade", "channels",
                (json_int_t)c->channels, "order", (json_int_t)c->order, "block", (json_int_t)r->block, "layout",
                c->interleaved ? "interleaved" : "planar", "precision", precision, "kernel", mr_cpu_level_name(r->plan.level), "family",
                r->plan.family, "ns_per_sample_and_channel", r->ns, "predicted_ns_per_sample_and_channel", r->predicted_ns,
                "reference_ns_per_sample_and_channel", r->reference_ns, "ratio_to_reference", r->ratio);
  if (!modelled) json_object_set_new(record, "predicted_ns_per_sample_and_channel", json_null());
  if (c->fast) json_object_set_new(record, "fast_rule", mr_report_fast_rule(&r->rule));
  emit(bench, records, record, line);
}

static void add_eq(const Bench* bench, json_t* records, const MrBenchCase* c, const MrBenchResult* r) {
  char line[256], precision[64];
  precision_name(false, false, precision, sizeof precision);
  snprintf(line, sizeof line, "%8" PRIu32 "  %5" PRIu32 "  %5" PRIu32 "  %-11s  %-7s  %-9s  %9.4f  %9.4f  %6.2f", c->channels, c->bands,
           c->block, c->moving ? "all moving" : "at rest", "float32", mr_cpu_level_name(r->plan.level), r->ns, r->reference_ns, r->ratio);
  json_t* const record =
      json_pack("{s:s,s:I,s:I,s:I,s:s,s:s,s:s,s:s,s:f,s:f,s:f}", "kind", c->moving ? "eq moving" : "eq at rest", "channels",
                (json_int_t)c->channels, "bands", (json_int_t)c->bands, "block", (json_int_t)c->block, "layout", "planar", "precision",
                precision, "kernel", mr_cpu_level_name(r->plan.level), "family", r->plan.family, "ns_per_frame_channel_and_band", r->ns,
                "reference_ns_per_frame_channel_and_band", r->reference_ns, "ratio_to_reference", r->ratio);
  emit(bench, records, record, line);
}

/* One case of each kind of list; false after a message. */
static bool run_cascades(const Bench* b, json_t* records) {
  bool warned = false;
  if (!b->json) puts("channels  order  block  layout       streams  precision  kernel     ns/sample  predicted  reference   ratio");
  for (uint32_t i = 0; i < b->channels.count * b->orders.count * b->blocks.count * 8; ++i) {
    const uint32_t choice = i % 8, block = i / 8 % b->blocks.count, rest = i / 8 / b->blocks.count;
    if (!b->layout[choice & 1] || !b->streams[choice >> 1 & 1] || !b->precision[choice >> 2]) continue;
    if (b->renderer && (block || !(choice & 1))) continue; /* its chunks, interleaved */
    const MrBenchCase c = {.channels = b->channels.n[rest / b->orders.count],
                           .order = b->orders.n[rest % b->orders.count],
                           .block = b->blocks.n[block],
                           .interleaved = choice & 1,
                           .wide = choice >> 1 & 1,
                           .fast = choice >> 2,
                           .renderer = b->renderer};
    MrBenchResult result;
    const MrStatus status = mr_bench_run(&c, &b->costs, b->rounds, b->seconds, &result);
    if (status != MR_OK) {
      mr_say_error("%" PRIu32 " channels, order %" PRIu32 ": %s", c.channels, c.order, mr_strerror(status));
      return false;
    }
    if (c.fast && !result.rule.holds && !warned) {
      char text[256];
      mr_report_fast_text(&result.rule, text, sizeof text);
      mr_say_warning("%" PRIu32 " channels, order %" PRIu32 ": %s", c.channels, c.order, text);
      warned = true;
    }
    add_cascade(b, records, &c, &result);
  }
  return true;
}

static bool run_eq(const Bench* b, json_t* records) {
  static const uint32_t channels[] = {64, 8, 2};
  if (!b->json) puts("\nchannels  bands  block  EQ           streams  kernel     ns/f/c/b   reference   ratio");
  for (uint32_t i = 0; i < 12; ++i) {
    const MrBenchCase c = {.channels = channels[i / 4], .bands = 16, .block = i & 1 ? 64 : 512, .moving = i >> 1 & 1};
    MrBenchResult result;
    const MrStatus status = mr_bench_run(&c, &b->costs, b->rounds, b->seconds, &result);
    if (status != MR_OK) {
      mr_say_error("EQ of %" PRIu32 " channels: %s", c.channels, mr_strerror(status));
      return false;
    }
    add_eq(b, records, &c, &result);
  }
  return true;
}

/* What the schedule plan chose over a grid of cells, against all it could have chosen. */
static bool run_plan(const Bench* b, json_t* records) {
  static const uint32_t channels[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 64}, sections[] = {1, 2, 4, 8, 16, 32};
  uint32_t cells = 0, chosen = 0, ten = 0, twenty = 0;
  if (!b->json) puts("channels  sections  block  side by side    chains  chosen         over the best");
  for (uint32_t i = 0; i < 600; ++i) {
    const MrBenchCase c = {.channels = channels[i / 60], .sections = sections[i / 10 % 6], .block = UINT32_C(16) << i % 10};
    MrBenchChoice choice;
    const MrStatus status = mr_bench_choice(&c, &b->costs, b->rounds, b->seconds, &choice);
    if (status != MR_OK) {
      mr_say_error("%" PRIu32 " channels: %s", c.channels, mr_strerror(status));
      return false;
    }
    ++cells;
    if (!choice.free) continue;
    const double lost = choice.chains ? 1 / choice.gain : choice.gain, over = lost > 1 ? lost : 1;
    ++chosen;
    ten += over > 1.1;
    twenty += over > 1.2;
    char line[256];
    snprintf(line, sizeof line, "%8" PRIu32 "  %8" PRIu32 "  %5" PRIu32 "  %12.4f  %8.4f  %-12s  %14.2f", c.channels, c.sections, c.block,
             choice.without, choice.with, choice.chains ? "chains" : "side by side", over);
    emit(b, records,
         json_pack("{s:s,s:I,s:I,s:I,s:f,s:f,s:b,s:f}", "kind", "plan", "channels", (json_int_t)c.channels, "sections",
                   (json_int_t)c.sections, "block", (json_int_t)c.block, "side_by_side_ns", choice.without, "chains_ns", choice.with,
                   "chains", (int)choice.chains, "over_the_best", over),
         line);
  }
  if (!b->json)
    printf("%" PRIu32 " cells, %" PRIu32 " with a choice: %" PRIu32 " more than 10 %% over the best, %" PRIu32 " of them more than 20 %%\n",
           cells, chosen, ten, twenty);
  return true;
}

static void add_shared(const Bench* bench, json_t* records, const MrBenchCase* c, const MrBenchShared* r, double node_ns) {
  char line[256], precision[64];
  precision_name(c->fast, c->wide, precision, sizeof precision);
  const double share = 100 * node_ns * r->nodes / (r->ns * r->block * c->channels * r->plan.threads);
  snprintf(line, sizeof line,
           "%7" PRIu32 "  %8" PRIu32 "  %5" PRIu32 "  %-6s  %7" PRIu32 "  %7" PRIu32 "  %6" PRIu32 "  %6" PRIu32
           "  %8.4f  %8.4f  %8.4f  %8.4f  %5.2f [%.2f to %.2f]  %7.2f  %5.2f  %5.2f %%",
           r->plan.threads, c->channels, c->order, c->fast ? "fast" : "double", r->block, r->plan.strands, r->plan.stages, r->plan.grain,
           r->one_ns, r->ns, r->p99_ns, r->worst_ns, r->gain, r->low, r->high, r->machine, r->cpu, share);
  emit(bench, records,
       json_pack("{s:s,s:I,s:I,s:I,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "kind", "threads", "threads",
                 (json_int_t)r->plan.threads, "channels", (json_int_t)c->channels, "order", (json_int_t)c->order, "precision", precision,
                 "family", r->plan.family, "block", (json_int_t)r->block, "sections", (json_int_t)r->plan.sections, "strands",
                 (json_int_t)r->plan.strands, "stages", (json_int_t)r->plan.stages, "grain", (json_int_t)r->plan.grain,
                 "one_thread_ns_per_sample_and_channel", r->one_ns, "ns_per_sample_and_channel", r->ns, "p99_ns_per_sample_and_channel",
                 r->p99_ns, "worst_ns_per_sample_and_channel", r->worst_ns, "times_one_thread", r->gain, "times_one_thread_10th", r->low,
                 "times_one_thread_90th", r->high, "machine_times_one_thread", r->machine, "processor_time_over_one_thread", r->cpu,
                 "node_ns", node_ns, "percent_of_time_in_nodes", share),
       line);
}

/* What the threads did in the first case, drawn. */
static bool draw_trace(const Bench* b, const MrTrace* trace) {
  const char* why;
  if (mr_trace_picture(trace, "millrace bench: the nodes of one block, by thread", b->trace, &why)) return true;
  mr_say_error("%s: %s", b->trace, why);
  return false;
}

/* Renderers of many threads beside one: every threads x channels x order x block x grain. */
static bool run_threads(const Bench* b, json_t* records) {
  static MrTraceEvent events[TRACED];
  MrTrace trace = {events, b->trace ? TRACED : 0, 0};
  const uint32_t planned = 0;
  const uint32_t* const grain = b->grains.count ? b->grains.n : &planned;
  const uint32_t* const block = b->blocks_chosen ? b->blocks.n : &planned;
  const uint32_t grains = b->grains.count ? b->grains.count : 1, blocks = b->blocks_chosen ? b->blocks.count : 1;
  if (!b->json)
    puts(
        "threads  channels  order  arith.    block  strands  stages   grain  one, ns   ns        p99       worst     times one thread     "
        "cpu    in nodes");
  for (uint32_t t = 0; t < b->threads.count; ++t) {
    const double node_ns = mr_renderer_node_ns(b->threads.n[t]);
    for (uint32_t i = 0; i < b->channels.count * b->orders.count * blocks * grains * 2; ++i) {
      const uint32_t rest = i / 2 / grains / blocks;
      if (!b->precision[i % 2]) continue;
      MrBenchCase c = {.channels = b->channels.n[rest / b->orders.count],
                       .order = b->orders.n[rest % b->orders.count],
                       .block = block[i / 2 / grains % blocks],
                       .grain = grain[i / 2 % grains],
                       .wide = b->streams[1] && !b->streams[0],
                       .fast = i % 2,
                       .threads = b->threads.n[t],
                       .stages = b->stages.count ? b->stages.n[0] : 0};
      c.trace = b->trace && !trace.count ? &trace : NULL;
      MrBenchShared result;
      const MrStatus status = mr_bench_shared(&c, &b->costs, b->rounds, b->seconds, &result);
      if (status != MR_OK) {
        mr_say_error("%" PRIu32 " threads, %" PRIu32 " channels, order %" PRIu32 ": %s", c.threads, c.channels, c.order,
                     mr_strerror(status));
        return false;
      }
      add_shared(b, records, &c, &result, node_ns);
      if (result.plan.threads == 1) continue;
      char line[300];
      json_t* const model = mr_model_row(&c, &result, node_ns, line, sizeof line);
      emit(b, records, model, line);
    }
    if (!b->json) printf("a node costs %.0f ns beside its work\n", node_ns);
  }
  return !b->trace || draw_trace(b, &trace);
}

/* Every threads x channels x order x block in a callback, with workers asleep and awake, back to back and by the clock, on idle and on loaded processors. */
static bool run_callbacks(const Bench* b, json_t* records) {
  const uint32_t planned = 0;
  const uint32_t* const threads = b->threads.count ? b->threads.n : &planned;
  if (!b->json) puts(mr_callback_heading());
  for (uint32_t t = 0; t < (b->threads.count ? b->threads.count : 1); ++t)
    for (uint32_t i = 0; i < b->channels.count * b->orders.count * b->blocks.count * 8; ++i) {
      const uint32_t rest = i / 8 / b->blocks.count;
      const MrCallbackCase c = {.channels = b->channels.n[rest / b->orders.count],
                                .order = b->orders.n[rest % b->orders.count],
                                .block = b->blocks.n[i / 8 % b->blocks.count],
                                .threads = threads[t],
                                .awake = i & 1,
                                .paced = i & 2,
                                .loaded = i & 4,
                                .policy = MR_THREADS_EAGER,
                                .stages = b->stages.count ? b->stages.n[0] : 0,
                                .grain = b->grains.count ? b->grains.n[0] : 0};
      MrCallbackResult result;
      const MrStatus status = mr_bench_callback(&c, b->rounds * CALLBACKS_A_ROUND, &result);
      if (status != MR_OK) {
        mr_say_error("%" PRIu32 " channels, order %" PRIu32 ": %s", c.channels, c.order, mr_strerror(status));
        return false;
      }
      char line[300];
      json_t* const record = mr_callback_row(&c, &result, line, sizeof line);
      emit(b, records, record, line);
    }
  return true;
}

static int measure(const Bench* bench) {
  json_t* const records = json_array();
  const bool eq = bench->eq && bench->precision[0];
  const bool ok = bench->callback        ? run_callbacks(bench, records)
                  : bench->threads.count ? run_threads(bench, records)
                  : bench->plan          ? run_plan(bench, records)
                                         : (!bench->cascades || run_cascades(bench, records)) && (!eq || run_eq(bench, records));
  json_t* const object = json_pack("{s:s,s:I,s:o}", "version", mr_version(), "rounds", (json_int_t)bench->rounds, "records", records);
  if (ok && bench->json) {
    json_dumpf(object, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
  }
  json_decref(object);
  return ok ? MR_EXIT_DONE : MR_EXIT_FILE;
}

static int run(const MrCommand* command, int argc, const char** argv) {
  Bench bench = {.command = command,
                 .channels = {{1, 2, 8, 16, 64}, 5},
                 .orders = {{2, 16}, 2},
                 .blocks = {{64, 1024}, 2},
                 .layout = {true, true},
                 .streams = {true, false},
                 .precision = {true, false},
                 .rounds = 31,
                 .seconds = 2e-3,
                 .cascades = true,
                 .eq = true};
  poptContext context = NULL;
  const char** rest = NULL;
  int code = mr_command_parse(command, argc, argv, option, &bench, &context, &rest);
  if (code < 0 && rest[0]) code = mr_command_refuse(command, "%s: no such argument", rest[0]);
  if (code < 0 && !bench.cascades && !bench.precision[0])
    code = mr_command_refuse(command, "--eq-only and --precision fast exclude each other: the equaliser's bands move, in float64 alone");
  if (code < 0 && bench.calibrate) code = mr_costs_calibrate(bench.json);
  if (code < 0) {
    bench.costs = mr_costs_read();
    code = measure(&bench);
  }
  mr_command_done(context);
  free(bench.trace);
  return code;
}

static struct poptOption options[] = {
    {"channels", '\0', POPT_ARG_STRING, NULL, OPT_CHANNELS, "Channel counts; default 1,2,8,16,64.", "LIST"},
    {"orders", '\0', POPT_ARG_STRING, NULL, OPT_ORDERS, "Orders of the filters, 1 to 128, above 32 several in a row; default 2,16.", "LIST"},
    {"blocks", '\0', POPT_ARG_STRING, NULL, OPT_BLOCKS, "Frames of a block; default 64,1024.", "LIST"},
    {"layout", '\0', POPT_ARG_STRING, NULL, OPT_LAYOUT, "planar, interleaved or both; default both.", "NAME"},
    {"streams", '\0', POPT_ARG_STRING, NULL, OPT_STREAMS, "float, double or both; default float.", "NAME"},
    {"precision", '\0', POPT_ARG_STRING, NULL, OPT_PRECISION,
     "Arithmetic of the cascades: double, fast (float32) or both; default double. The equaliser, whose bands move, has double alone.",
     "NAME"},
    {"rounds", '\0', POPT_ARG_STRING, NULL, OPT_ROUNDS, "Rounds, of which the median counts; default 31.", "N"},
    {"eq-only", '\0', POPT_ARG_NONE, NULL, OPT_EQ,
     "Only the rows of the equaliser of 16 bands, at rest and moving, whose channels and blocks are fixed.", NULL},
    {"cascades-only", '\0', POPT_ARG_NONE, NULL, OPT_CASCADES, "Without the rows of the equaliser.", NULL},
    {"quick", '\0', POPT_ARG_NONE, NULL, OPT_QUICK, "Five short rounds: to see that it works.", NULL},
    {"renderer", '\0', POPT_ARG_NONE, NULL, OPT_RENDERER,
     "Only the cascades, as `render` runs them: through a renderer, interleaved, in chunks of its own, beside the reference's engine.",
     NULL},
    {"threads", 'j', POPT_ARG_STRING, NULL, OPT_THREADS,
     "Only renderers of so many threads, each in turn with one thread: how many times faster, how many times the machine is with renderers "
     "that share nothing, the time of a block (median, 99th "
     "percentile, worst), the "
     "processor time over one thread's, and what part of it nodes of the flow graph cost beside their work. Blocks are as long as keeps "
     "the threads busy "
     "unless --blocks says more. With --channels, --orders, --precision and --grains.",
     "LIST"},
    {"grains", '\0', POPT_ARG_STRING, NULL, OPT_GRAINS, "With --threads: frames that a node takes at a time; default as planned.", "LIST"},
    {"stages", '\0', POPT_ARG_STRING, NULL, OPT_STAGES,
     "With --threads: cut the sections of each channel or tile into so many stages, a wavefront; default as planned.", "N"},
    {"trace", '\0', POPT_ARG_STRING, NULL, OPT_TRACE,
     "With --threads: draw what each thread did in one block of the first case, an SVG file: a row a thread, a bar a node.", "FILE"},
    {"callback", '\0', POPT_ARG_NONE, NULL, OPT_CALLBACK,
     "Only an engine in a simulated callback at 48 kHz, on one thread and shared with --threads (default: as many as processors), in turn: "
     "workers asleep "
     "and awake, block after block and by the clock, with idle processors and with one busy thread more on each. Microseconds of a block: "
     "median, 99th "
     "percentile, worst. With --channels, --orders, --blocks, --grains, --stages and --rounds, ten blocks each.",
     NULL},
    {"plan", '\0', POPT_ARG_NONE, NULL, OPT_PLAN,
     "Only what the schedule plan chose over a grid of channels, sections and blocks, beside all it could have chosen.", NULL},
    {"calibrate", '\0', POPT_ARG_NONE, NULL, OPT_CALIBRATE,
     "Measure what the schedule plan reckons with and keep it for all commands, in $MILLRACE_COSTS or millrace/costs.json among the user's "
     "caches. "
     "It changes speed, never a sample.",
     NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, OPT_JSON, "Print a JSON object with all records.", NULL},
    POPT_TABLEEND,
};

static const char* const paragraphs[] = {
    "Measures the engine on one core: nanoseconds per sample and channel of a Butterworth low-pass whose corner differs in each channel, "
    "and nanoseconds per frame, "
    "channel and band of an equaliser of 16 bands at rest and with every band moving. In each round the best kernel that this machine has "
    "and the C reference "
    "are measured in turn; the median counts, and the ratio is how many times faster than the reference the kernel is.",
    NULL,
};

static const char* const examples[] = {
    "Everything, as a file",
    "millrace bench --json > bench.json",
    NULL,
};

const MrCommand mr_command_bench = {
    .name = "bench",
    .summary = "how fast the engine is on this machine",
    .synopsis = "[OPTIONS]",
    .options = options,
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
