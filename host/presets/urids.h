/* Numbers for URIs, as lilv wants them from a host.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PRESETS_URIDS_H
#define MR_HOST_PRESETS_URIDS_H

#include <lv2/urid/urid.h>
#include <stddef.h>

typedef struct MrUrids {
  char** uri; /* of number 1 and on */
  size_t count;
  LV2_URID_Map map; /* its handle is this struct, which must stay where it is */
} MrUrids;

/* Thread: one at a time. Without memory a URI maps to 0. */
void mr_urids_init(MrUrids* urids);
void mr_urids_free(MrUrids* urids);

#endif
