/* The loop of a sweep: claim, hand out, listen, write, until nothing is missing. It stands above the crew, which
 * trains, the ledger, which claims and writes, and the watch, which shows; none of these knows of another. */
#include "sweep/crew.h"
#include "sweep/ledger.h"
#include "sweep/orders.h"
#include "sweep/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double look_every = 0.5;    /* for runs that another supervisor gives up, once nothing else is left */
static const double idle_look_every = 2; /* the same while some workers still have long runs */
static const double recover_every = 2;
static const double dismiss_within = 2;     /* seconds that idle workers have to leave */
static const double note_every = 10;        /* how often a wait for the database is mentioned */
static const double patience = 24 * 3600.0; /* a forgotten lock must not cost a night's sweep */

struct supervisor {
    const struct pl_sweep_options *options;
    struct pl_sweep_plan *plan;
    struct pl_crew crew;
    struct pl_ledger ledger;
    struct pl_orders orders;
    struct pl_watch watch;
    int signals; /* a signalfd */
    int stopped_by;
    struct pl_error failure; /* code != 0: the sweep cannot go on */
    int64_t elsewhere;       /* runs that another sweep holds, while this one waits for them */
    double wait_noted;
};

static void stop(struct supervisor *s, enum pl_stopping how)
{
    if (how <= s->crew.stopping)
        return;
    if (how == PL_FINISHING && s->stopped_by)
        pl_view_note(&s->options->view, "stopping: %d runs come to an end first; once more stops now",
                     pl_crew_busy(&s->crew));
    pl_crew_stop(&s->crew, how);
}

/* ---- what the crew tells ---- */

static void write_order(void *self, const struct pl_claimed *run, size_t slot, struct pl_text *out)
{
    pl_orders_write(&((struct supervisor *)self)->orders, run, slot, out);
}

/* Ends the sweep with an error; the first one counts. */
static void fail(void *self, const struct pl_error *err)
{
    struct supervisor *s = self;
    if (!s->failure.code)
        s->failure = *err;
    stop(s, PL_QUITTING);
}

/* Two versions of poula may train differently, and a sweep's results are taken for those of one. */
static void refuse_version(struct supervisor *s, const struct pl_event *event)
{
    struct pl_error err = {0};
    char its[300];
    if (event->protocol == PL_PROTOCOL_VERSION)
        snprintf(its, sizeof its, "poula %.250s", event->worker.version);
    else
        snprintf(its, sizeof its, "another version of poula (with protocol %lld, where this has %d)",
                 (long long)event->protocol, PL_PROTOCOL_VERSION);
    pl_fail(&err, PL_EVERSION,
            "the worker %.200s is %s, and this is poula %.250s: what they train may differ. Start "
            "this version as the worker (without POULA_WORKER it is), or the sweep with the worker's",
            s->options->worker[0], its, s->ledger.hosts.self.version);
    fail(s, &err);
}

static bool meet(void *self, const struct pl_event *event, struct pl_worker_host **host)
{
    struct supervisor *s = self;
    if (event->protocol != PL_PROTOCOL_VERSION || strcmp(event->worker.version, s->ledger.hosts.self.version)) {
        refuse_version(s, event);
        return false;
    }
    *host = pl_hosts_find(&s->ledger.hosts, &event->worker, s->options->insist);
    return true;
}

static void began(void *self, struct pl_claimed *run)
{
    pl_ledger_began(&((struct supervisor *)self)->ledger, run);
}

static void heard(void *self, size_t bytes)
{
    ((struct supervisor *)self)->ledger.buffered += bytes;
}

static void ended(void *self, struct pl_claimed *run)
{
    struct supervisor *s = self;
    bool failed = run->ending.outcome == PL_FAILED;
    if (run->ending.outcome == PL_FINISHED)
        pl_watch_finished(run);
    pl_ledger_end(&s->ledger, run);
    if (failed && s->options->fail_fast && !s->crew.stopping) {
        pl_view_note(&s->options->view, "stopping, because a run failed");
        stop(s, PL_FINISHING);
    }
}

static void left(void *self, struct pl_claimed *run)
{
    pl_ledger_drop(&((struct supervisor *)self)->ledger, run);
}

/* ---- serving ---- */

