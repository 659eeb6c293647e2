/* Designs that move: fixed places, the settled response, smooth coefficients.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/millrace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h needs those above */
#include <cmocka.h>

static const MrFilterType families[] = {MR_BUTTERWORTH, MR_LINKWITZ_RILEY, MR_BESSEL};

static MrCascade moved(const MrDesign* d, double fs, uint32_t* notes) {
  MrPrototype prototype;
  MrCascade cascade;
  assert_int_equal(mr_prototype(d, &prototype), MR_OK);
  assert_int_equal(mr_design_moving(d, &prototype, fs, &cascade, notes), MR_OK);
  assert_int_equal(cascade.n, prototype.sections);
  assert_true(cascade.gain == 1.0);
  return cascade;
}

static void second_and_first_order_and_three_families_move(void** state) {
  (void)state;
  for (int type = MR_NONE; type <= MR_COEFFICIENTS; ++type)
    for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_AP; ++response) {
      MrDesign d = mr_design_default((MrFilterType)type);
      d.response = (MrResponse)response;
      const bool family = type == MR_BUTTERWORTH || type == MR_LINKWITZ_RILEY || type == MR_BESSEL;
      const bool moves = type <= MR_ALLPASS1 || (family && response <= MR_RESPONSE_HP);
      assert_int_equal(mr_design_moves(&d), moves);
      MrPrototype prototype;
      assert_int_equal(mr_prototype(&d, &prototype), moves ? MR_OK : MR_ERR_ARGUMENT);
      if (!moves) continue;
      assert_int_equal(prototype.scaled, type == MR_PEAK || type == MR_BANDPASS || type == MR_NOTCH || type == MR_ALLPASS);
      assert_int_equal(prototype.sections, type == MR_NONE ? 0 : type == MR_LINKWITZ_RILEY ? 2 : 1);
    }
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  MrPrototype prototype;
  d.order = 33;
  assert_int_equal(mr_prototype(&d, &prototype), MR_ERR_RANGE);
  d.order = 0;
  assert_int_equal(mr_prototype(&d, &prototype), MR_ERR_RANGE);
}

/* The settled cascade and the moving one are the same filter. */
static void a_moving_cascade_has_the_settled_response(void** state) {
  (void)state;
  for (int type = MR_PEAK; type <= MR_LINKWITZ_RILEY; ++type)
    for (int mode = MR_MODE_RBJ; mode <= MR_MODE_MATCHED; ++mode)
      for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_HP; ++response)
        for (uint32_t order = 1; order <= 32; order += 3) {
          MrDesign d = mr_design_default((MrFilterType)type);
          d.mode = (MrMode)mode;
          d.response = (MrResponse)response;
          d.order = order;
          d.gain_db = -7.5;
          d.fc = 3000.0;
          if (!mr_design_moves(&d)) continue;
          MrCascade settled;
          uint32_t notes, moving_notes;
          assert_int_equal(mr_design(&d, 48000.0, &settled, &notes), MR_OK);
          const MrCascade moving = moved(&d, 48000.0, &moving_notes);
          assert_int_equal(notes, moving_notes);
          assert_int_equal(settled.n, moving.n);
          for (int i = 0; i < 80; ++i) {
            const double f = 10.0 * pow(1.1, i);
            const double a = mr_cascade_response(&settled, 48000.0, f).magnitude_db;
            const double b = mr_cascade_response(&moving, 48000.0, f).magnitude_db;
            assert_true(fabs(a - b) < 1e-9 || (a < -250.0 && fabs(a - b) < 1e-5));
          }
        }
}

/* Promise 22: pole k of the prototype stays at place k, at every corner, rate, gain and Q. */
static void sections_keep_their_places(void** state) {
  (void)state;
  for (size_t t = 0; t < 3; ++t)
    for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_HP; ++response)
      for (uint32_t order = 1; order <= 32; ++order) {
        MrDesign d = mr_design_default(families[t]);
        d.response = (MrResponse)response;
        d.order = order;
        MrPrototype first;
        assert_int_equal(mr_prototype(&d, &first), MR_OK);
        assert_true(first.sections <= MR_MAX_ORDER / 2 + 1);
        for (int i = 0; i < 6; ++i) {
          const double fc = 20.0 * pow(3.7, i);
          d.fc = fc;
          d.gain_db = fc;
          d.width = fc;
          MrPrototype again;
          assert_int_equal(mr_prototype(&d, &again), MR_OK);
          assert_memory_equal(&first, &again, sizeof first);
          MrCascade cascade;
          assert_int_equal(mr_design_moving(&d, &first, 48000.0, &cascade, NULL), MR_OK);
          for (uint32_t k = 0; k < cascade.n; ++k) {
            const MrSection* c = &cascade.section[k];
            const MrComplex p = first.pole[k];
            if (p.im == 0.0) {
              assert_true(c->P == 1.0 && c->e2 == 0.0);
              continue;
            }
            /* Q of the section = Q of its pole, whatever the corner */
            const double q = sqrt(c->s * (4.0 - c->s - 2.0 * c->P)) / (2.0 * c->P), expected = hypot(p.re, p.im) / (-2.0 * p.re);
            assert_true(fabs(q / expected - 1.0) < 1e-12);
          }
        }
        /* High and low Q alternate: no two neighbours are both above the median. */
        if (order >= 8 && families[t] == MR_BUTTERWORTH) {
          for (uint32_t k = 0; k + 2 < first.sections; k += 2) assert_true(first.pole[k].re <= first.pole[k + 1].re);
        }
      }
}

