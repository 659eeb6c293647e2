/* Messages between host and plugin.
   SPDX-License-Identifier: ISC */
#include "messages.h"

#include <lv2/atom/util.h>
#include <string.h>

#define EVENT_BYTES 160u /* of an event with an object of two properties, at most, without the text */

const LV2_Atom_Event* mr_message_next(const MrUris* uris, const LV2_Atom_Sequence* port, const LV2_Atom_Event* last) {
  if (!port || port->atom.type != uris->atom_Sequence || port->atom.size < sizeof port->body) return NULL;
  const uint8_t *end = (const uint8_t*)&port->body + port->atom.size, *at = (const uint8_t*)(&port->body + 1);
  if (last) at = (const uint8_t*)&last->body + sizeof last->body + lv2_atom_pad_size(last->body.size);
  if (at > end || (size_t)(end - at) < sizeof(LV2_Atom_Event)) return NULL;
  const LV2_Atom_Event* event = (const LV2_Atom_Event*)at;
  return event->body.size <= (size_t)(end - at) - sizeof *event ? event : NULL;
}

/* Values of an object's properties, each within the object. */
typedef struct MrParts {
  const LV2_Atom *property, *subject, *value;
} MrParts;

static MrParts parts_of(const MrUris* uris, const LV2_Atom_Object* object) {
  MrParts parts = {NULL, NULL, NULL};
  const uint8_t *at = (const uint8_t*)(&object->body + 1), *end = (const uint8_t*)&object->body + object->atom.size;
  while (at < end && (size_t)(end - at) >= sizeof(LV2_Atom_Property_Body)) {
    const LV2_Atom_Property_Body* body = (const LV2_Atom_Property_Body*)at;
    if (body->value.size > (size_t)(end - at) - sizeof *body) break;
    if (body->key == uris->patch_property) parts.property = &body->value;
    if (body->key == uris->patch_subject) parts.subject = &body->value;
    if (body->key == uris->patch_value) parts.value = &body->value;
    at += sizeof *body + (size_t)lv2_atom_pad_size(body->value.size);
  }
  return parts;
}

static bool is_urid(const MrUris* uris, const LV2_Atom* atom) {
  return atom && atom->type == uris->atom_URID && atom->size == sizeof(LV2_URID);
}

static LV2_URID urid_of(const LV2_Atom* atom) { return ((const LV2_Atom_URID*)atom)->body; }

bool mr_message_read(const MrUris* uris, const LV2_Atom* event, MrMessage* message) {
  if (event->type != uris->atom_Object || event->size < sizeof(LV2_Atom_Object_Body)) return false;
  const LV2_Atom_Object* object = (const LV2_Atom_Object*)event;
  if (object->body.otype != uris->patch_Get && object->body.otype != uris->patch_Set) return false;
  const MrParts parts = parts_of(uris, object);
  if (is_urid(uris, parts.subject) && urid_of(parts.subject) != uris->self) return false;
  message->asks = object->body.otype == uris->patch_Get;
  message->property = is_urid(uris, parts.property) ? urid_of(parts.property) : 0;
  message->value = parts.value;
  return message->asks ? !parts.property || message->property : message->property && message->value;
}

const char* mr_message_text(const MrUris* uris, const LV2_Atom* value, size_t* length) {
  if (value->type != uris->atom_String && value->type != uris->atom_Path) return NULL;
  const char* text = (const char*)(value + 1);
  const char* end = memchr(text, 0, value->size);
  *length = end ? (size_t)(end - text) : value->size;
  return text;
}

void mr_notices_init(MrNotices* notices, LV2_URID_Map* map) { lv2_atom_forge_init(&notices->forge, map); }

void mr_notices_begin(MrNotices* notices, LV2_Atom_Sequence* port) {
  notices->open = false;
  if (!port || port->atom.size < sizeof *port) return;
  lv2_atom_forge_set_buffer(&notices->forge, (uint8_t*)port, port->atom.size);
  notices->open = lv2_atom_forge_sequence_head(&notices->forge, &notices->frame, 0) != 0;
}

void mr_notices_end(MrNotices* notices) {
  if (notices->open) lv2_atom_forge_pop(&notices->forge, &notices->frame);
}

static bool has_room(const MrNotices* notices, size_t more) {
  return notices->open && notices->forge.size - notices->forge.offset >= EVENT_BYTES + more;
}

static void begin_set(MrNotices* notices, const MrUris* uris, LV2_URID property, LV2_Atom_Forge_Frame* frame) {
  LV2_Atom_Forge* forge = &notices->forge;
  lv2_atom_forge_frame_time(forge, 0);
  lv2_atom_forge_object(forge, frame, 0, uris->patch_Set);
  lv2_atom_forge_key(forge, uris->patch_property);
  lv2_atom_forge_urid(forge, property);
  lv2_atom_forge_key(forge, uris->patch_value);
}

bool mr_notices_text(MrNotices* notices, const MrUris* uris, LV2_URID property, LV2_URID kind, const char* text, size_t length) {
  if (!has_room(notices, length + 1)) return false;
  LV2_Atom_Forge_Frame frame;
  begin_set(notices, uris, property, &frame);
  lv2_atom_forge_typed_string(&notices->forge, kind, text, (uint32_t)length);
  lv2_atom_forge_pop(&notices->forge, &frame);
  return true;
}

bool mr_notices_int(MrNotices* notices, const MrUris* uris, LV2_URID property, int32_t value) {
  if (!has_room(notices, 0)) return false;
  LV2_Atom_Forge_Frame frame;
  begin_set(notices, uris, property, &frame);
  lv2_atom_forge_int(&notices->forge, value);
  lv2_atom_forge_pop(&notices->forge, &frame);
  return true;
}

bool mr_notices_changed(MrNotices* notices, const MrUris* uris) {
  if (!has_room(notices, 0)) return false;
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_frame_time(&notices->forge, 0);
  lv2_atom_forge_object(&notices->forge, &frame, 0, uris->state_StateChanged);
  lv2_atom_forge_pop(&notices->forge, &frame);
  return true;
}
