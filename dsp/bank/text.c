/* Bank text: lines, keywords, and the statements of one value.
   SPDX-License-Identifier: ISC

   What the model can hold and no other program's text could say has words of its own, so that every bank can be written: the filter types LP1,
   HP1, LS1, HS1 and AP1 of first order; S for a shelf's slope; Butterworth AP; several factors of a term, as in -1*-6 dB*2; Rate: any, which takes
   a rate back; and Protects: routes delays crosses, what a bank is to be trusted with where its other lines do not show it.

   Lines that are no statements: a word and a colon that is no keyword is an error, as it may be a slip of the pen, but for the words that
   room measurement programs put at the head of their exports; all other lines are passed, and said. A text of such lines alone is no bank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "crossover.h"
#include "filter_line.h"
#include "reader.h"
#include "route_line.h"

#define MAX_PROSE 20u /* lines that are told one by one */

/* ---------------------------------------------------------- statements */

/* Adding to nothing keeps the number as written, a -0 too. */
static double added(double sum, double x) { return sum == 0 ? x : sum + x; }

static bool read_preamp(MrReader* reader) {
  double gain;
  if (!mr_reader_number(reader, "a gain in dB", &gain)) return false;
  mr_reader_take(reader, "dB");
  if (!mr_reader_expect_end(reader)) return false;
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++) {
    MrChannel* channel = mr_reader_channel(reader, k);
    const double sum = added(channel->preamp_db, gain);
    if (!(sum <= MR_MAX_PREAMP_DB) || !isfinite(sum)) return mr_reader_fail(reader, MR_ERR_RANGE, "a preamp of more than 200 dB in all");
    channel->preamp_db = sum;
  }
  mr_reader_touch(reader);
  return true;
}

static double delay_seconds(const MrReader* reader, const MrChannel* channel) {
  const double fs = reader->options->fs > 0 ? reader->options->fs : MR_MAX_RATE;
  return channel->delay_ms / 1000 + channel->delay_samples / fs;
}

static bool read_delay(MrReader* reader) {
  double delay;
  if (!mr_reader_number(reader, "a delay", &delay)) return false;
  const bool ms = mr_reader_take(reader, "ms");
  if (!ms && !mr_reader_take(reader, "samples") && !mr_reader_take(reader, "sample"))
    return mr_reader_expected(reader, "ms or samples after the delay");
  if (!mr_reader_expect_end(reader)) return false;
  if (delay < 0) return mr_reader_fail(reader, MR_ERR_RANGE, "a delay below 0");
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++) {
    MrChannel* channel = mr_reader_channel(reader, k);
    double* sum = ms ? &channel->delay_ms : &channel->delay_samples;
    *sum = added(*sum, delay);
    if (!(delay_seconds(reader, channel) <= MR_MAX_DELAY)) return mr_reader_fail(reader, MR_ERR_RANGE, "a delay of more than 10 s in all");
  }
  mr_reader_touch(reader);
  reader->bank->delays = true;
  return true;
}

/* One of two words; *yes for the first. */
static bool read_choice(MrReader* reader, const char* first, const char* second, const char* what, bool* yes) {
  *yes = mr_reader_take(reader, first);
  if (!*yes && !mr_reader_take(reader, second)) return mr_reader_expected(reader, what);
  return mr_reader_expect_end(reader);
}

static bool read_polarity(MrReader* reader) {
  bool inverted;
  if (!read_choice(reader, "inverted", "normal", "inverted or normal", &inverted)) return false;
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++) mr_reader_channel(reader, k)->inverted = inverted;
  mr_reader_touch(reader);
  return true;
}

static bool read_mute(MrReader* reader) {
  bool muted;
  if (!read_choice(reader, "on", "off", "on or off", &muted)) return false;
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++) mr_reader_channel(reader, k)->muted = muted;
  mr_reader_touch(reader);
  return true;
}

