/* Checks of the C reference itself, which every other kernel is compared with: what its formulas are to compute, evaluated
   independently and in long double.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_KERNEL_TRUTH_H
#define MILLRACE_TESTS_KERNEL_TRUTH_H

#include "kernel_cases.h"
#include "kernel_checks.h"

#define TRUTH_CELLS  12u
#define TRUTH_FRAMES (TRUTH_CELLS * MR_CELL)

static void expect(bool condition, const char* text) {
  if (!condition) fail("%s", text);
}

/* H(z) = (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2) of a section, exactly what its five numbers say. */
typedef struct Polynomials {
  long double b[3], a[2];
} Polynomials;

static Polynomials polynomials_of(const MrSection* q) {
  const long double s = q->s, P = q->P, D = q->D;
  const long double a2 = 1 - P, a1 = s - 1 - a2, b2 = D * a2 - q->e2, b1 = q->e1 + D * s - D - b2;
  return (Polynomials){{D, b1, b2}, {a1, a2}};
}

/* The difference equation itself, in place. */
static void filter_direct(const Polynomials* h, long double* x, uint32_t n) {
  long double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (uint32_t f = 0; f < n; f++) {
    const long double u = x[f], y = h->b[0] * u + h->b[1] * x1 + h->b[2] * x2 - h->a[0] * y1 - h->a[1] * y2;
    x2 = x1, x1 = u, y2 = y1, y1 = y;
    x[f] = y;
  }
}

/* Transposed direct form 2 in double, in place. */
static void filter_transposed(const Polynomials* h, double* x, uint32_t n) {
  const double b0 = (double)h->b[0], b1 = (double)h->b[1], b2 = (double)h->b[2], a1 = (double)h->a[0], a2 = (double)h->a[1];
  double z1 = 0, z2 = 0;
  for (uint32_t f = 0; f < n; f++) {
    const double u = x[f], y = b0 * u + z1;
    z1 = b1 * u - a1 * y + z2;
    z2 = b2 * u - a2 * y;
    x[f] = y;
  }
}

static double truth_input(uint32_t lane, uint32_t f) { /* an impulse, a step, noise */
  return lane % 3 == 0 ? f == 0 : lane % 3 == 1 ? 1 : random_signed();
}

/* From settled to moving states. */
static void hand_over(const MrMoving* m, double* state, uint32_t lane) {
  const double w = state[lane], d = state[MR_LANES + lane];
  state[lane] = m->K * m->F * d;
  state[MR_LANES + lane] = m->K * m->G * (2 * w + d);
}

typedef enum Form { FORM_SETTLED, FORM_MOVING, FORM_HANDED_OVER } Form;

/* The same cascade in all lanes, each with an input of its own, against the difference equations. */
static void cascade_case(const MrKernels* k, SectionKind kind, uint32_t sections, Form form) {
  static double x[TRUTH_FRAMES * MR_LANES], y[TRUTH_FRAMES * MR_LANES];
  begin_case("truth", sections, MR_LANES, TRUTH_FRAMES, kind, form);
  MrSection q[4];
  MrMoving m[4];
  memset(tile.state1, 0, sizeof tile.state1);
  memset(tile.mask1, 0xff, sizeof tile.mask1);
  for (uint32_t s = 0; s < sections; s++) {
    q[s] = random_section(kind);
    m[s] = moving_of(&q[s]);
    for (uint32_t l = 0; l < MR_LANES; l++) put_section(tile.coef1 + s * MR_COEF_STRIDE, l, &q[s]);
    for (uint32_t f = 0; f < MR_CELL; f++) tile.row1[s * MR_CELL + f] = m[s];
  }
  for (uint32_t l = 0; l < MR_LANES; l++)
    for (uint32_t f = 0; f < TRUTH_FRAMES; f++) x[f * MR_LANES + l] = truth_input(l, f);
  for (uint32_t c = 0; c < TRUTH_CELLS; c++) {
    double* cell = tile.x1;
    memcpy(cell, x + c * MR_CELL * MR_LANES, sizeof tile.x1);
    if (form == FORM_HANDED_OVER && c == TRUTH_CELLS / 2)
      for (uint32_t s = 0; s < sections; s++)
        for (uint32_t l = 0; l < MR_LANES; l++) hand_over(&m[s], tile.state1 + s * MR_STATE_STRIDE, l);
    if (form == FORM_SETTLED || (form == FORM_HANDED_OVER && c < TRUTH_CELLS / 2))
      k->run_settled(cell, MR_CELL, tile.coef1, tile.state1, sections, MR_LANES);
    else
      k->run_moving(cell, MR_CELL, tile.row1, tile.state1, tile.mask1, sections, MR_LANES);
    memcpy(y + c * MR_CELL * MR_LANES, cell, sizeof tile.x1);
  }
  for (uint32_t l = 0; l < MR_LANES; l++) {
    long double truth[TRUTH_FRAMES];
    double peak = 0, error = 0, between = 0, plain[TRUTH_FRAMES];
    for (uint32_t f = 0; f < TRUTH_FRAMES; f++) truth[f] = plain[f] = x[f * MR_LANES + l];
    for (uint32_t s = 0; s < sections; s++) {
      const Polynomials h = polynomials_of(&q[s]);
      filter_direct(&h, truth, TRUTH_FRAMES);
      filter_transposed(&h, plain, TRUTH_FRAMES);
    }
    for (uint32_t f = 0; f < TRUTH_FRAMES; f++) {
      peak = fmax(peak, fabs((double)truth[f]));
      error = fmax(error, fabs((double)(y[f * MR_LANES + l] - truth[f])));
      between = fmax(between, fabs(y[f * MR_LANES + l] - plain[f]));
    }
    if (!(error <= 2e-13 * peak)) fail("lane %u is %.3g of the peak off the difference equation", l, error / peak);
    if (kind != SECTION_SLOW && !(between <= 1e-12 * peak)) fail("lane %u is %.3g of the peak off the direct form", l, between / peak);
  }
}

