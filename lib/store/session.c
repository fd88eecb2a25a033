/* Sessions: who is running what, and what becomes of the runs of those who died. */
#include "store_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double silence = 300; /* seconds without a beat after which a session elsewhere counts as dead */

/* Names the running system and the space of process numbers: only for sessions of the same one does a
 * missing process mean that the session died. Two containers may share a host name. */
static void machine_name(const char *process, char *machine, size_t size)
{
    char space[64] = "";
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    snprintf(machine, size, "%.*s %s", (int)strcspn(process, ":"), process, space);
}

int pl_store_join(struct pl_store *store, const struct pl_provenance *provenance, int64_t *session,
                  struct pl_error *err)
{
    const struct pl_provenance *p = provenance;
    char host[256], process[256], machine[256];
    pl_host_name(host, sizeof host);
    pl_process_identity(getpid(), process, sizeof process);
    machine_name(process, machine, sizeof machine);
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SESSION_ADD, "sissssssssiid", p->host ? p->host : host,
                           (int64_t)getpid(), process, machine, p->cpu, p->isa, p->version, p->compiler, p->libraries,
                           p->data, (int64_t)p->jobs, (int64_t)p->threads, pl_clock());
    *session = sqlite3_last_insert_rowid(store->db);
    return pl_store_write_leave(store, own, status, err);
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

/* Gives back every run that a session holds and closes it. */
static int close_session(struct pl_store *store, int64_t session, const char *reason, int64_t *given,
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
    return status < 0 ? status : pl_store_exec(store, err, PL_SQL_SESSION_END, "id", session, pl_clock());
}

int pl_store_leave(struct pl_store *store, int64_t session, struct pl_error *err)
{
    bool own;
    int64_t given = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = close_session(store, session, "the sweep was stopped", &given, err);
    return pl_store_write_leave(store, own, status, err);
}

struct suspect {
    int64_t id;
    char reason[400];
};

/* Is the session of this row dead? Writes why. */
static bool is_dead(sqlite3_stmt *row, const char *machine, char *reason, size_t size)
{
    const char *host = (const char *)sqlite3_column_text(row, 1);
    long pid = (long)sqlite3_column_int64(row, 2);
    const char *process = (const char *)sqlite3_column_text(row, 3);
    const char *its_machine = (const char *)sqlite3_column_text(row, 4);
    double quiet = pl_clock() - sqlite3_column_double(row, 5);
    if (*process && !strcmp(its_machine, machine)) {
        char now[256];
        pl_process_identity(pid, now, sizeof now);
        snprintf(reason, size, "the sweep that ran it died (process %ld on %s)", pid, host);
        return strcmp(now, process) != 0;
    }
    snprintf(reason, size, "the sweep that ran it fell silent (process %ld on %s)", pid, host);
    return quiet > silence;
}

static int find_dead(struct pl_store *store, struct suspect **dead, size_t *count, struct pl_error *err)
{
    char process[256], machine[256];
    pl_process_identity(getpid(), process, sizeof process);
    machine_name(process, machine, sizeof machine);
    size_t capacity = 0;
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_SESSION_OPEN, &row, "");
    for (; !status; status = pl_store_next(store, row, err)) {
        void *list = *dead;
        pl_grow(&list, &capacity, *count + 1, sizeof **dead);
        *dead = list;
        struct suspect *suspect = &(*dead)[*count];
        suspect->id = sqlite3_column_int64(row, 0);
        *count += is_dead(row, machine, suspect->reason, sizeof suspect->reason);
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
        status = close_session(store, dead[i].id, dead[i].reason, &given, err);
    free(dead);
    status = pl_store_write_leave(store, own, status, err);
    if (!status && recovered)
        *recovered = given;
    return status;
}

/* ---- claims ---- */

/* Takes missing runs of one sweep at positions in [from, to). */
static int claim_span(struct pl_store *store, int64_t session, int64_t sweep, int64_t from, int64_t to,
                      bool retry_failed, struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    sqlite3_stmt *row;
    size_t first = *taken;
    if (from >= to || *taken == most)
        return 0;
    int status = pl_store_first(store, err, PL_SQL_CLAIM_FIND, &row, "iiiiii", sweep, from, to, (int64_t)retry_failed,
                                session, (int64_t)(most - *taken));
    for (; !status; status = pl_store_next(store, row, err)) {
        claims[*taken] = (struct pl_claim){sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
                                           sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4) + 1,
                                           sqlite3_column_int64(row, 5) + 1};
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
static int claim_sweep(struct pl_store *store, int64_t session, int64_t sweep, bool retry_failed,
                       struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    struct pl_store_mark *mark = pl_store_mark_find(&store->claimed, sweep);
    int64_t from = mark ? mark->position : 0;
    int status = claim_span(store, session, sweep, from, INT64_MAX, retry_failed, claims, most, taken, err);
    return status ? status : claim_span(store, session, sweep, 0, from, retry_failed, claims, most, taken, err);
}

int pl_store_claim(struct pl_store *store, int64_t session, const int64_t *sweeps, size_t sweep_count,
                   bool retry_failed, struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err)
{
    bool own;
    size_t got = 0;
    *taken = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    for (size_t i = 0; !status && got < most && i < sweep_count; i++)
        status = claim_sweep(store, session, sweeps[i], retry_failed, claims, most, &got, err);
    status = pl_store_write_leave(store, own, status, err);
    if (!status)
        *taken = got;
    return status;
}

static int unclaim(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err)
{
    sqlite3_stmt *row;
    int64_t before = PL_RUN_PLANNED;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", claim->run);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EMISSING, "there is no run %lld", (long long)claim->run);
    bool held = sqlite3_column_int(row, 0) == PL_RUN_RUNNING && sqlite3_column_int64(row, 3) == claim->token;
    sqlite3_reset(row);
    if (!held)
        return 0;
    status = pl_store_first(store, err, PL_SQL_LAST_OUTCOME, &row, "i", claim->run);
    if (!status) {
        before = sqlite3_column_int64(row, 0);
        sqlite3_reset(row);
    }
    return status < 0 ? status : pl_store_exec(store, err, PL_SQL_CLAIM_DROP, "ii", claim->run, before);
}

int pl_store_unclaim(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, unclaim(store, claim, err), err);
}
