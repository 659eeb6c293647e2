/* The switch between fibers: what a function must preserve goes onto the old stack, and comes from the new one.
   SPDX-License-Identifier: ISC */
#include "fiber.h"

#include <stdint.h>
#include <string.h>

#if defined MR_FIBER_UCONTEXT

void mr_fiber_prepare(MrFiber* fiber, void* stack, size_t bytes, void (*entry)(void)) {
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = stack;
  fiber->context.uc_stack.ss_size = bytes;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, entry, 0);
}

void mr_fiber_switch(MrFiber* from, MrFiber* to) { swapcontext(&from->context, &to->context); }

#elif defined __x86_64__

enum { SAVED = 6 }; /* registers below the address to return to */

__asm__(
    ".text\n"
    ".globl mr_fiber_switch\n"
    ".hidden mr_fiber_switch\n"
    ".type mr_fiber_switch, @function\n"
    "mr_fiber_switch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size mr_fiber_switch, . - mr_fiber_switch\n");

void mr_fiber_prepare(MrFiber* fiber, void* stack, size_t bytes, void (*entry)(void)) {
  /* A function finds its stack pointer 8 above a multiple of 16, as after a call, and there the address to return to: none. */
  void** top = (void**)(((uintptr_t)stack + bytes) & ~(uintptr_t)15) - 1;
  void** place = top - 1 - SAVED;
  memset(place, 0, (size_t)((char*)(top + 1) - (char*)place));
  memcpy(top - 1, &entry, sizeof entry);
  fiber->stack_pointer = place;
}

#else /* aarch64 */

enum { FRAME = 160, LINK = 88 }; /* bytes on the stack, and where x30 is among them */

__asm__(
    ".text\n"
    ".globl mr_fiber_switch\n"
    ".hidden mr_fiber_switch\n"
    ".type mr_fiber_switch, %function\n"
    "mr_fiber_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  ldr x9, [x1]\n"
    "  mov sp, x9\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".size mr_fiber_switch, . - mr_fiber_switch\n");

void mr_fiber_prepare(MrFiber* fiber, void* stack, size_t bytes, void (*entry)(void)) {
  char* place = (char*)(((uintptr_t)stack + bytes) & ~(uintptr_t)15) - FRAME;
  memset(place, 0, FRAME);
  memcpy(place + LINK, &entry, sizeof entry);
  fiber->stack_pointer = place;
}

#endif
