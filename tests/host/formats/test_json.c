/* Tables of sections as JSON: what is read, what is refused, and what is written read back.
   SPDX-License-Identifier: ISC */
#include "../../../host/formats/json.h"

#include <math.h>

#include "../../dsp/bank/bank_support.h"

static MrBank* read_json(MrBank* bank, uint32_t channels, double fs, const char* text, Said* said, MrStatus* status) {
  const MrReadOptions options = {.channels = channels, .fs = fs};
  const MrMessages messages = {note_message, said};
  memset(said, 0, sizeof *said);
  return mr_bank_read_json(bank, text, strlen(text), "table.json", &options, &messages, status);
}

static void for_all_channels(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status = MR_ERR_MEMORY;
  MrBank* bank =
      read_json(NULL, 3, 48000, "{\"fs\": 48000, \"sos\": [[1.0, -1.9, 0.95, 2, -1.8, 0.85], [5e-1,0,0,1,0,0]]}", &said, &status);
  if (!bank) {
    fail_msg("%s", said.text);
    return;
  }
  assert_int_equal(status, MR_OK);
  assert_string_equal(said.text, "");
  for (uint32_t k = 0; k < 3; k++) {
    const MrDesign* f = bank->channel[k].filter;
    assert_int_equal(bank->channel[k].filters, 2);
    assert_true(f[0].type == MR_COEFFICIENTS && f[0].rate == 48000 && f[0].b[0] == 1 && f[0].b[1] == -1.9 && f[0].b[2] == 0.95);
    assert_true(f[0].a[0] == 2 && f[0].a[1] == -1.8 && f[0].a[2] == 0.85 && f[1].b[0] == 0.5);
  }
  assert_ptr_equal(read_json(bank, 3, 48000, "\xef\xbb\xbf [[1,0,0,1,0,0]]", &said, &status), bank); /* appended; no rate */
  assert_int_equal(bank->channel[2].filters, 3);
  assert_int_equal(said.warnings, 1);
  mr_bank_free(bank);
}

static void for_each_channel(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_json(
      NULL, 3, 48000,
      "{\"fs\": 48000, \"channels\": [{\"gain\": -0.5, \"delay\": 3, \"sos\": [[1,0,0,1,0,0]]}, {}, {\"gain\": 0}, {}], \"of\": 1}", &said,
      &status);
  if (!bank) {
    fail_msg("%s", said.text);
    return;
  }
  assert_int_equal(said.warnings, 2); /* a channel beyond, a key */
  assert_true(bank->channel[0].inverted && fabs(bank->channel[0].preamp_db + 6.0205999132796239) < 1e-12);
  assert_true(bank->channel[0].delay_samples == 3 && bank->delays && bank->channel[0].filters == 1);
  assert_true(bank->channel[1].filters == 0 && bank->channel[1].preamp_db == 0 && !bank->channel[1].inverted);
  assert_true(bank->channel[2].muted);
  mr_bank_free(bank);
}

