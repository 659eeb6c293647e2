/* The statement Copy: sums of channels, folded into the input matrix.
   SPDX-License-Identifier: ISC

   A channel is a row of the matrix, then a cascade, then gain, polarity and delay. A sum of channels is again of that kind if
   all of it that is not the row and the gain is the same in each: then rows are summed, and what is common moves along. */
#include "route_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "number.h"

typedef struct Sum {
  const char* name; /* of the target, as written */
  size_t length;
  uint32_t target;
  size_t first, terms; /* of the line's terms; their sources are channels, virtual ones included */
} Sum;

typedef struct Line {
  MrTerm* term;
  size_t terms, term_room;
  Sum* sum;
  size_t sums, sum_room;
  MrChannel* made; /* one a sum */
} Line;

static void* room_for_one(void* items, size_t count, size_t* room, size_t size) {
  if (count < *room) return items;
  void* grown = realloc(items, (*room ? 2 * *room : 16) * size);
  if (grown) *room = *room ? 2 * *room : 16;
  return grown;
}

/* -------------------------------------------------------------- grammar */

static bool is_name_character(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

static size_t name_length(const MrReader* reader) {
  const char* p = reader->at;
  while (p < reader->end && is_name_character(*p)) p++;
  return (size_t)(p - reader->at);
}

static bool take_character(MrReader* reader, char c) {
  mr_reader_skip_blanks(reader);
  if (reader->at == reader->end || *reader->at != c) return false;
  reader->at++;
  return true;
}

static bool take_db(MrReader* reader) {
  mr_reader_skip_blanks(reader);
  if (reader->end - reader->at < 2 || !mr_reader_same_word(reader->at, 2, "dB")) return false;
  if (reader->end - reader->at > 2 && is_name_character(reader->at[2])) return false;
  reader->at += 2;
  return true;
}

/* A factor with the * behind it, "0.5*" or "-6 dB*". *found is false, and nothing passed, where a channel is next instead. */
static bool read_factor(MrReader* reader, MrTerm* factor, bool* found) {
  const char* start = reader->at;
  char quote[MR_QUOTE_SIZE];
  double value;
  *found = false;
  const size_t read = mr_number_read(reader->at, (size_t)(reader->end - reader->at), true, &value);
  if (read == 0) return true;
  const size_t name = name_length(reader);
  reader->at += read;
  const bool db = take_db(reader);
  if (take_character(reader, '*')) {
    *found = true;
    *factor = (MrTerm){.is_db = db, .gain = value};
    if (isfinite(value) && (db ? value <= MR_MAX_TERM_DB : fabs(value) <= MR_MAX_TERM)) return true;
    return mr_reader_fail(reader, MR_ERR_RANGE, "a gain that is too large: %s",
                          mr_reader_quote(start, (size_t)(reader->at - start), quote));
  }
  if (!db && ((name == read && isfinite(value)) || value == 0.0)) { /* digits alone: a channel's number; or the 0 that mutes */
    reader->at = start;
    return true;
  }
  const size_t length = db ? (size_t)(reader->at - start) : read;
  return mr_reader_fail(reader, MR_ERR_ROUTE, "a constant is no signal: %s; a gain has * and a channel behind it",
                        mr_reader_quote(start, length, quote));
}

/* True if a bare 0 was next; it has been passed. */
static bool take_zero(MrReader* reader) {
  double value;
  const size_t read = mr_number_read(reader->at, (size_t)(reader->end - reader->at), true, &value);
  if (read == 0 || value != 0.0) return false;
  reader->at += read;
  return true;
}

static bool read_term(MrReader* reader, Line* line) {
  MrTerm term = {.gain = 1.0};
  bool factor = true, any = false;
  mr_reader_skip_blanks(reader);
  while (factor) {
    MrTerm next;
    mr_reader_skip_blanks(reader);
    if (!read_factor(reader, &next, &factor)) return false;
    if (!factor) break;
    term = any ? mr_term_product(term, next) : next;
    any = true;
  }
  if (!any && take_zero(reader)) return true;
  const size_t length = name_length(reader);
  if (length == 0) return mr_reader_expected(reader, any ? "a channel after *" : "a channel, or a gain and *");
  uint32_t source;
  if (!mr_channels_require(reader, reader->at, length, &source)) return false;
  reader->at += length;
  MrTerm* grown = room_for_one(line->term, line->terms, &line->term_room, sizeof *grown);
  if (!grown) return mr_reader_no_memory(reader);
  line->term = grown;
  term.source = source;
  line->term[line->terms++] = term;
  return true;
}

static bool read_sum(MrReader* reader, Line* line) {
  mr_reader_skip_blanks(reader);
  Sum sum = {.name = reader->at, .length = name_length(reader), .first = line->terms};
  if (sum.length == 0) return mr_reader_expected(reader, "a channel to copy to");
  reader->at += sum.length;
  if (!take_character(reader, '=')) return mr_reader_expected(reader, "= after the channel to copy to");
  do
    if (!read_term(reader, line)) return false;
  while (take_character(reader, '+'));
  if (reader->at < reader->end && !mr_reader_is_blank(reader->at[-1]))
    return mr_reader_expected(reader, "+, a blank or the end of the line");
  sum.terms = line->terms - sum.first;
  Sum* grown = room_for_one(line->sum, line->sums, &line->sum_room, sizeof *grown);
  if (!grown) return mr_reader_no_memory(reader);
  line->sum = grown;
  line->sum[line->sums++] = sum;
  return true;
}

/* Targets last, so that no source of this line is a virtual channel that this line makes. */
static bool find_targets(MrReader* reader, Line* line) {
  uint64_t seen[MR_ALL_CHANNELS / 64] = {0};
  char quote[MR_QUOTE_SIZE];
  for (size_t i = 0; i < line->sums; i++) {
    Sum* sum = &line->sum[i];
    if (!mr_channels_require_target(reader, sum->name, sum->length, &sum->target)) return false;
    if (mr_bit_get(seen, sum->target))
      return mr_reader_fail(reader, MR_ERR_ROUTE, "two copies to %s on one line", mr_reader_quote(sum->name, sum->length, quote));
    mr_bit_set(seen, sum->target);
  }
  return true;
}

/* -------------------------------------------------------------- folding */

static bool is_silent(const MrChannel* channel) { return channel->muted || channel->terms == 0; }

/* Row of `made` += factor x row of `source`. reader->place knows which sources the row has. */
static bool add_row(MrReader* reader, MrTerm factor, const MrChannel* source, MrChannel* made) {
  for (uint32_t i = 0; i < source->terms; i++) {
    const MrTerm term = mr_term_product(factor, source->term[i]);
    uint32_t* place = &reader->place[term.source];
    if (*place == 0) {
      if (mr_channel_append_term(made, term) != MR_OK) return mr_reader_no_memory(reader);
      *place = made->terms;
      continue;
    }
    MrTerm* old = &made->term[*place - 1];
    *old = (MrTerm){.source = term.source, .gain = mr_term_linear(old) + mr_term_linear(&term)};
  }
  return true;
}

static bool same_after_row(const MrChannel* a, const MrChannel* b) {
  return mr_same_double(a->delay_ms, b->delay_ms) && mr_same_double(a->delay_samples, b->delay_samples) && mr_channel_same_filters(a, b);
}

static bool add_rows(MrReader* reader, const Line* line, const Sum* sum, bool fold_gain, MrChannel* made) {
  for (size_t i = sum->first; i < sum->first + sum->terms; i++) {
    const MrChannel* source = mr_reader_channel(reader, line->term[i].source);
    if (is_silent(source)) continue;
    MrTerm factor = line->term[i];
    if (fold_gain && source->preamp_db != 0) factor = mr_term_product((MrTerm){.is_db = true, .gain = source->preamp_db}, factor);
    if (fold_gain && source->inverted) factor = mr_term_product((MrTerm){.gain = -1.0}, factor);
    if (!add_row(reader, factor, source, made)) return false;
  }
  return true;
}

/* The channel that a sum gives, in *made, which is empty before. */
static bool make_sum(MrReader* reader, const Line* line, const Sum* sum, MrChannel* made) {
  char quote[MR_QUOTE_SIZE];
  const MrChannel* common = NULL;
  bool fold_gain = false;
  if (!line->term) return true; /* nothing but zeros on this line */
  for (size_t i = sum->first; i < sum->first + sum->terms; i++) {
    const MrChannel* source = mr_reader_channel(reader, line->term[i].source);
    if (is_silent(source)) continue;
    if (!common) common = source;
    if (source == common) continue;
    if (!same_after_row(common, source))
      return mr_reader_fail(reader, MR_ERR_ROUTE, "the sources of %s have different filters or delays: route before filtering",
                            mr_reader_quote(sum->name, sum->length, quote));
    fold_gain |= !mr_same_double(common->preamp_db, source->preamp_db) || common->inverted != source->inverted;
  }
  if (!common) return true; /* silence */
  if (!mr_reader_room_for(reader, mr_channel_cost(common))) return false;
  const MrChannel rest = {.filters = common->filters, /* all but the row, which is made here */
                          .filter = common->filter,
                          .preamp_db = fold_gain ? 0.0 : common->preamp_db,
                          .delay_ms = common->delay_ms,
                          .delay_samples = common->delay_samples,
                          .inverted = !fold_gain && common->inverted};
  if (mr_channel_copy(&rest, made) != MR_OK) return mr_reader_no_memory(reader);
  reader->cost += mr_channel_cost(made); /* it is there until the line is done */
  const bool good = add_rows(reader, line, sum, fold_gain, made);
  for (uint32_t i = 0; i < made->terms; i++) {
    reader->place[made->term[i].source] = 0;
    if (good && !(fabs(mr_term_linear(&made->term[i])) <= MR_MAX_TERM))
      return mr_reader_fail(reader, MR_ERR_RANGE, "the gains of %s grow too large", mr_reader_quote(sum->name, sum->length, quote));
  }
  return good;
}

static void install(MrReader* reader, const Sum* sum, MrChannel* made) {
  reader->cost -= mr_channel_cost(made);
  mr_reader_replace(reader, sum->target, made);
  if (sum->target < MR_MAX_CHANNELS)
    mr_bit_set(mr_bank_held(reader->bank)->listed, sum->target);
  else
    reader->virtuals[sum->target - MR_MAX_CHANNELS].written = true;
}

static bool copy(MrReader* reader, Line* line) {
  if (mr_reader_at_end(reader)) return mr_reader_expected(reader, "a copy such as 3=0.5*1+0.5*2");
  while (!mr_reader_at_end(reader))
    if (!read_sum(reader, line)) return false;
  if (!find_targets(reader, line)) return false;
  if (!reader->place) reader->place = calloc(reader->bank->channels, sizeof *reader->place);
  line->made = calloc(line->sums, sizeof *line->made);
  if (!reader->place || !line->made) return mr_reader_no_memory(reader);
  for (size_t i = 0; i < line->sums; i++)
    if (!make_sum(reader, line, &line->sum[i], &line->made[i])) return false;
  for (size_t i = 0; i < line->sums; i++) install(reader, &line->sum[i], &line->made[i]);
  reader->bank->routes = true;
  return true;
}

bool mr_route_line_read(MrReader* reader) {
  Line line = {.terms = 0};
  const bool good = copy(reader, &line);
  for (size_t i = 0; line.made && i < line.sums; i++) mr_channel_free(&line.made[i]);
  free(line.made);
  free(line.sum);
  free(line.term);
  return good;
}
