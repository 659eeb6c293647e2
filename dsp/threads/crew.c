/* The crew: threads of this process that help real-time threads with their blocks.
   SPDX-License-Identifier: ISC

   Posts and the bell are never freed, so a worker that is late reads memory that is there. A worker takes a job in four steps: it counts itself as a
   reader of the post, reads the job, counts itself as its user, and reads the post again. What it then finds unchanged cannot be freed or reused
   before it leaves: whoever wants to, takes the job off the post first, and then looks at the counts. */
#define _GNU_SOURCE /* dladdr(), RTLD_NODELETE */
#include "crew.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "../kernel/fpmode.h"
#include "../kernel/pause.h"
#include "arena.h"
#include "callers.h"
#include "futex.h"

#define POSTS    128u
#define SPIN_NS  50000.0    /* that a worker looks for the next job before it sleeps */
#define AWAKE_NS 10000000.0 /* that it stays awake at a stretch, working or not */
#define NAP_NS \
  700000 /* then: seven in a hundred, so that the kernel, which leaves five to others, need not stop real-time threads; RLIMIT_RTTIME begins anew, too */
#define LOOK_NS       1e9 /* between two looks at the callers' classes */
#define LOOKS_A_CLOCK 64u /* the clock is read once in so many looks for jobs */

struct MrPost {
  _Alignas(64) _Atomic(MrJob*) job; /* each post in a cache line of its own: workers look at all of them */
  atomic_uint readers, most;        /* workers that look; that may help */
  atomic_bool used;
  bool awake; /* control */
  atomic_uint caller;
};

static struct {
  pthread_mutex_t lock; /* control threads */
  uint32_t engines, awake_engines, arenas;
  MrArena* arena[MR_CREW_MOST];
  MrPost post[POSTS];
  atomic_uint posts; /* ever used: those that workers look at */
  atomic_uint bell, sleepers, workers, looked;
  atomic_bool ending, awake;
  atomic_bool forked; /* this is a child of the process that had the workers */
  bool watches_forks;
  uint32_t loops;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ----------------------------------------------------------------- workers */

typedef struct Worker {
  MrClass own, refused; /* the class it has; the one that it last failed to get */
  double looked;        /* at the callers' classes, ns */
} Worker;

/* Whether the worker has a post's caller's class, after an attempt to get it. */
static bool takes_class(Worker* worker, const MrPost* post) {
  const uint32_t caller = atomic_load_explicit(&post->caller, memory_order_relaxed);
  const MrClass theirs = mr_callers_class(caller), wanted = mr_class_below(theirs);
  if (!theirs || wanted == worker->refused) return false;
  if (wanted != worker->own && mr_class_take(wanted)) worker->own = wanted;
  if (wanted != worker->own) worker->refused = wanted;
  mr_callers_set_served(caller, wanted == worker->own);
  return wanted == worker->own;
}

/* Whether there was a job for the worker. */
static bool help_at(Worker* worker, MrPost* post) {
  if (!atomic_load_explicit(&post->job, memory_order_relaxed) || !takes_class(worker, post)) return false;
  bool helped = false;
  atomic_fetch_add(&post->readers, 1);
  MrJob* job = atomic_load(&post->job);
  if (job) {
    const bool room = atomic_fetch_add(&job->users, 1) < atomic_load_explicit(&post->most, memory_order_relaxed);
    if (room && atomic_load(&post->job) == job) {
      job->help(job);
      helped = true;
    }
    atomic_fetch_sub(&job->users, 1);
  }
  atomic_fetch_sub(&post->readers, 1);
  return helped;
}

static bool help_anywhere(Worker* worker, uint32_t first) {
  const uint32_t posts = atomic_load_explicit(&crew.posts, memory_order_acquire);
  bool helped = false;
  for (uint32_t i = 0; i < posts; i++) helped |= help_at(worker, &crew.post[(first + i) % posts]);
  return helped;
}

/* Looks up what callers have asked for, and tries to be what they are, so that mr_crew_serves() can say so. */
static void look_at_callers(Worker* worker, double now) {
  mr_callers_look();
  worker->looked = now;
  worker->refused = 0;
  const uint32_t posts = atomic_load_explicit(&crew.posts, memory_order_acquire);
  for (uint32_t i = 0; i < posts; i++)
    if (atomic_load_explicit(&crew.post[i].used, memory_order_relaxed)) takes_class(worker, &crew.post[i]);
}

/* Until the next ring. */
static void sleep_until_rung(unsigned heard) {
  atomic_fetch_add(&crew.sleepers, 1);
  if (atomic_load(&crew.bell) == heard && !atomic_load(&crew.ending)) mr_futex_wait(&crew.bell, heard);
  atomic_fetch_sub(&crew.sleepers, 1);
}

static double nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  return now_ns();
}

