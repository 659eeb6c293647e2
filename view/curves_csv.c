/* Curves as a table.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "curves.h"

typedef struct Sheet {
  MrWrite write;
  void* handle;
  bool ok;
} Sheet;

__attribute__((format(printf, 2, 3))) static void put(Sheet* sheet, const char* format, ...) {
  char text[2 * MR_VIEW_NAME + 64];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  sheet->ok = sheet->ok && length >= 0 && (size_t)length < sizeof text && sheet->write(sheet->handle, text, (size_t)length);
}

/* ,"NAME WHAT" with quotes doubled. */
static void put_heading(Sheet* sheet, const MrCurve* curve, const char* what) {
  char text[2 * MR_VIEW_NAME];
  size_t used = 0;
  for (const char* from = curve->name; *from; from++) {
    if (*from == '"') text[used++] = '"';
    text[used++] = *from;
  }
  text[used] = '\0';
  const bool band = curve->number && curve->role == MR_CURVE_BAND;
  put(sheet, ",\"");
  if (band) put(sheet, "%u ", curve->number);
  put(sheet, "%s%s%s%s\"", text, used ? " " : "", curve->off ? "(off) " : "", what);
}

static void put_number(Sheet* sheet, double value) {
  if (isnan(value))
    put(sheet, ",");
  else if (isinf(value))
    put(sheet, value > 0 ? ",inf" : ",-inf");
  else
    put(sheet, ",%.9g", value);
}

bool mr_curves_write_csv(const MrCurves* curves, bool phase, bool delay, MrWrite write, void* handle) {
  Sheet sheet = {write, handle, true};
  put(&sheet, "frequency_hz");
  for (uint32_t c = 0; c < curves->curves; c++) {
    const MrCurve* curve = &curves->curve[c];
    put_heading(&sheet, curve, curve->phase ? "magnitude_db" : "level_db");
    if (phase && curve->phase) put_heading(&sheet, curve, "phase_deg");
    if (delay && curve->group_delay) put_heading(&sheet, curve, "group_delay_ms");
  }
  put(&sheet, "\n");
  for (uint32_t i = 0; i < curves->points && sheet.ok; i++) {
    put(&sheet, "%.9g", curves->frequency[i]);
    for (uint32_t c = 0; c < curves->curves; c++) {
      const MrCurve* curve = &curves->curve[c];
      put_number(&sheet, curve->magnitude_db[i]);
      if (phase && curve->phase) put_number(&sheet, curve->phase[i] * 180 / M_PI);
      if (delay && curve->group_delay) put_number(&sheet, curve->group_delay[i] * 1000);
    }
    put(&sheet, "\n");
  }
  return sheet.ok;
}
