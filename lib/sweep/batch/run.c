/* The loop of a sweep on a batch system: submit what is missing, take in what comes, until nothing is missing. Whoever
 * leaves it, by a signal or a kill, leaves tasks that go on; whoever comes again goes on here. */
#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"
#include "sweep/halving.h"
#include "sweep/ledger.h"
#include "sweep/watch.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double collect_every = 1, look_first = 1, look_most = 15, recover_every = 5, submit_every = 30;
static const double collect_for = 2; /* seconds at a time */

struct attached {
    struct pl_store *store;
    struct pl_sweep_plan *plan;
    struct pl_sweep_options options; /* of the submissions to come */
    const struct pl_batch_options *batch;
    const struct pl_sweep_view *view;
    struct pl_submissions open;
    struct pl_batch_memory memory;
    struct pl_batch_view seen;
    struct pl_watch watch;
    int signals, stopped_by;
    double looked, look_every, recovered, submitted;
    int64_t rounds; /* of submissions that this process made */
    int64_t began;  /* runs that were done then */
    bool waits;     /* arrays that could not be submitted yet */
    bool ours;      /* some open submission holds runs of the plan */
    bool decided;   /* a rung was, so that runs are wanted further */
    char broken[500];
};

/* ---- what is left ---- */

static int64_t total(const struct attached *a, enum pl_status status)
{
    int64_t sum = -a->plan->shared.counts[status];
    for (size_t i = 0; i < a->plan->count; i++)
        sum += a->plan->studies[i].counts[status];
    return sum;
}

static int64_t done(const struct attached *a)
{
    return total(a, PL_RUN_FINISHED) + total(a, PL_RUN_DIVERGED) + total(a, PL_RUN_FAILED) + total(a, PL_RUN_STOPPED);
}

static int count_claimable(const struct attached *a, const struct pl_sweep_study *study, int64_t *count,
                           struct pl_error *err)
{
    *count = 0;
    if (!study->sweep)
        return 0;
    if (study->study->stop) /* most wait for a rung */
        return pl_store_claimable(a->store, study->sweep, a->options.retry_failed, count, err);
    *count = study->counts[PL_RUN_PLANNED] + study->counts[PL_RUN_INTERRUPTED] +
             (a->options.retry_failed ? study->counts[PL_RUN_FAILED] : 0);
    return 0;
}

/* Decides which runs go on, where something has ended since that was last done. */
static int decide(struct attached *a, struct pl_error *err)
{
    int status = 0;
    a->decided = false;
    for (size_t i = 0; i < a->plan->count && !status; i++) {
        struct pl_sweep_study *study = &a->plan->studies[i];
        bool changed = false;
        if (!study->undecided || !study->sweep)
            continue;
        status = pl_store_begin(a->store, err);
        if (status)
            break;
        status = pl_sweep_decide(study, a->store, &changed, err);
        if (!status)
            status = pl_store_commit(a->store, err);
        if (status)
            pl_store_rollback(a->store);
        a->decided = a->decided || changed;
    }
    return status;
}

/* Reads how the runs stand, and what has ended since. */
static int recount(struct attached *a, struct pl_error *err)
{
    double now = pl_clock_steady();
    int64_t *before = pl_new((a->plan->count + 1) * sizeof *before);
    for (size_t i = 0; i < a->plan->count; i++)
        before[i] = a->plan->studies[i].runs - pl_sweep_study_missing(&a->plan->studies[i], false);
    int status = pl_sweep_plan_recount(a->plan, a->store, err);
    for (size_t i = 0; i < a->plan->count && !status; i++) {
        struct pl_sweep_study *study = &a->plan->studies[i];
        study->undecided = study->study->stop;
        int64_t ended = study->runs - pl_sweep_study_missing(study, false) - before[i];
        if (ended <= 0 || !a->recovered)
            continue;
        study->ran += ended;
        study->last = now;
    }
    free(before);
    return status;
}

static bool holds_plan(const struct attached *a, const struct pl_submission *submission)
{
    for (size_t i = 0; i < a->plan->count; i++)
        if (a->plan->studies[i].sweep == submission->sweep)
            return true;
    return false;
}

/* ---- submitting ---- */

static int write_study(struct attached *a, size_t index, int64_t runs, bool *any, struct pl_error *err)
{
    struct pl_sweep_study *study = &a->plan->studies[index];
    struct pl_batch_request request;
    struct pl_batch_limits limits = {0};
    struct pl_error unknown = {0};
    struct pl_submission submission;
    struct pl_pool pool = {0};
    struct pl_text text = {0};
    int status = pl_batch_plan(&request, a->store, study, runs, a->batch, err);
    if (!status) {
        a->batch->system->limits(&request.resources, &limits, &unknown);
        request.array_most = pl_batch_array_most(&limits);
        status = pl_batch_write(a->store, a->plan, index, &a->options, &request, &submission, &pool, err);
    }
    if (!status) {
        *any = true;
        pl_batch_request_describe(&request, &text);
        pl_view_note(a->view, "%s: %lld run%s in %lld task%s of %s; each task: %s", study->study->name,
                     (long long)submission.runs, submission.runs == 1 ? "" : "s", (long long)submission.tasks,
                     submission.tasks == 1 ? "" : "s", a->batch->system->name, pl_text(&text));
        if (!study->first)
            study->first = pl_clock_steady();
        if (a->options.limit) /* what the user allows counts for all studies together */
            a->options.limit = a->options.limit > submission.runs ? a->options.limit - submission.runs : -1;
    }
    pl_text_release(&text);
    pl_pool_release(&pool);
    pl_batch_request_release(&request);
    return status < 0 ? status : 0;
}

