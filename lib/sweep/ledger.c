#include "sweep/ledger.h"
#include "sweep/halving.h"
#include "sweep/watch.h"
#include "sweep/working.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double write_every = 0.2;  /* seconds that an ended run waits for its transaction, at most */
static const double points_every = 0.1; /* the same for values of a run that goes on: what is lost when all is killed */
static const double points_share = 10;  /* but so many times as long as such a transaction takes, on a slow disk */
static const double told_above = 0.05;  /* seconds: that a longer run has begun is written at once */
static const double beat_every = 5;
static const double note_every = 10; /* how often lost runs are mentioned */
static const double spare_below = 5; /* runs shorter than this are claimed one ahead per worker */
enum { MANY_ENDED = 500, MANY_BYTES = 16 << 20, MOST_CLAIMED = 4096, MOST_BUFFERED = 256 << 20 };

/* Says at once why a run failed, but runs that die alike are said once, and of very many reasons only the first. */
static void note_failure(struct pl_ledger *l, const struct pl_claimed *run)
{
    for (size_t i = 0; i < l->reason_count; i++)
        if (!strcmp(l->reasons[i], run->reason))
            return;
    if (l->reason_count == sizeof l->reasons / sizeof *l->reasons)
        return;
    l->reasons[l->reason_count++] = pl_copy(run->reason);
    pl_view_note(&l->options->view, "run %lld failed: %s", (long long)run->claim.run, run->reason);
}

/* ---- the list of those that have not ended ---- */

static void unlink_run(struct pl_ledger *l, struct pl_claimed *run)
{
    *(run->before ? &run->before->after : &l->first) = run->after;
    *(run->after ? &run->after->before : &l->last) = run->before;
    run->before = run->after = NULL;
    l->outstanding--;
}

static void link_first(struct pl_ledger *l, struct pl_claimed *run)
{
    run->before = NULL;
    run->after = l->first;
    *(l->first ? &l->first->before : &l->last) = run;
    l->first = run;
    l->outstanding++;
}

static void link_last(struct pl_ledger *l, struct pl_claimed *run)
{
    run->before = l->last;
    run->after = NULL;
    *(l->last ? &l->last->after : &l->first) = run;
    l->last = run;
    l->outstanding++;
}

void pl_ledger_began(struct pl_ledger *l, struct pl_claimed *run)
{
    unlink_run(l, run);
    link_first(l, run);
    if (!run->study->first)
        run->study->first = pl_clock_steady();
}

void pl_ledger_drop(struct pl_ledger *l, struct pl_claimed *run)
{
    unlink_run(l, run);
    pl_claimed_recycle(run, &l->spare);
}

void pl_ledger_look_again(struct pl_ledger *l)
{
    l->exhausted = pl_ledger_is_limited(l);
    for (size_t i = 0; i < l->plan->count; i++)
        l->plan->studies[i].undecided = l->plan->studies[i].study->stop;
}

/* A run that has ended may be the last that others waited for, in any study that has it. */
static void reopen(struct pl_ledger *l)
{
    for (size_t i = 0; i < l->plan->count; i++)
        if (l->plan->studies[i].study->stop) {
            pl_ledger_look_again(l);
            return;
        }
}

/* Does the study say itself which metrics are losses? */
static bool says_losses(const struct pl_study *study)
{
    for (size_t i = 0; i < study->metric_count; i++)
        if (study->metrics[i].loss != PL_UNSAID)
            return true;
    return false;
}

void pl_ledger_end(struct pl_ledger *l, struct pl_claimed *run)
{
    struct pl_sweep_study *study = run->study;
    static const enum pl_status status[] = {[PL_FINISHED] = PL_RUN_FINISHED,
                                            [PL_DIVERGED] = PL_RUN_DIVERGED,
                                            [PL_FAILED] = PL_RUN_FAILED,
                                            [PL_INTERRUPTED] = PL_RUN_INTERRUPTED};
    run->ended = true;
    pl_working_remove(run, l->options->folders);
    bool asked = run->ending.outcome == PL_DIVERGED && says_losses(study->study); /* judge_losses will know */
    study->counts[asked ? PL_RUN_FINISHED : status[run->ending.outcome]]++;
    study->ran += run->ending.outcome != PL_INTERRUPTED;
    if (run->ending.unread && !study->unread++)
        snprintf(study->unread_example, sizeof study->unread_example, "%s", run->unread_example);
    study->unread_lines += run->ending.unread;
    if (run->ending.unsaved && !study->unsaved++)
        snprintf(study->unsaved_example, sizeof study->unsaved_example, "%s", run->unsaved_example);
    study->unsaved_files += run->ending.unsaved;
    study->last = pl_clock_steady();
    l->ran += run->ending.outcome != PL_INTERRUPTED;
    unlink_run(l, run);
    pl_claimed_push(&l->done, run);
    reopen(l);
    if (run->ending.outcome == PL_FAILED)
        note_failure(l, run);
}

