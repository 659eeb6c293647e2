/* Tables of sections as CSV, read.
   SPDX-License-Identifier: ISC

   A row is b0 b1 b2 a0 a1 a2, for all channels, or what mr_bank_write_table prints: fs, channel and section before them. */
#include <math.h>
#include <string.h>

#include "designs.h"
#include "filter_line.h"
#include "number.h"
#include "reader.h"

#define PLAIN_CELLS 6
#define ALL_CELLS   9

static const char* const names[ALL_CELLS] = {"fs", "channel", "section", "b0", "b1", "b2", "a0", "a1", "a2"};

/* Cells of a row: blanks alone, or the row's mark with blanks around it. */
typedef struct Cells {
  uint32_t n; /* may be more than fit */
  const char* text[ALL_CELLS];
  size_t length[ALL_CELLS];
} Cells;

static void add_cell(Cells* cells, const char* text, const char* end) {
  while (text < end && mr_reader_is_blank(*text)) text++;
  while (end > text && mr_reader_is_blank(end[-1])) end--;
  if (end > text + 1 && *text == '"' && end[-1] == '"') {
    text++;
    end--;
  }
  if (cells->n < ALL_CELLS) {
    cells->text[cells->n] = text;
    cells->length[cells->n] = (size_t)(end - text);
  }
  cells->n++;
}

/* A semicolon or a tab leaves the comma to decimals. */
static char mark_of(const char* text, const char* end) {
  const size_t length = (size_t)(end - text);
  return memchr(text, ';', length) ? ';' : memchr(text, '\t', length) ? '\t' : memchr(text, ',', length) ? ',' : ' ';
}

static Cells split(const char* text, const char* end, char mark) {
  Cells cells = {.n = 0};
  if (mark != ' ') {
    while (text <= end) {
      const char* stop = memchr(text, mark, (size_t)(end - text));
      if (!stop) stop = end;
      if (stop == end && text == end && cells.n > 0) break; /* a mark at the row's end */
      add_cell(&cells, text, stop);
      text = stop + 1;
    }
    return cells;
  }
  while (text < end) {
    const char* stop = text;
    while (stop < end && !mr_reader_is_blank(*stop)) stop++;
    add_cell(&cells, text, stop);
    while (stop < end && mr_reader_is_blank(*stop)) stop++;
    text = stop;
  }
  return cells;
}

static bool read_cell(MrReader* reader, const Cells* cells, uint32_t i, bool comma, const char* name, double* value) {
  char quote[MR_QUOTE_SIZE];
  const char* text = cells->text[i];
  const size_t length = cells->length[i];
  const size_t read = mr_number_read(text, length, comma, value);
  if (read == 0 || read < length)
    return mr_reader_fail(reader, mr_reader_is_not_finite(text, length) ? MR_ERR_NOT_FINITE : MR_ERR_SYNTAX,
                          "expected a number for %s in column %u, found %s", name, i + 1, mr_reader_quote(text, length, quote));
  if (!isfinite(*value))
    return mr_reader_fail(reader, MR_ERR_NOT_FINITE, "expected a number for %s in column %u, found a number too large: %s", name, i + 1,
                          mr_reader_quote(text, length, quote));
  return true;
}

static bool is_header(const Cells* cells) {
  double value;
  for (uint32_t i = 0; i < cells->n && i < ALL_CELLS; i++)
    if (cells->length[i] > 0 && mr_number_read(cells->text[i], cells->length[i], true, &value) > 0) return false;
  return true;
}

/* A header of other words is passed, but not one that names the columns in another order. */
static bool check_header(MrReader* reader, const Cells* cells) {
  bool known = false, same = cells->n == PLAIN_CELLS || cells->n == ALL_CELLS;
  const uint32_t first = cells->n == PLAIN_CELLS ? ALL_CELLS - PLAIN_CELLS : 0;
  for (uint32_t i = 0; i < cells->n && i < ALL_CELLS; i++) {
    for (uint32_t j = 0; j < ALL_CELLS; j++) known |= mr_reader_same_word(cells->text[i], cells->length[i], names[j]);
    if (same) same = mr_reader_same_word(cells->text[i], cells->length[i], names[first + i]);
  }
  if (same) return true;
  if (known)
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected the columns b0 b1 b2 a0 a1 a2, perhaps with fs channel section before them");
  mr_reader_warn(reader, "a header without the names b0 b1 b2 a0 a1 a2: that order is taken");
  return true;
}

