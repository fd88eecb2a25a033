#include "sweep/batch/task.h"
#include "sweep/batch/journal.h"
#include "sweep/batch/mark.h"
#include "sweep/batch/past.h"
#include "sweep/batch/record.h"
#include "sweep/batch/system.h"
#include "sweep/crew.h"
#include "sweep/working.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double write_every = 0.2;   /* seconds that values of a run at work wait for the journal */
static const double write_share = 10;    /* but so many times as long as writing it takes, where that is slow */
static const double sync_every = 0.2;    /* the same for the end of a run */
static const double retry_every = 2;     /* between two tries to write on a full disk */
static const double full_patience = 600; /* seconds after which a journal that cannot be written is given up */
static const double beat_every = 20;     /* seconds after which a journal that has nothing to say says so */
static const double log_every = 5;       /* seconds between two versions of what runs at work have said so far */
static const double shortest_grace = 5;
/* Milliseconds in which all processes of a task are told to end. Of a program that somebody told to end it is likely,
 * and on a busy node the one who tells them takes its time. */
static const int told_within = 50, told_within_at_most = 3000;
enum { MOST_WAITING = 64 << 20 };

struct task {
    const char *folder;
    void (*note)(const char *sentence);
    struct pl_order_file file;
    struct pl_past past;
    struct pl_sweep_options options;
    struct pl_crew crew;
    struct pl_hosts hosts;
    struct pl_claimed_queue backlog, spare;
    struct pl_claimed **at_work; /* that have begun and not ended; as many as there are workers, at most */
    size_t at_work_count;
    struct pl_order_reader reader;
    struct pl_journal *journal;
    struct pl_text lines; /* scratch */
    struct pl_text told;  /* what workers run on, as far as the journal says it */
    struct pl_text logs;  /* the folder of logs of runs at work */
    const struct pl_batch_system *system;
    char id[PL_ARRAY_ID_SIZE], job[PL_ARRAY_ID_SIZE + 24], node[64];
    int64_t index, restarts, attempt;
    int signals;
    double synced, failing; /* when the journal was last written; since when it cannot be */
    double valued, cost;    /* when with values of runs at work, and the seconds that it took */
    double logged;          /* when logs were */
    size_t left;            /* runs that have not ended */
    size_t declined;        /* of them, those that cannot go on here */
    char why[200];          /* the first of these cannot */
    bool warned;            /* told to end */
    struct pl_error failure;
};