/* ---- runs that are in other hands ---- */

static void note_lost(struct pl_ledger *l)
{
    double now = pl_clock_steady();
    if (!l->lost || now - l->lost_noted < note_every)
        return;
    pl_view_note(&l->options->view,
                 "%lld runs are in the hands of another sweep, which took this one for dead; they are dropped here",
                 (long long)l->lost);
    l->lost_noted = now;
    l->lost = 0;
}

static void lose(struct pl_ledger *l, struct pl_claimed *run)
{
    l->lost += !run->lost;
    run->lost = true;
    l->lost_at_work = l->lost_at_work || run->started;
}

/* When one run was lost, others may be: this session was taken for dead. */
static int look_for_lost(struct pl_ledger *l, struct pl_error *err)
{
    struct pl_claimed_queue kept = {0};
    struct pl_claimed *run;
    int status = 0;
    for (run = l->first; run && !status; run = run->after) {
        bool holds = true;
        if (!run->lost)
            status = pl_store_holds(l->store, &run->claim, &holds, err);
        if (!holds)
            lose(l, run);
    }
    while ((run = pl_claimed_pop(&l->backlog))) {
        if (run->lost)
            pl_ledger_drop(l, run);
        else
            pl_claimed_push(&kept, run);
    }
    l->backlog = kept;
    return status;
}

static int write_ended(struct pl_ledger *l, bool *lost, struct pl_error *err)
{
    struct pl_claimed *run;
    int status = 0;
    while (status >= 0 && (run = pl_claimed_pop(&l->done))) {
        status = pl_recorder_end(&l->recorder, run, err);
        l->lost += status > 0;
        *lost = *lost || status > 0;
        pl_claimed_recycle(run, &l->spare);
    }
    return status < 0 ? status : 0;
}

static int write_all(struct pl_ledger *l, bool points, struct pl_error *err)
{
    bool lost = false;
    int status = write_ended(l, &lost, err);
    for (struct pl_claimed *run = l->first; run && run->started && status >= 0; run = run->after) {
        status = run->lost ? 0 : pl_recorder_begun(&l->recorder, run, err);
        if (!status && points && !run->lost)
            status = pl_recorder_points(&l->recorder, run, err);
        if (status > 0)
            lose(l, run);
        lost |= status > 0;
    }
    l->buffered = points ? 0 : l->buffered;
    return status < 0 ? status : lost ? look_for_lost(l, err) : 0;
}

/* ---- claiming ---- */

/* How many runs this sweep wants to hold, ended ones aside. */
static size_t wanted(const struct pl_pace *pace)
{
    return (pace->mean > spare_below ? 1 : 2 * pace->ahead) * pace->workers;
}

static size_t claim_need(const struct pl_ledger *l, const struct pl_pace *pace)
{
    if (pace->stopping || l->exhausted)
        return 0;
    size_t most = wanted(pace);
    size_t need = l->outstanding < most ? most - l->outstanding : 0;
    if (2 * need < most && l->outstanding > pace->workers)
        need = 0; /* few at a time would make many transactions */
    if (l->options->limit && l->claimed + (int64_t)need > l->options->limit)
        need = (size_t)(l->options->limit - l->claimed);
    return need < MOST_CLAIMED ? need : MOST_CLAIMED;
}

bool pl_ledger_is_full(const struct pl_ledger *l)
{
    return l->buffered > MOST_BUFFERED;
}

bool pl_ledger_is_limited(const struct pl_ledger *l)
{
    return l->options->limit && l->claimed >= l->options->limit;
}

static int settings_of(struct pl_ledger *l, struct pl_claimed *run, struct pl_error *err)
{
    if (!l->settings || l->settings->config != run->claim.config) {
        int status = pl_store_config(l->store, run->claim.config, &l->scratch, err);
        if (status)
            return status;
        pl_config_text_drop(l->settings);
        l->settings = pl_config_text_new(run->claim.config, &l->scratch);
    }
    l->settings->users++;
    run->settings = l->settings;
    return 0;
}

