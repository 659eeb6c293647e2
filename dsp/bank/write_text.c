/* A bank written as text that reads back to an equal bank.
   SPDX-License-Identifier: ISC

   The matrix is one Copy line, which reads all its sources before it writes; then each group of channels with the same content has a
   Channel line and its statements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bank.h"
#include "designs.h"
#include "filter_line.h"
#include "number.h"
#include "output.h"

/* What the reader's state will be at this place of the text. */
typedef struct State {
  MrMode mode;
  double rate;
  bool rate_given;
} State;

/* --------------------------------------------------------------- filters */

static void put(MrOutput* out, const char* name, double value, const char* unit) {
  mr_output_text(out, name);
  mr_output_number(out, value);
  mr_output_text(out, unit);
}

/* 12.345 among higher frequencies looks like twelve thousand, and the reader would warn: 12.3450 does not. */
static void put_frequency(MrOutput* out, const char* name, double value) {
  char text[MR_NUMBER_SIZE] = "";
  if (isfinite(value)) mr_number_print(value, text);
  const char* point = strchr(text, '.');
  put(out, name, value, point && strlen(point) == 4 ? "0 Hz" : " Hz");
}

static void put_width(MrOutput* out, const MrDesign* design) {
  if (design->width_unit == MR_WIDTH_Q) put(out, " Q ", design->width, "");
  if (design->width_unit == MR_WIDTH_OCTAVES) put(out, " BW Oct ", design->width, "");
  if (design->width_unit == MR_WIDTH_SHELF_SLOPE) put(out, " S ", design->width, "");
}

static void put_typed(MrOutput* out, const MrDesign* design) {
  const unsigned fields = mr_designs_fields(design->type);
  mr_output_text(out, mr_filter_line_type_name(design));
  if (fields & MR_FIELD_ORDER) {
    mr_output_text(out, " ");
    mr_output_text(out, mr_filter_line_response_name(design->response));
    mr_output_text(out, " Order ");
    mr_output_count(out, design->order);
  }
  if ((fields & MR_FIELD_WIDTH) && design->width_unit == MR_WIDTH_DB_PER_OCTAVE) put(out, " ", design->width, " dB");
  put_frequency(out, " Fc ", design->fc);
  if (mr_designs_has_two_corners(design)) put_frequency(out, " ", design->fc2);
  if (fields & MR_FIELD_GAIN) put(out, " Gain ", design->gain_db, " dB");
  if (fields & MR_FIELD_WIDTH) put_width(out, design);
  if (fields & MR_FIELD_RIPPLE) put(out, " Ripple ", design->ripple_db, " dB");
  if (fields & MR_FIELD_STOP) put(out, " Stop ", design->stop_db, " dB");
}

static void put_coefficients(MrOutput* out, const MrDesign* design) {
  const bool first = mr_same_double(design->b[2], 0.0) && mr_same_double(design->a[2], 0.0);
  const int n = first ? 2 : 3;
  mr_output_text(out, first ? "IIR Order 1 Coefficients" : "IIR Order 2 Coefficients");
  for (int i = 0; i < n; i++) put(out, " ", design->b[i], "");
  for (int i = 0; i < n; i++) put(out, " ", design->a[i], "");
}

static void put_roots(MrOutput* out, const char* name, const MrComplex* root, uint32_t n) {
  mr_output_text(out, name);
  for (uint32_t i = 0; i < n; i++) {
    put(out, " ", root[i].re, "");
    if (root[i].im == 0) continue;
    put(out, root[i].im > 0 ? "+" : "-", fabs(root[i].im), "");
  }
}

static void put_design(MrOutput* out, const MrDesign* design) {
  switch (design->type) {
    case MR_COEFFICIENTS:
      put_coefficients(out, design);
      break;
    case MR_WEIGHTING:
      mr_output_text(out, "Weighting ");
      mr_output_text(out, mr_filter_line_weighting_name(design->weighting));
      break;
    case MR_LINKWITZ_TRANSFORM:
      put_frequency(out, "LT Fs ", design->transform[0]);
      put(out, " Qs ", design->transform[1], "");
      put_frequency(out, " Fp ", design->transform[2]);
      put(out, " Qp ", design->transform[3], "");
      break;
    case MR_ANALOGUE:
      put(out, "Analogue Gain ", design->roots_gain, "");
      put_roots(out, " Zeros", design->roots->zero, design->roots->zeros);
      put_roots(out, " Poles", design->roots->pole, design->roots->poles);
      mr_output_text(out, " Hz");
      break;
    default:
      put_typed(out, design);
      break;
  }
}

