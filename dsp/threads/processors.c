/* How many threads can run at once.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "processors.h"

#include <sched.h>
#include <unistd.h>

uint32_t mr_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a set of this size holds */
  return online > 1 ? (uint32_t)online : 1;
}