/* Looks which program a claimed run is going to be of. */
static int find_program(struct pl_ledger *l, struct pl_claimed *run, struct pl_error *err)
{
    const struct pl_program *program = l->options->programs ? pl_programs_of(l->options->programs, &l->scratch,
                                                                             run->study->study->home, run->claim.seed)
                                                            : NULL;
    int status = 0;
    if (program && program != l->program)
        status = pl_store_put_program(l->store, program, &l->program_number, err);
    l->program = program;
    run->ending.program = program ? l->program_number : 0;
    run->ending.reading = run->study->study->reading;
    return status;
}

int pl_ledger_claim(struct pl_ledger *l, struct pl_sweep_study *study, size_t most, size_t *taken, struct pl_error *err)
{
    struct pl_claim *claims = pl_new(most * sizeof *claims);
    *taken = 0;
    int status = 0;
    if (study->sweep)
        status = pl_store_claim(l->store, l->session, &study->sweep, 1,
                                l->options->retry_failed ? l->options->retry_reason : NULL, claims, most, taken, err);
    for (size_t i = 0; i < *taken && !status; i++) {
        struct pl_claimed *run = pl_claimed_new(&l->spare);
        run->claim = claims[i];
        run->study = study;
        status = settings_of(l, run, err);
        if (!status && run->claim.attempt > 1)
            status = pl_store_kept(l->store, run->claim.run, run->kept, err);
        if (!status)
            status = find_program(l, run, err);
        run->epochs = pl_study_epochs(study->study, &l->scratch);
        run->limit = l->options->timeout > 0 ? l->options->timeout : study->study->timeout;
        run->is_command = !status && pl_order_is_of_command(run->settings->text);
        pl_claimed_push(&l->backlog, run);
        link_last(l, run);
        l->claimed++;
    }
    free(claims);
    return status;
}

/* Claims from one study after the other, beginning where it was last. */
static int claim(struct pl_ledger *l, size_t need, struct pl_error *err)
{
    int status = 0;
    for (size_t looked = 0; need && looked < l->plan->count && !status;) {
        struct pl_sweep_study *study = &l->plan->studies[l->study];
        bool changed = false;
        size_t taken;
        status = pl_ledger_claim(l, study, need, &taken, err);
        need -= taken;
        if (need && !status && study->undecided && study->sweep)
            status = pl_sweep_decide(study, l->store, &changed, err);
        if (need && !status && !changed) {
            l->study = (l->study + 1) % l->plan->count;
            looked++;
        }
    }
    l->exhausted = need > 0 || pl_ledger_is_limited(l);
    return status;
}

/* ---- transactions ---- */

/* Is a run at work of which the database does not know it? */
static bool has_begun(const struct pl_ledger *l)
{
    for (const struct pl_claimed *run = l->first; run && run->started; run = run->after)
        if (!run->begun)
            return true;
    return false;
}

static bool has_points(const struct pl_ledger *l)
{
    for (const struct pl_claimed *run = l->first; run && run->started; run = run->after)
        if (pl_claimed_pending(run))
            return true;
    return false;
}

/* Have values of runs that go on waited long enough? Other transactions, as quick runs beside them ask for, do not
 * count. */
static bool points_are_due(const struct pl_ledger *l, double now)
{
    return l->buffered >= MANY_BYTES || now - l->recorded >= fmax(points_every, points_share * l->cost);
}

static bool is_due(const struct pl_ledger *l, const struct pl_pace *pace, double now, bool all)
{
    double since = now - l->flushed;
    if (l->done.count >= MANY_ENDED || l->buffered >= MANY_BYTES || (l->done.count && (all || since >= write_every)))
        return true;
    return claim_need(l, pace) || now - l->beaten >= beat_every || ((all || points_are_due(l, now)) && has_points(l)) ||
           (has_begun(l) && (all || since >= write_every || !(pace->mean < told_above)));
}

static int transact(struct pl_ledger *l, const struct pl_pace *pace, bool points, struct pl_error *err)
{
    double now = pl_clock_steady();
    int status = write_all(l, points, err);
    size_t need = claim_need(l, pace);
    if (!status && need)
        status = claim(l, need, err);
    if (!status && now - l->beaten >= beat_every)
        status = pl_store_beat(l->store, l->session, err);
    return status;
}

/* What was numbered in a transaction that was rolled back may not exist, or be something else by now. */
static void forget_numbers(struct pl_ledger *l)
{
    pl_recorder_forget(&l->recorder);
    l->program = NULL;
    for (struct pl_worker_host *host = l->hosts.first; host; host = host->next)
        host->number = 0;
}

