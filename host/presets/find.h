/* Finds a preset or saved state: in the LV2 path by its URI or name, in a Turtle file, in a bundle's folder.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PRESETS_FIND_H
#define MR_HOST_PRESETS_FIND_H

#include <lilv/lilv.h>
#include <stdbool.h>

#include "presets/urids.h"

typedef struct MrFound {
  LilvWorld* world;
  LilvState* state;
  MrUrids urids; /* of the state's keys and types */
  char* path;    /* of the file or folder; NULL: found in the LV2 path */
} MrFound;

/* False after a message. *found must stay where it is, and is to be freed in any case. may_be_uri: else a file or folder is meant. */
bool mr_preset_find(MrFound* found, const char* name, bool may_be_uri);
void mr_preset_lose(MrFound* found);

#endif
