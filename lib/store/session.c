/* Sessions: who is running what, and what becomes of the runs of those who died. */
#include "store_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double silence = 300; /* seconds without a beat after which a session elsewhere counts as dead */
static const double
    most_between = 10; /* of the seconds between two looks at it that count: who looks may have slept, too */

void pl_store_set_silence(struct pl_store *store, double seconds)
{
    store->silence = seconds;
}

int pl_store_join(struct pl_store *store, const struct pl_provenance *provenance, int64_t *session,
                  struct pl_error *err)
{
    const struct pl_provenance *p = provenance;
    char host[256], process[256], machine[256];
    pl_host_name(host, sizeof host);
    pl_process_identity(getpid(), process, sizeof process);
    pl_process_space(machine, sizeof machine);
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SESSION_ADD, "sissssssssiid", p->host ? p->host : host, (int64_t)getpid(),
                           process, machine, p->cpu, p->isa, p->version, p->compiler, p->libraries, p->data,
                           (int64_t)p->jobs, (int64_t)p->threads, pl_clock());
    *session = sqlite3_last_insert_rowid(store->db);
    return pl_store_write_leave(store, own, status, err);
}

static int put_host(struct pl_store *store, const struct pl_provenance *p, int64_t *host, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_exec(store, err, PL_SQL_HOST_ADD, "ssssss", p->host, p->cpu, p->isa, p->version, p->compiler,
                               p->libraries);
    if (!status)
        status = pl_store_first(store, err, PL_SQL_HOST_FIND, &row, "ssssss", p->host, p->cpu, p->isa, p->version,
                                p->compiler, p->libraries);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EDATABASE, "%s does not keep the host %s", store->path, p->host);
    *host = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return 0;
}

int pl_store_put_host(struct pl_store *store, const struct pl_provenance *worker, int64_t *host, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, put_host(store, worker, host, err), err);
}

int pl_store_beat(struct pl_store *store, int64_t session, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SESSION_BEAT, "id", session, pl_clock());
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_close_session(struct pl_store *store, int64_t session, const char *reason, int64_t *given,
                           struct pl_error *err)
{
    sqlite3_stmt *held;
    int status;
    while (!(status = pl_store_first(store, err, PL_SQL_SESSION_HELD, &held, "i", session))) {
        struct pl_claim claim = {.run = sqlite3_column_int64(held, 0), .token = sqlite3_column_int64(held, 1)};
        sqlite3_reset(held);
        status = pl_store_interrupt(store, &claim, session, reason, err);
        if (status)
            break;
        ++*given;
    }
    if (status >= 0)
        status = pl_store_exec(store, err, PL_SQL_SESSION_END, "id", session, pl_clock());
    return status ? status : pl_store_exec(store, err, PL_SQL_SUBMISSION_DROP_OF, "i", session);
}

int pl_store_leave(struct pl_store *store, int64_t session, struct pl_error *err)
{
    bool own;
    int64_t given = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_close_session(store, session, "the sweep was stopped", &given, err);
    return pl_store_write_leave(store, own, status, err);
}

/* ---- who is dead ---- */

struct suspect {
    int64_t id;
    char reason[400];
};

static struct pl_store_pulse *find_pulse(struct pl_store *store, int64_t session)
{
    for (size_t i = 0; i < store->pulse_count; i++)
        if (store->pulses[i].session == session)
            return &store->pulses[i];
    void *list = store->pulses;
    pl_grow(&list, &store->pulse_capacity, store->pulse_count + 1, sizeof *store->pulses);
    store->pulses = list;
    struct pl_store_pulse *pulse = &store->pulses[store->pulse_count++];
    *pulse = (struct pl_store_pulse){.session = session, .beats = -1};
    return pulse;
}

/* Has the session been silent for long? Only what this process saw itself counts, by its own clock: the clocks of two
 * machines may differ by any time, and a time that one of them wrote says nothing to the other. */
static bool is_silent(struct pl_store *store, int64_t session, int64_t beats)
{
    struct pl_store_pulse *pulse = find_pulse(store, session);
    double now = pl_clock_steady(), since = now - pulse->looked;
    if (pulse->beats != beats)
        *pulse = (struct pl_store_pulse){.session = session, .beats = beats};
    else
        pulse->quiet += since < most_between ? since : most_between;
    pulse->looked = now;
    return pulse->quiet > (store->silence > 0 ? store->silence : silence);
}

/* Is the session of this row dead? Writes why. */
static int judge(struct pl_store *store, sqlite3_stmt *row, const char *space, struct suspect *suspect, bool *dead,
                 struct pl_error *err)
{
    const char *host, *process, *its_space;
    int64_t pid = sqlite3_column_int64(row, 2);
    suspect->id = sqlite3_column_int64(row, 0);
    int status = pl_store_text(store, row, 1, "session", suspect->id, &host, err);
    if (!status)
        status = pl_store_text(store, row, 3, "session", suspect->id, &process, err);
    if (!status)
        status = pl_store_text(store, row, 4, "session", suspect->id, &its_space, err);
    if (status)
        return status;
    enum pl_life life = *space && !strcmp(its_space, space) ? pl_process_life((long)pid, process) : PL_LIFE_UNKNOWN;
    bool ended = sqlite3_column_int(row,
                                    6); /* and holds runs all the same: it was taken for dead, or its end was cut off */
    const char *how = ended ? "had ended" : life == PL_DEAD ? "died" : "fell silent";
    *dead = ended || life == PL_DEAD ||
            (life == PL_LIFE_UNKNOWN && is_silent(store, suspect->id, sqlite3_column_int64(row, 5)));
    snprintf(suspect->reason, sizeof suspect->reason, "the sweep that ran it %s (process %lld on %.200s)", how,
             (long long)pid, host);
    return 0;
}