static int read_open(struct attached *a, struct pl_error *err)
{
    int status = pl_submissions_read(&a->open, a->store, true, err);
    a->ours = false;
    size_t kept = 0;
    for (size_t i = 0; i < a->open.count && !status; i++) {
        if (strcmp(a->open.all[i].system, a->batch->system->name))
            continue;
        a->ours = a->ours || holds_plan(a, &a->open.all[i]);
        a->open.all[kept++] = a->open.all[i];
    }
    a->open.count = kept;
    return status;
}

/* Submits what is missing and in nobody's hands. Runs that tasks gave back are submitted again, but not for ever. */
static int submit_missing(struct attached *a, bool *any, struct pl_error *err)
{
    int status = 0;
    bool tried = false; /* where somebody else was faster there is nothing left to write, but something to wait for */
    *any = false;
    if (a->rounds > a->batch->requeues || a->broken[0] || a->options.limit < 0)
        return 0;
    status = decide(a, err);
    for (size_t i = 0; i < a->plan->count && !status && a->options.limit >= 0; i++) {
        int64_t runs;
        status = count_claimable(a, &a->plan->studies[i], &runs, err);
        if (status || !runs)
            continue;
        tried = true;
        status = write_study(a, i, runs, any, err);
    }
    a->rounds += *any && !a->decided; /* the next rung is no second attempt */
    a->options.retry_failed = false;  /* once */
    if (!status && tried)
        status = recount(a, err);
    return status || !tried ? status : read_open(a, err);
}

static int submit_arrays(struct attached *a, struct pl_error *err)
{
    int status = 0;
    a->waits = false;
    a->submitted = pl_clock_steady();
    for (size_t i = 0; i < a->open.count && status >= 0; i++) {
        status = pl_batch_submit(a->store, &a->open.all[i], a->batch->system, &a->memory, a->view, err);
        a->waits = a->waits || status > 0;
    }
    return status < 0 ? status : 0;
}

/* ---- taking in ---- */

static int collect(struct attached *a, bool *any, struct pl_error *err)
{
    struct pl_collected collected = {0};
    int status = 0;
    for (size_t i = 0; i < a->open.count && !status; i++)
        status = pl_batch_collect(a->store, &a->open.all[i], collect_for, &collected, err);
    if (collected.broken && !a->broken[0])
        snprintf(a->broken, sizeof a->broken, "%s", collected.example);
    *any = collected.records > 0;
    return status || !*any ? status : recount(a, err);
}

static int look(struct attached *a, struct pl_error *err)
{
    struct pl_error problem = {0};
    int status = 0;
    a->seen = (struct pl_batch_view){0};
    for (size_t i = 0; i < a->open.count && !status; i++)
        status = pl_batch_look(a->store, &a->open.all[i], a->batch->system, &a->memory, &a->seen, a->view, &problem);
    if (status == PL_EDATABASE || status == PL_ECORRUPT)
        return pl_fail(err, status, "%s", problem.text);
    if (status) { /* the batch system does not answer: what is known stays known */
        if (a->look_every >= look_most)
            pl_view_note(a->view, "%s", problem.text);
        status = 0;
    }
    if (a->seen.fruitless && !a->broken[0])
        snprintf(a->broken, sizeof a->broken, "%s", a->seen.example);
    a->looked = pl_clock_steady();
    a->look_every = fmin(look_most, 1.5 * a->look_every);
    return status;
}

static int close_ended(struct attached *a, bool *any, struct pl_error *err)
{
    int status = 0;
    *any = false;
    for (size_t i = 0; i < a->open.count && status >= 0; i++) {
        status = pl_batch_close(a->store, &a->open.all[i], err);
        *any = *any || status > 0;
    }
    if (status >= 0 && *any)
        status = read_open(a, err);
    if (status >= 0 && *any)
        status = recount(a, err);
    return status < 0 ? status : 0;
}

/* ---- the loop ---- */

static void show(struct attached *a)
{
    struct pl_sweep_state state = {.plan = a->plan, .ran = done(a) - a->began};
    const int64_t *states = a->seen.states;
    int64_t waiting = states[PL_TASK_PENDING] + states[PL_TASK_RETURNING] + a->seen.unsubmitted;
    state.workers = state.busy = (int)states[PL_TASK_RUNNING];
    snprintf(state.place, sizeof state.place, "%s: %lld task%s at work, %lld waiting%s%s%s", a->batch->system->name,
             (long long)states[PL_TASK_RUNNING], states[PL_TASK_RUNNING] == 1 ? "" : "s", (long long)waiting,
             a->seen.why[0] ? " (" : "", a->seen.why, a->seen.why[0] ? ")" : "");
    pl_watch_show(&a->watch, a->view, &state);
}

