/* Renders one file.
   SPDX-License-Identifier: ISC */
#include "render_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "costs.h"
#include "device.h"
#include "device_flow.h"
#include "message.h"
#include "pcm.h"
#include "pipeline.h"
#include "player.h"
#include "report.h"
#include "target.h"

enum {
  BLOCK_BYTES = 512 << 10, /* of a block's float32 samples: few system calls, and it stays in a core's cache */
  BLOCK_FRAMES_AT_MOST = 1 << 16,
  SHARED_BYTES = 16 << 20, /* at most, of a block that threads share: the pipeline has three, and as many of integers */
  TAIL_SECONDS_AT_MOST = 60,
  TICK_MS = 500
};

typedef struct Render {
  const MrRenderOptions* options;
  const char *input, *output;
  MrAudioIn* in;
  MrTarget* target;
  MrAudioOut* out;
  MrProgram* program; /* until the player takes it */
  MrPlayer player;
  MrDevice device;
  MrDeviceFlow flow; /* where the device is a card */
  MrFastRule fast_rule;
  MrAudioPlan plan;
  bool wide;          /* float64 streams */
  MrSampleKind kind;  /* that is written */
  uint32_t block;     /* frames */
  uint64_t tail;      /* frames */
  uint64_t tail_left; /* of the reading stage */
  bool ended;         /* of the reading stage */
  uint64_t filtered;  /* of the filtering stage: frames */
  MrClip* clip;       /* of the filtering stage */
  bool write_failed;
  char why[MR_WHY];      /* of the stage that failed first */
  atomic_flag said;      /* whether `why` is taken */
  _Atomic uint64_t done; /* frames written, for the progress line */
  double started;
} Render;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -------------------------------------------------------------- stages */

static bool stage_failed(Render* r, bool writing, const char* why) {
  if (!atomic_flag_test_and_set(&r->said)) {
    r->write_failed = writing;
    memcpy(r->why, why, sizeof r->why);
  }
  return false;
}

static bool read_stage(void* handle, MrBlock* block) {
  Render* const r = handle;
  const size_t frame_bytes = (size_t)r->in->info.channels * (r->wide ? sizeof(double) : sizeof(float));
  uint32_t got = 0;
  char why[MR_WHY] = "";
  if (!r->ended) {
    if (!mr_audio_in_read(r->in, block->samples, r->wide, r->block, &got, why)) return stage_failed(r, false, why);
    r->ended = got < r->block || (r->in->has_length && r->in->frames_read >= r->in->frames);
  }
  if (r->ended && r->tail_left && got < r->block) { /* silence goes in, and what still rings comes out */
    const uint32_t room = r->block - got;
    const uint32_t silent = r->tail_left < room ? (uint32_t)r->tail_left : room;
    memset((char*)block->samples + got * frame_bytes, 0, silent * frame_bytes);
    r->tail_left -= silent;
    got += silent;
  }
  block->frames = got;
  block->last = r->ended && r->tail_left == 0;
  return true;
}

/* Sends a block to the card. */
static bool send_stage(void* handle, MrBlock* block) {
  Render* const r = handle;
  mr_device_flow_send(&r->flow, block);
  return true;
}

/* Keeps the channels that are wanted, in place: the output has as many as the input at most. */
static void select_channels(const Render* r, void* samples, uint32_t frames) {
  const size_t size = r->wide ? sizeof(double) : sizeof(float);
  const uint32_t from = (uint32_t)r->in->info.channels, to = r->plan.channels;
  double frame[MR_MAX_CHANNELS];
  for (uint32_t i = 0; i < frames; ++i) {
    const char* const source = (const char*)samples + (size_t)i * from * size;
    for (uint32_t k = 0; k < to; ++k) memcpy((char*)frame + k * size, source + r->options->channel[k] * size, size);
    memcpy((char*)samples + (size_t)i * to * size, frame, to * size);
  }
}

