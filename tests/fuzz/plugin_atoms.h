/* Sequences for the plugins, right ones and wrong ones, and a look at those that come from them.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_FUZZ_PLUGIN_ATOMS_H
#define MILLRACE_TESTS_FUZZ_PLUGIN_ATOMS_H

#include <lv2/atom/util.h>

#include "plugin_host.h"

#define ATOM_ROOM 16384u

/* ----------------------------------------------------------------- texts */

static const char* const texts[] = {"1-4 7",        "1", "",    "1-64", "64",   "0",         "65", "3-1", "1 2,3\t4\n5", "4294967297",
                                    "nowhere/else", "/", "m:x", "-",    "1--2", "/dev/null", "x"};

/* The file's path, a path about as long as the longest, one of the texts, or the fuzzer's own bytes, which have no end. Into text, of 5000 bytes. */
static size_t some_text(Bytes* bytes, char* text) {
  size_t length;
  const uint32_t kind = below(bytes, 8);
  if (kind < 2) {
    length = strlen(file_path) + 1;
    memcpy(text, file_path, length);
  } else if (kind == 2) {
    length = 4090 + below(bytes, 10);
    memset(text, 'x', length);
    if (byte(bytes) & 1) text[length++] = '\0';
  } else if (kind < 6) {
    const char* known = texts[below(bytes, COUNT(texts))];
    length = strlen(known) + 1;
    memcpy(text, known, length);
  } else {
    const uint8_t* own = some(bytes, &length);
    if (length) memcpy(text, own, length);
  }
  return length;
}

/* --------------------------------------------------------------- writing */

typedef struct Atoms {
  _Alignas(8) uint8_t byte[ATOM_ROOM];
  uint32_t size;
  bool tight; /* nothing is padded but what something follows */
} Atoms;

static void put(Atoms* atoms, const void* bytes, size_t size) {
  check(atoms->size + size + 8 <= ATOM_ROOM, "short sequences");
  if (size) memcpy(atoms->byte + atoms->size, bytes, size);
  atoms->size += (uint32_t)size;
}

static void put_word(Atoms* atoms, uint32_t value) { put(atoms, &value, sizeof value); }

static void pad(Atoms* atoms) {
  while (atoms->size % 8) atoms->byte[atoms->size++] = 0xee;
}

static uint32_t begin_atom(Atoms* atoms, LV2_URID type) {
  put_word(atoms, 0);
  put_word(atoms, type);
  return atoms->size;
}

static void end_atom(Atoms* atoms, uint32_t begun) {
  const uint32_t size = atoms->size - begun;
  memcpy(atoms->byte + begun - 8, &size, sizeof size);
}

static void put_property(Atoms* atoms, LV2_URID key, LV2_URID type, const void* value, size_t size) {
  pad(atoms);
  put_word(atoms, key);
  put_word(atoms, 0);
  const uint32_t begun = begin_atom(atoms, type);
  put(atoms, value, size);
  end_atom(atoms, begun);
  if (!atoms->tight) pad(atoms);
}

static void put_urid(Atoms* atoms, const char* key, LV2_URID value, size_t size) {
  put_property(atoms, urid(key), urid(LV2_ATOM__URID), &value, size);
}

static void put_value(Atoms* atoms, Bytes* bytes) {
  const uint32_t kind = below(bytes, 8);
  char text[5000];
  const int32_t number = kind & 1 ? (int32_t)below(bytes, 20) - 1 : (int32_t)word(bytes);
  const LV2_URID key = urid(LV2_PATCH__value);
  if (kind < 4) {
    const size_t length = some_text(bytes, text);
    put_property(atoms, key, urid(kind & 1 ? LV2_ATOM__String : LV2_ATOM__Path), text, length);
  } else if (kind < 6) {
    put_property(atoms, key, urid(LV2_ATOM__Int), &number, kind & 1 ? sizeof number : below(bytes, 5));
  } else {
    size_t size;
    const LV2_URID type = one_of(bytes, types, COUNT(types));
    const uint8_t* own = some(bytes, &size);
    put_property(atoms, key, type, own, size);
  }
}

static void put_event(Atoms* atoms, Bytes* bytes, LV2_URID self) {
  const uint32_t kind = byte(bytes), which = byte(bytes);
  const size_t size = kind & 32 && which & 128 ? which % 5 : sizeof(LV2_URID);
  atoms->tight = kind & 64;
  pad(atoms);
  put_word(atoms, which);
  put_word(atoms, 0);
  const uint32_t begun = begin_atom(atoms, kind == 255 ? one_of(bytes, types, COUNT(types)) : urid(LV2_ATOM__Object));
  put_word(atoms, 0);
  put_word(atoms, kind == 254 ? urid("urn:other") : urid(kind & 1 ? LV2_PATCH__Get : LV2_PATCH__Set));
  if (kind & 2) put_urid(atoms, LV2_PATCH__subject, kind & 4 ? urid("urn:other") : self, size);
  if (kind & 8) put_property(atoms, urid("urn:other"), urid(LV2_ATOM__Chunk), "abcdefgh", which % 9);
  if (kind % 16 != 1) put_urid(atoms, LV2_PATCH__property, urid(properties[which % COUNT(properties)]), size);
  if (!(kind & 1)) put_value(atoms, bytes);
  end_atom(atoms, begun);
  if (!atoms->tight) pad(atoms);
}

