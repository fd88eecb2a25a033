/* What workers say. An event that cannot be at its place condemns its worker: nothing else it says counts. */
#include "sweep/supervisor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The series to follow: the one that the study follows already, or what a reader wants first. */
static const struct pl_claimed_series *followed(const struct pl_claimed *task)
{
    const char *metric = task->study->best.metric;
    const struct pl_claimed_series *found = NULL;
    for (size_t i = 0; i < task->series_count; i++) {
        const struct pl_claimed_series *series = &task->series[i];
        if (isnan(series->best) || (*metric && strcmp(metric, series->metric)))
            continue;
        if (!found || pl_train_metric_rank(series->metric) < pl_train_metric_rank(found->metric))
            found = series;
    }
    return found;
}

static void note_best(struct pl_claimed *task)
{
    struct pl_sweep_best *best = &task->study->best;
    const struct pl_claimed_series *series = followed(task);
    if (!series || (best->run && !pl_direction_better(series->direction, series->best, best->value)))
        return;
    snprintf(best->metric, sizeof best->metric, "%s", series->metric);
    best->direction = series->direction;
    best->value = series->best;
    best->run = task->claim.run;
}

static void end_task(struct pl_supervisor *s, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed *task = pl_claimed_pop(&hand->tasks);
    struct pl_ending *ending = &task->ending;
    task->host = hand->host;
    ending->outcome = event->outcome;
    ending->bad_epoch = event->bad_epoch;
    ending->exit_code = event->exit_code;
    ending->signal = event->signal;
    ending->seconds = event->seconds;
    ending->worker = hand->process.pid;
    ending->unread = event->unread;
    if (event->unread)
        snprintf(task->unread_example, sizeof task->unread_example, "%s", event->unread_example);
    ending->unsaved = event->unsaved;
    if (event->unsaved)
        snprintf(task->unsaved_example, sizeof task->unsaved_example, "%s", event->unsaved_example);
    if (event->reason)
        snprintf(task->reason, sizeof task->reason, "%s", event->reason);
    if (event->values != task->received) {
        ending->outcome = PL_FAILED;
        snprintf(task->reason, sizeof task->reason, "the worker reported %lld values, but %lld arrived",
                 (long long)event->values, (long long)task->received);
    }
    if (ending->outcome == PL_FINISHED)
        note_best(task);
    s->idle_deaths = 0;
    s->mean = isnan(s->mean) ? event->seconds : 0.9 * s->mean + 0.1 * event->seconds;
    hand->since = pl_clock_steady();
    pl_text_clear(&hand->log); /* what it said so far is of no concern to the next run */
    pl_ledger_end(s, task);
}

static bool give_back(struct pl_supervisor *s, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed_queue kept = {0}, returned = {0};
    struct pl_claimed *task;
    size_t found = 0;
    while ((task = pl_claimed_pop(&hand->tasks))) {
        bool given = found < event->count && event->runs[found] == task->claim.run && !task->started;
        found += given;
        pl_claimed_push(given ? &returned : &kept, task);
    }
    hand->tasks = kept;
    hand->recalled = false;
    pl_claimed_prepend(&s->backlog, &returned);
    return found == event->count;
}

/* ---- what a worker is ---- */

/* Two versions of poula may train differently, and a sweep's results are taken for those of one. */
static void refuse_version(struct pl_supervisor *s, const struct pl_event *event)
{
    struct pl_error err = {0};
    char its[300];
    if (event->protocol == PL_PROTOCOL_VERSION)
        snprintf(its, sizeof its, "poula %.250s", event->worker.version);
    else
        snprintf(its, sizeof its, "another version of poula (with protocol %lld, where this has %d)",
                 (long long)event->protocol, PL_PROTOCOL_VERSION);
    pl_fail(&err, PL_EVERSION, "the worker %.200s is %s, and this is poula %.250s: what they train may differ. Start this "
            "version as the worker (without POULA_WORKER it is), or the sweep with the worker's", s->options->worker[0],
            its, s->self.version);
    pl_sup_fail(s, &err);
}

static bool same_host(const struct pl_provenance *a, const struct pl_provenance *b)
{
    return !strcmp(a->host, b->host) && !strcmp(a->cpu, b->cpu) && !strcmp(a->isa, b->isa) &&
           !strcmp(a->version, b->version) && !strcmp(a->compiler, b->compiler) && !strcmp(a->libraries, b->libraries);
}

/* NULL when it is all the supervisor's own. */
static struct pl_worker_host *find_host(struct pl_supervisor *s, const struct pl_provenance *worker)
{
    struct pl_worker_host *host = s->hosts;
    if (same_host(worker, &s->self))
        return NULL;
    while (host && !same_host(worker, &host->what))
        host = host->next;
    if (host)
        return host;
    host = pl_pool_take(&s->texts, sizeof *host);
    *host = (struct pl_worker_host){.next = s->hosts, .what = {
        .host = pl_pool_copy(&s->texts, worker->host), .cpu = pl_pool_copy(&s->texts, worker->cpu),
        .isa = pl_pool_copy(&s->texts, worker->isa), .version = pl_pool_copy(&s->texts, worker->version),
        .compiler = pl_pool_copy(&s->texts, worker->compiler),
        .libraries = pl_pool_copy(&s->texts, worker->libraries)}};
    s->hosts = host;
    return host;
}

