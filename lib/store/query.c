/* SQL from a user: any number of statements that only read. */
#include "store/look.h"
#include "store_priv.h"

#include <stdlib.h>
#include <string.h>

/* The pragmas that only look: some ask about a table, the others would change something if given a value. */
static bool looking_pragma(const char *name, const char *argument)
{
    return pl_has_word("table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list", name) ||
           (!argument && pl_has_word("compile_options page_count page_size user_version application_id journal_mode "
                                     "encoding function_list",
                                     name));
}

/* sqlite3_stmt_readonly finds the statements that write; this refuses those that it takes for reading, though
 * they change the connection or reach for other files. */
static int authorize(void *self, int action, const char *first, const char *second, const char *schema,
                     const char *view)
{
    (void)self;
    (void)schema;
    (void)view;
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return SQLITE_DENY;
    case SQLITE_FUNCTION:
        return second && !strcmp(second, "load_extension") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return looking_pragma(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_OK;
    }
}

/* What a page may: select, with functions that only compute. */
static int authorize_guarded(void *self, int action, const char *first, const char *second, const char *schema,
                             const char *view)
{
    bool may = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
    if (action == SQLITE_FUNCTION)
        may = second && strcmp(second, "load_extension") && strcmp(second, "fts3_tokenizer");
    (void)self, (void)first, (void)schema, (void)view;
    return may ? SQLITE_OK : SQLITE_DENY;
}

struct query {
    struct pl_store *store;
    struct pl_query_guard *guard; /* NULL: none */
    double until;
    bool late;
    int (*head)(void *self, const char *const *names, size_t count);
    int (*row)(void *self, const struct pl_cell *cells, size_t count);
    void *self;
    struct pl_cell *cells;
    struct pl_text *blobs; /* one for each column, for the hex digits of blobs */
    const char **names;
    size_t capacity;
};

static void release(struct query *query)
{
    for (size_t i = 0; i < query->capacity; i++)
        pl_text_release(&query->blobs[i]);
    free(query->cells);
    free(query->blobs);
    free(query->names);
}

static void make_room(struct query *query, size_t columns)
{
    if (columns <= query->capacity)
        return;
    query->cells = pl_resize(query->cells, columns, sizeof *query->cells);
    query->blobs = pl_resize(query->blobs, columns, sizeof *query->blobs);
    query->names = pl_resize(query->names, columns, sizeof *query->names);
    memset(query->blobs + query->capacity, 0, (columns - query->capacity) * sizeof *query->blobs);
    query->capacity = columns;
}

struct pl_cell pl_store_cell(sqlite3_stmt *statement, int column, struct pl_text *hex)
{
    struct pl_cell cell = {.kind = PL_CELL_NULL, .text = ""};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return cell;
    case SQLITE_INTEGER:
        cell.kind = PL_CELL_INTEGER;
        break;
    case SQLITE_FLOAT:
        cell.kind = PL_CELL_REAL;
        break;
    case SQLITE_TEXT:
        cell.kind = PL_CELL_TEXT;
        break;
    case SQLITE_BLOB:
        cell.kind = PL_CELL_BLOB;
        break;
    }
    if (cell.kind == PL_CELL_BLOB) {
        const unsigned char *bytes = sqlite3_column_blob(statement, column);
        int count = sqlite3_column_bytes(statement, column);
        pl_text_clear(hex);
        for (int i = 0; i < count; i++)
            pl_text_addf(hex, "%02x", bytes[i]);
        cell.text = pl_text(hex);
        cell.length = hex->length;
        return cell;
    }
    cell.integer = sqlite3_column_int64(statement, column);
    cell.real = sqlite3_column_double(statement, column);
    const char *text = (const char *)sqlite3_column_text(statement, column);
    cell.text = text ? text : ""; /* it lacked memory */
    cell.length = (size_t)sqlite3_column_bytes(statement, column);
    return cell;
}

