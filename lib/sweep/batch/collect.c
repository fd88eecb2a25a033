#include "sweep/batch/collect.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/record.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { AT_A_TIME = 8 << 20 }; /* bytes of journals to a transaction */

/* A journal that has something new. */
struct found {
    int64_t task, attempt;
};

struct collector {
    struct pl_store *store;
    const struct pl_submission *submission;
    struct pl_collected *collected;
    struct pl_recorder recorder;
    struct pl_event_reader reader;
    struct pl_claimed_queue spare;
    /* of the journal at hand */
    struct pl_journal_info info;
    struct pl_journal_place good; /* behind the last record that was taken in whole */
    struct active {
        struct pl_claimed *run;
        struct pl_task_run known;
    } * active; /* runs that have begun in it and not ended */
    size_t active_count, active_capacity;
    bool foreign; /* it is another submission's, or speaks another version of the protocol */
    struct pl_error *err;
};

/* ---- runs at work ---- */

static struct active *find_active(struct collector *c, int64_t run)
{
    for (size_t i = 0; i < c->active_count; i++)
        if (c->active[i].known.claim.run == run)
            return &c->active[i];
    return NULL;
}

static struct active *add_active(struct collector *c, const struct pl_task_run *known)
{
    void *list = c->active;
    pl_grow(&list, &c->active_capacity, c->active_count + 1, sizeof *c->active);
    c->active = list;
    struct active *active = &c->active[c->active_count++];
    *active = (struct active){.run = pl_claimed_new(&c->spare), .known = *known};
    struct pl_claimed *run = active->run;
    run->claim = known->claim;
    run->started = true;
    run->begun = known->begun > 0;
    run->received = known->received;
    run->ending.started = known->begun;
    run->ending.program = known->program;
    run->ending.reading = c->submission->reading;
    for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
        run->forgotten[axis] = known->forgotten >> axis & 1;
    return active;
}

static void remove_active(struct collector *c, struct active *active)
{
    pl_claimed_recycle(active->run, &c->spare);
    *active = c->active[--c->active_count];
}

/* The run that a record is about, as far as it was taken in before; NULL where it is not this submission's any more. */
static int need_active(struct collector *c, int64_t run, struct active **active)
{
    struct pl_task_run known;
    *active = find_active(c, run);
    if (*active)
        return 0;
    int status = pl_store_task_run(c->store, c->submission->id, c->info.task, run, &known, c->err);
    if (status)
        return status < 0 ? status : 0;
    if (known.held && known.begun > 0)
        *active = add_active(c, &known);
    return 0;
}

/* An attempt that left no word of its end: its task was killed, and has begun again. */
static int interrupt(struct collector *c, const struct pl_task_run *known)
{
    const struct pl_ending ending = {.session = c->submission->session,
                                     .outcome = PL_INTERRUPTED,
                                     .bad_epoch = -1,
                                     .exit_code = -1,
                                     .started = known->begun,
                                     .reason = "its task was stopped without a warning, and was started again"};
    int status = pl_store_end(c->store, &known->claim, &ending, c->err);
    return status < 0 ? status : 0;
}

static int begin_run(struct collector *c, const struct pl_event *event)
{
    struct pl_task_run known;
    struct active *active = find_active(c, event->run);
    if (active)
        remove_active(c, active); /* started twice without an end between */
    int status = pl_store_task_run(c->store, c->submission->id, c->info.task, event->run, &known, c->err);
    if (status || !known.held)
        return status < 0 ? status : 0;
    if (known.begun > 0) {
        status = interrupt(c, &known);
        if (!status)
            status = pl_store_task_run_again(c->store, c->submission->id, c->info.task, event->run, &known, c->err);
        if (status)
            return status < 0 ? status : 0;
    }
    known.begun = event->time;
    active = add_active(c, &known);
    active->run->begun = false;
    return 0;
}

