/* The statement Filter: types, their parameters, and what each must have.
   SPDX-License-Identifier: ISC */
#include "filter_line.h"

#include <math.h>
#include <string.h>

#include "designs.h"
#include "number.h"
#include "roots_line.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

typedef enum Width { NO_WIDTH = 0, WIDTH_MUST, WIDTH_BUTTERWORTH, WIDTH_30, WIDTH_SLOPE } Width; /* what a missing Q means */

typedef struct Type {
  const char* name;
  MrFilterType type;
  Width width;
  bool corner; /* a shelf whose Fc is the corner, unless Q says otherwise */
} Type;

/* The first name of a type is the one that the writer uses, but for LS and HS, which it chooses by the corner. */
static const Type types[] = {
    {"PK", MR_PEAK, WIDTH_MUST, false},
    {"PEQ", MR_PEAK, WIDTH_MUST, false},
    {"Modal", MR_PEAK, WIDTH_MUST, false},
    {"LPQ", MR_LOWPASS, WIDTH_MUST, false},
    {"LP", MR_LOWPASS, WIDTH_BUTTERWORTH, false},
    {"HPQ", MR_HIGHPASS, WIDTH_MUST, false},
    {"HP", MR_HIGHPASS, WIDTH_BUTTERWORTH, false},
    {"BP", MR_BANDPASS, WIDTH_MUST, false},
    {"NO", MR_NOTCH, WIDTH_30, false},
    {"AP", MR_ALLPASS, WIDTH_MUST, false},
    {"LSC", MR_LOWSHELF, WIDTH_SLOPE, false},
    {"LS", MR_LOWSHELF, WIDTH_SLOPE, true},
    {"HSC", MR_HIGHSHELF, WIDTH_SLOPE, false},
    {"HS", MR_HIGHSHELF, WIDTH_SLOPE, true},
    {"LP1", MR_LOWPASS1, NO_WIDTH, false},
    {"HP1", MR_HIGHPASS1, NO_WIDTH, false},
    {"LS1", MR_LOWSHELF1, NO_WIDTH, false},
    {"HS1", MR_HIGHSHELF1, NO_WIDTH, false},
    {"AP1", MR_ALLPASS1, NO_WIDTH, false},
    {"Butterworth", MR_BUTTERWORTH, NO_WIDTH, false},
    {"Chebyshev1", MR_CHEBYSHEV1, NO_WIDTH, false},
    {"Chebyshev2", MR_CHEBYSHEV2, NO_WIDTH, false},
    {"Elliptic", MR_ELLIPTIC, NO_WIDTH, false},
    {"Bessel", MR_BESSEL, NO_WIDTH, false},
    {"LinkwitzRiley", MR_LINKWITZ_RILEY, NO_WIDTH, false},
};

static const char* const response_names[] = {"LP", "HP", "BP", "BS", "AP"};
static const char* const weighting_names[] = {"A", "B", "C", "468", "K", "RIAA", "NAB", "Deemphasis 50", "Deemphasis 75"};

const char* mr_filter_line_response_name(MrResponse response) {
  return (unsigned)response < LENGTH(response_names) ? response_names[response] : NULL;
}

const char* mr_filter_line_weighting_name(MrWeighting weighting) {
  return (unsigned)weighting < LENGTH(weighting_names) ? weighting_names[weighting] : NULL;
}

const char* mr_filter_line_type_name(const MrDesign* design) {
  for (size_t i = 0; i < LENGTH(types); i++)
    if (types[i].type == design->type && types[i].corner == design->corner) return types[i].name;
  return NULL;
}

/* ---------------------------------------------------- thousands or not */

/* "1.234" and "12,345" could be 1234 and 12345; "0.500" could not. A frequency that only a decimal mark explains, such as 63.500,
   shows that the file prints three decimals. A file whose other numbers have a decimal point hardly has a decimal comma too. */
