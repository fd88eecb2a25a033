/* Database files that are damaged, or made by somebody else. The input is a list of edits of tests/db/v1.db, or of what
 * it becomes: values of any type in any row (in a copy whose columns take them, which commands that write refuse, or
 * in one as poula makes it, where any value of a column's own type may stand), then bytes anywhere in the file. The
 * first byte says which command then reads it, or that a sweep works in it; the second which copy. Each may refuse,
 * with a sentence; none crashes, hangs, or says nothing. */
#include "database_commands.h"
#include "fuzz.h"
#include "page/page_priv.h"
#include "store/store.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __sanitizer_set_report_fd(void *descriptor) __attribute__((weak)); /* where the sanitizers are */
int poula_main(int argc, char **argv);                                  /* main() of cmd/main.c, under another name */

static const char spec_text[] = "study: toy\ntask: {problem: theta30, iterations: 100, record: 5}\n"
                                "optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01]}\nseeds: [1, 2, 3]\n";

static const char printed_text[] =
    "published: a paper\ntables:\n- table: t\n  runs: 2\n"
    "  columns: [{name: 0.1, lambda: 0.1}, {name: 0.01, lambda: 0.01}]\n"
    "  rows: [{name: ours, where: {optimizer: theopoula}, cells: [1(0.1), 2(0.1)]},"
    " {name: theirs, where: {optimizer: sgd}, cells: [3(0.1), N/A]}]\n"
    "claims:\n- {claim: best, sentence: ours is best, table: t, better: min, ahead: ours, behind: others}\n"
    "- {claim: alike, sentence: they are alike, table: t, alike: [ours, theirs]}\n";

/* ---- the database that is edited */

enum { TABLES = 60, COLUMNS = 40 };
enum kind {
    NEWEST, /* of the newest schema */
    FIRST,
    FULL, /* of the newest, with rows in every table */
    BASES
};

static struct base {
    void *bytes;
    size_t size;
    struct table {
        char *name;
        char *columns[COLUMNS];
        size_t count;
        char *key; /* what tells its rows apart, in brackets */
        int64_t rows;
    } tables[TABLES];
    size_t table_count;
} bases[2][BASES]; /* as they are made, and relaxed */

/* What tests/db/v1.db has nothing of: programs, hosts, a cluster's submission, a search that stopped runs, tags. */
static const char all_tables[] =
    "INSERT INTO program VALUES (1, zeroblob(32), '/here', 'train', '[[\"train\", \"00\"]]', 'abc', 1),"
    " (2, CAST(x'01' || zeroblob(31) AS BLOB), '/here', 'train', '[]', NULL, NULL);"
    "INSERT INTO accepted VALUES (1, 2);"
    "INSERT INTO host VALUES (1, 'node', 'cpu', 'avx2', '1', 'gcc', 'glibc');"
    "UPDATE attempt SET program = 1, host = 1, reading = 'stderr', unread = 2, unread_example = 'a', unsaved = 1,"
    " unsaved_example = 'b' WHERE run >= 13;"
    "INSERT INTO attempt_result SELECT run, number, 1, 0.5, 1, 2.0, 2, 0.5, 2, NULL FROM attempt WHERE run > 10;"
    "INSERT INTO submission VALUES (1, 1, 1, 1, 2, 2, 1, 1700000000, 'toy-1', 'slurm', '/nowhere/toy-1', 'me', '1 cpu',"
    " NULL), (2, 2, 2, 2, 1, 1, 1, 1700000000, 'toy-2', 'slurm', '/nowhere/toy-2', 'me', '1 cpu', NULL);"
    "INSERT INTO submission_array VALUES (1, 0, 0, 2, 2, 'toy-1.0', '7', NULL, NULL, NULL),"
    " (2, 0, 0, 1, 3, 'toy-2.0', NULL, '1 x', 'y', 'refused');"
    "INSERT INTO submission_task VALUES (1, 0, 0, 1, 'RUNNING', NULL, 'node', 1700000000, 1),"
    " (1, 1, 0, NULL, NULL, 'Priority', NULL, NULL, 0), (2, 0, 1, 2, 'FAILED', 'exit code 1', 'node', 1700000000, 1);"
    "UPDATE run SET status = 1, session = 1 WHERE id IN (11, 12); DELETE FROM result WHERE run IN (11, 12);"
    "UPDATE sweep_run SET outcome = NULL WHERE run IN (11, 12); UPDATE session SET ended = NULL WHERE id = 1;"
    "INSERT INTO submission_run VALUES (1, 0, 11, 1, 0, 0), (1, 1, 12, 1, 0, 0), (2, 0, 13, 1, 1, 0);"
    "INSERT INTO journal VALUES (1, 0, 1, 100, 5, 1);"
    "INSERT INTO sweep_metric VALUES (1, 'loss', 1, 1, NULL, 'declared'), (2, 'theta', 0, 0, 1, 'migrated');"
    "INSERT INTO tag VALUES (1, 'good'), (2, 'good');"
    "INSERT INTO note VALUES (1, 'a note');"
    "INSERT INTO rung VALUES (1, 1, 0, 5, 0.5, NULL), (2, 1, 1, 5, NULL, 'nan');"
    "UPDATE sweep SET spec = spec || 'tables:\n- {rows: optimizer, columns: lambda, value: best loss, published: t}\n"
    "figures:\n- {kind: curves, y: loss, lines: lambda, panels: optimizer, log: y}\n"
    "- {kind: sensitivity, x: lambda, y: best loss, lines: optimizer, log: x}\n' WHERE id = 1;"
    "UPDATE sweep_run SET bracket = 1, epochs = 5, until = 10, stopped = 5 WHERE sweep = 2 AND position < 2";

