/* Traps for what a real-time thread must not do: allocation, locks, system calls. They count what the thread within run() does, and let it pass.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_PLUGIN_TRAP_H
#define MILLRACE_TESTS_PLUGIN_TRAP_H

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRAPS 0 /* sanitizers have an allocator, locks and system calls of their own: there the same calls are only played */
#elif defined(__linux__) && defined(__x86_64__)
#define TRAPS 1
#else
#define TRAPS 0
#endif

typedef struct TrapCounts {
  atomic_uint allocations, locks, calls;
  atomic_int last_call; /* its number */
} TrapCounts;

extern TrapCounts trap_counts;

/* Whether this thread is within run(): the test host has it, or a test that calls something else of the real-time class. */
extern _Thread_local volatile bool host_in_run;

/* System calls of this thread, for ever, run through the trap. False: the kernel has no filters. */
bool trap_system_calls(void);
void trap_reset(void);

#endif
