/* Where a bank comes from, so that it can be read again: files and lines, in the order given.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_SOURCES_H
#define MR_HOST_JACK_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "../bank_input.h"

typedef struct MrSource {
  char* text; /* a path or a line */
  bool is_line;
  bool is_kept; /* a pipe, which has been read for good: its bytes are in kept */
  MrBankInput kept;
} MrSource;

typedef struct MrSources {
  MrSource* source;
  size_t sources;
} MrSources;

typedef enum MrSourcesRead {
  MR_SOURCES_READ,
  MR_SOURCES_UNREADABLE, /* said */
  MR_SOURCES_MOVING      /* a file changed while it was read: nothing is said, and it is best read a little later */
} MrSourcesRead;

/* A file is read later; what can be read only once, a pipe, is read at once. False after a message. */
bool mr_sources_add_file(MrSources* sources, const char* path);
bool mr_sources_add_line(MrSources* sources, const char* line);
void mr_sources_free(MrSources* sources);

/* Everything as it is now, into an empty input, to be freed in any case. */
MrSourcesRead mr_sources_read(const MrSources* sources, MrBankInput* input);

/* Whether a bank of these texts, which was refused, may protect loudspeakers; so does one whose text is not all there. */
bool mr_sources_may_protect(const MrSources* sources, const MrBankInput* input);

/* Paths that may change; `path` has a place for each source. Returns how many. */
size_t mr_sources_files(const MrSources* sources, const char** path);

/* A short name for people: that of the first file without folder and ending, or "filter". */
void mr_sources_name(const MrSources* sources, char* name, size_t size);

#endif
