/* What becomes of tasks, by what the batch system says of them. It is never asked whether a run has finished: journals
 * say that. Of a task that is gone, its journals are taken in once more after some seconds (a file system on the
 * network may show the last words late), and only then are the runs that nobody has ended given back, or fail. */
#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"
#include "sweep/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double settle_after = 5;   /* seconds between the end of a task and the end of its runs */
static const double unknown_after = 90; /* the same where nobody knows of its end: its journal has stood still */

struct task {
    struct pl_task_info info;
    enum pl_task_state state; /* as it is now */
    bool said;
    const char *word, *reason, *node;
    double since;
    bool submitted; /* its array was */
};

struct looker {
    struct pl_store *store;
    const struct pl_submission *submission;
    struct pl_batch_view *seen;
    struct task *tasks;
    size_t count;
    struct array {
        int64_t first, count;
        enum pl_array_state state;
        const char *job;
    } * arrays;
    size_t array_count, array_capacity, task_capacity;
    struct pl_pool pool;
};

static int take_task(void *self, const struct pl_task_info *info)
{
    struct looker *l = self;
    void *tasks = l->tasks;
    pl_grow(&tasks, &l->task_capacity, l->count + 1, sizeof *l->tasks);
    l->tasks = tasks;
    struct task *task = &l->tasks[l->count++];
    *task = (struct task){.info = *info, .state = PL_TASK_UNKNOWN, .word = "", .reason = "", .node = ""};
    task->info.word = info->word ? pl_pool_copy(&l->pool, info->word) : NULL;
    task->info.reason = info->reason ? pl_pool_copy(&l->pool, info->reason) : NULL;
    task->info.node = info->node ? pl_pool_copy(&l->pool, info->node) : NULL;
    return 0;
}

static int take_array(void *self, const struct pl_array_info *info)
{
    struct looker *l = self;
    void *arrays = l->arrays;
    pl_grow(&arrays, &l->array_capacity, l->array_count + 1, sizeof *l->arrays);
    l->arrays = arrays;
    l->arrays[l->array_count++] = (struct array){info->first, info->count, info->state,
                                                 info->job ? pl_pool_copy(&l->pool, info->job) : NULL};
    return 0;
}

static void take_report(void *self, const struct pl_task_report *report)
{
    struct looker *l = self;
    for (size_t i = 0; i < l->array_count; i++) {
        const struct array *array = &l->arrays[i];
        int64_t number = array->first + report->index;
        if (!array->job || strcmp(array->job, report->id) || report->index < 0 || report->index >= array->count ||
            number >= (int64_t)l->count)
            continue;
        struct task *task = &l->tasks[number];
        task->state = report->state;
        task->said = true;
        task->word = pl_pool_copy(&l->pool, report->word);
        task->reason = pl_pool_copy(&l->pool, report->reason);
        task->node = pl_pool_copy(&l->pool, report->node);
        task->since = report->since;
    }
}

static int ask(struct looker *l, const struct pl_batch_system *system, struct pl_error *err)
{
    const char **ids = pl_new((l->array_count + 1) * sizeof *ids);
    size_t count = 0;
    for (size_t i = 0; i < l->array_count; i++) {
        const struct array *array = &l->arrays[i];
        bool open = false;
        for (int64_t k = 0; k < array->count && array->first + k < (int64_t)l->count; k++) {
            l->tasks[array->first + k].submitted = array->job != NULL;
            open = open || !l->tasks[array->first + k].info.over;
        }
        if (array->job && open)
            ids[count++] = array->job;
    }
    int status = count ? system->look(ids, count, take_report, l, err) : 0;
    free(ids);
    return status;
}

static bool differs(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") != 0;
}

/* Writes what is new of the tasks that are not over. */
static int record(struct looker *l, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < l->count && !status; i++) {
        struct task *t = &l->tasks[i];
        if (t->info.over || !t->submitted ||
            (t->info.state == (int64_t)t->state && !differs(t->info.word, t->word) &&
             !differs(t->info.reason, t->reason) && (!*t->node || !differs(t->info.node, t->node))))
            continue;
        t->info.state = (int64_t)t->state;
        t->info.word = t->word;
        t->info.reason = t->reason;
        t->info.node = t->node;
        t->info.since = t->since;
        status = pl_store_task_set(l->store, &t->info, err);
    }
    return status;
}

