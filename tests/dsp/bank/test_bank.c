/* The model: new banks, filters and rows added, copies, equality.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/bank/bank.h"

#include "random_bank.h"

static void a_new_bank_changes_nothing(void** state) {
  (void)state;
  assert_null(mr_bank_new(0));
  assert_null(mr_bank_new(MR_MAX_CHANNELS + 1));
  static const uint32_t counts[] = {1, 2, 64, MR_MAX_CHANNELS};
  for (size_t i = 0; i < 4; i++) {
    MrBank* bank = mr_bank_new(counts[i]);
    assert_non_null(bank);
    assert_int_equal(bank->channels, counts[i]);
    assert_false(mr_bank_protects(bank));
    for (uint32_t k = 0; k < counts[i]; k++) {
      const MrChannel* c = &bank->channel[k];
      assert_true(mr_channel_is_identity(c, k));
      assert_true(c->filters == 0 && c->preamp_db == 0 && c->delay_ms == 0 && c->delay_samples == 0 && !c->inverted && !c->muted);
    }
    mr_bank_free(bank);
  }
  mr_bank_free(NULL);
}

static void filters_are_copies(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(2);
  MrRoots roots = {.poles = 1, .pole = {{.re = 20, .im = -0.0}}};
  MrDesign design = mr_design_default(MR_ANALOGUE);
  assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_ERR_ARGUMENT); /* no roots */
  design.roots = &roots;
  assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_OK);
  roots.pole[0].re = 30;
  assert_ptr_not_equal(bank->channel[0].filter[0].roots, &roots);
  assert_true(bank->channel[0].filter[0].roots->pole[0].re == 20);
  roots.poles = MR_MAX_ROOTS + 1;
  assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_ERR_ARGUMENT);
  assert_int_equal(bank->channel[0].filters, 1);
  design.type = MR_NONE;
  assert_int_equal(mr_bank_add_filter(bank, 0, &design), MR_OK);
  assert_int_equal(bank->channel[0].filters, 1);
  assert_int_equal(mr_bank_add_filter(bank, 2, &design), MR_ERR_ARGUMENT);
  assert_int_equal(mr_bank_add_filter(NULL, 0, &design), MR_ERR_ARGUMENT);
  assert_int_equal(mr_bank_add_filter(bank, 0, NULL), MR_ERR_ARGUMENT);
  mr_bank_free(bank);
}

/* A field that a type does not read is no difference; one that it reads is. */
static void designs_are_canonical(void** state) {
  (void)state;
  MrBank *a = mr_bank_new(1), *b = mr_bank_new(1);
  MrDesign design = mr_design_default(MR_LOWPASS);
  assert_int_equal(mr_bank_add_filter(a, 0, &design), MR_OK);
  design.gain_db = 3;
  design.order = 7;
  design.corner = true;
  design.stop_db = 1;
  assert_int_equal(mr_bank_add_filter(b, 0, &design), MR_OK);
  assert_true(mr_bank_equal(a, b));
  design.width = 0.7;
  assert_int_equal(mr_bank_add_filter(a, 0, &design), MR_OK);
  design.width = nextafter(0.7, 1);
  assert_int_equal(mr_bank_add_filter(b, 0, &design), MR_OK);
  assert_false(mr_bank_equal(a, b));
  mr_bank_free(a);
  mr_bank_free(b);
}

static void rows(void** state) {
  (void)state;
  MrBank* bank = mr_bank_new(3);
  const MrTerm term[] = {{.source = 1, .gain = 0.5, .inverted = true}, {.source = 0, .is_db = true, .gain = -6}, {.source = 1, .gain = 2}};
  assert_int_equal(mr_bank_set_terms(bank, 2, term, 3), MR_OK);
  const MrChannel* c = &bank->channel[2];
  assert_int_equal(c->terms, 2); /* one a source */
  assert_true(c->term[0].source == 1 && c->term[0].gain == 1.5 && !c->term[0].inverted);
  assert_true(c->term[1].source == 0 && c->term[1].is_db && c->term[1].gain == -6);
  assert_int_equal(mr_bank_set_terms(bank, 2, (MrTerm[]){{.source = 3, .gain = 1}}, 1), MR_ERR_CHANNELS);
  assert_int_equal(mr_bank_set_terms(bank, 2, (MrTerm[]){{.source = 0, .gain = NAN}}, 1), MR_ERR_NOT_FINITE);
  assert_int_equal(c->terms, 2); /* as it was */
  assert_int_equal(mr_bank_set_terms(bank, 2, NULL, 0), MR_OK);
  assert_int_equal(c->terms, 0);
  assert_int_equal(mr_bank_set_terms(bank, 3, NULL, 0), MR_ERR_ARGUMENT);
  assert_int_equal(mr_bank_set_terms(bank, 0, NULL, 1), MR_ERR_ARGUMENT);
  mr_bank_free(bank);
}

