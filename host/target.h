/* Where a result goes: a temporary file beside its target that takes the target's name when it is whole.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_TARGET_H
#define MR_HOST_TARGET_H

#include <stdbool.h>

#include "audio_file.h"

typedef struct MrTarget {
  int fd;
  bool direct;     /* a pipe, a device, standard output: no temporary, and written forwards only */
  bool replaces;   /* a file of that name was there */
  char* path;      /* the target, symbolic links followed; NULL if direct */
  char* temporary; /* NULL if direct */
} MrTarget;

/* "-" is standard output. NULL with *why on an error. A new file gets the permissions of the one that it replaces, else those that the
   umask gives. */
MrTarget* mr_target_open(const char* path, char* why);

/* The result is whole: it takes the target's name. Frees `target`, on an error too (then nothing is left and what was there stays). */
bool mr_target_commit(MrTarget* target, char* why);

/* The result is not whole: nothing is left of it. NULL is allowed. */
void mr_target_discard(MrTarget* target);

/* From now on SIGINT, SIGTERM and SIGHUP remove the temporary and end the process with 128 + the signal, whatever its threads are waiting
   for. Before any other thread is started. Signals that are ignored stay so. */
void mr_target_watch_signals(void);

/* Ends that; a signal that comes later ends the process at once. While no target is open. */
void mr_target_unwatch_signals(void);

#endif