static bool read_mode(MrReader* reader) {
  bool matched;
  if (!read_choice(reader, "Matched", "RBJ", "RBJ or Matched", &matched)) return false;
  reader->mode = matched ? MR_MODE_MATCHED : MR_MODE_RBJ;
  return true;
}

static bool read_unlisted(MrReader* reader) {
  bool pass;
  if (!read_choice(reader, "pass", "mute", "pass or mute", &pass)) return false;
  mr_bank_held(reader->bank)->unlisted = pass ? MR_UNLISTED_PASS : MR_UNLISTED_MUTE;
  return true;
}

/* "any" takes back what an earlier line said. */
static bool read_rate(MrReader* reader) {
  double rate = 0;
  if (!mr_reader_take(reader, "any")) {
    if (!mr_reader_number(reader, "a rate in Hz, or any", &rate)) return false;
    mr_reader_take(reader, "Hz");
    if (rate < MR_MIN_RATE || rate > MR_MAX_RATE) return mr_reader_fail(reader, MR_ERR_RANGE, "a rate is from 1 Hz to 6144000 Hz");
  }
  if (!mr_reader_expect_end(reader)) return false;
  reader->rate = rate;
  reader->rate_given = true;
  return true;
}

/* What a bank is to be trusted to do to loudspeakers, where the other lines do not show it: "Protects: routes delays crosses". */
static bool read_protects(MrReader* reader) {
  if (mr_reader_at_end(reader)) return mr_reader_expected(reader, "routes, delays or crosses");
  while (!mr_reader_at_end(reader)) {
    if (mr_reader_take(reader, "routes"))
      reader->bank->routes = true;
    else if (mr_reader_take(reader, "delays"))
      reader->bank->delays = true;
    else if (mr_reader_take(reader, "crosses"))
      reader->bank->crosses = true;
    else
      return mr_reader_expected(reader, "routes, delays or crosses");
  }
  return true;
}

static const struct {
  const char* keyword;
  bool (*read)(MrReader* reader);
} statements[] = {{"Filter", mr_filter_line_read},
                  {"Preamp", read_preamp},
                  {"Channel", mr_channels_read},
                  {"Delay", read_delay},
                  {"Copy", mr_route_line_read},
                  {"Crossover", mr_crossover_read},
                  {"Polarity", read_polarity},
                  {"Mute", read_mute},
                  {"Mode", read_mode},
                  {"Rate", read_rate},
                  {"Unlisted", read_unlisted},
                  {"Protects", read_protects}};

#define STATEMENTS (sizeof statements / sizeof statements[0])

/* ------------------------------------------------------------- keywords */

/* What Equalizer APO does and Millrace does not. */
static const char* const refused[] = {
    "Device", "Stage", "If", "ElseIf", "Else", "EndIf", "Eval", "Include", "GraphicEQ", "Convolution", "LoudnessCorrection", "VSTPlugin"};

/* Words with a colon at the head of what room measurement programs export. */
static const char* const headers[] = {"Dated", "Date",    "Notes",    "Note",   "Equaliser",   "Equalizer",
                                      "Title", "Comment", "Comments", "Target", "Measurement", "Average"};

static bool is_any(const char* text, size_t length, const char* const* words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mr_reader_same_word(text, length, words[i])) return true;
  return false;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A keyword as it stands before the colon: a word of letters, and a number behind it. */
typedef struct Keyword {
  const char* text;
  size_t length; /* of the word */
  bool number, good;
} Keyword;

static Keyword split_keyword(const char* text, const char* end) {
  while (end > text && mr_reader_is_blank(end[-1])) end--;
  Keyword keyword = {.text = text};
  const char* p = text;
  while (p < end && is_letter(*p)) p++;
  keyword.length = (size_t)(p - text);
  while (p < end && mr_reader_is_blank(*p)) p++;
  const char* digits = p;
  while (p < end && is_digit(*p)) p++;
  keyword.number = p > digits;
  keyword.good = keyword.length > 0 && p == end;
  return keyword;
}

