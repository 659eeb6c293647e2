/* State of a version to come.
   SPDX-License-Identifier: ISC */
#include "later.h"

#include <stdlib.h>
#include <string.h>

void mr_later_init(MrLater* later, LV2_URID_Map* map) {
  later->key = map->map(map->handle, MR_LATER_URI);
  later->version = map->map(map->handle, MR_VERSION_URI);
  later->text = NULL;
}

void mr_later_free(MrLater* later) {
  free(later->text);
  later->text = NULL;
}

LV2_State_Status mr_later_save(const MrLater* later, const MrUris* uris, LV2_State_Store_Function store, LV2_State_Handle handle) {
  const uint32_t flags = LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE;
  const int32_t format = MR_STATE_FORMAT;
  const LV2_State_Status status = store(handle, later->version, &format, sizeof format, uris->atom_Int, flags);
  if (status != LV2_STATE_SUCCESS || !later->text) return status;
  return store(handle, later->key, later->text, strlen(later->text) + 1, uris->atom_String, flags);
}

void mr_later_restore(MrLater* later, const MrUris* uris, LV2_State_Retrieve_Function retrieve, LV2_State_Handle handle) {
  size_t size = 0;
  uint32_t type = 0, flags = 0;
  const char* text = retrieve(handle, later->key, &size, &type, &flags);
  mr_later_free(later);
  if (!text || type != uris->atom_String || size > MR_LATER_BYTES) return;
  later->text = strndup(text, size);
}
