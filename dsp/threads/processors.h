/* How many threads can run at once.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_THREADS_PROCESSORS_H
#define MILLRACE_THREADS_PROCESSORS_H

#include <stdint.h>

/* Processors that this process may use, by its affinity: 1 at least. Thread: control. */
uint32_t mr_processors(void);

#endif
