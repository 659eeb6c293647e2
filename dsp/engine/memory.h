/* Aligned memory of an engine, all zero. Control threads only.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_MEMORY_H
#define MILLRACE_ENGINE_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"

/* count elements of size bytes, aligned to MR_ALIGN and zero; NULL if there is no memory or the product overflows. free() it. */
static inline void* mr_memory_new(size_t count, size_t size) {
  if (size && count > (SIZE_MAX - MR_ALIGN) / size) return NULL;
  const size_t bytes = (count * size + MR_ALIGN - 1) / MR_ALIGN * MR_ALIGN;
  void* memory = aligned_alloc(MR_ALIGN, bytes ? bytes : MR_ALIGN);
  if (memory) memset(memory, 0, bytes ? bytes : MR_ALIGN);
  return memory;
}

#endif