/* What the output is to hold, from filtered samples: of integers to `whole`. */
static void finish_block(Render* r, MrBlock* block, void* samples, void* whole) {
  const unsigned bits = mr_encoding_bits(r->plan.format);
  if (r->options->channels) select_channels(r, samples, block->frames);
  if (bits && r->wide) mr_pcm_from_f64(samples, whole, block->frames, r->plan.channels, bits, r->filtered, r->clip);
  if (bits && !r->wide) mr_pcm_from_f32(samples, whole, block->frames, r->plan.channels, bits, r->filtered, r->clip);
  block->output = bits ? whole : samples;
  r->filtered += block->frames;
}

static bool filter_failed(Render* r, MrStatus status) {
  char why[MR_WHY];
  snprintf(why, sizeof why, "%s", mr_strerror(status));
  return stage_failed(r, false, why);
}

static bool filter_stage(void* handle, MrBlock* block) {
  Render* const r = handle;
  const MrStatus status = mr_player_process(&r->player, block->samples, block->frames);
  if (status != MR_OK) return filter_failed(r, status);
  finish_block(r, block, block->samples, block->result);
  return true;
}

/* Takes a block back from the card. Its samples lie in one of its two buffers; the other one is free. */
static bool take_stage(void* handle, MrBlock* block) {
  Render* const r = handle;
  const MrStatus status = mr_device_flow_take(&r->flow, block);
  if (status != MR_OK) return filter_failed(r, status);
  const bool apart = block->output == block->result;
  finish_block(r, block, apart ? block->result : block->samples, apart ? block->samples : block->result);
  return true;
}

static bool write_stage(void* handle, MrBlock* block) {
  Render* const r = handle;
  char why[MR_WHY] = "";
  if (!mr_audio_out_write(r->out, block->output, r->kind, block->frames, why)) return stage_failed(r, true, why);
  atomic_fetch_add_explicit(&r->done, block->frames, memory_order_relaxed);
  return true;
}

static void tick(void* handle) {
  Render* const r = handle;
  if (r->options->quiet) return;
  const uint64_t total = r->in->has_length ? r->in->frames + r->tail : 0;
  mr_report_progress(r->input, atomic_load_explicit(&r->done, memory_order_relaxed), total, r->in->info.samplerate, now() - r->started);
}

/* -------------------------------------------------------------- set-up */

static int fail(const char* name, const char* why) {
  mr_say_error("%s: %s", name, why);
  return MR_EXIT_FILE;
}

static int fail_input(const Render* r, const char* why) { return fail(strcmp(r->input, "-") == 0 ? "standard input" : r->input, why); }
static int fail_output(const Render* r, const char* why) { return fail(strcmp(r->output, "-") == 0 ? "standard output" : r->output, why); }

static int no_memory(void) {
  mr_say_error("no memory");
  return MR_EXIT_FILE;
}

static int open_input(Render* r) {
  char why[MR_WHY] = "";
  r->in = mr_audio_in_open(r->input, r->options->has_raw ? &r->options->raw : NULL, why);
  if (!r->in) return fail_input(r, why);
  for (uint32_t k = 0; k < r->options->channels; ++k) {
    if (r->options->channel[k] < (uint32_t)r->in->info.channels) continue;
    snprintf(why, sizeof why, "has %d channels, and --channels names channel %" PRIu32, r->in->info.channels, r->options->channel[k] + 1);
    return fail_input(r, why);
  }
  return MR_EXIT_DONE;
}

static void warn_fast(const Render* r) {
  if (r->fast_rule.holds) return;
  char text[256];
  mr_report_fast_text(&r->fast_rule, text, sizeof text);
  mr_say_warning("%s", text);
}

static uint64_t auto_tail(const Render* r, uint64_t limit) {
  if (r->options->preset && !mr_preset_enabled(r->options->preset)) return 0;
  const uint64_t tail = mr_program_tail(r->program, limit);
  return tail < limit ? tail : limit;
}

