/* The machine, the clock and this program. */
#ifndef PL_BASE_HOST_H
#define PL_BASE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This program's version and, built from a git checkout, the source revision: "1.0.0 (1ff3f2d+)", + for changes that
 * were not committed. What results are recorded with. */
const char *pl_version(void);

double pl_clock(void);        /* seconds since 1970, for records */
double pl_clock_steady(void); /* seconds that never jump, for intervals */
/* "2026-09-01 12:00:00 UTC", as the views of a database say it; empty where the year has not four digits, as a database
 * of somebody else's may say. Returns text. */
enum { PL_TIME_TEXT_SIZE = 32 };
const char *pl_time_text(double seconds_since_1970, char text[PL_TIME_TEXT_SIZE]);

int pl_host_cores(void); /* cores this process may use: affinity and cgroup quotas, at least 1 */
/* Bytes available without swapping, cgroup limits included; $POULA_MEMORY (such as 4G) lowers it. */
uint64_t pl_host_memory_free(void);
/* How many processes beside this one (of its control group) the kernel has ended so far because memory was over. When
 * it has grown, that is why one is gone. */
uint64_t pl_host_memory_kills(void);
void pl_host_name(char *name, size_t size);
void pl_host_cpu(char *name, size_t size); /* model name, or the machine type */

/* A graphics card, or what else computes beside the processor. */
struct pl_accelerator {
    char name[96];  /* as its driver calls it: "NVIDIA H200" */
    char place[64]; /* the file of the device: "/dev/nvidia0" */
};
/* Those that this process may open and see: NVIDIA's by $CUDA_VISIBLE_DEVICES, AMD's by $ROCR_VISIBLE_DEVICES. Fills in
 * at most room of the list and returns how many there are. */
size_t pl_host_accelerators(struct pl_accelerator *list, size_t room);
/* The same of a machine whose files lie under root, for tests. */
size_t pl_host_accelerators_in(const char *root, struct pl_accelerator *list, size_t room);

/* The instruction set that own kernels run on, in rising order; pl_host_isa is detected once and can
 * be lowered by $POULA_ISA (base, avx2, avx512) for tests and for equal bits on unlike machines. */
enum pl_isa { PL_ISA_BASE, PL_ISA_AVX2, PL_ISA_AVX512, PL_ISA_COUNT };
enum pl_isa pl_host_isa(void);
enum pl_isa pl_host_isa_own(void); /* what this machine has, whatever $POULA_ISA says */
/* Lowers pl_host_isa of this process for a while: what began with other instructions goes on with them, to the bit.
 * PL_ISA_COUNT ends it. */
void pl_host_isa_limit(enum pl_isa most);
const char *pl_isa_name(enum pl_isa isa);

/* Names a process so that it can be told from a later one with the same number: boot id and start
 * time ("" when pid does not run, or /proc does not show it). */
void pl_process_identity(long pid, char *identity, size_t size);
/* Names the running system and the space of process numbers ("" when it cannot be told): numbers of another one name
 * other processes. Two containers may share a host name. */
void pl_process_space(char *space, size_t size);
/* What is known of a process of this space that had that identity: it may be hidden from this user. */
enum pl_life { PL_LIFE_UNKNOWN, PL_ALIVE, PL_DEAD };
enum pl_life pl_process_life(long pid, const char *identity);

#endif