/* Each section has its own natural gain: 1 at DC of a low-pass, 1 at fs/2 of a high-pass. */
static void every_section_has_its_natural_gain(void** state) {
  (void)state;
  for (size_t t = 0; t < 3; ++t)
    for (int mode = MR_MODE_RBJ; mode <= MR_MODE_MATCHED; ++mode)
      for (int response = MR_RESPONSE_LP; response <= MR_RESPONSE_HP; ++response)
        for (uint32_t order = 1; order <= 32; ++order) {
          MrDesign d = mr_design_default(families[t]);
          d.response = (MrResponse)response;
          d.order = order;
          d.mode = (MrMode)mode;
          const MrCascade cascade = moved(&d, 48000.0, NULL);
          const bool lowpass = response == MR_RESPONSE_LP;
          for (uint32_t k = 0; k < cascade.n; ++k) {
            const double f = lowpass ? 0.0 : 24000.0;
            const double db = mr_sections_response(&cascade.section[k], 1, 1.0, 48000.0, f).magnitude_db;
            assert_true(fabs(db) < (mode == MR_MODE_RBJ || lowpass ? 1e-12 : 1.0));
          }
        }
}

static double most(double a, double b) { return a > b ? a : b; }

/* A small step of a parameter is a small step of every coefficient: relative to the section's scale, some tens of times the step at most. */
static void coefficients_are_smooth(void** state) {
  (void)state;
  for (int type = MR_PEAK; type <= MR_LINKWITZ_RILEY; ++type)
    for (int mode = MR_MODE_RBJ; mode <= MR_MODE_MATCHED; ++mode)
      for (int parameter = 0; parameter < 3; ++parameter) {
        MrDesign d = mr_design_default((MrFilterType)type);
        d.mode = (MrMode)mode;
        d.order = 16;
        if (!mr_design_moves(&d)) continue;
        MrPrototype prototype;
        assert_int_equal(mr_prototype(&d, &prototype), MR_OK);
        const int steps = 4000;
        MrCascade before = {.n = 0};
        for (int i = 0; i <= steps; ++i) {
          const double at = (double)i / steps;
          d.fc = parameter == 0 ? 30.0 * pow(600.0, at) : 2000.0; /* 30 Hz to 18 kHz */
          d.gain_db = parameter == 1 ? -24.0 + 48.0 * at : 6.0;   /* through 0 dB */
          d.width = parameter == 2 ? 0.1 * pow(20.0, at) : 0.9;
          MrCascade now;
          assert_int_equal(mr_design_moving(&d, &prototype, 48000.0, &now, NULL), MR_OK);
          for (uint32_t k = 0; k < before.n; ++k) {
            const MrSection *a = &before.section[k], *b = &now.section[k];
            const double step = 7.0 / steps; /* of the logarithms: 6.4, 5.5 and 3.0 over the range */
            const double scale = most(fabs(a->D), 1e-30);
            assert_true(fabs(b->s / a->s - 1.0) < 20.0 * step);
            assert_true(fabs(b->P / a->P - 1.0) < 20.0 * step);
            assert_true(fabs(b->D - a->D) < 20.0 * step * most(scale, fabs(a->e1) / a->s * 0.25));
            assert_true(fabs(b->e1 - a->e1) < 20.0 * step * most(scale * a->s, most(fabs(a->e1), a->s)));
          }
          before = now;
        }
      }
}

static void above_nyquist_sections_are_the_identity(void** state) {
  (void)state;
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  d.order = 16;
  d.fc = 23900.0;
  uint32_t notes = 0;
  const MrCascade cascade = moved(&d, 48000.0, &notes);
  assert_int_equal(notes, MR_NOTE_ABOVE_NYQUIST);
  assert_int_equal(cascade.n, 8);
  for (uint32_t k = 0; k < cascade.n; ++k) {
    const MrBiquad q = mr_section_to_biquad(&cascade.section[k]);
    assert_true(q.b0 == 1.0 && q.b1 == 0.0 && q.b2 == 0.0 && q.a1 == 0.0 && q.a2 == 0.0);
  }
}

static void refusals_leave_the_identity(void** state) {
  (void)state;
  MrDesign d = mr_design_default(MR_PEAK);
  MrPrototype prototype;
  MrCascade cascade;
  uint32_t notes = 77;
  assert_int_equal(mr_prototype(&d, &prototype), MR_OK);
  d.fc = NAN;
  assert_int_equal(mr_design_moving(&d, &prototype, 48000.0, &cascade, &notes), MR_ERR_NOT_FINITE);
  assert_true(cascade.n == 0 && cascade.gain == 1.0 && notes == 0);
  assert_int_equal(mr_design_moving(&d, &prototype, 0.0, &cascade, NULL), MR_ERR_RANGE);
  assert_int_equal(mr_design_moving(NULL, &prototype, 48000.0, &cascade, NULL), MR_ERR_ARGUMENT);
  assert_int_equal(mr_design_moving(&d, NULL, 48000.0, &cascade, NULL), MR_ERR_ARGUMENT);
  d = mr_design_default(MR_ELLIPTIC);
  assert_int_equal(mr_design_moving(&d, &prototype, 48000.0, &cascade, NULL), MR_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(second_and_first_order_and_three_families_move),
                                     cmocka_unit_test(a_moving_cascade_has_the_settled_response),
                                     cmocka_unit_test(sections_keep_their_places),
                                     cmocka_unit_test(every_section_has_its_natural_gain),
                                     cmocka_unit_test(coefficients_are_smooth),
                                     cmocka_unit_test(above_nyquist_sections_are_the_identity),
                                     cmocka_unit_test(refusals_leave_the_identity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
