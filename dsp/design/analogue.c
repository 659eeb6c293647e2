/* Analogue filters by their roots.
   SPDX-License-Identifier: ISC */
#include "analogue.h"

#include <math.h>

#include "angle.h"
#include "limits.h"
#include "matched.h"
#include "transform.h"

enum { MOST = MR_MAX_ROOTS };

/* A list of roots sorted out. Frequencies in Hz, each list in rising order. */
typedef struct Sorted {
  uint32_t origin; /* zeros at s = 0 */
  uint32_t real_zeros, zero_pairs, real_poles, pole_pairs;
  double real_zero[MOST], real_pole[MOST];    /* > 0: in the left half-plane */
  MrComplex zero_pair[MOST], pole_pair[MOST]; /* re >= 0: in the left half-plane; im > 0 */
  bool right;                                 /* a zero lies in the right half-plane */
} Sorted;

static double size_of(MrComplex c) { return hypot(c.re, c.im); }

static void insert_real(double* list, uint32_t* n, double value) {
  uint32_t k = (*n)++;
  for (; k > 0 && fabs(list[k - 1]) > fabs(value); --k) list[k] = list[k - 1];
  list[k] = value;
}

static void insert_pair(MrComplex* list, uint32_t* n, MrComplex value) {
  uint32_t k = (*n)++;
  value.im = fabs(value.im);
  for (; k > 0 && size_of(list[k - 1]) > size_of(value); --k) list[k] = list[k - 1];
  list[k] = value;
}

/* Roots nearer to the origin than the lowest frequency, and pairs nearer to the axis than the highest Q, move there. */
static MrComplex clamp_root(MrComplex root, bool pole, uint32_t* notes) {
  const double size = size_of(root);
  if (size < MR_MIN_FREQUENCY) {
    *notes |= MR_NOTE_FREQUENCY_CLAMPED;
    root.re *= MR_MIN_FREQUENCY / size;
    root.im *= MR_MIN_FREQUENCY / size;
  }
  const double least = size_of(root) / (2.0 * MR_MAX_Q);
  if (pole && root.im != 0.0 && root.re < least) {
    *notes |= MR_NOTE_WIDTH_CLAMPED;
    root.re = least;
  }
  return root;
}

static MrStatus sort_out(const MrRoots* roots, Sorted* sorted, uint32_t* notes) {
  *sorted = (Sorted){.origin = 0};
  if (roots->zeros > MOST || roots->poles > MOST) return MR_ERR_RANGE;
  for (uint32_t k = 0; k < roots->poles; ++k) {
    if (!isfinite(roots->pole[k].re) || !isfinite(roots->pole[k].im)) return MR_ERR_NOT_FINITE;
    if (roots->pole[k].re <= 0.0) return MR_ERR_UNSTABLE;
    const MrComplex pole = clamp_root(roots->pole[k], true, notes);
    if (pole.im == 0.0)
      insert_real(sorted->real_pole, &sorted->real_poles, pole.re);
    else
      insert_pair(sorted->pole_pair, &sorted->pole_pairs, pole);
  }
  for (uint32_t k = 0; k < roots->zeros; ++k) {
    MrComplex zero = roots->zero[k];
    if (!isfinite(zero.re) || !isfinite(zero.im)) return MR_ERR_NOT_FINITE;
    if (zero.re == 0.0 && zero.im == 0.0) {
      ++sorted->origin;
      continue;
    }
    zero = clamp_root(zero, false, notes);
    sorted->right = sorted->right || zero.re < 0.0;
    if (zero.im == 0.0)
      insert_real(sorted->real_zero, &sorted->real_zeros, zero.re);
    else
      insert_pair(sorted->zero_pair, &sorted->zero_pairs, zero);
  }
  const uint32_t zeros = sorted->origin + sorted->real_zeros + 2 * sorted->zero_pairs, poles = sorted->real_poles + 2 * sorted->pole_pairs;
  return poles > MOST || zeros > poles ? MR_ERR_RANGE : MR_OK;
}

