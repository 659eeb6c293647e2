/* Threads as the user has them: in the environment, else in the configuration file.
   SPDX-License-Identifier: ISC */
#include "thread_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64u /* threads, as MrThreadOptions has it */

bool mr_thread_options_read(const char* value, MrThreadOptions* options) {
  if (!strcmp(value, "auto")) {
    options->policy = MR_THREADS_AUTO;
    options->threads = 0;
    return true;
  }
  char* end;
  const long number = strtol(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || number < 1 || number > (long)MOST) return false;
  options->policy = number > 1 ? MR_THREADS_AUTO : MR_THREADS_ONE;
  options->threads = (uint32_t)number;
  return true;
}

static bool read_awake(const char* value, MrThreadOptions* options) {
  options->awake = !strcmp(value, "yes");
  return options->awake || !strcmp(value, "no");
}

/* Without what surrounds it. */
static char* trimmed(char* text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length && strchr(" \t\r\n", text[length - 1])) length--;
  text[length] = '\0';
  return text;
}

static FILE* open_configuration(void) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  char path[4096];
  int length = -1;
  if (config && *config == '/')
    length = snprintf(path, sizeof path, "%s/millrace/config", config);
  else if (home && *home)
    length = snprintf(path, sizeof path, "%s/.config/millrace/config", home);
  return length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
}

/* A line that has a key and a value. */
static bool read_line(char* line, MrConfigurationTake take, void* handle) {
  line[strcspn(line, "#")] = '\0';
  char* equals = strchr(line, '=');
  if (!equals) return true;
  *equals = '\0';
  return take(handle, trimmed(line), trimmed(equals + 1));
}

bool mr_configuration_read(MrConfigurationTake take, void* handle) {
  bool fine = true;
  FILE* file = open_configuration();
  char line[256];
  for (bool begins = true; file && fgets(line, sizeof line, file);) {
    const bool ends = strchr(line, '\n') != NULL;
    if (begins) fine &= read_line(line, take, handle); /* of a line that is too long, the begin */
    begins = ends;
  }
  if (file) fclose(file);
  return fine;
}

/* Other keys are for others. */
static bool take_line(void* handle, const char* key, const char* value) {
  MrThreadOptions* options = handle;
  if (!strcmp(key, "threads")) return mr_thread_options_read(value, options);
  return strcmp(key, "awake") != 0 || read_awake(value, options);
}

MrThreadOptions mr_thread_options(bool* wrong) {
  MrThreadOptions options = {.policy = MR_THREADS_AUTO};
  bool fine = mr_configuration_read(take_line, &options);
  const char* value = getenv("MILLRACE_THREADS");
  if (value && *value) fine &= mr_thread_options_read(value, &options);
  if (wrong) *wrong = !fine;
  return options;
}
