/* Prints designs for the Python tests, which compare them with oracles of their own.
   SPDX-License-Identifier: ISC

   A line in is words "key=value" (see set() for the keys; several at=Hz, zero=re,im, pole=re,im). A line out is: status, notes, number of
   sections, gain, then s P D e1 e2 of each section, then magnitude_db phase group_delay of each at=, numbers in hexadecimal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../dsp/millrace.h"

enum { MOST_POINTS = 4096, LONGEST_LINE = 1 << 17 };

typedef struct Request {
  MrDesign design;
  MrRoots roots;
  double fs, at[MOST_POINTS];
  unsigned points;
  bool moving, convert;
} Request;

static double number(const char* text) { return strtod(text, NULL); }

static MrComplex complex_number(const char* text) {
  char* rest;
  const double re = strtod(text, &rest);
  return (MrComplex){re, *rest == ',' ? strtod(rest + 1, NULL) : 0.0};
}

static void set(Request* r, const char* key, const char* value) {
  MrDesign* d = &r->design;
  const struct {
    const char* key;
    double* to;
  } numbers[] = {{"fs", &r->fs},           {"fc", &d->fc},
                 {"fc2", &d->fc2},         {"gain", &d->gain_db},
                 {"width", &d->width},     {"ripple", &d->ripple_db},
                 {"stop", &d->stop_db},    {"roots_gain", &d->roots_gain},
                 {"rate", &d->rate},       {"t0", &d->transform[0]},
                 {"t1", &d->transform[1]}, {"t2", &d->transform[2]},
                 {"t3", &d->transform[3]}, {"b0", &d->b[0]},
                 {"b1", &d->b[1]},         {"b2", &d->b[2]},
                 {"a0", &d->a[0]},         {"a1", &d->a[1]},
                 {"a2", &d->a[2]}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
    if (strcmp(key, numbers[k].key) == 0) {
      *numbers[k].to = number(value);
      return;
    }
  }
  const int whole = atoi(value);
  if (strcmp(key, "mode") == 0)
    d->mode = (MrMode)whole;
  else if (strcmp(key, "response") == 0)
    d->response = (MrResponse)whole;
  else if (strcmp(key, "order") == 0)
    d->order = (uint32_t)whole;
  else if (strcmp(key, "unit") == 0)
    d->width_unit = (MrWidthUnit)whole;
  else if (strcmp(key, "corner") == 0)
    d->corner = whole != 0;
  else if (strcmp(key, "weighting") == 0)
    d->weighting = (MrWeighting)whole;
  else if (strcmp(key, "moving") == 0)
    r->moving = whole != 0;
  else if (strcmp(key, "convert") == 0)
    r->convert = whole != 0;
  else if (strcmp(key, "at") == 0 && r->points < MOST_POINTS)
    r->at[r->points++] = number(value);
  else if (strcmp(key, "zero") == 0 && r->roots.zeros < MR_MAX_ROOTS)
    r->roots.zero[r->roots.zeros++] = complex_number(value);
  else if (strcmp(key, "pole") == 0 && r->roots.poles < MR_MAX_ROOTS)
    r->roots.pole[r->roots.poles++] = complex_number(value);
  else if (strcmp(key, "type") != 0) {
    fprintf(stderr, "tool_design: unknown key %s\n", key);
    exit(2);
  }
}

static void answer(const Request* r) {
  MrCascade cascade = {.n = 0};
  uint32_t notes = 0;
  double error_db = 0.0;
  MrStatus status;
  if (r->moving) {
    MrPrototype prototype;
    status = mr_prototype(&r->design, &prototype);
    if (status == MR_OK) status = mr_design_moving(&r->design, &prototype, r->fs, &cascade, &notes);
  } else if (r->convert) {
    status = mr_design_convert(&r->design, r->fs, &cascade, &notes, &error_db);
  } else {
    status = mr_design(&r->design, r->fs, &cascade, &notes);
  }
  printf("%d %u", (int)status, (unsigned)notes);
  if (status == MR_OK) {
    printf(" %u %a", (unsigned)cascade.n, cascade.gain);
    for (uint32_t k = 0; k < cascade.n; ++k) {
      const MrSection* c = &cascade.section[k];
      printf(" %a %a %a %a %a", c->s, c->P, c->D, c->e1, c->e2);
    }
    for (unsigned k = 0; k < r->points; ++k) {
      const MrPoint p = mr_cascade_response(&cascade, r->fs, r->at[k]);
      printf(" %a %a %a", p.magnitude_db, p.phase, p.group_delay);
    }
    if (r->convert) printf(" %a", error_db);
  }
  putchar('\n');
}

int main(void) {
  static char line[LONGEST_LINE];
  static Request r;
  while (fgets(line, sizeof line, stdin) != NULL) {
    const char* type = strstr(line, "type=");
    r = (Request){.design = mr_design_default(type == NULL ? MR_NONE : (MrFilterType)atoi(type + 5)), .fs = 48000.0};
    char* rest = NULL;
    for (char* word = strtok_r(line, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
      char* equals = strchr(word, '=');
      if (equals == NULL) continue;
      *equals = '\0';
      set(&r, word, equals + 1);
    }
    r.design.roots = &r.roots;
    answer(&r);
  }
  return 0;
}
