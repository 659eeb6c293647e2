/* The latest state of something that run() changes, for one other thread to look at; neither waits.
   SPDX-License-Identifier: ISC

   Of three places the writer has one, the reader one, and the third changes hands. */
#ifndef MILLRACE_PLUGIN_SNAPSHOT_H
#define MILLRACE_PLUGIN_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct MrSnapshot {
  size_t size;
  unsigned char* place; /* three of them */
  atomic_uint middle;   /* the place that is nobody's, and FRESH where it was written last */
  unsigned back, front; /* the writer's, the reader's */
} MrSnapshot;

/* With a first state. False without memory. Thread: control, as free. */
bool mr_snapshot_init(MrSnapshot* snapshot, const void* first, size_t size);
void mr_snapshot_free(MrSnapshot* snapshot); /* one that is all zeros is allowed */

/* Thread: real-time, one. */
void mr_snapshot_put(MrSnapshot* snapshot, const void* state);
/* The latest; it stays as it is until the next call. *fresh: whether it is another than that of the last call. Thread: another one. */
const void* mr_snapshot_take(MrSnapshot* snapshot, bool* fresh);

#endif