static bool select_channel(MrReader* reader, double number) {
  if (!(number >= 1) || number != rint(number))
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a channel number from 1 in the column channel");
  memset(reader->selected, 0, sizeof reader->selected);
  reader->selected_all = false;
  if (number > reader->bank->channels) {
    if (!reader->beyond)
      mr_reader_warn(reader, "the file has %u channel%s: rows of channels beyond are ignored", reader->bank->channels,
                     reader->bank->channels == 1 ? "" : "s");
    reader->beyond = true;
    return true;
  }
  mr_bit_set(reader->selected, (uint32_t)number - 1);
  mr_bit_set(mr_bank_held(reader->bank)->listed, (uint32_t)number - 1);
  return true;
}

static bool read_row(MrReader* reader, const Cells* cells, bool comma) {
  char quote[MR_QUOTE_SIZE];
  if (cells->n != PLAIN_CELLS && cells->n != ALL_CELLS)
    return mr_reader_fail(reader, MR_ERR_SYNTAX,
                          "expected 6 numbers, b0 b1 b2 a0 a1 a2, or 9 with fs channel section before them, found %u", cells->n);
  const uint32_t first = cells->n - PLAIN_CELLS;
  MrDesign design = mr_design_default(MR_COEFFICIENTS);
  for (uint32_t i = 0; i < PLAIN_CELLS; i++) {
    double* value = i < 3 ? &design.b[i] : &design.a[i - 3];
    if (!read_cell(reader, cells, first + i, comma, names[ALL_CELLS - PLAIN_CELLS + i], value)) return false;
  }
  if (first > 0) {
    double fs, channel, section;
    if (!read_cell(reader, cells, 0, comma, names[0], &fs) || !read_cell(reader, cells, 1, comma, names[1], &channel) ||
        !read_cell(reader, cells, 2, comma, names[2], &section))
      return false;
    if (fs != 0 && (fs < MR_MIN_RATE || fs > MR_MAX_RATE))
      return mr_reader_fail(reader, MR_ERR_RANGE, "expected a rate from 1 to 6144000 Hz in the column fs, or 0 for any, found %s",
                            mr_reader_quote(cells->text[0], cells->length[0], quote));
    reader->rate = fs;
    reader->rate_given = true;
    if (!select_channel(reader, channel)) return false;
  }
  const char* why;
  const MrStatus status = mr_designs_check(&design, &why);
  if (status != MR_OK) return mr_reader_fail(reader, status, "section %u %s", reader->statements, why);
  return mr_filter_line_settle_rate(reader, &design) && mr_filter_line_append(reader, &design);
}

static bool read_line(MrReader* reader, const char* text, const char* end) {
  if (memchr(text, 0, (size_t)(end - text))) return mr_reader_fail(reader, MR_ERR_SYNTAX, "a NUL byte: this is no text");
  const char* comment = memchr(text, '#', (size_t)(end - text));
  if (comment) end = comment;
  while (text < end && mr_reader_is_blank(*text)) text++;
  while (end > text && mr_reader_is_blank(end[-1])) end--;
  if (text == end) return true;
  const char mark = mark_of(text, end);
  const Cells cells = split(text, end, mark);
  const bool first = !reader->begun;
  reader->begun = true;
  if (first && is_header(&cells)) return check_header(reader, &cells);
  reader->statements++;
  return read_row(reader, &cells, mark == ';' || mark == '\t');
}

static bool read_lines(MrReader* reader, const char* text, size_t length) {
  const char* end = text + length;
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  while (text < end) {
    reader->line++;
    const char* stop = memchr(text, '\n', (size_t)(end - text));
    if (!read_line(reader, text, stop ? stop : end)) return false;
    text = stop ? stop + 1 : end;
  }
  return true;
}

MrBank* mr_bank_read_table(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                           const MrMessages* messages, MrStatus* status) {
  return mr_bank_read_with(read_lines, bank, text, length, file, options, messages, status);
}