static int wrong_sql(struct query *query, const char *sql, const char *statement, struct pl_error *err)
{
    sqlite3 *db = query->store->db;
    int code = sqlite3_errcode(db) & 0xFF;
    if (code == SQLITE_INTERRUPT && query->late)
        return pl_fail(err, PL_EINPUT, "the query was stopped because it took more than %g s", query->guard->seconds);
    if (code == SQLITE_AUTH && query->guard)
        return pl_fail(err, PL_EINPUT, "a query of a page may only select: use SELECT, WITH or VALUES");
    if (code == SQLITE_AUTH)
        return pl_fail(err, PL_EINPUT, "a query may only read: use SELECT, WITH, VALUES or EXPLAIN");
    if (code != SQLITE_ERROR && code != SQLITE_RANGE && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
        return pl_store_fail(query->store, "read", err);
    int offset = sqlite3_error_offset(db);
    if (offset < 0)
        return pl_fail(err, PL_EINPUT, "wrong SQL: %s", sqlite3_errmsg(db));
    size_t line = 1, column = 1;
    for (const char *c = sql; c < statement + offset; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return pl_fail(err, PL_EINPUT, "wrong SQL at line %zu, column %zu: %s", line, column, sqlite3_errmsg(db));
}

/* Takes a row from what a guard allows; false: there is nothing left. */
static bool allow_row(struct query *query, size_t columns)
{
    struct pl_query_guard *guard = query->guard;
    size_t bytes = 0;
    for (size_t i = 0; guard && i < columns; i++)
        bytes += query->cells[i].length + 1;
    if (!guard)
        return true;
    guard->cut = !guard->rows || bytes > guard->bytes;
    guard->rows -= !guard->cut;
    guard->bytes -= guard->cut ? 0 : bytes;
    return !guard->cut;
}

static int run_statement(struct query *query, sqlite3_stmt *statement, const char *sql, const char *from,
                         struct pl_error *err)
{
    size_t columns = (size_t)sqlite3_column_count(statement);
    make_room(query, columns);
    for (size_t i = 0; i < columns; i++)
        query->names[i] = sqlite3_column_name(statement, (int)i);
    int status = query->head ? query->head(query->self, query->names, columns) : 0;
    while (status >= 0) {
        int code = sqlite3_step(statement);
        if (code == SQLITE_DONE) {
            status = pl_store_check_frozen(query->store, err);
            break;
        }
        if (code != SQLITE_ROW)
            return wrong_sql(query, sql, from, err);
        for (size_t i = 0; i < columns; i++)
            query->cells[i] = pl_store_cell(statement, (int)i, &query->blobs[i]);
        if (!allow_row(query, columns))
            break;
        status = query->row ? query->row(query->self, query->cells, columns) : 0;
    }
    return status < 0 ? status : 0;
}

static int run_all(struct query *query, const char *sql, struct pl_error *err)
{
    sqlite3 *db = query->store->db;
    size_t statements = 0;
    int status = 0;
    for (const char *at = sql, *rest; !status && *at && !(query->guard && query->guard->cut); at = rest) {
        sqlite3_stmt *statement = NULL;
        if (sqlite3_prepare_v2(db, at, -1, &statement, &rest) != SQLITE_OK) {
            status = wrong_sql(query, sql, at, err);
        } else if (statement) {
            statements++;
            status = sqlite3_stmt_readonly(statement)
                         ? run_statement(query, statement, sql, at, err)
                         : pl_fail(err, PL_EINPUT, "a query may only read: use SELECT, WITH, VALUES or EXPLAIN");
        }
        sqlite3_finalize(statement);
    }
    release(query);
    if (!status && !statements)
        return pl_fail(err, PL_EINPUT, "the query is empty");
    return status;
}

int pl_store_query(struct pl_store *store, const char *sql,
                   int (*head)(void *self, const char *const *names, size_t count),
                   int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err)
{
    struct query query = {.store = store, .head = head, .row = row, .self = self};
    sqlite3_set_authorizer(store->db, authorize, NULL);
    int status = run_all(&query, sql, err);
    sqlite3_set_authorizer(store->db, NULL, NULL);
    return status;
}

static int look_at_clock(void *self)
{
    struct query *query = self;
    query->late = pl_clock_steady() > query->until;
    return query->late;
}

int pl_store_query_guarded(struct pl_store *store, const char *sql, struct pl_query_guard *guard,
                           int (*head)(void *self, const char *const *names, size_t count),
                           int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self,
                           struct pl_error *err)
{
    enum { LOOK_EVERY = 1000, LONGEST = 4 << 20 };
    struct query query = {.store = store, .guard = guard, .head = head, .row = row, .self = self};
    query.until = pl_clock_steady() + guard->seconds;
    guard->cut = false;
    int longest = sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, LONGEST);
    sqlite3_set_authorizer(store->db, authorize_guarded, NULL);
    sqlite3_progress_handler(store->db, LOOK_EVERY, look_at_clock, &query);
    int status = run_all(&query, sql, err);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    sqlite3_set_authorizer(store->db, NULL, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, longest);
    return status;
}