/* A few words that are wrong: sizes above all. */
static void spoil(Atoms* atoms, Bytes* bytes) {
  static const uint32_t odd[] = {0,  1,  3,  4,    5,          7,          8,          9,          12,        15,
                                 16, 17, 24, 1000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffff8, 0xffffffff};
  for (uint32_t count = below(bytes, 4); count && atoms->size > 8; count--) {
    const uint32_t at = (word(bytes) >> 16) % (atoms->size / 4 - 1) + 1, kind = byte(bytes); /* not the first: it is the block's own size */
    uint32_t value;
    memcpy(&value, atoms->byte + at * 4, sizeof value);
    value = kind & 1 ? odd[(kind >> 1) % COUNT(odd)] : value + (kind >> 1) - 32;
    memcpy(atoms->byte + at * 4, &value, sizeof value);
  }
  const uint32_t less = below(bytes, 64);
  if (less < 32 && atoms->size >= 8 + less) atoms->size -= less;
}

/* A block with a sequence for the plugin; spoilt where its first byte says so. */
static void* some_sequence(Bytes* bytes, LV2_URID self) {
  Atoms atoms;
  atoms.size = 0;
  atoms.tight = false;
  const uint32_t kind = byte(bytes), begun = begin_atom(&atoms, urid(LV2_ATOM__Sequence));
  if (kind < 16) { /* bytes as they come */
    size_t size;
    const uint8_t* own = some(bytes, &size);
    put(&atoms, own, size);
  } else {
    put_word(&atoms, 0);
    put_word(&atoms, 0);
    for (uint32_t count = 1 + kind % 3; count; count--) put_event(&atoms, bytes, self);
    if (kind & 128) spoil(&atoms, bytes);
  }
  end_atom(&atoms, begun);
  return block_of(atoms.byte, atoms.size);
}

/* What a host asks that wants to know everything. */
static void* ask_for_all(void) {
  Atoms atoms;
  atoms.size = 0;
  atoms.tight = false;
  const uint32_t begun = begin_atom(&atoms, urid(LV2_ATOM__Sequence));
  for (int i = 0; i < 4; i++) put_word(&atoms, 0);
  const uint32_t object = begin_atom(&atoms, urid(LV2_ATOM__Object));
  put_word(&atoms, 0);
  put_word(&atoms, urid(LV2_PATCH__Get));
  end_atom(&atoms, object);
  end_atom(&atoms, begun);
  return block_of(atoms.byte, atoms.size);
}

/* --------------------------------------------------------------- reading */

/* Hears of each property that is told, and of the state that has changed (0). */
typedef void (*Hear)(void* handle, LV2_URID property, const LV2_Atom* value);

static void read_object(const LV2_Atom* event, Hear hear, void* handle) {
  const LV2_Atom_Object_Body* body = (const LV2_Atom_Object_Body*)(event + 1);
  check(event->type == urid(LV2_ATOM__Object) && event->size >= sizeof *body, "an event is an object");
  const uint8_t *at = (const uint8_t*)(body + 1), *end = (const uint8_t*)body + event->size;
  const LV2_Atom *property = NULL, *value = NULL;
  while (at < end) {
    const LV2_Atom_Property_Body* part = (const LV2_Atom_Property_Body*)at;
    check((size_t)(end - at) >= sizeof *part && part->value.size <= (size_t)(end - at) - sizeof *part, "properties lie within the object");
    check(part->key == urid(LV2_PATCH__property) || part->key == urid(LV2_PATCH__value), "a property and its value are told");
    *(part->key == urid(LV2_PATCH__value) ? &value : &property) = &part->value;
    at += lv2_atom_pad_size((uint32_t)sizeof *part + part->value.size);
  }
  if (body->otype == urid(LV2_STATE__StateChanged)) {
    check(!property && !value, "a change has no properties");
    hear(handle, 0, NULL);
    return;
  }
  check(body->otype == urid(LV2_PATCH__Set) && property && value, "a property is told with its value");
  check(property->type == urid(LV2_ATOM__URID) && property->size == sizeof(LV2_URID), "a property is a URID");
  hear(handle, ((const LV2_Atom_URID*)property)->body, value);
}

/* What the plugin has left in a block that was handed over with room for so many bytes behind its head. */
static void read_notices(const uint8_t* block, uint32_t room, Hear hear, void* handle) {
  const LV2_Atom_Sequence* sequence = (const LV2_Atom_Sequence*)block;
  if (sequence->atom.type == urid(LV2_ATOM__Chunk)) {
    check(sequence->atom.size == room && room < 2 * sizeof *sequence, "a port with room gets a sequence");
    return;
  }
  check(sequence->atom.type == urid(LV2_ATOM__Sequence), "the port has a sequence");
  check(sequence->atom.size <= room && sequence->atom.size >= sizeof sequence->body, "the sequence fits its port");
  const uint8_t *at = (const uint8_t*)(&sequence->body + 1), *end = (const uint8_t*)&sequence->body + sequence->atom.size;
  while (at < end) {
    const LV2_Atom_Event* event = (const LV2_Atom_Event*)at;
    check((size_t)(end - at) >= sizeof *event && event->body.size <= (size_t)(end - at) - sizeof *event, "events lie within the sequence");
    check(event->time.frames == 0, "events are at the block's start");
    read_object(&event->body, hear, handle);
    at += sizeof *event + lv2_atom_pad_size(event->body.size);
  }
}

#endif