static bool pass_prose(MrReader* reader, const char* text, const char* end) {
  char quote[MR_QUOTE_SIZE];
  reader->prose++;
  if (reader->prose < MAX_PROSE) mr_reader_warn(reader, "not a statement, ignored: %s", mr_reader_quote(text, (size_t)(end - text), quote));
  if (reader->prose == MAX_PROSE) mr_reader_warn(reader, "not a statement, ignored, as are more lines like this one");
  return true;
}

/* "Preamp -6 dB" lacks its colon; "Filter Settings file" is the title that room measurement programs write. */
static bool lacks_colon(const char* text, const char* end) {
  const char* p = text;
  while (p < end && !mr_reader_is_blank(*p)) p++;
  const size_t word = (size_t)(p - text);
  while (p < end && mr_reader_is_blank(*p)) p++;
  const char* next = p;
  while (p < end && !mr_reader_is_blank(*p)) p++;
  const size_t length = (size_t)(p - next);
  bool known = false;
  for (size_t i = 0; i < STATEMENTS; i++) known |= mr_reader_same_word(text, word, statements[i].keyword);
  if (!known || length == 0) return false;
  static const char* const values[] = {"ON", "OFF", "all", "inverted", "RBJ", "Matched", "pass", "mute"};
  return is_digit(*next) || *next == '-' || *next == '+' || memchr(next, '=', length) || is_any(next, length, values, 8);
}

static bool read_statement(MrReader* reader, const char* text, const char* end) {
  char quote[MR_QUOTE_SIZE];
  const char* colon = memchr(text, ':', (size_t)(end - text));
  if (!colon) {
    if (!lacks_colon(text, end)) return pass_prose(reader, text, end);
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a colon after the first word of %s",
                          mr_reader_quote(text, (size_t)(end - text), quote));
  }
  const Keyword keyword = split_keyword(text, colon);
  if (!keyword.good || (!keyword.number && is_any(keyword.text, keyword.length, headers, sizeof headers / sizeof headers[0])))
    return pass_prose(reader, text, end);
  reader->at = colon + 1;
  reader->end = end;
  for (size_t i = 0; i < STATEMENTS; i++) {
    if (!mr_reader_same_word(keyword.text, keyword.length, statements[i].keyword)) continue;
    if (keyword.number && i > 0) break; /* only filters have numbers */
    reader->statements++;
    return statements[i].read(reader);
  }
  mr_reader_quote(text, (size_t)(colon + 1 - text), quote);
  if (is_any(keyword.text, keyword.length, refused, sizeof refused / sizeof refused[0]) ||
      (keyword.length >= 3 && mr_reader_same_word(keyword.text, 3, "VST")))
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s is not supported: take the line out", quote);
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a keyword such as Filter, Preamp, Channel, Delay or Copy, found %s", quote);
}

/* ---------------------------------------------------------------- lines */

static bool read_line(MrReader* reader, const char* text, const char* end) {
  if (memchr(text, 0, (size_t)(end - text))) return mr_reader_fail(reader, MR_ERR_SYNTAX, "a NUL byte: this is no text");
  const char* comment = memchr(text, '#', (size_t)(end - text));
  if (comment) end = comment;
  while (text < end && mr_reader_is_blank(*text)) text++;
  while (end > text && mr_reader_is_blank(end[-1])) end--;
  return text == end || read_statement(reader, text, end);
}

static bool read_lines(MrReader* reader, const char* text, size_t length) {
  const char* end = text + length;
  if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
    reader->line = 1;
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "UTF-16: save the text as UTF-8");
  }
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  while (text < end) {
    reader->line++;
    const char* stop = memchr(text, '\n', (size_t)(end - text));
    if (!read_line(reader, text, stop ? stop : end)) return false;
    text = stop ? stop + 1 : end;
  }
  reader->line = 0;
  if (reader->prose > 0 && reader->statements == 0)
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "no line of it is a statement such as \"Preamp: -6 dB\": this is no bank");
  return true;
}

