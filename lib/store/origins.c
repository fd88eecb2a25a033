/* Which hosts, versions and programs the results of a sweep come from. */
#include "store_priv.h"

#include <stdlib.h>

#define ENDED                                                                                                          \
    " FROM sweep_run AS x CROSS JOIN run AS r ON r.id = x.run CROSS JOIN attempt AS a ON a.run = r.id"                 \
    " AND a.number = r.attempts"
#define TRAINED " CROSS JOIN session AS h ON h.id = a.session LEFT JOIN host AS k ON k.id = a.host" /* by these */
#define OF_SWEEPS " WHERE x.sweep IN (SELECT value FROM json_each(?1)) AND r.status IN (2, 3)"

/* A list of one is none. */
static int ask(struct pl_store *store, const char *sweeps, const char *sql, char **list, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store, sql, &row, err);
    if (status)
        return status;
    sqlite3_bind_text(row, 1, sweeps, -1, SQLITE_STATIC);
    status = pl_store_next(store, row, err);
    if (!status && sqlite3_column_int64(row, 0) && sqlite3_column_type(row, 1) != SQLITE_NULL)
        *list = pl_copy((const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int pl_store_origins(struct pl_store *store, const int64_t *sweeps, size_t count, struct pl_origins *origins,
                     struct pl_error *err)
{
    static const char hosts[] = "SELECT count(DISTINCT coalesce(k.name, h.host)) > 1,"
                                " group_concat(DISTINCT coalesce(k.name, h.host))" ENDED TRAINED OF_SWEEPS;
    static const char versions[] = "SELECT count(DISTINCT coalesce(k.version, h.version)) > 1,"
                                   " group_concat(DISTINCT coalesce(k.version, h.version))" ENDED TRAINED OF_SWEEPS;
    /* Another version is another commit, or another content of a file that both name: points may name files of their
     * own. What is told is that file. */
    static const char programs[] =
        "WITH p AS MATERIALIZED (SELECT DISTINCT p.id, p.folder, coalesce(p.file, p.folder) AS file, p.files,"
        " coalesce(p.git_commit, '') || coalesce(p.dirty, '') AS tree" ENDED
        " CROSS JOIN program AS p ON p.id = a.program" OF_SWEEPS "),"
        " changed AS MATERIALIZED (SELECT p.folder, p.file, f.key AS name FROM p,"
        " json_each(CASE WHEN json_valid(p.files) THEN p.files ELSE '{}' END) AS f"
        " GROUP BY p.folder, p.file, f.key HAVING count(DISTINCT f.value) > 1) "
        "SELECT count(*) > 0, group_concat(name) FROM (SELECT name FROM changed UNION SELECT file FROM p"
        " WHERE (folder, file) NOT IN (SELECT folder, file FROM changed)"
        " GROUP BY folder, file HAVING count(DISTINCT tree) > 1)";
    int64_t many_hosts = 0, many_versions = 0, many_programs = 0;
    struct pl_text list = {0};
    *origins = (struct pl_origins){0};
    for (size_t i = 0; i < count; i++)
        pl_text_addf(&list, "%s%lld", i ? "," : "[", (long long)sweeps[i]);
    pl_text_add_char(&list, ']');
    /* The runs of a large sweep are only looked through where there can be two of something. */
    int status = pl_store_integer(
        store, "SELECT count(*) > 1 FROM (SELECT host FROM session UNION SELECT name FROM host)", &many_hosts, err);
    if (!status)
        status = pl_store_integer(
            store, "SELECT count(*) > 1 FROM (SELECT version FROM session UNION SELECT version FROM host)",
            &many_versions, err);
    if (!status)
        status = pl_store_integer(store, "SELECT count(*) > 1 FROM program", &many_programs, err);
    if (!status && many_hosts)
        status = ask(store, pl_text(&list), hosts, &origins->hosts, err);
    if (!status && many_versions)
        status = ask(store, pl_text(&list), versions, &origins->versions, err);
    if (!status && many_programs)
        status = ask(store, pl_text(&list), programs, &origins->programs, err);
    pl_text_release(&list);
    if (status)
        pl_origins_release(origins);
    return status;
}

void pl_origins_release(struct pl_origins *origins)
{
    free(origins->hosts);
    free(origins->versions);
    free(origins->programs);
    *origins = (struct pl_origins){0};
}
