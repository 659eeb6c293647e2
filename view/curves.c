/* Curves: responses along a grid that follows them.
   SPDX-License-Identifier: ISC */
#include "curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roots.h"
#include "text.h"

#define DEEPEST         10    /* halvings of an interval between two points of the first grid */
#define CLOSEST         1e-6  /* points to each other, a part of their frequency: 9 digits tell them apart */
#define SHARP           3.0   /* Q of roots that get a point of their own */
#define PHASE_TOLERANCE 0.02  /* radians */
#define DELAY_TOLERANCE 0.002 /* of the longest */
#define SILENT_DB       0.05  /* a band that is off and nowhere does more is not shown */

enum { MAGNITUDE, PHASE, DELAY, VALUES };

/* The curves under way: columns of VALUES numbers a curve, in the order in which they were worked out, and that order by frequency. */
typedef struct Build {
  const MrCurvesOptions* options;
  const MrSubject** of; /* by curve, as the next one */
  const MrPart** part;
  uint32_t curves;
  double nyquist;
  double longest; /* delay, in seconds */
  double *frequency, *value;
  size_t columns, room;
  size_t* order;
  size_t ordered, order_room;
  bool failed;
} Build;

static double* column_of(const Build* b, size_t column) { return b->value + column * b->curves * VALUES; }

static bool grow(Build* b) {
  const size_t room = b->room ? b->room * 2 : 1024;
  double* frequency = realloc(b->frequency, room * sizeof *frequency);
  if (frequency) b->frequency = frequency;
  double* value = realloc(b->value, room * b->curves * VALUES * sizeof *value);
  if (value) b->value = value;
  b->failed = !frequency || !value;
  if (!b->failed) b->room = room;
  return !b->failed;
}

static size_t evaluate(Build* b, double f) {
  if (b->failed || (b->columns == b->room && !grow(b))) return 0;
  double* value = column_of(b, b->columns);
  b->frequency[b->columns] = f;
  for (uint32_t c = 0; c < b->curves; c++, value += VALUES) {
    const MrPart* part = b->part[c];
    value[MAGNITUDE] = value[PHASE] = value[DELAY] = NAN;
    if (f > part->rate / 2) continue;
    if (part->gain == 0) {
      value[MAGNITUDE] = -INFINITY;
      continue; /* silence has no phase */
    }
    const MrPoint point = mr_sections_response(b->of[c]->section + part->first, part->sections, part->gain, part->rate, f);
    value[MAGNITUDE] = point.magnitude_db;
    value[PHASE] = point.phase;
    value[DELAY] = point.group_delay + part->delay / part->rate;
  }
  return b->columns++;
}

static void emit(Build* b, size_t column) {
  if (b->failed) return;
  if (b->ordered == b->order_room) {
    const size_t room = b->order_room ? b->order_room * 2 : 1024;
    size_t* order = realloc(b->order, room * sizeof *order);
    b->failed = !order;
    if (!order) return;
    b->order = order;
    b->order_room = room;
  }
  b->order[b->ordered++] = column;
}

static double above(double db, double floor_db) { return db > floor_db ? db : floor_db; }

/* Whether a straight line from a to z would miss what lies at m between them. */
static bool misses(const Build* b, size_t a, size_t m, size_t z) {
  const MrCurvesOptions* o = b->options;
  const double *x = column_of(b, a), *y = column_of(b, m), *w = column_of(b, z);
  for (uint32_t c = 0; c < b->curves; c++, x += VALUES, y += VALUES, w += VALUES) {
    if (isnan(x[MAGNITUDE]) || isnan(w[MAGNITUDE])) continue;
    const double line = (above(x[MAGNITUDE], o->floor_db) + above(w[MAGNITUDE], o->floor_db)) / 2;
    if (fabs(above(y[MAGNITUDE], o->floor_db) - line) > o->tolerance_db) return true;
    const bool heard = y[MAGNITUDE] > o->floor_db;
    const double turn = remainder(w[PHASE] - x[PHASE], 2 * M_PI);
    if (o->phase && heard && fabs(remainder(y[PHASE] - x[PHASE] - turn / 2, 2 * M_PI)) > PHASE_TOLERANCE) return true;
    if (o->delay && heard && fabs(y[DELAY] - (x[DELAY] + w[DELAY]) / 2) > DELAY_TOLERANCE * b->longest) return true;
  }
  return false;
}

static void refine(Build* b, size_t a, size_t z, int deeper) { /* NOLINT(misc-no-recursion): DEEPEST at most */
  if (b->frequency[z] < b->frequency[a] * (1 + 4 * CLOSEST)) return;
  const size_t m = evaluate(b, sqrt(b->frequency[a] * b->frequency[z]));
  if (b->failed) return;
  const bool more = deeper > 0 && misses(b, a, m, z);
  if (more) refine(b, a, m, deeper - 1);
  emit(b, m);
  if (more) refine(b, m, z, deeper - 1);
}

