/* Tables of sections as JSON, read.
   SPDX-License-Identifier: ISC

   Everything is read and checked before the bank is touched; what can fail then is memory alone, and that is undone. */
#include "json.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILTERS   ((size_t)1 << 21) /* of all channels together: about half a gigabyte */
#define MAX_DELAY     10.0              /* s */
#define MAX_PREAMP_DB 200.0
#define MAX_GAIN      1e10 /* linear */

typedef struct Entry {
  MrDesign* section; /* MR_COEFFICIENTS */
  size_t sections;
  double gain, delay;
} Entry;

typedef struct Reader {
  const char* file;
  const MrReadOptions* options;
  const MrMessages* messages;
  MrStatus status;
  double rate;  /* 0: any */
  bool for_all; /* one entry, for all channels */
  Entry* entry;
  size_t entries;
} Reader;

static void say(const Reader* reader, MrSeverity severity, int line, const char* format, va_list list) {
  if (!reader->messages || !reader->messages->say) return;
  char text[512];
  vsnprintf(text, sizeof text, format, list);
  reader->messages->say(reader->messages->handle, severity, reader->file, line > 0 ? (unsigned)line : 0, text);
}

__attribute__((format(printf, 4, 5))) static bool fail(Reader* reader, MrStatus status, int line, const char* format, ...) {
  va_list list;
  va_start(list, format);
  say(reader, MR_ERROR, line, format, list);
  va_end(list);
  reader->status = status;
  return false;
}

__attribute__((format(printf, 2, 3))) static void warn(const Reader* reader, const char* format, ...) {
  va_list list;
  va_start(list, format);
  say(reader, MR_WARNING, 0, format, list);
  va_end(list);
}

static bool no_memory(Reader* reader) { return fail(reader, MR_ERR_MEMORY, 0, "%s", mr_strerror(MR_ERR_MEMORY)); }

/* ---------------------------------------------------------------- entries */

/* Where a fault lies: "sos", or "sos of channel 3". */
static void name_list(const Reader* reader, size_t entry, char name[48]) {
  if (reader->for_all)
    snprintf(name, 48, "sos");
  else
    snprintf(name, 48, "sos of channel %zu", entry + 1);
}

static bool read_row(Reader* reader, const json_t* row, const char* list, size_t index, MrDesign* design) {
  if (!json_is_array(row) || json_array_size(row) != 6)
    return fail(reader, MR_ERR_SYNTAX, 0, "expected a list of 6 numbers, b0 b1 b2 a0 a1 a2, at entry %zu of %s", index + 1, list);
  *design = mr_design_default(MR_COEFFICIENTS);
  design->rate = reader->rate;
  for (size_t i = 0; i < 6; i++) {
    static const char* const names[] = {"b0", "b1", "b2", "a0", "a1", "a2"};
    const json_t* number = json_array_get(row, i);
    if (!json_is_number(number))
      return fail(reader, MR_ERR_SYNTAX, 0, "expected a number for %s at entry %zu of %s", names[i], index + 1, list);
    *(i < 3 ? &design->b[i] : &design->a[i - 3]) = json_number_value(number);
  }
  MrSection section;
  const MrStatus status = mr_section_from_coefficients(design->b, design->a, &section);
  if (status == MR_ERR_RANGE) return fail(reader, status, 0, "entry %zu of %s has a0 = 0", index + 1, list);
  return status == MR_OK || fail(reader, status, 0, "entry %zu of %s is refused: %s", index + 1, list, mr_strerror(status));
}

static bool read_sections(Reader* reader, const json_t* sos, size_t index, Entry* entry) {
  char list[48];
  name_list(reader, index, list);
  if (!json_is_array(sos)) return fail(reader, MR_ERR_SYNTAX, 0, "expected a list of sections for %s", list);
  const size_t n = json_array_size(sos);
  if (n == 0) return true;
  entry->section = malloc(n * sizeof *entry->section);
  if (!entry->section) return no_memory(reader);
  for (; entry->sections < n; entry->sections++)
    if (!read_row(reader, json_array_get(sos, entry->sections), list, entry->sections, &entry->section[entry->sections])) return false;
  return true;
}

static bool read_number(Reader* reader, const json_t* object, const char* key, size_t index, double least, double most, double* value) {
  const json_t* number = json_object_get(object, key);
  if (!number) return true;
  if (!json_is_number(number)) return fail(reader, MR_ERR_SYNTAX, 0, "expected a number for %s of channel %zu", key, index + 1);
  *value = json_number_value(number);
  if (*value >= least && *value <= most) return true;
  return fail(reader, MR_ERR_RANGE, 0, "%s of channel %zu is too large or too small", key, index + 1);
}