static void tell(const struct task *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(const struct task *t, const char *format, ...)
{
    struct pl_text text = {0};
    va_list args;
    va_start(args, format);
    pl_text_addv(&text, format, args);
    va_end(args);
    t->note(pl_text(&text));
    pl_text_release(&text);
}

static void add(struct task *t)
{
    pl_journal_add(t->journal, pl_text(&t->lines), t->lines.length);
    pl_text_clear(&t->lines);
}

/* ---- what the crew tells ---- */

static void write_order(void *self, const struct pl_claimed *run, size_t slot, struct pl_text *out)
{
    struct task *t = self;
    const struct pl_past_run *past = run->context;
    struct pl_order order;
    pl_text_clear(&t->lines);
    pl_text_add(&t->lines, past->line);
    if (pl_order_read(t->lines.text, t->lines.length, &t->reader, &order, NULL)) {
        pl_text_add(out, past->line); /* the worker says what is wrong with it */
        pl_text_add_char(out, '\n');
    } else {
        order.threads = t->options.threads;
        order.slot = (int)slot;
        order.same_isa = true;
        order.grace = t->options.grace;
        order.limit = run->is_command ? run->limit : 0;
        if (past->begun) {
            order.continued = !order.restart;
            for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
                if (past->kept[axis].last == past->kept[axis].last)
                    order.kept[axis] = past->kept[axis];
        }
        pl_order_write(&order, out);
    }
    pl_text_clear(&t->lines);
}

static bool meet(void *self, const struct pl_event *event, struct pl_worker_host **host)
{
    struct task *t = self;
    if (event->protocol != PL_PROTOCOL_VERSION || strcmp(event->worker.version, t->file.head.version)) {
        pl_fail(&t->failure, PL_EVERSION,
                "the worker here is poula %.200s, and the submission was made by poula %.200s",
                event->protocol == PL_PROTOCOL_VERSION ? event->worker.version : "of another protocol",
                t->file.head.version);
        pl_crew_stop(&t->crew, PL_QUITTING);
        return false;
    }
    *host = pl_hosts_find(&t->hosts, &event->worker, t->options.insist);
    pl_event_write_ready(*host ? &(*host)->what : &event->worker, &t->lines);
    if (!strstr(pl_text(&t->told), pl_text(&t->lines))) {
        pl_text_add(&t->told, pl_text(&t->lines));
        add(t);
    }
    pl_text_clear(&t->lines);
    return true;
}

static void began(void *self, struct pl_claimed *run)
{
    struct task *t = self;
    t->at_work[t->at_work_count++] = run;
    pl_event_write_start(run->claim.run, run->ending.started, &t->lines);
    add(t);
}

static void heard(void *self, size_t bytes)
{
    (void)self;
    (void)bytes;
}

static void add_points(struct task *t, struct pl_claimed *run)
{
    pl_event_write_points(run->claim.run, &run->series, &t->lines);
    for (size_t i = 0; i < run->series.count; i++)
        run->series.all[i].count = 0;
    add(t);
}

static void take_signals(struct task *t)
{
    struct signalfd_siginfo info;
    while (read(t->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        pl_crew_stop(&t->crew, t->warned ? PL_QUITTING : PL_FINISHING);
        t->warned = true;
    }
}

/* Who takes a task from its node tells every process of it to end, at the same time: a program may end by that before
 * its worker has asked it to, which is no failure of its. */
static void forgive(struct task *t, struct pl_claimed *run)
{
    struct pollfd told = {.fd = t->signals, .events = POLLIN};
    if (run->ending.outcome != PL_FAILED)
        return;
    if (!t->warned && poll(&told, 1, run->ending.signal == SIGTERM ? told_within_at_most : told_within) > 0)
        take_signals(t);
    if (!t->warned)
        return;
    run->ending.outcome = PL_INTERRUPTED;
    snprintf(run->reason, sizeof run->reason, "its task was told to end");
}

static void ended(void *self, struct pl_claimed *run)
{
    struct task *t = self;
    const struct pl_ending *e = &run->ending;
    forgive(t, run);
    struct pl_run_result result;
    pl_claimed_result(run, &result);
    bool worked = false;
    for (size_t i = 0; i < t->at_work_count; i++)
        if (t->at_work[i] == run) {
            t->at_work[i] = t->at_work[--t->at_work_count];
            worked = true;
            break;
        }
    if (!worked) { /* it hung or died before its first word */
        pl_event_write_start(run->claim.run, pl_clock(), &t->lines);
        add(t);
    }
    add_points(t, run);
    pl_event_write_log_lines(run->claim.run, pl_text(&run->log), &t->lines);
    pl_working_remove(run, pl_text(&t->logs));
    pl_event_write_end(run->claim.run, &result, run->received, e->seconds, &t->lines);
    add(t);
    bool over = e->outcome != PL_INTERRUPTED || e->reached > 0;
    t->left -= over;
    if (!over && !t->crew.stopping && !t->declined++)
        snprintf(t->why, sizeof t->why, "%.199s", run->reason);
    pl_claimed_recycle(run, &t->spare);
}

static void left(void *self, struct pl_claimed *run)
{
    pl_claimed_recycle(run, &((struct task *)self)->spare);
}

static void fail(void *self, const struct pl_error *err)
{
    struct task *t = self;
    if (!t->failure.code)
        t->failure = *err;
    pl_crew_stop(&t->crew, PL_QUITTING);
}

/* ---- the journal ---- */

/* Writes what is due. A disk that is full may have room again soon; values wait meanwhile, and then the workers do. */
static int write_journal(struct task *t, bool all, struct pl_error *err)
{
    double now = pl_clock_steady();
    bool values = now - t->valued >= fmax(write_every, write_share * t->cost) || all; /* though runs end all the time */
    for (size_t i = 0; values && i < t->at_work_count; i++)
        add_points(t, t->at_work[i]);
    if (!pl_journal_waiting(t->journal) && now - t->synced >= beat_every)
        pl_journal_add(t->journal, PL_BEAT_LINE, sizeof PL_BEAT_LINE - 1);
    if (!pl_journal_waiting(t->journal))
        return 0;
    if (!all && now - t->synced < (t->failing > 0 ? retry_every : sync_every))
        return 0;
    t->synced = now;
    struct pl_error problem = {0};
    if (!pl_journal_sync(t->journal, &problem)) {
        t->failing = 0;
        t->cost = pl_clock_steady() - now;
        t->valued = values ? now : t->valued;
        return 0;
    }
    if (!(t->failing > 0)) {
        t->failing = now;
        tell(t, "%s; it is tried again", problem.text);
    }
    if (!all && now - t->failing < full_patience)
        return 0;
    return pl_fail(err, problem.code, "%s", problem.text);
}

static void write_logs(struct task *t)
{
    if (pl_clock_steady() - t->logged < log_every)
        return;
    for (size_t i = 0; i < t->at_work_count; i++)
        pl_working_write(t->at_work[i], pl_text(&t->logs));
    t->logged = pl_clock_steady();
}

/* ---- the loop ---- */

static int loop(struct task *t, struct pl_error *err)
{
    while ((t->left > t->declined && !t->crew.stopping) || pl_crew_busy(&t->crew)) {
        bool full = pl_journal_waiting(t->journal) > MOST_WAITING;
        if (pl_crew_wait(&t->crew, 0.05, full, t->signals))
            take_signals(t);
        pl_crew_serve(&t->crew);
        if (pl_crew_is_overdue(&t->crew))
            pl_crew_stop(&t->crew, PL_QUITTING);
        write_logs(t);
        int status = write_journal(t, false, err);
        if (status) {
            pl_crew_stop(&t->crew, PL_QUITTING);
            return status;
        }
        if (t->crew.stopping && !pl_crew_alive(&t->crew))
            break;
    }
    return t->failure.code ? pl_fail(err, t->failure.code, "%s", t->failure.text) : 0;
}

static void queue_runs(struct task *t)
{
    t->past.given_back = t->past.given_back ||
                         pl_mark_is_cancelled(t->folder); /* others have them: there is nothing to do here */
    for (size_t i = 0; i < t->past.count && !t->past.given_back; i++) {
        struct pl_past_run *past = &t->past.runs[i];
        if (past->ended)
            continue;
        struct pl_claimed *run = pl_claimed_new(&t->spare);
        run->claim.run = past->run;
        run->context = past;
        run->limit = t->file.head.timeout;
        run->is_command = pl_order_is_of_command(past->line);
        pl_claimed_push(&t->backlog, run);
        t->left++;
    }
}

/* As many workers as there are cores and runs; and of what is left of the cores, threads. */
static void choose_workers(struct task *t, const char *const *worker)
{
    const struct pl_order_head *head = &t->file.head;
    int cores = pl_host_cores();
    int64_t threads = head->threads, workers = head->workers ? head->workers : cores / threads;
    if (workers > (int64_t)t->left)
        workers = (int64_t)t->left;
    t->options = (struct pl_sweep_options){.executor = &pl_executor_local,
                                           .worker = worker,
                                           .jobs = (int)(workers > 1 ? workers : 1),
                                           .threads = (int)threads,
                                           .grace = head->warning * 0.7 > shortest_grace ? head->warning * 0.7
                                                                                         : shortest_grace};
}

/* ---- the end ---- */

/* It was told to end, with runs left: what becomes of them. */
static enum pl_task_over leave(const struct task *t, struct pl_text *why)
{
    bool known = t->system && *t->job;
    enum pl_fate fate = known ? t->system->fate(t->id, t->index, t->restarts) : PL_FATE_OVER;
    struct pl_error problem = {0};
    if (pl_mark_is_cancelled(t->folder)) {
        pl_text_add(why, "the submission was cancelled");
    } else if (fate == PL_FATE_RETURNS) {
        pl_text_add(why, "it was taken from its node, and is started again");
        return PL_OVER_AGAIN;
    } else if (!known) {
        pl_text_add(why, "no batch system can start the task again");
    } else if (fate == PL_FATE_OVER) {
        pl_text_add(why, "it was told to end");
    } else if (t->past.restarts >= t->file.head.requeues) {
        pl_text_addf(why, "the task was started %lld times, which is what --requeues allows",
                     (long long)t->past.restarts + 1);
    } else if (t->system->requeue(&problem)) {
        pl_text_addf(why, "it could not be started again: %s", problem.text);
    } else {
        pl_text_add(why, "its time was up; it is started again");
        return PL_OVER_AGAIN;
    }
    return PL_OVER_LEFT;
}

/* The last words. All runs may have ended on a disk that is full, and still it may have room again soon. */
static int write_last(struct task *t, struct pl_error *err)
{
    double until = pl_clock_steady() + full_patience;
    int status;
    while ((status = write_journal(t, true, err)) && pl_clock_steady() < until)
        poll(NULL, 0, (int)(1000 * retry_every));
    return status;
}

static void finish(struct task *t, int status, struct pl_error *err)
{
    struct pl_text why = {0};
    struct pl_error later = {0};
    enum pl_task_over how = PL_OVER_DONE;
    write_journal(t, true, &later); /* what was done is said before anybody may end this process */
    if (status) {
        how = PL_OVER_BROKEN;
        pl_text_add(&why, err->text);
    } else if (t->left && t->left == t->declined) {
        how = PL_OVER_LEFT;
        pl_text_add(&why, t->why);
    } else if (t->past.given_back) {
        how = PL_OVER_LEFT;
        pl_text_add(&why, "an earlier attempt has given its runs back");
    } else if (t->left) {
        how = leave(t, &why);
    }
    pl_task_over_write(how, pl_text(&why), &t->lines);
    add(t);
    if (write_last(t, &later) && !status)
        pl_text_addf(&why, "; %s", later.text);
    tell(t, "task %" PRId64 ": %zu of %zu runs are left%s%s", t->file.head.task, t->left, t->past.count,
         why.length ? ": " : "", pl_text(&why));
    pl_text_release(&why);
}

/* ---- the beginning ---- */

static int take_over_signals(struct task *t, struct pl_error *err)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ours, NULL);
    t->signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    return t->signals >= 0 ? 0 : pl_fail(err, PL_EIO, "cannot listen for signals: %s", strerror(errno));
}

