/* What the command says on stderr: errors, warnings and one progress line.
   SPDX-License-Identifier: ISC */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* stderr is one for the process, and so is the line that stands on it. */
static bool progress_shown;

void mr_say_progress_end(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = false;
}

static void say(const char* prefix, const char* format, va_list arguments) {
  mr_say_progress_end();
  fputs(prefix, stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void mr_say_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("millrace: ", format, arguments);
  va_end(arguments);
}

void mr_say_warning(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("millrace: warning: ", format, arguments);
  va_end(arguments);
}

void mr_say_note(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("", format, arguments);
  va_end(arguments);
}

void mr_say_progress(const char* format, ...) {
  if (!isatty(STDERR_FILENO)) return;
  va_list arguments;
  va_start(arguments, format);
  fputc('\r', stderr);
  vfprintf(stderr, format, arguments);
  fputs("\033[K", stderr);
  fflush(stderr);
  va_end(arguments);
  progress_shown = true;
}

void mr_say_library(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  const bool* warnings = handle;
  if (severity == MR_WARNING && !*warnings) return;
  void (*const out)(const char*, ...) = severity == MR_WARNING ? mr_say_warning : mr_say_error;
  if (file && *file && line) {
    out("%s:%u: %s", file, line, text);
  } else if (file && *file) {
    out("%s: %s", file, text);
  } else {
    out("%s", text);
  }
}
