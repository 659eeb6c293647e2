/* Tables of sections: layouts that are read, faults that are refused, and what is written read back.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "random_bank.h"

static MrBank* read_table(MrBank* bank, uint32_t channels, const char* text, Said* said, MrStatus* status) {
  const MrReadOptions options = {.channels = channels, .fs = 48000};
  const MrMessages messages = {note_message, said};
  memset(said, 0, sizeof *said);
  return mr_bank_read_table(bank, text, strlen(text), "table.csv", &options, &messages, status);
}

static void layouts(void** state) {
  (void)state;
  static const char* const texts[] = {
      "1,-1.9,0.95,2,-1.8,0.85\n0.5,0,0,1,0,0\n",
      "b0,b1,b2,a0,a1,a2\r\n1.0, -1.9, 0.95, 2, -1.8, 0.85\r\n.5,0,0,1,0,0",
      "\xef\xbb\xbf\"B0\";\"b1\";\"b2\";\"a0\";\"a1\";\"a2\"\n1;-1,9;0,95;2;-1,8;0,85\n0,5;0;0;1;0;0;\n",
      "# numpy.savetxt\n  1.000000000000000000e+00 -1.9 0.95 2 -1.8   0.85 # the first\n\n\t5e-1 0 0 1 0 0\n",
      "1\t-1,9\t0,95\t2\t-1,8\t0,85\n0.5\t0\t0\t1\t0\t0\n",
      "numerator,,,denominator,,\n1,-1.9,0.95,2,-1.8,0.85\n0.5,0,0,1,0,0\n",
      ("fs,channel,section,b0,b1,b2,a0,a1,a2\n0,1,1,1,-1.9,0.95,2,-1.8,0.85\n0,2,1,1,-1.9,0.95,2,-1.8,0.85\n"
       "0,1,2,0.5,0,0,1,0,0\n0,2,2,.5,0,0,1,0,0\n"),
  };
  MrBank* first = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    Said said = {.errors = 0};
    MrStatus status;
    MrBank* bank = read_table(NULL, 2, texts[i], &said, &status);
    if (!bank) {
      fail_msg("%s%s", texts[i], said.text);
      return;
    }
    if (!first) {
      first = bank;
      const MrDesign* f = bank->channel[1].filter;
      assert_true(bank->channel[0].filters == 2 && bank->channel[1].filters == 2);
      assert_true(f[0].type == MR_COEFFICIENTS && f[0].b[0] == 1 && f[0].b[1] == -1.9 && f[0].b[2] == 0.95);
      assert_true(f[0].a[0] == 2 && f[0].a[1] == -1.8 && f[0].a[2] == 0.85 && f[0].rate == 0 && f[1].b[0] == 0.5);
      assert_int_equal(said.warnings, 1); /* of no rate */
      continue;
    }
    if (!mr_bank_equal(first, bank)) fail_msg("%s", texts[i]);
    mr_bank_free(bank);
  }
  mr_bank_free(first);
}

