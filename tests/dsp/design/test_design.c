/* The one entry from a design to sections: what is clamped, noted, refused and exact.
   SPDX-License-Identifier: ISC */
#include "../../../dsp/millrace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those above */
#include <cmocka.h>

#include "../../../dsp/design/section.h"

static const double rates[] = {1.0, 200.0, 8000.0, 44100.0, 48000.0, 192000.0, 768000.0, 6144000.0};
enum { RATES = sizeof rates / sizeof *rates };

static bool is_power_of_two(double d) {
  int exponent;
  return frexp(d, &exponent) == 0.5;
}

static void assert_sound(const MrCascade* cascade) {
  assert_true(cascade->n <= MR_MAX_DESIGN_SECTIONS);
  assert_true(isfinite(cascade->gain));
  for (uint32_t k = 0; k < cascade->n; ++k) {
    assert_true(mr_section_is_finite(&cascade->section[k]));
    assert_true(mr_section_is_stable(&cascade->section[k]));
    assert_true(cascade->section[k].D == 0.0 || is_power_of_two(cascade->section[k].D));
  }
}

static void assert_identity(const MrCascade* cascade) {
  assert_int_equal(cascade->n, 0);
  assert_true(cascade->gain == 1.0);
}

/* Promise 13: numbers that a file or a port may say. */
static void no_number_gives_a_coefficient_that_is_not_finite(void** state) {
  (void)state;
  const double frequencies[] = {0.0,     -0.0,    -1.0,    1e-300,  0.01,    1.0, 1000.0, 12000.0,
                                23520.0, 23999.0, 24000.0, 40000.0, 96000.0, 1e9, 1e300};
  const double widths[] = {0.0, -1.0, 1e-300, 0.01, 0.7, 1.0, 30.0, 1000.0, 1e9, 1e300};
  const double gains[] = {0.0, -400.0, 400.0, 24.0, -24.0, 1e300, 1e-300};
  MrCascade cascade;
  uint32_t notes, made = 0;
  for (int type = MR_NONE; type <= MR_ALLPASS1; ++type)
    for (int mode = MR_MODE_RBJ; mode <= MR_MODE_MATCHED; ++mode)
      for (int unit = MR_WIDTH_Q; unit <= MR_WIDTH_DB_PER_OCTAVE; ++unit)
        for (int corner = 0; corner < 2; ++corner)
          for (size_t f = 0; f < sizeof frequencies / sizeof *frequencies; ++f)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; ++w)
              for (size_t g = 0; g < sizeof gains / sizeof *gains; ++g) {
                MrDesign d = mr_design_default((MrFilterType)type);
                d.mode = (MrMode)mode;
                d.width_unit = (MrWidthUnit)unit;
                d.corner = corner == 1;
                d.fc = frequencies[f];
                d.width = widths[w];
                d.gain_db = gains[g];
                const double fs = rates[(f + w + g) % RATES];
                const MrStatus status = mr_design(&d, fs, &cascade, &notes);
                if (status == MR_ERR_ARGUMENT) continue; /* a slope without a shelf */
                assert_int_equal(status, MR_OK);
                assert_sound(&cascade);
                ++made;
                MrPrototype prototype;
                assert_int_equal(mr_prototype(&d, &prototype), MR_OK);
                assert_int_equal(mr_design_moving(&d, &prototype, fs, &cascade, &notes), MR_OK);
                assert_int_equal(cascade.n, prototype.sections);
                for (uint32_t k = 0; k < cascade.n; ++k) {
                  assert_true(mr_section_is_finite(&cascade.section[k]));
                  assert_true(mr_section_is_stable(&cascade.section[k]));
                }
              }
  assert_true(made > 50000);
}

