/* Loops over several threads. One team serves the whole process: its threads are started when they are first needed,
 * and are there until the process ends. A thread that waits looks for work for some microseconds and then sleeps, so
 * that a machine that does something else as well is not robbed of a core.
 *
 * Which thread takes what, and how many take part, is not determined: results may not depend on it. */
#ifndef PL_BASE_PARALLEL_H
#define PL_BASE_PARALLEL_H

#include <stddef.h>

/* Tasks [from, to) of a loop. `thread` is below the number of threads that was asked for, and no two bodies that run at
 * the same time have the same: so it can number their work spaces. */
typedef void pl_parallel_body(void *self, size_t from, size_t to, int thread);

/* Has body do the tasks [0, count), each once, on at most `threads` threads, the caller being one, and returns when all
 * are done. They are taken `grain` at a time (0: in a few pieces for each thread), every thread beginning with a range
 * of neighbours and then helping others with theirs; nobody waits for a thread that has not come. No more threads take
 * part than there are cores for this process. Within a body, or while another thread has the team, a loop runs on the
 * caller alone. Bodies may neither block on one another nor be cancelled.
 *
 * The user's GOMP_SPINCOUNT, KMP_BLOCKTIME (milliseconds) and OMP_WAIT_POLICY say how long a thread looks for work. */
void pl_parallel(int threads, size_t count, size_t grain, pl_parallel_body *body, void *self);

/* For tests: takes so many cores for given, whatever the machine has; 0: what it has. */
void pl_parallel_assume_cores(int cores);

#endif
