/* What control groups allow this process: containers, systemd units and the jobs of a batch system are limited so. */
#ifndef PL_BASE_CGROUP_H
#define PL_BASE_CGROUP_H

#include <stdint.h>

struct pl_cgroup_limits {
    double cores;     /* processor time a second; INFINITY: no limit */
    uint64_t memory;  /* bytes that are left; UINT64_MAX: no limit */
    char events[512]; /* the file of the own group whose line oom_kill counts the processes that the kernel has ended
                         because memory was over; "": there is none */
};

/* The tightest limit of the process's own groups and of every group above them, in version 1 and 2 of the interface.
 * root stands before every path that is read: "" but for tests. */
void pl_cgroup_limits(const char *root, struct pl_cgroup_limits *limits);

#endif
