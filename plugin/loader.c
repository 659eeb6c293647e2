/* Who reads files for run().
   SPDX-License-Identifier: ISC */
#include "loader.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define LOW_PRIORITY 10       /* a nice value */
#define LOOK_NS      20000000 /* between two looks of the thread into the box */

enum { EMPTY, FULL, BUSY };

static bool seize(MrLoader* loader, int from) {
  return atomic_compare_exchange_strong_explicit(&loader->state, &from, BUSY, memory_order_acquire, memory_order_relaxed);
}

static void leave(MrLoader* loader, int state) { atomic_store_explicit(&loader->state, state, memory_order_release); }

static void open_wanted(MrLoader* loader) {
  char path[MR_PATH_SIZE];
  if (!seize(loader, FULL)) return; /* an earlier call has seen to it */
  memcpy(path, loader->box, sizeof path);
  const unsigned ticket = loader->box_ticket;
  leave(loader, EMPTY);
  loader->open(loader->handle, path, ticket);
}

void mr_loader_work(MrLoader* loader) {
  open_wanted(loader);
  if (loader->beside) loader->beside(loader->handle);
}

static void* look_and_work(void* data) {
  MrLoader* loader = data;
  setpriority(PRIO_PROCESS, 0, LOW_PRIORITY); /* of this thread alone, as Linux has it */
  while (!atomic_load(&loader->ends)) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    mr_loader_work(loader);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

bool mr_loader_init(MrLoader* loader, const LV2_Worker_Schedule* schedule, void (*open)(void* handle, const char* path, unsigned ticket),
                    void (*beside)(void* handle), void* handle) {
  memset(loader, 0, sizeof *loader);
  loader->schedule = schedule;
  loader->open = open;
  loader->beside = beside;
  loader->handle = handle;
  atomic_init(&loader->state, EMPTY);
  atomic_init(&loader->ends, false);
  if (schedule) return true;
  pthread_attr_t attributes;
  const struct sched_param param = {0};
  pthread_attr_init(&attributes); /* a host's real-time class is not for reading files */
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &param);
  sigset_t all, host;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &host); /* the host's signals are for its own threads */
  loader->has_thread = pthread_create(&loader->thread, &attributes, look_and_work, loader) == 0;
  pthread_sigmask(SIG_SETMASK, &host, NULL);
  pthread_attr_destroy(&attributes);
  return loader->has_thread;
}

void mr_loader_end(MrLoader* loader) {
  if (!loader->has_thread) return;
  atomic_store(&loader->ends, true);
  pthread_join(loader->thread, NULL);
  loader->has_thread = false;
}

bool mr_loader_want(MrLoader* loader, const char* path, size_t length, unsigned ticket) {
  if (length >= MR_PATH_SIZE) return false;
  memcpy(loader->wanted, path, length);
  loader->wanted[length] = '\0';
  loader->wanted_ticket = ticket;
  loader->waits = true;
  return true;
}

void mr_loader_ask(MrLoader* loader) { loader->asks = loader->schedule != NULL; /* the thread looks by itself */ }

void mr_loader_step(MrLoader* loader) {
  if (loader->waits && (seize(loader, EMPTY) || seize(loader, FULL))) {
    memcpy(loader->box, loader->wanted, sizeof loader->box);
    loader->box_ticket = loader->wanted_ticket;
    leave(loader, FULL);
    loader->waits = false;
    loader->asks = loader->schedule != NULL;
  }
  if (!loader->asks) return;
  const char nothing = 0;
  loader->asks = loader->schedule->schedule_work(loader->schedule->handle, sizeof nothing, &nothing) != LV2_WORKER_SUCCESS;
}
