/* Who reads files for run(): the host's worker or, where it has none, a thread of low priority of our own.
   SPDX-License-Identifier: ISC

   run() leaves the path of a file in a box and, with a worker, asks for it once; the thread looks into the box by itself. Neither side waits. */
#ifndef MILLRACE_PLUGIN_LOADER_H
#define MILLRACE_PLUGIN_LOADER_H

#include <lv2/worker/worker.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define MR_PATH_SIZE 4096u /* with its end */

typedef struct MrLoader {
  const LV2_Worker_Schedule* schedule; /* NULL: the thread */
  void (*open)(void* handle, const char* path, unsigned ticket);
  void (*beside)(void* handle); /* what else there is to do; NULL: nothing */
  void* handle;

  /* of run() */
  char wanted[MR_PATH_SIZE];
  unsigned wanted_ticket;
  bool waits; /* wanted is not in the box yet */
  bool asks;  /* the worker is to be asked yet */

  /* shared: whoever has moved `state` to BUSY alone touches the box */
  atomic_int state;
  char box[MR_PATH_SIZE];
  unsigned box_ticket;

  pthread_t thread;
  bool has_thread;
  atomic_bool ends;
} MrLoader;

/* `open` is called by the worker or the thread, for the last path wanted and with its ticket. False: no thread. Thread: control. */
bool mr_loader_init(MrLoader* loader, const LV2_Worker_Schedule* schedule, void (*open)(void* handle, const char* path, unsigned ticket),
                    void (*beside)(void* handle), void* handle);
/* Ends the thread and waits for it. */
void mr_loader_end(MrLoader* loader);
/* What the worker does: `open` and then `beside`. */
void mr_loader_work(MrLoader* loader);

/* Wants a file from now on; false for a path that is too long. Thread: real-time. */
bool mr_loader_want(MrLoader* loader, const char* path, size_t length, unsigned ticket);
/* Has the worker look for what else there is to do. Thread: real-time. */
void mr_loader_ask(MrLoader* loader);
/* Once a block: hands on what could not be handed on before. */
void mr_loader_step(MrLoader* loader);

#endif