static void check_settled_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t i = 0; i < (quick ? 2u : 20u); i++)
    for (uint32_t kind = 0; kind < SECTION_KINDS; kind++) cascade_case(k, (SectionKind)kind, 1 + i % 3, FORM_SETTLED);
}

static void check_moving_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t i = 0; i < (quick ? 2u : 20u); i++)
    for (uint32_t kind = 0; kind < SECTION_KINDS; kind++) {
      cascade_case(k, (SectionKind)kind, 1 + i % 3, FORM_MOVING);
      cascade_case(k, (SectionKind)kind, 1 + i % 3, FORM_HANDED_OVER);
    }
}

/* Coefficients that change with each frame: the recursion as it is documented, in long double. */
static void check_moving_varying_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t i = 0; i < (quick ? 20u : 200u); i++) {
    const uint32_t first = random_below(MR_CELL / 2), n = MR_CELL - first;
    begin_case("moving, changing coefficients", 1, MR_LANES, n, first, 0);
    random_rows(tile.row1, 0, MR_CELL, false);
    fill(tile.x1, n * MR_LANES, SIGNAL_NOISE);
    fill(tile.state1, MR_STATE_STRIDE, SIGNAL_NOISE);
    memset(tile.mask1, 0xff, sizeof tile.mask1);
    long double truth[MR_CELL * MR_LANES], z1[MR_LANES], z2[MR_LANES], peak = 1;
    for (uint32_t l = 0; l < MR_LANES; l++) {
      z1[l] = tile.state1[l], z2[l] = tile.state1[MR_LANES + l];
      for (uint32_t f = 0; f < n; f++) {
        const MrMoving* r = &tile.row1[first + f];
        const long double x = tile.x1[f * MR_LANES + l], v = r->K * x - z2[l];
        truth[f * MR_LANES + l] = r->D * x + r->C1 * z1[l] + r->C2 * z2[l];
        const long double next = z1[l] + r->E * z1[l] + r->F * v;
        z2[l] = z2[l] + r->F * z1[l] + r->G * v;
        z1[l] = next;
        peak = fmaxl(peak, fmaxl(fabsl(truth[f * MR_LANES + l]), fmaxl(fabsl(z1[l]), fabsl(z2[l]))));
      }
    }
    k->run_moving(tile.x1, n, tile.row1 + first, tile.state1, tile.mask1, 1, MR_LANES);
    for (uint32_t j = 0; j < n * MR_LANES; j++)
      if (!(fabsl(tile.x1[j] - truth[j]) <= 1e-13L * peak)) {
        fail("sample %u is %.3Lg of the peak off", j, fabsl(tile.x1[j] - truth[j]) / peak);
        break;
      }
    for (uint32_t l = 0; l < MR_LANES; l++)
      if (!(fabsl(tile.state1[l] - z1[l]) <= 1e-13L * peak && fabsl(tile.state1[MR_LANES + l] - z2[l]) <= 1e-13L * peak))
        fail("the state of lane %u is off", l);
  }
}

/* The cubic B-spline by its basis functions; control points that are equal give exactly themselves. */
static void check_rows_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t i = 0; i < (quick ? 10u : 100u); i++) {
    begin_case("rows", 1, ANY_LANES, MR_CELL, 0, 0);
    _Alignas(MR_ALIGN) MrMoving control[4], row[MR_CELL];
    const bool equal = i % 5 == 4;
    for (uint32_t c = 0; c < 4; c++) control[c] = c && equal ? control[0] : moving_of(&section_pool[random_below(POOL)]);
    k->rows(control, 0, MR_CELL, row);
    for (uint32_t f = 0; f < MR_CELL; f++)
      for (uint32_t c = 0; c < 8; c++) {
        const long double t = (long double)f / MR_CELL, u = 1 - t;
        const long double weight[4] = {u * u * u / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
                                       t * t * t / 6};
        long double truth = 0, size = 0;
        for (uint32_t p = 0; p < 4; p++) {
          truth += weight[p] * ((const double*)&control[p])[c];
          size = fmaxl(size, fabsl(((const double*)&control[p])[c]));
        }
        const double got = ((const double*)&row[f])[c];
        if (!(fabsl(got - truth) <= 4e-15L * size)) fail("frame %u, number %u: %.17g, not %.17Lg", f, c, got, truth);
        if (equal && got != ((const double*)control)[c]) fail("frame %u, number %u: equal control points give another number", f, c);
      }
  }
}