static int find_dead(struct pl_store *store, struct suspect **dead, size_t *count, struct pl_error *err)
{
    char space[256];
    pl_process_space(space, sizeof space);
    size_t capacity = 0;
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_SESSION_OPEN, &row, "");
    for (; !status; status = pl_store_next(store, row, err)) {
        void *list = *dead;
        pl_grow(&list, &capacity, *count + 1, sizeof **dead);
        *dead = list;
        bool is_dead = false;
        status = judge(store, row, space, &(*dead)[*count], &is_dead, err);
        if (status) {
            sqlite3_reset(row);
            return status;
        }
        *count += is_dead;
    }
    return status < 0 ? status : 0;
}

int pl_store_recover(struct pl_store *store, int64_t *recovered, struct pl_error *err)
{
    bool own;
    struct suspect *dead = NULL;
    size_t count = 0;
    int64_t given = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = find_dead(store, &dead, &count, err);
    for (size_t i = 0; !status && i < count; i++)
        status = pl_store_close_session(store, dead[i].id, dead[i].reason, &given, err);
    free(dead);
    status = pl_store_write_leave(store, own, status, err);
    if (!status && recovered)
        *recovered = given;
    return status;
}

/* ---- claims ---- */

/* Takes missing runs of one sweep at positions in [from, to). */
static int claim_span(struct pl_store *store, int64_t session, int64_t sweep, int64_t from, int64_t to,
                      const char *retry, struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    sqlite3_stmt *row;
    size_t first = *taken;
    if (from >= to || *taken == most)
        return 0;
    int status = pl_store_first(store, err, PL_SQL_CLAIM_FIND, &row, "iiisii", sweep, from, to, retry, session,
                                (int64_t)(most - *taken));
    for (; !status; status = pl_store_next(store, row, err)) {
        claims[*taken] = (struct pl_claim){sqlite3_column_int64(row, 1),     sqlite3_column_int64(row, 2),
                                           sqlite3_column_int64(row, 3),     sqlite3_column_int64(row, 4) + 1,
                                           sqlite3_column_int64(row, 5) + 1, sqlite3_column_double(row, 6)};
        ++*taken;
        pl_store_mark_set(&store->claimed, sweep, sqlite3_column_int64(row, 0) + 1);
    }
    status = status < 0 ? status : 0;
    for (size_t i = first; !status && i < *taken; i++)
        status = pl_store_exec(store, err, PL_SQL_CLAIM_TAKE, "iii", claims[i].run, session, claims[i].token);
    return status;
}

/* Starts where the last claim ended, so that a sweep is walked about once however many claims are made,
 * and looks at what lies before (runs given back since) only when nothing is left behind. */
static int claim_sweep(struct pl_store *store, int64_t session, int64_t sweep, const char *retry,
                       struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    struct pl_store_mark *mark = pl_store_mark_find(&store->claimed, sweep);
    int64_t from = mark ? mark->position : 0;
    int status = claim_span(store, session, sweep, from, INT64_MAX, retry, claims, most, taken, err);
    return status ? status : claim_span(store, session, sweep, 0, from, retry, claims, most, taken, err);
}

int pl_store_claim(struct pl_store *store, int64_t session, const int64_t *sweeps, size_t sweep_count,
                   const char *retry, struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    bool own;
    size_t got = 0;
    *taken = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    /* Somebody may have taken this session for dead: what it claims from now on is held by a living one. */
    status = pl_store_exec(store, err, PL_SQL_SESSION_REVIVE, "i", session);
    for (size_t i = 0; !status && got < most && i < sweep_count; i++)
        status = claim_sweep(store, session, sweeps[i], retry, claims, most, &got, err);
    status = pl_store_write_leave(store, own, status, err);
    if (!status)
        *taken = got;
    return status;
}

int pl_store_claimable(struct pl_store *store, int64_t sweep, bool failed, int64_t *count, struct pl_error *err)
{
    sqlite3_stmt *row;
    *count = 0;
    int status = pl_store_first(store, err, PL_SQL_CLAIMABLE, &row, "ii", sweep, (int64_t)failed);
    if (status)
        return status < 0 ? status : 0;
    *count = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return 0;
}

int pl_store_holds(struct pl_store *store, const struct pl_claim *claim, bool *holds, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", claim->run);
    *holds = false;
    if (status)
        return status < 0 ? status : 0;
    *holds = sqlite3_column_int(row, 0) == PL_RUN_RUNNING && sqlite3_column_int64(row, 3) == claim->token;
    sqlite3_reset(row);
    return 0;
}

int pl_store_put_back(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err)
{
    sqlite3_stmt *row;
    int64_t before = PL_RUN_PLANNED;
    bool holds;
    int status = pl_store_holds(store, claim, &holds, err);
    if (status || !holds)
        return status;
    status = pl_store_first(store, err, PL_SQL_LAST_OUTCOME, &row, "i", claim->run);
    if (!status) {
        before = sqlite3_column_int64(row, 0);
        if (before == PL_RUN_FINISHED || before == PL_RUN_DIVERGED) /* and it was wanted anew */
            before = PL_RUN_PLANNED;
        sqlite3_reset(row);
    }
    return status < 0 ? status : pl_store_exec(store, err, PL_SQL_CLAIM_DROP, "ii", claim->run, before);
}

int pl_store_unclaim(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, pl_store_put_back(store, claim, err), err);
}
