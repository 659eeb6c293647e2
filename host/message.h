/* What the command says on stderr: errors, warnings and one progress line.
   SPDX-License-Identifier: ISC

   Thread: the main thread alone. Worker threads leave their errors in memory for it. */
#ifndef MR_HOST_MESSAGE_H
#define MR_HOST_MESSAGE_H

#include "../dsp/millrace.h"

#if defined(__GNUC__)
#define MR_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define MR_FORMAT(a, b)
#endif

/* "millrace: TEXT" and a line end. */
void mr_say_error(const char* format, ...) MR_FORMAT(1, 2);

/* "millrace: warning: TEXT" and a line end. */
void mr_say_warning(const char* format, ...) MR_FORMAT(1, 2);

/* TEXT and a line end, for summaries. */
void mr_say_note(const char* format, ...) MR_FORMAT(1, 2);

/* Replaces the progress line. Nothing where stderr is no terminal. */
void mr_say_progress(const char* format, ...) MR_FORMAT(1, 2);

/* Removes the progress line. */
void mr_say_progress_end(void);

/* The library's messages, as "millrace: FILE:LINE: TEXT"; `handle` points to a bool that is true where warnings are
   wanted. */
void mr_say_library(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text);

#endif
