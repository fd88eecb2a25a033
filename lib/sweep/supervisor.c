/* The loop of a sweep: claim, hand out, listen, write, until nothing is missing. */
#include "sweep/supervisor.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double show_every = 0.1;
static const double look_every = 0.5;    /* for runs that another supervisor gives up, once nothing else is left */
static const double idle_look_every = 2; /* the same while some workers still have long runs */
static const double recover_every = 2;
static const double note_every = 10;     /* how often a wait for the database is mentioned */
static const double patience = 24 * 3600.0; /* a forgotten lock must not cost a night's sweep */

void pl_sup_note(struct pl_supervisor *s, const char *format, ...)
{
    if (!s->options->view.note)
        return;
    struct pl_text text = {0};
    va_list args;
    va_start(args, format);
    pl_text_addv(&text, format, args);
    va_end(args);
    s->options->view.note(s->options->view.self, pl_text(&text));
    pl_text_release(&text);
}

void pl_sup_fail(struct pl_supervisor *s, const struct pl_error *err)
{
    if (!s->failure.code)
        s->failure = *err;
    pl_sup_stop(s, PL_QUITTING);
}

void pl_sup_stop(struct pl_supervisor *s, enum pl_stopping how)
{
    if (how <= s->stopping)
        return;
    if (!s->stopping)
        s->stop_since = pl_clock_steady();
    s->stopping = how;
    if (how == PL_FINISHING && s->stopped_by)
        pl_sup_note(s, "stopping: %d runs come to an end first; once more stops now", pl_crew_busy(s));
    pl_crew_stop(s);
}

/* ---- view ---- */

/* The rate of the last runs that ended, once there were enough of them to tell. */
static void measure_rate(struct pl_supervisor *s, double now)
{
    enum { ENOUGH = 20 };
    double seconds = now - s->rate_time;
    if (seconds < 0.5 || s->ran - s->rate_ran < ENOUGH)
        return;
    double rate = (double)(s->ran - s->rate_ran) / seconds;
    double weight = seconds < 5 ? 0.3 : 0.8;
    s->rate = s->rate > 0 ? (1 - weight) * s->rate + weight * rate : rate;
    s->rate_time = now;
    s->rate_ran = s->ran;
}

/* Runs a second, as best known: the latest, unless there was none or the runs have become slower since. */
static double rate_now(const struct pl_supervisor *s, double now)
{
    double elapsed = now - s->begun, since = now - s->rate_time;
    double average = elapsed > 0 ? (double)s->ran / elapsed : 0;
    if (!(s->rate > 0) || elapsed <= 2)
        return average;
    double slower = since > 0 ? (double)(s->ran - s->rate_ran + 1) / since : s->rate;
    return slower < s->rate ? slower : s->rate;
}

static void fill_state(const struct pl_supervisor *s, double now, struct pl_sweep_state *state)
{
    *state = (struct pl_sweep_state){.plan = s->plan, .elapsed = now - s->begun, .left = NAN, .ran = s->ran,
                                     .workers = (int)s->hand_count, .busy = pl_crew_busy(s),
                                     .elsewhere = s->elsewhere, .stopping = s->stopping != PL_GOING};
    for (size_t i = 0; i < s->plan->count; i++) {
        const struct pl_sweep_study *study = &s->plan->studies[i];
        state->total += study->runs;
        state->missing += pl_sweep_study_missing(study, false);
    }
    state->total -= s->plan->shared.runs;
    state->missing -= pl_sweep_study_missing(&s->plan->shared, false);
    state->done = state->total - state->missing;
    state->rate = rate_now(s, now);
    if (state->rate > 0)
        state->left = (double)state->missing / state->rate;
}

void pl_sup_show(struct pl_supervisor *s, bool now)
{
    double time = pl_clock_steady();
    if (!s->options->view.progress || (!now && time - s->shown < show_every))
        return;
    struct pl_sweep_state state;
    measure_rate(s, time);
    fill_state(s, time, &state);
    s->options->view.progress(s->options->view.self, &state);
    s->shown = time;
}

/* ---- waiting ---- */

/* Another writer holds the database: the workers go on meanwhile. */
static bool while_waiting(void *self, double waited)
{
    struct pl_supervisor *s = self;
    double now = pl_clock_steady();
    if (waited >= 2 && now - s->wait_noted >= note_every) {
        pl_sup_note(s, "another program holds the database; waiting for it (%.0f s so far), the workers go on", waited);
        s->wait_noted = now;
    }
    double until = now + 0.5;
    while (s->pumping && s->stopping != PL_QUITTING && (now = pl_clock_steady()) < until) {
        pl_crew_pump(s, until - now);
        pl_sup_show(s, false);
    }
    return s->stopping != PL_QUITTING;
}

static int recover(struct pl_supervisor *s, struct pl_error *err)
{
    int64_t recovered = 0;
    s->pumping = true;
    int status = pl_store_recover(s->store, &recovered, err);
    s->pumping = false;
    s->recovered = pl_clock_steady();
    if (!status && recovered)
        pl_sup_note(s, "%lld runs of a sweep that died are given back", (long long)recovered);
    return status;
}