static void count(struct looker *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct task *t = &l->tasks[i];
        l->seen->tasks++;
        if (t->info.over)
            l->seen->over++;
        else if (!t->submitted)
            l->seen->unsubmitted++;
        else
            l->seen->states[t->state]++;
        if (!t->info.over && t->state == PL_TASK_PENDING && *t->reason && !l->seen->why[0])
            snprintf(l->seen->why, sizeof l->seen->why, "%s", t->reason);
    }
}

/* Size of a task's newest journal: while it grows the task is alive, whatever anybody says. */
static int64_t journal_size(const struct looker *l, const struct task *t)
{
    struct stat file;
    struct pl_text path = {0};
    int64_t size = 0;
    for (int64_t attempt = t->info.starts > 0 ? t->info.starts : 1;; attempt++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/journal-%lld.%lld", l->submission->folder, (long long)t->info.number,
                     (long long)attempt);
        if (stat(pl_text(&path), &file))
            break;
        size += (int64_t)file.st_size + 1;
    }
    pl_text_release(&path);
    return size;
}

/* What runs that were at work are told of the end of their task. The words are those by which runs are tried again
 * (--retry-failed --reason out_of_memory), however a system cuts them. */
static enum pl_outcome judge(const struct task *t, struct pl_text *reason)
{
    const char *where = *t->node ? t->node : t->info.node ? t->info.node : "";
    switch (t->state) {
    case PL_TASK_MEMORY:
        pl_text_add(reason, "its task was ended, because memory was over (OUT_OF_MEMORY)");
        break;
    case PL_TASK_TIME:
        pl_text_add(reason, "its task was ended, because its time was over (TIMEOUT)");
        break;
    case PL_TASK_CANCELLED:
        pl_text_addf(reason, "its task was cancelled (%s)", t->word);
        break;
    case PL_TASK_UNKNOWN:
        pl_text_add(reason, "its task is no longer known to the batch system");
        break;
    default:
        pl_text_addf(reason, "its task is gone (%s)", *t->word ? t->word : pl_task_state_name(t->state));
        break;
    }
    if (*where)
        pl_text_addf(reason, ", on %s", where);
    return t->state == PL_TASK_MEMORY || t->state == PL_TASK_TIME ? PL_FAILED : PL_INTERRUPTED;
}

/* What a task printed: a batch system may know only its place in an array. */
static int read_output(const struct looker *l, int64_t task, struct pl_text *text)
{
    enum { MOST = 1 << 24 };
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/task-%lld.out", l->submission->folder, (long long)task);
    int status = pl_file_read(pl_text(&path), MOST, text, NULL);
    for (size_t i = 0; i < l->array_count && status; i++) {
        const struct array *array = &l->arrays[i];
        if (task < array->first || task >= array->first + array->count)
            continue;
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/task-%lld+%lld.out", l->submission->folder, (long long)array->first,
                     (long long)(task - array->first));
        status = pl_file_read(pl_text(&path), MOST, text, NULL);
    }
    pl_text_release(&path);
    return status;
}

/* The end of it: why it failed before it began anything. */
static void add_output(const struct looker *l, const struct task *t, struct pl_text *reason)
{
    enum { SHOWN = 300 };
    struct pl_text text = {0};
    if (!read_output(l, t->info.number, &text) && text.length) {
        while (text.length && text.text[text.length - 1] == '\n')
            pl_text_cut(&text, text.length - 1);
        const char *start = text.length > SHOWN ? text.text + text.length - SHOWN : text.text;
        const char *line = strrchr(start, '\n');
        pl_text_addf(reason, ": %s", line ? line + 1 : start);
    }
    pl_text_release(&text);
}