static void faults(void** state) {
  (void)state;
  static const struct {
    const char* text;
    MrStatus status;
    const char* said;
  } cases[] = {
      {"", MR_ERR_SYNTAX, "expected JSON: "},
      {"{\"fs\": 48000,\n \"sos\": [[1,0,0,1,0,0]\n", MR_ERR_SYNTAX, "table.json:3: expected JSON: "},
      {"{\"fs\": 48000, \"sos\": [[1,0,0,1,0,0],,]}", MR_ERR_SYNTAX, "table.json:1: expected JSON: "},
      {"{\"fs\": 1, \"fs\": 2, \"sos\": []}", MR_ERR_SYNTAX, "duplicate"},
      {"{\"fs\": 48000}", MR_ERR_SYNTAX, "expected either sos or channels beside fs, found neither"},
      {"{\"fs\": 48000, \"sos\": [], \"channels\": []}", MR_ERR_SYNTAX, "found both"},
      {"{\"fs\": \"48k\", \"sos\": []}", MR_ERR_SYNTAX, "expected a number for fs"},
      {"{\"fs\": 0, \"sos\": []}", MR_ERR_RANGE, "fs is from"},
      {"{\"fs\": 48000, \"sos\": {}}", MR_ERR_SYNTAX, "expected a list of sections for sos"},
      {"{\"fs\": 48000, \"sos\": [[1,0,0,1,0,0],[1,0,0,1,0]]}", MR_ERR_SYNTAX, "b0 b1 b2 a0 a1 a2, at entry 2 of sos"},
      {"{\"fs\": 48000, \"sos\": [[1,0,0,1,null,0]]}", MR_ERR_SYNTAX, "expected a number for a1 at entry 1 of sos"},
      {"{\"fs\": 48000, \"sos\": [[1,0,0,0,1,0]]}", MR_ERR_RANGE, "entry 1 of sos has a0 = 0"},
      {"{\"fs\": 48000, \"channels\": [{}, {\"sos\": [[1,0,0,1,0,2]]}]}", MR_ERR_UNSTABLE, "entry 1 of sos of channel 2 is refused"},
      {"{\"fs\": 48000, \"sos\": [[1e999,0,0,1,0,0]]}", MR_ERR_SYNTAX, "table.json:1: expected JSON: "},
      {"{\"fs\": 48000, \"sos\": [[NaN,0,0,1,0,0]]}", MR_ERR_SYNTAX, "expected JSON: "},
      {"{\"fs\": 44100, \"sos\": [[1,0,0,1,0,0]]}", MR_ERR_RATE, "sections of 44100 Hz do not hold at 48000 Hz"},
      {"{\"fs\": 48000, \"channels\": [3]}", MR_ERR_SYNTAX, "expected an object at entry 1 of channels"},
      {"{\"fs\": 48000, \"channels\": {}}", MR_ERR_SYNTAX, "expected a list for channels"},
      {"{\"fs\": 48000, \"channels\": [{\"gain\": 1e11}]}", MR_ERR_RANGE, "gain of channel 1"},
      {"{\"fs\": 48000, \"channels\": [{\"delay\": -1}]}", MR_ERR_RANGE, "delay of channel 1"},
      {"{\"fs\": 48000, \"channels\": [{\"delay\": 480001}]}", MR_ERR_RANGE, "delay of channel 1"},
      {"\"sos\"", MR_ERR_SYNTAX, "table.json:1: expected"},
      {"3", MR_ERR_SYNTAX, "table.json:1: expected"},
  };
  MrBank *bank = mr_bank_new(2), *same = mr_bank_new(2);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Said said = {.errors = 0};
    MrStatus status = MR_OK;
    assert_null(read_json(bank, 2, 48000, cases[i].text, &said, &status));
    if (status != cases[i].status || said.errors != 1 || !strstr(said.text, cases[i].said))
      fail_msg("%s: %d %s", cases[i].text, status, said.text);
    assert_true(mr_bank_equal(bank, same));
  }
  Said said = {.errors = 0};
  MrStatus status;
  static const char* const gains = "{\"fs\": 48000, \"channels\": [{\"gain\": 1e9, \"delay\": 300000}]}";
  assert_non_null(read_json(bank, 2, 48000, gains, &said, &status));
  assert_null(read_json(bank, 2, 48000, gains, &said, &status)); /* twice is too much */
  assert_int_equal(status, MR_ERR_RANGE);
  assert_true(fabs(bank->channel[0].preamp_db - 180) < 1e-9);
  assert_null(read_json(bank, 3, 48000, "[]", &said, &status));
  assert_int_equal(status, MR_ERR_CHANNELS);
  mr_bank_free(bank);
  mr_bank_free(same);
}

static void written_and_read(void** state) {
  (void)state;
  Said said = {.errors = 0};
  MrStatus status;
  MrBank* bank = read_text(2,
                           "Preamp: -6 dB\nFilter: ON PK Fc 1000 Hz Gain -3 dB Q 1.41\nChannel: 2\nDelay: 1 ms\nPolarity: inverted\n"
                           "Filter: ON Butterworth HP Order 7 Fc 200 Hz\n");
  Text text = {0};
  memset(&said, 0, sizeof said);
  const MrMessages messages = {note_message, &said};
  assert_int_equal(mr_bank_write_json(bank, 48000, put_text, &text, &messages), MR_OK);
  assert_string_equal(said.text, "");
  MrBank* back = read_json(NULL, 2, 48000, text.text, &said, &status);
  if (!back) {
    fail_msg("%s%s", text.text, said.text);
    return;
  }
  assert_true(back->channel[1].inverted && !back->channel[0].inverted && back->channel[1].delay_samples == 48);
  for (uint32_t k = 0; k < 2; k++)
    for (int step = 0; step < 20; step++) { /* to 14.6 kHz */
      const double f = 100 * pow(1.3, step);
      double db[2];
      const MrChannel* channel[2] = {&bank->channel[k], &back->channel[k]};
      for (int i = 0; i < 2; i++) {
        db[i] = channel[i]->preamp_db;
        for (uint32_t j = 0; j < channel[i]->filters; j++) {
          MrCascade cascade;
          assert_int_equal(mr_design(&channel[i]->filter[j], 48000, &cascade, NULL), MR_OK);
          db[i] += mr_cascade_response(&cascade, 48000, f).magnitude_db;
        }
      }
      if (fabs(db[0] - db[1]) > 1e-9) fail_msg("channel %u, %g Hz: %g and %g dB", k + 1, f, db[0], db[1]);
    }
  mr_bank_free(back);
  mr_bank_free(bank);
  bank = read_text(2, "Copy: 1=2\n");
  memset(&said, 0, sizeof said);
  assert_int_equal(mr_bank_write_json(bank, 48000, put_text, &text, &messages), MR_OK);
  assert_int_equal(said.warnings, 1);
  mr_bank_free(bank);
  free(text.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(for_all_channels), cmocka_unit_test(for_each_channel), cmocka_unit_test(faults),
                                     cmocka_unit_test(written_and_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
