/* What each line of the bank text does to the model.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "bank_support.h"

/* The one filter that a line gives, on every channel. */
static MrDesign one_filter(const char* line) {
  MrBank* bank = read_text(2, line);
  assert_int_equal(bank->channel[0].filters, 1);
  assert_int_equal(bank->channel[1].filters, 1);
  const MrDesign design = bank->channel[0].filter[0];
  assert_null(design.roots);
  mr_bank_free(bank);
  return design;
}

static void second_order_types(void** state) {
  (void)state;
  static const struct {
    const char* line;
    MrFilterType type;
    double fc, gain, width;
    MrWidthUnit unit;
    bool corner;
  } cases[] = {
      {"Filter 1: ON PK Fc 1000 Hz Gain -3.0 dB Q 1.41", MR_PEAK, 1000, -3, 1.41, MR_WIDTH_Q, false},
      {"Filter: ON PK Fc 50 Hz Gain -10.0 dB BW Oct 0.167", MR_PEAK, 50, -10, 0.167, MR_WIDTH_OCTAVES, false},
      {"Filter: ON PK Q 2 Gain 1 Fc 50", MR_PEAK, 50, 1, 2, MR_WIDTH_Q, false},
      {"filter 12 : on pk fc 50hz gain 1db q 2", MR_PEAK, 50, 1, 2, MR_WIDTH_Q, false},
      {"Filter: ON LP Fc 80 Hz", MR_LOWPASS, 80, 0, M_SQRT1_2, MR_WIDTH_Q, false},
      {"Filter: ON HP Fc 80 Hz", MR_HIGHPASS, 80, 0, M_SQRT1_2, MR_WIDTH_Q, false},
      {"Filter: ON LPQ Fc 80 Hz Q 0.5", MR_LOWPASS, 80, 0, 0.5, MR_WIDTH_Q, false},
      {"Filter: ON HPQ Fc 80 Hz Q 0,5", MR_HIGHPASS, 80, 0, 0.5, MR_WIDTH_Q, false},
      {"Filter: ON BP Fc 80 Hz Q 0.5", MR_BANDPASS, 80, 0, 0.5, MR_WIDTH_Q, false},
      {"Filter: ON NO Fc 80 Hz", MR_NOTCH, 80, 0, 30, MR_WIDTH_Q, false},
      {"Filter: ON NO Fc 80 Hz Q 5", MR_NOTCH, 80, 0, 5, MR_WIDTH_Q, false},
      {"Filter: ON AP Fc 80 Hz Q 5", MR_ALLPASS, 80, 0, 5, MR_WIDTH_Q, false},
      {"Filter: ON LS Fc 80 Hz Gain 3 dB", MR_LOWSHELF, 80, 3, 0.9, MR_WIDTH_SHELF_SLOPE, true},
      {"Filter: ON HS Fc 80 Hz Gain 3 dB", MR_HIGHSHELF, 80, 3, 0.9, MR_WIDTH_SHELF_SLOPE, true},
      {"Filter: ON LSC Fc 80 Hz Gain 3 dB", MR_LOWSHELF, 80, 3, 0.9, MR_WIDTH_SHELF_SLOPE, false},
      {"Filter: ON HSC Fc 80 Hz Gain 3 dB", MR_HIGHSHELF, 80, 3, 0.9, MR_WIDTH_SHELF_SLOPE, false},
      {"Filter: ON LS 6dB Fc 80 Hz Gain 3 dB", MR_LOWSHELF, 80, 3, 6, MR_WIDTH_DB_PER_OCTAVE, true},
      {"Filter: ON HS 12 dB Fc 80 Hz Gain 3 dB", MR_HIGHSHELF, 80, 3, 12, MR_WIDTH_DB_PER_OCTAVE, true},
      {"Filter: ON LSC 10.8 dB Fc 80 Hz Gain 3 dB", MR_LOWSHELF, 80, 3, 10.8, MR_WIDTH_DB_PER_OCTAVE, false},
      {"Filter: ON HSC 6dB Fc 80 Hz Gain 3 dB", MR_HIGHSHELF, 80, 3, 6, MR_WIDTH_DB_PER_OCTAVE, false},
      {"Filter: ON LS Fc 80 Hz Gain 3 dB Q 0.7", MR_LOWSHELF, 80, 3, 0.7, MR_WIDTH_Q, false},
      {"Filter: ON HSC Fc 80 Hz Gain 3 dB Q 0.7", MR_HIGHSHELF, 80, 3, 0.7, MR_WIDTH_Q, false},
      {"Filter: ON HS Fc 80 Hz Gain 3 dB S 0.4", MR_HIGHSHELF, 80, 3, 0.4, MR_WIDTH_SHELF_SLOPE, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const MrDesign d = one_filter(cases[i].line);
    if (d.type != cases[i].type || d.fc != cases[i].fc || d.gain_db != cases[i].gain || d.width != cases[i].width ||
        d.width_unit != cases[i].unit || d.corner != cases[i].corner || d.mode != MR_MODE_RBJ)
      fail_msg("%s: type %d fc %g gain %g width %g unit %d corner %d", cases[i].line, d.type, d.fc, d.gain_db, d.width, d.width_unit,
               d.corner);
  }
}

static void families(void** state) {
  (void)state;
  MrDesign d = one_filter("Filter: ON Butterworth HP Order 16 Fc 20 Hz");
  assert_true(d.type == MR_BUTTERWORTH && d.response == MR_RESPONSE_HP && d.order == 16 && d.fc == 20);
  d = one_filter("Filter: ON Elliptic BP Order 8 Fc 300 Hz 3400 Hz Ripple 0.1 dB Stop 60 dB");
  assert_true(d.type == MR_ELLIPTIC && d.response == MR_RESPONSE_BP && d.order == 8 && d.fc == 300 && d.fc2 == 3400);
  assert_true(d.ripple_db == 0.1 && d.stop_db == 60);
  d = one_filter("Filter: ON Chebyshev1 BS Fc 300 3400 Order 3 Ripple 1");
  assert_true(d.type == MR_CHEBYSHEV1 && d.response == MR_RESPONSE_BS && d.order == 3 && d.fc2 == 3400 && d.ripple_db == 1);
  d = one_filter("Filter: ON Chebyshev2 LP Order 3 Fc 300 Stop 40");
  assert_true(d.type == MR_CHEBYSHEV2 && d.response == MR_RESPONSE_LP && d.stop_db == 40);
  d = one_filter("Filter: ON Bessel LP Order 32 Fc 300");
  assert_true(d.type == MR_BESSEL && d.order == 32);
  d = one_filter("Filter: ON LinkwitzRiley HP Order 4 Fc 300");
  assert_true(d.type == MR_LINKWITZ_RILEY && d.response == MR_RESPONSE_HP && d.order == 4);
  d = one_filter("Filter: ON Butterworth AP Order 4 Fc 300");
  assert_true(d.type == MR_BUTTERWORTH && d.response == MR_RESPONSE_AP);
  d = one_filter("Filter: ON HS1 Fc 300 Gain -2");
  assert_true(d.type == MR_HIGHSHELF1 && d.fc == 300 && d.gain_db == -2);
}

static void other_types(void** state) {
  (void)state;
  static const char* const weightings[] = {"A", "B", "C", "468", "K", "RIAA", "NAB", "Deemphasis 50", "Deemphasis 75"};
  for (unsigned i = 0; i < 9; i++) {
    char line[64];
    snprintf(line, sizeof line, "Filter: ON Weighting %s", weightings[i]);
    const MrDesign d = one_filter(line);
    assert_true(d.type == MR_WEIGHTING && d.weighting == (MrWeighting)i);
  }
  MrDesign d = one_filter("Filter: ON LT Fs 45 Hz Qs 0.9 Fp 25 Hz Qp 0.7");
  assert_true(d.type == MR_LINKWITZ_TRANSFORM && d.transform[0] == 45 && d.transform[1] == 0.9 && d.transform[2] == 25 &&
              d.transform[3] == 0.7);

  MrBank* bank = read_text(1, "Filter: ON Analogue Gain 2.5 Zeros 0 0±30 Poles 20.6 20.6-7 12194+1j 1e4 Hz");
  const MrDesign* a = &bank->channel[0].filter[0];
  assert_true(a->type == MR_ANALOGUE && a->roots_gain == 2.5 && a->roots->zeros == 2 && a->roots->poles == 4);
  assert_true(a->roots->zero[0].re == 0 && a->roots->zero[0].im == 0 && a->roots->zero[1].im == 30);
  assert_true(a->roots->pole[1].re == 20.6 && a->roots->pole[1].im == -7 && a->roots->pole[2].im == 1 && a->roots->pole[3].re == 1e4);
  mr_bank_free(bank);

  d = one_filter("Rate: 48000 Hz\nFilter: ON IIR Order 2 Coefficients 1.0 -1.9 0.95 1.0 -1.8 0.85");
  assert_true(d.type == MR_COEFFICIENTS && d.rate == 48000 && d.b[1] == -1.9 && d.b[2] == 0.95 && d.a[0] == 1 && d.a[2] == 0.85);
  d = one_filter("Rate: 48000\nFilter: ON IIR Order 1 Coefficients 1.0 -1.9 2.0 -1.8");
  assert_true(d.b[1] == -1.9 && d.b[2] == 0 && d.a[0] == 2 && d.a[1] == -1.8 && d.a[2] == 0);
}

static void off_and_none(void** state) {
  (void)state;
  MrBank* bank = read_text(2, "Filter 1: OFF PK what ever\nFilter 2: ON None\nFilter 3: OFF None\n\n   \n# Filter: ON XX\n");
  MrBank* plain = mr_bank_new(2);
  assert_true(mr_bank_equal(bank, plain));
  mr_bank_free(plain);
  mr_bank_free(bank);
}

static void channels_act_until_the_next(void** state) {
  (void)state;
  MrBank* bank = read_text(8,
                           "Preamp: -1 dB\nChannel: 1 2 7-8\nPreamp: -2 dB\nDelay: 2.5 ms\nChannel: sub,RL\nPolarity: inverted\n"
                           "Delay: 10 samples\nDelay: 3 samples\nChannel: all\nPreamp: 0.5dB\nChannel: 3\nMute: on\n");
  for (uint32_t k = 0; k < 8; k++) {
    const MrChannel* channel = &bank->channel[k];
    const bool first = k < 2 || k > 5, second = k == 3 || k == 4;
    assert_true(channel->preamp_db == (first ? -2.5 : -0.5));
    assert_true(channel->delay_ms == (first ? 2.5 : 0));
    assert_true(channel->delay_samples == (second ? 13 : 0));
    assert_int_equal(channel->inverted, second);
    assert_int_equal(channel->muted, k == 2);
  }
  assert_true(bank->delays && !bank->routes && !bank->crosses);
  mr_bank_free(bank);
}

static void loudspeakers(void** state) {
  (void)state;
  static const char* const names[] = {"L", "R", "C", "LFE", "BL", "BR", "SL", "SR", "TFL", "TFR", "TBL", "TBR"};
  static const uint32_t counts[] = {1, 2, 6, 8, 10, 12};
  for (size_t i = 0; i < 6; i++)
    for (uint32_t k = 0; k < counts[i]; k++) {
      char text[64];
      snprintf(text, sizeof text, "Channel: %s\nPreamp: 1 dB", names[k]);
      MrBank* bank = read_text(counts[i], text);
      for (uint32_t c = 0; c < counts[i]; c++) assert_true(bank->channel[c].preamp_db == (c == k));
      mr_bank_free(bank);
    }
  MrBank* bank = read_text(1, "Channel: C\nPreamp: 1 dB");
  assert_true(bank->channel[0].preamp_db == 1);
  mr_bank_free(bank);
  for (uint32_t channels = 3; channels <= 16; channels++) {
    if (channels == 6 || channels == 8 || channels == 10 || channels == 12) continue;
    Said said = {.errors = 0};
    MrStatus status;
    assert_null(read_text_onto(NULL, channels, "Channel: L", &said, &status));
    assert_int_equal(status, MR_ERR_CHANNELS);
  }
}

static void channels_beyond(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_text_onto(NULL, 2, "Channel: 2 3 4-9 99999999999\nPreamp: -1 dB\nChannel: C SL\nPreamp: -2 dB\n", &said, &status);
  assert_int_equal(said.warnings, 2); /* once a line */
  assert_non_null(strstr(said.text, "bank.txt:1: channel '3' goes beyond the file's 2 channels"));
  assert_true(bank->channel[0].preamp_db == 0 && bank->channel[1].preamp_db == -1);
  mr_bank_free(bank);
}

static void mode_and_rate(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_text_onto(NULL, 1,
                                "Filter: ON LP Fc 10\nMode: Matched\nFilter: ON LP Fc 10\nFilter: ON IIR Order 1 Coefficients 1 0 1 0\n"
                                "Filter: ON IIR Order 1 Coefficients 1 0 1 0\nRate: 48000 Hz\nFilter: ON IIR Order 1 Coefficients 1 0 1 0\n"
                                "Mode: RBJ\nFilter: ON LP Fc 10\n",
                                &said, &status);
  const MrDesign* f = bank->channel[0].filter;
  assert_true(f[0].mode == MR_MODE_RBJ && f[1].mode == MR_MODE_MATCHED && f[5].mode == MR_MODE_RBJ);
  assert_true(f[2].rate == 0 && f[3].rate == 0 && f[4].rate == 48000);
  assert_int_equal(said.warnings, 1);
  assert_non_null(strstr(said.text, "bank.txt:4: coefficients without a rate"));
  mr_bank_free(bank);

  static const char* const text = "Rate: 44100 Hz\nFilter: ON IIR Order 1 Coefficients 1 0 1 -0.5\n";
  MrReadOptions options = {.channels = 1, .fs = 48000, .convert_rate = true};
  bank = mr_bank_read_text(NULL, text, strlen(text), "bank.txt", &options, NULL, &status);
  assert_non_null(bank);
  assert_true(bank->convert_rate && bank->channel[0].filter[0].rate == 44100 && bank->channel[0].filter[0].a[1] == -0.5);
  mr_bank_free(bank);
  options = (MrReadOptions){.channels = 1}; /* no rate known: none is checked */
  bank = mr_bank_read_text(NULL, text, strlen(text), "bank.txt", &options, NULL, &status);
  assert_non_null(bank);
  mr_bank_free(bank);
}

static void unlisted(void** state) {
  (void)state;
  static const struct {
    const char* text;
    const char* muted; /* one letter a channel */
  } cases[] = {
      {"Channel: 1\nPreamp: -1 dB", "...."},
      {"Unlisted: mute\nChannel: 1\nPreamp: -1 dB", ".mmm"},
      {"Channel: 1\nUnlisted: mute", ".mmm"},
      {"Unlisted: mute\nPreamp: -1 dB", "...."}, /* under all */
      {"Unlisted: mute\nFilter: ON None\nCopy: 2=1", "m.mm"},
      {"Crossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 2 3", "m..m"},
      {"Preamp: -1 dB\nCrossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 2 3", "m..."},
      {"Unlisted: pass\nCrossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 1 3", "...."},
      {"Crossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 1 3\nChannel: 4", ".m.."},
      {"Copy: 1=2", "...."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    MrBank* bank = read_text(4, cases[i].text);
    for (uint32_t k = 0; k < 4; k++)
      if (bank->channel[k].muted != (cases[i].muted[k] == 'm')) fail_msg("%s: channel %u", cases[i].text, k + 1);
    mr_bank_free(bank);
  }
}

static void texts_join_as_one(void** state) {
  (void)state;
  static const char* const parts[][2] = {
      {"Preamp: -1 dB\nChannel: 1\nFilter: ON LP Fc 10\n", "Channel: all\nPreamp: -2 dB\n"},
      {"Preamp: -1 dB\n", "Channel: all\nCrossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 2 3\n"},
      {"Crossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 2 3\n", "Channel: all\nFilter: ON LP Fc 10000\n"},
      {"Crossover: LinkwitzRiley Order 4 Fc 300 In 1 Out 2 3\n", "Unlisted: pass\n"},
      {"Unlisted: mute\nChannel: 1\nMute: on\n", "Channel: 2\n"},
      {"Copy: 2=1\n", "Copy: 3=0.5*2\nDelay: 1 ms\n"},
  };
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    char joined[512];
    Said said = {.errors = 0};
    MrStatus status;
    snprintf(joined, sizeof joined, "%s%s", parts[i][0], parts[i][1]);
    MrBank* one = read_text(4, joined);
    MrBank* two = read_text(4, parts[i][0]);
    assert_ptr_equal(read_text_onto(two, 4, parts[i][1], &said, &status), two);
    if (!mr_bank_equal(one, two)) fail_msg("%s", joined);
    mr_bank_free(one);
    mr_bank_free(two);
  }
  /* but for the lines that set how others are read */
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_text(4, "Channel: 1\nMode: Matched\n");
  read_text_onto(bank, 4, "Filter: ON LP Fc 10\n", &said, &status);
  assert_true(bank->channel[3].filters == 1 && bank->channel[3].filter[0].mode == MR_MODE_RBJ);
  mr_bank_free(bank);
}

static void an_error_leaves_the_bank(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank *bank = read_text(4, "Copy: 2=1\nPreamp: -1 dB\n"), *same = read_text(4, "Copy: 2=1\nPreamp: -1 dB\n");
  assert_null(read_text_onto(bank, 4, "Preamp: -2 dB\nFilter: ON LP Fc 10\nCopy: 3=1\nDelay: 1 ms\nFilter: ON LP\n", &said, &status));
  assert_int_equal(status, MR_ERR_SYNTAX);
  assert_int_equal(said.errors, 1);
  assert_true(mr_bank_equal(bank, same));
  assert_null(read_text_onto(bank, 3, "Preamp: -2 dB\n", &said, &status)); /* another channel count */
  assert_int_equal(status, MR_ERR_CHANNELS);
  assert_true(mr_bank_equal(bank, same));
  mr_bank_free(bank);
  mr_bank_free(same);
  assert_null(read_text_onto(NULL, 0, "", &said, &status));
  assert_int_equal(status, MR_ERR_CHANNELS);
  assert_null(read_text_onto(NULL, MR_MAX_CHANNELS + 1, "", &said, &status));
  assert_int_equal(status, MR_ERR_CHANNELS);
}

static void thousands(void** state) {
  (void)state;
  static const struct {
    const char* frequencies;
    unsigned warnings;
  } cases[] = {{"250 1.234", 1}, {"1,234 800 12,500", 2}, {"1.234 50", 0}, {"250 1.25", 0},
               {"250 0.500", 0}, {"250 1.234 63.500", 0}, {"1.234", 0},    {"250 16.000 1000.000", 0}};
  /* the comma can be no decimal mark beside points, nor the point beside commas, whatever the frequencies are */
  static const struct {
    const char* text;
    unsigned warnings;
  } marks[] = {{"Filter: ON PK Fc 52.30 Hz Gain -9.10 dB Q 5.263\nFilter: ON PK Fc 1,230 Hz Gain 3.00 dB Q 1.000\n", 1},
               {"Preamp: -6.2 dB\nFilter: ON LP Fc 1,000 Hz\n", 1},
               {"Filter: ON LP Fc 1,000 Hz\nPreamp: -6.2 dB\n", 1},
               {"Filter: ON PK Fc 1.000 Hz Gain 3,0 dB Q 1,0\n", 1},
               {"Preamp: -6,2 dB\nFilter: ON LP Fc 1,000 Hz\n", 0},
               {"Preamp: -6.2 dB\nFilter: ON LP Fc 1.000 Hz\nFilter: ON LP Fc 20.000 Hz\n", 0}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    Said said = {.errors = 0};
    MrStatus status;
    mr_bank_free(read_text_onto(NULL, 1, marks[i].text, &said, &status));
    if (said.warnings != marks[i].warnings || said.errors) fail_msg("%s: %u warnings\n%s", marks[i].text, said.warnings, said.text);
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[512] = "", list[64];
    snprintf(list, sizeof list, "%s", cases[i].frequencies);
    char* rest = NULL;
    for (char* f = strtok_r(list, " ", &rest); f; f = strtok_r(NULL, " ", &rest)) {
      const size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "Filter: ON LP Fc %s Hz\n", f);
    }
    Said said = {.errors = 0};
    MrStatus status;
    MrBank* bank = read_text_onto(NULL, 1, text, &said, &status);
    if (said.warnings != cases[i].warnings) fail_msg("%s: %u warnings\n%s", cases[i].frequencies, said.warnings, said.text);
    if (i == 0) assert_non_null(strstr(said.text, "bank.txt:2: a frequency is read as 1.234 Hz, not as thousands"));
    mr_bank_free(bank);
  }
}