static void warn_of_keys(const Reader* reader, json_t* object, const char* const* known, size_t n) {
  const char* key;
  json_t* value;
  json_object_foreach(object, key, value) {
    bool found = false;
    for (size_t i = 0; i < n; i++) found |= strcmp(key, known[i]) == 0;
    char shown[41];
    size_t n_shown = 0;
    for (; n_shown < sizeof shown - 1 && key[n_shown]; n_shown++) /* a terminal may see it */
      shown[n_shown] = key[n_shown] >= ' ' && key[n_shown] < 0x7f ? key[n_shown] : '?';
    shown[n_shown] = 0;
    if (!found) warn(reader, "the key '%s' has no meaning here: ignored", shown);
  }
}

static bool read_channel(Reader* reader, json_t* object, size_t index, Entry* entry) {
  static const char* const known[] = {"sos", "gain", "delay"};
  if (!json_is_object(object)) return fail(reader, MR_ERR_SYNTAX, 0, "expected an object at entry %zu of channels", index + 1);
  warn_of_keys(reader, object, known, 3);
  const double fs = reader->options->fs > 0 ? reader->options->fs : reader->rate > 0 ? reader->rate : MR_MAX_RATE;
  const json_t* sos = json_object_get(object, "sos");
  return (!sos || read_sections(reader, sos, index, entry)) &&
         read_number(reader, object, "gain", index, -MAX_GAIN, MAX_GAIN, &entry->gain) &&
         read_number(reader, object, "delay", index, 0, MAX_DELAY * fs, &entry->delay);
}

static bool make_entries(Reader* reader, size_t n) {
  reader->entry = calloc(n ? n : 1, sizeof *reader->entry);
  if (!reader->entry) return no_memory(reader);
  reader->entries = n;
  for (size_t i = 0; i < n; i++) reader->entry[i].gain = 1.0;
  return true;
}

static bool read_channels(Reader* reader, const json_t* list) {
  if (!json_is_array(list)) return fail(reader, MR_ERR_SYNTAX, 0, "expected a list for channels");
  size_t n = json_array_size(list);
  if (n > reader->options->channels) {
    warn(reader, "%zu channels, and the file has %u: those beyond are ignored", n, reader->options->channels);
    n = reader->options->channels;
  }
  if (!make_entries(reader, n)) return false;
  for (size_t i = 0; i < n; i++)
    if (!read_channel(reader, json_array_get(list, i), i, &reader->entry[i])) return false;
  return true;
}

/* ------------------------------------------------------------- the whole */

static bool read_rate(Reader* reader, const json_t* fs) {
  if (!fs) return true;
  if (!json_is_number(fs)) return fail(reader, MR_ERR_SYNTAX, 0, "expected a number for fs");
  reader->rate = json_number_value(fs);
  if (!(reader->rate >= MR_MIN_RATE && reader->rate <= MR_MAX_RATE)) return fail(reader, MR_ERR_RANGE, 0, "fs is from 1 to 6144000 Hz");
  return true;
}

static bool any_section(const Reader* reader) {
  for (size_t i = 0; i < reader->entries; i++)
    if (reader->entry[i].sections > 0) return true;
  return false;
}

static bool check_rate(Reader* reader) {
  const double fs = reader->options->fs;
  if (!any_section(reader)) return true;
  if (reader->rate == 0) warn(reader, "sections without fs: taken to hold at any rate");
  if (reader->rate == 0 || fs == 0 || fs == reader->rate || reader->options->convert_rate) return true;
  return fail(reader, MR_ERR_RATE, 0, "sections of %.0f Hz do not hold at %.0f Hz", reader->rate, fs); /* no fractions: no locale */
}

static bool read_root(Reader* reader, json_t* root) {
  static const char* const known[] = {"fs", "sos", "channels"};
  if (json_is_array(root)) {
    reader->for_all = true;
    return make_entries(reader, 1) && read_sections(reader, root, 0, reader->entry);
  }
  if (!json_is_object(root)) return fail(reader, MR_ERR_SYNTAX, 1, "expected an object with fs and sos, or channels");
  const json_t *sos = json_object_get(root, "sos"), *channels = json_object_get(root, "channels");
  if (!sos == !channels)
    return fail(reader, MR_ERR_SYNTAX, 0, "expected either sos or channels beside fs, found %s", sos ? "both" : "neither");
  warn_of_keys(reader, root, known, 3);
  if (!read_rate(reader, json_object_get(root, "fs"))) return false;
  if (channels) return read_channels(reader, channels);
  reader->for_all = true;
  return make_entries(reader, 1) && read_sections(reader, sos, 0, reader->entry);
}

