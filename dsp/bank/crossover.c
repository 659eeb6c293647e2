/* The statement Crossover: ways as a tree from low to high, with all-pass compensation.
   SPDX-License-Identifier: ISC

   At the lowest frequency the input is split; the upper part is split again at the next. A way that branched off below must then pass what the
   later splits do to the sum of their parts, or the ways would not add up. With B the Butterworth polynomial of order n at one frequency:

   Linkwitz-Riley of order 2 n: low 1/B^2, high s^(2n)/B^2. As B(s) B(-s) = 1 + (-1)^n s^(2n), low + high (n even) or low - high (n odd)
   is B(-s)/B(s): the all-pass with the poles of Butterworth n. So for n odd each high part is inverted.

   Butterworth of odd order n: low + high = (1 + s^n)/B, of magnitude 1. The roots of 1 + s^n are e^(j pi m/n), m odd. Those in the left half
   plane are poles of B too and cancel; those in the right, m < n/2, mirror the poles that stay: second-order all-passes of
   Q = 1/(2 cos(pi m/n)). Nothing is inverted. (low - high is an all-pass too, of one order more or less; one rule is enough.)

   Butterworth of even order n: |low|^2 + |high|^2 = 1, and both parts are in phase, or for n = 2, 6, 10 .. in opposition, so that there the high
   part is inverted. Their sum has the phase of 1/B, and a magnitude that no all-pass has. The all-pass of Butterworth n/2 has that phase
   at 0, at the split and at infinity, and within 11 degrees between. */
#include "crossover.h"

#include <math.h>
#include <string.h>

#include "channels.h"
#include "designs.h"
#include "filter_line.h"

static const double pi = 3.14159265358979323846;

static MrStatus add_part(const MrCrossover* crossover, MrResponse response, double fc, MrChannel* channel) {
  MrDesign design = mr_design_default(crossover->family);
  design.response = response;
  design.order = crossover->order;
  design.fc = fc;
  return mr_channel_add_filter(channel, &design);
}

static MrStatus add_compensation(const MrCrossover* crossover, double fc, MrChannel* channel) {
  if (crossover->order % 2 == 0) {
    MrDesign design = mr_design_default(MR_BUTTERWORTH);
    design.response = MR_RESPONSE_AP;
    design.order = crossover->order / 2;
    design.fc = fc;
    return mr_channel_add_filter(channel, &design);
  }
  MrStatus status = MR_OK;
  for (uint32_t m = 1; 2 * m < crossover->order && status == MR_OK; m += 2) {
    MrDesign design = mr_design_default(MR_ALLPASS);
    design.fc = fc;
    design.width = 0.5 / cos(pi * m / crossover->order);
    status = mr_channel_add_filter(channel, &design);
  }
  return status;
}

MrStatus mr_crossover_add_way(const MrCrossover* crossover, uint32_t way, MrChannel* channel) {
  MrStatus status = MR_OK;
  for (uint32_t i = 0; i + 1 < crossover->ways && status == MR_OK; i++) {
    if (i < way)
      status = add_part(crossover, MR_RESPONSE_HP, crossover->fc[i], channel);
    else if (i == way)
      status = add_part(crossover, MR_RESPONSE_LP, crossover->fc[i], channel);
    else
      status = add_compensation(crossover, crossover->fc[i], channel);
  }
  if (crossover->order % 4 == 2 && way % 2 == 1) channel->inverted = !channel->inverted; /* as many inversions as high parts */
  return status;
}

/* ------------------------------------------------------- the statement */

typedef struct Line {
  MrCrossover crossover;
  uint32_t in, out[MR_MAX_WAYS], outs;
} Line;

static bool read_family(MrReader* reader, MrCrossover* crossover) {
  if (mr_reader_take(reader, "LinkwitzRiley"))
    crossover->family = MR_LINKWITZ_RILEY;
  else if (mr_reader_take(reader, "Butterworth"))
    crossover->family = MR_BUTTERWORTH;
  else
    return mr_reader_expected(reader, "LinkwitzRiley or Butterworth");
  if (!mr_reader_take(reader, "Order")) return mr_reader_expected(reader, "Order");
  if (!mr_reader_count(reader, "a whole number after Order", &crossover->order)) return false;
  if (crossover->order < 1 || crossover->order > MR_MAX_ORDER)
    return mr_reader_fail(reader, MR_ERR_RANGE, "a crossover has an order from 1 to %u", MR_MAX_ORDER);
  if (crossover->family == MR_LINKWITZ_RILEY && crossover->order % 2)
    return mr_reader_fail(reader, MR_ERR_RANGE, "LinkwitzRiley has an even order");
  return true;
}