static int end_run(struct collector *c, const struct pl_event *event)
{
    struct active *active;
    int status = need_active(c, event->run, &active);
    if (status || !active)
        return status;
    struct pl_claimed *run = active->run;
    struct pl_worker_host host = {.number = c->info.host};
    run->host = c->info.host ? &host : NULL;
    pl_claimed_end(run, event);
    status = pl_recorder_end(&c->recorder, run, c->err);
    run->host = NULL;
    bool interrupted = run->ending.outcome == PL_INTERRUPTED && !(run->ending.reached > 0);
    remove_active(c, active);
    c->collected->ended += !interrupted && !status;
    if (status || !interrupted)
        return status < 0 ? status : 0;
    /* The task goes on with it, or says that it is over. */
    struct pl_task_run known;
    status = pl_store_task_run_again(c->store, c->submission->id, c->info.task, event->run, &known, c->err);
    return status < 0 ? status : 0;
}

/* ---- records ---- */

/* What a task of another version of poula reports cannot be told: nothing of it is taken in, and its runs go back when
 * it is over. */
static int begin_worker(struct collector *c, const struct pl_event *event)
{
    if (event->protocol == PL_PROTOCOL_VERSION)
        return pl_store_put_host(c->store, &event->worker, &c->info.host, c->err);
    if (!c->collected->broken++)
        snprintf(c->collected->example, sizeof c->collected->example,
                 "task %lld was worked at by another version of poula (with protocol %lld, where this has %d), so that "
                 "what it reports cannot be read here",
                 (long long)c->info.task, (long long)event->protocol, PL_PROTOCOL_VERSION);
    c->foreign = true;
    return 1;
}

static int take_event(struct collector *c, const struct pl_event *event)
{
    struct active *active;
    int status = 0;
    switch (event->kind) {
    case PL_EVENT_READY:
        return begin_worker(c, event);
    case PL_EVENT_START:
        return begin_run(c, event);
    case PL_EVENT_POINTS:
        status = need_active(c, event->run, &active);
        if (!status && active)
            pl_claimed_points(active->run, event);
        return status;
    case PL_EVENT_LOG:
        status = need_active(c, event->run, &active);
        if (!status && active)
            pl_claimed_log(active->run, event->line, strlen(event->line));
        return status;
    case PL_EVENT_END:
        return end_run(c, event);
    case PL_EVENT_DROPPED:
        break;
    }
    return 0;
}

static int take_over(struct collector *c, enum pl_task_over how, const char *reason)
{
    int64_t failed, returned;
    if (how == PL_OVER_AGAIN)
        return 0;
    if (how == PL_OVER_BROKEN && !c->collected->broken++)
        snprintf(c->collected->example, sizeof c->collected->example, "%s", reason);
    int status = pl_store_task_drop(c->store, c->submission->id, c->info.task, PL_INTERRUPTED,
                                    *reason ? reason : "its task is over", &failed, &returned, c->err);
    return status ? status
                  : pl_store_task_over(c->store, c->submission->id, c->info.task, *reason ? reason : NULL, c->err);
}

static int take(void *self, char *text, size_t length, const struct pl_journal_place *behind)
{
    struct collector *c = self;
    struct pl_journal_head head;
    struct pl_event event = {.kind = PL_EVENT_DROPPED};
    enum pl_task_over how;
    char reason[400];
    int status = 0;
    if (!c->good.bytes && (!pl_journal_head_read(text, &head) || strcmp(head.submission, c->submission->name) ||
                           head.task != c->info.task)) {
        c->foreign = true;
        return 1;
    }
    if (!c->good.bytes)
        status = pl_store_task_begun(c->store, c->submission->id, c->info.task, head.node, head.attempt, c->err);
    else if (pl_task_over_read(text, &how, reason, sizeof reason))
        status = take_over(c, how, reason);
    else if (!pl_event_read(&c->reader, text, length, &event, NULL))
        status = take_event(c, &event);
    if (status)
        return status;
    c->collected->records++;
    /* A log is taken in with the end that follows it. */
    if (event.kind != PL_EVENT_LOG)
        c->good = *behind;
    return 0;
}

/* ---- journals ---- */

/* Writes what runs at work have reported, and forgets them. */
static int settle(struct collector *c)
{
    int status = 0;
    while (c->active_count && status >= 0) {
        struct active *active = &c->active[c->active_count - 1];
        struct pl_claimed *run = active->run;
        status = pl_recorder_begun(&c->recorder, run, c->err);
        if (!status)
            status = pl_recorder_points(&c->recorder, run, c->err);
        active->known.received = run->received;
        active->known.forgotten = 0;
        for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
            active->known.forgotten |= (int64_t)run->forgotten[axis] << axis;
        if (!status)
            status = pl_store_task_run_set(c->store, c->submission->id, c->info.task, &active->known, c->err);
        remove_active(c, active);
    }
    return status < 0 ? status : 0;
}

