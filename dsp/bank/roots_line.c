/* The filter type Analogue: a gain, zeros and poles.
   SPDX-License-Identifier: ISC */
#include "roots_line.h"

#include <string.h>

/* True past any of the ways to write "plus or minus" that begin the rest of the line; *negative for a plain minus. */
static bool take_sign(MrReader* reader, bool* negative) {
  static const char* const signs[] = {"\xc2\xb1", "+/-", "+-", "+", "-"};
  const size_t left = (size_t)(reader->end - reader->at);
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    const size_t length = strlen(signs[i]);
    if (length > left || memcmp(reader->at, signs[i], length) != 0) continue;
    reader->at += length;
    *negative = signs[i][0] == '-';
    return true;
  }
  return false;
}

/* 20.6, or a pair: 20.6±3 (also 20.6+3, 20.6+-3, and a j behind it). */
static bool read_root(MrReader* reader, MrComplex* root) {
  bool negative = false;
  char quote[MR_QUOTE_SIZE];
  const size_t word = mr_reader_word_length(reader);
  const char* start = reader->at;
  root->im = 0;
  if (!mr_reader_number_before(reader, "a number", &root->re)) return false;
  if (take_sign(reader, &negative)) {
    if (reader->at == reader->end || mr_reader_is_blank(*reader->at) || *reader->at == '+' || *reader->at == '-')
      return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a root such as 20.6 or a pair such as 20.6+3, found %s",
                            mr_reader_quote(start, word, quote));
    if (!mr_reader_number_before(reader, "a number after the sign", &root->im)) return false;
    if (negative) root->im = -root->im;
    if (reader->at < reader->end && (*reader->at == 'j' || *reader->at == 'i')) reader->at++;
  }
  if (reader->at == reader->end || mr_reader_is_blank(*reader->at)) return true;
  if (reader->end - reader->at >= 2 && mr_reader_same_word(reader->at, 2, "Hz")) return true;
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected a root such as 20.6 or a pair such as 20.6+3, found %s",
                        mr_reader_quote(start, word, quote));
}

static bool begins_number(MrReader* reader) {
  if (mr_reader_at_end(reader)) return false;
  const char c = *reader->at;
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == ',';
}

static bool read_roots(MrReader* reader, const char* name, MrComplex* root, uint32_t* n) {
  for (*n = 0; begins_number(reader); (*n)++) {
    MrComplex one;
    if (*n == MR_MAX_ROOTS) return mr_reader_fail(reader, MR_ERR_RANGE, "more than %u %s", MR_MAX_ROOTS, name);
    if (!read_root(reader, &one)) return false;
    root[*n] = one;
  }
  mr_reader_take(reader, "Hz");
  return true;
}

bool mr_roots_line_read(MrReader* reader, double* gain, MrRoots* roots) {
  bool has_gain = false, has_zeros = false, has_poles = false;
  memset(roots, 0, sizeof *roots);
  while (!mr_reader_at_end(reader)) {
    bool* has = NULL;
    bool good;
    if (mr_reader_take(reader, "Gain")) {
      has = &has_gain;
      good = mr_reader_number(reader, "a gain after Gain", gain);
    } else if (mr_reader_take(reader, "Zeros")) {
      has = &has_zeros;
      good = read_roots(reader, "zeros", roots->zero, &roots->zeros);
    } else if (mr_reader_take(reader, "Poles")) {
      has = &has_poles;
      good = read_roots(reader, "poles", roots->pole, &roots->poles);
    } else {
      return mr_reader_expected(reader, "Gain, Zeros or Poles");
    }
    if (!good) return false;
    if (*has) return mr_reader_fail(reader, MR_ERR_SYNTAX, "Gain, Zeros and Poles are given once each");
    *has = true;
  }
  if (!has_gain) return mr_reader_fail(reader, MR_ERR_SYNTAX, "Analogue needs Gain");
  if (!has_poles) return mr_reader_fail(reader, MR_ERR_SYNTAX, "Analogue needs Poles");
  return true;
}