static void watch_thousands(MrReader* reader, const char* text, size_t length, double value) {
  const char* mark = mr_reader_decimal_mark(text, length);
  bool three = mark && text + length == mark + 4 && text[0] != '0';
  for (size_t i = 0; i < length && three; i++) three = text + i == mark || (text[i] >= '0' && text[i] <= '9');
  const bool suspect = three && value < 40;
  if (!suspect) {
    reader->decimals |= three;
    reader->hundreds |= value >= 100;
    mr_reader_note_mark(reader, text, length);
  } else if (reader->suspects < MR_SUSPECTS) {
    reader->suspect[reader->suspects++] = (MrSuspect){.line = reader->line, .value = value, .mark = *mark};
  }
}

void mr_filter_line_report_thousands(MrReader* reader) {
  for (uint32_t i = 0; i < reader->suspects; i++) {
    const bool other_mark = reader->suspect[i].mark == ',' ? reader->points : reader->commas;
    if (!other_mark && (!reader->hundreds || reader->decimals)) continue;
    char number[MR_NUMBER_SIZE];
    mr_number_print(reader->suspect[i].value, number);
    mr_reader_warn_at(reader, reader->suspect[i].line, "a frequency is read as %s Hz, not as thousands: no mark stands for thousands",
                      number);
  }
}

bool mr_filter_line_frequency(MrReader* reader, const char* what, double* value) {
  mr_reader_skip_blanks(reader);
  const char* start = reader->at;
  if (!mr_reader_number_unmarked(reader, what, value)) return false;
  watch_thousands(reader, start, (size_t)(reader->at - start), *value);
  mr_reader_take(reader, "Hz");
  return true;
}

/* ----------------------------------------------------------- parameters */

enum { HAS_Q = 1 << 6, HAS_BW = 1 << 7, HAS_S = 1 << 8, HAS_SLOPE = 1 << 9 }; /* beside the MR_FIELD bits */

typedef struct Parameters {
  unsigned has;
  double fc, fc2, gain, q, bw, s, slope, ripple, stop;
  uint32_t order;
} Parameters;

static bool number_with_unit(MrReader* reader, const char* what, const char* unit, double* value) {
  if (!mr_reader_number(reader, what, value)) return false;
  mr_reader_take(reader, unit);
  return true;
}

/* A line of REW's for a room mode has "T60 target 450 ms" behind it, which no filter depends on. */
static bool pass_t60(MrReader* reader) {
  double t60;
  mr_reader_take(reader, "target");
  if (!number_with_unit(reader, "a time after T60", "ms", &t60)) return false;
  mr_reader_warn(reader, "the T60 target changes no filter: ignored");
  return true;
}

/* Reads one parameter; *bit says which. */
static bool read_parameter(MrReader* reader, const Type* type, bool two_corners, Parameters* p, unsigned* bit) {
  *bit = 0;
  if (mr_reader_take(reader, "Fc")) {
    *bit = MR_FIELD_FC;
    if (!mr_filter_line_frequency(reader, "a frequency after Fc", &p->fc)) return false;
    return !two_corners || mr_filter_line_frequency(reader, "a second frequency after Fc", &p->fc2);
  }
  if (mr_reader_take(reader, "Gain")) {
    *bit = MR_FIELD_GAIN;
    return number_with_unit(reader, "a gain after Gain", "dB", &p->gain);
  }
  if (mr_reader_take(reader, "Q")) {
    *bit = HAS_Q;
    return mr_reader_number(reader, "a number after Q", &p->q);
  }
  if (mr_reader_take(reader, "BW")) {
    *bit = HAS_BW;
    if (!mr_reader_take(reader, "Oct")) return mr_reader_expected(reader, "Oct after BW");
    return mr_reader_number(reader, "a number of octaves after BW Oct", &p->bw);
  }
  if (mr_reader_take(reader, "S")) {
    *bit = HAS_S;
    return mr_reader_number(reader, "a shelf slope after S", &p->s);
  }
  if (mr_reader_take(reader, "Order")) {
    *bit = MR_FIELD_ORDER;
    return mr_reader_count(reader, "a whole number after Order", &p->order);
  }
  if (mr_reader_take(reader, "Ripple")) {
    *bit = MR_FIELD_RIPPLE;
    return number_with_unit(reader, "a ripple after Ripple", "dB", &p->ripple);
  }
  if (mr_reader_take(reader, "Stop")) {
    *bit = MR_FIELD_STOP;
    return number_with_unit(reader, "a stop-band attenuation after Stop", "dB", &p->stop);
  }
  if (mr_reader_take(reader, "T60")) return pass_t60(reader);
  return mr_reader_expected(reader, mr_designs_is_family(type->type) ? "Order, Fc, Ripple or Stop" : "Fc, Gain, Q or BW");
}