static bool read_frequencies(MrReader* reader, MrCrossover* crossover) {
  if (!mr_reader_take(reader, "Fc")) return mr_reader_expected(reader, "Fc");
  for (crossover->ways = 1;; crossover->ways++) {
    double fc;
    if (crossover->ways > 1 && mr_reader_take(reader, "In")) return true;
    if (crossover->ways == MR_MAX_WAYS) return mr_reader_expected(reader, "In, as a crossover has three frequencies at most");
    if (!mr_filter_line_frequency(reader, crossover->ways == 1 ? "a frequency after Fc" : "another frequency, or In", &fc)) return false;
    if (!(fc > 0)) return mr_reader_fail(reader, MR_ERR_RANGE, "a crossover needs frequencies above 0 Hz");
    if (crossover->ways > 1 && !(fc > crossover->fc[crossover->ways - 2]))
      return mr_reader_fail(reader, MR_ERR_RANGE, "a crossover needs frequencies that ascend");
    crossover->fc[crossover->ways - 1] = fc;
  }
}

static bool read_channel(MrReader* reader, const char* what, uint32_t* index) {
  const size_t length = mr_reader_word_length(reader);
  if (length == 0) return mr_reader_expected(reader, what);
  if (!mr_channels_require(reader, reader->at, length, index)) return false;
  reader->at += length;
  return true;
}

static bool read_outs(MrReader* reader, Line* line) {
  if (!mr_reader_take(reader, "Out")) return mr_reader_expected(reader, "Out");
  const uint32_t ways = line->crossover.ways;
  while (!mr_reader_at_end(reader)) {
    uint32_t out = 0;
    if (!read_channel(reader, "a channel after Out", &out)) return false;
    for (uint32_t i = 0; i < line->outs; i++)
      if (line->out[i] == out) return mr_reader_fail(reader, MR_ERR_ROUTE, "two ways go to one channel");
    if (line->outs == ways) return mr_reader_fail(reader, MR_ERR_ROUTE, "a crossover of %u ways, and Out has more", ways);
    line->out[line->outs++] = out;
  }
  if (line->outs < ways) return mr_reader_fail(reader, MR_ERR_ROUTE, "a crossover of %u ways, and Out has %u", ways, line->outs);
  return true;
}

static bool make_ways(MrReader* reader, const Line* line, MrChannel way[MR_MAX_WAYS]) {
  const MrChannel* in = mr_reader_channel(reader, line->in);
  /* A way has at most 16 all-passes for each frequency. */
  if (!mr_reader_room_for(reader, line->outs * (mr_channel_cost(in) + 16 * (MR_MAX_WAYS - 1)))) return false;
  for (uint32_t i = 0; i < line->outs; i++)
    if (mr_channel_copy(in, &way[i]) != MR_OK || mr_crossover_add_way(&line->crossover, i, &way[i]) != MR_OK)
      return mr_reader_no_memory(reader);
  return true;
}

static void install(MrReader* reader, const Line* line, MrChannel way[MR_MAX_WAYS]) {
  uint64_t* listed = mr_bank_held(reader->bank)->listed;
  bool in_is_out = false;
  for (uint32_t i = 0; i < line->outs; i++) {
    mr_reader_replace(reader, line->out[i], &way[i]);
    if (line->out[i] < MR_MAX_CHANNELS) mr_bit_set(listed, line->out[i]);
    in_is_out |= line->out[i] == line->in;
  }
  if (!in_is_out) mr_reader_channel(reader, line->in)->muted = true;
  mr_bank_held(reader->bank)->crossed = true;
  reader->bank->crosses = true;
  reader->bank->routes = true; /* a crossover routes too, and is written as what it became */
}

bool mr_crossover_read(MrReader* reader) {
  Line line = {.outs = 0};
  MrChannel way[MR_MAX_WAYS];
  memset(way, 0, sizeof way);
  if (!read_family(reader, &line.crossover) || !read_frequencies(reader, &line.crossover) ||
      !read_channel(reader, "a channel after In", &line.in) || !read_outs(reader, &line))
    return false;
  const bool good = make_ways(reader, &line, way);
  if (good) install(reader, &line, way);
  for (uint32_t i = 0; i < MR_MAX_WAYS; i++) mr_channel_free(&way[i]);
  return good;
}
