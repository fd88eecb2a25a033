/* Slurm's commands replaced by others: each is a few lines of shell in a folder of its own, before which PATH has
 * nothing. */
#ifndef PL_SLURM_STUB_H
#define PL_SLURM_STUB_H

#include "sweep/batch/slurm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static char folder[] = "/tmp/poula-batch.XXXXXX";

static inline void stub(const char *name, const char *body)
{
    struct pl_text path = {0}, text = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    pl_text_addf(&text, "#!/bin/sh\n%s\n", body);
    assert_int_equal(pl_file_write(pl_text(&path), text.text, text.length, NULL), 0);
    assert_int_equal(chmod(pl_text(&path), 0755), 0);
    pl_text_release(&path);
    pl_text_release(&text);
}

/* A cluster that knows nothing and keeps no accounts. */
static inline void stub_all(void)
{
    stub("sbatch", "echo 17");
    stub("squeue", "exit 0");
    stub("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    stub("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
    stub("sacctmgr", "echo 'You are not running a supported accounting_storage plugin' >&2; exit 1");
    stub("scancel", "exit 0");
}

static inline int each(void **state)
{
    (void)state;
    stub_all();
    setenv("POULA_SLURM_TIMEOUT", "20", 1);
    return 0;
}

static inline int begin(void **state)
{
    (void)state;
    struct pl_text path = {0};
    if (!mkdtemp(folder))
        return -1;
    pl_text_addf(&path, "%s:/usr/bin:/bin", folder);
    setenv("PATH", pl_text(&path), 1);
    pl_text_release(&path);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    pl_folder_remove(folder);
    return 0;
}

#endif