/* ------------------------------------------------------------ first grid */

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

typedef struct Grid {
  double* f;
  size_t n, room;
} Grid;

static void grid_add(Grid* grid, const MrCurvesOptions* options, double f) {
  if (grid->n < grid->room && f > options->least_hz && f < options->most_hz) grid->f[grid->n++] = f;
}

static size_t count_sections(const Build* b) {
  size_t sections = 0;
  for (uint32_t c = 0; c < b->curves; c++) sections += b->part[c]->sections;
  return sections;
}

/* Even steps, Nyquist and what stands just above it, and the frequencies of roots that are sharp; none twice. */
static bool grid_make(const Build* b, Grid* grid) {
  const MrCurvesOptions* o = b->options;
  grid->room = o->points + 2 * count_sections(b) + 4;
  grid->f = malloc(grid->room * sizeof *grid->f);
  if (!grid->f) return false;
  for (uint32_t i = 1; i + 1 < o->points; i++) grid_add(grid, o, o->least_hz * pow(o->most_hz / o->least_hz, (double)i / (o->points - 1)));
  for (uint32_t c = 0; c < b->curves; c++)
    for (uint32_t k = 0; k < b->part[c]->sections; k++) {
      const MrRootPair pair = mr_root_pair(&b->of[c]->section[b->part[c]->first + k], b->part[c]->rate);
      if (pair.pole_q > SHARP) grid_add(grid, o, pair.pole);
      if (pair.zero_q > SHARP) grid_add(grid, o, pair.zero);
    }
  grid_add(grid, o, b->nyquist);
  grid_add(grid, o, b->nyquist * (1 + CLOSEST));
  qsort(grid->f, grid->n, sizeof *grid->f, compare);
  return true;
}

static void first_grid(Build* b) {
  Grid grid = {NULL, 0, 0};
  b->failed = !grid_make(b, &grid);
  size_t last = evaluate(b, b->options->least_hz), count = 1;
  for (size_t i = 0; i < grid.n && !b->failed; i++) {
    const double close = grid.f[i] / b->frequency[last] - 1;
    if (close > CLOSEST || (close > 0 && grid.f[i] > b->nyquist)) last = evaluate(b, grid.f[i]), count++;
  }
  evaluate(b, b->options->most_hz);
  free(grid.f);
  for (size_t i = 0; !b->failed && i < b->columns * b->curves; i++) {
    const double delay = b->value[i * VALUES + DELAY];
    if (isfinite(delay)) b->longest = fmax(b->longest, fabs(delay));
  }
  for (size_t i = 0; i < count && !b->failed; i++) {
    emit(b, i);
    const bool at_nyquist = b->frequency[i] <= b->nyquist && b->frequency[i + 1] > b->nyquist;
    if (!at_nyquist) refine(b, i, i + 1, DEEPEST);
  }
  emit(b, count);
}

/* ---------------------------------------------------------------- curves */

/* A band that is off and yet has a shape. */
static bool has_shape(const MrSubject* subject, const MrPart* part, const MrCurvesOptions* o) {
  for (int i = 0; i <= 64; i++) {
    const double f = o->least_hz * pow(o->most_hz / o->least_hz, i / 64.0);
    if (f > part->rate / 2) break;
    const MrPoint point = mr_sections_response(subject->section + part->first, part->sections, part->gain, part->rate, f);
    if (fabs(point.magnitude_db) > SILENT_DB) return true;
  }
  return false;
}

static bool is_shown(const MrSubject* subject, const MrPart* band, const MrCurvesOptions* o) {
  return !band->off || (o->off && has_shape(subject, band, o));
}

static void name_whole(const MrGroup* group, const char* subject, MrCurve* curve) {
  const char* channels = group->whole.name;
  char cut[52] = "", small[MR_VIEW_NAME], name[2 * MR_VIEW_NAME]; /* "room.txt, channels 1-2" */
  snprintf(small, sizeof small, "%s", channels);
  if (subject && small[0] == 'C') small[0] = 'c';
  if (subject) mr_text_clean(subject, cut, sizeof cut);
  snprintf(name, sizeof name, "%s%s%s%s", cut, subject && *channels ? ", " : "", small,
           group->whole.gain == 0 ? " (silent)"
           : group->mixes         ? " (of its mix)"
                                  : "");
  mr_text_clean(name, curve->name, sizeof curve->name);
}

