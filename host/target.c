/* Where a result goes: a temporary file beside its target that takes the target's name when it is whole.
   SPDX-License-Identifier: ISC */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The one temporary of the process, for the thread that waits for signals. The lock is held while it comes into being or goes, so that
   a signal finds either no file or a file with its name here. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* current;

/* ------------------------------------------------------------- signals */

static sigset_t watched;
static pthread_t watcher;
static bool watching;
static bool called_off; /* under the lock */

static void* wait_for_signals(void* unused) {
  (void)unused;
  int number = 0;
  while (sigwait(&watched, &number) != 0) {
  }
  pthread_mutex_lock(&lock);
  if (number == SIGUSR2 && called_off) {
    pthread_mutex_unlock(&lock);
    return NULL;
  }
  if (current) unlink(current);
  static const char text[] = "\nmillrace: stopped by a signal\n";
  const ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  _exit(128 + number);
}

void mr_target_watch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR2}; /* the last one also calls the thread off */
  sigemptyset(&watched);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    struct sigaction action;
    if (sigaction(numbers[i], NULL, &action) == 0 && (action.sa_handler != SIG_IGN || numbers[i] == SIGUSR2))
      sigaddset(&watched, numbers[i]);
  }
  pthread_sigmask(SIG_BLOCK, &watched, NULL);
  watching = pthread_create(&watcher, NULL, wait_for_signals, NULL) == 0;
  if (!watching) pthread_sigmask(SIG_UNBLOCK, &watched, NULL);
}

void mr_target_unwatch_signals(void) {
  if (!watching) return;
  watching = false;
  pthread_mutex_lock(&lock);
  called_off = true;
  pthread_mutex_unlock(&lock);
  pthread_kill(watcher, SIGUSR2);
  pthread_join(watcher, NULL);
  pthread_sigmask(SIG_UNBLOCK, &watched, NULL);
}

/* ------------------------------------------------------------- targets */

static bool say(char* why) {
  snprintf(why, MR_WHY, "cannot be written: %s", strerror(errno));
  return false;
}

static bool make_temporary(MrTarget* target, mode_t mode) {
  const char* const slash = strrchr(target->path, '/');
  const int folder = slash ? (int)(slash - target->path) + 1 : 0;
  const size_t size = (size_t)folder + 64;
  target->temporary = malloc(size);
  if (!target->temporary) return false;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  unsigned mark = (unsigned)now.tv_nsec ^ (unsigned)now.tv_sec;
  for (int attempt = 0; attempt < 100; ++attempt, mark = mark * 1664525u + 1013904223u) {
    snprintf(target->temporary, size, "%.*s.millrace-%ld-%08x.part", folder, target->path, (long)getpid(), mark);
    pthread_mutex_lock(&lock);
    target->fd = open(target->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (target->fd >= 0) current = target->temporary;
    pthread_mutex_unlock(&lock);
    if (target->fd >= 0) {
      if (target->replaces) fchmod(target->fd, mode & 07777); /* where that is refused the umask's do */
      return true;
    }
    if (errno != EEXIST) break;
  }
  const int error = errno;
  free(target->temporary);
  target->temporary = NULL;
  errno = error;
  return false;
}

static bool open_target(MrTarget* target, const char* path, char* why) {
  if (strcmp(path, "-") == 0) {
    target->direct = true;
    target->fd = dup(STDOUT_FILENO);
    return target->fd >= 0 || say(why);
  }
  struct stat status;
  target->replaces = stat(path, &status) == 0;
  if (target->replaces && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return say(why);
  }
  if (target->replaces && !S_ISREG(status.st_mode)) {
    target->direct = true;
    target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return target->fd >= 0 || say(why);
  }
  if (target->replaces && access(path, W_OK) != 0) return say(why);
  target->path = target->replaces ? realpath(path, NULL) : strdup(path);
  if (!target->path || !make_temporary(target, target->replaces ? status.st_mode : 0)) return say(why);
  return true;
}

MrTarget* mr_target_open(const char* path, char* why) {
  MrTarget* const target = calloc(1, sizeof *target);
  if (!target) {
    errno = ENOMEM;
    say(why);
    return NULL;
  }
  target->fd = -1;
  if (open_target(target, path, why)) return target;
  mr_target_discard(target);
  return NULL;
}

static void free_target(MrTarget* target) {
  free(target->temporary);
  free(target->path);
  free(target);
}

bool mr_target_commit(MrTarget* target, char* why) {
  /* Where a file is replaced, the new one has to be on the disk before the old one goes, lest a power failure takes both. */
  bool ok = target->direct || !target->replaces || fsync(target->fd) == 0 || errno == EINVAL || say(why);
  const int closed = close(target->fd); /* network file systems tell of a full disk here */
  target->fd = -1;
  if (ok && closed != 0) ok = say(why);
  if (ok && !target->direct) {
    pthread_mutex_lock(&lock);
    ok = rename(target->temporary, target->path) == 0 || say(why);
    if (ok) current = NULL;
    pthread_mutex_unlock(&lock);
  }
  if (!ok) {
    mr_target_discard(target);
    return false;
  }
  free_target(target);
  return true;
}

void mr_target_discard(MrTarget* target) {
  if (!target) return;
  if (target->fd >= 0) close(target->fd);
  if (target->temporary) {
    pthread_mutex_lock(&lock);
    unlink(target->temporary);
    current = NULL;
    pthread_mutex_unlock(&lock);
  }
  free_target(target);
}
