/* Least-squares fits of |H|^2 of second-order sections to that of the analogue filter.
   SPDX-License-Identifier: ISC */
#include "matched_fit.h"

#include <math.h>

#include "angle.h"

enum { RELATIVE = 11, FIXED = 11, ANCHORS = 5, UNKNOWNS = 4 };

static const double ceiling = 0.4535; /* f / fs: top of the matched range */
static const double highest_node = 0.499;
static const double offset[RELATIVE] = {0.0, 0.35, -0.35, 0.8, -0.8, 1.6, -1.6, 3.5, -3.5, 8.0, -8.0};
static const double fixed_node[FIXED] = {0.006, 0.05, 0.11, 0.17, 0.23, 0.29, 0.34, 0.38, 0.41, 0.435, 0.4535};
/* sin^2(pi nu) of those: at 48 kHz and below they are the same for every design. */
static const double fixed_x[FIXED] = {0.00035526367970537626, 0.024471741852423214, 0.11474337861210538, 0.25912316294914236,
                                      0.43733338321784788,    0.62434494358242739,  0.76791339748949831, 0.86448431371070576,
                                      0.92216396275100754,    0.95887731284199057,  0.97881082297882111};
static const double anchor_x[ANCHORS] = {0.2, 0.5, 0.8, 0.93, 1.0};

/* Weights of the nodes, found by a search over the whole range of parameters for the smallest largest error in dB. */
typedef struct Weights {
  double relative[6]; /* by the offset's size */
  double fixed[FIXED];
  double anchor, anchor_growth; /* the anchors weigh more above 0.44 fs */
  double bell_gain;             /* bell: the gain at which its two halves are weighed */
  double floor;                 /* of relative nodes above the ceiling */
} Weights;

static const Weights weights_of[] = {
    [MR_FIT_BELL] = {{0.775, 0.627, 0.4, 0.251, 0.619, 0.554},
                     {0.125, 0.128, 0.154, 0.338, 0.308, 0.494, 0.572, 0.595, 0.746, 0.969, 1.11},
                     0.00687,
                     2.5,
                     3.12,
                     0.17},
    [MR_FIT_LOWPASS] = {{0.138, 0.795, 0.44, 0.133, 0.123, 0.116},
                        {0.17, 0.123, 0.698, 0.294, 0.141, 0.532, 0.791, 0.197, 0.641, 1.0, 0.917},
                        0.0201,
                        0.25,
                        0.0,
                        0.17},
    [MR_FIT_HIGHPASS] = {{0.193, 0.232, 0.0929, 0.12, 0.177, 0.343},
                         {0.287, 0.172, 0.968, 0.997, 0.909, 0.81, 0.751, 0.685, 0.787, 0.85, 1.03},
                         0.00267,
                         0.25,
                         0.0,
                         0.17},
    [MR_FIT_BANDPASS] = {{0.321, 0.28, 1.1, 0.789, 0.104, 0.365},
                         {0.271, 0.309, 0.28, 1.29, 2.23, 0.164, 0.117, 0.108, 0.974, 2.31, 0.916},
                         0.021,
                         0.25,
                         0.0,
                         0.17},
    [MR_FIT_NOTCH] = {{0.212, 0.0916, 0.0922, 0.139, 0.138, 0.185},
                      {0.129, 0.125, 0.0995, 0.154, 0.264, 0.0527, 0.392, 0.224, 0.117, 1.53, 1.08},
                      0.0544,
                      0.0,
                      0.0,
                      0.0},
    [MR_FIT_HIGHSHELF] = {{0.465, 0.258, 0.176, 0.302, 0.326, 0.611},
                          {0.334, 0.98, 0.854, 0.654, 0.879, 0.68, 0.807, 0.665, 0.933, 0.817, 1.0},
                          0.00586,
                          0.25,
                          0.0,
                          0.17},
};

double mr_smooth_step(double z) {
  z = z > 0.0 ? (z < 1.0 ? z : 1.0) : 0.0;
  return z * z * (3.0 - 2.0 * z);
}

/* sin(pi nu), |nu| <= 1/2: Taylor's series, whose rest is below 2^-59. Written out since a fit takes dozens of them. */
static inline double sin_pi(double nu) {
  const double z = MR_PI * nu, y = z * z;
  double sum = -1.0 / 51090942171709440000.0; /* 21! */
  sum = sum * y + 1.0 / 121645100408832000.0;
  sum = sum * y - 1.0 / 355687428096000.0;
  sum = sum * y + 1.0 / 1307674368000.0;
  sum = sum * y - 1.0 / 6227020800.0;
  sum = sum * y + 1.0 / 39916800.0;
  sum = sum * y - 1.0 / 362880.0;
  sum = sum * y + 1.0 / 5040.0;
  sum = sum * y - 1.0 / 120.0;
  sum = sum * y + 1.0 / 6.0;
  return z - z * y * sum;
}

