/* The model of a bank: making, copying, comparing, and adding to it.
   SPDX-License-Identifier: ISC */
#include "bank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "designs.h"

/* Makes room for one item more, by the rule in the header. */
static void* grown(void* items, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return items;
  return realloc(items, (count ? 2 * count : 1) * size);
}

static size_t room_for(size_t count) {
  size_t room = 1;
  while (room < count) room *= 2;
  return room;
}

size_t mr_filter_cost(const MrDesign* design) {
  const size_t filter = sizeof(MrDesign), roots = sizeof(MrRoots);
  return design->roots ? 1 + roots / filter : 1;
}

size_t mr_channel_cost(const MrChannel* channel) {
  size_t cost = 0;
  for (uint32_t i = 0; i < channel->filters; i++) cost += mr_filter_cost(&channel->filter[i]);
  return cost;
}

/* ------------------------------------------------------------- channels */

void mr_channel_free(MrChannel* channel) {
  for (uint32_t i = 0; i < channel->filters; i++) mr_designs_free(&channel->filter[i]);
  free(channel->filter);
  free(channel->term);
  memset(channel, 0, sizeof *channel);
}

MrStatus mr_channel_add_filter(MrChannel* channel, const MrDesign* design) {
  if (design->type < MR_NONE || design->type > MR_COEFFICIENTS) return MR_ERR_ARGUMENT;
  if (design->type == MR_NONE) return MR_OK; /* nothing to add */
  if (channel->filters == UINT32_MAX) return MR_ERR_RANGE;
  MrDesign* filter = grown(channel->filter, channel->filters, sizeof *filter);
  if (!filter) return MR_ERR_MEMORY;
  channel->filter = filter;
  const MrStatus status = mr_designs_copy(design, &filter[channel->filters]);
  if (status == MR_OK) channel->filters++;
  return status;
}

MrStatus mr_channel_append_term(MrChannel* channel, MrTerm term) {
  if (!term.is_db && term.inverted) {
    term.gain = -term.gain;
    term.inverted = false;
  }
  MrTerm* terms = grown(channel->term, channel->terms, sizeof *terms);
  if (!terms) return MR_ERR_MEMORY;
  channel->term = terms;
  terms[channel->terms++] = term;
  return MR_OK;
}

MrStatus mr_channel_add_term(MrChannel* channel, MrTerm term) {
  for (uint32_t i = 0; i < channel->terms; i++) {
    MrTerm* old = &channel->term[i];
    if (old->source != term.source) continue;
    *old = (MrTerm){.source = term.source, .gain = mr_term_linear(old) + mr_term_linear(&term)};
    return MR_OK;
  }
  return mr_channel_append_term(channel, term);
}

MrStatus mr_channel_copy(const MrChannel* from, MrChannel* to) {
  *to = *from;
  to->terms = to->filters = 0;
  to->term = NULL;
  to->filter = NULL;
  if (from->terms > 0) {
    to->term = malloc(room_for(from->terms) * sizeof *to->term);
    if (!to->term) goto no_memory;
    memcpy(to->term, from->term, from->terms * sizeof *to->term);
    to->terms = from->terms;
  }
  if (from->filters > 0) {
    to->filter = malloc(room_for(from->filters) * sizeof *to->filter);
    if (!to->filter) goto no_memory;
    for (; to->filters < from->filters; to->filters++)
      if (mr_designs_copy(&from->filter[to->filters], &to->filter[to->filters]) != MR_OK) goto no_memory;
  }
  return MR_OK;
no_memory:
  mr_channel_free(to);
  return MR_ERR_MEMORY;
}

/* ---------------------------------------------------------------- terms */

double mr_term_linear(const MrTerm* term) {
  const double gain = term->is_db ? pow(10.0, term->gain / 20.0) : term->gain;
  return term->inverted ? -gain : gain;
}

static bool is_unit(const MrTerm* term) { return !term->is_db && fabs(term->gain) == 1.0; }

MrTerm mr_term_product(MrTerm first, MrTerm second) {
  const uint32_t source = second.source;
  if (is_unit(&first) || is_unit(&second)) {
    const MrTerm unit = is_unit(&first) ? first : second;
    MrTerm kept = is_unit(&first) ? second : first;
    kept.source = source;
    if (mr_term_linear(&unit) > 0) return kept;
    if (kept.is_db)
      kept.inverted = !kept.inverted;
    else
      kept.gain = -kept.gain;
    return kept;
  }
  if (first.is_db && second.is_db)
    return (MrTerm){.source = source, .is_db = true, .inverted = first.inverted != second.inverted, .gain = first.gain + second.gain};
  return (MrTerm){.source = source, .gain = mr_term_linear(&first) * mr_term_linear(&second)};
}

/* ------------------------------------------------------------- equality */

bool mr_same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

