/* The cards that `millrace info` lists, and what each would make of a bank.
   SPDX-License-Identifier: ISC */
#include "info_cards.h"

#include <stdio.h>
#include <string.h>

#include "../gpu/job.h"
#include "../gpu/library.h"
#include "report.h"

enum { CARDS = 16, CARD_BYTES = 8 << 20 /* of a chunk, as `render` has them */ };

/* What each card would make of the bank as `render` gives it: float32 samples in long chunks. Takes nothing. */
static json_t* plan_json(const MrGpuApi* api, uint32_t card, uint32_t channels, bool fast, const MrProgram* program) {
  char why[MR_GPU_WHY] = "";
  const MrGpuJob job = {.channels = channels,
                        .fast = fast,
                        .interleaved = true,
                        .chunk = (uint32_t)(CARD_BYTES / (channels * sizeof(float)) / 4096 * 4096 + 4096),
                        .submissions = 1};
  MrGpuProgram made;
  MrGpuPlan plan;
  MrGpuStatus status = mr_gpu_program_make(program, &job, &made, why);
  if (status == MR_GPU_OK) {
    status = api->foresee(card, &made.job, &plan, why);
    mr_gpu_program_free(&made);
  }
  if (status != MR_GPU_OK) return json_pack("{s:s}", "refused", why);
  json_t* const object = mr_report_card_plan(&plan);
  const double samples = (double)job.chunk * channels;
  json_object_set_new(object, "chunk_frames", json_integer((json_int_t)job.chunk));
  json_object_set_new(object, "kernel_samples_per_second", json_real(plan.kernel_s > 0 ? samples / plan.kernel_s : 0));
  json_object_set_new(object, "transfer_samples_per_second", json_real(plan.transfer_s > 0 ? samples / plan.transfer_s : 0));
  json_object_set_new(object, "reason", json_string(plan.reason));
  return object;
}

static json_t* card_json(const MrGpuDevice* d) {
  return json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:f,s:I}", "name", d->name, "backend", "", "multiprocessors", (json_int_t)d->processors,
                   "compute_capability", d->major + 0.1 * d->minor, "memory_bytes_per_second", d->bandwidth, "host_bytes_per_second",
                   d->host_bandwidth, "float32_per_second", d->processors * d->singles * d->clock, "float64_per_second",
                   d->processors * d->doubles * d->clock, "memory_bytes", (json_int_t)d->memory);
}

json_t* mr_info_cards_json(uint32_t channels, bool fast, const MrProgram* program) {
  char why[MR_GPU_WHY] = "";
  MrGpuDevice card[CARDS];
  uint32_t count = 0;
  const MrGpuStatus status = mr_gpu_library_devices(card, CARDS, &count, why);
  json_t* const object = json_object();
  json_t* const list = json_array();
  json_object_set_new(object, "cards", list);
  if (status != MR_GPU_OK) {
    json_object_set_new(object, "reason", json_string(why));
    return object;
  }
  MrGpuStatus opened;
  const MrGpuApi* const api = mr_gpu_library(&opened, why);
  for (uint32_t i = 0; api && i < count && i < CARDS; ++i) {
    json_t* const one = card_json(&card[i]);
    json_object_set_new(one, "backend", json_string(api->name));
    if (program) json_object_set_new(one, "plan", plan_json(api, i, channels, fast, program));
    json_array_append_new(list, one);
  }
  return object;
}

static double number_of(const json_t* object, const char* key) { return json_number_value(json_object_get(object, key)); }

static void print_plan(const json_t* plan) {
  const json_t* const refused = json_object_get(plan, "refused");
  if (refused) {
    printf("  the bank is not for it: %s\n", json_string_value(refused));
    return;
  }
  printf("  plan: %s", json_string_value(json_object_get(plan, "kernel")));
  if (number_of(plan, "segments") > 1)
    printf(", %.0f pieces of %.0f frames, %.0f early", number_of(plan, "segments"), number_of(plan, "segment_frames"),
           number_of(plan, "early_frames"));
  printf("; %.3g G samples a second (memory %.3g ms, arithmetic %.3g ms, waiting %.3g ms of %.0f frames), to and from the card %.3g G\n",
         1e-9 * number_of(plan, "kernel_samples_per_second"), 1e3 * number_of(plan, "memory_s"), 1e3 * number_of(plan, "arithmetic_s"),
         1e3 * number_of(plan, "waiting_s"), number_of(plan, "chunk_frames"), 1e-9 * number_of(plan, "transfer_samples_per_second"));
  for (const char* line = json_string_value(json_object_get(plan, "reason")); line && *line;) {
    const size_t length = strcspn(line, "\n");
    printf("    %.*s\n", (int)length, line);
    line += length + (line[length] != '\0');
  }
}

void mr_info_cards_print(const json_t* cuda) {
  const json_t* const list = json_object_get(cuda, "cards");
  const json_t* const reason = json_object_get(cuda, "reason");
  if (reason) printf("cards: none (%s)\n", json_string_value(reason));
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t* const card = json_array_get(list, i);
    printf(
        "card: %s, compute capability %.1f, %.0f multiprocessors, memory %.1f GB at %.0f GB/s, host %.1f GB/s, float32 %.3g and float64 "
        "%.3g G operations a second\n",
        json_string_value(json_object_get(card, "name")), number_of(card, "compute_capability"), number_of(card, "multiprocessors"),
        1e-9 * number_of(card, "memory_bytes"), 1e-9 * number_of(card, "memory_bytes_per_second"),
        1e-9 * number_of(card, "host_bytes_per_second"), 1e-9 * number_of(card, "float32_per_second"),
        1e-9 * number_of(card, "float64_per_second"));
    if (json_object_get(card, "plan")) print_plan(json_object_get(card, "plan"));
  }
}
