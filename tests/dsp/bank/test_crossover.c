/* Crossovers: each way against the analogue filter, all of them against their sum.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/bank/crossover.h"

#include <complex.h>
#include <math.h>

#include "bank_support.h"

static const double pi = 3.14159265358979323846;

static double complex channel_at(const MrChannel* channel, double fs, double f) {
  double complex h = channel->inverted ? -1 : 1;
  for (uint32_t i = 0; i < channel->filters; i++) {
    MrCascade cascade;
    assert_int_equal(mr_design(&channel->filter[i], fs, &cascade, NULL), MR_OK);
    const MrPoint point = mr_cascade_response(&cascade, fs, f);
    h *= pow(10, point.magnitude_db / 20) * cexp(I * point.phase);
  }
  return h;
}

/* The frequency that the bilinear transform maps to f, in units of the corner. */
static double warped(double f, double fc, double fs) { return tan(pi * f / fs) / tan(pi * fc / fs); }

static double split_db(const MrCrossover* crossover, bool high, double x) {
  const double n = crossover->family == MR_LINKWITZ_RILEY ? crossover->order / 2 : crossover->order;
  const double db = -10 * log10(1 + pow(high ? 1 / x : x, 2 * n));
  return crossover->family == MR_LINKWITZ_RILEY ? 2 * db : db;
}

static void make(const MrCrossover* crossover, MrChannel way[MR_MAX_WAYS]) {
  memset(way, 0, MR_MAX_WAYS * sizeof *way);
  for (uint32_t i = 0; i < crossover->ways; i++) assert_int_equal(mr_crossover_add_way(crossover, i, &way[i]), MR_OK);
}

static void drop(MrChannel way[MR_MAX_WAYS]) {
  for (uint32_t i = 0; i < MR_MAX_WAYS; i++) mr_channel_free(&way[i]);
}

typedef struct Worst {
  double sum_db, way_db;
} Worst;

static Worst measure(const MrCrossover* crossover, double fs) {
  MrChannel way[MR_MAX_WAYS];
  Worst worst = {0, 0};
  make(crossover, way);
  for (int step = 0; 10 * pow(1.19, step) < 0.49 * fs; step++) {
    const double f = 10 * pow(1.19, step);
    double complex sum = 0;
    for (uint32_t i = 0; i < crossover->ways; i++) {
      const double complex h = channel_at(&way[i], fs, f);
      double db = 0;
      for (uint32_t j = 0; j + 1 < crossover->ways && j <= i; j++) db += split_db(crossover, j < i, warped(f, crossover->fc[j], fs));
      if (db > -120) worst.way_db = fmax(worst.way_db, fabs(20 * log10(cabs(h)) - db));
      sum += h;
    }
    worst.sum_db = fmax(worst.sum_db, fabs(20 * log10(cabs(sum))));
  }
  drop(way);
  return worst;
}

static const double corners[][3] = {{300, 3000, 8000}, {80, 120, 2000}, {1000, 1001, 1002}};

static void sweep(MrFilterType family, uint32_t first, uint32_t step, bool flat) {
  static const double rates[] = {44100, 192000};
  Worst worst = {0, 0};
  for (uint32_t order = first; order <= 32; order += step)
    for (uint32_t ways = 2; ways <= MR_MAX_WAYS; ways++)
      for (size_t c = 0; c < 3; c++) {
        MrCrossover crossover = {.family = family, .order = order, .ways = ways};
        memcpy(crossover.fc, corners[c], sizeof crossover.fc);
        const Worst one = measure(&crossover, rates[(order + ways + c) % 2]);
        worst.sum_db = fmax(worst.sum_db, one.sum_db);
        worst.way_db = fmax(worst.way_db, one.way_db);
        if ((flat && one.sum_db > 1e-11) || one.way_db > 1e-9)
          fail_msg("order %u, %u ways, %g Hz: the sum is off by %g dB, a way by %g dB", order, ways, corners[c][0], one.sum_db, one.way_db);
      }
  print_message("sums within %.2g dB, ways within %.2g dB\n", worst.sum_db, worst.way_db);
}

static void linkwitz_riley_sums_flat(void** state) {
  (void)state;
  sweep(MR_LINKWITZ_RILEY, 2, 2, true);
}

static void butterworth_of_odd_order_sums_flat(void** state) {
  (void)state;
  sweep(MR_BUTTERWORTH, 1, 2, true);
}

