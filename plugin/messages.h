/* Messages between host and plugin: properties set and asked for, told, and a state that has changed.
   SPDX-License-Identifier: ISC

   Thread: real-time, all of these. */
#ifndef MILLRACE_PLUGIN_MESSAGES_H
#define MILLRACE_PLUGIN_MESSAGES_H

#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <stdbool.h>

#include "uris.h"

typedef struct MrMessage {
  bool asks;             /* for the property, or sets it */
  LV2_URID property;     /* 0, when asking: all of them */
  const LV2_Atom* value; /* when setting */
} MrMessage;

/* The events of a block: the one after `last`, or the first after NULL; NULL after the end, or where what the host hands over is no sequence. */
const LV2_Atom_Event* mr_message_next(const MrUris* uris, const LV2_Atom_Sequence* port, const LV2_Atom_Event* last);

/* What an event says to this plugin; false where it says nothing. */
bool mr_message_read(const MrUris* uris, const LV2_Atom* event, MrMessage* message);

/* A string or path within the atom: its characters without any end, and their number; NULL where it is neither. */
const char* mr_message_text(const MrUris* uris, const LV2_Atom* value, size_t* length);

/* What the plugin says in a block. The port may be NULL: then there is no room for anything. */
typedef struct MrNotices {
  LV2_Atom_Forge forge;
  LV2_Atom_Forge_Frame frame;
  bool open;
} MrNotices;

void mr_notices_init(MrNotices* notices, LV2_URID_Map* map); /* Thread: control */
void mr_notices_begin(MrNotices* notices, LV2_Atom_Sequence* port);
void mr_notices_end(MrNotices* notices);

/* False where there is no room left: to be tried again in the next block. */
bool mr_notices_text(MrNotices* notices, const MrUris* uris, LV2_URID property, LV2_URID kind, const char* text, size_t length);
bool mr_notices_int(MrNotices* notices, const MrUris* uris, LV2_URID property, int32_t value);
bool mr_notices_changed(MrNotices* notices, const MrUris* uris); /* the state, by other hands than the host's */

#endif
