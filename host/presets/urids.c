/* Numbers for URIs, as lilv wants them from a host.
   SPDX-License-Identifier: ISC */
#include "presets/urids.h"

#include <stdlib.h>
#include <string.h>

static LV2_URID number_of(LV2_URID_Map_Handle handle, const char* uri) {
  MrUrids* const urids = handle;
  for (size_t i = 0; i < urids->count; ++i)
    if (strcmp(urids->uri[i], uri) == 0) return (LV2_URID)(i + 1);
  char** const larger = realloc(urids->uri, (urids->count + 1) * sizeof *larger);
  if (!larger) return 0;
  urids->uri = larger;
  urids->uri[urids->count] = strdup(uri);
  return urids->uri[urids->count] ? (LV2_URID)++urids->count : 0;
}

void mr_urids_init(MrUrids* urids) {
  memset(urids, 0, sizeof *urids);
  urids->map = (LV2_URID_Map){urids, number_of};
}

void mr_urids_free(MrUrids* urids) {
  for (size_t i = 0; i < urids->count; ++i) free(urids->uri[i]);
  free(urids->uri);
}