/* Ways as asked for; neighbours in phase at their split, so that their sum rises by 3 dB there and dips nowhere. */
static void butterworth_of_even_order(void** state) {
  (void)state;
  sweep(MR_BUTTERWORTH, 2, 2, false);
  for (uint32_t order = 2; order <= 32; order += 2) {
    const MrCrossover crossover = {.family = MR_BUTTERWORTH, .order = order, .ways = 3, .fc = {200, 4000}};
    MrChannel way[MR_MAX_WAYS];
    make(&crossover, way);
    for (uint32_t i = 0; i < 2; i++) {
      const double complex low = channel_at(&way[i], 48000, crossover.fc[i]), high = channel_at(&way[i + 1], 48000, crossover.fc[i]);
      assert_true(fabs(20 * log10(cabs(low + high)) - 20 * log10(sqrt(2))) < 0.02); /* 3 dB; the other split's edge is near */
    }
    for (int step = 0; step < 155; step++) { /* to 19 kHz */
      const double f = 10 * pow(1.05, step);
      double complex sum = 0;
      for (uint32_t i = 0; i < 3; i++) sum += channel_at(&way[i], 48000, f);
      assert_true(20 * log10(cabs(sum)) < 3.03); /* scipy's analogue filters: 0.014 to 3.026 dB at order 2, 0 to 3.01 above */
      assert_true(20 * log10(cabs(sum)) > -1e-9);
    }
    drop(way);
  }
}

/* -6.02 dB in both at the split, the sum flat with one inverted where it must be (order 2). */
static void at_the_split(void** state) {
  (void)state;
  for (uint32_t order = 2; order <= 4; order += 2) {
    char text[128];
    snprintf(text, sizeof text, "Crossover: LinkwitzRiley Order %u Fc 120 Hz In 1 Out 1 2", order);
    MrBank* bank = read_text(2, text);
    const double complex low = channel_at(&bank->channel[0], 48000, 120), high = channel_at(&bank->channel[1], 48000, 120);
    assert_true(fabs(20 * log10(cabs(low)) + 20 * log10(2)) < 1e-9);
    assert_true(fabs(20 * log10(cabs(high)) + 20 * log10(2)) < 1e-9);
    assert_true(fabs(20 * log10(cabs(low + high))) < 1e-11);
    assert_int_equal(bank->channel[0].inverted, false);
    assert_int_equal(bank->channel[1].inverted, order == 2);
    assert_int_equal(bank->channel[1].term[0].source, 0);
    assert_true(bank->crosses && mr_bank_protects(bank));
    mr_bank_free(bank);
  }
}

static void input_and_other_channels(void** state) {
  (void)state;
  MrBank* bank = read_text(6,
                           "Channel: 1\nPreamp: -3 dB\nFilter: ON HP Fc 30\nMode: Matched\n"
                           "Crossover: LinkwitzRiley Order 4 Fc 100 1000 In 1 Out 3 4 2\n");
  assert_true(bank->channel[0].muted);                           /* in no Out */
  assert_true(bank->channel[4].muted && bank->channel[5].muted); /* listed nowhere */
  for (uint32_t k = 1; k < 4; k++) {
    const MrChannel* channel = &bank->channel[k];
    assert_false(channel->muted);
    assert_int_equal(channel->terms, 1);
    assert_int_equal(channel->term[0].source, 0);
    assert_true(channel->preamp_db == -3);
    assert_int_equal(channel->filter[0].type, MR_HIGHPASS);
    for (uint32_t i = 1; i < channel->filters; i++) assert_int_equal(channel->filter[i].mode, MR_MODE_RBJ);
  }
  assert_int_equal(bank->channel[2].filters, 3); /* high-pass, low-pass, all-pass for the upper split */
  assert_int_equal(bank->channel[2].filter[2].response, MR_RESPONSE_AP);
  assert_int_equal(bank->channel[2].filter[2].order, 2);
  mr_bank_free(bank);

  bank = read_text(6, "Unlisted: pass\nCrossover: LinkwitzRiley Order 4 Fc 100 In 1 Out 1 2\n");
  for (uint32_t k = 0; k < 6; k++) assert_false(bank->channel[k].muted);
  mr_bank_free(bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(linkwitz_riley_sums_flat), cmocka_unit_test(butterworth_of_odd_order_sums_flat),
                                     cmocka_unit_test(butterworth_of_even_order), cmocka_unit_test(at_the_split),
                                     cmocka_unit_test(input_and_other_channels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
