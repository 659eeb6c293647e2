/* The measured costs that `millrace bench --calibrate` keeps for the other commands.
   SPDX-License-Identifier: ISC

   A JSON file: $MILLRACE_COSTS, else millrace/costs.json where the user keeps what programs remember ($XDG_CACHE_HOME or ~/.cache). It names the
   CPU level that it was measured with, since it means nothing for another. */
#include "costs.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "message.h"

static const struct {
  const char* name;
  size_t offset;
} fields[] = {
#define FIELD(name) \
  { #name, offsetof(MrCosts, name) }
    FIELD(pass_fixed),  FIELD(pass_section), FIELD(pass_least), FIELD(step_fixed), FIELD(step_vector),
    FIELD(chain_fixed), FIELD(chain_vector), FIELD(planar),     FIELD(single),     FIELD(interleaved),
    FIELD(cell),        FIELD(few_run),      FIELD(few_sample),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof fields[0] };
_Static_assert(FIELDS * sizeof(double) == sizeof(MrCosts), "a cost has no name");

static double* field(MrCosts* costs, size_t i) {
  void* const at = (char*)costs + fields[i].offset;
  return at;
}

/* False where the environment names no place. */
static bool file_name(char* name, size_t size) {
  const char *own = getenv("MILLRACE_COSTS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (own && *own) {
    length = snprintf(name, size, "%s", own);
  } else if (cache && *cache) {
    length = snprintf(name, size, "%s/millrace/costs.json", cache);
  } else if (home && *home) {
    length = snprintf(name, size, "%s/.cache/millrace/costs.json", home);
  }
  return length > 0 && (size_t)length < size;
}

/* The highest level, which an engine chooses. */
static MrCpuLevel level_here(void) {
  uint32_t levels = mr_cpu_levels(), best = 1;
  for (; levels; levels &= levels - 1) best = levels & -levels;
  if (mr_cpu_levels() == (MR_CPU_REFERENCE | MR_CPU_REFERENCE_NOFMA)) best = MR_CPU_REFERENCE;
  return (MrCpuLevel)best;
}

static bool take(const json_t* object, MrCosts* costs) {
  for (size_t i = 0; i < FIELDS; ++i) {
    const json_t* const value = json_object_get(object, fields[i].name);
    if (!json_is_number(value)) return false;
    *field(costs, i) = json_number_value(value);
    if (!(*field(costs, i) >= 0 && *field(costs, i) <= 1e12)) return false;
  }
  return true;
}

MrCosts mr_costs_read(void) {
  MrCosts costs = mr_costs_estimate(level_here()), kept = costs;
  char name[4096];
  json_error_t error;
  if (!file_name(name, sizeof name)) return costs;
  errno = 0;
  json_t* const object = json_load_file(name, 0, &error);
  if (!object && errno == ENOENT) return costs;
  const json_t* const level = json_object_get(object, "level");
  if (!object || !json_is_string(level) || !take(object, &kept)) {
    static bool said;
    if (!said) mr_say_warning("%s: no costs that `millrace bench --calibrate` wrote; the estimate counts", name);
    said = true;
  } else if (strcmp(json_string_value(level), mr_cpu_level_name(level_here())) == 0) {
    costs = kept;
  }
  json_decref(object);
  return costs;
}

static void make_folders(char* name) {
  for (char* slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(name, 0777); /* what cannot be made shows when the file is written */
    *slash = '/';
  }
}

int mr_costs_calibrate(bool quiet) {
  MrCosts costs;
  char name[4096], whole[4096 + 8];
  if (!file_name(name, sizeof name)) {
    mr_say_error("no place for the costs: MILLRACE_COSTS, XDG_CACHE_HOME and HOME are not set");
    return MR_EXIT_FILE;
  }
  const MrStatus status = mr_costs_measure(0, &costs);
  if (status != MR_OK) {
    mr_say_error("%s", mr_strerror(status));
    return MR_EXIT_FILE;
  }
  json_t* const object = json_pack("{s:s,s:s}", "version", mr_version(), "level", mr_cpu_level_name(level_here()));
  for (size_t i = 0; i < FIELDS; ++i) json_object_set_new(object, fields[i].name, json_real(*field(&costs, i)));
  make_folders(name);
  snprintf(whole, sizeof whole, "%s.new", name); /* a file that is there is a whole one */
  const bool written = json_dump_file(object, whole, JSON_INDENT(1) | JSON_REAL_PRECISION(5)) == 0 && rename(whole, name) == 0;
  json_decref(object);
  if (!written) {
    mr_say_error("%s: %s", name, strerror(errno));
    return MR_EXIT_FILE;
  }
  if (!quiet) printf("costs measured and kept in %s\n", name);
  return MR_EXIT_DONE;
}