static void wait_a_moment(struct attached *a, double seconds)
{
    struct pollfd wake = {.fd = a->signals, .events = POLLIN};
    struct signalfd_siginfo info;
    if (poll(&wake, 1, (int)(1000 * seconds)) > 0 && read(a->signals, &info, sizeof info) == sizeof info)
        a->stopped_by = (int)info.ssi_signo;
}

/* Another sweep may hold the rest, and give it back. */
static int recover(struct attached *a, struct pl_error *err)
{
    int64_t recovered = 0;
    if (a->recovered && pl_clock_steady() - a->recovered < recover_every)
        return 0;
    int status = pl_store_recover(a->store, &recovered, err);
    a->recovered = pl_clock_steady();
    return status || !recovered ? status : recount(a, err);
}

/* One turn. Returns 1 when nothing is left to wait for. */
static int turn(struct attached *a, struct pl_error *err)
{
    bool took = false, closed = false, more = false;
    double now = pl_clock_steady();
    int status = recover(a, err);
    if (!status)
        status = collect(a, &took, err);
    if (!status && (a->waits ? now - a->submitted >= submit_every : !a->submitted))
        status = submit_arrays(a, err);
    if (!status && now - a->looked >= a->look_every)
        status = look(a, err);
    if (!status)
        status = close_ended(a, &closed, err);
    if (!status)
        status = submit_missing(a, &more, err);
    if (!status && more) {
        status = submit_arrays(a, err);
        a->look_every = look_first;
    }
    if (took || closed)
        a->look_every = fmin(a->look_every, 4);
    if (status)
        return status;
    if (a->batch->detach)
        return 1;
    return !a->ours && !more && !total(a, PL_RUN_RUNNING);
}

static int take_over_signals(struct attached *a, sigset_t *before, struct pl_error *err)
{
    sigset_t ours;
    struct sigaction hangup;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
        sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, before);
    a->signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    if (a->signals >= 0)
        return 0;
    sigprocmask(SIG_SETMASK, before, NULL);
    return pl_fail(err, PL_EIO, "cannot listen for signals: %s", strerror(errno));
}

static int loop(struct attached *a, struct pl_error *err)
{
    int status = recount(a, err);
    if (!status)
        status = read_open(a, err);
    a->began = done(a);
    if (!status && a->open.count)
        pl_view_note(a->view, "attached to %zu submission%s that %s open", a->open.count, a->open.count == 1 ? "" : "s",
                     a->open.count == 1 ? "is" : "are");
    while (!status && !a->stopped_by) {
        status = turn(a, err);
        if (status)
            break;
        if (pl_watch_is_due(&a->watch))
            show(a);
        wait_a_moment(a, collect_every);
    }
    return status < 0 ? status : 0;
}

static void say_farewell(const struct attached *a)
{
    int64_t tasks = a->seen.tasks - a->seen.over;
    if (a->stopped_by && a->open.count)
        pl_view_note(a->view,
                     "detached; %lld task%s go%s on. The same command attaches again, 'poula jobs' shows them, "
                     "'poula jobs --cancel STUDY' ends them",
                     (long long)tasks, tasks == 1 ? "" : "s", tasks == 1 ? "es" : "");
    if (a->batch->detach && a->waits && !a->stopped_by)
        pl_view_note(a->view, "not all tasks could be submitted yet; the same command goes on with them");
    for (size_t i = 0; i < a->plan->count && a->batch->detach && !a->stopped_by; i++)
        if (a->plan->studies[i].study->stop && pl_sweep_study_missing(&a->plan->studies[i], false))
            pl_view_note(a->view,
                         "%s stops runs early: once these tasks are over, the same command submits what goes on",
                         a->plan->studies[i].study->name);
    if (a->broken[0])
        pl_view_note(a->view, "tasks cannot work: %s", a->broken);
    else if (a->rounds > a->batch->requeues && !a->stopped_by)
        pl_view_note(a->view, "runs were given back by their tasks %lld times, which is what --requeues allows",
                     (long long)a->rounds);
}

int pl_batch_run(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                 int *stopped_by, struct pl_error *err)
{
    struct attached a = {.store = store,
                         .plan = plan,
                         .options = *options,
                         .batch = options->batch,
                         .view = &options->view,
                         .look_every = look_first};
    sigset_t before;
    int status = take_over_signals(&a, &before, err);
    if (status)
        return status;
    pl_watch_init(&a.watch);
    status = loop(&a, err);
    struct pl_error later = {0};
    if (recount(&a, &later) && !status)
        status = pl_fail(err, later.code, "%s", later.text);
    show(&a);
    say_farewell(&a);
    *stopped_by = a.stopped_by;
    close(a.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    pl_batch_memory_release(&a.memory);
    pl_submissions_release(&a.open);
    return status;
}