static const char* parameter_name(unsigned bit) {
  switch (bit) {
    case MR_FIELD_FC:
      return "Fc";
    case MR_FIELD_GAIN:
      return "Gain";
    case MR_FIELD_ORDER:
      return "Order";
    case MR_FIELD_RIPPLE:
      return "Ripple";
    case MR_FIELD_STOP:
      return "Stop";
    case HAS_Q:
      return "Q";
    case HAS_BW:
      return "BW";
    case HAS_S:
      return "S";
    default:
      return "slope";
  }
}

static bool read_parameters(MrReader* reader, const Type* type, bool two_corners, Parameters* p) {
  while (!mr_reader_at_end(reader)) {
    unsigned bit;
    if (!read_parameter(reader, type, two_corners, p, &bit)) return false;
    if (p->has & bit) return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s is given twice", parameter_name(bit));
    p->has |= bit;
  }
  return true;
}

/* What a type needs must be there; what it has no use for is said. */
static bool check_presence(MrReader* reader, const Type* type, const Parameters* p) {
  unsigned takes = mr_designs_fields(type->type);
  for (unsigned bit = 1; bit <= MR_FIELD_STOP; bit <<= 1)
    if ((takes & bit) && bit != MR_FIELD_WIDTH && !(p->has & bit))
      return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s needs %s", type->name, parameter_name(bit));
  if (type->width == WIDTH_MUST && !(p->has & (HAS_Q | HAS_BW)))
    return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s needs Q or BW", type->name);
  const unsigned widths = HAS_Q | HAS_BW | HAS_S | HAS_SLOPE;
  if (type->width != NO_WIDTH) takes |= HAS_Q | HAS_BW;
  if (type->width == WIDTH_SLOPE) takes |= HAS_S | HAS_SLOPE;
  const unsigned width = p->has & takes & widths;
  if (width & (width - 1)) return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s has one of Q, BW, S and a slope, not several", type->name);
  for (unsigned bit = 1; bit <= HAS_SLOPE; bit <<= 1)
    if ((p->has & ~takes) & bit) mr_reader_warn(reader, "%s has no use for %s: ignored", type->name, parameter_name(bit));
  return true;
}

static void set_width(const Type* type, const Parameters* p, MrDesign* design) {
  const bool q = (p->has & HAS_Q) != 0, bw = (p->has & HAS_BW) != 0;
  if (q || bw) {
    design->width_unit = q ? MR_WIDTH_Q : MR_WIDTH_OCTAVES;
    design->width = q ? p->q : p->bw;
  } else if (type->width == WIDTH_BUTTERWORTH) {
    design->width_unit = MR_WIDTH_Q;
    design->width = 0.70710678118654752440; /* Butterworth's Q, the square root of 1/2 */
  } else if (type->width == WIDTH_30) {
    design->width_unit = MR_WIDTH_Q;
    design->width = 30;
  } else {
    const bool slope = (p->has & HAS_SLOPE) != 0;
    design->width_unit = slope ? MR_WIDTH_DB_PER_OCTAVE : MR_WIDTH_SHELF_SLOPE;
    design->width = slope ? p->slope : (p->has & HAS_S) ? p->s : 0.9;
    design->corner = type->corner;
  }
}

/* ---------------------------------------------------------------- types */

static bool check_design(MrReader* reader, const char* name, const MrDesign* design) {
  const char* why;
  const MrStatus status = mr_designs_check(design, &why);
  return status == MR_OK || mr_reader_fail(reader, status, "%s %s", name, why);
}

