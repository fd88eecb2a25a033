/* Everything that is known of one run. */
#include "store_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool all_of(const char *text, int (*is)(int))
{
    for (const char *c = text; *c; c++)
        if (!is((unsigned char)*c))
            return false;
    return *text != '\0';
}

static int by_number(struct pl_store *store, const char *name, int64_t *run, struct pl_error *err)
{
    sqlite3_stmt *row;
    int64_t number;
    if (!pl_integer_read(name, &number))
        return 1;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", number);
    if (status)
        return status;
    sqlite3_reset(row);
    *run = number;
    return 0;
}

/* The digits of a prefix as the smallest and largest key that begin with them. */
static void key_bounds(const char *prefix, unsigned char *low, unsigned char *high)
{
    memset(low, 0, PL_DIGEST_SIZE);
    memset(high, 0xFF, PL_DIGEST_SIZE);
    for (size_t i = 0; prefix[i]; i++) {
        int c = tolower((unsigned char)prefix[i]), digit = c <= '9' ? c - '0' : c - 'a' + 10;
        int shift = i % 2 ? 0 : 4;
        low[i / 2] = (unsigned char)(low[i / 2] | digit << shift);
        high[i / 2] = (unsigned char)((high[i / 2] & ~(0xF << shift)) | digit << shift);
    }
}

static int by_key(struct pl_store *store, const char *name, int64_t *run, struct pl_error *err)
{
    unsigned char low[PL_DIGEST_SIZE], high[PL_DIGEST_SIZE];
    sqlite3_stmt *row;
    size_t found = 0;
    if (strlen(name) > 2 * PL_DIGEST_SIZE || !all_of(name, isxdigit))
        return 1;
    key_bounds(name, low, high);
    int status = pl_store_prepare(store, "SELECT id FROM run WHERE key BETWEEN ?1 AND ?2 LIMIT 2", &row, err);
    if (status)
        return status;
    sqlite3_bind_blob(row, 1, low, PL_DIGEST_SIZE, SQLITE_STATIC);
    sqlite3_bind_blob(row, 2, high, PL_DIGEST_SIZE, SQLITE_STATIC);
    while (!(status = pl_store_next(store, row, err))) {
        *run = sqlite3_column_int64(row, 0);
        found++;
    }
    sqlite3_finalize(row);
    if (status > 0 && found > 1)
        return pl_fail(err, PL_EINPUT, "several runs have keys that begin with %s: give more of it", name);
    return status < 0 ? status : !found;
}

static char *text_of(sqlite3_stmt *row, int column)
{
    return pl_copy((const char *)sqlite3_column_text(row, column));
}

static int read_info(struct pl_store *store, int64_t run, struct pl_run_info *info, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(
        store,
        "SELECT r.id, r.config, r.seed, r.attempts, r.key, r.status, coalesce(r.bad_epoch, -1),"
        " coalesce(a.exit_code, -1), coalesce(a.signal, 0), a.reason, a.log, coalesce(k.name, h.host),"
        " coalesce(k.cpu, h.cpu), coalesce(k.version, h.version),"
        " coalesce(CASE r.status WHEN 1 THEN r.begun ELSE a.started END, 0), coalesce(a.seconds, 0),"
        " coalesce(a.threads, 0), a.reading, r.thinned IS NOT NULL"
        " FROM run AS r"
        " LEFT JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts"
        " LEFT JOIN session AS h ON h.id = coalesce(r.session, a.session)"
        " LEFT JOIN host AS k ON k.id = a.host WHERE r.id = ?1",
        &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, run);
    int64_t state = 0;
    const unsigned char *key = NULL;
    status = pl_store_next(store, row, err);
    if (!status)
        status = pl_store_number(store, row, 5, "run", run, 0, PL_STATUS_COUNT - 1, &state, err);
    if (!status)
        status = pl_store_digest(store, row, 4, "run", run, &key, err);
    if (!status) {
        *info = (struct pl_run_info){.run = run,
                                     .config = sqlite3_column_int64(row, 1),
                                     .seed = sqlite3_column_int64(row, 2),
                                     .attempts = sqlite3_column_int64(row, 3),
                                     .status = (enum pl_status)state,
                                     .bad_epoch = sqlite3_column_double(row, 6),
                                     .exit_code = sqlite3_column_int(row, 7),
                                     .signal = sqlite3_column_int(row, 8),
                                     .reason = text_of(row, 9),
                                     .log = text_of(row, 10),
                                     .host = text_of(row, 11),
                                     .cpu = text_of(row, 12),
                                     .version = text_of(row, 13),
                                     .started = sqlite3_column_double(row, 14),
                                     .seconds = sqlite3_column_double(row, 15),
                                     .threads = sqlite3_column_int(row, 16),
                                     .reading = text_of(row, 17),
                                     .thinned = sqlite3_column_int(row, 18)};
        pl_digest_hex(key, PL_DIGEST_SIZE, info->key);
        if (info->status == PL_RUN_RUNNING) { /* what its last attempt came to says nothing of this one */
            info->seconds = info->started > 0 ? fmax(0, pl_clock() - info->started) : 0;
            info->exit_code = -1;
            info->signal = 0;
            info->threads = 0;
            free(info->reason);
            info->reason = NULL;
        }
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int pl_store_run_info(struct pl_store *store, const char *name, struct pl_run_info *info, struct pl_error *err)
{
    int64_t run = 0;
    int status = by_number(store, name, &run, err);
    if (status == 1) /* a key may begin with digits only */
        status = by_key(store, name, &run, err);
    if (status == 1)
        return pl_fail(err, PL_EINPUT, "%s holds no run %s", store->path, name);
    return status ? status : read_info(store, run, info, err);
}

int pl_store_token(struct pl_store *store, char token[PL_STORE_TOKEN_SIZE], struct pl_error *err)
{
    sqlite3_stmt *row;
    token[0] = '\0';
    int status = pl_store_prepare(store, "SELECT value FROM meta WHERE key = 'token'", &row, err);
    if (status)
        return status;
    status = pl_store_next(store, row, err);
    const char *text = status ? NULL : (const char *)sqlite3_column_text(row, 0);
    if (!status && text)
        snprintf(token, PL_STORE_TOKEN_SIZE, "%s", text);
    if (status >= 0 && !token[0])
        status = pl_fail(err, PL_ECORRUPT, "%s is damaged: it has no token", store->path);
    sqlite3_finalize(row);
    return status;
}

void pl_run_info_release(struct pl_run_info *info)
{
    free(info->reason);
    free(info->log);
    free(info->host);
    free(info->cpu);
    free(info->version);
    free(info->reading);
    *info = (struct pl_run_info){0};
}
