/* What a rendering tells while it runs and when it is done.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_REPORT_H
#define MR_HOST_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../dsp/millrace.h"
#include "../gpu/plan.h"
#include "device.h"
#include "pcm.h"
#include "preset.h"

typedef struct MrReport {
  const char *input, *output, *bank;
  const MrPreset* preset;        /* that was played, and `bank` names; NULL: none */
  const char *format, *encoding; /* of the output */
  uint32_t input_channels, channels;
  const uint32_t* channel; /* channels of the input that the output has, from 0; NULL: all */
  int rate;                /* Hz */
  uint64_t frames;         /* written, with the tail */
  uint64_t tail;
  double seconds;     /* that it took */
  unsigned bits;      /* of an integer output; 0: no clipping there */
  const MrClip* clip; /* a place an output channel */
  uint64_t troubles;
  MrPlan plan; /* of the CPU; threads is 0 where it filtered nothing */
  const MrDevice* device;
  const char* lost; /* why the card failed; NULL: it did not */
  uint64_t lost_at; /* frame from which the CPU filtered */
  bool fast;        /* float32 arithmetic */
  MrFastRule fast_rule;
} MrReport;

/* The progress line. total is 0 where it is not known. */
void mr_report_progress(const char* input, uint64_t frames, uint64_t total, int rate, double seconds);

/* A line for people, if `summary`; and warnings of clipping and trouble. On stderr. */
void mr_report_say(const MrReport* report, bool summary);

/* One line with a JSON object. */
void mr_report_json(const MrReport* report, FILE* out);

/* A plan as {"numeric": {...}, "schedule": {...}}. A new reference; NULL without memory. */
json_t* mr_report_plan(const MrPlan* plan);

/* A card's plan as an object. A new reference; NULL without memory. */
json_t* mr_report_card_plan(const MrGpuPlan* plan);

/* The rule for float32 arithmetic as {"holds": ..., "error": ..., "channel": ..., "section": ...}; the last two count from 1, and are there
   where the program has sections. A new reference. */
json_t* mr_report_fast_rule(const MrFastRule* rule);

/* For a rule that does not hold: "channel 1, section 2 needs --precision double: ...". */
void mr_report_fast_text(const MrFastRule* rule, char* text, size_t size);

#endif
