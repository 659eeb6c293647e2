/* The crew: threads of this process that help real-time threads with their blocks. One for all engines.
   SPDX-License-Identifier: ISC

   A real-time thread that has work to share puts a job on its engine's post, rings once, and works on. Workers that are free find the job, and take
   what parts of it they can. The caller waits for nobody: it takes the job off when all is done, whoever did it. A worker that is still inside a job
   by then touches that job alone, which nobody reuses before the worker has left it.

   Workers are threads of oneTBB's that have taken on the scheduling class of the callers, in a real-time class one priority below
   them: equals would not let them run. Where they may not, nobody helps. */
#ifndef MILLRACE_THREADS_CREW_H
#define MILLRACE_THREADS_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MR_CREW_MOST 63u /* workers */

/* Work that may be shared; the first member of the engine's own type. */
typedef struct MrJob {
  atomic_uint users;               /* workers inside */
  void (*help)(struct MrJob* job); /* does parts of it until there are none; real-time */
} MrJob;

/* Where an engine's caller offers its jobs, one at a time. */
typedef struct MrPost MrPost;

/* A post for work with at most so many workers, on a crew that has as many; awake: they never sleep for long, for machines whose processors are
   ours. NULL: no memory, no oneTBB or a limit of the host's on its threads, too many engines, or a child of a process that had a crew. Thread: control, as mr_crew_leave(), which waits until no worker uses the post; it takes
   workers down with the last post. */
MrPost* mr_crew_join(uint32_t workers, bool awake);
void mr_crew_leave(MrPost* post);

/* Whether a worker has the class in which it helps the thread that calls; the first call of a thread asks for it, with one system call or two. Thread: real-time, as
   all below. */
bool mr_crew_serves(MrPost* post);

/* Puts a job on the post and wakes so many workers, of those that sleep, with one system call; 0: none. */
void mr_crew_offer(MrPost* post, MrJob* job, uint32_t wakes);
/* Takes it off. Workers inside may stay for a while. */
void mr_crew_withdraw(MrPost* post);

/* Whether a job that was withdrawn may be used again. */
bool mr_crew_is_left(const MrJob* job);

/* Workers that have begun. Thread: any. */
uint32_t mr_crew_workers(void);

#endif
