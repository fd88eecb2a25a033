/* What the supervisor takes from the database and writes into it. One transaction writes what has ended and claims
 * what comes next, so that quick runs cost a fraction of a transaction each. */
#include "sweep/supervisor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double write_every = 0.2;    /* seconds that an ended run waits for its transaction, at most */
static const double points_every = 1;     /* the same for values of a run that goes on */
static const double told_above = 0.05;     /* seconds: that a longer run has begun is written at once */
static const double beat_every = 5;
static const double note_every = 10;     /* how often lost runs are mentioned */
static const double spare_below = 5;      /* runs shorter than this are claimed one ahead per worker */
enum { MANY_ENDED = 500, MANY_BYTES = 16 << 20, MOST_CLAIMED = 4096 };

/* Says at once why a run failed, but runs that die alike are said once, and of very many reasons only the first. */
static void note_failure(struct pl_supervisor *s, const struct pl_claimed *task)
{
    for (size_t i = 0; i < s->reason_count; i++)
        if (!strcmp(s->reasons[i], task->reason))
            return;
    if (s->reason_count == sizeof s->reasons / sizeof *s->reasons)
        return;
    s->reasons[s->reason_count++] = pl_copy(task->reason);
    pl_sup_note(s, "run %lld failed: %s", (long long)task->claim.run, task->reason);
}

void pl_ledger_end(struct pl_supervisor *s, struct pl_claimed *task)
{
    struct pl_sweep_study *study = task->study;
    static const enum pl_status status[] = {[PL_FINISHED] = PL_RUN_FINISHED, [PL_DIVERGED] = PL_RUN_DIVERGED,
                                            [PL_FAILED] = PL_RUN_FAILED, [PL_INTERRUPTED] = PL_RUN_INTERRUPTED};
    task->ended = true;
    study->counts[status[task->ending.outcome]]++;
    study->ran += task->ending.outcome != PL_INTERRUPTED;
    if (task->ending.unread && !study->unread++)
        snprintf(study->unread_example, sizeof study->unread_example, "%s", task->unread_example);
    study->unread_lines += task->ending.unread;
    if (task->ending.unsaved && !study->unsaved++)
        snprintf(study->unsaved_example, sizeof study->unsaved_example, "%s", task->unsaved_example);
    study->unsaved_files += task->ending.unsaved;
    study->last = pl_clock_steady();
    s->ran += task->ending.outcome != PL_INTERRUPTED;
    s->outstanding--;
    pl_claimed_push(&s->done, task);
    if (task->ending.outcome == PL_FAILED)
        note_failure(s, task);
    if (task->ending.outcome == PL_FAILED && s->options->fail_fast && !s->stopping) {
        pl_sup_note(s, "stopping, because a run failed");
        pl_sup_stop(s, PL_FINISHING);
    }
}

/* ---- writing ---- */

static int series_number(struct pl_supervisor *s, const struct pl_claimed_series *series, int64_t *number,
                         struct pl_error *err)
{
    for (size_t i = 0; i < s->number_count; i++)
        if (s->numbers[i].axis == series->axis && !strcmp(s->numbers[i].metric, series->metric)) {
            *number = s->numbers[i].number;
            return 0;
        }
    int status = pl_store_series(s->store, series->metric, series->axis, number, err);
    if (status)
        return status;
    void *list = s->numbers;
    pl_grow(&list, &s->number_capacity, s->number_count + 1, sizeof *s->numbers);
    s->numbers = list;
    struct pl_series_number *entry = &s->numbers[s->number_count++];
    memcpy(entry->metric, series->metric, sizeof entry->metric);
    entry->axis = series->axis;
    entry->number = *number;
    return 0;
}

/* A new attempt takes the place of earlier ones from the first position on that it states: a program that went on from
 * its own checkpoint states no earlier ones, a network reports all that it knows. */
static int forget_earlier(struct pl_supervisor *s, struct pl_claimed *task, enum pl_series_axis axis, struct pl_error *err)
{
    double from = INFINITY;
    for (size_t i = 0; i < task->series_count; i++)
        if (task->series[i].axis == axis && task->series[i].count)
            from = fmin(from, task->series[i].epochs[0]);
    if (task->forgotten[axis] || from == INFINITY)
        return 0;
    task->forgotten[axis] = true;
    return pl_store_forget_points(s->store, &task->claim, axis, from, err);
}