static void nan_and_infinity_are_refused(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  MrCascade cascade;
  for (int type = MR_PEAK; type <= MR_COEFFICIENTS; ++type)
    for (size_t k = 0; k < 3; ++k) {
      MrRoots roots = {.poles = 1, .pole = {{100.0, 0.0}}};
      const MrDesign good = mr_design_default((MrFilterType)type);
      MrDesign d = good;
      d.roots = &roots;
      d.response = MR_RESPONSE_LP;
      assert_int_equal(mr_design(&d, 48000.0, &cascade, NULL), MR_OK);
      const bool reads_fc = type <= MR_LINKWITZ_RILEY;
      if (reads_fc) d.fc = bad[k];
      if (type == MR_LINKWITZ_TRANSFORM) d.transform[k] = bad[k];
      if (type == MR_ANALOGUE) roots.pole[0].re = bad[k];
      if (type == MR_COEFFICIENTS) d.a[k] = bad[k];
      cascade.n = 7;
      if (type != MR_WEIGHTING) {
        assert_int_equal(mr_design(&d, 48000.0, &cascade, NULL), MR_ERR_NOT_FINITE);
        assert_identity(&cascade);
      }
      assert_int_equal(mr_design(&good, bad[k], &cascade, NULL), MR_ERR_NOT_FINITE);
    }
  struct {
    MrFilterType type;
    MrResponse response;
    double gain, width, ripple, stop, fc2;
  } fields[] = {{MR_PEAK, MR_RESPONSE_LP, NAN, 1.0, 1.0, 60.0, 2000.0},      {MR_HIGHSHELF1, MR_RESPONSE_LP, NAN, 1.0, 1.0, 60.0, 2000.0},
                {MR_LOWPASS, MR_RESPONSE_LP, 0.0, NAN, 1.0, 60.0, 2000.0},   {MR_CHEBYSHEV1, MR_RESPONSE_LP, 0.0, 1.0, NAN, 60.0, 2000.0},
                {MR_CHEBYSHEV2, MR_RESPONSE_LP, 0.0, 1.0, 1.0, NAN, 2000.0}, {MR_ELLIPTIC, MR_RESPONSE_LP, 0.0, 1.0, NAN, 60.0, 2000.0},
                {MR_BUTTERWORTH, MR_RESPONSE_BP, 0.0, 1.0, 1.0, 60.0, NAN},  {MR_BESSEL, MR_RESPONSE_BS, 0.0, 1.0, 1.0, 60.0, INFINITY}};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k) {
    MrDesign d = mr_design_default(fields[k].type);
    d.gain_db = fields[k].gain;
    d.width = fields[k].width;
    d.ripple_db = fields[k].ripple;
    d.stop_db = fields[k].stop;
    d.fc2 = fields[k].fc2;
    d.response = fields[k].response;
    assert_int_equal(mr_design(&d, 48000.0, &cascade, NULL), MR_ERR_NOT_FINITE);
    assert_identity(&cascade);
  }
}

static void a_field_that_a_type_does_not_read_changes_nothing(void** state) {
  (void)state;
  MrCascade one, other;
  for (int type = MR_PEAK; type <= MR_BESSEL; ++type) {
    MrDesign d = mr_design_default((MrFilterType)type);
    assert_int_equal(mr_design(&d, 48000.0, &one, NULL), MR_OK);
    d.fc2 = NAN;
    d.b[0] = NAN;
    d.a[0] = 0.0;
    d.rate = 44100.0;
    d.transform[1] = NAN;
    d.roots_gain = NAN;
    if (type != MR_PEAK && type != MR_LOWSHELF && type != MR_HIGHSHELF && type != MR_LOWSHELF1 && type != MR_HIGHSHELF1) d.gain_db = NAN;
    if (type > MR_HIGHSHELF) d.width = NAN;
    if (type != MR_CHEBYSHEV1 && type != MR_ELLIPTIC) d.ripple_db = -1.0;
    if (type != MR_CHEBYSHEV2 && type != MR_ELLIPTIC) d.stop_db = -1.0;
    if (type < MR_BUTTERWORTH) d.order = 99;
    assert_int_equal(mr_design(&d, 48000.0, &other, NULL), MR_OK);
    assert_int_equal(one.n, other.n);
    assert_true(one.gain == other.gain);
    assert_memory_equal(one.section, other.section, one.n * sizeof *one.section);
  }
}

static MrStatus status_of(MrDesign d, double fs, uint32_t* notes) {
  MrCascade cascade;
  const MrStatus status = mr_design(&d, fs, &cascade, notes);
  if (status != MR_OK)
    assert_identity(&cascade);
  else
    assert_sound(&cascade);
  return status;
}