/* Slopes that the grammar reads are not negative, and coefficients have the rates that a Rate line bears. */
static MrStatus check_filter(const MrDesign* design) {
  const char* why;
  const MrStatus status = mr_designs_check(design, &why);
  if (status != MR_OK) return status;
  if ((mr_designs_fields(design->type) & MR_FIELD_WIDTH) && design->width_unit == MR_WIDTH_DB_PER_OCTAVE && signbit(design->width))
    return MR_ERR_RANGE;
  if (design->type == MR_COEFFICIENTS && design->rate != 0 && !(design->rate >= MR_MIN_RATE && design->rate <= MR_MAX_RATE))
    return MR_ERR_RANGE;
  return MR_OK;
}

static void put_filter(MrOutput* out, const MrDesign* design, State* state) {
  if (design->type == MR_COEFFICIENTS) {
    if (!state->rate_given || !mr_same_double(state->rate, design->rate)) {
      if (design->rate == 0)
        mr_output_text(out, "Rate: any\n");
      else
        put(out, "Rate: ", design->rate, " Hz\n");
    }
    state->rate_given = true;
    state->rate = design->rate;
  } else if (design->mode != state->mode) {
    mr_output_text(out, design->mode == MR_MODE_MATCHED ? "Mode: Matched\n" : "Mode: RBJ\n");
    state->mode = design->mode;
  }
  mr_output_text(out, "Filter: ON ");
  put_design(out, design);
  mr_output_text(out, "\n");
}

/* -------------------------------------------------------------- channels */

/* What a Channel line and the statements behind it say: all but the row. */
static bool same_content(const MrChannel* a, const MrChannel* b) {
  return a->inverted == b->inverted && a->muted == b->muted && mr_same_double(a->preamp_db, b->preamp_db) &&
         mr_same_double(a->delay_ms, b->delay_ms) && mr_same_double(a->delay_samples, b->delay_samples) && mr_channel_same_filters(a, b);
}

static bool is_plain(const MrChannel* channel) {
  static const MrChannel plain;
  return same_content(channel, &plain);
}

static void put_content(MrOutput* out, const MrChannel* channel, State* state) {
  if (!mr_same_double(channel->preamp_db, 0.0)) put(out, "Preamp: ", channel->preamp_db, " dB\n");
  if (channel->inverted) mr_output_text(out, "Polarity: inverted\n");
  if (channel->muted) mr_output_text(out, "Mute: on\n");
  for (uint32_t i = 0; i < channel->filters; i++) put_filter(out, &channel->filter[i], state);
  if (!mr_same_double(channel->delay_ms, 0.0)) put(out, "Delay: ", channel->delay_ms, " ms\n");
  if (!mr_same_double(channel->delay_samples, 0.0)) put(out, "Delay: ", channel->delay_samples, " samples\n");
}

/* Numbers and ranges of the channels with the content of `first`, which they are marked as done with. */
static void put_group(MrOutput* out, const MrBank* bank, uint32_t first, uint64_t done[MR_CHANNEL_WORDS]) {
  uint32_t members = 0;
  uint64_t member[MR_CHANNEL_WORDS] = {0};
  for (uint32_t k = first; k < bank->channels; k++) {
    if (mr_bit_get(done, k) || !same_content(&bank->channel[first], &bank->channel[k])) continue;
    mr_bit_set(member, k);
    mr_bit_set(done, k);
    members++;
  }
  mr_output_text(out, "Channel:");
  if (members == bank->channels) {
    mr_output_text(out, " all");
  } else {
    for (uint32_t k = first; k < bank->channels; k++) {
      if (!mr_bit_get(member, k)) continue;
      uint32_t last = k;
      while (last + 1 < bank->channels && mr_bit_get(member, last + 1)) last++;
      mr_output_text(out, " ");
      mr_output_count(out, k + 1);
      if (last > k) {
        mr_output_text(out, "-");
        mr_output_count(out, last + 1);
      }
      k = last;
    }
  }
  mr_output_text(out, "\n");
}