static int make_program(Render* r, bool warnings) {
  const MrPreset* const preset = r->options->preset;
  const double fs = r->in->info.samplerate;
  const MrReadOptions read = {.channels = (uint32_t)r->in->info.channels, .fs = fs, .convert_rate = r->options->convert_rate};
  const bool says = warnings && (!preset || preset->is_bank); /* of an EQ's bands the same has been said, once for all channels */
  const MrMessages messages = {mr_say_library, (void*)&says};
  MrStatus status = MR_OK;
  int code = MR_EXIT_BANK;
  MrBank* const bank = preset ? mr_preset_bank(preset, &read, warnings, &code) : mr_bank_input_read(&r->options->bank, &read, warnings);
  if (!bank) return code;
  if (preset && !mr_preset_needs_engine(preset, r->options->realtime_kernels)) mr_preset_add_gain(preset, bank);
  r->program = mr_program_new(bank, fs, &messages, &status);
  mr_bank_free(bank);
  if (!r->program) return status == MR_ERR_MEMORY ? no_memory() : MR_EXIT_BANK;
  const uint64_t limit = (uint64_t)(TAIL_SECONDS_AT_MOST * fs);
  r->tail = r->options->tail_auto ? auto_tail(r, limit) : (uint64_t)(r->options->tail * fs + 0.5);
  r->tail_left = r->tail;
  r->fast_rule = mr_program_fast_rule(r->program);
  if (r->options->fast && warnings) warn_fast(r);
  return MR_EXIT_DONE;
}

/* Whole chunks; unless a length was asked for, so many that all threads have enough to do. */
static void fit_block(Render* r, uint32_t chunk, uint32_t call) {
  const size_t frame = (size_t)r->in->info.channels * (r->wide ? sizeof(double) : sizeof(float));
  const uint32_t most = (uint32_t)(SHARED_BYTES / frame);
  if (!r->options->block && call > r->block) r->block = call < most ? call : most > r->block ? most : r->block;
  r->block = (r->block + chunk - 1) / chunk * chunk;
}

/* ns a sample of a core of a few GHz: reading and writing; filtering, by `millrace bench --renderer`. */
#define FILES_NS   4.0
#define BESIDE_NS  0.8
#define SECTION_NS 0.5

/* As many threads as help. Reading and writing run at the same time and take their part of the processors, so that filtering need not be
   faster than all of it together. */
static uint32_t choose_threads(const Render* r) {
  if (r->options->threads) return r->options->threads;
  const uint32_t channels = (uint32_t)r->in->info.channels;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  double filter = 0;
  for (uint32_t k = 0; k < channels; ++k) filter += BESIDE_NS + SECTION_NS * mr_program_sections(r->program, k);
  filter *= (r->options->fast ? 0.5 : 1.0) / channels;
  const double wanted = (double)processors * filter / (filter + FILES_NS);
  return wanted >= 1.5 ? (uint32_t)fmin(wanted + 0.5, 256) : 1;
}

static MrRendererOptions renderer_options(const Render* r, const MrCosts* costs) {
  return (MrRendererOptions){
      .engine = {.channels = (uint32_t)r->in->info.channels,
                 .fs = r->in->info.samplerate,
                 .largest_block = r->block,
                 .costs = costs,
                 .precision = r->options->fast ? MR_PRECISION_FAST : MR_PRECISION_DOUBLE},
      .wide = r->wide,
      .realtime_kernels = r->options->realtime_kernels,
      .threads = choose_threads(r),
  };
}

/* Which device it is to be; with a card, all that its way needs. */
static int choose_device(Render* r) {
  const MrPreset* const preset = r->options->preset;
  const bool own = r->options->realtime_kernels || (preset && mr_preset_needs_engine(preset, false)); /* the plugins' bits */
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const MrDeviceNeed need = {.program = r->program,
                             .channels = (uint32_t)r->in->info.channels,
                             .wide = r->wide,
                             .fast = r->options->fast,
                             .frames = r->in->has_length ? r->in->frames + r->tail : 0,
                             .block = r->options->block,
                             .threads = r->options->threads ? r->options->threads
                                        : processors > 0    ? (uint32_t)processors
                                                            : 1};
  if (own && r->options->device == MR_DEVICE_CUDA) {
    mr_say_error("--device cuda: what is played has the samples of the plugins, which the CPU has alone");
    return MR_EXIT_DEVICE;
  }
  if (!mr_device_open(&r->device, own ? MR_DEVICE_CPU : r->options->device, &need)) {
    mr_say_error("--device cuda: %s", r->device.reason);
    return MR_EXIT_DEVICE;
  }
  if (!r->device.api) return MR_EXIT_DONE;
  const MrRendererOptions options = renderer_options(r, NULL);
  r->block = r->device.chunk;
  return mr_device_flow_start(&r->flow, &r->device, &options, &r->program, &r->player) ? MR_EXIT_DONE : no_memory();
}