/* Looks for jobs until the crew ends. */
static void look_for_jobs(Worker* worker, uint32_t index) {
  double idle_since = now_ns(), awake_since = idle_since;
  unsigned heard = atomic_load(&crew.bell), looked = atomic_load(&crew.looked) - 1;
  for (uint32_t look = 0; !atomic_load_explicit(&crew.ending, memory_order_acquire); look++) {
    const bool helped = help_anywhere(worker, index);
    const unsigned asked = atomic_load_explicit(&crew.looked, memory_order_acquire);
    if (!helped && asked == looked && look % LOOKS_A_CLOCK) {
      mr_pause();
      continue;
    }
    const double now = now_ns();
    if (asked != looked || now - worker->looked > LOOK_NS) look_at_callers(worker, now);
    looked = asked;
    const unsigned bell = atomic_load(&crew.bell);
    const bool rung = bell != heard; /* while it was looking: it looks once more before it sleeps */
    heard = bell;
    if (helped || rung) idle_since = now;
    if (now - awake_since > AWAKE_NS) {
      awake_since = nap();
    } else if (!helped && !rung && !atomic_load_explicit(&crew.awake, memory_order_relaxed) && now - idle_since > SPIN_NS) {
      sleep_until_rung(heard);
      idle_since = awake_since = now_ns();
    }
  }
}

static void work(void* context, uint32_t index) {
  (void)context;
  sigset_t all, signals; /* the host's handlers are not for a thread in the middle of a block */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &signals);
  const MrFpMode before = mr_fpmode_enter();
  const MrClass class = mr_class_own();
  Worker worker = {.own = class};
  atomic_fetch_add(&crew.workers, 1);
  look_for_jobs(&worker, index);
  atomic_fetch_sub(&crew.workers, 1);
  if (worker.own != class) mr_class_take(class);
  mr_fpmode_leave(before);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

/* ----------------------------------------------------------------- control */

/* A child has none of its parent's threads, and oneTBB, which believes in them, can make none. */
static void before_fork(void) { pthread_mutex_lock(&crew.lock); }
static void in_parent(void) { pthread_mutex_unlock(&crew.lock); }
static void in_child(void) {
  atomic_store(&crew.forked, true);
  atomic_store(&crew.workers, 0);
  atomic_store(&crew.sleepers, 0);
  crew.arenas = crew.loops = 0;
  for (uint32_t i = 0; i < POSTS; i++) atomic_store(&crew.post[i].readers, 0);
  pthread_mutex_unlock(&crew.lock);
}

static bool can_start(void) {
  if (!crew.watches_forks) crew.watches_forks = pthread_atfork(before_fork, in_parent, in_child) == 0;
  return crew.watches_forks && !atomic_load(&crew.forked);
}

/* As many loops as are wanted, in arenas one after another. */
static bool start_workers(uint32_t workers) {
  atomic_store(&crew.ending, false);
  if (crew.loops >= workers || crew.arenas == MR_CREW_MOST) return crew.loops > 0;
  MrArena* arena = mr_arena_new(workers - crew.loops, work, NULL);
  if (!arena) return crew.loops > 0;
  crew.arena[crew.arenas++] = arena;
  crew.loops = workers;
  return true;
}