static void what_is_not_taken_is_said(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank =
      read_text_onto(NULL, 1, "Some words\nFilter: ON LP Fc 10 Gain 3 dB\nFilter Settings file\nDated: today 12:30\n", &said, &status);
  assert_int_equal(said.warnings, 4);
  assert_non_null(strstr(said.text, "bank.txt:1: not a statement, ignored: 'Some words'"));
  assert_non_null(strstr(said.text, "bank.txt:2: LP has no use for Gain: ignored"));
  mr_bank_free(bank);
}

static void long_texts(void** state) {
  (void)state;
  Text text = {0};
  for (int i = 0; i < 100000; i++) {
    char line[64];
    snprintf(line, sizeof line, "Filter: ON PK Fc %d Hz Gain -1 dB Q 1\n", 20 + i % 20000);
    assert_true(put_text(&text, line, strlen(line)));
  }
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_text_onto(NULL, 2, text.text, &said, &status);
  assert_non_null(bank);
  assert_int_equal(bank->channel[1].filters, 100000);
  mr_bank_free(bank);
  assert_null(read_text_onto(NULL, 1024, text.text, &said, &status)); /* a hundred million: refused before memory is out */
  assert_int_equal(status, MR_ERR_RANGE);
  assert_non_null(strstr(said.text, "too many filters"));

  memset(text.text, 'x', 1 << 20); /* one line of a megabyte, and what follows it */
  memcpy(text.text, "Filter: ON ", 11);
  assert_null(read_text_onto(NULL, 1, text.text, &said, &status));
  assert_int_equal(status, MR_ERR_SYNTAX);
  assert_true(strlen(said.text) < 256);
  memset(text.text, '1', 1 << 20);
  memcpy(text.text, "Filter: ON LP Fc ", 17);
  assert_null(read_text_onto(NULL, 1, text.text, &said, &status));
  assert_int_equal(status, MR_ERR_NOT_FINITE);
  memset(text.text, ' ', 1 << 20);
  memcpy(text.text, "Preamp: -1", 10);
  memcpy(text.text + (1 << 20) - 3, "dB\n", 3);
  bank = read_text_onto(NULL, 1, text.text, &said, &status);
  assert_non_null(bank);
  mr_bank_free(bank);
  free(text.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(second_order_types),
                                     cmocka_unit_test(families),
                                     cmocka_unit_test(other_types),
                                     cmocka_unit_test(off_and_none),
                                     cmocka_unit_test(channels_act_until_the_next),
                                     cmocka_unit_test(loudspeakers),
                                     cmocka_unit_test(channels_beyond),
                                     cmocka_unit_test(mode_and_rate),
                                     cmocka_unit_test(unlisted),
                                     cmocka_unit_test(texts_join_as_one),
                                     cmocka_unit_test(an_error_leaves_the_bank),
                                     cmocka_unit_test(thousands),
                                     cmocka_unit_test(what_is_not_taken_is_said),
                                     cmocka_unit_test(long_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