static void what_cannot_be_is_refused_with_its_reason(void** state) {
  (void)state;
  uint32_t notes;
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  assert_int_equal(status_of(d, 0.5, &notes), MR_ERR_RANGE);
  assert_int_equal(status_of(d, 7e6, &notes), MR_ERR_RANGE);
  assert_int_equal(status_of(d, -48000.0, &notes), MR_ERR_RANGE);
  d.order = 0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE);
  d.order = 33;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE);
  d.order = 4;
  d.response = MR_RESPONSE_BP;
  d.fc = 2000.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE); /* fc2 = fc */
  d.fc = -5.0;
  d.fc2 = -1.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE); /* both clamped to one frequency */

  d = mr_design_default(MR_LINKWITZ_RILEY);
  d.response = MR_RESPONSE_BP;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_ARGUMENT);
  for (int type = MR_CHEBYSHEV1; type <= MR_LINKWITZ_RILEY; ++type) {
    d = mr_design_default((MrFilterType)type);
    d.response = MR_RESPONSE_AP;
    assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_ARGUMENT);
  }
  d = mr_design_default(MR_CHEBYSHEV1);
  d.ripple_db = 0.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE);
  d = mr_design_default(MR_CHEBYSHEV2);
  d.stop_db = -3.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE);
  d = mr_design_default(MR_ELLIPTIC);
  d.ripple_db = d.stop_db = 3.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RANGE);
  d = mr_design_default(MR_PEAK);
  d.width_unit = MR_WIDTH_SHELF_SLOPE;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_ARGUMENT);
  d = mr_design_default(MR_ANALOGUE);
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_ARGUMENT); /* no roots */
  d = mr_design_default((MrFilterType)99);
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_ARGUMENT);

  /* Promise 5, through the entry. */
  d = mr_design_default(MR_COEFFICIENTS);
  d.a[2] = 1.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_UNSTABLE);
  d.a[2] = 0.5;
  d.rate = 44100.0;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_ERR_RATE);
  assert_int_equal(status_of(d, 44100.0, &notes), MR_OK);
  d.a[0] = 0.0;
  assert_int_equal(status_of(d, 44100.0, &notes), MR_ERR_RANGE);

  MrCascade cascade;
  assert_int_equal(mr_design(NULL, 48000.0, &cascade, NULL), MR_ERR_ARGUMENT);
  assert_identity(&cascade);
  assert_int_equal(mr_design(&d, 48000.0, NULL, NULL), MR_ERR_ARGUMENT);
}

static void a_clamp_is_noted(void** state) {
  (void)state;
  uint32_t notes;
  MrDesign d = mr_design_default(MR_PEAK);
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, 0);
  d.fc = 0.001;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_FREQUENCY_CLAMPED);
  d.fc = 1000.0;
  d.width = 1e9;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_WIDTH_CLAMPED);
  d.width = 1.0;
  d.gain_db = 60.5;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_GAIN_CLAMPED);
  d = mr_design_default(MR_LINKWITZ_RILEY);
  d.order = 3;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_ORDER_CLAMPED);
  d.order = 31;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  d = mr_design_default(MR_CHEBYSHEV1);
  d.ripple_db = 1e-9;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_RIPPLE_CLAMPED);
  d = mr_design_default(MR_ELLIPTIC);
  d.mode = MR_MODE_MATCHED;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_NOT_MATCHED);
  d = mr_design_default(MR_BUTTERWORTH);
  d.mode = MR_MODE_MATCHED;
  d.response = MR_RESPONSE_BP;
  assert_int_equal(status_of(d, 48000.0, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_NOT_MATCHED);
}

/* Promise 13: off, reported, and its number kept for a later rate. */
static void above_nyquist_a_filter_is_off(void** state) {
  (void)state;
  MrCascade cascade;
  uint32_t notes;
  for (int type = MR_PEAK; type <= MR_LINKWITZ_RILEY; ++type)
    for (int mode = MR_MODE_RBJ; mode <= MR_MODE_MATCHED; ++mode) {
      MrDesign d = mr_design_default((MrFilterType)type);
      d.mode = (MrMode)mode;
      d.fc = 0.49 * 44100.0 + 1.0;
      d.fc2 = 0.495 * 44100.0;
      d.gain_db = 6.0;
      assert_int_equal(mr_design(&d, 44100.0, &cascade, &notes), MR_OK);
      const bool through = mode == MR_MODE_MATCHED && type < MR_BUTTERWORTH && type != MR_ALLPASS && type != MR_ALLPASS1;
      if (through) {
        assert_int_equal(notes, 0);
        assert_int_equal(cascade.n, 1);
      } else {
        assert_int_equal(notes & MR_NOTE_ABOVE_NYQUIST, MR_NOTE_ABOVE_NYQUIST);
        assert_identity(&cascade);
      }
      assert_int_equal(mr_design(&d, 96000.0, &cascade, &notes), MR_OK);
      assert_int_equal(notes & MR_NOTE_ABOVE_NYQUIST, 0);
      assert_true(cascade.n > 0);
    }
  /* A band whose upper edge is too high. */
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  d.response = MR_RESPONSE_BP;
  d.fc = 300.0;
  d.fc2 = 23000.0;
  assert_int_equal(mr_design(&d, 44100.0, &cascade, &notes), MR_OK);
  assert_int_equal(notes, MR_NOTE_ABOVE_NYQUIST);
  assert_identity(&cascade);
}