static void products_of_terms(void** state) {
  (void)state;
  const MrTerm half = {.gain = 0.5, .source = 9}, minus = {.gain = -1, .source = 9}, db = {.is_db = true, .gain = -6.5, .source = 4};
  MrTerm p = mr_term_product(minus, db);
  assert_true(p.is_db && p.inverted && p.gain == -6.5 && p.source == 4);
  p = mr_term_product(p, minus);
  assert_true(p.is_db && !p.inverted && p.gain == -6.5 && p.source == 9);
  p = mr_term_product(db, (MrTerm){.is_db = true, .inverted = true, .gain = 1.5});
  assert_true(p.is_db && p.inverted && p.gain == -5);
  p = mr_term_product(half, minus);
  assert_true(!p.is_db && p.gain == -0.5);
  p = mr_term_product(half, db);
  assert_true(!p.is_db && fabs(p.gain - 0.5 * pow(10, -6.5 / 20)) < 1e-15);
}

/* Every part of a bank counts: a copy is equal, and no longer is once any one thing differs. */
static void copies_and_equality(void** state) {
  (void)state;
  Draw draw = {3};
  for (int round = 0; round < 50; round++) {
    MrBank *bank = draw_bank(&draw), *copy = mr_bank_copy(bank);
    assert_non_null(copy);
    assert_true(mr_bank_equal(bank, copy));
    MrChannel* c = &copy->channel[draw_below(&draw, copy->channels)];
    switch (round % 9) {
      case 0:
        c->preamp_db = nextafter(c->preamp_db, 1);
        break;
      case 1:
        c->delay_ms += 1;
        break;
      case 2:
        c->delay_samples += 1;
        break;
      case 3:
        c->muted = !c->muted;
        break;
      case 4:
        c->inverted = !c->inverted;
        break;
      case 5:
        copy->routes = !copy->routes;
        break;
      case 6:
        mr_bank_add_filter(copy, 0, &(MrDesign){.type = MR_LOWPASS1, .fc = 10});
        break;
      case 7:
        mr_bank_set_terms(copy, 0, (MrTerm[]){{.gain = 0.25}}, 1);
        break;
      default:
        copy->crosses = !copy->crosses;
        break;
    }
    assert_false(mr_bank_equal(bank, copy));
    mr_bank_swap(bank, copy);
    assert_false(mr_bank_equal(bank, copy));
    mr_bank_free(copy);
    mr_bank_free(bank);
  }
  assert_true(mr_bank_equal(NULL, NULL));
}

static void protecting_banks(void** state) {
  (void)state;
  static const char* const texts[] = {"Copy: 1=1", "Delay: 1 ms", "Crossover: LinkwitzRiley Order 2 Fc 100 In 1 Out 1 2",
                                      "Protects: routes"};
  for (size_t i = 0; i < 4; i++) {
    MrBank* bank = read_text(2, texts[i]);
    assert_true(mr_bank_protects(bank));
    mr_bank_free(bank);
  }
  MrBank* bank = read_text(2, "Preamp: -3 dB\nChannel: 1\nFilter: ON LP Fc 100\nMute: on\n");
  assert_false(mr_bank_protects(bank));
  mr_bank_free(bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_new_bank_changes_nothing),
                                     cmocka_unit_test(filters_are_copies),
                                     cmocka_unit_test(designs_are_canonical),
                                     cmocka_unit_test(rows),
                                     cmocka_unit_test(products_of_terms),
                                     cmocka_unit_test(copies_and_equality),
                                     cmocka_unit_test(protecting_banks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
