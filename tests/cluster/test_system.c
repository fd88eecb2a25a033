/* The batch system Slurm against a real one, which SLURM_CONF names: what it says of tasks that run, end, fail, are
 * cancelled and requeued, and what it refuses. Programs are a few lines of shell. */
#include "sweep/batch/system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const struct pl_batch_system *slurm;
/* A folder whose name has what sbatch, Slurm's patterns and a shell might take for something else. */
static char scratch[] = "/tmp/poula-system.XXXXXX";
static char folder[200];
static const char name_of_it[] = "a b'%a\"$(x)#c";

static int begin(void **state)
{
    struct pl_error err = {0};
    (void)state;
    slurm = pl_batch_find("slurm");
    if (!mkdtemp(scratch))
        return -1;
    snprintf(folder, sizeof folder, "%s/%s", scratch, name_of_it);
    return pl_folder_make(folder, &err);
}

static int end(void **state)
{
    (void)state;
    pl_folder_remove(scratch);
    return 0;
}

/* Writes a file of the folder, and returns its path. */
static const char *file(const char *name, const char *text)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(pl_file_write(path, text, strlen(text), NULL), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static void has(const char *name, const char *wanted)
{
    char path[300];
    struct pl_text text = {0};
    struct pl_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (pl_file_read(path, 100000, &text, &err) || strcmp(pl_text(&text), wanted))
        fail_msg("%s has \"%s\" %s", name, pl_text(&text), err.text);
    pl_text_release(&text);
}

/* What a task prints may be there a moment after its state has changed. */
static void contains(const char *name, const char *wanted)
{
    char path[300];
    struct pl_text text = {0};
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int i = 0; i < 100 && !found; i++, usleep(100000))
        found = !pl_file_read(path, 100000, &text, NULL) && strstr(pl_text(&text), wanted);
    if (!found)
        fail_msg("%s has \"%s\"", name, pl_text(&text));
    pl_text_release(&text);
}

/* Submits an array of a shell program, which is told what poula would be told. */
static int submit(const char *name, const char *body, int64_t first, int64_t count,
                  const struct pl_resources *resources, char id[PL_ARRAY_ID_SIZE], struct pl_error *err)
{
    char program[300], script[300];
    struct pl_text text = {0};
    pl_text_addf(&text, "#!/bin/sh\n%s\n", body);
    snprintf(program, sizeof program, "%s",
             file("program", pl_text(&text)) /* a blank here hides it from proctrack/linuxproc */);
    const struct pl_array array = {.name = name,
                                   .folder = folder,
                                   .home = folder,
                                   .program = program,
                                   .first = first,
                                   .count = count,
                                   .resources = resources};
    pl_text_clear(&text);
    assert_int_equal(slurm->script(&array, &text, err), 0);
    snprintf(script, sizeof script, "%s", file("script", pl_text(&text)));
    pl_text_release(&text);
    return slurm->submit(name, script, id, err);
}

struct seen {
    int64_t count, in[PL_TASK_STATE_COUNT];
    char reason[100], node[100];
};

static void see(void *self, const struct pl_task_report *report)
{
    struct seen *seen = self;
    seen->count++;
    seen->in[report->state]++;
    snprintf(seen->reason, sizeof seen->reason, "%s", report->reason);
    snprintf(seen->node, sizeof seen->node, "%s", report->node);
    assert_true(report->since > 1e9); /* of every task it is known since when */
}

static struct seen look(const char *id)
{
    struct seen seen = {0};
    struct pl_error err = {0};
    if (slurm->look(&id, 1, see, &seen, &err))
        fail_msg("%s", err.text);
    return seen;
}

/* Looks until so many tasks are in a state. */
static struct seen wait_for(const char *id, enum pl_task_state state, int64_t count)
{
    struct seen seen = {0};
    for (int i = 0; i < 600; i++) {
        seen = look(id);
        if (seen.in[state] == count)
            return seen;
        usleep(100000);
    }
    for (int s = 0; s < PL_TASK_STATE_COUNT; s++)
        if (seen.in[s])
            print_error("%lld %s\n", (long long)seen.in[s], pl_task_state_name((enum pl_task_state)s));
    fail_msg("there are not %lld tasks %s", (long long)count, pl_task_state_name(state));
    return seen;
}

static void limits_are_known(void **state)
{
    struct pl_batch_limits limits;
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(slurm->check(&err), 0);
    assert_int_equal(slurm->limits(NULL, &limits, &err), 0);
    assert_int_equal(limits.array, 101);
    assert_int_equal(limits.submitted, 0); /* without accounts */
    assert_int_equal(limits.waiting, 0);
}

static void tasks_are_told_what_they_are(void **state)
{
    static char setup_line[] = "export X='set up'", option[] = "--comment=a \"b\" #c";
    char *setup[] = {setup_line}, *own[] = {option};
    const struct pl_resources resources = {.cpus = 1, .time = 600, .sbatch = {own, 1}, .setup = {setup, 1}};
    char id[PL_ARRAY_ID_SIZE], found[PL_ARRAY_ID_SIZE];
    struct pl_error err = {0};
    (void)state;
    if (submit("poula-told", "echo \"$*|$X|$SLURM_ARRAY_TASK_ID\"; [ \"$PWD\" -ef . ]; exit $(($4 % 2 * 3))", 40, 4,
               &resources, id, &err))
        fail_msg("%s", err.text);
    struct seen seen = wait_for(id, PL_TASK_FAILED, 2);
    assert_int_equal(seen.count, 4);
    wait_for(id, PL_TASK_ENDED, 2);
    char wanted[400];
    snprintf(wanted, sizeof wanted, "worker --orders %s 41|set up|1\n", folder);
    has("task-41.out", wanted);
    assert_int_equal(slurm->find("poula-told", found, &err), 0);
    assert_string_equal(found, id);
    assert_int_equal(slurm->find("poula-tol", found, &err), 1);
}