static void run_sql(sqlite3 *db, const char *sql)
{
    char *problem = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &problem) != SQLITE_OK)
        fprintf(stderr, "%s: %s\n", sql, problem);
    MUST(!problem);
}

static sqlite3 *open_base(const char *path)
{
    sqlite3 *db = NULL;
    MUST(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON", NULL,
                 NULL, NULL);
    return db;
}

/* Columns that take everything: as a database has them that another program made. */
static void relax(const char *path)
{
    sqlite3 *db = open_base(path);
    run_sql(db,
            "PRAGMA writable_schema = ON;"
            "UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'),"
            " ') STRICT', ')') WHERE type = 'table';"
            "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'IS NOT NULL', 'NOTNULL'), ' NOT NULL', ''),"
            " 'NOTNULL', 'IS NOT NULL') WHERE type = 'table';"
            "PRAGMA writable_schema = RESET");
    MUST(sqlite3_close(db) == SQLITE_OK);
}

static void read_columns(sqlite3 *db, struct table *table)
{
    sqlite3_stmt *row;
    struct pl_text key = {0}, sql = {0};
    pl_text_addf(&sql, "SELECT name, pk FROM pragma_table_info('%s') ORDER BY pk, cid", table->name);
    MUST(sqlite3_prepare_v2(db, pl_text(&sql), -1, &row, NULL) == SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW && table->count < COLUMNS) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        if (sqlite3_column_int(row, 1))
            pl_text_addf(&key, "%s\"%s\"", key.length ? ", " : "", name);
        table->columns[table->count++] = pl_copy(name);
    }
    sqlite3_finalize(row);
    table->key = pl_copy(key.length ? pl_text(&key) : "rowid");
    pl_text_clear(&sql);
    pl_text_addf(&sql, "SELECT count(*) FROM \"%s\"", table->name);
    MUST(sqlite3_prepare_v2(db, pl_text(&sql), -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW);
    table->rows = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    pl_text_release(&key);
    pl_text_release(&sql);
}