static inline double sin2_pi(double nu) {
  const double s = sin_pi(nu);
  return s * s;
}

/* sin(pi nu) / (pi nu), |nu| <= 1. */
static double sinc(double nu) {
  const double size = fabs(nu);
  if (size < 1e-9) return 1.0;
  return sin_pi(size <= 0.5 ? size : 1.0 - size) / (MR_PI * size);
}

typedef struct Base {
  double g, b; /* v = g x / (1 - b x) */
} Base;

static Base base_of(double nu0) {
  const double n = fmin(nu0, ceiling), x0 = sin2_pi(n), u = 4.0 * MR_PI * MR_PI * n * n;
  const double ratio = n / ceiling, b = 0.53 + 0.12 * (ratio * ratio) * (ratio * ratio);
  return (Base){u * (1.0 - b * x0) / x0 / (4.0 * MR_PI * MR_PI * nu0 * nu0), b};
}

/* What the rows of a fit are made from. */
typedef struct Fit {
  MrFitKind kind;
  int unknowns;
  double nu0, inverse_nu0, q2, a, a2; /* q2 = 1/Q^2 */
  double xs, inverse_xs, t0, k1, k2, shelf_m;
  double sinc0; /* notch: sinc(nu0) */
  Base base;
} Fit;

/* A frequency at which the fit looks, and what all rows there need. */
typedef struct Node {
  double x, t, v, weight; /* x = sin^2(pi nu), t = x / xs, v = (nu / nu0)^2 */
  double p, r, gx;        /* the base's stand-ins for 1 and v, and g x */
  double away, start;     /* (1 - v)^2 and (1 - t)^2 */
  double nu;
} Node;

typedef struct Nodes {
  int n;
  Node node[2 * RELATIVE + FIXED];
} Nodes;

typedef struct Row {
  double c[UNKNOWNS], right;
} Row;

/* Field by field: a compound literal would be built elsewhere and copied, which costs more than the arithmetic. */
static inline void set_row(Row* row, double weight, double a, double b, double c, double d, double right) {
  row->c[0] = weight * a;
  row->c[1] = weight * b;
  row->c[2] = weight * c;
  row->c[3] = weight * d;
  row->right = weight * right;
}

/* Normal equations; upper triangle. */
typedef struct Normal {
  double m[UNKNOWNS][UNKNOWNS], y[UNKNOWNS];
} Normal;

static Normal normal_equations(const Row* rows, int n) {
  double m00 = 0.0, m01 = 0.0, m02 = 0.0, m03 = 0.0, m11 = 0.0, m12 = 0.0, m13 = 0.0, m22 = 0.0, m23 = 0.0, m33 = 0.0;
  double y0 = 0.0, y1 = 0.0, y2 = 0.0, y3 = 0.0;
  for (int k = 0; k < n; ++k) {
    const double a = rows[k].c[0], b = rows[k].c[1], c = rows[k].c[2], d = rows[k].c[3], right = rows[k].right;
    m00 += a * a;
    m01 += a * b;
    m02 += a * c;
    m03 += a * d;
    m11 += b * b;
    m12 += b * c;
    m13 += b * d;
    m22 += c * c;
    m23 += c * d;
    m33 += d * d;
    y0 += a * right;
    y1 += b * right;
    y2 += c * right;
    y3 += d * right;
  }
  return (Normal){{{m00, m01, m02, m03}, {0.0, m11, m12, m13}, {0.0, 0.0, m22, m23}, {0.0, 0.0, 0.0, m33}}, {y0, y1, y2, y3}};
}

/* Rows and columns scaled to a unit diagonal, then L D L^T without pivoting (the matrix is positive). */
static void solve(const Normal* normal, int n, double y[UNKNOWNS]) {
  double l[UNKNOWNS][UNKNOWNS] = {{0.0}}, d[UNKNOWNS] = {0.0}, scale[UNKNOWNS] = {0.0};
  for (int i = 0; i < n; ++i) scale[i] = 1.0 / sqrt(normal->m[i][i]);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = normal->m[j][i] * scale[i] * scale[j];
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k] * d[k];
      if (i == j)
        d[i] = sum;
      else
        l[i][j] = sum / d[j];
    }
  }
  for (int i = 0; i < n; ++i) {
    y[i] = normal->y[i] * scale[i];
    for (int k = 0; k < i; ++k) y[i] -= l[i][k] * y[k];
  }
  for (int i = n - 1; i >= 0; --i) {
    y[i] /= d[i];
    for (int k = i + 1; k < n; ++k) y[i] -= l[k][i] * y[k];
  }
  for (int i = 0; i < n; ++i) y[i] *= scale[i];
}