static void show(struct supervisor *s)
{
    struct pl_sweep_state state = {.plan = s->plan,
                                   .ran = s->ledger.ran,
                                   .workers = (int)s->crew.hand_count,
                                   .busy = pl_crew_busy(&s->crew),
                                   .elsewhere = s->elsewhere,
                                   .stopping = s->crew.stopping != PL_GOING};
    pl_watch_show(&s->watch, &s->options->view, &state);
}

static void take_signals(struct supervisor *s)
{
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        s->stopped_by = (int)info.ssi_signo;
        stop(s, s->crew.stopping ? PL_QUITTING : PL_FINISHING);
    }
}

/* Serves the workers for at most seconds. Never touches the database. */
static void pump(struct supervisor *s, double seconds)
{
    if (pl_crew_wait(&s->crew, seconds, pl_ledger_is_full(&s->ledger), s->signals))
        take_signals(s);
    pl_crew_serve(&s->crew);
    if (pl_crew_is_overdue(&s->crew))
        stop(s, PL_QUITTING);
}

static void pump_and_show(struct supervisor *s, double seconds)
{
    pump(s, seconds);
    if (pl_watch_is_due(&s->watch))
        show(s);
}

/* ---- the database ---- */

/* Another writer holds the database: the workers go on meanwhile. */
static bool while_waiting(void *self, double waited)
{
    struct supervisor *s = self;
    double now = pl_clock_steady();
    if (waited >= 2 && now - s->wait_noted >= note_every) {
        pl_view_note(&s->options->view,
                     "another program holds the database; waiting for it (%.0f s so far), the workers go on", waited);
        s->wait_noted = now;
    }
    double until = now + 0.5;
    while (s->ledger.waiting && s->crew.stopping != PL_QUITTING && (now = pl_clock_steady()) < until)
        pump_and_show(s, until - now);
    return s->crew.stopping != PL_QUITTING;
}

static int turn(struct supervisor *s, bool all, struct pl_error *err)
{
    struct pl_pace pace = pl_crew_pace(&s->crew);
    int status = pl_ledger_turn(&s->ledger, &pace, all, err);
    if (s->ledger.lost_at_work)
        pl_crew_drop_lost(&s->crew);
    s->ledger.lost_at_work = false;
    return status;
}

/* Nothing is left to claim and nothing runs here. Returns 1 when the sweep is at its end, 0 to go on. */
static int look_elsewhere(struct supervisor *s, int *fruitless, struct pl_error *err)
{
    int status = pl_ledger_count(&s->ledger, err);
    if (status)
        return status;
    int64_t running = 0, open = 0;
    for (size_t i = 0; i < s->plan->count; i++) {
        const int64_t *counts = s->plan->studies[i].counts;
        running += counts[PL_RUN_RUNNING];
        open += counts[PL_RUN_PLANNED] + counts[PL_RUN_INTERRUPTED];
    }
    if (pl_ledger_is_limited(&s->ledger) || (!running && (!open || ++*fruitless > 3)))
        return 1;
    if (running && s->elsewhere == 0)
        pl_view_note(&s->options->view, "waiting for %lld runs that another sweep holds", (long long)running);
    s->elsewhere = running;
    pl_ledger_look_again(&s->ledger);
    if (pl_clock_steady() - s->ledger.recovered >= recover_every)
        status = pl_ledger_recover(&s->ledger, err);
    double until = pl_clock_steady() + (running ? look_every : 0.05), now;
    while (!status && !s->crew.stopping && (now = pl_clock_steady()) < until)
        pump_and_show(s, until - now);
    return status;
}

/* ---- the loop ---- */

/* Workers that are idle while others have long runs: another sweep may have given some back, or died. */
static int look_for_idle(struct supervisor *s, struct pl_error *err)
{
    struct pl_ledger *l = &s->ledger;
    if (!l->exhausted || !l->outstanding || l->backlog.count || s->crew.stopping || pl_ledger_is_limited(l) ||
        pl_crew_busy(&s->crew) == (int)s->crew.hand_count || pl_clock_steady() - l->recovered < idle_look_every)
        return 0;
    pl_ledger_look_again(l);
    return pl_ledger_recover(l, err);
}

