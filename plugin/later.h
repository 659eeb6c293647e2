/* State of a version to come: a text that this version does not read but keeps.
   SPDX-License-Identifier: ISC

   State has no way to list its keys, so what later versions add goes into one property, lines of "key value", which every version before
   them hands on as it is. */
#ifndef MILLRACE_PLUGIN_LATER_H
#define MILLRACE_PLUGIN_LATER_H

#include <lv2/state/state.h>

#include "uris.h"

#define MR_LATER_URI    "urn:millrace:later"
#define MR_VERSION_URI  "urn:millrace:version"
#define MR_STATE_FORMAT 1          /* that this version writes */
#define MR_LATER_BYTES  (1u << 20) /* at most */

typedef struct MrLater {
  LV2_URID key, version;
  char* text; /* NULL: none */
} MrLater;

/* Thread: control, one at a time, all of these. */
void mr_later_init(MrLater* later, LV2_URID_Map* map);
void mr_later_free(MrLater* later);
/* The version and the text. */
LV2_State_Status mr_later_save(const MrLater* later, const MrUris* uris, LV2_State_Store_Function store, LV2_State_Handle handle);
void mr_later_restore(MrLater* later, const MrUris* uris, LV2_State_Retrieve_Function retrieve, LV2_State_Handle handle);

#endif