/* Nothing is left to claim and nothing runs here. Returns 1 when the sweep is at its end, 0 to go on. */
static int look_elsewhere(struct pl_supervisor *s, int *fruitless, struct pl_error *err)
{
    int status = pl_ledger_count(s, err);
    if (status)
        return status;
    int64_t running = 0, open = 0;
    for (size_t i = 0; i < s->plan->count; i++) {
        const int64_t *counts = s->plan->studies[i].counts;
        running += counts[PL_RUN_RUNNING];
        open += counts[PL_RUN_PLANNED] + counts[PL_RUN_INTERRUPTED];
    }
    bool limited = s->options->limit && s->claimed >= s->options->limit;
    if (limited || (!running && (!open || ++*fruitless > 3)))
        return 1;
    if (running && s->elsewhere == 0)
        pl_sup_note(s, "waiting for %lld runs that another sweep holds", (long long)running);
    s->elsewhere = running;
    s->exhausted = false;
    if (pl_clock_steady() - s->recovered >= recover_every)
        status = recover(s, err);
    double until = pl_clock_steady() + (running ? look_every : 0.05), now;
    while (!status && !s->stopping && (now = pl_clock_steady()) < until) {
        pl_crew_pump(s, until - now);
        pl_sup_show(s, false);
    }
    return status;
}

/* ---- the loop ---- */

/* Workers that are idle while others have long runs: another sweep may have given some back, or died. */
static int look_for_idle(struct pl_supervisor *s, struct pl_error *err)
{
    bool limited = s->options->limit && s->claimed >= s->options->limit;
    if (!s->exhausted || !s->outstanding || s->backlog.count || s->stopping || limited ||
        pl_crew_busy(s) == (int)s->hand_count || pl_clock_steady() - s->recovered < idle_look_every)
        return 0;
    s->exhausted = false;
    return recover(s, err);
}

static int loop(struct pl_supervisor *s, struct pl_error *err)
{
    int fruitless = 0;
    for (;;) {
        int status = look_for_idle(s, err);
        if (!status)
            status = pl_ledger_turn(s, false, err);
        if (status)
            return status;
        if (s->stopping ? !pl_crew_alive(s) : s->exhausted && !s->outstanding) {
            status = pl_ledger_turn(s, true, err);
            if (status || s->stopping)
                return status;
            status = look_elsewhere(s, &fruitless, err);
            if (status)
                return status < 0 ? status : 0;
            continue;
        }
        if (s->outstanding) {
            fruitless = 0;
            s->elsewhere = 0;
        }
        pl_crew_pump(s, 0.05);
        pl_sup_show(s, false);
    }
}

static int take_over_signals(struct pl_supervisor *s, sigset_t *before, struct pl_error *err)
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

static int join(struct pl_supervisor *s, struct pl_error *err)
{
    pl_sweep_provenance(&s->self, s->options->jobs, s->options->threads, s->options->insist, &s->texts);
    s->self.data = s->options->data;
    int status = recover(s, err);
    if (!status)
        status = pl_store_token(s->store, s->owner, err);
    return status ? status : pl_store_join(s->store, &s->self, &s->session, err);
}

/* Failed runs that are tried again count as missing until they end. */
static int first_count(struct pl_supervisor *s, struct pl_error *err)
{
    int status = pl_ledger_count(s, err);
    for (size_t i = 0; i < s->plan->count && !status && s->options->retry_failed; i++)
        s->plan->studies[i].counts[PL_RUN_FAILED] = s->plan->shared.counts[PL_RUN_FAILED] = 0;
    return status;
}

/* The end in good order: workers leave, what ended is written, what was claimed is given back. */
static int finish(struct pl_supervisor *s, int status, struct pl_error *err)
{
    if (!status && s->failure.code)
        status = pl_fail(err, s->failure.code, "%s", s->failure.text);
    if (status)
        s->stopping = PL_QUITTING;
    struct pl_error later = {0};
    if (s->stopping == PL_QUITTING)
        pl_crew_stop(s);
    pl_crew_dismiss(s);
    int written = pl_ledger_turn(s, true, &later);
    if (!written)
        written = pl_ledger_give_back(s, &later);
    if (!written && s->session)
        written = pl_store_leave(s->store, s->session, &later);
    if (!written)
        written = pl_ledger_count(s, &later);
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
    struct pl_supervisor s = {.store = store, .plan = plan, .options = options, .executor = &pl_executor_local,
                              .mean = NAN, .hand_count = (size_t)options->jobs};
    sigset_t before;
    int status = take_over_signals(&s, &before, err);
    if (status)
        return status;
    s.hands = pl_new(s.hand_count * sizeof *s.hands);
    for (size_t i = 0; i < s.hand_count; i++)
        s.hands[i].process = (struct pl_process){.in = -1, .out = -1, .log = -1};
    s.begun = s.rate_time = s.flushed = s.beaten = pl_clock_steady();
    s.wait_noted = s.lost_noted = -note_every;
    pl_store_set_patience(store, pl_sweep_patience(), while_waiting, &s);
    status = join(&s, err);
    if (!status)
        status = first_count(&s, err);
    if (!status)
        status = loop(&s, err);
    status = finish(&s, status, err);
    pl_sup_show(&s, true);
    pl_store_set_patience(store, 120, NULL, NULL);
    *stopped_by = s.stopped_by;
    pl_crew_release(&s);
    pl_ledger_release(&s);
    pl_pool_release(&s.texts);
    close(s.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
