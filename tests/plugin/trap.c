/* Traps for what a real-time thread must not do.
   SPDX-License-Identifier: ISC

   The C library's functions are replaced by ones that count and pass on. System calls: a seccomp filter of the thread's, which a program cannot take
   off again, lets through what comes from one place in this file alone; all else raises SIGSYS, and the handler counts and makes the call from there. */
#define _GNU_SOURCE
#include "trap.h"

TrapCounts trap_counts;

void trap_reset(void) {
  atomic_store(&trap_counts.allocations, 0);
  atomic_store(&trap_counts.locks, 0);
  atomic_store(&trap_counts.calls, 0);
}

#if TRAPS
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#pragma GCC visibility push(default) /* or shared objects go on calling the library's */

/* ------------------------------------------------------------ allocation */

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* memory);

static void allocates(void) {
  if (host_in_run) atomic_fetch_add(&trap_counts.allocations, 1);
}

static void locks(void) {
  if (host_in_run) atomic_fetch_add(&trap_counts.locks, 1);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the library's names are reserved */
void* malloc(size_t size) {
  allocates();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocates();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  allocates();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  allocates();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  allocates();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
void free(void* memory) {
  allocates();
  __libc_free(memory);
}

/* ------------------------------------------------------- locks and waits */

/* A function of the name that counts and calls the library's. */
#define PASS_ON(name, parameters, arguments)       \
  int name parameters {                            \
    static int(*_Atomic library) parameters;       \
    int(*found) parameters = library;              \
    locks();                                       \
    if (!found) {                                  \
      *(void**)(&found) = dlsym(RTLD_NEXT, #name); \
      library = found;                             \
    }                                              \
    return found arguments;                        \
  }

PASS_ON(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
PASS_ON(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
PASS_ON(pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
PASS_ON(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
PASS_ON(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
PASS_ON(pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
PASS_ON(pthread_cond_signal, (pthread_cond_t * cond), (cond))
PASS_ON(pthread_cond_broadcast, (pthread_cond_t * cond), (cond))
PASS_ON(pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t* mutex), (cond, mutex))
PASS_ON(sem_wait, (sem_t * semaphore), (semaphore))
PASS_ON(sem_trywait, (sem_t * semaphore), (semaphore))
PASS_ON(sem_post, (sem_t * semaphore), (semaphore))
PASS_ON(nanosleep, (const struct timespec* wanted, struct timespec* left), (wanted, left))
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#pragma GCC visibility pop

/* ---------------------------------------------------------- system calls */

long trap_gate(long number, long a, long b, long c, long d, long e, long f);
extern const char trap_gate_return[];
__asm__(
    ".text\n"
    ".globl trap_gate, trap_gate_return\n"
    ".type trap_gate, @function\n"
    "trap_gate:\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n"
    "  mov %r9, %r8\n"
    "  mov 8(%rsp), %r9\n"
    "  syscall\n"
    "trap_gate_return:\n"
    "  ret\n");

static void caught(int number, siginfo_t* info, void* context) {
  (void)number;
  greg_t* reg = ((ucontext_t*)context)->uc_mcontext.gregs;
  if (host_in_run) {
    atomic_fetch_add(&trap_counts.calls, 1);
    atomic_store(&trap_counts.last_call, info->si_syscall);
  }
  reg[REG_RAX] = trap_gate(info->si_syscall, reg[REG_RDI], reg[REG_RSI], reg[REG_RDX], reg[REG_R10], reg[REG_R8], reg[REG_R9]);
}

bool trap_system_calls(void) {
  const struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
  if (sigaction(SIGSYS, &action, NULL)) return false;
  const uint64_t gate = (uint64_t)(uintptr_t)trap_gate_return;
  const uint32_t at = offsetof(struct seccomp_data, instruction_pointer);
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 5, 0), /* the handler's own way out */
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 4, 0),         /* the thread's, on a stack that is no longer there */
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)gate, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(gate >> 32), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool trap_system_calls(void) { return true; }

#endif
