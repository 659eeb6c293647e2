/* A moment's rest for a thread that looks at memory again and again: the other thread of its core gets on.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_PAUSE_H
#define MILLRACE_KERNEL_PAUSE_H

static inline void mr_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