bool mr_channel_is_identity(const MrChannel* channel, uint32_t index) {
  const MrTerm* term = channel->term;
  return channel->terms == 1 && term->source == index && !term->is_db && !term->inverted && term->gain == 1.0;
}

bool mr_channel_same_row(const MrChannel* a, const MrChannel* b) {
  if (a->terms != b->terms) return false;
  for (uint32_t i = 0; i < a->terms; i++) {
    const MrTerm *s = &a->term[i], *t = &b->term[i];
    if (s->source != t->source || s->is_db != t->is_db || s->inverted != t->inverted || !mr_same_double(s->gain, t->gain)) return false;
  }
  return true;
}

bool mr_channel_same_filters(const MrChannel* a, const MrChannel* b) {
  if (a->filters != b->filters) return false;
  for (uint32_t i = 0; i < a->filters; i++)
    if (!mr_designs_equal(&a->filter[i], &b->filter[i])) return false;
  return true;
}

bool mr_channel_equal(const MrChannel* a, const MrChannel* b) {
  return a->inverted == b->inverted && a->muted == b->muted && mr_same_double(a->preamp_db, b->preamp_db) &&
         mr_same_double(a->delay_ms, b->delay_ms) && mr_same_double(a->delay_samples, b->delay_samples) && mr_channel_same_row(a, b) &&
         mr_channel_same_filters(a, b);
}

bool mr_bank_equal(const MrBank* a, const MrBank* b) {
  if (!a || !b) return a == b;
  if (a->channels != b->channels || a->routes != b->routes || a->delays != b->delays || a->crosses != b->crosses) return false;
  for (uint32_t k = 0; k < a->channels; k++)
    if (!mr_channel_equal(&a->channel[k], &b->channel[k])) return false;
  return true;
}

/* ---------------------------------------------------------------- banks */

MrBank* mr_bank_new(uint32_t channels) {
  if (channels < 1 || channels > MR_MAX_CHANNELS) return NULL;
  MrHeldBank* held = calloc(1, sizeof *held);
  if (!held) return NULL;
  MrBank* bank = &held->bank;
  bank->channel = calloc(channels, sizeof *bank->channel);
  if (!bank->channel) {
    free(held);
    return NULL;
  }
  bank->channels = channels;
  for (uint32_t k = 0; k < channels; k++) {
    if (mr_channel_append_term(&bank->channel[k], (MrTerm){.source = k, .gain = 1.0}) == MR_OK) continue;
    mr_bank_free(bank);
    return NULL;
  }
  return bank;
}

void mr_bank_free(MrBank* bank) {
  if (!bank) return;
  for (uint32_t k = 0; k < bank->channels; k++) mr_channel_free(&bank->channel[k]);
  free(bank->channel);
  free(mr_bank_held(bank));
}

MrBank* mr_bank_copy(const MrBank* bank) {
  MrHeldBank* held = malloc(sizeof *held);
  if (!held) return NULL;
  memcpy(held, bank, sizeof *held);
  held->bank.channel = calloc(bank->channels, sizeof *bank->channel);
  if (!held->bank.channel) {
    free(held);
    return NULL;
  }
  for (uint32_t k = 0; k < bank->channels; k++) {
    if (mr_channel_copy(&bank->channel[k], &held->bank.channel[k]) == MR_OK) continue;
    mr_bank_free(&held->bank);
    return NULL;
  }
  return &held->bank;
}

void mr_bank_swap(MrBank* a, MrBank* b) {
  const MrHeldBank held = *mr_bank_held(a);
  *mr_bank_held(a) = *mr_bank_held(b);
  *mr_bank_held(b) = held;
}

bool mr_bank_protects(const MrBank* bank) { return bank && (bank->routes || bank->delays || bank->crosses); }

MrStatus mr_bank_add_filter(MrBank* bank, uint32_t channel, const MrDesign* design) {
  if (!bank || !design || channel >= bank->channels) return MR_ERR_ARGUMENT;
  return mr_channel_add_filter(&bank->channel[channel], design);
}

MrStatus mr_bank_set_terms(MrBank* bank, uint32_t channel, const MrTerm* term, uint32_t terms) {
  if (!bank || channel >= bank->channels || (terms > 0 && !term)) return MR_ERR_ARGUMENT;
  MrChannel row = {.terms = 0};
  MrStatus status = MR_OK;
  for (uint32_t i = 0; i < terms && status == MR_OK; i++) {
    if (!isfinite(term[i].gain))
      status = MR_ERR_NOT_FINITE;
    else if (term[i].source >= bank->channels)
      status = MR_ERR_CHANNELS;
    else
      status = mr_channel_add_term(&row, term[i]);
  }
  if (status != MR_OK) {
    free(row.term);
    return status;
  }
  free(bank->channel[channel].term);
  bank->channel[channel].term = row.term;
  bank->channel[channel].terms = row.terms;
  bank->routes |= !mr_channel_is_identity(&bank->channel[channel], channel);
  return MR_OK;
}