/* Returns false when it introduced itself before. */
static bool introduce(struct pl_supervisor *s, struct pl_hand *hand, const struct pl_event *event)
{
    if (hand->ready)
        return false;
    if (event->protocol != PL_PROTOCOL_VERSION || strcmp(event->worker.version, s->self.version)) {
        refuse_version(s, event);
        return true;
    }
    struct pl_provenance worker = event->worker;
    struct pl_text libraries = {0};
    pl_text_add(&libraries, worker.libraries);
    pl_provenance_told(s->options->insist, &libraries);
    worker.libraries = pl_text(&libraries);
    hand->ready = true;
    hand->host = find_host(s, &worker);
    pl_text_release(&libraries);
    return true;
}

static const char *const event_names[] = {"ready", "start", "points", "log", "end", "dropped"};

/* Returns false when the event cannot be: the worker is not to be trusted. */
static bool take_event(struct pl_supervisor *s, struct pl_hand *hand, const struct pl_event *event)
{
    struct pl_claimed *task = hand->tasks.first;
    if (event->kind == PL_EVENT_READY)
        return introduce(s, hand, event);
    if (!hand->ready)
        return false;
    if (event->kind == PL_EVENT_DROPPED)
        return give_back(s, hand, event);
    if (!task || task->claim.run != event->run || (event->kind != PL_EVENT_START) != task->started)
        return false;
    switch (event->kind) {
    case PL_EVENT_START:
        task->started = true;
        if (task->lost)
            pl_crew_condemn(s, hand, "the run is in the hands of another sweep");
        task->ending.started = event->time;
        if (!task->study->first)
            task->study->first = pl_clock_steady();
        break;
    case PL_EVENT_POINTS:
        pl_claimed_points(task, event);
        break;
    case PL_EVENT_LOG:
        pl_claimed_log(task, event->line, strlen(event->line));
        break;
    default:
        end_task(s, hand, event);
        break;
    }
    return true;
}

static void take_line(struct pl_supervisor *s, struct pl_hand *hand, char *line, size_t length)
{
    struct pl_event event;
    struct pl_error err = {0};
    char verdict[sizeof hand->verdict];
    if (hand->verdict[0])
        return; /* it is being killed; nothing it says counts any more */
    if (pl_event_read(&s->reader, line, length, &event, &err)) {
        snprintf(verdict, sizeof verdict, "the worker was killed: %.250s", err.text);
        pl_crew_condemn(s, hand, verdict);
    } else if (!take_event(s, hand, &event)) {
        snprintf(verdict, sizeof verdict, "the worker was killed: it wrote the event %s of run %lld out of order",
                 event_names[event.kind], (long long)event.run);
        pl_crew_condemn(s, hand, verdict);
    }
    s->buffered += length;
}

static void take_bytes(struct pl_supervisor *s, struct pl_hand *hand, char *bytes, size_t count)
{
    char *stop = bytes + count, *newline;
    while ((newline = memchr(bytes, '\n', (size_t)(stop - bytes)))) {
        if (hand->input.length) {
            pl_text_add_bytes(&hand->input, bytes, (size_t)(newline - bytes));
            take_line(s, hand, hand->input.text, hand->input.length);
            pl_text_clear(&hand->input);
        } else {
            *newline = '\0';
            take_line(s, hand, bytes, (size_t)(newline - bytes));
        }
        bytes = newline + 1;
    }
    pl_text_add_bytes(&hand->input, bytes, (size_t)(stop - bytes));
    if (hand->input.length > PL_LINE_LIMIT)
        pl_crew_condemn(s, hand, "the worker was killed: it wrote a line without an end");
}

void pl_crew_listen(struct pl_supervisor *s, struct pl_hand *hand)
{
    char block[1 << 17];
    for (int i = 0; i < 8; i++) {
        ssize_t n = read(hand->process.out, block, sizeof block);
        if (n > 0)
            take_bytes(s, hand, block, (size_t)n);
        if (n == 0)
            hand->ended = true;
        if (n <= 0)
            break;
    }
}

void pl_crew_read_log(struct pl_hand *hand)
{
    char block[4096];
    ssize_t n;
    while ((n = read(hand->process.log, block, sizeof block)) > 0) {
        pl_text_add_bytes(&hand->log, block, (size_t)n);
        pl_log_keep_end(&hand->log);
    }
    if (n == 0) {
        close(hand->process.log);
        hand->process.log = -1;
    }
}