static int write_points(struct pl_supervisor *s, struct pl_claimed *task, struct pl_error *err)
{
    int status = 0;
    for (int axis = 0; axis < PL_AXIS_COUNT && !status && task->claim.attempt > 1; axis++)
        status = forget_earlier(s, task, (enum pl_series_axis)axis, err);
    for (size_t i = 0; i < task->series_count && !status; i++) {
        struct pl_claimed_series *series = &task->series[i];
        int64_t number;
        if (!series->count)
            continue;
        status = series_number(s, series, &number, err);
        if (!status)
            status = pl_store_points(s->store, &task->claim, number, series->epochs, series->values, series->count, err);
        series->count = 0;
    }
    return status;
}

static int write_begun(struct pl_supervisor *s, struct pl_claimed *task, struct pl_error *err)
{
    if (!task->started || task->begun)
        return 0;
    task->begun = true;
    return pl_store_begun(s->store, &task->claim, task->ending.started, err);
}

static int write_end(struct pl_supervisor *s, struct pl_claimed *task, struct pl_error *err)
{
    if (task->host && !task->host->number) {
        int status = pl_store_put_host(s->store, &task->host->what, &task->host->number, err);
        if (status)
            return status;
    }
    struct pl_ending ending = task->ending;
    ending.session = s->session;
    ending.host = task->host ? task->host->number : 0;
    ending.threads = s->options->threads;
    ending.reason = task->reason[0] ? task->reason : NULL;
    ending.log = task->log.length ? pl_text(&task->log) : NULL;
    ending.reading = task->study->study->reading;
    ending.unread_example = task->unread_example;
    ending.unsaved_example = task->unsaved_example;
    return pl_store_end(s->store, &task->claim, &ending, err);
}

/* ---- runs that are in other hands ---- */

static void note_lost(struct pl_supervisor *s)
{
    double now = pl_clock_steady();
    if (!s->lost || now - s->lost_noted < note_every)
        return;
    pl_sup_note(s, "%lld runs are in the hands of another sweep, which took this one for dead; they are dropped here",
                (long long)s->lost);
    s->lost_noted = now;
    s->lost = 0;
}

/* Its worker is killed: what another sweep trains must not be trained twice in one folder. */
static void lose(struct pl_supervisor *s, struct pl_hand *hand, struct pl_claimed *task)
{
    if (task->lost)
        return;
    task->lost = true;
    s->lost++;
    if (hand->tasks.first == task && task->started)
        pl_crew_condemn(s, hand, "the run is in the hands of another sweep");
}

/* When one run was lost, others may be: this session was taken for dead. */
static int look_for_lost(struct pl_supervisor *s, struct pl_error *err)
{
    struct pl_claimed_queue kept = {0};
    struct pl_claimed *task;
    bool holds = true;
    int status = 0;
    while ((task = pl_claimed_pop(&s->backlog))) {
        if (!status)
            status = pl_store_holds(s->store, &task->claim, &holds, err);
        if (!status && !holds) {
            s->lost++;
            s->outstanding--;
            pl_claimed_recycle(task, &s->spare);
        } else {
            pl_claimed_push(&kept, task);
        }
    }
    s->backlog = kept;
    for (size_t i = 0; i < s->hand_count && !status; i++)
        for (task = s->hands[i].tasks.first; task && !status; task = task->next) {
            status = pl_store_holds(s->store, &task->claim, &holds, err);
            if (!status && !holds)
                lose(s, &s->hands[i], task);
        }
    return status;
}

