/* A look at a Turtle file before lilv reads it: its mistakes, with their lines, and what in it applies to a plugin.
   SPDX-License-Identifier: ISC

   lilv itself takes what it could read of a broken file for the whole of it, and has to be told which preset of a file is meant. */
#ifndef MR_HOST_PRESETS_TURTLE_H
#define MR_HOST_PRESETS_TURTLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MrUriList {
  char** uri; /* each once, in the file's order */
  size_t count;
} MrUriList;

typedef struct MrTurtle {
  MrUriList applies; /* subjects that apply to a plugin (lv2:appliesTo) */
  MrUriList further; /* what rdfs:seeAlso names */
} MrTurtle;

/* `path` with all links and relative parts resolved. False after a message: a file that cannot be read or is no Turtle. *turtle is to be
   freed in any case. */
bool mr_turtle_read(MrTurtle* turtle, const char* path);
void mr_turtle_free(MrTurtle* turtle);

#endif
