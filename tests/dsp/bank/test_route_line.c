/* Copy: what is folded, what moves along, what is refused; and random texts against plain sums.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/bank/route_line.h"

#include <math.h>

#include "bank_support.h"

static void expect_row(const MrBank* bank, uint32_t k, uint32_t terms, const MrTerm* term) {
  assert_int_equal(bank->channel[k].terms, terms);
  for (uint32_t i = 0; i < terms; i++) {
    const MrTerm* t = &bank->channel[k].term[i];
    assert_int_equal(t->source, term[i].source);
    assert_int_equal(t->is_db, term[i].is_db);
    assert_int_equal(t->inverted, term[i].inverted);
    assert_true(t->gain == term[i].gain);
  }
}

static void terms_as_written(void** state) {
  (void)state;
  MrBank* bank = read_text(4, "Copy: 3=0.5*1+0,25*2 4=-1*1+-6.5 dB*2+-1*3dB*3  1=0 2 = 3 + 4");
  expect_row(bank, 2, 2, (MrTerm[]){{.source = 0, .gain = 0.5}, {.source = 1, .gain = 0.25}});
  expect_row(bank, 3, 3,
             (MrTerm[]){{.source = 0, .gain = -1},
                        {.source = 1, .is_db = true, .gain = -6.5},
                        {.source = 2, .is_db = true, .inverted = true, .gain = 3}});
  expect_row(bank, 0, 0, NULL);
  expect_row(bank, 1, 2, (MrTerm[]){{.source = 2, .gain = 1}, {.source = 3, .gain = 1}}); /* as they were before the line */
  assert_true(bank->routes);
  mr_bank_free(bank);
}

static void names_and_virtual_channels(void** state) {
  (void)state;
  MrBank* bank = read_text(2, "Copy: MIX=0.5*L+0.5*R old=r\nCopy: L=mix R=-1*Mix+OLD");
  expect_row(bank, 0, 2, (MrTerm[]){{.source = 0, .gain = 0.5}, {.source = 1, .gain = 0.5}});
  expect_row(bank, 1, 2, (MrTerm[]){{.source = 0, .gain = -0.5}, {.source = 1, .gain = 0.5}});
  mr_bank_free(bank);
  bank = read_text(2, "Copy: X=1\nChannel: X\nFilter: ON LP Fc 100\nDelay: 1 ms\nCopy: 2=X"); /* filtered, then copied */
  assert_true(bank->channel[0].filters == 0 && bank->channel[1].filters == 1 && bank->channel[1].delay_ms == 1);
  expect_row(bank, 1, 1, (MrTerm[]){{.source = 0, .gain = 1}});
  mr_bank_free(bank);
}

static void cascades_move_along(void** state) {
  (void)state;
  MrBank* bank =
      read_text(4,
                "Filter: ON LP Fc 100\nDelay: 2 samples\nPreamp: -3 dB\nChannel: 2\nPreamp: -3 dB\nChannel: 4\nPolarity: inverted\n"
                "Copy: 1=2 2=3+4 3=1+2 4=1+3");
  assert_true(bank->channel[0].preamp_db == -6 && bank->channel[0].filters == 1 && bank->channel[0].delay_samples == 2);
  expect_row(bank, 0, 1, (MrTerm[]){{.source = 1, .gain = 1}});
  /* 3 and 4 differ in polarity: preamp and polarity go into the terms */
  assert_true(bank->channel[1].preamp_db == 0 && !bank->channel[1].inverted && bank->channel[1].filters == 1);
  expect_row(bank, 1, 2, (MrTerm[]){{.source = 2, .is_db = true, .gain = -3}, {.source = 3, .is_db = true, .inverted = true, .gain = -3}});
  expect_row(bank, 2, 2, (MrTerm[]){{.source = 0, .is_db = true, .gain = -3}, {.source = 1, .is_db = true, .gain = -6}});
  /* 1 and 3 have the same preamp: it stays one */
  assert_true(bank->channel[3].preamp_db == -3);
  expect_row(bank, 3, 2, (MrTerm[]){{.source = 0, .gain = 1}, {.source = 2, .gain = 1}});
  mr_bank_free(bank);
}

static void silence(void** state) {
  (void)state;
  MrBank* bank = read_text(4, "Channel: 1\nMute: on\nFilter: ON LP Fc 100\nCopy: 2=1 3=1+4 4=0+2");
  expect_row(bank, 1, 0, NULL);
  expect_row(bank, 2, 1, (MrTerm[]){{.source = 3, .gain = 1}}); /* silence carries no filter that matters */
  assert_int_equal(bank->channel[2].filters, 0);
  expect_row(bank, 3, 1, (MrTerm[]){{.source = 1, .gain = 1}});
  mr_bank_free(bank);
}

