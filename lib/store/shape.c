/* Have the tables of a file the columns, keys and kinds that the schema gives them? A file with our number and our name
 * on it may have been made, or changed, by somebody else, and what writes relies on keys: without them a claim claims
 * nothing, again and again. Compared is with a database that is made on the spot, in memory. */
#include "store_priv.h"

#include <pthread.h>
#include <stdlib.h>
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

struct line {
    char *what, *how, *owner;
    bool alien;
};

struct shape {
    struct line *lines; /* by what */
    size_t count, room;
};

static char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return pl_copy(text ? text : "");
}

static int read_shape(struct pl_store *store, struct shape *shape, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store, shape_sql, &row, err);
    if (status)
        return status;
    while (!(status = pl_store_next(store, row, err))) {
        pl_grow((void **)&shape->lines, &shape->room, shape->count + 1, sizeof *shape->lines);
        shape->lines[shape->count++] = (struct line){text_of(row, 0), text_of(row, 1), text_of(row, 3),
                                                     sqlite3_column_int(row, 2)};
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

static void release(struct shape *shape)
{
    for (size_t i = 0; i < shape->count; i++) {
        free(shape->lines[i].what);
        free(shape->lines[i].how);
        free(shape->lines[i].owner);
    }
    free(shape->lines);
    *shape = (struct shape){0};
}

/* ---- what it has to be ---- */

/* The same for every database, and most of the work: made once, and kept to the end. */
static struct shape model;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static int make_model(struct pl_error *err)
{
    struct pl_store store = {.path = (char[]){"the schema"}, .mode = PL_STORE_WRITE};
    int status = 0;
    if (sqlite3_open_v2(":memory:", &store.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        status = pl_store_fail(&store, "make", err);
    if (!status)
        status = pl_store_make_tables(&store, 0, err);
    if (!status)
        status = read_shape(&store, &model, err);
    sqlite3_close(store.db);
    if (status)
        release(&model);
    return status;
}

static bool is_our_table(const char *name)
{
    for (size_t i = 0; i < model.count; i++)
        if (!sqlite3_stricmp(model.lines[i].owner, name)) /* a trigger names its table in any case */
            return true;
    return false;
}

/* ---- comparing ---- */

#define REFUSED "%s was not made by this poula, or was changed by another program: "
#define KEPT "; nothing was written"

static int compare(const char *path, const struct shape *is, struct pl_error *err)
{
    size_t i = 0, w = 0;
    while (i < is->count || w < model.count) {
        const struct line *here = i < is->count ? &is->lines[i] : NULL;
        const struct line *wanted = w < model.count ? &model.lines[w] : NULL;
        int order = !here ? 1 : !wanted ? -1 : strcmp(here->what, wanted->what);
        if (order > 0)
            return pl_fail(err, PL_ECORRUPT, REFUSED "it lacks the %s (%s)" KEPT, path, wanted->what, wanted->how);
        if (order < 0 && here->alien && is_our_table(here->owner))
            return pl_fail(err, PL_ECORRUPT, REFUSED "it has the %s, which may keep values from being written" KEPT,
                           path, here->what);
        if (!order && strcmp(here->how, wanted->how))
            return pl_fail(err, PL_ECORRUPT, REFUSED "the %s is %s and has to be %s" KEPT, path, wanted->what,
                           here->how, wanted->how);
        i++;
        w += !order;
    }
    return 0;
}

int pl_store_check_shape(struct pl_store *store, struct pl_error *err)
{
    struct shape is = {0};
    pthread_mutex_lock(&making);
    int status = model.count ? 0 : make_model(err);
    pthread_mutex_unlock(&making);
    if (!status)
        status = read_shape(store, &is, err);
    if (!status)
        status = compare(store->path, &is, err);
    release(&is);
    return status;
}