/* ------------------------------------------------------- matched sections */

/* A pair of zeros on or very near the axis is a null, a notch; others are the inverse of a resonance. */
static bool is_null(MrComplex zero) { return zero.re * 2.0 * MR_MAX_Q <= size_of(zero); }

/* Sections at most (real zeros may find no pole of their own). */
static uint32_t matched_count(const Sorted* s) {
  uint32_t count = s->real_poles + s->pole_pairs + s->real_zeros + s->zero_pairs;
  for (uint32_t k = 0; k < s->zero_pairs; ++k) count += is_null(s->zero_pair[k]) ? 1 : 0;
  return count;
}

static void add_matched(MrDraft* draft, MrFilterType type, double f, double fs, double q, uint32_t* notes) {
  const MrSection section = mr_matched(type, f, fs, q, 0.0, notes);
  mr_draft_section(draft, &section);
}

static void add_inverse(MrDraft* draft, MrFilterType type, double f, double fs, double q, uint32_t* notes) {
  const MrSection section = mr_matched(type, f, fs, q, 0.0, notes), swapped = mr_section_inverse(&section);
  mr_draft_section(draft, &swapped);
}

/* Zeros at the origin go to the lowest poles, where high-pass sections want them; other real zeros to the real poles that are left. Magnitudes of
   the analogue sections at 1 kHz, as normalised here, go into *level. */
static void matched_sections(const Sorted* s, double fs, MrDraft* draft, double* level, uint32_t* notes) {
  const double at = 1000.0;
  uint32_t origin = s->origin, real = 0, pair = 0, zero = 0;
  while (real < s->real_poles || pair < s->pole_pairs) {
    const bool take_real = pair == s->pole_pairs || (real < s->real_poles && s->real_pole[real] <= size_of(s->pole_pair[pair]));
    if (take_real) {
      const double f = s->real_pole[real++];
      if (origin > 0) {
        --origin;
        add_matched(draft, MR_HIGHPASS1, f, fs, 0.5, notes);
        *level *= at / hypot(f, at);
      } else if (zero < s->real_zeros) {
        const double z = s->real_zero[zero++];
        const MrSection section = mr_matched_lead(z, f, fs);
        mr_draft_section(draft, &section);
        *level *= hypot(z, at) / z * (f / hypot(f, at));
      } else {
        add_matched(draft, MR_LOWPASS1, f, fs, 0.5, notes);
        *level *= f / hypot(f, at);
      }
    } else {
      const MrComplex p = s->pole_pair[pair++];
      const double f = size_of(p), q = f / (2.0 * p.re);
      const double below = hypot((f - at) * (f + at), f * at / q);
      const double numerator[] = {f * f, f * at / q, at * at};
      const MrFilterType type[] = {MR_LOWPASS, MR_BANDPASS, MR_HIGHPASS}; /* by the zeros at the origin it takes */
      const uint32_t taken = origin < 2 ? origin : 2;
      origin -= taken;
      add_matched(draft, type[taken], f, fs, q, notes);
      *level *= numerator[taken] / below;
    }
  }
  for (; zero < s->real_zeros; ++zero) {
    const double f = s->real_zero[zero];
    add_inverse(draft, MR_LOWPASS1, f, fs, 0.5, notes);
    *level *= hypot(f, at) / f;
  }
  for (zero = 0; zero < s->zero_pairs; ++zero) {
    const MrComplex z = s->zero_pair[zero];
    const double f = size_of(z);
    const bool null = is_null(z);
    const double q = null ? 0.5 : f / (2.0 * z.re);
    if (null) add_matched(draft, MR_NOTCH, f, fs, q, notes);
    add_inverse(draft, MR_LOWPASS, f, fs, q, notes);
    *level *= null ? fabs((f - at) * (f + at)) / (f * f) : hypot((f - at) * (f + at), f * at / q) / (f * f);
  }
}

/* ------------------------------------------------------ bilinear sections */

