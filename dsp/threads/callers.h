/* The real-time threads that the crew knows, and the scheduling class of each.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_THREADS_CALLERS_H
#define MILLRACE_THREADS_CALLERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MR_CALLERS_MOST 64u /* threads known at a time */

/* A policy and a priority in one number; 0: not yet known, or nobody. */
typedef uint32_t MrClass;

/* The number of the thread that calls among the callers; MR_CALLERS_MOST: there is no room. *is_new: it was not known. A thread is known by its
   kernel's number, which the first call of it asks for. Thread: real-time. */
uint32_t mr_callers_me(bool* is_new);

/* The class of caller i as it was last seen. Thread: any. */
MrClass mr_callers_class(uint32_t i);

/* Whether a worker has taken the class that caller i has: as workers say it, as callers ask. Thread: any. */
void mr_callers_set_served(uint32_t i, bool served);
bool mr_callers_are_served(uint32_t i);

/* Looks up the classes of all callers, and forgets those that have ended. Thread: workers. */
void mr_callers_look(void);

/* The class of the thread that calls. Thread: any. */
MrClass mr_class_own(void);
/* The class in which a worker helps a caller of a class. Thread: any. */
MrClass mr_class_below(MrClass class);
/* Gives the thread that calls a class: false where it may not have it. */
bool mr_class_take(MrClass wanted);

#endif
