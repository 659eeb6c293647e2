/* Sleeping on a word of memory, and waking those that do.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* syscall() */
#include "futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void mr_futex_wait(atomic_uint* word, unsigned value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }

void mr_futex_wake(atomic_uint* word, unsigned most) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, (int)most, NULL, NULL, 0); }