static void add_node(const Fit* f, double nu, double x, double weight, Nodes* nodes) {
  Node* node = &nodes->node[nodes->n++];
  const double lean = 1.0 - f->base.b * x, ratio = nu * f->inverse_nu0;
  node->nu = nu;
  node->x = x;
  node->weight = weight;
  node->t = x * f->inverse_xs;
  node->v = ratio * ratio;
  node->gx = f->base.g * x;
  node->p = lean * lean;
  node->r = node->gx * lean;
  node->away = (1.0 - node->v) * (1.0 - node->v);
  node->start = (1.0 - node->t) * (1.0 - node->t);
}

/* How far the section is from the analogue filter at each node, linear in the unknowns. */
static void node_rows(const Fit* f, const Nodes* nodes, Row* rows) {
  const double q2 = f->q2, k1 = f->k1, k2 = f->k2, a2 = f->a2, m = f->shelf_m, inverse_a2 = 1.0 / a2;
  for (int k = 0; k < nodes->n; ++k) {
    const Node* at = &nodes->node[k];
    const double x = at->x, t = at->t, v = at->v, weight = at->weight;
    switch (f->kind) {
      /* phi = away / v; numerator and denominator of its formulas are multiplied by v, which saves a division. */
      case MR_FIT_BELL: {
        const double g = weight * (k1 - k2) * v / ((at->away + k1 * v) * (at->away + k2 * v) * at->r);
        set_row(&rows[k], g, t * v, t * t * v, -at->away * t, -at->away * t * x, at->away * t - at->start * v);
        break;
      }
      case MR_FIT_BANDPASS: {
        const double g = weight / ((at->away + q2 * v) * at->r);
        set_row(&rows[k], g, t * v, t * t * v, -at->away * t, -at->away * t * x, at->away * t - at->start * v);
        break;
      }
      case MR_FIT_NOTCH: {
        const double phi = at->away / v, g = weight * q2 / ((phi + q2) * at->r);
        double quotient; /* V / phi; near the null as a product, since both vanish there */
        if (f->nu0 < 0.47) {
          const double ratio = sinc(at->nu - f->nu0) * sinc(at->nu + f->nu0) / (sqrt(x) / (MR_PI * at->nu) * f->sinc0);
          quotient = ratio * ratio * t / f->t0;
        } else {
          quotient = (1.0 - t / f->t0) * (1.0 - t / f->t0) / fmax(phi, 1e-12);
        }
        set_row(&rows[k], g, t, t * x, 0.0, 0.0, quotient - t);
        break;
      }
      case MR_FIT_LOWPASS: {
        const double h = at->away + q2 * v, g = weight / (h * at->p);
        set_row(&rows[k], g, t, t * t, -h * x, -h * x * x, h - (at->start + q2 * t));
        break;
      }
      case MR_FIT_HIGHPASS: {
        const double h = (at->away + q2 * v) / (v * v), g = weight / (h * at->gx * at->gx);
        set_row(&rows[k], g, t, t * t, -h * t * t, 0.0, h * t * t - (at->start + q2 * t));
        break;
      }
      case MR_FIT_HIGHSHELF: {
        const double d = a2 - m * v + v * v, n = a2 * (a2 * v * v - m * v + 1.0);
        const double gamma = v * ((a2 + 1.0) * v - m) / d;
        const double db = (a2 * at->p + at->gx * at->gx - m * at->r) * inverse_a2, g = weight * f->a * d / (n * db);
        const double d0 = 1.0 + (t - m) * t * inverse_a2, p0 = t * ((a2 + 1.0) * t - m) * inverse_a2;
        set_row(&rows[k], g, t, t * t, -gamma * t, -gamma * t * t, gamma * d0 - p0);
        break;
      }
    }
  }
}

