/* Draws what banks do: curves, spectra, the file, the report.
   SPDX-License-Identifier: ISC */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "plot.h"
#include "target.h"

#define TOLERANCE_DB 0.01 /* between the points of a curve */
#define FLOOR_DB     (-240.0)
#define FIRST_POINTS 512

static int no_memory(void) {
  mr_say_error("no memory");
  return MR_EXIT_FILE;
}

static int make_curves(MrPlot* p) {
  const MrSubject* subject[MR_PLOT_BANKS];
  const char* names[MR_PLOT_BANKS];
  for (uint32_t i = 0; i < p->banks; ++i) {
    subject[i] = p->bank[i].subject;
    names[i] = p->bank[i].label;
  }
  const MrSubject* const first = p->bank[0].subject;
  const bool alone = p->banks == 1 && first->groups == 1;
  MrCurvesOptions options = {.least_hz = p->least_hz,
                             .most_hz = p->most_hz,
                             .points = FIRST_POINTS,
                             .tolerance_db = TOLERANCE_DB,
                             .floor_db = FLOOR_DB,
                             .phase = p->phase,
                             .delay = p->delay,
                             .bands = p->bands || (alone && !p->no_bands && !p->in && first->bands > 1),
                             .off = true,
                             .names = p->banks > 1 ? names : NULL};
  if (p->most_hz == 0) mr_curves_choose_range(subject, p->banks, &options.least_hz, &options.most_hz);
  MrStatus status = MR_OK;
  p->curves = mr_curves_new(subject, p->banks, &options, &status);
  return p->curves ? MR_EXIT_DONE : no_memory();
}

static int add_level(MrPlot* p, uint32_t index, MrCurveRole role, const char* name) {
  double* const level = mr_curves_add_levels(p->curves, role, name);
  if (!level) return no_memory();
  p->curves->curve[p->curves->curves - 1].hue = index;
  for (uint32_t i = 0; i < p->curves->points; ++i) {
    const double f = p->curves->frequency[i];
    level[i] = f <= p->shared.rate / 2 ? mr_spectrum_level(p->spectrum[index], f, MR_SPECTRUM_OCTAVES) : NAN;
  }
  return MR_EXIT_DONE;
}

static int add_spectra(MrPlot* p, const char* path) {
  MrProgram* program[MR_PLOT_BANKS];
  const MrPreset* preset[MR_PLOT_BANKS];
  char name[MR_VIEW_NAME + 16];
  for (uint32_t i = 0; i < p->banks; ++i) {
    program[i] = p->bank[i].program;
    p->bank[i].program = NULL;
    preset[i] = p->bank[i].preset_name ? &p->bank[i].preset : NULL;
  }
  int code = mr_plot_recording(path, p->in, p->wanted, program, preset, p->banks, p->spectrum);
  for (uint32_t i = 0; i < p->banks; ++i) mr_program_free(program[i]); /* those not taken */
  if (code == MR_EXIT_DONE) code = add_level(p, 0, MR_CURVE_INPUT, "Before");
  for (uint32_t i = 0; i < p->banks && code == MR_EXIT_DONE; ++i) {
    snprintf(name, sizeof name, "After%s%s", p->banks > 1 ? " " : "", p->banks > 1 ? p->bank[i].label : "");
    code = add_level(p, 1 + i, MR_CURVE_OUTPUT, name);
  }
  return code;
}

/* ------------------------------------------------------------- the end */

static const char* role_name(MrCurveRole role) {
  static const char* const names[] = {"whole", "band", "input", "output"};
  return names[role];
}

/* NULL of what JSON has no number for. */
static json_t* number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t* curve_report(const MrCurves* curves, const MrCurve* curve) {
  double least = INFINITY, most = -INFINITY, at = NAN;
  for (uint32_t i = 0; i < curves->points; ++i) {
    const double db = curve->magnitude_db[i];
    if (isnan(db)) continue;
    least = fmin(least, db);
    if (db > most) most = db, at = curves->frequency[i];
  }
  return json_pack("{s:s,s:s,s:b,s:I,s:o,s:o,s:o}", "name", curve->name, "role", role_name(curve->role), "off", (int)curve->off, "number",
                   (json_int_t)curve->number, "most_db", number(most), "at_hz", number(at), "least_db", number(least));
}

static int report(const MrPlot* p, const MrPicture* picture) {
  json_t* const list = json_array();
  for (uint32_t c = 0; c < p->curves->curves; ++c) json_array_append_new(list, curve_report(p->curves, &p->curves->curve[c]));
  json_t* const object = json_pack("{s:s,s:s,s:f,s:f,s:f,s:I,s:I,s:[f,f],s:[f,f],s:o}", "output", p->output, "format",
                                   mr_plot_format_name(p->format), "width", p->width, "height", p->height, "rate", p->shared.rate,
                                   "channels", (json_int_t)p->shared.channels, "points", (json_int_t)p->curves->points, "frequencies",
                                   picture->least_hz, picture->most_hz, "range", picture->least_db, picture->most_db, "curves", list);
  const bool ok = object && json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12)) == 0;
  json_decref(object);
  if (!ok) return no_memory();
  putchar('\n');
  return MR_EXIT_DONE;
}

static int write_it(MrPlot* p) {
  char why[MR_WHY] = "", rate[32], note[64];
  mr_subject_name_frequency(p->shared.rate, rate, sizeof rate);
  const bool passes = p->banks == 1 && p->bank[0].passes;
  snprintf(note, sizeof note, "at %s%s", rate, passes ? ", bypassed" : "");
  const char* const title = p->title ? p->title : p->banks == 1 ? p->bank[0].label : NULL;
  MrPicture picture = {.curves = p->curves,
                       .title = title && *title ? title : NULL,
                       .note = note,
                       .least_db = p->least_db,
                       .most_db = p->most_db,
                       .dark = p->dark,
                       .dimmed = passes,
                       .phase = p->phase,
                       .delay = p->delay};
  mr_picture_choose(&picture);
  if (p->width == 0) {
    p->width = 1200;
    p->height = 600 + 280.0 * (p->phase + p->delay);
  }
  mr_target_watch_signals();
  const bool written = mr_plot_write(p->output, p->format, &picture, p->width, p->height, why);
  mr_target_unwatch_signals();
  if (!written) {
    mr_say_error("%s: %s", p->output, why);
    return MR_EXIT_FILE;
  }
  return p->json ? report(p, &picture) : MR_EXIT_DONE;
}

int mr_plot_draw(MrPlot* p, const char* recording) {
  int code = make_curves(p);
  if (code == MR_EXIT_DONE && recording) code = add_spectra(p, recording);
  return code == MR_EXIT_DONE ? write_it(p) : code;
}
