/* Tells when files have been written: by a program that writes them in place, one that renames over them, or a link that leads elsewhere.
   SPDX-License-Identifier: ISC

   The folders are watched, since a file that is renamed over is another file. What is just being written is left alone until its writer closes it. */
#ifndef MR_HOST_JACK_WATCH_H
#define MR_HOST_JACK_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* A name in a folder. */
typedef struct MrWatchPlace {
  int folder; /* inotify's number; -1: it cannot be watched (yet) */
  char* name;
} MrWatchPlace;

typedef struct MrWatch {
  int fd; /* to poll for reading; -1: none */
  const char** path;
  size_t paths;
  MrWatchPlace* place;
  size_t places;
  bool incomplete; /* places are to be looked for again */
  double due;      /* seconds, as the clock of the caller has them; infinity: nothing has changed */
  double first;    /* since when it has been put off */
} MrWatch;

/* Keeps the paths. False where nothing can be watched. */
bool mr_watch_init(MrWatch* watch, const char* const* path, size_t paths);
void mr_watch_free(MrWatch* watch);

/* Takes in what the system has to tell, and looks for folders that were not there. To be called now and then. */
void mr_watch_look(MrWatch* watch, double now);

/* Whether the files are to be read now; once for each change, a tenth of a second after it. */
bool mr_watch_is_due(MrWatch* watch, double now);

#endif
