/* Handing arrays to the batch system. planned -> asked is recorded before sbatch is called, asked -> submitted when it
 * has answered; an array that was asked for, and whose asker is gone, is looked for by its name before anybody asks
 * again. Should it be there twice all the same, its tasks find their order taken and end (task.c). */
#include "sweep/batch/batch.h"
#include "sweep/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const useconds_t between_looks = 2000000;
static const double forgotten_after = 300; /* seconds that somebody on another machine has for one call */

struct arrays {
    struct pl_array_info *all;
    size_t count, capacity;
    struct pl_pool pool;
};

static const char *copy(struct pl_pool *pool, const char *text)
{
    return text ? pl_pool_copy(pool, text) : NULL;
}

static int take(void *self, const struct pl_array_info *a)
{
    struct arrays *list = self;
    void *all = list->all;
    pl_grow(&all, &list->capacity, list->count + 1, sizeof *list->all);
    list->all = all;
    struct pl_array_info *c = &list->all[list->count++];
    *c = *a;
    c->name = copy(&list->pool, a->name);
    c->job = copy(&list->pool, a->job);
    c->asker = copy(&list->pool, a->asker);
    c->space = copy(&list->pool, a->space);
    c->reason = copy(&list->pool, a->reason);
    return 0;
}

struct submitter {
    struct pl_store *store;
    const struct pl_submission *submission;
    const struct pl_batch_system *system;
    struct pl_batch_memory *memory;
    const struct pl_sweep_view *view;
    struct pl_batch_limits limits;
    char asker[300], space[256]; /* this process */
    bool waits;
};

static void name_self(struct submitter *s)
{
    char identity[256];
    pl_process_identity(getpid(), identity, sizeof identity);
    pl_process_space(s->space, sizeof s->space);
    snprintf(s->asker, sizeof s->asker, "%ld %.250s", (long)getpid(), identity);
}

/* Is somebody else asking for it at this moment? */
static bool is_asked_for(const struct submitter *s, const struct pl_array_info *array)
{
    char *identity;
    if (!array->asker || !strcmp(array->asker, s->asker))
        return false;
    long pid = strtol(array->asker, &identity, 10);
    bool here = array->space && *s->space && !strcmp(array->space, s->space);
    enum pl_life life = here ? pl_process_life(pid, *identity ? identity + 1 : identity) : PL_LIFE_UNKNOWN;
    uint64_t asker = (uint64_t)pid;
    return life == PL_ALIVE || (life == PL_LIFE_UNKNOWN && pl_batch_still(s->memory, array->submission,
                                                                          -1 - array->number, asker) < forgotten_after);
}

/* Records a step; false when somebody else was faster, or the database failed. */
static int change(const struct submitter *s, struct pl_array_info *array, const struct pl_array_info *after,
                  struct pl_error *err)
{
    int status = pl_store_array_change(s->store, array, after, err);
    if (!status)
        *array = *after;
    return status;
}

static int set_waiting(struct submitter *s, struct pl_array_info *array, const char *reason, struct pl_error *err)
{
    struct pl_array_info after = *array;
    s->waits = true;
    after.state = PL_ARRAY_PLANNED;
    after.asker = after.space = after.job = NULL;
    after.reason = reason;
    int status = change(s, array, &after, err);
    return status < 0 ? status : 0;
}

static int set_submitted(const struct submitter *s, struct pl_array_info *array, const char *id, struct pl_error *err)
{
    struct pl_array_info after = *array;
    after.state = PL_ARRAY_SUBMITTED;
    after.job = id;
    after.asker = after.space = after.reason = NULL;
    int status = change(s, array, &after, err);
    return status < 0 ? status : 0;
}

/* It will never be taken: its runs go back. */
static int set_refused(const struct submitter *s, struct pl_array_info *array, const struct pl_error *why,
                       struct pl_error *err)
{
    struct pl_array_info after = *array;
    int64_t failed, returned;
    after.state = PL_ARRAY_REFUSED;
    after.asker = after.space = NULL;
    after.reason = why->text;
    int status = pl_store_begin(s->store, err);
    if (status)
        return status;
    status = change(s, array, &after, err);
    for (int64_t i = 0; i < array->count && !status; i++) {
        status = pl_store_task_drop(s->store, s->submission->id, array->first + i, PL_INTERRUPTED, why->text, &failed,
                                    &returned, err);
        if (!status)
            status = pl_store_task_over(s->store, s->submission->id, array->first + i, why->text, err);
    }
    if (!status)
        status = pl_store_commit(s->store, err);
    if (status)
        pl_store_rollback(s->store);
    return status < 0 ? status : pl_fail(err, PL_EINPUT, "%s", why->text);
}