/* When the output is open, and with it what kind of samples flow. */
static int make_player(Render* r) {
  const MrCosts costs = mr_costs_read();
  const MrRendererOptions options = renderer_options(r, &costs);
  const MrStatus status = mr_player_start(&r->player, &options, r->options->preset, r->program);
  r->program = NULL;
  if (status != MR_OK) {
    mr_say_error("the bank cannot be played: %s", mr_strerror(status));
    return status == MR_ERR_MEMORY ? MR_EXIT_FILE : MR_EXIT_BANK;
  }
  fit_block(r, mr_player_chunk(&r->player), mr_player_call(&r->player));
  return MR_EXIT_DONE;
}

/* Loudspeakers of the output: the input's, or those of the channels that are kept, where they stay in their order. */
static uint32_t output_mask(const Render* r) {
  const uint32_t mask = r->in->container.extensible ? r->in->container.mask : 0;
  if (!r->options->channels || !mask) return mask;
  uint32_t kept = 0, named = 0;
  uint32_t position[32];
  for (uint32_t bit = 0; bit < 32; ++bit)
    if (mask >> bit & 1) position[named++] = bit;
  for (uint32_t k = 0; k < r->options->channels; ++k) {
    const uint32_t channel = r->options->channel[k];
    if (channel >= named || (k && channel < r->options->channel[k - 1])) return 0;
    kept |= (uint32_t)1 << position[channel];
  }
  return kept;
}

static int open_output(Render* r) {
  char why[MR_WHY] = "";
  r->target = mr_target_open(r->output, why);
  if (!r->target) return fail_output(r, why);
  r->plan.to_pipe = r->target->direct;
  r->plan.channels = r->options->channels ? r->options->channels : (uint32_t)r->in->info.channels;
  r->plan.rate = r->in->info.samplerate;
  r->plan.has_length = r->in->has_length;
  r->plan.frames = r->in->has_length ? r->in->frames + r->tail : 0;
  r->plan.mask = output_mask(r);
  if (!mr_audio_plan(&r->plan, r->in, r->output, r->options->format, r->options->encoding, why)) return fail_output(r, why);
  r->out = mr_audio_out_open(r->target->fd, &r->plan, r->in, r->options->channels == 0, why);
  if (!r->out) return fail_output(r, why);
  r->wide = mr_encoding_is_wide(r->in->info.format) || mr_encoding_is_wide(r->plan.format);
  r->kind = mr_encoding_kind(r->plan.format);
  if (r->wide && r->kind == MR_SAMPLE_FLOAT) r->kind = MR_SAMPLE_DOUBLE;
  r->clip = calloc(r->plan.channels, sizeof *r->clip);
  return r->clip ? MR_EXIT_DONE : no_memory();
}

/* A whole number of cells, about BLOCK_BYTES long. */
static uint32_t choose_block(const MrRenderOptions* options, uint32_t channels) {
  if (options->block) return options->block;
  const uint32_t frames = (uint32_t)(BLOCK_BYTES / (channels * sizeof(float))) / MR_CELL * MR_CELL;
  return frames < MR_CELL ? MR_CELL : frames > BLOCK_FRAMES_AT_MOST ? BLOCK_FRAMES_AT_MOST : frames;
}

/* ----------------------------------------------------------------- run */

static void* card_memory(void* handle, size_t bytes) {
  (void)bytes; /* all are of one size */
  return mr_device_memory(&((Render*)handle)->device);
}

