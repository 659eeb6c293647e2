/* Fibers: stacks that one thread switches between by hand. In C, so that it is tested for processors that only have a C compiler here.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_FIBER_H
#define MILLRACE_FIBER_H

#include <stddef.h>

#if !defined MR_FIBER_UCONTEXT && !defined __x86_64__ && !defined __aarch64__
#define MR_FIBER_UCONTEXT /* no assembly for this processor: slow, but the C library's */
#endif

#ifdef MR_FIBER_UCONTEXT
#include <ucontext.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrFiber {
#ifdef MR_FIBER_UCONTEXT
  ucontext_t context;
#else
  void* stack_pointer;
#endif
} MrFiber;

/* Makes a fiber that calls entry on that stack when it is first switched to. Entry must never return. */
void mr_fiber_prepare(MrFiber* fiber, void* stack, size_t bytes, void (*entry)(void));

/* Keeps the running one in `from` and goes on with `to`; returns when somebody switches back. A fiber may be left for good, and prepared anew. Floating
   point modes are not part of a fiber. */
void mr_fiber_switch(MrFiber* from, MrFiber* to);

#ifdef __cplusplus
}
#endif

#endif