static int write_all(struct pl_supervisor *s, bool points, struct pl_error *err)
{
    int status = 0;
    bool lost = false;
    struct pl_claimed *task;
    while (status >= 0 && (task = pl_claimed_pop(&s->done))) {
        status = write_points(s, task, err);
        if (!status)
            status = write_end(s, task, err);
        s->lost += status > 0;
        lost |= status > 0;
        pl_claimed_recycle(task, &s->spare);
    }
    for (size_t i = 0; i < s->hand_count && status >= 0; i++) {
        task = s->hands[i].tasks.first;
        status = task && !task->lost ? write_begun(s, task, err) : 0;
        if (!status && points && task && !task->lost)
            status = write_points(s, task, err);
        if (status > 0)
            lose(s, &s->hands[i], task);
        lost |= status > 0;
    }
    s->buffered = 0;
    return status < 0 ? status : lost ? look_for_lost(s, err) : 0;
}

/* ---- claiming ---- */

/* How many runs this supervisor wants to hold, ended ones aside. */
static size_t wanted(const struct pl_supervisor *s)
{
    size_t each = 2 * pl_crew_ahead(s);
    if (s->mean > spare_below)
        each = 1;
    return each * s->hand_count;
}

static size_t claim_need(const struct pl_supervisor *s)
{
    if (s->stopping || s->exhausted)
        return 0;
    size_t most = wanted(s);
    size_t need = s->outstanding < most ? most - s->outstanding : 0;
    if (2 * need < most && s->outstanding > s->hand_count)
        need = 0; /* few at a time would make many transactions */
    if (s->options->limit && s->claimed + (int64_t)need > s->options->limit)
        need = (size_t)(s->options->limit - s->claimed);
    return need < MOST_CLAIMED ? need : MOST_CLAIMED;
}

static int settings_of(struct pl_supervisor *s, struct pl_claimed *task, struct pl_error *err)
{
    if (!s->settings || s->settings->config != task->claim.config) {
        int status = pl_store_config(s->store, task->claim.config, &s->scratch, err);
        if (status)
            return status;
        pl_config_text_drop(s->settings);
        s->settings = pl_config_text_new(task->claim.config, &s->scratch);
    }
    s->settings->users++;
    task->settings = s->settings;
    return 0;
}

/* Looks which program a claimed run is going to be of. */
static int find_program(struct pl_supervisor *s, struct pl_claimed *task, struct pl_error *err)
{
    const struct pl_program *program =
        s->options->programs
            ? pl_programs_of(s->options->programs, &s->scratch, task->study->study->home, task->claim.seed) : NULL;
    int status = 0;
    if (program && program != s->program)
        status = pl_store_put_program(s->store, program, &s->program_number, err);
    s->program = program;
    task->ending.program = program ? s->program_number : 0;
    return status;
}

static int claim(struct pl_supervisor *s, size_t need, struct pl_error *err)
{
    struct pl_claim *claims = pl_new(need * sizeof *claims);
    int status = 0;
    for (size_t looked = 0; need && looked < s->plan->count && !status;) {
        struct pl_sweep_study *study = &s->plan->studies[s->study];
        size_t taken = 0;
        if (study->sweep)
            status = pl_store_claim(s->store, s->session, &study->sweep, 1, s->options->retry_failed, claims, need,
                                    &taken, err);
        for (size_t i = 0; i < taken && !status; i++) {
            struct pl_claimed *task = pl_claimed_new(&s->spare);
            task->claim = claims[i];
            task->study = study;
            status = settings_of(s, task, err);
            if (!status && task->claim.attempt > 1)
                status = pl_store_kept(s->store, task->claim.run, task->kept, err);
            if (!status)
                status = find_program(s, task, err);
            task->epochs = pl_study_epochs(study->study, &s->scratch);
            pl_claimed_push(&s->backlog, task);
            s->outstanding++;
            s->claimed++;
        }
        need -= taken;
        if (need && !status) {
            s->study = (s->study + 1) % s->plan->count;
            looked++;
        }
    }
    s->exhausted = need > 0 || (s->options->limit && s->claimed >= s->options->limit);
    free(claims);
    return status;
}

/* ---- transactions ---- */

/* Is a run at work of which the database does not know it? */
static bool has_begun(const struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++) {
        const struct pl_claimed *task = s->hands[i].tasks.first;
        if (task && task->started && !task->begun)
            return true;
    }
    return false;
}

static bool has_points(const struct pl_supervisor *s)
{
    for (size_t i = 0; i < s->hand_count; i++)
        if (s->hands[i].tasks.first && pl_claimed_pending(s->hands[i].tasks.first))
            return true;
    return false;
}