static void ring(void) {
  atomic_fetch_add(&crew.bell, 1);
  mr_futex_wake(&crew.bell, MR_CREW_MOST);
}

/* This module's code must stay where it is: threads may still return through it. */
static void pin_module(void) {
  Dl_info info;
  if (dladdr((void*)&crew, &info) && info.dli_fname) dlopen(info.dli_fname, RTLD_NOW | RTLD_NODELETE);
}

static void stop_workers(void) {
  atomic_store(&crew.ending, true);
  ring();
  bool gone = true;
  for (uint32_t i = 0; i < crew.arenas; i++) gone &= mr_arena_free(crew.arena[i]);
  crew.arenas = crew.loops = 0;
  if (!gone) pin_module();
}

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL); }

static MrPost* free_post(void) {
  for (uint32_t i = 0; i < POSTS; i++) {
    if (atomic_load(&crew.post[i].used)) continue;
    if (i >= atomic_load(&crew.posts)) atomic_store(&crew.posts, i + 1);
    return &crew.post[i];
  }
  return NULL;
}

MrPost* mr_crew_join(uint32_t workers, bool awake) {
  if (!workers) return NULL;
  workers = workers < MR_CREW_MOST ? workers : MR_CREW_MOST;
  pthread_mutex_lock(&crew.lock);
  MrPost* post = free_post();
  if (post && !(can_start() && start_workers(workers))) post = NULL;
  if (post) {
    atomic_store(&post->most, workers);
    atomic_store(&post->caller, MR_CALLERS_MOST);
    atomic_store(&post->used, true);
    post->awake = awake;
    crew.engines++;
    crew.awake_engines += awake;
    atomic_store(&crew.awake, crew.awake_engines > 0);
    if (awake) ring();
  }
  pthread_mutex_unlock(&crew.lock);
  return post;
}

void mr_crew_leave(MrPost* post) {
  if (!post) return;
  pthread_mutex_lock(&crew.lock);
  atomic_store(&post->job, NULL);
  while (atomic_load(&post->readers)) rest();
  atomic_store(&post->used, false);
  crew.awake_engines -= post->awake;
  atomic_store(&crew.awake, crew.awake_engines > 0);
  if (--crew.engines == 0) stop_workers();
  pthread_mutex_unlock(&crew.lock);
}

uint32_t mr_crew_workers(void) { return atomic_load(&crew.workers); }

/* --------------------------------------------------------------- real-time */

static void wake(uint32_t workers) {
  atomic_fetch_add(&crew.bell, 1);
  if (atomic_load(&crew.sleepers)) mr_futex_wake(&crew.bell, workers);
}

bool mr_crew_serves(MrPost* post) {
  if (atomic_load_explicit(&crew.forked, memory_order_relaxed)) return false;
  bool is_new;
  const uint32_t me = mr_callers_me(&is_new);
  if (atomic_load_explicit(&post->caller, memory_order_relaxed) != me) /* workers read the line all the time */
    atomic_store_explicit(&post->caller, me, memory_order_relaxed);
  if (is_new) {
    atomic_fetch_add(&crew.looked, 1);
    wake(1);
  }
  return mr_callers_are_served(me);
}

void mr_crew_offer(MrPost* post, MrJob* job, uint32_t wakes) {
  atomic_store(&post->job, job);
  if (wakes)
    wake(wakes);
  else
    atomic_fetch_add(&crew.bell, 1); /* those about to sleep look once more */
}

void mr_crew_withdraw(MrPost* post) { atomic_store(&post->job, NULL); }

bool mr_crew_is_left(const MrJob* job) { return atomic_load(&job->users) == 0 || atomic_load_explicit(&crew.forked, memory_order_relaxed); }