static void faults(void** state) {
  (void)state;
  static const struct {
    const char* text;
    MrStatus status;
    const char* said;
  } cases[] = {
      {"1,0,0,1,0\n", MR_ERR_SYNTAX,
       "table.csv:1: expected 6 numbers, b0 b1 b2 a0 a1 a2, or 9 with fs channel section before them, found 5"},
      {"1,0,0,1,0,0\n1,0,x,1,0,0\n", MR_ERR_SYNTAX, "table.csv:2: expected a number for b2 in column 3, found 'x'"},
      {"1,0,nan,1,0,0\n", MR_ERR_NOT_FINITE, "found 'nan'"},
      {"1,0,1e999,1,0,0\n", MR_ERR_NOT_FINITE, "a number too large"},
      {"1,0,0,0,1,0\n", MR_ERR_RANGE, "table.csv:1: section 1 has a0 = 0"},
      {"b0,b1,b2,a0,a1,a2\n1,0,0,1,0,0\n1,0,0,1,0,2\n", MR_ERR_UNSTABLE, "table.csv:3: section 2 is unstable"},
      {"a0,a1,a2,b0,b1,b2\n1,0,0,1,0,0\n", MR_ERR_SYNTAX, "table.csv:1: expected the columns b0 b1 b2 a0 a1 a2"},
      {"44100,1,1,1,0,0,1,0,0\n", MR_ERR_RATE, "table.csv:1: coefficients of 44100 Hz do not hold at 48000 Hz"},
      {"48000,0,1,1,0,0,1,0,0\n", MR_ERR_SYNTAX, "expected a channel number from 1"},
      {"48000,1.5,1,1,0,0,1,0,0\n", MR_ERR_SYNTAX, "expected a channel number from 1"},
      {"-1,1,1,1,0,0,1,0,0\n", MR_ERR_RANGE, "expected a rate"},
      {"1 0 0 1 0 0 0,5\n", MR_ERR_SYNTAX, "expected 6 numbers"},
  };
  MrBank *bank = mr_bank_new(2), *same = mr_bank_new(2);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Said said = {.errors = 0};
    MrStatus status = MR_OK;
    assert_null(read_table(bank, 2, cases[i].text, &said, &status));
    if (status != cases[i].status || said.errors != 1 || !strstr(said.text, cases[i].said))
      fail_msg("%s: %d %s", cases[i].text, status, said.text);
    assert_true(mr_bank_equal(bank, same));
  }
  Said said = {.errors = 0};
  MrStatus status;
  assert_ptr_equal(read_table(bank, 2, "48000,3,1,1,0,0,1,0,0\n48000,4,1,1,0,0,1,0,0\n48000,2,1,1,0,0,1,0,0\n", &said, &status), bank);
  assert_int_equal(said.warnings, 1);
  assert_true(bank->channel[0].filters == 0 && bank->channel[1].filters == 1 && bank->channel[1].filter[0].rate == 48000);
  mr_bank_free(bank);
  mr_bank_free(same);
}

/* The response of a channel, preamp included, in dB. */
static double response_db(const MrChannel* channel, double fs, double f) {
  double db = channel->preamp_db;
  for (uint32_t i = 0; i < channel->filters; i++) {
    MrCascade cascade;
    assert_int_equal(mr_design(&channel->filter[i], fs, &cascade, NULL), MR_OK);
    db += mr_cascade_response(&cascade, fs, f).magnitude_db;
  }
  return db;
}

static void written_and_read(void** state) {
  (void)state;
  MrBank* bank =
      read_text(4,
                "Preamp: -6 dB\nChannel: 1\nFilter: ON PK Fc 1000 Hz Gain -3.0 dB Q 1.41\nFilter: ON Butterworth HP Order 7 Fc 200 Hz\n"
                "Channel: 2 4\nFilter: ON Elliptic BP Order 4 Fc 300 Hz 3400 Hz Ripple 0.1 dB Stop 60 dB\nMode: Matched\n"
                "Filter: ON HSC Fc 8000 Hz Gain 2 dB\n");
  Text text = {0};
  Said said = {.errors = 0};
  MrStatus status;
  const MrMessages messages = {note_message, &said};
  assert_int_equal(mr_bank_write_table(bank, 48000, put_text, &text, &messages), MR_OK);
  assert_string_equal(said.text, "");
  MrBank* back = read_table(NULL, 4, text.text, &said, &status);
  assert_non_null(back);
  assert_string_equal(said.text, "");
  for (uint32_t k = 0; k < 4; k++)
    for (int step = 0; step < 20; step++) { /* to 14.6 kHz */
      const double f = 100 * pow(1.3, step);
      const double one = response_db(&bank->channel[k], 48000, f), two = response_db(&back->channel[k], 48000, f);
      if (fabs(one - two) > 1e-9) fail_msg("channel %u, %g Hz: %g dB, %g dB", k + 1, f, one, two);
    }
  assert_int_equal(back->channel[2].filters, 1); /* the preamp alone */
  Text again = {0};
  assert_int_equal(mr_bank_write_table(back, 48000, put_text, &again, &messages), MR_OK);
  MrBank* twice = read_table(NULL, 4, again.text, &said, &status);
  assert_non_null(twice);
  mr_bank_free(twice);
  mr_bank_free(back);
  mr_bank_free(bank);
  free(text.text);
  free(again.text);
}