static void set_curve(Build* b, MrCurve* curve, const MrSubject* subject, const MrPart* part, MrCurveRole role, uint32_t hue) {
  *curve = (MrCurve){.role = role, .hue = hue, .off = part->off, .number = part->number, .frequency = part->frequency};
  memcpy(curve->name, part->name, sizeof curve->name);
  b->of[b->curves] = subject;
  b->part[b->curves++] = part;
}

static void set_curves(Build* b, MrCurves* curves, const MrSubject* const* subject, uint32_t subjects) {
  const MrCurvesOptions* o = b->options;
  uint32_t hue = 0;
  for (uint32_t s = 0; o->bands && s < subjects; s++)
    for (uint32_t i = 0; i < subject[s]->bands; i++)
      if (is_shown(subject[s], &subject[s]->band[i], o))
        set_curve(b, &curves->curve[curves->curves++], subject[s], &subject[s]->band[i], MR_CURVE_BAND, hue++);
  hue = 0;
  for (uint32_t s = 0; s < subjects; s++)
    for (uint32_t g = 0; g < subject[s]->groups; g++) {
      MrCurve* curve = &curves->curve[curves->curves++];
      set_curve(b, curve, subject[s], &subject[s]->group[g].whole, MR_CURVE_WHOLE, hue++);
      name_whole(&subject[s]->group[g], o->names ? o->names[s] : NULL, curve);
    }
}

static bool take_values(const Build* b, MrCurves* curves) {
  curves->points = (uint32_t)b->ordered;
  curves->frequency = malloc(b->ordered * sizeof *curves->frequency);
  if (!curves->frequency) return false;
  for (size_t i = 0; i < b->ordered; i++) curves->frequency[i] = b->frequency[b->order[i]];
  for (uint32_t c = 0; c < curves->curves; c++) {
    MrCurve* curve = &curves->curve[c];
    double** const to[VALUES] = {&curve->magnitude_db, &curve->phase, &curve->group_delay};
    for (int v = 0; v < VALUES; v++) {
      double* values = *to[v] = malloc(b->ordered * sizeof *values);
      if (!values) return false;
      for (size_t i = 0; i < b->ordered; i++) values[i] = column_of(b, b->order[i])[c * VALUES + (size_t)v];
    }
  }
  return true;
}

static uint32_t count_curves(const MrSubject* const* subject, uint32_t subjects) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < subjects; s++) count += subject[s]->groups + subject[s]->bands;
  return count;
}

MrCurves* mr_curves_new(const MrSubject* const* subject, uint32_t subjects, const MrCurvesOptions* options, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  if (!subjects || !(options->least_hz > 0 && options->most_hz > options->least_hz) || options->points < 2) return NULL;
  for (uint32_t s = 1; s < subjects; s++)
    if (subject[s]->fs != subject[0]->fs) return NULL;
  const uint32_t most = count_curves(subject, subjects);
  MrCurves* curves = calloc(1, sizeof *curves);
  Build b = {.options = options, .nyquist = subject[0]->fs / 2};
  b.of = calloc(most, sizeof(const MrSubject*));
  b.part = calloc(most, sizeof(const MrPart*));
  if (curves) curves->curve = calloc(most, sizeof *curves->curve);
  b.failed = !curves || !b.of || !b.part || !curves->curve;
  if (!b.failed) {
    curves->fs = subject[0]->fs;
    set_curves(&b, curves, subject, subjects);
    first_grid(&b);
    b.failed = b.failed || !take_values(&b, curves);
  }
  free(b.of);
  free(b.part);
  free(b.frequency);
  free(b.value);
  free(b.order);
  *status = b.failed ? MR_ERR_MEMORY : MR_OK;
  if (!b.failed) return curves;
  mr_curves_free(curves);
  return NULL;
}

void mr_curves_free(MrCurves* curves) {
  if (!curves) return;
  for (uint32_t c = 0; c < curves->curves; c++) {
    free(curves->curve[c].magnitude_db);
    free(curves->curve[c].phase);
    free(curves->curve[c].group_delay);
  }
  free(curves->curve);
  free(curves->frequency);
  free(curves);
}

double* mr_curves_add_levels(MrCurves* curves, MrCurveRole role, const char* name) {
  double* levels = malloc(curves->points * sizeof *levels);
  MrCurve* larger = levels ? realloc(curves->curve, (curves->curves + 1) * sizeof *larger) : NULL;
  if (!larger) {
    free(levels);
    return NULL;
  }
  curves->curve = larger;
  MrCurve* curve = &larger[curves->curves++];
  *curve = (MrCurve){.role = role, .magnitude_db = levels};
  mr_text_clean(name, curve->name, sizeof curve->name);
  return levels;
}