/* scancel: the program hears SIGTERM, because nothing stands between Slurm and it. */
static void a_cancelled_task_is_told(void **state)
{
    char id[PL_ARRAY_ID_SIZE];
    struct pl_error err = {0};
    struct pl_batch_limits limits;
    (void)state;
    assert_int_equal(submit("poula-cancel", "trap 'echo told; exit' TERM; echo begins\nwhile :; do sleep 0.1; done", 0,
                            6, NULL, id, &err),
                     0);
    struct seen seen = wait_for(id, PL_TASK_RUNNING, 4); /* two nodes of two CPUs */
    assert_int_equal(seen.in[PL_TASK_PENDING], 2);
    assert_int_equal(slurm->limits(NULL, &limits, &err), 0);
    assert_int_equal(limits.waiting, 6);
    contains("task-0.out", "begins\n");
    assert_int_equal(slurm->cancel(id, &err), 0);
    seen = wait_for(id, PL_TASK_CANCELLED, 6);
    assert_int_equal(seen.count, 6);
    assert_int_equal(slurm->cancel(id, &err), 0); /* once more is no error */
    assert_int_equal(slurm->cancel("99999", &err), 0);
    contains("task-0.out", "begins\n");
    contains("task-0.out", "told\n");
}

/* A requeued task is pending and returns as the same one; what it printed before is kept. */
static void a_requeued_task_comes_back(void **state)
{
    char id[PL_ARRAY_ID_SIZE];
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(
        submit("poula-requeue",
               "echo attempt ${SLURM_RESTART_COUNT:-0}\n[ -z \"$SLURM_RESTART_COUNT\" ] || exit 0\n"
               "trap '' TERM; scontrol requeue ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; exec sleep 1000",
               200, 2, NULL, id, &err),
        0);
    struct seen seen = wait_for(id, PL_TASK_PENDING, 2);
    for (int i = 0; i < 100 && strcmp(seen.reason, "BeginTime"); i++, usleep(100000))
        seen = look(id);
    assert_string_equal(seen.reason, "BeginTime");
    seen = wait_for(id, PL_TASK_ENDED, 2);
    assert_int_equal(seen.count, 2);
    contains("task-201.out", "attempt 0\n");
    contains("task-201.out", "attempt 1\n");
}

/* submitit 1624, rslurm 73: an array above the limit is refused as a whole, and so is what can never run. */
static void what_cannot_be_is_refused(void **state)
{
    static char partition[] = "nowhere", option[] = "--constraint=nothing";
    char *own[] = {option}, id[PL_ARRAY_ID_SIZE];
    const struct pl_resources elsewhere = {.partition = partition}, unlike = {.sbatch = {own, 1}},
                              large = {.cpus = 999};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(submit("poula-refused", "true", 0, 201, NULL, id, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "Invalid job array specification"));
    assert_int_equal(submit("poula-refused", "true", 0, 1, &elsewhere, id, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "nvalid partition"));
    assert_int_equal(submit("poula-refused", "true", 0, 1, &unlike, id, &err), PL_EINPUT);
    assert_int_equal(slurm->find("poula-refused", id, &err), 1);
    /* Slurm takes what it will never have room for, and says so only as the reason of waiting. */
    assert_int_equal(submit("poula-large", "true", 0, 1, &large, id, &err), 0);
    struct seen seen = wait_for(id, PL_TASK_PENDING, 1);
    for (int i = 0; i < 100 && strcmp(seen.reason, "PartitionConfig"); i++, usleep(100000))
        seen = look(id);
    assert_string_equal(seen.reason, "PartitionConfig");
    assert_int_equal(slurm->cancel(id, &err), 0);
}

/* A line of set-up that fails ends the task before the work begins. */
static void a_failed_setup_is_said(void **state)
{
    static char first[] = "true", second[] = "no-such-command here";
    char *setup[] = {first, second}, id[PL_ARRAY_ID_SIZE];
    const struct pl_resources resources = {.setup = {setup, 2}};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(submit("poula-setup", "echo begun", 60, 1, &resources, id, &err), 0);
    struct seen seen = wait_for(id, PL_TASK_FAILED, 1);
    assert_true(strlen(seen.node) > 0);
    char path[300];
    struct pl_text text = {0};
    contains("task-60.out", "poula: a line of setup failed: no-such-command here\n");
    snprintf(path, sizeof path, "%s/task-60.out", folder);
    assert_int_equal(pl_file_read(path, 100000, &text, &err), 0);
    assert_null(strstr(pl_text(&text), "begun"));
    pl_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_known),          cmocka_unit_test(tasks_are_told_what_they_are),
        cmocka_unit_test(a_cancelled_task_is_told),  cmocka_unit_test(a_requeued_task_comes_back),
        cmocka_unit_test(what_cannot_be_is_refused), cmocka_unit_test(a_failed_setup_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