static void what_a_table_cannot_hold_is_said(void** state) {
  (void)state;
  MrBank* bank = read_text(2, "Copy: 1=2\nDelay: 1 ms\nPolarity: inverted\nMute: on\n");
  Text text = {0};
  Said said = {.errors = 0};
  const MrMessages messages = {note_message, &said};
  assert_int_equal(mr_bank_write_table(bank, 48000, put_text, &text, &messages), MR_OK);
  assert_int_equal(said.warnings, 4);
  static const char* const words[] = {"routes", "delays", "polarity", "mute"};
  for (size_t i = 0; i < 4; i++) assert_non_null(strstr(said.text, words[i]));
  assert_int_equal(mr_bank_write_table(bank, 0, put_text, &text, &messages), MR_ERR_RANGE);
  mr_bank_free(bank);
  free(text.text);
}

/* A low-pass of first order at 44.1 kHz, carried over to 48 kHz by z to s to z where leave was given. */
static void other_rates(void** state) {
  (void)state;
  const double t = tan(3.14159265358979323846 * 1000 / 44100), u = t * 44100 / 48000; /* the same pole in s */
  char line[256];
  snprintf(line, sizeof line, "Rate: 44100 Hz\nFilter: ON IIR Order 1 Coefficients %.17g %.17g %.17g %.17g\n", t, t, 1 + t, t - 1);
  const MrReadOptions options = {.channels = 1, .fs = 48000, .convert_rate = true};
  MrStatus status;
  Text text = {0};
  Said said = {.errors = 0};
  const MrMessages messages = {note_message, &said};
  MrBank* bank = mr_bank_read_text(NULL, line, strlen(line), "bank.txt", &options, NULL, &status);
  assert_non_null(bank);
  assert_int_equal(mr_bank_write_table(bank, 48000, put_text, &text, &messages), MR_OK);
  MrBank* back = read_table(NULL, 1, text.text, &said, &status);
  assert_non_null(back);
  const MrDesign* f = &back->channel[0].filter[0];
  assert_true(fabs(f->b[0] - u / (1 + u)) < 1e-12 && fabs(f->a[1] - (u - 1) / (1 + u)) < 1e-12);
  assert_true(fabs((f->b[0] + f->b[1]) / (1 + f->a[1]) - 1) < 1e-12);
  mr_bank_free(back);
  bank->convert_rate = false;
  assert_int_equal(mr_bank_write_table(bank, 48000, put_text, &text, &messages), MR_ERR_RATE);
  assert_non_null(strstr(said.text, "channel 1, filter 1"));
  mr_bank_free(bank);
  free(text.text);
}

/* Text has one word for it, so the model has one number. */
static void a_rate_of_minus_zero_is_none(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_table(NULL, 1, "fs,channel,section,b0,b1,b2,a0,a1,a2\n-0,1,1,1,0.5,0,1,-0.5,0\n", &said, &status);
  assert_non_null(bank);
  assert_false(signbit(bank->channel[0].filter[0].rate));
  Text text = {0};
  assert_int_equal(mr_bank_write_text(bank, put_text, &text), MR_OK);
  MrBank* back = read_text(1, text.text);
  assert_true(mr_bank_equal(bank, back));
  mr_bank_free(back);
  mr_bank_free(bank);
  free(text.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),          cmocka_unit_test(faults),
                                     cmocka_unit_test(written_and_read), cmocka_unit_test(what_a_table_cannot_hold_is_said),
                                     cmocka_unit_test(other_rates),      cmocka_unit_test(a_rate_of_minus_zero_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
