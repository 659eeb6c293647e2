/* The test host's messages, and states in memory.
   SPDX-License-Identifier: ISC */
#include <lv2/atom/util.h>
#include <lv2/patch/patch.h>
#include <stdlib.h>
#include <string.h>

#include "host_inside.h"

/* --------------------------------------------------------------- sending */

void host_messages_begin(Host* host) {
  lv2_atom_forge_set_buffer(&host->forge, host->messages.bytes, sizeof host->messages);
  lv2_atom_forge_sequence_head(&host->forge, &host->frame, 0);
}

void host_messages_end(Host* host) {
  lv2_atom_forge_pop(&host->forge, &host->frame);
  host->notify.sequence.atom = (LV2_Atom){sizeof host->notify - sizeof(LV2_Atom), host_urid(LV2_ATOM__Chunk)};
}

static void begin_set(Host* host, const char* property, LV2_Atom_Forge_Frame* frame) {
  lv2_atom_forge_frame_time(&host->forge, 0);
  lv2_atom_forge_object(&host->forge, frame, 0, host_urid(LV2_PATCH__Set));
  lv2_atom_forge_key(&host->forge, host_urid(LV2_PATCH__property));
  lv2_atom_forge_urid(&host->forge, host_urid(property));
  lv2_atom_forge_key(&host->forge, host_urid(LV2_PATCH__value));
}

void host_send_text(Host* host, const char* property, const char* type, const char* text) {
  LV2_Atom_Forge_Frame frame;
  begin_set(host, property, &frame);
  if (!lv2_atom_forge_typed_string(&host->forge, host_urid(type), text, (uint32_t)strlen(text))) host_fail("no room for a message");
  lv2_atom_forge_pop(&host->forge, &frame);
}

void host_send_int(Host* host, const char* property, int32_t value) {
  LV2_Atom_Forge_Frame frame;
  begin_set(host, property, &frame);
  if (!lv2_atom_forge_int(&host->forge, value)) host_fail("no room for a message");
  lv2_atom_forge_pop(&host->forge, &frame);
}

void host_ask(Host* host, const char* property) {
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_frame_time(&host->forge, 0);
  lv2_atom_forge_object(&host->forge, &frame, 0, host_urid(LV2_PATCH__Get));
  if (property) {
    lv2_atom_forge_key(&host->forge, host_urid(LV2_PATCH__property));
    lv2_atom_forge_urid(&host->forge, host_urid(property));
  }
  lv2_atom_forge_pop(&host->forge, &frame);
}

/* --------------------------------------------------------------- hearing */

static HostTold* told_of(Host* host, LV2_URID property) {
  for (uint32_t i = 0; i < host->told_count; i++)
    if (host->told[i].property == property) return &host->told[i];
  if (host->told_count == sizeof host->told / sizeof host->told[0]) host_fail("too many properties");
  host->told[host->told_count].property = property;
  return &host->told[host->told_count++];
}

static void hear(Host* host, const LV2_Atom_Object* object) {
  const LV2_Atom *property = NULL, *value = NULL;
  if (object->body.otype == host_urid(LV2_STATE__StateChanged)) {
    host->state_changes++;
    return;
  }
  lv2_atom_object_get(object, host_urid(LV2_PATCH__property), &property, host_urid(LV2_PATCH__value), &value, 0);
  if (object->body.otype != host_urid(LV2_PATCH__Set) || !property || !value) {
    host_fail("a message that is none");
    return;
  }
  HostTold* told = told_of(host, ((const LV2_Atom_URID*)property)->body);
  told->count++;
  told->text[0] = '\0';
  if (value->type == host_urid(LV2_ATOM__Int)) {
    told->number = ((const LV2_Atom_Int*)value)->body;
    return;
  }
  const char* text = (const char*)(value + 1);
  if (!value->size || value->size > sizeof told->text || text[value->size - 1]) host_fail("a text without an end");
  memcpy(told->text, text, value->size);
}

void host_messages_read(Host* host) {
  const LV2_Atom_Sequence* sequence = &host->notify.sequence;
  if (sequence->atom.type != host_urid(LV2_ATOM__Sequence) || sequence->atom.size > sizeof host->notify - sizeof(LV2_Atom))
    host_fail("no sequence at the notify port");
  LV2_ATOM_SEQUENCE_FOREACH(sequence, event) {
    if (event->body.type != host_urid(LV2_ATOM__Object)) host_fail("a message that is no object");
    hear(host, (const LV2_Atom_Object*)&event->body);
  }
}

const HostTold* host_told(const Host* host, const char* property) {
  const LV2_URID urid = host_urid(property);
  for (uint32_t i = 0; i < host->told_count; i++)
    if (host->told[i].property == urid) return &host->told[i];
  return NULL;
}

/* ----------------------------------------------------------------- state */

static LV2_State_Status store(LV2_State_Handle handle, uint32_t key, const void* value, size_t size, uint32_t type, uint32_t flags) {
  HostState* state = handle;
  const uint32_t good = LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE;
  if (!value || !size || !type || (flags & good) != good) return LV2_STATE_ERR_BAD_TYPE;
  if (state->count == sizeof state->item / sizeof state->item[0]) host_fail("too much state");
  HostStateItem* item = &state->item[state->count++];
  *item = (HostStateItem){key, type, size, malloc(size), flags};
  if (!item->value) host_fail("no memory");
  memcpy(item->value, value, size);
  return LV2_STATE_SUCCESS;
}

static const void* retrieve(LV2_State_Handle handle, uint32_t key, size_t* size, uint32_t* type, uint32_t* flags) {
  const HostState* state = handle;
  for (uint32_t i = 0; i < state->count; i++) {
    const HostStateItem* item = &state->item[i];
    if (item->key != key) continue;
    *size = item->size;
    *type = item->type;
    *flags = item->flags;
    return item->value;
  }
  return NULL;
}

static const LV2_State_Interface* interface_of(const Host* host) {
  const LV2_State_Interface* interface = lilv_instance_get_extension_data(host->instance, LV2_STATE__interface);
  if (!interface) host_fail("no state");
  return interface;
}

LV2_State_Status host_save(Host* host, HostState* state) {
  memset(state, 0, sizeof *state);
  return interface_of(host)->save(lilv_instance_get_handle(host->instance), store, state, 0, host->features);
}

LV2_State_Status host_restore(Host* host, const HostState* state) {
  return interface_of(host)->restore(lilv_instance_get_handle(host->instance), retrieve, (void*)state, 0, host->features);
}

void host_state_put(HostState* state, const char* key, const char* type, const void* value, size_t size) {
  if (store(state, host_urid(key), value, size, host_urid(type), LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE) != LV2_STATE_SUCCESS)
    host_fail("state");
}

const HostStateItem* host_state_get(const HostState* state, const char* key) {
  const LV2_URID urid = host_urid(key);
  for (uint32_t i = 0; i < state->count; i++)
    if (state->item[i].key == urid) return &state->item[i];
  return NULL;
}

void host_state_free(HostState* state) {
  for (uint32_t i = 0; i < state->count; i++) free(state->item[i].value);
  state->count = 0;
}
