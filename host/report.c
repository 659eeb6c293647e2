/* What a rendering tells while it runs and when it is done.
   SPDX-License-Identifier: ISC */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "message.h"

/* "1:02:03" or "2:03". */
static const char* clock_text(double seconds, char* text, size_t size) {
  const uint64_t s = seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 0;
  if (s >= 3600) {
    snprintf(text, size, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
  } else {
    snprintf(text, size, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
  }
  return text;
}

void mr_report_progress(const char* input, uint64_t frames, uint64_t total, int rate, double seconds) {
  char done[32], left[32];
  const char* const slash = strrchr(input, '/');
  const char* const name = strcmp(input, "-") == 0 ? "standard input" : slash ? slash + 1 : input;
  const double played = (double)frames / rate;
  const double speed = seconds > 0 ? played / seconds : 0;
  if (total && frames) {
    const double remaining = seconds * ((double)total / (double)frames - 1);
    mr_say_progress("%.40s  %3.0f %%  %.1f times real time  %s left", name, 100.0 * (double)frames / (double)total, speed,
                    clock_text(remaining, left, sizeof left));
  } else {
    mr_say_progress("%.40s  %s done  %.1f times real time", name, clock_text(played, done, sizeof done), speed);
  }
}

static uint32_t number_of(const MrReport* r, uint32_t k) { return (r->channel ? r->channel[k] : k) + 1; }

static double largest_peak(const MrReport* r) {
  double peak = 0;
  for (uint32_t k = 0; k < r->channels; ++k)
    if (r->clip[k].count && r->clip[k].peak > peak) peak = r->clip[k].peak;
  return peak;
}

static uint64_t all_clips(const MrReport* r, uint32_t* channels) {
  uint64_t count = 0;
  *channels = 0;
  for (uint32_t k = 0; r->bits && k < r->channels; ++k) {
    count += r->clip[k].count;
    *channels += r->clip[k].count != 0;
  }
  return count;
}

static void say_clips(const MrReport* r) {
  enum { NAMED = 8 };
  uint32_t channels = 0;
  const uint64_t count = all_clips(r, &channels);
  if (!count) return;
  char list[NAMED * 80] = "";
  size_t used = 0;
  uint32_t named = 0;
  for (uint32_t k = 0; k < r->channels && named < NAMED; ++k) {
    if (!r->clip[k].count) continue;
    const int n =
        snprintf(list + used, sizeof list - used, "%s%" PRIu32 " (%" PRIu64 ", first at %.3f s, peak %+.2f dB)", named ? ", " : "",
                 number_of(r, k), r->clip[k].count, (double)r->clip[k].first_frame / r->rate, 20 * log10(r->clip[k].peak));
    used += n > 0 ? (size_t)n : 0;
    ++named;
  }
  const double preamp = mr_pcm_preamp_db(largest_peak(r), r->bits);
  mr_say_warning("%s: %" PRIu64 " samples clipped, in channel%s %s%s; a further Preamp: %.2f dB would avoid it", r->output, count,
                 channels > 1 ? "s" : "", list, named < channels ? " and others" : "", preamp);
}

/* "2 threads", or the card. */
static void say_where(const MrReport* r, char* text, size_t size) {
  if (r->device->api && !r->lost)
    snprintf(text, size, "on %s", r->device->card.name);
  else
    snprintf(text, size, "%" PRIu32 " thread%s", r->plan.threads, r->plan.threads == 1 ? "" : "s");
}

void mr_report_say(const MrReport* r, bool summary) {
  const double played = (double)r->frames / r->rate;
  char where[192];
  say_where(r, where, sizeof where);
  mr_say_progress_end();
  if (summary)
    mr_say_note("%s -> %s: %" PRIu32 " channel%s x %" PRIu64 " frames (%.3f s at %d Hz) in %.3f s, %.1f times real time, %s%s%s", r->input,
                r->output, r->channels, r->channels == 1 ? "" : "s", r->frames, played, r->rate, r->seconds,
                r->seconds > 0 ? played / r->seconds : 0, where, r->preset ? ", " : "", r->preset ? r->bank : "");
  say_clips(r);
  if (r->lost)
    mr_say_warning("%s: the card was lost (%s); from %.3f s on the CPU filtered", r->input, r->lost, (double)r->lost_at / r->rate);
  if (r->troubles)
    mr_say_warning("%s: samples that are no numbers: channels were set to silence %" PRIu64 " times, for 64 frames or less each", r->output,
                   r->troubles);
}

json_t* mr_report_plan(const MrPlan* plan) {
  return json_pack("{s:{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I},s:{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}}",  //
                   "numeric", "form", plan->form, "family", plan->family, "arithmetic", plan->arithmetic, "block_lanes",
                   (json_int_t)plan->block_lanes, "blocks", (json_int_t)plan->blocks, "segments", (json_int_t)plan->segments,
                   "segment_frames", (json_int_t)plan->segment_frames, "early_frames", (json_int_t)plan->early_frames, "schedule", "level",
                   mr_cpu_level_name(plan->level), "lanes", (json_int_t)plan->lanes, "tiles", (json_int_t)plan->tiles, "sections_per_pass",
                   (json_int_t)plan->sections_per_pass, "sections", (json_int_t)plan->sections, "chains", (json_int_t)plan->chains,
                   "chain_from", (json_int_t)plan->chain_from, "threads", (json_int_t)plan->threads, "strands", (json_int_t)plan->strands,
                   "stages", (json_int_t)plan->stages, "grain", (json_int_t)plan->grain);
}

static json_t* finite(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t* json_clips(const MrReport* r) {
  uint32_t channels = 0;
  const uint64_t count = all_clips(r, &channels);
  json_t* const list = json_array();
  for (uint32_t k = 0; count && k < r->channels; ++k)
    if (r->clip[k].count)
      json_array_append_new(
          list, json_pack("{s:I,s:I,s:I,s:o}", "channel", (json_int_t)number_of(r, k), "count", (json_int_t)r->clip[k].count, "first_frame",
                          (json_int_t)r->clip[k].first_frame, "peak_db", finite(20 * log10(r->clip[k].peak))));
  return json_pack("{s:I,s:o,s:o}", "count", (json_int_t)count, "preamp_db",
                   count ? finite(mr_pcm_preamp_db(largest_peak(r), r->bits)) : json_real(0), "channels", list);
}

json_t* mr_report_fast_rule(const MrFastRule* rule) {
  json_t* const object = json_pack("{s:b,s:o}", "holds", (int)rule->holds, "error", finite(rule->error));
  if (object && rule->error > 0) {
    json_object_set_new(object, "channel", json_integer((json_int_t)rule->channel + 1));
    json_object_set_new(object, "section", json_integer((json_int_t)rule->section + 1));
  }
  return object;
}

void mr_report_fast_text(const MrFastRule* rule, char* text, size_t size) {
  snprintf(text, size,
           "channel %" PRIu32 ", section %" PRIu32
           " asks more of float32 arithmetic than it holds: expect errors up to about %.0e of the peak (without --precision fast: none)",
           rule->channel + 1, rule->section + 1, rule->error);
}

/* A name as JSON: bytes that are no UTF-8 become '?', as JSON cannot hold them. */
static json_t* text_of(const char* text) {
  json_t* string = json_string(text);
  if (string) return string;
  char plain[4096];
  snprintf(plain, sizeof plain, "%s", text);
  for (char* at = plain; *at; ++at)
    if ((unsigned char)*at >= 0x80) *at = '?';
  return json_string(plain);
}

static json_t* json_preset(const MrPreset* preset) {
  json_t* const object = json_pack("{s:o,s:s}", "name", text_of(preset->name), "plugin", preset->plugin);
  if (object && preset->label) json_object_set_new(object, "label", text_of(preset->label));
  return object;
}

/* What filtered, and what the plan promised. */
static json_t* json_device(const MrReport* r) {
  const MrDevice* const d = r->device;
  if (!d->api) {
    json_t* const cpu = json_pack("{s:s}", "kind", "cpu");
    if (cpu && d->reason[0]) json_object_set_new(cpu, "reason", text_of(d->reason));
    return cpu;
  }
  json_t* const object = mr_report_card_plan(&d->plan);
  json_object_set_new(object, "kind", json_string("cuda"));
  json_object_set_new(object, "backend", json_string(d->api->name));
  json_object_set_new(object, "name", text_of(d->card.name));
  json_object_set_new(object, "chunk_frames", json_integer((json_int_t)d->chunk));
  json_object_set_new(object, "promised",
                      json_pack("{s:f,s:f,s:f,s:f}", "start_s", d->times.start, "files_s", d->times.files, "transfer_s", d->times.transfer,
                                "kernel_s", d->times.kernel));
  if (r->lost) json_object_set_new(object, "lost", json_pack("{s:I,s:o}", "frame", (json_int_t)r->lost_at, "why", text_of(r->lost)));
  return object;
}

json_t* mr_report_card_plan(const MrGpuPlan* plan) {
  return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f}",  //
                   "kernel", mr_gpu_kernel_name(plan->kernel), "lanes", (json_int_t)plan->lanes, "samples", (json_int_t)plan->samples,
                   "segments", (json_int_t)plan->segments, "segment_frames", (json_int_t)plan->segment_frames, "early_frames",
                   (json_int_t)plan->early, "depth", (json_int_t)plan->depth, "registers", (json_int_t)plan->registers, "resident",
                   (json_int_t)plan->resident, "memory_s", plan->memory_s, "arithmetic_s", plan->arithmetic_s, "waiting_s", plan->waiting_s,
                   "chunk_kernel_s", plan->kernel_s, "chunk_transfer_s", plan->transfer_s);
}

void mr_report_json(const MrReport* r, FILE* out) {
  const double played = (double)r->frames / r->rate;
  json_t* const object =
      json_pack("{s:s,s:o,s:o,s:o,s:s,s:s,s:I,s:I,s:i,s:I,s:I,s:f,s:f,s:o,s:I,s:o}",  //
                "version", mr_version(), "input", text_of(r->input), "output", text_of(r->output), "bank", text_of(r->bank), "format",
                r->format, "encoding", r->encoding, "input_channels", (json_int_t)r->input_channels, "channels", (json_int_t)r->channels,
                "rate", r->rate, "frames", (json_int_t)r->frames, "tail_frames", (json_int_t)r->tail, "seconds", r->seconds,
                "times_real_time", r->seconds > 0 ? played / r->seconds : 0.0, "clips", json_clips(r), "troubles", (json_int_t)r->troubles,
                "plan", r->plan.threads ? mr_report_plan(&r->plan) : json_null());
  if (object) json_object_set_new(object, "device", json_device(r));
  if (object && r->preset) json_object_set_new(object, "preset", json_preset(r->preset));
  if (object) json_object_set_new(object, "precision", json_string(r->fast ? "fast" : "double"));
  if (object && r->fast) json_object_set_new(object, "fast_rule", mr_report_fast_rule(&r->fast_rule));
  if (!object) {
    mr_say_error("no memory for the report");
    return;
  }
  json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
  fputc('\n', out);
  json_decref(object);
}