static void check_fades_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  for (uint32_t i = 0; i < (quick ? 10u : 100u); i++) {
    begin_case("ramp and mix", 0, ANY_LANES, MR_CELL, 0, 0);
    static double x[MR_CELL * MR_LANES];
    fill(x, MR_CELL * MR_LANES, SIGNAL_NOISE);
    fill(tile.y1, MR_CELL * MR_LANES, SIGNAL_NOISE);
    for (uint32_t f = 0; f < MR_CELL; f++) tile.w1[f] = random_unit();
    memcpy(tile.x1, x, sizeof x);
    k->ramp(tile.x1, MR_CELL, tile.w1);
    for (uint32_t j = 0; j < MR_CELL * MR_LANES; j++) expect(tile.x1[j] == tile.w1[j / MR_LANES] * x[j], "ramp is not the product");
    memcpy(tile.x1, x, sizeof x);
    k->mix(tile.x1, tile.y1, MR_CELL, tile.w1);
    for (uint32_t j = 0; j < MR_CELL * MR_LANES; j++) {
      const long double w = tile.w1[j / MR_LANES], truth = (1 - w) * x[j] + w * tile.y1[j];
      expect(fabsl(tile.x1[j] - truth) <= 4e-16L, "mix is not between its two");
    }
  }
}

/* Where each sample goes: lane l, frame f carries the number 100 l + f. */
static void check_layout_truth(const MrKernels* k, const MrKernels* reference, bool quick) {
  (void)reference;
  (void)quick;
  enum { FRAMES = 37, STRIDE = 11 };
  for (uint32_t t = 0; t < 4; t++) {
    const SampleType type = t & 1 ? SAMPLE_F64 : SAMPLE_F32;
    const bool interleaved = t & 2;
    begin_case(interleaved ? "interleaved layout" : "planar layout", 0, MR_LANES, FRAMES, 0, STRIDE);
    static double from[FRAMES * STRIDE], to[FRAMES * STRIDE];
    void *in[MR_LANES], *out[MR_LANES];
    for (uint32_t l = 0; l < MR_LANES; l++) {
      in[l] = (char*)from + l * FRAMES * size_of(type);
      out[l] = (char*)to + l * FRAMES * size_of(type);
      for (uint32_t f = 0; f < FRAMES; f++) put_sample(type, interleaved ? from : in[l], interleaved ? f * STRIDE + l : f, 100.0 * l + f);
    }
    for (uint32_t l = 0; l < MR_LANES; l++) io.gain1[l] = l + 1;
    if (interleaved)
      load_interleaved(k, type, from, STRIDE, MR_LANES, FRAMES, io.x1);
    else
      load_planar(k, type, in, FRAMES, io.x1);
    for (uint32_t i = 0; i < FRAMES * MR_LANES; i++)
      expect((uint32_t)io.x1[i] == 100 * (i % MR_LANES) + i / MR_LANES, "a sample is not in its place");
    if (interleaved)
      store_interleaved(k, type, io.x1, FRAMES, io.gain1, to, STRIDE, MR_LANES);
    else
      store_planar(k, type, io.x1, FRAMES, io.gain1, out);
    for (uint32_t l = 0; l < MR_LANES; l++)
      for (uint32_t f = 0; f < FRAMES; f++) {
        const void* buffer = interleaved ? to : out[l];
        const uint32_t index = interleaved ? f * STRIDE + l : f;
        const double got = type == SAMPLE_F32 ? (double)((const float*)buffer)[index] : ((const double*)buffer)[index];
        expect(got == (100.0 * l + f) * (l + 1), "a sample came back to another place, or with another gain");
      }
  }
}

static void check_truth(const Level* level, bool quick) {
  static const struct {
    const char* name;
    Check* check;
  } truths[] = {
      {"run_settled: truth", check_settled_truth},
      {"run_moving: truth", check_moving_truth},
      {"run_moving: truth of changing coefficients", check_moving_varying_truth},
      {"rows: truth", check_rows_truth},
      {"ramp, mix: truth", check_fades_truth},
      {"loads, stores: truth of the layout", check_layout_truth},
  };
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
    run_line(level->name, truths[i].name, truths[i].check, level->kernels, level->reference, quick);
}

#endif
