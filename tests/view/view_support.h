/* What tests of the view share: banks from text, and responses by arithmetic that the library does not use.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_VIEW_SUPPORT_H
#define MILLRACE_TESTS_VIEW_SUPPORT_H

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/curves.h"

typedef struct Scene {
  MrBank* bank;
  MrProgram* program;
  MrSubject* subject;
} Scene;

static inline Scene scene_of(const char* text, uint32_t channels, double fs) {
  const MrReadOptions options = {.channels = channels, .fs = fs};
  MrStatus status;
  Scene scene;
  scene.bank = mr_bank_read_text(NULL, text, strlen(text), "test", &options, NULL, &status);
  assert_non_null(scene.bank);
  scene.program = mr_program_new(scene.bank, fs, NULL, &status);
  assert_non_null(scene.program);
  scene.subject = mr_subject_from_program(scene.bank, scene.program, fs, NULL, &status);
  assert_non_null(scene.subject);
  return scene;
}

static inline void scene_free(Scene* scene) {
  mr_subject_free(scene->subject);
  mr_program_free(scene->program);
  mr_bank_free(scene->bank);
}

static inline MrCurves* scene_curves(const Scene* scene, bool bands) {
  MrCurvesOptions options = {
      .points = 192, .tolerance_db = 0.02, .floor_db = -200, .phase = true, .delay = true, .bands = bands, .off = true};
  MrStatus status;
  const MrSubject* const subject[] = {scene->subject};
  mr_curves_choose_range(subject, 1, &options.least_hz, &options.most_hz);
  MrCurves* curves = mr_curves_new(subject, 1, &options, &status);
  assert_non_null(curves);
  return curves;
}

/* H of a channel of the program at f from b0 .. a2, in long double. */
static inline double complex response_at(const MrProgram* program, uint32_t channel, double fs, double f) {
  const long double w = 2 * 3.14159265358979323846264338327950288L * (long double)f / (long double)fs;
  const long double complex z = cosl(w) - sinl(w) * I; /* 1/z */
  long double complex h = (long double)mr_program_gain(program, channel);
  for (uint32_t k = 0; k < mr_program_sections(program, channel); k++) {
    const MrBiquad q = mr_section_to_biquad(mr_program_section(program, channel, k));
    h *= ((long double)q.b0 + (long double)q.b1 * z + (long double)q.b2 * z * z) / (1 + (long double)q.a1 * z + (long double)q.a2 * z * z);
  }
  return (double complex)h;
}

static inline double db_at(const MrProgram* program, uint32_t channel, double fs, double f) {
  return 20 * log10(cabs(response_at(program, channel, fs, f)));
}

#endif
