/* Sleeping on a word of memory, and waking those that do.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_THREADS_FUTEX_H
#define MILLRACE_THREADS_FUTEX_H

#include <stdatomic.h>

/* Sleeps while *word is value, until it is woken; may wake for no reason. */
void mr_futex_wait(atomic_uint* word, unsigned value);
/* Wakes so many of those that sleep on the word: one system call. */
void mr_futex_wake(atomic_uint* word, unsigned most);

#endif
