/* Text written reads back to an equal bank, to the bit, or is refused with a status.
   SPDX-License-Identifier: ISC */
#include "random_bank.h"

static void random_banks_come_back(void** state) {
  (void)state;
  Draw draw = {1};
  size_t filters = 0;
  for (int round = 0; round < 400; round++) {
    MrBank* bank = draw_bank(&draw);
    Text text = {0};
    assert_int_equal(mr_bank_write_text(bank, put_text, &text), MR_OK);
    const MrReadOptions options = {.channels = bank->channels};
    Said said = {.errors = 0};
    const MrMessages messages = {note_message, &said};
    MrStatus status;
    MrBank* back = mr_bank_read_text(NULL, text.text, text.length, "written", &options, &messages, &status);
    if (!back || !mr_bank_equal(bank, back)) fail_msg("round %d: %s\n%s", round, said.text, text.text);
    if (said.text[0]) fail_msg("round %d: %s", round, said.text);
    for (uint32_t k = 0; k < bank->channels; k++) filters += bank->channel[k].filters;
    mr_bank_free(back);
    mr_bank_free(bank);
    free(text.text);
  }
  print_message("%zu filters written and read\n", filters);
  assert_true(filters > 5000);
}

static MrStatus write_one(const MrDesign* design) {
  MrBank* bank = mr_bank_new(1);
  Text text = {0};
  assert_int_equal(mr_bank_add_filter(bank, 0, design), MR_OK);
  const MrStatus status = mr_bank_write_text(bank, put_text, &text);
  if (status != MR_OK) assert_int_equal(text.length, 0);
  mr_bank_free(bank);
  free(text.text);
  return status;
}

static void what_no_text_holds_is_refused(void** state) {
  (void)state;
  MrDesign design = mr_design_default(MR_PEAK);
  assert_int_equal(write_one(&design), MR_OK);
  design.gain_db = NAN;
  assert_int_equal(write_one(&design), MR_ERR_NOT_FINITE);
  design = mr_design_default(MR_PEAK);
  design.width_unit = MR_WIDTH_SHELF_SLOPE;
  assert_int_equal(write_one(&design), MR_ERR_ARGUMENT);
  design = mr_design_default(MR_BUTTERWORTH);
  design.order = 33;
  assert_int_equal(write_one(&design), MR_ERR_RANGE);
  design = mr_design_default(MR_COEFFICIENTS);
  design.a[2] = 2;
  assert_int_equal(write_one(&design), MR_ERR_UNSTABLE);

  MrBank* bank = mr_bank_new(2);
  bank->channel[0].delay_ms = -1;
  assert_int_equal(mr_bank_write_text(bank, put_text, &(Text){0}), MR_ERR_RANGE);
  bank->channel[0].delay_ms = 0;
  bank->channel[0].preamp_db = INFINITY;
  assert_int_equal(mr_bank_write_text(bank, put_text, &(Text){0}), MR_ERR_NOT_FINITE);
  bank->channel[0].preamp_db = 0;
  bank->channel[1].term[0].source = 2;
  assert_int_equal(mr_bank_write_text(bank, put_text, &(Text){0}), MR_ERR_ROUTE);
  assert_int_equal(mr_bank_write_text(NULL, put_text, NULL), MR_ERR_ARGUMENT);
  assert_int_equal(mr_bank_write_text(bank, NULL, NULL), MR_ERR_ARGUMENT);
  mr_bank_free(bank);
}

static bool stop_after(void* handle, const char* text, size_t length) {
  (void)text;
  size_t* left = handle;
  if (length > *left) return false;
  *left -= length;
  return true;
}

static void a_writer_that_stops(void** state) {
  (void)state;
  MrBank* bank = read_text(2, "Filter: ON LP Fc 100\n");
  size_t room = 10;
  assert_int_equal(mr_bank_write_text(bank, stop_after, &room), MR_ERR_IO);
  room = 1 << 20;
  assert_int_equal(mr_bank_write_text(bank, stop_after, &room), MR_OK);
  mr_bank_free(bank);
}

static void numbers_stay_short(void** state) {
  (void)state;
  MrBank* bank = read_text(2, "Preamp: -6.1 dB\nFilter: ON PK Fc 12.345 Hz Gain 0,1 dB Q 1e-7\n");
  Text text = {0};
  assert_int_equal(mr_bank_write_text(bank, put_text, &text), MR_OK);
  assert_string_equal(text.text,
                      "# Millrace bank, channels: 2\nChannel: all\nPreamp: -6.1 dB\nFilter: ON PK Fc 12.3450 Hz Gain 0.1 dB Q 1e-7\n");
  mr_bank_free(bank);
  free(text.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_banks_come_back), cmocka_unit_test(what_no_text_holds_is_refused),
                                     cmocka_unit_test(a_writer_that_stops), cmocka_unit_test(numbers_stay_short)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