/* Two weak rows that hold the polynomials near the base at x. */
static void anchor_rows(const Fit* f, double x, double weight, Row rows[2]) {
  const double t = x * f->inverse_xs, lean = 1.0 - f->base.b * x, gx = f->base.g * x;
  const double p = lean * lean, r = gx * lean, c = gx * gx, q2 = f->q2;
  const double start = (1.0 - t) * (1.0 - t), va = p - 2.0 * r + c, da = va + q2 * r;
  const double ir = weight / r, id = weight / da;
  switch (f->kind) {
    case MR_FIT_BELL:
    case MR_FIT_BANDPASS:
      set_row(&rows[0], id, t, t * t, 0.0, 0.0, va - start);
      set_row(&rows[1], ir, 0.0, 0.0, t, t * x, r - t);
      break;
    case MR_FIT_NOTCH:
      set_row(&rows[0], ir, t, t * x, 0.0, 0.0, r - t);
      set_row(&rows[1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
      break;
    case MR_FIT_LOWPASS:
      set_row(&rows[0], id, t, t * t, 0.0, 0.0, da - start - q2 * t);
      set_row(&rows[1], weight / p, 0.0, 0.0, x, x * x, p - 1.0);
      break;
    case MR_FIT_HIGHPASS:
      set_row(&rows[0], id, t, t * t, 0.0, 0.0, da - start - q2 * t);
      set_row(&rows[1], weight / c, 0.0, 0.0, t * t, 0.0, c - t * t);
      break;
    case MR_FIT_HIGHSHELF:
    default: {
      const double a2 = f->a2, m = f->shelf_m;
      const double dr = (a2 * p + c - m * r) / a2, pr = ((a2 + 1.0) * c - m * r) / a2, nr = dr + (a2 - 1.0) * pr;
      const double d0 = 1.0 - m / a2 * t + t * t / a2, p0 = t * ((a2 + 1.0) * t - m) / a2;
      const double e = f->a / nr, e2 = e / (a2 + 1.0);
      set_row(&rows[0], weight / dr, 0.0, 0.0, t, t * t, dr - d0);
      set_row(&rows[1], weight, t * e, t * t * e, t * e2, t * t * e2, (pr - p0) * e + (dr - d0) * e2);
      break;
    }
  }
}

static Fit make_fit(MrFitKind kind, double nu0, double q, double a) {
  Fit f = {.kind = kind, .nu0 = nu0, .q2 = 1.0 / (q * q), .a = a, .a2 = a * a, .base = base_of(nu0)};
  f.unknowns = kind == MR_FIT_NOTCH ? 2 : kind == MR_FIT_HIGHPASS ? 3 : 4;
  f.xs = sin2_pi(fmin(nu0, 0.3));
  f.inverse_xs = 1.0 / f.xs;
  f.inverse_nu0 = 1.0 / nu0;
  const double gain = weights_of[MR_FIT_BELL].bell_gain;
  f.k1 = gain * gain * f.q2;
  f.k2 = f.q2 / (gain * gain);
  f.shelf_m = a * (2.0 - f.q2);
  if (kind == MR_FIT_NOTCH) { /* the null is exact up to 0.47 fs, then leaves for beyond Nyquist */
    const double blend = mr_smooth_step((nu0 - 0.47) / 0.03), x0 = nu0 < 0.5 ? sin2_pi(nu0) : 1.0;
    f.t0 = (x0 * (1.0 - blend) + blend / (f.base.b + f.base.g)) / f.xs;
    f.sinc0 = nu0 < 0.47 ? sinc(nu0) : 1.0;
  }
  return f;
}

/* The nodes around f0 at offsets that shrink with the bandwidth; `shift` moves them (a shelf has two sets). */
static void add_relative_nodes(const Fit* f, const Weights* weights, double shift, Nodes* nodes) {
  const double h = 0.5 * sqrt(f->q2), centre = f->nu0 * shift;
  for (int k = 0; k < RELATIVE; ++k) {
    const double c = offset[k] * h, nu = centre * (sqrt(1.0 + c * c) + c), used = nu < highest_node ? nu : highest_node;
    const double share = weights->floor + (1.0 - weights->floor) * mr_smooth_step((ceiling + 0.01 - nu) * 50.0);
    add_node(f, used, sin2_pi(used), weights->relative[(k + 1) / 2] * share, nodes);
  }
}

static void add_fixed_nodes(const Fit* f, const Weights* weights, double node_scale, Nodes* nodes) {
  for (int k = 0; k < FIXED; ++k) {
    const double nu = fixed_node[k] * node_scale;
    add_node(f, nu, node_scale == 1.0 ? fixed_x[k] : sin2_pi(nu), weights->fixed[k], nodes);
  }
}

MrPower mr_matched_fit(MrFitKind kind, double nu0, double q, double a, double node_scale) {
  const Weights* weights = &weights_of[kind];
  const Fit f = make_fit(kind, nu0, q, a);
  Nodes nodes;
  nodes.n = 0;
  Row rows[2 * RELATIVE + FIXED + 2 * ANCHORS];
  if (kind == MR_FIT_HIGHSHELF) {
    const double root = sqrt(a);
    add_relative_nodes(&f, weights, root, &nodes);
    add_relative_nodes(&f, weights, 1.0 / root, &nodes);
  } else {
    add_relative_nodes(&f, weights, 1.0, &nodes);
  }
  add_fixed_nodes(&f, weights, node_scale, &nodes);
  node_rows(&f, &nodes, rows);
  const double anchor = weights->anchor * (1.0 + weights->anchor_growth * mr_smooth_step((nu0 - 0.44) / 0.06));
  for (int k = 0; k < ANCHORS; ++k) anchor_rows(&f, anchor_x[k], anchor, rows + nodes.n + 2 * k);
  const Normal normal = normal_equations(rows, nodes.n + 2 * ANCHORS);
  double y[UNKNOWNS] = {0.0};
  solve(&normal, f.unknowns, y);

  const double xs = f.xs, q2 = f.q2, a2 = f.a2;
  MrPower power = {.xs = xs};
  switch (kind) {
    case MR_FIT_BELL:
      power.n = (MrQuadratic){1.0, 1.0, y[0] + q2 * a2 * (1.0 + y[2]), y[1] + q2 * a2 * xs * y[3]};
      power.d = (MrQuadratic){1.0, 1.0, y[0] + q2 / a2 * (1.0 + y[2]), y[1] + q2 / a2 * xs * y[3]};
      break;
    case MR_FIT_BANDPASS:
      power.n = (MrQuadratic){0.0, 0.0, q2 * (1.0 + y[2]), q2 * xs * y[3]};
      power.d = (MrQuadratic){1.0, 1.0, y[0] + power.n.d1, y[1] + power.n.d2};
      break;
    case MR_FIT_NOTCH:
      power.n = (MrQuadratic){1.0, 1.0 / f.t0, 0.0, 0.0};
      power.d = (MrQuadratic){1.0, 1.0 / f.t0, q2 * (1.0 + y[0]), q2 * xs * y[1]};
      break;
    case MR_FIT_LOWPASS:
      power.n = (MrQuadratic){1.0, 0.0, xs * y[2], xs * xs * y[3]};
      power.d = (MrQuadratic){1.0, 1.0, q2 + y[0], y[1]};
      break;
    case MR_FIT_HIGHPASS:
      power.n = (MrQuadratic){0.0, 1.0, 0.0, y[2]};
      power.d = (MrQuadratic){1.0, 1.0, q2 + y[0], y[1]};
      break;
    case MR_FIT_HIGHSHELF:
      power.n = (MrQuadratic){1.0, a, a * q2 + y[2] + (a2 - 1.0) * y[0], y[3] + (a2 - 1.0) * y[1]};
      power.d = (MrQuadratic){1.0, 1.0 / a, q2 / a + y[2], y[3]};
      break;
  }
  return power;
}

MrPower mr_matched_base(MrFitKind kind, double nu0, double q, double a) {
  const double xs = sin2_pi(fmin(nu0, 0.3)), q2 = 1.0 / (q * q);
  const Base base = base_of(nu0);
  const double gx = base.g * xs, c = (base.g + base.b) * xs, bend = -base.g * base.b * xs * xs;
  const MrQuadratic resonance = {1.0, c, q2 * gx, q2 * bend};
  MrPower power = {.xs = xs, .n = resonance, .d = resonance};
  switch (kind) {
    case MR_FIT_BELL:
      power.n = (MrQuadratic){1.0, c, q2 * a * a * gx, q2 * a * a * bend};
      power.d = (MrQuadratic){1.0, c, q2 / (a * a) * gx, q2 / (a * a) * bend};
      break;
    case MR_FIT_LOWPASS:
      power.n = (MrQuadratic){1.0, base.b * xs, 0.0, 0.0};
      break;
    case MR_FIT_HIGHPASS:
      power.n = (MrQuadratic){0.0, gx, 0.0, 0.0};
      break;
    case MR_FIT_BANDPASS:
      power.n = (MrQuadratic){0.0, 0.0, q2 * gx, q2 * bend};
      break;
    case MR_FIT_NOTCH:
      power.n = (MrQuadratic){1.0, c, 0.0, 0.0};
      break;
    case MR_FIT_HIGHSHELF:
      power.n = (MrQuadratic){1.0, (base.b + a * base.g) * xs, q2 * a * gx, q2 * a * bend};
      power.d = (MrQuadratic){1.0, (base.b + base.g / a) * xs, q2 / a * gx, q2 / a * bend};
      break;
  }
  return power;
}