static void read_tables(struct base *base, const char *path)
{
    sqlite3 *db = open_base(path);
    sqlite3_stmt *row;
    static const char
        sql[] = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
    MUST(sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW && base->table_count < TABLES)
        base->tables[base->table_count++].name = pl_copy((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    for (size_t i = 0; i < base->table_count; i++)
        read_columns(db, &base->tables[i]);
    MUST(sqlite3_close(db) == SQLITE_OK);
}

static void make_base(struct base *base, enum kind kind, bool relaxed)
{
    struct pl_text text = {0};
    struct pl_error err = {0};
    struct pl_store *store;
    MUST(!pl_file_read(PL_DATABASE, (size_t)1 << 30, &text, &err));
    const char *path = fuzz_file("base.db", text.text, text.length);
    if (kind != FIRST) {
        MUST(!pl_store_open(&store, path, PL_STORE_WRITE, &err));
        pl_store_close(store);
    }
    if (relaxed)
        relax(path);
    if (kind == FULL) {
        sqlite3 *db = open_base(path);
        run_sql(db, all_tables);
        MUST(sqlite3_close(db) == SQLITE_OK);
    }
    read_tables(base, path);
    MUST(!pl_file_read(path, (size_t)1 << 30, &text, &err));
    base->size = text.length;
    base->bytes = pl_text_take(&text);
}

/* ---- edits */

static void bind_value(sqlite3_stmt *row, int at, struct fuzz_bytes *bytes)
{
    static const int64_t whole[] = {0,   1,         -1,        2,         5,         6,
                                    255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 53};
    static const double real[] = {0.5, -0.0, 1e300, -1e300, 1e-320, 1e19, 1.5, 0x1p63, HUGE_VAL, -HUGE_VAL};
    char text[64];
    uint64_t kind = fuzz_take(bytes, 1), which = kind >> 3;
    size_t length;
    switch (kind % 8) {
    case 0:
        sqlite3_bind_null(row, at);
        break;
    case 1:
        sqlite3_bind_int64(row, at, whole[which % (sizeof whole / sizeof *whole)]);
        break;
    case 2:
        sqlite3_bind_int64(row, at, (int64_t)fuzz_take(bytes, 1));
        break;
    case 3:
        sqlite3_bind_double(row, at, real[which % (sizeof real / sizeof *real)]);
        break;
    case 4:
        length = fuzz_take_bytes(bytes, text, which);
        sqlite3_bind_blob(row, at, text, (int)length, SQLITE_TRANSIENT);
        break;
    case 5:
        sqlite3_bind_zeroblob(row, at, 70000);
        break;
    default:
        length = fuzz_take_bytes(bytes, text, which);
        sqlite3_bind_text(row, at, text, (int)length, SQLITE_TRANSIENT);
        break;
    }
}

static void edit_value(sqlite3 *db, const struct table *table, struct fuzz_bytes *bytes)
{
    struct pl_text sql = {0};
    sqlite3_stmt *row;
    uint64_t what = fuzz_take(bytes, 1), column = fuzz_take(bytes, 1), which = fuzz_take(bytes, 1);
    int64_t number = table->rows ? (int64_t)which % table->rows : 0;
    const char *name = table->columns[column % table->count];
    if (what % 8 == 7)
        pl_text_addf(&sql, "DELETE FROM \"%s\"", table->name);
    else
        pl_text_addf(&sql, "UPDATE \"%s\" SET \"%s\" = ?1", table->name, name);
    if (what % 8 != 6) /* 6: in every row */
        pl_text_addf(&sql, " WHERE (%s) = (SELECT %s FROM \"%s\" LIMIT 1 OFFSET %lld)", table->key, table->key,
                     table->name, (long long)number);
    if (sqlite3_prepare_v2(db, pl_text(&sql), -1, &row, NULL) == SQLITE_OK) {
        if (what % 8 != 7)
            bind_value(row, 1, bytes);
        sqlite3_step(row);
        sqlite3_finalize(row);
    }
    pl_text_release(&sql);
}

static void edit_bytes(const char *path, size_t size, struct fuzz_bytes *bytes)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    MUST(file >= 0);
    for (int i = 0; i < 20 && bytes->left; i++) {
        char patch[16];
        uint64_t how = fuzz_take(bytes, 1), at = fuzz_take(bytes, how & 128 ? 3 : 1);
        size_t length = fuzz_take_bytes(bytes, patch, how % 16 + 1);
        if (how % 128 == 127 && ftruncate(file, (off_t)(at % (size + 1))))
            abort();
        else if (pwrite(file, patch, length, (off_t)(at % size)) < 0)
            abort();
    }
    close(file);
}

static void make_database(const struct base *base, struct fuzz_bytes *bytes)
{
    uint64_t values = fuzz_take(bytes, 1) % 12;
    fuzz_file("t.db", base->bytes, base->size);
    static const char *const beside[] = {"t.db-wal", "t.db-shm", "t.db-journal"};
    for (int i = 0; i < 3; i++)
        unlink(fuzz_path(beside[i]));
    sqlite3 *db = values ? open_base(database) : NULL;
    while (values--)
        edit_value(db, &base->tables[fuzz_take(bytes, 1) % base->table_count], bytes);
    sqlite3_close(db);
    edit_bytes(database, base->size, bytes);
}

/* ---- the command */

/* What is written to a descriptor from now on goes to a file without a name; returns the old one. */
static int divert(int descriptor, int to)
{
    int saved = dup(descriptor);
    MUST(saved >= 0 && dup2(to, descriptor) >= 0);
    return saved;
}

static void put_back(int descriptor, int saved)
{
    MUST(dup2(saved, descriptor) >= 0);
    close(saved);
}

static bool says_null; /* the input does: it may come back in a message */

/* A failure says something, on standard error or (a check that has found something) as a result; none is empty behind
 * the program's name. */
static void check_messages(int code, int results, int messages)
{
    static char text[100000];
    ssize_t length = pread(messages, text, sizeof text - 1, 0);
    MUST(length >= 0 && code >= 0 && code <= 2);
    text[length] = '\0';
    MUST(code < 2 || !strncmp(text, "poula", 5));
    MUST(code == 0 || length > 0 || lseek(results, 0, SEEK_END) > 0);
    MUST(says_null || !strstr(text, "(null)"));
    for (const char *line = text; *line;) {
        size_t name = strncmp(line, "poula", 5) ? 0 : strcspn(line, ":\n");
        MUST(!name || line[name] != ':' || line[name + 1 + strspn(line + name + 1, " ")] != '\n');
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static void run_command(const char *const *words)
{
    char *arguments[20] = {pl_copy("poula")};
    int count = 1;
    bool named = false; /* the database */
    for (; *words; words++) {
        named = named || !strcmp(*words, "--db");
        arguments[count++] = pl_copy(*words);
    }
    if (!named) {
        arguments[count++] = pl_copy("--db");
        arguments[count++] = pl_copy(database);
    }
    int results = memfd_create("results", MFD_CLOEXEC), messages = memfd_create("messages", MFD_CLOEXEC);
    fflush(NULL);
    int saved_out = divert(STDOUT_FILENO, results), saved_err = divert(STDERR_FILENO, messages);
    int code = poula_main(count, arguments);
    fflush(NULL);
    clearerr(stdout);
    put_back(STDOUT_FILENO, saved_out);
    put_back(STDERR_FILENO, saved_err);
    check_messages(code, results, messages);
    close(results);
    close(messages);
    for (int i = 0; i < count; i++)
        free(arguments[i]);
}

/* ---- a page */

static void show_page(const char *const *words)
{
    char *names[20], *values[20];
    struct pl_text body = {0};
    struct pl_error err = {0};
    struct pl_visit visit = {.db = database, .path = words[0], .names = names, .values = values};
    for (words++; *words; words += 2, visit.count++) {
        names[visit.count] = pl_copy(words[0]);
        values[visit.count] = pl_copy(words[1]);
    }
    fuzz_must_say(pl_store_open(&visit.store, database, PL_STORE_READ, &err), &err);
    visit.trouble = visit.store ? NULL : err.text;
    pl_visit_answer(&visit, &body);
    MUST(visit.found && body.length);
    pl_store_close(visit.store);
    pl_text_release(&body);
    for (size_t i = 0; i < visit.count; i++) {
        free(names[i]);
        free(values[i]);
    }
}

/* ---- what a sweep does with a database */

/* Reports one value and ends the run. */
static int finish_run(struct pl_store *store, int64_t session, const struct pl_claim *claim, struct pl_error *err)
{
    struct pl_ending ending = {
        .session = session, .outcome = PL_FINISHED, .bad_epoch = -1, .exit_code = -1, .seconds = 1, .threads = 1};
    struct pl_settings settings = {0};
    double epoch = 1, value = 0.5;
    int64_t series;
    int status = pl_store_config(store, claim->config, &settings, err);
    if (!status)
        status = pl_store_series(store, "loss", PL_BY_EPOCH, &series, err);
    if (!status)
        status = pl_store_points(store, claim, series, &epoch, &value, 1, err);
    if (status >= 0)
        status = pl_store_end(store, claim, &ending, err);
    pl_settings_release(&settings);
    return status;
}

/* Gives back what the dead have left, claims runs of every sweep and ends them. */
static int work(struct pl_store *store, int64_t session, struct pl_error *err)
{
    enum { MOST = 4 };
    const struct pl_sweep_info *infos;
    struct pl_claim claims[MOST];
    int64_t recovered, sweeps[10];
    size_t count = 0, taken = 0;
    int status = pl_store_recover(store, &recovered, err);
    if (status >= 0)
        status = pl_store_sweeps(store, NULL, &infos, &count, err);
    count = status < 0 ? 0 : count < 10 ? count : 10;
    for (size_t i = 0; i < count; i++)
        sweeps[i] = infos[i].id;
    if (status >= 0)
        status = pl_store_claim(store, session, sweeps, count, "", claims, MOST, &taken, err);
    MUST(taken <= MOST);
    for (size_t i = 0; i < taken && status >= 0; i++)
        status = i % 2 ? pl_store_unclaim(store, &claims[i], err) : finish_run(store, session, &claims[i], err);
    return status;
}

static void take_part(void)
{
    static const struct pl_provenance provenance = {.host = "fuzz", .version = "0", .jobs = 1, .threads = 1};
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    int64_t session = 0;
    int status = pl_store_open(&store, database, PL_STORE_WRITE, &err);
    fuzz_must_say(status, &err);
    if (status)
        return;
    status = pl_store_join(store, &provenance, &session, &err);
    if (!status)
        status = work(store, session, &err);
    fuzz_must_say(status, &err);
    err = (struct pl_error){0};
    fuzz_must_say(session ? pl_store_leave(store, session, &err) : 0, &err);
    pl_store_close(store);
}

static void prepare(void)
{
    snprintf(database, sizeof database, "%s", fuzz_path("t.db"));
    snprintf(other, sizeof other, "%s", fuzz_path("other.db"));
    snprintf(out, sizeof out, "%s", fuzz_path("out"));
    snprintf(spec, sizeof spec, "%s", fuzz_file("spec.yaml", spec_text, sizeof spec_text - 1));
    snprintf(printed, sizeof printed, "%s", fuzz_file("printed.yaml", printed_text, sizeof printed_text - 1));
    setenv("PATH", "/nonexistent", 1); /* nothing is drawn: gnuplot would take most of the time */
    setenv("POULA_PATIENCE", "0", 1);
    if (__sanitizer_set_report_fd) /* a report comes while standard error is diverted */
        __sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
    for (int i = 0; i < 2 * BASES; i++)
        make_base(&bases[i / BASES][i % BASES], (enum kind)(i % BASES), i >= BASES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    if (!*database)
        prepare();
    says_null = memmem(data, size, "(null)", 6) != NULL;
    uint64_t which = fuzz_take(&bytes, 1), age = fuzz_take(&bytes, 1);
    const char *const *command = commands[which % COMMANDS];
    make_database(&bases[age < 128][age % 8 == 7 ? FIRST : age % 8 >= 4 ? FULL : NEWEST], &bytes);
    if (*command && (command[1] == other || command[1] == database))
        fuzz_file("other.db", bases[0][NEWEST].bytes, bases[0][NEWEST].size);
    if (!*command)
        take_part();
    else if (!strcmp(*command, "page"))
        show_page(command + 1);
    else
        run_command(command);
    return 0;
}
