/* The URIs that the plugins speak in, as the host's numbers.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_URIS_H
#define MILLRACE_PLUGIN_URIS_H

#include <lv2/urid/urid.h>

#define MR_EQ_URI   "urn:millrace:eq#"
#define MR_BANK_URI "urn:millrace:bank#"

typedef struct MrUris {
  LV2_URID self; /* of the plugin */
  LV2_URID atom_Chunk, atom_Int, atom_Path, atom_String, atom_URID, atom_Object, atom_Sequence;
  LV2_URID patch_Get, patch_Set, patch_property, patch_subject, patch_value;
  LV2_URID state_StateChanged;
  LV2_URID bufsz_maxBlockLength;
  LV2_URID log_Error, log_Note, log_Warning;
} MrUris;

/* Thread: control, the host's instantiation. */
void mr_uris_map(MrUris* uris, LV2_URID_Map* map, const char* self);

#endif
