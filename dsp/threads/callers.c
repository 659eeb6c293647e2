/* The real-time threads that the crew knows, and the scheduling class of each.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* gettid() by syscall(), SCHED_RESET_ON_FORK */
#include "callers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLASS(policy, priority) ((MrClass)((((policy)&0xff) << 8 | ((priority)&0x7f)) | 1u << 31))
#define POLICY(class)           ((int)((class) >> 8 & 0xff))
#define PRIORITY(class)         ((int)((class) & 0x7f))

static struct {
  atomic_int thread; /* 0: nobody */
  _Atomic(MrClass) class;
  atomic_bool served;
} callers[MR_CALLERS_MOST];

/* Within the static part of thread-local storage: elsewhere a thread's first look would allocate. */
static _Thread_local int own_number __attribute__((tls_model("initial-exec")));

static int number(void) {
  if (!own_number) own_number = (int)syscall(SYS_gettid);
  return own_number;
}

uint32_t mr_callers_me(bool* is_new) {
  const int me = number();
  const uint32_t from = (uint32_t)me % MR_CALLERS_MOST;
  *is_new = false;
  for (uint32_t k = 0; k < MR_CALLERS_MOST; k++) {
    const uint32_t i = (from + k) % MR_CALLERS_MOST;
    const int there = atomic_load_explicit(&callers[i].thread, memory_order_acquire);
    if (there == me) return i;
  }
  for (uint32_t k = 0; k < MR_CALLERS_MOST; k++) {
    const uint32_t i = (from + k) % MR_CALLERS_MOST;
    int nobody = 0;
    if (atomic_load_explicit(&callers[i].thread, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(&callers[i].thread, &nobody, me)) {
      *is_new = true;
      return i;
    }
  }
  return MR_CALLERS_MOST;
}

MrClass mr_callers_class(uint32_t i) { return i < MR_CALLERS_MOST ? atomic_load_explicit(&callers[i].class, memory_order_acquire) : 0; }

void mr_callers_set_served(uint32_t i, bool served) {
  if (i < MR_CALLERS_MOST) atomic_store_explicit(&callers[i].served, served, memory_order_relaxed);
}

bool mr_callers_are_served(uint32_t i) { return i < MR_CALLERS_MOST && atomic_load_explicit(&callers[i].served, memory_order_relaxed); }

static MrClass class_of(int thread) {
  const int policy = sched_getscheduler(thread);
  struct sched_param parameters;
  if (policy < 0 || sched_getparam(thread, &parameters) != 0) return 0;
  return CLASS(policy & ~SCHED_RESET_ON_FORK, parameters.sched_priority);
}

void mr_callers_look(void) {
  for (uint32_t i = 0; i < MR_CALLERS_MOST; i++) {
    const int thread = atomic_load_explicit(&callers[i].thread, memory_order_acquire);
    if (!thread) continue;
    const MrClass class = class_of(thread);
    atomic_store_explicit(&callers[i].class, class, memory_order_release);
    if (class || errno != ESRCH) continue;
    atomic_store_explicit(&callers[i].served, false, memory_order_relaxed);
    int ended = thread; /* unless another worker has forgotten it, and another thread has the place */
    atomic_compare_exchange_strong(&callers[i].thread, &ended, 0);
  }
}

MrClass mr_class_own(void) { return class_of(0); }

/* One priority less than a real-time caller has: equals do not preempt each other, so a worker that looks for work could keep a caller waiting. */
MrClass mr_class_below(MrClass class) {
  const bool realtime = POLICY(class) == SCHED_FIFO || POLICY(class) == SCHED_RR;
  return realtime && PRIORITY(class) > 1 ? CLASS(POLICY(class), PRIORITY(class) - 1) : class;
}

bool mr_class_take(MrClass wanted) {
  const struct sched_param parameters = {.sched_priority = PRIORITY(wanted)};
  return pthread_setschedparam(pthread_self(), POLICY(wanted), &parameters) == 0;
}
