/* Threads as the user has them: in the environment, else in the configuration file.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_THREAD_OPTIONS_H
#define MILLRACE_PLUGIN_THREAD_OPTIONS_H

#include "../dsp/millrace.h"

/* MILLRACE_THREADS, a number or auto; else the line "threads = NUMBER|auto" of $XDG_CONFIG_HOME/millrace/config (~/.config/millrace/config), in which
   # begins a comment; else auto. A line "awake = yes" keeps workers awake. What is neither is not taken. *wrong, if not NULL: whether a
   value was neither. Thread: control. */
MrThreadOptions mr_thread_options(bool* wrong);

/* A value: 1 to 64, or auto. False: it is neither, and nothing is changed. */
bool mr_thread_options_read(const char* value, MrThreadOptions* options);

/* Calls `take` for each line KEY = VALUE of the configuration file, without the spaces around them. False: take() has been for one of them. Thread: control. */
typedef bool (*MrConfigurationTake)(void* handle, const char* key, const char* value);
bool mr_configuration_read(MrConfigurationTake take, void* handle);

#endif