/* ---------------------------------------------------------- whole texts */

static void forget_unlisted(MrHeldBank* held) {
  for (uint32_t k = 0; k < held->bank.channels; k++)
    if (mr_bit_get(held->silenced, k)) held->bank.channel[k].muted = false;
  memset(held->silenced, 0, sizeof held->silenced);
}

static void settle_unlisted(MrHeldBank* held) {
  const bool mute = held->unlisted == MR_UNLISTED_DEFAULT ? held->crossed : held->unlisted == MR_UNLISTED_MUTE;
  for (uint32_t k = 0; mute && k < held->bank.channels; k++) {
    if (mr_bit_get(held->listed, k) || held->bank.channel[k].muted) continue;
    held->bank.channel[k].muted = true;
    mr_bit_set(held->silenced, k);
  }
}

static MrStatus check_arguments(const MrBank* bank, const char* text, size_t length, const MrReadOptions* options) {
  if (!options || (!text && length > 0)) return MR_ERR_ARGUMENT;
  if (options->channels < 1 || options->channels > MR_MAX_CHANNELS) return MR_ERR_CHANNELS;
  if (bank && bank->channels != options->channels) return MR_ERR_CHANNELS;
  if (!isfinite(options->fs) || options->fs < 0) return MR_ERR_ARGUMENT;
  return MR_OK;
}

static MrBank* run(MrReader* reader, bool (*read)(MrReader* reader, const char* text, size_t length), MrBank* bank, const char* text,
                   size_t length) {
  reader->status = check_arguments(bank, text, length, reader->options);
  if (reader->status != MR_OK) {
    mr_reader_fail(reader, reader->status, "%s", mr_strerror(reader->status));
    return NULL;
  }
  reader->bank = bank ? mr_bank_copy(bank) : mr_bank_new(reader->options->channels);
  bool good = reader->bank || mr_reader_no_memory(reader);
  if (good) {
    reader->selected_all = true;
    for (uint32_t k = 0; k < reader->bank->channels; k++) reader->cost += mr_channel_cost(&reader->bank->channel[k]);
    reader->bank->convert_rate |= reader->options->convert_rate;
    forget_unlisted(mr_bank_held(reader->bank));
    good = read(reader, length > 0 ? text : "", length);
  }
  for (uint32_t i = 0; i < reader->virtual_count; i++) mr_channel_free(&reader->virtuals[i].channel);
  free(reader->virtuals);
  free(reader->place);
  if (!good) {
    mr_bank_free(reader->bank);
    return NULL;
  }
  settle_unlisted(mr_bank_held(reader->bank));
  mr_filter_line_report_thousands(reader);
  if (!bank) return reader->bank;
  mr_bank_swap(bank, reader->bank);
  mr_bank_free(reader->bank);
  return bank;
}

MrBank* mr_bank_read_with(bool (*read)(MrReader* reader, const char* text, size_t length), MrBank* bank, const char* text, size_t length,
                          const char* file, const MrReadOptions* options, const MrMessages* messages, MrStatus* status) {
  MrReader* reader = calloc(1, sizeof *reader); /* tens of kilobytes: not for a stack that others chose */
  MrStatus result = MR_ERR_MEMORY;
  MrBank* made = NULL;
  if (reader) {
    reader->file = file;
    reader->options = options;
    reader->messages = messages;
    made = run(reader, read, bank, text, length);
    result = reader->status;
    free(reader);
  }
  if (status) *status = result;
  return made;
}

MrBank* mr_bank_read_text(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                          const MrMessages* messages, MrStatus* status) {
  return mr_bank_read_with(read_lines, bank, text, length, file, options, messages, status);
}