static int ask(struct submitter *s, struct pl_array_info *array, struct pl_error *err)
{
    char id[PL_ARRAY_ID_SIZE];
    struct pl_error problem = {0};
    struct pl_text path = {0};
    pl_batch_script_path(s->submission->folder, array->number, &path);
    int status = s->system->submit(array->name, pl_text(&path), id, &problem);
    pl_text_release(&path);
    if (!status)
        return set_submitted(s, array, id, err);
    if (status == PL_ETIMEOUT) {
        s->waits = true; /* it stays as asked for, and is looked for */
        pl_view_note(s->view, "%s; it is looked for before it is submitted again", problem.text);
        return 0;
    }
    if (status == PL_EINPUT)
        return set_refused(s, array, &problem, err);
    if (!array->reason || strcmp(array->reason, problem.text))
        pl_view_note(s->view, "%lld tasks are submitted later: %s", (long long)array->count, problem.text);
    return set_waiting(s, array, problem.text, err);
}

/* Somebody asked for it, and did not live to hear the answer, or heard none. */
static int look_for(struct submitter *s, struct pl_array_info *array, struct pl_error *err)
{
    char id[PL_ARRAY_ID_SIZE];
    struct pl_error problem = {0};
    int found = s->system->find(array->name, id, &problem);
    if (found == 1) {
        usleep(between_looks); /* what was sent a moment ago may still be on its way */
        found = s->system->find(array->name, id, &problem);
    }
    if (!found)
        return set_submitted(s, array, id, err);
    s->waits = true;
    return found < 0 ? 0 : set_waiting(s, array, NULL, err);
}

static bool has_room(const struct submitter *s, const struct pl_array_info *array)
{
    /* Where nothing of the user's is there, waiting helps nobody: the system says what it thinks of it. */
    return !s->limits.submitted || !s->limits.waiting || s->limits.waiting + array->count <= s->limits.submitted;
}

static int step(struct submitter *s, struct pl_array_info *array, struct pl_error *err)
{
    if (array->state == PL_ARRAY_ASKED) {
        if (is_asked_for(s, array)) {
            s->waits = true;
            return 0;
        }
        int status = look_for(s, array, err);
        if (status || array->state != PL_ARRAY_PLANNED)
            return status;
    }
    if (array->state != PL_ARRAY_PLANNED)
        return 0;
    if (!has_room(s, array)) {
        s->waits = true;
        return 0;
    }
    struct pl_array_info after = *array;
    after.state = PL_ARRAY_ASKED;
    after.asker = s->asker;
    after.space = s->space;
    int status = change(s, array, &after, err);
    if (status)
        return status < 0 ? status : 0; /* somebody else does it */
    s->limits.waiting += array->count;
    return ask(s, array, err);
}

/* Is there anything to do for it? Limits are asked for only then. */
static bool is_open(const struct pl_array_info *array)
{
    return array->state == PL_ARRAY_PLANNED || array->state == PL_ARRAY_ASKED;
}

int pl_batch_submit(struct pl_store *store, const struct pl_submission *submission,
                    const struct pl_batch_system *system, struct pl_batch_memory *memory,
                    const struct pl_sweep_view *view, struct pl_error *err)
{
    struct submitter s = {.store = store, .submission = submission, .system = system, .memory = memory, .view = view};
    struct arrays list = {0};
    struct pl_error unknown = {0};
    bool asked = false;
    name_self(&s);
    int status = pl_store_each_array(store, submission->id, take, &list, err);
    for (size_t i = 0; i < list.count && !status; i++) {
        if (!is_open(&list.all[i]))
            continue;
        if (!asked)
            system->limits(NULL, &s.limits, &unknown);
        asked = true;
        status = step(&s, &list.all[i], err);
    }
    free(list.all);
    pl_pool_release(&list.pool);
    return status ? status : s.waits;
}