static void drop_active(struct collector *c)
{
    while (c->active_count)
        remove_active(c, &c->active[c->active_count - 1]);
}

static int take_journal(struct collector *c, const struct found *found, const char *path, bool *more)
{
    c->info = (struct pl_journal_info){.submission = c->submission->id, .task = found->task, .attempt = found->attempt};
    int status = pl_store_journal(c->store, &c->info, c->err);
    if (status)
        return status;
    struct pl_journal_place place = {c->info.bytes, (uint32_t)c->info.chain};
    struct pl_error unread = {0};
    c->good = place;
    c->foreign = false;
    *more = false;
    c->err->code = 0;
    status = pl_journal_read(path, &place, AT_A_TIME, more, take, c, &unread);
    if (status && !c->err->code && (status == PL_EIO || status == PL_EMISSING))
        status = 0; /* not now */
    if (!status)
        status = settle(c);
    drop_active(c);
    if (status || c->good.bytes == c->info.bytes)
        return status;
    c->info.bytes = c->good.bytes;
    c->info.chain = c->good.chain;
    return pl_store_journal_set(c->store, &c->info, c->err);
}

static int compare(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->attempt < y->attempt ? -1 : x->attempt > y->attempt;
}

/* Lists the journals of a folder in the order of their tasks and attempts. */
static size_t list(const char *folder, struct found **journals)
{
    size_t count = 0, capacity = 0;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        struct found found;
        if (!pl_journal_name(entry->d_name, &found.task, &found.attempt))
            continue;
        void *grown = *journals;
        pl_grow(&grown, &capacity, count + 1, sizeof **journals);
        *journals = grown;
        (*journals)[count++] = found;
    }
    if (directory)
        closedir(directory);
    if (count)
        qsort(*journals, count, sizeof **journals, compare);
    return count;
}

/* Is there something behind what was taken in? */
static bool has_news(struct collector *c, const struct found *found, const char *path)
{
    struct stat file;
    struct pl_journal_info info = {.submission = c->submission->id, .task = found->task, .attempt = found->attempt};
    return stat(path, &file) || pl_store_journal(c->store, &info, c->err) || file.st_size > info.bytes;
}

static int transact(struct collector *c, const struct found *found, const char *path, bool *more)
{
    int status = pl_store_begin(c->store, c->err);
    if (status)
        return status;
    status = take_journal(c, found, path, more);
    if (!status)
        status = pl_store_commit(c->store, c->err);
    if (status) {
        pl_store_rollback(c->store);
        pl_recorder_forget(&c->recorder);
    }
    return status;
}

int pl_batch_collect(struct pl_store *store, const struct pl_submission *submission, double seconds,
                     struct pl_collected *collected, struct pl_error *err)
{
    struct pl_error own = {0};
    struct collector c = {.store = store, .submission = submission, .collected = collected, .err = &own};
    c.recorder = (struct pl_recorder){
        .store = store, .session = submission->session, .threads = (int)submission->threads};
    struct found *journals = NULL;
    struct pl_text path = {0};
    double until = pl_clock_steady() + seconds;
    int status = 0;
    size_t count = list(submission->folder, &journals);
    for (size_t i = 0; i < count && !status; i++) {
        bool more = true;
        pl_text_clear(&path);
        pl_journal_path(submission->folder, journals[i].task, journals[i].attempt, &path);
        while (more && !status && has_news(&c, &journals[i], pl_text(&path))) {
            if (seconds > 0 && pl_clock_steady() > until) {
                collected->more = true;
                i = count;
                break;
            }
            status = transact(&c, &journals[i], pl_text(&path), &more);
        }
    }
    if (status)
        pl_fail(err, status, "%s", own.text);
    free(journals);
    free(c.active);
    pl_text_release(&path);
    pl_claimed_free_all(&c.spare);
    pl_event_reader_release(&c.reader);
    pl_recorder_release(&c.recorder);
    return status;
}
