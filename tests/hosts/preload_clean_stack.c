/* Preloaded into lv2file, so that its main() begins on a stack of zeros.
   SPDX-License-Identifier: ISC

   lv2file 0.95 hands a plugin with a worker a feature whose URI it has never set: whatever the stack held is taken for a pointer, and any
   plugin that looks through its features crashes now and then. From a stack of zeros it is NULL, which plugins can pass over. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 65536u /* bytes: more than main() has of its own */

typedef int (*Main)(int argc, char** argv, char** environment);
typedef int (*Start)(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*loader_fini)(void), void* stack_end);

static Main real_main;

__attribute__((noinline)) static void clean(void) {
  char stack[DEPTH];
  memset(stack, 0, sizeof stack);
  __asm__ volatile("" : : "r"(stack) : "memory"); /* it is not for nothing */
}

static int clean_main(int argc, char** argv, char** environment) {
  clean();
  return real_main(argc, argv, environment);
}

__attribute__((visibility("default"))) int __libc_start_main(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                                                             void (*loader_fini)(void), void* stack_end);

int __libc_start_main(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                      void* stack_end) {
  Start start = NULL;
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  if (!start) abort();
  real_main = main;
  return start(clean_main, argc, argv, init, fini, loader_fini, stack_end);
}