static bool read_response(MrReader* reader, const Type* type, MrDesign* design) {
  char quote[MR_QUOTE_SIZE];
  for (size_t i = 0; i < LENGTH(response_names); i++) {
    if (!mr_reader_take(reader, response_names[i])) continue;
    design->response = (MrResponse)i;
    return true;
  }
  return mr_reader_fail(reader, MR_ERR_SYNTAX, "expected LP, HP, BP or BS after %s, found %s", type->name,
                        mr_reader_quote_next(reader, quote));
}

static bool read_typed(MrReader* reader, const Type* type, MrDesign* design) {
  Parameters p = {.has = 0};
  *design = mr_design_default(type->type);
  if (mr_designs_is_family(type->type) && !read_response(reader, type, design)) return false;
  if (type->width == WIDTH_SLOPE && !mr_reader_at_end(reader) && *reader->at >= '0' && *reader->at <= '9') {
    if (!number_with_unit(reader, "a slope", "dB", &p.slope)) return false; /* LS 6dB */
    p.has |= HAS_SLOPE;
  }
  if (!read_parameters(reader, type, mr_designs_has_two_corners(design), &p) || !check_presence(reader, type, &p)) return false;
  design->fc = p.fc;
  design->fc2 = p.fc2;
  design->gain_db = p.gain;
  design->order = p.order;
  design->ripple_db = p.ripple;
  design->stop_db = p.stop;
  if (type->width != NO_WIDTH) set_width(type, &p, design);
  return check_design(reader, type->name, design);
}

static bool read_iir(MrReader* reader, MrDesign* design) {
  uint32_t order;
  if (!mr_reader_take(reader, "Order")) return mr_reader_expected(reader, "Order after IIR");
  if (!mr_reader_count(reader, "a whole number after Order", &order)) return false;
  if (order < 1 || order > 2)
    return mr_reader_fail(reader, MR_ERR_RANGE, "IIR has order 1 or 2: a polynomial of a higher order is to be written as sections");
  if (!mr_reader_take(reader, "Coefficients")) return mr_reader_expected(reader, "Coefficients after the order");
  *design = mr_design_default(MR_COEFFICIENTS);
  memset(design->b, 0, sizeof design->b);
  memset(design->a, 0, sizeof design->a);
  static const char* const names[2][3] = {{"the number b0", "the number b1", "the number b2"},
                                          {"the number a0", "the number a1", "the number a2"}};
  for (uint32_t i = 0; i <= order; i++)
    if (!mr_reader_number(reader, names[0][i], &design->b[i])) return false;
  for (uint32_t i = 0; i <= order; i++)
    if (!mr_reader_number(reader, names[1][i], &design->a[i])) return false;
  return mr_reader_expect_end(reader) && check_design(reader, "IIR", design) && mr_filter_line_settle_rate(reader, design);
}

static bool read_weighting(MrReader* reader, MrDesign* design) {
  *design = mr_design_default(MR_WEIGHTING);
  if (mr_reader_take(reader, "Deemphasis")) {
    if (mr_reader_take(reader, "50"))
      design->weighting = MR_WEIGHTING_DEEMPHASIS_50;
    else if (mr_reader_take(reader, "75"))
      design->weighting = MR_WEIGHTING_DEEMPHASIS_75;
    else
      return mr_reader_expected(reader, "50 or 75 after Deemphasis");
    return mr_reader_expect_end(reader);
  }
  for (size_t i = 0; i < MR_WEIGHTING_DEEMPHASIS_50; i++) {
    if (!mr_reader_take(reader, weighting_names[i])) continue;
    design->weighting = (MrWeighting)i;
    return mr_reader_expect_end(reader);
  }
  return mr_reader_expected(reader, "A, B, C, 468, K, RIAA, NAB, Deemphasis 50 or Deemphasis 75");
}

