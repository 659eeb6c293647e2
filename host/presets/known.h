/* The presets of the plugins that are in the LV2 path.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PRESETS_KNOWN_H
#define MR_HOST_PRESETS_KNOWN_H

#include <lilv/lilv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MR_KNOWN_COUNTS = 64 }; /* channel counts that a preset may name; more are left out */

typedef struct MrKnownPreset {
  char* uri;
  const char* name;                        /* within uri: what is short for it, behind the factory presets' common start; else uri itself */
  char* title;                             /* what people call it; its name where it has none */
  char *comment, *group;                   /* NULL: none */
  bool is_bank;                            /* of the Bank, else of the EQ */
  uint32_t counts, count[MR_KNOWN_COUNTS]; /* channels it was made for, ascending */
} MrKnownPreset;

typedef struct MrKnownPresets {
  MrKnownPreset* preset; /* by group, then title */
  size_t presets;
} MrKnownPresets;

/* Finds them in a world in which everything has been loaded, and loads each. False without memory. *known is to be freed in any case. */
bool mr_known_presets_find(MrKnownPresets* known, LilvWorld* world);
void mr_known_presets_free(MrKnownPresets* known);

/* Whether `text` is a preset's name or title, capitals or not. */
bool mr_known_preset_is(const MrKnownPreset* preset, const char* text);

#endif