static bool is_due(const struct pl_supervisor *s, double now, bool all)
{
    double since = now - s->flushed;
    if (s->done.count >= MANY_ENDED || s->buffered >= MANY_BYTES || (s->done.count && (all || since >= write_every)))
        return true;
    return claim_need(s) || now - s->beaten >= beat_every ||
           ((all || since >= points_every) && has_points(s)) || (has_begun(s) && (all || since >= write_every || !(s->mean < told_above)));
}

static int transact(struct pl_supervisor *s, bool all, struct pl_error *err)
{
    double now = pl_clock_steady();
    bool points = all || now - s->flushed >= points_every || s->buffered >= MANY_BYTES;
    int status = write_all(s, points, err);
    size_t need = claim_need(s);
    if (!status && need)
        status = claim(s, need, err);
    if (!status && now - s->beaten >= beat_every)
        status = pl_store_beat(s->store, s->session, err);
    return status;
}

/* What was numbered in a transaction that was rolled back may not exist, or be something else by now. */
static void forget_numbers(struct pl_supervisor *s)
{
    s->number_count = 0;
    s->program = NULL;
    for (struct pl_worker_host *host = s->hosts; host; host = host->next)
        host->number = 0;
}

int pl_ledger_turn(struct pl_supervisor *s, bool all, struct pl_error *err)
{
    double now = pl_clock_steady();
    if (!is_due(s, now, all))
        return 0;
    s->pumping = true;
    int status = pl_store_begin(s->store, err);
    s->pumping = false;
    if (status)
        return status;
    status = transact(s, all, err);
    if (!status)
        status = pl_store_commit(s->store, err);
    if (status) {
        pl_store_rollback(s->store);
        forget_numbers(s);
        return status;
    }
    if (now - s->beaten >= beat_every)
        s->beaten = now;
    note_lost(s);
    s->flushed = pl_clock_steady();
    return 0;
}

int pl_ledger_give_back(struct pl_supervisor *s, struct pl_error *err)
{
    int status = s->backlog.count ? pl_store_begin(s->store, err) : 1;
    if (status)
        return status < 0 ? status : 0;
    struct pl_claimed *task;
    while (!status && (task = pl_claimed_pop(&s->backlog))) {
        status = pl_store_unclaim(s->store, &task->claim, err);
        pl_claimed_recycle(task, &s->spare);
    }
    if (!status)
        status = pl_store_commit(s->store, err);
    if (status)
        pl_store_rollback(s->store);
    return status;
}

/* Runs that several studies hold are counted by each; this is by how much too often. */
static int count_shared(struct pl_supervisor *s, struct pl_error *err)
{
    int64_t *sweeps = pl_new(s->plan->count * sizeof *sweeps), counts[PL_STATUS_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < s->plan->count; i++)
        if (s->plan->studies[i].sweep)
            sweeps[count++] = s->plan->studies[i].sweep;
    int status = pl_store_counts_together(s->store, sweeps, count, counts, err);
    for (int k = 0; k < PL_STATUS_COUNT && !status; k++) {
        s->plan->shared.counts[k] = -counts[k];
        for (size_t i = 0; i < s->plan->count; i++)
            s->plan->shared.counts[k] += s->plan->studies[i].counts[k];
    }
    free(sweeps);
    return status;
}

int pl_ledger_count(struct pl_supervisor *s, struct pl_error *err)
{
    double begun = pl_clock_steady();
    int status = pl_sweep_plan_recount(s->plan, s->store, err);
    if (!status && s->plan->shared.runs)
        status = count_shared(s, err);
    s->counted = pl_clock_steady();
    s->count_cost = s->counted - begun;
    return status;
}

void pl_ledger_release(struct pl_supervisor *s)
{
    pl_claimed_free_all(&s->backlog);
    pl_claimed_free_all(&s->done);
    pl_claimed_free_all(&s->spare);
    pl_config_text_drop(s->settings);
    pl_settings_release(&s->scratch);
    for (size_t i = 0; i < s->reason_count; i++)
        free(s->reasons[i]);
    free(s->numbers);
}