/* ---------------------------------------------------------------- matrix */

static void put_term(MrOutput* out, const MrTerm* term) {
  if (term->is_db) {
    if (term->inverted) mr_output_text(out, "-1*");
    put(out, "", term->gain, " dB*");
  } else if (term->inverted || term->gain != 1.0) {
    put(out, "", term->inverted ? -term->gain : term->gain, "*");
  }
  mr_output_count(out, term->source + 1);
}

/* True if a Copy line was needed. */
static bool put_matrix(MrOutput* out, const MrBank* bank) {
  bool any = false;
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    if (mr_channel_is_identity(channel, k)) continue;
    mr_output_text(out, any ? " " : "Copy: ");
    any = true;
    mr_output_count(out, k + 1);
    mr_output_text(out, "=");
    if (channel->terms == 0) mr_output_text(out, "0");
    for (uint32_t i = 0; i < channel->terms; i++) {
      if (i > 0) mr_output_text(out, "+");
      put_term(out, &channel->term[i]);
    }
  }
  if (any) mr_output_text(out, "\n");
  return any;
}

static MrStatus check_row(const MrBank* bank, const MrChannel* channel) {
  uint64_t seen[MR_CHANNEL_WORDS] = {0};
  for (uint32_t i = 0; i < channel->terms; i++) {
    const MrTerm* term = &channel->term[i];
    if (term->source >= bank->channels || mr_bit_get(seen, term->source)) return MR_ERR_ROUTE;
    if (!isfinite(term->gain)) return MR_ERR_NOT_FINITE;
    if (term->is_db ? term->gain > MR_MAX_TERM_DB : fabs(term->gain) > MR_MAX_TERM) return MR_ERR_RANGE;
    mr_bit_set(seen, term->source);
  }
  return MR_OK;
}

/* -------------------------------------------------------------- the bank */

static MrStatus check_numbers(const MrChannel* channel) {
  if (!isfinite(channel->preamp_db) || !isfinite(channel->delay_ms) || !isfinite(channel->delay_samples)) return MR_ERR_NOT_FINITE;
  if (channel->preamp_db > MR_MAX_PREAMP_DB || channel->delay_ms < 0 || channel->delay_samples < 0) return MR_ERR_RANGE;
  return channel->delay_ms / 1000 + channel->delay_samples / MR_MAX_RATE <= MR_MAX_DELAY ? MR_OK : MR_ERR_RANGE;
}

static MrStatus check_bank(const MrBank* bank) {
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    MrStatus status = check_row(bank, channel);
    for (uint32_t i = 0; i < channel->filters && status == MR_OK; i++) status = check_filter(&channel->filter[i]);
    if (status == MR_OK) status = check_numbers(channel);
    if (status != MR_OK) return status;
  }
  return MR_OK;
}

MrStatus mr_bank_write_text(const MrBank* bank, MrWrite write, void* handle) {
  if (!bank || !write) return MR_ERR_ARGUMENT;
  const MrStatus status = check_bank(bank);
  if (status != MR_OK) return status;
  MrOutput out = {.write = write, .handle = handle};
  State state = {.mode = MR_MODE_RBJ};
  uint64_t done[MR_CHANNEL_WORDS] = {0};
  bool delays = false;
  mr_output_text(&out, "# Millrace bank, channels: ");
  mr_output_count(&out, bank->channels);
  mr_output_text(&out, "\n");
  const bool routes = put_matrix(&out, bank);
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    delays |= !mr_same_double(channel->delay_ms, 0.0) || !mr_same_double(channel->delay_samples, 0.0);
    if (mr_bit_get(done, k) || is_plain(channel)) continue;
    put_group(&out, bank, k, done);
    put_content(&out, channel, &state);
  }
  if (bank->crosses || (bank->routes && !routes) || (bank->delays && !delays)) {
    mr_output_text(&out, "Protects:");
    if (bank->routes && !routes) mr_output_text(&out, " routes");
    if (bank->delays && !delays) mr_output_text(&out, " delays");
    if (bank->crosses) mr_output_text(&out, " crosses");
    mr_output_text(&out, "\n");
  }
  return mr_output_end(&out);
}