/* Factors of one polynomial in S, dealt out to sections: pairs first, then real roots. */
typedef struct Dealt {
  uint32_t pairs, reals;
  MrComplex pair[MOST];
  double real[MOST];
} Dealt;

/* Takes up to `order` roots; c2 S^2 + c1 S + c0 is their polynomial, of lower degree if there are fewer. */
static void deal(Dealt* from, int order, double c[3]) {
  c[2] = c[1] = 0.0;
  c[0] = 1.0;
  if (order == 2 && from->pairs > 0) {
    const MrComplex r = from->pair[--from->pairs];
    c[2] = 1.0;
    c[1] = 2.0 * r.re;
    c[0] = r.re * r.re + r.im * r.im;
    return;
  }
  for (int k = 0; k < order && from->reals > 0; ++k) {
    const double r = from->real[--from->reals];
    c[2] = c[1];
    c[1] = c[0] + r * c[1];
    c[0] *= r;
  }
}

static void bilinear_sections(const Sorted* s, double fs, MrDraft* draft, double* level) {
  const double unit = MR_PI / fs, at = 1000.0;
  Dealt zeros = {.pairs = s->zero_pairs}, poles = {.pairs = s->pole_pairs, .reals = s->real_poles};
  for (uint32_t k = 0; k < s->zero_pairs; ++k) zeros.pair[k] = (MrComplex){s->zero_pair[k].re * unit, s->zero_pair[k].im * unit};
  for (uint32_t k = 0; k < s->pole_pairs; ++k) poles.pair[k] = (MrComplex){s->pole_pair[k].re * unit, s->pole_pair[k].im * unit};
  for (uint32_t k = 0; k < s->real_poles; ++k) poles.real[k] = s->real_pole[k] * unit;
  for (uint32_t k = 0; k < s->real_zeros; ++k) zeros.real[zeros.reals++] = s->real_zero[k] * unit;
  for (uint32_t k = 0; k < s->origin; ++k) zeros.real[zeros.reals++] = 0.0;
  while (poles.pairs + poles.reals > 0) {
    const bool first = poles.pairs == 0 && poles.reals == 1;
    double d[3], n[3];
    deal(&poles, first ? 1 : 2, d);
    deal(&zeros, first ? 1 : 2, n);
    const MrSection section = mr_bilinear(&(MrAnalogueSection){first, n[2], n[1], n[0], first ? 0.0 : d[1], d[0]});
    mr_draft_section(draft, &section);
    const double w = at * unit;
    *level *= hypot(n[0] - n[2] * w * w, n[1] * w) / hypot(d[0] - d[2] * w * w, d[1] * w);
  }
}

MrStatus mr_analogue_draft(const MrRoots* roots, double gain, double fs, MrDraft* draft, uint32_t* notes) {
  Sorted sorted;
  double level = 1.0;
  const MrStatus status = sort_out(roots, &sorted, notes);
  if (status != MR_OK) return status;
  if (!sorted.right && matched_count(&sorted) <= MR_MAX_DESIGN_SECTIONS) {
    matched_sections(&sorted, fs, draft, &level, notes);
  } else {
    *notes |= MR_NOTE_NOT_MATCHED;
    bilinear_sections(&sorted, fs, draft, &level);
  }
  if (!(level > 0.0) || !isfinite(level)) return MR_ERR_RANGE; /* a zero at 1 kHz */
  if (fs >= 2500.0) { /* exact where it is heard, rather than by the fit's last hundredths of a dB */
    const double sections_db = mr_sections_response(draft->section, draft->n, 1.0, fs, 1000.0).magnitude_db;
    const double db = sections_db + 20.0 * (log10(fabs(draft->gain.mantissa)) + draft->gain.exponent * log10(2.0));
    level = pow(10.0, db / 20.0);
  }
  if (!(level > 0.0) || !isfinite(level)) return MR_ERR_RANGE;
  mr_draft_gain(draft, gain);
  mr_draft_gain(draft, 1.0 / level);
  return MR_OK;
}