/* A study that says which metrics are losses may judge a run otherwise than its program's names do: the database knows,
 * once it has the run. */
static int judge_losses(struct pl_ledger *l, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < l->plan->count && !status; i++) {
        struct pl_sweep_study *study = &l->plan->studies[i];
        int64_t counts[PL_STATUS_COUNT], *seen = study->counts;
        int64_t ended = seen[PL_RUN_FINISHED] + seen[PL_RUN_DIVERGED];
        if (!study->sweep || !study->ran || !says_losses(study->study))
            continue;
        status = pl_store_counts(l->store, study->sweep, counts, err);
        if (status)
            break;
        seen[PL_RUN_DIVERGED] = counts[PL_RUN_DIVERGED] < ended ? counts[PL_RUN_DIVERGED] : ended;
        seen[PL_RUN_FINISHED] = ended - seen[PL_RUN_DIVERGED];
    }
    return status;
}

int pl_ledger_turn(struct pl_ledger *l, const struct pl_pace *pace, bool all, struct pl_error *err)
{
    double now = pl_clock_steady();
    if (!is_due(l, pace, now, all))
        return 0;
    l->waiting = true;
    int status = pl_store_begin(l->store, err);
    l->waiting = false;
    if (status)
        return status;
    double begun = pl_clock_steady();
    bool points = all || points_are_due(l, begun);
    status = transact(l, pace, points, err);
    if (!status)
        status = pl_store_commit(l->store, err);
    if (status) {
        pl_store_rollback(l->store);
        forget_numbers(l);
        return status;
    }
    if (now - l->beaten >= beat_every) {
        l->beaten = now;
        for (struct pl_claimed *run = l->first; run && run->started && l->options->folders; run = run->after)
            pl_working_write(run, l->options->folders);
    }
    note_lost(l);
    status = judge_losses(l, err);
    l->flushed = pl_clock_steady();
    if (points) {
        l->recorded = l->flushed;
        l->cost = l->flushed - begun;
    }
    return status;
}

int pl_ledger_give_back(struct pl_ledger *l, struct pl_error *err)
{
    int status = l->backlog.count ? pl_store_begin(l->store, err) : 1;
    if (status)
        return status < 0 ? status : 0;
    struct pl_claimed *run;
    while (!status && (run = pl_claimed_pop(&l->backlog))) {
        status = pl_store_unclaim(l->store, &run->claim, err);
        pl_ledger_drop(l, run);
    }
    if (!status)
        status = pl_store_commit(l->store, err);
    if (status)
        pl_store_rollback(l->store);
    return status;
}

/* Runs that several studies hold are counted by each; this is by how much too often. */
static int count_shared(struct pl_ledger *l, struct pl_error *err)
{
    int64_t *sweeps = pl_new(l->plan->count * sizeof *sweeps), counts[PL_STATUS_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < l->plan->count; i++)
        if (l->plan->studies[i].sweep)
            sweeps[count++] = l->plan->studies[i].sweep;
    int status = pl_store_counts_together(l->store, sweeps, count, counts, err);
    for (int k = 0; k < PL_STATUS_COUNT && !status; k++) {
        l->plan->shared.counts[k] = -counts[k];
        for (size_t i = 0; i < l->plan->count; i++)
            l->plan->shared.counts[k] += l->plan->studies[i].counts[k];
    }
    free(sweeps);
    return status;
}

int pl_ledger_count(struct pl_ledger *l, struct pl_error *err)
{
    int status = pl_sweep_plan_recount(l->plan, l->store, err);
    return status || !l->plan->shared.runs ? status : count_shared(l, err);
}

/* ---- life ---- */

void pl_ledger_init(struct pl_ledger *l, struct pl_store *store, struct pl_sweep_plan *plan,
                    const struct pl_sweep_options *options)
{
    double now = pl_clock_steady();
    *l = (struct pl_ledger){.store = store,
                            .plan = plan,
                            .options = options,
                            .flushed = now,
                            .recorded = now,
                            .beaten = now,
                            .lost_noted = -note_every,
                            .recorder = {.store = store, .threads = options->threads}};
}

void pl_ledger_release(struct pl_ledger *l)
{
    pl_claimed_free_all(&l->backlog);
    pl_claimed_free_all(&l->done);
    pl_claimed_free_all(&l->spare);
    pl_config_text_drop(l->settings);
    pl_settings_release(&l->scratch);
    pl_hosts_release(&l->hosts);
    for (size_t i = 0; i < l->reason_count; i++)
        free(l->reasons[i]);
    pl_recorder_release(&l->recorder);
}