static int open_journal(struct task *t, struct pl_error *err)
{
    int status = pl_journal_create(t->folder, t->file.head.task, &t->attempt, &t->journal, err);
    if (status)
        return status;
    struct pl_journal_head head = {
        .task = t->file.head.task, .attempt = t->attempt, .restarts = t->restarts, .time = pl_clock()};
    snprintf(head.submission, sizeof head.submission, "%s", t->file.head.submission);
    snprintf(head.job, sizeof head.job, "%s", t->job);
    snprintf(head.node, sizeof head.node, "%s", t->node);
    pl_journal_head_write(&head, &t->lines);
    add(t);
    return pl_journal_sync(t->journal, err);
}

static void find_place(struct task *t)
{
    t->system = pl_batch_find(t->file.head.system);
    if (t->system && t->system->here(t->id, &t->index, &t->restarts, t->node))
        snprintf(t->job, sizeof t->job, "%s_%" PRId64, t->id, t->index);
    else
        pl_host_name(t->node, sizeof t->node);
}

/* Two versions of poula may train differently, and a study's results are taken for those of one. */
static int check_version(const struct task *t, struct pl_error *err)
{
    const char *version = t->file.head.version;
    return !strcmp(version, pl_version())
               ? 0
               : pl_fail(err, PL_EVERSION, "the submission was made by poula %.200s, and this is poula %.200s", version,
                         pl_version());
}