static int end_task(struct looker *l, struct task *t, const struct pl_sweep_view *view, struct pl_error *err)
{
    struct pl_text reason = {0};
    int64_t failed = 0, returned = 0;
    enum pl_outcome outcome = judge(t, &reason);
    bool fruitless = !t->info.starts && (t->state == PL_TASK_FAILED || t->state == PL_TASK_ENDED);
    if (fruitless) {
        add_output(l, t, &reason);
        if (!l->seen->fruitless++)
            snprintf(l->seen->example, sizeof l->seen->example, "%s", pl_text(&reason));
    }
    int status = pl_store_begin(l->store, err);
    if (!status)
        status = pl_store_task_drop(l->store, l->submission->id, t->info.number, outcome, pl_text(&reason), &failed,
                                    &returned, err);
    if (!status)
        status = pl_store_task_over(l->store, l->submission->id, t->info.number, pl_text(&reason), err);
    if (!status)
        status = pl_store_commit(l->store, err);
    if (status)
        pl_store_rollback(l->store);
    if (!status && failed + returned)
        pl_view_note(view, "task %lld of %s: %s; %lld run%s failed, %lld given back", (long long)t->info.number,
                     l->submission->name, pl_text(&reason), (long long)failed, failed == 1 ? "" : "s",
                     (long long)returned);
    t->info.over = true;
    pl_text_release(&reason);
    return status;
}

/* A task that was submitted twice, because nobody heard that it was taken, belongs to the job that began it first. */
struct other {
    struct looker *looker;
    struct task *task;
    const char *id;
    int64_t index;
};

static void take_other(void *self, const struct pl_task_report *report)
{
    struct other *other = self;
    if (strcmp(report->id, other->id) != 0 || report->index != other->index)
        return;
    other->task->state = report->state;
    other->task->word = pl_pool_copy(&other->looker->pool, report->word);
    other->task->reason = pl_pool_copy(&other->looker->pool, report->reason);
    other->task->node = pl_pool_copy(&other->looker->pool, report->node);
}

static void follow_owner(struct looker *l, struct task *t, const struct pl_batch_system *system)
{
    struct pl_text path = {0}, owner = {0};
    struct pl_error unknown = {0};
    pl_text_addf(&path, "%s/owner-%lld", l->submission->folder, (long long)t->info.number);
    int status = pl_file_read(pl_text(&path), 1000, &owner, &unknown);
    char *low = owner.text && !status ? strrchr(owner.text, '_') : NULL;
    if (low) {
        struct other other = {l, t, owner.text, strtoll(low + 1, NULL, 10)};
        bool same = false;
        *low = '\0';
        for (size_t i = 0; i < l->array_count; i++)
            same = same || (l->arrays[i].job && !strcmp(l->arrays[i].job, other.id));
        if (!same) {
            t->state = PL_TASK_UNKNOWN;
            system->look(&other.id, 1, take_other, &other, &unknown);
        }
    }
    pl_text_release(&path);
    pl_text_release(&owner);
}

static int end_gone(struct looker *l, const struct pl_batch_system *system, struct pl_batch_memory *memory,
                    const struct pl_sweep_view *view, struct pl_error *err)
{
    struct pl_collected collected = {0};
    bool taken = false;
    int status = 0;
    for (size_t i = 0; i < l->count && !status; i++) {
        struct task *t = &l->tasks[i];
        if (t->info.over || !t->submitted || !pl_task_is_over(t->state))
            continue;
        follow_owner(l, t, system);
        if (!pl_task_is_over(t->state))
            continue;
        bool sure = t->state != PL_TASK_UNKNOWN;
        double still = pl_batch_still(memory, l->submission->id, t->info.number,
                                      (uint64_t)journal_size(l, t) * PL_TASK_STATE_COUNT + t->state);
        if (still < (sure ? settle_after : unknown_after))
            continue;
        if (!taken)
            status = pl_batch_collect(l->store, l->submission, 0, &collected, err);
        if (!taken && collected.records)
            break; /* something came: look again */
        taken = true;
        if (!status)
            status = end_task(l, t, view, err);
    }
    return status;
}

int pl_batch_look(struct pl_store *store, const struct pl_submission *submission, const struct pl_batch_system *system,
                  struct pl_batch_memory *memory, struct pl_batch_view *seen, const struct pl_sweep_view *view,
                  struct pl_error *err)
{
    struct looker l = {.store = store, .submission = submission, .seen = seen};
    int status = pl_store_each_task(store, submission->id, take_task, &l, err);
    if (!status)
        status = pl_store_each_array(store, submission->id, take_array, &l, err);
    if (!status)
        status = ask(&l, system, err);
    if (!status)
        status = record(&l, err);
    if (!status && memory)
        status = end_gone(&l, system, memory, view, err);
    if (!status)
        count(&l);
    free(l.tasks);
    free(l.arrays);
    pl_pool_release(&l.pool);
    return status;
}
