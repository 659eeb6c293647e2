/* Rows of `millrace bench` about threads.
   SPDX-License-Identifier: ISC */
#include "bench_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "wavefront_model.h"

const char* mr_callback_heading(void) {
  return "callback                 channels  order  block  threads  one, us     p99   worst  shared, us     p99   worst  times one thread  "
         "shared  redone";
}

json_t* mr_callback_row(const MrCallbackCase* c, const MrCallbackResult* r, char* line, size_t size) {
  const char* const workers = c->awake ? "awake" : "asleep";
  const char* const clock = c->paced ? "by the clock" : "back to back";
  const char* const others = c->loaded ? "loaded" : "idle";
  snprintf(line, size,
           "%-6s %-12s %-6s %7" PRIu32 "  %5" PRIu32 "  %5" PRIu32 "  %7" PRIu32
           "  %7.1f %7.1f %7.1f  %10.1f %7.1f %7.1f  %16.2f  %5.0f %%  %6" PRIu64 "%s",
           workers, clock, others, c->channels, c->order, c->block, r->report.threads, r->one.median, r->one.p99, r->one.worst,
           r->shared.median, r->shared.p99, r->shared.worst, r->gain, 100 * r->shared_share, r->report.redone,
           r->report.dropped ? "  dropped after a stall" : "");
  return json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:b}", "kind", "callback", "workers",
                   workers, "clock", clock, "processors", others, "channels", (json_int_t)c->channels, "order", (json_int_t)c->order,
                   "block", (json_int_t)c->block, "threads", (json_int_t)r->report.threads, "one_median_us", r->one.median, "one_p99_us",
                   r->one.p99, "one_worst_us", r->one.worst, "median_us", r->shared.median, "p99_us", r->shared.p99, "worst_us",
                   r->shared.worst, "times_one_thread", r->gain, "blocks_shared", r->shared_share, "parts_helped",
                   (json_int_t)r->report.helped, "parts_redone", (json_int_t)r->report.redone, "stalls", (json_int_t)r->report.stalls,
                   "dropped", (int)r->report.dropped);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

json_t* mr_model_row(const MrBenchCase* c, const MrBenchShared* r, double node_ns, char* line, size_t size) {
  static const uint32_t cores[] = {2, 4, 6, 8, 16};
  const uint32_t strands = r->plan.strands ? r->plan.strands : 1, sections = r->plan.sections ? r->plan.sections : 1;
  const uint32_t grain = r->plan.grain ? r->plan.grain : r->block, groups = (r->block + grain - 1) / grain;
  const double whole = r->one_ns * r->block * c->channels;
  json_t* const gains = json_array();
  int at = snprintf(line, size, "        by the model, with nodes of these costs:");
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
    const uint32_t stages = strands >= cores[i] ? 1 : least(sections, (cores[i] + strands - 1) / strands);
    const MrWavefront w = {.cores = cores[i],
                           .strands = strands,
                           .stages = stages,
                           .groups = groups,
                           .under_way = 2 * cores[i],
                           .node_ns = whole / ((double)strands * stages * groups),
                           .overhead_ns = node_ns};
    const MrWavefrontTime time = mr_wavefront_model(&w);
    if (at > 0 && (size_t)at < size) at += snprintf(line + at, size - (size_t)at, "  %" PRIu32 " cores %.2f", cores[i], time.gain);
    json_array_append_new(gains, json_pack("{s:I,s:I,s:f,s:f}", "cores", (json_int_t)cores[i], "stages", (json_int_t)stages,
                                           "times_one_thread", time.gain, "efficiency", time.efficiency));
  }
  return json_pack("{s:s,s:I,s:I,s:I,s:I,s:f,s:o}", "kind", "model", "channels", (json_int_t)c->channels, "order", (json_int_t)c->order,
                   "block", (json_int_t)r->block, "groups", (json_int_t)groups, "node_ns", node_ns, "gains", gains);
}