/* Promise 1: first-order sections have b2 = a2 = 0 exactly, and zeros at z = 1 are exact. */
static void zeros_at_dc_are_exact(void** state) {
  (void)state;
  MrCascade cascade;
  for (size_t r = 2; r < RATES; ++r)
    for (uint32_t order = 1; order <= 32; ++order)
      for (int type = MR_BUTTERWORTH; type <= MR_BESSEL; ++type) {
        if (type == MR_CHEBYSHEV2 || type == MR_ELLIPTIC) continue;
        MrDesign d = mr_design_default((MrFilterType)type);
        d.response = MR_RESPONSE_HP;
        d.order = order;
        d.fc = 20.0;
        assert_int_equal(mr_design(&d, rates[r], &cascade, NULL), MR_OK);
        assert_int_equal(cascade.n, (order + 1) / 2);
        uint32_t first = 0;
        for (uint32_t k = 0; k < cascade.n; ++k) {
          const MrSection* c = &cascade.section[k];
          assert_true(is_power_of_two(c->D));
          assert_true(c->e1 == -(c->D * c->s));
          const MrBiquad q = mr_section_to_biquad(c);
          if (q.b2 == 0.0 && q.a2 == 0.0)
            ++first;
          else
            assert_true(q.b2 == c->D && c->e2 == -(c->D * c->P));
        }
        assert_int_equal(first, order % 2);
        assert_true(mr_cascade_response(&cascade, rates[r], 0.0).magnitude_db == -INFINITY);
      }
}

static void nothing_is_no_section(void** state) {
  (void)state;
  MrCascade cascade;
  uint32_t notes;
  const MrDesign d = mr_design_default(MR_NONE);
  assert_int_equal(mr_design(&d, 48000.0, &cascade, &notes), MR_OK);
  assert_identity(&cascade);
  assert_int_equal(notes, 0);
}

static void a_gain_of_nothing_is_silence(void** state) {
  (void)state;
  MrCascade cascade;
  MrDesign d = mr_design_default(MR_COEFFICIENTS);
  d.b[0] = 0.0;
  assert_int_equal(mr_design(&d, 48000.0, &cascade, NULL), MR_OK);
  assert_sound(&cascade);
  assert_true(mr_cascade_response(&cascade, 48000.0, 1000.0).magnitude_db == -INFINITY);
  d.b[1] = 1e-310; /* b0 = 0: a pure delay, and subnormal */
  assert_int_equal(mr_design(&d, 48000.0, &cascade, NULL), MR_OK);
  assert_sound(&cascade);
  assert_true(fabs(mr_cascade_response(&cascade, 48000.0, 1000.0).magnitude_db + 6200.0) < 1e-3);
}

static void defaults_are_as_the_header_says(void** state) {
  (void)state;
  const MrDesign d = mr_design_default(MR_PEAK);
  assert_int_equal(d.type, MR_PEAK);
  assert_int_equal(d.order, 2);
  assert_true(d.fc == 1000.0 && d.fc2 == 2000.0 && d.width == sqrt(0.5) && d.ripple_db == 0.1 && d.stop_db == 60.0);
  assert_true(d.b[0] == 1.0 && d.a[0] == 1.0 && d.b[1] == 0.0 && d.a[2] == 0.0 && d.roots_gain == 1.0);
  for (int k = 0; k < 4; ++k) assert_true(d.transform[k] == 1.0);
  assert_true(d.gain_db == 0.0 && d.rate == 0.0 && d.roots == NULL && !d.corner);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_number_gives_a_coefficient_that_is_not_finite),
                                     cmocka_unit_test(nan_and_infinity_are_refused),
                                     cmocka_unit_test(a_field_that_a_type_does_not_read_changes_nothing),
                                     cmocka_unit_test(what_cannot_be_is_refused_with_its_reason),
                                     cmocka_unit_test(a_clamp_is_noted),
                                     cmocka_unit_test(above_nyquist_a_filter_is_off),
                                     cmocka_unit_test(zeros_at_dc_are_exact),
                                     cmocka_unit_test(nothing_is_no_section),
                                     cmocka_unit_test(a_gain_of_nothing_is_silence),
                                     cmocka_unit_test(defaults_are_as_the_header_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
