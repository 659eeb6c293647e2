/* The latest state of something that run() changes.
   SPDX-License-Identifier: ISC */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#define FRESH 4u

static unsigned char* place_of(const MrSnapshot* snapshot, unsigned place) { return snapshot->place + place * snapshot->size; }

bool mr_snapshot_init(MrSnapshot* snapshot, const void* first, size_t size) {
  snapshot->size = size;
  snapshot->place = calloc(3, size);
  if (!snapshot->place) return false;
  memcpy(place_of(snapshot, 0), first, size);
  snapshot->front = 1;
  snapshot->back = 2;
  atomic_init(&snapshot->middle, 0 | FRESH);
  return true;
}

void mr_snapshot_free(MrSnapshot* snapshot) {
  free(snapshot->place);
  snapshot->place = NULL;
}

void mr_snapshot_put(MrSnapshot* snapshot, const void* state) {
  memcpy(place_of(snapshot, snapshot->back), state, snapshot->size);
  snapshot->back = atomic_exchange_explicit(&snapshot->middle, snapshot->back | FRESH, memory_order_acq_rel) & ~FRESH;
}

const void* mr_snapshot_take(MrSnapshot* snapshot, bool* fresh) {
  *fresh = atomic_load_explicit(&snapshot->middle, memory_order_relaxed) & FRESH;
  if (*fresh) snapshot->front = atomic_exchange_explicit(&snapshot->middle, snapshot->front, memory_order_acq_rel) & ~FRESH;
  return place_of(snapshot, snapshot->front);
}