/* ----------------------------------------------------- random, by sums */

#define REAL  5u
#define TOTAL 8u /* three virtual ones */

static uint64_t seed = 7;
static uint32_t draw(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static const char* name_of(uint32_t k) {
  static const char* const names[] = {"1", "2", "3", "4", "5", "aux", "bus_2", "Z"};
  return names[k];
}

/* One Copy of a few targets, put to the text and done to the plain sums. */
static void random_copy(char* text, size_t size, double signal[TOTAL][REAL], bool known[TOTAL]) {
  double next[TOTAL][REAL];
  bool target[TOTAL] = {false};
  memcpy(next, signal, sizeof next);
  size_t used = strlen(text);
  used += (size_t)snprintf(text + used, size - used, "Copy:");
  for (uint32_t n = 1 + draw(3); n > 0; n--) {
    const uint32_t t = draw(TOTAL);
    if (target[t]) continue;
    target[t] = true;
    memset(next[t], 0, sizeof next[t]);
    used += (size_t)snprintf(text + used, size - used, " %s=", name_of(t));
    for (uint32_t i = 0, terms = 1 + draw(3); i < terms; i++) {
      uint32_t s = draw(TOTAL);
      while (!known[s]) s = draw(REAL);
      const int kind = (int)draw(4);
      const double gain = kind == 0 ? 1 : kind == 1 ? (draw(17) - 8.0) / 4 : pow(10, -(double)draw(9) / 20) * (kind == 3 ? -1 : 1);
      const char* plus = i ? "+" : "";
      if (kind == 0) used += (size_t)snprintf(text + used, size - used, "%s%s", plus, name_of(s));
      if (kind == 1) used += (size_t)snprintf(text + used, size - used, "%s%g*%s", plus, gain, name_of(s));
      if (kind >= 2)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%.17g dB*%s", plus, kind == 3 ? "-1*" : "", 20 * log10(fabs(gain)), name_of(s));
      for (uint32_t c = 0; c < REAL; c++) next[t][c] += gain * signal[s][c];
    }
  }
  snprintf(text + used, size - used, "\n");
  memcpy(signal, next, sizeof next);
  for (uint32_t k = 0; k < TOTAL; k++) known[k] |= target[k];
}

static void random_gain(char* text, size_t size, double signal[TOTAL][REAL], const bool known[TOTAL]) {
  const uint32_t k = draw(TOTAL);
  const double db = (double)draw(7) - 3;
  if (!known[k]) return;
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "Channel: %s\nPreamp: %g dB\n", name_of(k), db);
  for (uint32_t c = 0; c < REAL; c++) signal[k][c] *= pow(10, db / 20);
}

static void random_texts(void** state) {
  (void)state;
  for (int round = 0; round < 500; round++) {
    static char text[65536];
    double signal[TOTAL][REAL] = {{0}};
    bool known[TOTAL] = {true, true, true, true, true};
    for (uint32_t k = 0; k < REAL; k++) signal[k][k] = 1;
    text[0] = 0;
    for (uint32_t n = 1 + draw(8); n > 0; n--)
      draw(3) ? random_copy(text, sizeof text, signal, known) : random_gain(text, sizeof text, signal, known);
    MrBank* bank = read_text(REAL, text);
    for (uint32_t k = 0; k < REAL; k++) {
      const MrChannel* channel = &bank->channel[k];
      double row[REAL] = {0}, largest = 1e-9;
      for (uint32_t i = 0; i < channel->terms; i++) {
        const MrTerm* t = &channel->term[i];
        row[t->source] += (t->is_db ? pow(10, t->gain / 20) : t->gain) * (t->inverted ? -1 : 1);
      }
      for (uint32_t c = 0; c < REAL; c++) largest = fmax(largest, fabs(signal[k][c]));
      for (uint32_t c = 0; c < REAL; c++) {
        const double got = row[c] * pow(10, channel->preamp_db / 20) * (channel->inverted ? -1 : 1);
        if (fabs(got - signal[k][c]) > 1e-9 * fmax(largest, 1))
          fail_msg("channel %u from %u: %g, not %g\n%s", k + 1, c + 1, got, signal[k][c], text);
      }
    }
    mr_bank_free(bank);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(terms_as_written), cmocka_unit_test(names_and_virtual_channels),
                                     cmocka_unit_test(cascades_move_along), cmocka_unit_test(silence), cmocka_unit_test(random_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