static int loop(struct supervisor *s, struct pl_error *err)
{
    const struct pl_ledger *l = &s->ledger;
    int fruitless = 0;
    for (;;) {
        int status = look_for_idle(s, err);
        if (!status)
            status = turn(s, false, err);
        if (status)
            return status;
        if (s->crew.stopping ? !pl_crew_alive(&s->crew) : l->exhausted && !l->outstanding) {
            status = turn(s, true, err);
            if (status || s->crew.stopping)
                return status;
            status = look_elsewhere(s, &fruitless, err);
            if (status)
                return status < 0 ? status : 0;
            continue;
        }
        if (l->outstanding) {
            fruitless = 0;
            s->elsewhere = 0;
        }
        pump_and_show(s, 0.05);
    }
}

static int take_over_signals(struct supervisor *s, sigset_t *before, struct pl_error *err)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    struct sigaction hangup;
    if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) /* ignored: nohup */
        sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ours, before);
    s->signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    if (s->signals >= 0)
        return 0;
    sigprocmask(SIG_SETMASK, before, NULL);
    return pl_fail(err, PL_EIO, "cannot listen for signals: %s", strerror(errno));
}

/* Failed runs that are tried again count as missing until they end. */
static int first_count(struct supervisor *s, struct pl_error *err)
{
    int status = pl_ledger_count(&s->ledger, err);
    for (size_t i = 0; i < s->plan->count && !status && s->options->retry_failed; i++)
        s->plan->studies[i].counts[PL_RUN_FAILED] = s->plan->shared.counts[PL_RUN_FAILED] = 0;
    return status;
}

/* Idle workers leave. */
static void dismiss(struct supervisor *s)
{
    double until = pl_clock_steady() + dismiss_within;
    pl_crew_close(&s->crew);
    while (pl_crew_alive(&s->crew) && pl_clock_steady() < until)
        pump(s, 0.05);
}

/* The end in good order: workers leave, what ended is written, what was claimed is given back. */
static int finish(struct supervisor *s, int status, struct pl_error *err)
{
    if (!status && s->failure.code)
        status = pl_fail(err, s->failure.code, "%s", s->failure.text);
    struct pl_error later = {0};
    if (status || s->crew.stopping == PL_QUITTING)
        pl_crew_stop(&s->crew, PL_QUITTING);
    dismiss(s);
    int written = turn(s, true, &later);
    if (!written)
        written = pl_ledger_give_back(&s->ledger, &later);
    if (!written)
        written = pl_ledger_leave(&s->ledger, &later);
    if (!written)
        written = pl_ledger_count(&s->ledger, &later);
    if (!status && written)
        status = pl_fail(err, later.code, "%s", later.text);
    return status;
}

double pl_sweep_patience(void)
{
    double seconds;
    const char *wish = getenv("POULA_PATIENCE");
    return wish && pl_number_read(wish, &seconds) && seconds >= 0 ? seconds : patience;
}

int pl_sweep_run(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                 int *stopped_by, struct pl_error *err)
{
    struct supervisor s = {.plan = plan, .options = options, .wait_noted = -note_every};
    const struct pl_crew_above above = {.self = &s,
                                        .order = write_order,
                                        .ready = meet,
                                        .began = began,
                                        .heard = heard,
                                        .ended = ended,
                                        .left = left,
                                        .failed = fail};
    sigset_t before;
    int status = take_over_signals(&s, &before, err);
    if (status)
        return status;
    pl_ledger_init(&s.ledger, store, plan, options);
    pl_crew_init(&s.crew, options, &above, &s.ledger.backlog);
    pl_watch_init(&s.watch);
    s.orders = (struct pl_orders){.options = options, .owner = s.ledger.owner};
    pl_store_set_patience(store, pl_sweep_patience(), while_waiting, &s);
    status = pl_ledger_join(&s.ledger, err);
    if (!status)
        status = first_count(&s, err);
    if (!status)
        status = loop(&s, err);
    status = finish(&s, status, err);
    show(&s);
    pl_store_set_patience(store, 120, NULL, NULL);
    *stopped_by = s.stopped_by;
    pl_crew_release(&s.crew);
    pl_ledger_release(&s.ledger);
    close(s.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