static bool add_filters(Reader* reader, MrBank* bank) {
  for (uint32_t k = 0; k < bank->channels; k++) {
    if (!reader->for_all && k >= reader->entries) break;
    const Entry* entry = &reader->entry[reader->for_all ? 0 : k];
    for (size_t i = 0; i < entry->sections; i++)
      if (mr_bank_add_filter(bank, k, &entry->section[i]) != MR_OK) return no_memory(reader);
  }
  return true;
}

/* A linear gain becomes what a bank has: preamp, polarity and mute. */
static void apply_gain(MrChannel* channel, double gain) {
  if (gain == 0)
    channel->muted = true;
  else if (fabs(gain) != 1.0)
    channel->preamp_db += 20.0 * log10(fabs(gain));
  if (gain < 0) channel->inverted = !channel->inverted;
}

/* What is there already and what comes must not be too much together. */
static bool check_sums(Reader* reader, const MrBank* bank) {
  const double fs = reader->options->fs > 0 ? reader->options->fs : reader->rate > 0 ? reader->rate : MR_MAX_RATE;
  for (uint32_t k = 0; k < bank->channels && k < reader->entries; k++) {
    const MrChannel* channel = &bank->channel[k];
    const double gain = fabs(reader->entry[k].gain);
    if (gain > 0 && channel->preamp_db + 20.0 * log10(gain) > MAX_PREAMP_DB)
      return fail(reader, MR_ERR_RANGE, 0, "channel %u: a gain of more than 200 dB in all", k + 1);
    if (channel->delay_ms / 1000 + (channel->delay_samples + reader->entry[k].delay) / fs > MAX_DELAY)
      return fail(reader, MR_ERR_RANGE, 0, "channel %u: a delay of more than 10 s in all", k + 1);
  }
  return true;
}

static bool apply(Reader* reader, MrBank* bank) {
  size_t all = 0;
  uint32_t* before = calloc(bank->channels, sizeof *before);
  if (!before) return no_memory(reader);
  for (uint32_t k = 0; k < bank->channels; k++) {
    before[k] = bank->channel[k].filters;
    all += before[k];
    if (reader->for_all || k < reader->entries) all += reader->entry[reader->for_all ? 0 : k].sections;
  }
  bool good = all <= MAX_FILTERS || fail(reader, MR_ERR_RANGE, 0, "too many filters: all channels together have %zu at most", MAX_FILTERS);
  good = good && check_sums(reader, bank) && add_filters(reader, bank);
  for (uint32_t k = 0; k < bank->channels && !good; k++) bank->channel[k].filters = before[k];
  for (uint32_t k = 0; k < bank->channels && good; k++) {
    if (!reader->for_all && k >= reader->entries) break;
    const Entry* entry = &reader->entry[reader->for_all ? 0 : k];
    apply_gain(&bank->channel[k], entry->gain);
    bank->channel[k].delay_samples += entry->delay;
    bank->delays |= entry->delay > 0;
  }
  if (good) bank->convert_rate |= reader->options->convert_rate;
  free(before);
  return good;
}

static bool check_arguments(Reader* reader, const MrBank* bank, const char* text, size_t length) {
  const MrReadOptions* options = reader->options;
  if (!options || (!text && length > 0)) return fail(reader, MR_ERR_ARGUMENT, 0, "%s", mr_strerror(MR_ERR_ARGUMENT));
  if (options->channels < 1 || options->channels > MR_MAX_CHANNELS || (bank && bank->channels != options->channels))
    return fail(reader, MR_ERR_CHANNELS, 0, "%s", mr_strerror(MR_ERR_CHANNELS));
  return true;
}

static bool parse(Reader* reader, const char* text, size_t length) {
  json_error_t error;
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    length -= 3;
  }
  json_t* root = json_loadb(length ? text : "", length, JSON_REJECT_DUPLICATES, &error);
  if (!root && json_error_code(&error) == json_error_out_of_memory) return no_memory(reader);
  if (!root) return fail(reader, MR_ERR_SYNTAX, error.line, "expected JSON: %s", error.text);
  const bool good = read_root(reader, root) && check_rate(reader);
  json_decref(root);
  return good;
}

MrBank* mr_bank_read_json(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                          const MrMessages* messages, MrStatus* status) {
  Reader reader = {.file = file, .options = options, .messages = messages};
  MrBank* result = NULL;
  if (check_arguments(&reader, bank, text, length) && parse(&reader, text, length)) {
    result = bank ? bank : mr_bank_new(options->channels);
    if (!result) no_memory(&reader);
    if (result && !apply(&reader, result)) {
      if (!bank) mr_bank_free(result);
      result = NULL;
    }
  }
  for (size_t i = 0; i < reader.entries; i++) free(reader.entry[i].section);
  free(reader.entry);
  if (status) *status = reader.status;
  return result;
}
