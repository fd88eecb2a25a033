/* Have the tables of a file the columns, keys and kinds that the schema gives them? A file with our number and our name
 * on it may have been made, or changed, by somebody else, and what writes relies on keys: without them a claim claims
 * nothing, again and again. Compared is with a database that is made on the spot, in memory. */
#include "store_priv.h"

#include <string.h>

/* alien: what may not be there unless poula makes it. Other tables, views and columns that may be empty are the user's
 * affair. */
static const char shape_sql[] =
    "SELECT what, how, alien, owner FROM ("
    "SELECT 'table ' || name AS what, CASE strict WHEN 1 THEN 'STRICT' ELSE 'not STRICT' END || CASE wr WHEN 1"
    " THEN ', WITHOUT ROWID' ELSE '' END AS how, 0 AS alien, name AS owner FROM pragma_table_list"
    " WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'"
    " UNION ALL SELECT 'column ' || c.name || ' of the table ' || m.name, coalesce(nullif(upper(c.type), ''), 'without "
    "a type')"
    " || CASE c.\"notnull\" WHEN 1 THEN ', NOT NULL' ELSE '' END || CASE c.pk WHEN 0 THEN '' ELSE ', key ' || c.pk END,"
    " c.\"notnull\" AND c.dflt_value IS NULL, m.name FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS c"
    " WHERE m.type = 'table'"
    " UNION ALL SELECT 'unique index over ' || coalesce((SELECT group_concat(name, ', ') FROM (SELECT name"
    " FROM pragma_index_info(i.name) ORDER BY seqno)), 'an expression') || ' of the table ' || m.name,"
    " CASE i.partial WHEN 1 THEN 'partial' ELSE 'whole' END, 1, m.name FROM sqlite_schema AS m"
    " JOIN pragma_index_list(m.name) AS i WHERE m.type = 'table' AND i.\"unique\""
    " UNION ALL SELECT 'trigger ' || name || ' of the table ' || tbl_name, 'a program of its own', 1, tbl_name"
    " FROM sqlite_schema WHERE type = 'trigger') ORDER BY what, how";

static const char behind[] = "~"; /* the last row: what would come after all of them */

struct shape {
    struct pl_store *store;
    sqlite3_stmt *rows;
    const char *what, *how;
};

static int next(struct shape *shape, struct pl_error *err)
{
    int status = pl_store_next(shape->store, shape->rows, err);
    const char *what = status ? behind : (const char *)sqlite3_column_text(shape->rows, 0);
    const char *how = status ? "" : (const char *)sqlite3_column_text(shape->rows, 1);
    shape->what = what ? what : "";
    shape->how = how ? how : "";
    return status < 0 ? status : 0;
}

#define REFUSED "%s was not made by this poula, or was changed by another program: "
#define KEPT "; nothing was written"

/* Is what stands on the row of is, and not on that of wanted, none of our business? */
static int take_other(struct shape *is, struct pl_store *model, struct pl_error *err)
{
    const char *owner = (const char *)sqlite3_column_text(is->rows, 3);
    bool ours = owner && !sqlite3_table_column_metadata(model->db, "main", owner, NULL, NULL, NULL, NULL, NULL, NULL);
    if (ours && sqlite3_column_int(is->rows, 2))
        return pl_fail(err, PL_ECORRUPT, REFUSED "it has the %s, which may keep values from being written" KEPT,
                       is->store->path, is->what);
    return next(is, err);
}

static int compare(struct shape *is, struct shape *wanted, struct pl_error *err)
{
    int status = next(is, err);
    if (!status)
        status = next(wanted, err);
    while (!status && (is->what != behind || wanted->what != behind)) {
        int order = strcmp(is->what, wanted->what);
        if (order > 0)
            return pl_fail(err, PL_ECORRUPT, REFUSED "it lacks the %s (%s)" KEPT, is->store->path, wanted->what,
                           wanted->how);
        if (order < 0) {
            status = take_other(is, wanted->store, err);
            continue;
        }
        if (strcmp(is->how, wanted->how))
            return pl_fail(err, PL_ECORRUPT, REFUSED "the %s is %s and has to be %s" KEPT, is->store->path,
                           wanted->what, is->how, wanted->how);
        status = next(is, err);
        if (!status)
            status = next(wanted, err);
    }
    return status;
}

int pl_store_check_shape(struct pl_store *store, struct pl_error *err)
{
    struct pl_store model = {.path = (char[]){"the schema"}, .mode = PL_STORE_WRITE};
    struct shape is = {.store = store}, wanted = {.store = &model};
    int status = 0;
    if (sqlite3_open_v2(":memory:", &model.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        status = pl_store_fail(&model, "make", err);
    if (!status)
        status = pl_store_make_tables(&model, 0, err);
    if (!status)
        status = pl_store_prepare(&model, shape_sql, &wanted.rows, err);
    if (!status)
        status = pl_store_prepare(store, shape_sql, &is.rows, err);
    if (!status)
        status = compare(&is, &wanted, err);
    sqlite3_finalize(is.rows);
    sqlite3_finalize(wanted.rows);
    sqlite3_close(model.db);
    return status;
}