static MrPipeline pipeline_of(Render* r) {
  const size_t samples = (size_t)r->block * (size_t)r->in->info.channels, bytes = samples * (r->wide ? sizeof(double) : sizeof(float));
  MrPipeline pipeline = {.stage = {read_stage, filter_stage, write_stage},
                         .handle = r,
                         .sample_bytes = bytes,
                         .result_bytes = mr_encoding_bits(r->plan.format) ? samples * sizeof(int32_t) : 0,
                         .tick = tick,
                         .tick_ms = TICK_MS};
  if (!r->device.api) return pipeline;
  const MrStage stages[] = {read_stage, send_stage, take_stage, write_stage};
  memcpy(pipeline.stage, stages, sizeof stages);
  pipeline.blocks = MR_DEVICE_BLOCKS;
  pipeline.result_bytes = bytes;
  pipeline.allocate = card_memory;
  return pipeline;
}

static int run(Render* r) {
  const MrPipeline pipeline = pipeline_of(r);
  bool started = false;
  if (!mr_pipeline_run(&pipeline, &started)) {
    if (!started) return no_memory();
    return r->write_failed ? fail_output(r, r->why) : fail_input(r, r->why);
  }
  char why[MR_WHY] = "";
  const bool finished = mr_audio_out_finish(r->out, why);
  r->out = NULL;
  if (!finished) return fail_output(r, why);
  const bool committed = mr_target_commit(r->target, why);
  r->target = NULL;
  return committed ? MR_EXIT_DONE : fail_output(r, why);
}

static void report(const Render* r) {
  char bank[1024];
  if (r->options->preset)
    mr_preset_text(r->options->preset, bank, sizeof bank);
  else
    mr_bank_input_name(&r->options->bank, bank, sizeof bank);
  const bool cpu = r->player.renderer || r->player.engine;
  const MrReport said = {.input = r->input,
                         .output = r->output,
                         .bank = bank,
                         .preset = r->options->preset,
                         .format = mr_format_name(r->plan.format),
                         .encoding = mr_encoding_name(r->plan.format),
                         .input_channels = (uint32_t)r->in->info.channels,
                         .channels = r->plan.channels,
                         .channel = r->options->channels ? r->options->channel : NULL,
                         .rate = r->plan.rate,
                         .frames = r->filtered,
                         .tail = r->tail,
                         .seconds = now() - r->started,
                         .bits = mr_encoding_bits(r->plan.format),
                         .clip = r->clip,
                         .troubles = r->flow.troubles + (cpu ? mr_player_troubles(&r->player) : 0),
                         .plan = cpu ? mr_player_plan(&r->player) : (MrPlan){.threads = 0},
                         .device = &r->device,
                         .lost_at = r->flow.lost_at,
                         .lost = r->flow.on_cpu ? r->flow.why : NULL,
                         .fast = r->options->fast,
                         .fast_rule = r->fast_rule};
  mr_report_say(&said, !r->options->quiet && !r->options->json);
  if (r->options->json) mr_report_json(&said, strcmp(r->output, "-") == 0 ? stderr : stdout);
}

int mr_render_file(const MrRenderOptions* options, const char* input, const char* output, MrWarned* warned) {
  Render r;
  memset(&r, 0, sizeof r);
  r.options = options;
  r.input = input;
  r.output = output;
  r.started = now();
  atomic_flag_clear(&r.said);
  int code = open_input(&r);
  if (code == MR_EXIT_DONE) {
    r.block = choose_block(options, (uint32_t)r.in->info.channels);
    const MrWarned kind = {r.in->info.samplerate, r.in->info.channels};
    code = make_program(&r, kind.rate != warned->rate || kind.channels != warned->channels);
    *warned = kind;
  }
  if (code == MR_EXIT_DONE) code = open_output(&r);
  if (code == MR_EXIT_DONE) code = choose_device(&r);
  if (code == MR_EXIT_DONE && !r.device.api) code = make_player(&r);
  if (code == MR_EXIT_DONE) code = run(&r);
  if (code == MR_EXIT_DONE) report(&r);
  mr_say_progress_end();
  mr_audio_out_abandon(r.out);
  mr_target_discard(r.target);
  mr_device_flow_free(&r.flow);
  mr_device_close(&r.device);
  mr_program_free(r.program);
  mr_player_free(&r.player);
  mr_audio_in_close(r.in);
  free(r.clip);
  return code;
}
