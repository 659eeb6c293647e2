/* Where oneTBB is missing, there are no threads.
   SPDX-License-Identifier: ISC */
#include "../arena.h"

#include <stddef.h>

MrArena* mr_arena_new(uint32_t loops, void (*loop)(void*, uint32_t), void* context) {
  (void)loops, (void)loop, (void)context;
  return NULL;
}

bool mr_arena_free(MrArena* arena) {
  (void)arena;
  return true;
}
