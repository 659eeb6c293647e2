/* The URIs that the plugins speak in, as the host's numbers.
   SPDX-License-Identifier: ISC */
#include "uris.h"

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/log/log.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>

void mr_uris_map(MrUris* uris, LV2_URID_Map* map, const char* self) {
  const struct {
    LV2_URID* urid;
    const char* uri;
  } all[] = {{&uris->self, self},
             {&uris->atom_Chunk, LV2_ATOM__Chunk},
             {&uris->atom_Int, LV2_ATOM__Int},
             {&uris->atom_Path, LV2_ATOM__Path},
             {&uris->atom_String, LV2_ATOM__String},
             {&uris->atom_URID, LV2_ATOM__URID},
             {&uris->atom_Object, LV2_ATOM__Object},
             {&uris->atom_Sequence, LV2_ATOM__Sequence},
             {&uris->patch_Get, LV2_PATCH__Get},
             {&uris->patch_Set, LV2_PATCH__Set},
             {&uris->patch_property, LV2_PATCH__property},
             {&uris->patch_subject, LV2_PATCH__subject},
             {&uris->patch_value, LV2_PATCH__value},
             {&uris->state_StateChanged, LV2_STATE__StateChanged},
             {&uris->bufsz_maxBlockLength, LV2_BUF_SIZE__maxBlockLength},
             {&uris->log_Error, LV2_LOG__Error},
             {&uris->log_Note, LV2_LOG__Note},
             {&uris->log_Warning, LV2_LOG__Warning}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i].urid = map->map(map->handle, all[i].uri);
}
