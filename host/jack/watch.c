/* Tells when files have been written.
   SPDX-License-Identifier: ISC */
#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUIET   0.1 /* seconds after a change without another one */
#define LONGEST 0.5 /* for which changes that follow each other put it off */

enum { HOPS = 16 }; /* of links to a file, at most */

static const uint32_t changes = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY;
static const uint32_t moves = IN_DELETE_SELF | IN_MOVE_SELF;

/* ---------------------------------------------------------------- places */

static void forget_places(MrWatch* watch) {
  for (size_t i = 0; i < watch->places; ++i) free(watch->place[i].name);
  free(watch->place);
  watch->place = NULL;
  watch->places = 0;
}

static void add_place(MrWatch* watch, const char* folder, const char* name) {
  MrWatchPlace* const larger = realloc(watch->place, (watch->places + 1) * sizeof *larger);
  char* const copy = larger ? strdup(name) : NULL;
  if (larger) watch->place = larger;
  if (!copy) return;
  const int number = inotify_add_watch(watch->fd, folder, changes | moves | IN_ONLYDIR);
  if (number < 0) watch->incomplete = true;
  larger[watch->places++] = (MrWatchPlace){number, copy};
}

/* The file's name, and that of all that it is a link to. */
static void add_path(MrWatch* watch, const char* path) {
  char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];
  if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at) return;
  for (int hop = 0; hop < HOPS; ++hop) {
    char* const slash = strrchr(at, '/');
    const size_t length = slash ? (size_t)(slash - at) : 0;
    memcpy(folder, at, length);
    snprintf(folder + length, sizeof folder - length, "%s", slash ? (length ? "" : "/") : ".");
    add_place(watch, folder, slash ? slash + 1 : at);
    const ssize_t n = readlink(at, target, sizeof target - 1);
    if (n < 0) return;
    target[n] = '\0';
    const size_t head = slash && target[0] != '/' ? length + 1 : 0; /* with its slash */
    if (head + (size_t)n >= sizeof at) return;
    memcpy(at + head, target, (size_t)n + 1);
  }
}

static bool has_folder(const MrWatch* watch, int folder) {
  for (size_t i = 0; i < watch->places; ++i)
    if (watch->place[i].folder == folder) return true;
  return false;
}

/* Whether each of the places could be watched before and now. */
static bool renew(MrWatch* watch) {
  MrWatchPlace* const old = watch->place;
  const size_t count = watch->places;
  bool gained = false;
  watch->place = NULL;
  watch->places = 0;
  watch->incomplete = false;
  for (size_t i = 0; i < watch->paths; ++i) add_path(watch, watch->path[i]);
  for (size_t i = 0; i < count; ++i)
    if (old[i].folder >= 0 && !has_folder(watch, old[i].folder)) inotify_rm_watch(watch->fd, old[i].folder);
  for (size_t i = 0; i < watch->places; ++i) {
    bool known = watch->place[i].folder < 0;
    for (size_t k = 0; k < count; ++k) known |= old[k].folder == watch->place[i].folder && strcmp(old[k].name, watch->place[i].name) == 0;
    gained |= !known;
  }
  for (size_t i = 0; i < count; ++i) free(old[i].name);
  free(old);
  return gained;
}

bool mr_watch_init(MrWatch* watch, const char* const* path, size_t paths) {
  memset(watch, 0, sizeof *watch);
  watch->due = INFINITY;
  watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watch->path = malloc((paths + 1) * sizeof *watch->path);
  if (watch->fd < 0 || !watch->path) return false;
  memcpy(watch->path, path, paths * sizeof *path);
  watch->paths = paths;
  renew(watch);
  return true;
}

void mr_watch_free(MrWatch* watch) {
  forget_places(watch);
  free(watch->path);
  if (watch->fd >= 0) close(watch->fd);
  memset(watch, 0, sizeof *watch);
  watch->fd = -1;
}

/* ---------------------------------------------------------------- events */

static void change(MrWatch* watch, double now) {
  if (isinf(watch->due)) watch->first = now;
  watch->due = fmin(now + QUIET, watch->first + LONGEST);
}

/* A new name is a whole file only where it is a link, of either kind; else its writer will close it. */
static bool is_link(const MrWatch* watch, const char* name) {
  for (size_t i = 0; i < watch->paths; ++i) {
    struct stat about;
    const char* const slash = strrchr(watch->path[i], '/');
    if (lstat(watch->path[i], &about) != 0) continue;
    if (S_ISLNK(about.st_mode)) return true;
    if (strcmp(slash ? slash + 1 : watch->path[i], name) == 0 && about.st_nlink > 1) return true;
  }
  return false;
}

static bool is_watched(const MrWatch* watch, const struct inotify_event* event) {
  for (size_t i = 0; i < watch->places; ++i)
    if (watch->place[i].folder == event->wd && event->len && strcmp(watch->place[i].name, event->name) == 0) return true;
  return false;
}

static void hear(MrWatch* watch, const struct inotify_event* event, double now, bool* moved) {
  if (event->mask & IN_Q_OVERFLOW) { /* anything may have happened */
    *moved = true;
    change(watch, now);
  } else if (event->mask & (moves | IN_IGNORED)) {
    *moved |= has_folder(watch, event->wd);
  } else if (is_watched(watch, event)) {
    if (event->mask & IN_MODIFY) {
      watch->due = INFINITY; /* until it is closed */
    } else if (!(event->mask & IN_CREATE) || is_link(watch, event->name)) {
      change(watch, now);
      *moved |= !(event->mask & IN_CLOSE_WRITE); /* a link may lead elsewhere now */
    }
  }
}

void mr_watch_look(MrWatch* watch, double now) {
  alignas(struct inotify_event) char buffer[16384];
  bool moved = false;
  for (ssize_t n; watch->fd >= 0 && ((n = read(watch->fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));) {
    for (const char* at = buffer; n > 0 && at < buffer + n;) {
      const struct inotify_event* const event = (const struct inotify_event*)(const void*)at;
      hear(watch, event, now, &moved);
      at += sizeof *event + event->len;
    }
  }
  if ((moved || watch->incomplete) && watch->fd >= 0 && renew(watch)) change(watch, now);
}

bool mr_watch_is_due(MrWatch* watch, double now) {
  if (now < watch->due) return false;
  watch->due = INFINITY;
  return true;
}