static int work(struct task *t, const char *const *worker, struct pl_error *err)
{
    static const struct pl_crew_above above = {.order = write_order,
                                               .ready = meet,
                                               .began = began,
                                               .heard = heard,
                                               .ended = ended,
                                               .left = left,
                                               .failed = fail};
    struct pl_crew_above ours = above;
    int status = open_journal(t, err);
    if (status)
        return status;
    status = check_version(t, err);
    if (!status)
        status = pl_past_read(t->folder, &t->file, t->attempt, &t->past, err);
    if (status) {
        finish(t, status, err);
        return status;
    }
    queue_runs(t);
    choose_workers(t, worker);
    pl_sweep_provenance(&t->hosts.self, t->options.jobs, t->options.threads, false, &t->hosts.texts);
    t->at_work = pl_new(((size_t)t->options.jobs + 1) * sizeof *t->at_work);
    ours.self = t;
    pl_crew_init(&t->crew, &t->options, &ours, &t->backlog);
    status = loop(t, err);
    finish(t, status, err);
    pl_crew_release(&t->crew);
    return status;
}

int pl_task_run(const char *folder, int64_t task, const char *const *worker, void (*note)(const char *sentence),
                struct pl_error *err)
{
    struct task t = {.folder = folder, .note = note, .signals = -1};
    struct pl_text owner = {0};
    int status = pl_order_file_read(folder, task, &t.file, err);
    if (status)
        return status;
    find_place(&t);
    pl_working_folder(folder, &t.logs);
    status = pl_mark_own(folder, t.file.head.task, *t.job ? t.job : "by hand", *t.job ? t.job : t.node, &owner, err);
    if (status > 0)
        tell(&t, "task %" PRId64 " is that of the job %s: nothing is done here", task, pl_text(&owner));
    if (!status)
        status = take_over_signals(&t, err);
    if (!status)
        status = work(&t, worker, err);
    pl_text_release(&owner);
    if (t.signals >= 0)
        close(t.signals);
    pl_journal_close(t.journal);
    pl_past_release(&t.past);
    pl_order_file_release(&t.file);
    pl_order_reader_release(&t.reader);
    pl_claimed_free_all(&t.backlog);
    pl_claimed_free_all(&t.spare);
    pl_hosts_release(&t.hosts);
    pl_text_release(&t.lines);
    pl_text_release(&t.told);
    pl_text_release(&t.logs);
    free(t.at_work);
    return status < 0 ? status : 0;
}