static bool read_linkwitz_transform(MrReader* reader, MrDesign* design) {
  static const char* const names[4] = {"Fs", "Qs", "Fp", "Qp"};
  static const char* const whats[4] = {"a frequency after Fs", "a number after Qs", "a frequency after Fp", "a number after Qp"};
  unsigned has = 0;
  *design = mr_design_default(MR_LINKWITZ_TRANSFORM);
  while (!mr_reader_at_end(reader)) {
    unsigned i = 0;
    while (i < 4 && !mr_reader_take(reader, names[i])) i++;
    if (i == 4) return mr_reader_expected(reader, "Fs, Qs, Fp or Qp");
    if (has >> i & 1) return mr_reader_fail(reader, MR_ERR_SYNTAX, "%s is given twice", names[i]);
    has |= 1u << i;
    if (!number_with_unit(reader, whats[i], i % 2 ? "" : "Hz", &design->transform[i])) return false;
  }
  for (unsigned i = 0; i < 4; i++)
    if (!(has >> i & 1)) return mr_reader_fail(reader, MR_ERR_SYNTAX, "LT needs %s", names[i]);
  return check_design(reader, "LT", design);
}

static bool read_analogue(MrReader* reader, MrDesign* design, MrRoots* roots) {
  *design = mr_design_default(MR_ANALOGUE);
  design->roots = roots;
  return mr_roots_line_read(reader, &design->roots_gain, roots) && check_design(reader, "Analogue", design);
}

static bool read_type(MrReader* reader, MrDesign* design, MrRoots* roots) {
  for (size_t i = 0; i < LENGTH(types); i++) {
    if (mr_reader_take(reader, types[i].name)) return read_typed(reader, &types[i], design);
    /* LS6dB: the slope may stand against the type */
    const size_t length = strlen(types[i].name);
    if (types[i].width == WIDTH_SLOPE && mr_reader_word_length(reader) > length + 1 && reader->at[length] >= '2' &&
        reader->at[length] <= '9' && mr_reader_same_word(reader->at, length, types[i].name)) {
      reader->at += length;
      return read_typed(reader, &types[i], design);
    }
  }
  if (mr_reader_take(reader, "IIR")) return read_iir(reader, design);
  if (mr_reader_take(reader, "Weighting")) return read_weighting(reader, design);
  if (mr_reader_take(reader, "LT")) return read_linkwitz_transform(reader, design);
  if (mr_reader_take(reader, "Analogue")) return read_analogue(reader, design, roots);
  return mr_reader_expected(reader, "a filter type such as PK, LP, HP, LSC, HSC, NO, AP, IIR or Butterworth");
}

/* ------------------------------------------------------- the statement */

bool mr_filter_line_settle_rate(MrReader* reader, MrDesign* design) {
  design->rate = reader->rate;
  if (!reader->rate_given) {
    if (!reader->rate_missed) mr_reader_warn(reader, "coefficients without a rate: taken to hold at any rate");
    reader->rate_missed = true;
    return true;
  }
  const double fs = reader->options->fs;
  if (design->rate == 0 || fs == 0 || design->rate == fs) return true;
  if (reader->options->convert_rate) return true; /* as written: whoever designs it carries it over, and says what that costs */
  char from[MR_NUMBER_SIZE], to[MR_NUMBER_SIZE];
  mr_number_print(design->rate, from);
  mr_number_print(fs, to);
  return mr_reader_fail(reader, MR_ERR_RATE, "coefficients of %s Hz do not hold at %s Hz", from, to);
}

bool mr_filter_line_append(MrReader* reader, const MrDesign* design) {
  size_t channels = 0;
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++) channels++;
  if (!mr_reader_room_for(reader, channels * mr_filter_cost(design))) return false;
  for (uint32_t k = 0; (k = mr_reader_next_selected(reader, k)) < MR_ALL_CHANNELS; k++)
    if (mr_channel_add_filter(mr_reader_channel(reader, k), design) != MR_OK) return mr_reader_no_memory(reader);
  reader->cost += channels * mr_filter_cost(design);
  mr_reader_touch(reader);
  return true;
}

bool mr_filter_line_read(MrReader* reader) {
  if (mr_reader_take(reader, "OFF")) return true;
  if (!mr_reader_take(reader, "ON")) return mr_reader_expected(reader, "ON or OFF");
  if (mr_reader_take(reader, "None")) return true;
  MrDesign design;
  MrRoots roots;
  if (!read_type(reader, &design, &roots)) return false;
  design.mode = reader->mode;
  return mr_filter_line_append(reader, &design);
}
