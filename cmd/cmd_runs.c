#include "collect.h"
#include "pick.h"

#include <stdlib.h>
#include <string.h>

/* Columns that are shown only where they tell something. */
struct columns {
    struct pl_names chosen;
    size_t settings; /* so many of chosen are settings; the others are facts that most runs have not */
    bool placed;     /* started and host are shown of runs that have ended, too */
    bool *telling;   /* settings: do they differ among the runs to be shown? others: has a run one? */
};

/* A view that an older poula made, in a file that cannot be written, may lack it: SQLite would take the name for a
 * text. */
static void add_fact(struct columns *columns, const struct pl_run_pick *pick, const char *name)
{
    if (pl_names_have(&pick->columns, name))
        pl_names_add(&columns->chosen, name);
}

static int take_telling(void *self, const struct pl_cell *cells, size_t count)
{
    struct columns *columns = self;
    for (size_t i = 0; i < count; i++)
        columns->telling[i] = cells[i].integer != 0;
    return 0;
}

/* Where and since when a run is at work, which says little of those that have ended. */
static bool is_place(const char *name)
{
    return !strcmp(name, "started") || !strcmp(name, "host");
}

static int find_telling(struct pl_store *store, const char *source, struct columns *columns, struct pl_error *err)
{
    struct pl_text sql = {0}, name = {0};
    columns->telling = pl_new(columns->chosen.count);
    for (size_t i = 0; i < columns->chosen.count; i++) {
        pl_text_clear(&name);
        pl_pick_add_name(&name, columns->chosen.names[i]);
        const char *n = pl_text(&name);
        pl_text_add(&sql, i ? ", " : "SELECT ");
        if (i < columns->settings)
            pl_text_addf(&sql, "min(%s) IS NOT max(%s) OR count(%s) NOT IN (0, count(*))", n, n, n);
        else if (!columns->placed && is_place(columns->chosen.names[i]))
            pl_text_add(&sql, "count(CASE status WHEN 'running' THEN 1 END) > 0");
        else
            pl_text_addf(&sql, "count(%s) > 0", n);
    }
    pl_text_add(&sql, source);
    int status = pl_store_query(store, pl_text(&sql), NULL, take_telling, columns, err);
    pl_text_release(&sql);
    pl_text_release(&name);
    return status;
}

/* The columns of --metric: the last ones. */
static size_t metric_count(const struct pl_args *args)
{
    size_t count = 0;
    while (pl_args_nth(args, "metric", count))
        count++;
    return count;
}

struct answer {
    bool yes;
};

static int take_way(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    ((struct answer *)self)->yes = cells[0].integer != 0;
    return 0;
}

/* Has a run of the study, or of the database, such a best value? condition: SQL over the view best, "" for any. */
static bool has_metric(const struct pl_run_pick *pick, const char *name, const char *condition)
{
    struct pl_text sql = {0};
    struct answer answer = {false};
    struct pl_error err;
    const char *study = pl_args_get(pick->args, "study", NULL);
    pl_text_addf(&sql, "SELECT EXISTS (SELECT 1 FROM %s WHERE metric = ", study ? "study_best" : "best");
    pl_cmd_add_sql_text(&sql, name);
    if (study) {
        pl_text_add(&sql, " AND study = ");
        pl_cmd_add_sql_text(&sql, study);
    }
    pl_text_addf(&sql, "%s)", condition);
    pl_store_query(pick->store, pl_text(&sql), NULL, take_way, &answer, &err);
    pl_text_release(&sql);
    return answer.yes;
}

/* The column of a --metric that is spelled so: "last loss" is called loss. */
static const char *metric_column(const struct pl_run_pick *pick, const char *given)
{
    size_t count = metric_count(pick->args);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(pl_args_nth(pick->args, "metric", i), given))
            return pick->columns.names[pick->columns.count - count + i];
    return NULL;
}

static int no_column(const struct pl_run_pick *pick, const char *given)
{
    if (!has_metric(pick, given, ""))
        return pl_pick_unknown(pick, given);
    return pl_cmd_usage_error(pick->args, "there is no column \"%s\" to sort by: --metric %s shows one", given, given);
}

/* "lambda", "-lambda" (descending), or a column of --metric, its best values first. */
static int add_order(const struct pl_run_pick *pick, struct pl_text *sql)
{
    const char *given = pl_args_get(pick->args, "sort", "run");
    bool down = *given == '-';
    const char *column = metric_column(pick, given + down);
    column = column ? column : pl_pick_column(pick, given + down);
    if (!column)
        return no_column(pick, given + down);
    for (size_t i = pick->columns.count - metric_count(pick->args); i < pick->columns.count; i++)
        if (!strcmp(pick->columns.names[i], column) && has_metric(pick, column, " AND better = 'max'"))
            down = !down;
    pl_text_add(sql, " ORDER BY ");
    pl_pick_add_name(sql, column);
    pl_text_addf(sql, "%s NULLS LAST, run", down ? " DESC" : "");
    return 0;
}

static void add_columns(const struct pl_run_pick *pick, const struct columns *columns, struct pl_text *sql)
{
    pl_text_add(sql, "SELECT run, substr(key, 1, 12) AS key, status, seed, seconds");
    for (size_t i = pick->columns.count - metric_count(pick->args); i < pick->columns.count; i++) {
        pl_text_add(sql, ", ");
        pl_pick_add_name(sql, pick->columns.names[i]);
    }
    for (size_t i = 0; i < columns->chosen.count; i++) {
        if (!columns->telling[i])
            continue;
        pl_text_add(sql, ", ");
        pl_pick_add_name(sql, columns->chosen.names[i]);
    }
}

static int list_runs(struct pl_run_pick *pick, struct columns *columns)
{
    struct pl_text source = {0}, limited = {0}, sql = {0};
    struct pl_error err;
    int64_t limit;
    bool wide = pl_args_has(pick->args, "all");
    int code = pl_args_integer(pick->args, "limit", 1, INT64_MAX, INT64_MAX, &limit) ? 0 : 2;
    if (!code)
        code = pl_pick_source(pick, &source);
    pl_text_addf(&limited, " FROM (SELECT *%s", pl_text(&source));
    if (!code)
        code = add_order(pick, &limited);
    pl_text_addf(&limited, " LIMIT %lld)", (long long)limit);
    if (!code && !wide && columns->chosen.count && find_telling(pick->store, pl_text(&limited), columns, &err))
        code = pl_cmd_fail(pick->args, &err);
    if (!code) {
        if (wide)
            pl_text_add(&sql, "SELECT *");
        else
            add_columns(pick, columns, &sql);
        pl_text_add(&sql, pl_text(&limited));
        code = pl_cmd_answer(pick->args, pick->store, pl_text(&sql), stdout,
                             pl_cmd_format(pick->args, &pl_format_text));
    }
    pl_text_release(&source);
    pl_text_release(&limited);
    pl_text_release(&sql);
    return code;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store;
    struct pl_run_pick pick = {0};
    struct columns columns = {0};
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    code = pl_pick_open(&pick, args, store);
    if (!code) {
        for (size_t i = 0; i < pick.settings.count; i++)
            pl_names_add(&columns.chosen, pick.settings.names[i]);
        columns.settings = columns.chosen.count;
        columns.placed = pl_args_has(args, "status") || pl_args_has(args, "since");
        add_fact(&columns, &pick, "started");
        add_fact(&columns, &pick, "host");
        add_fact(&columns, &pick, "at_epoch");
        add_fact(&columns, &pick, "stopped_at");
        add_fact(&columns, &pick, "bad_epoch");
        add_fact(&columns, &pick, "unsaved");
        add_fact(&columns, &pick, "tags");
        add_fact(&columns, &pick, "note");
        add_fact(&columns, &pick, "reason");
        code = list_runs(&pick, &columns);
    }
    pl_pick_close(&pick);
    pl_names_release(&columns.chosen);
    free(columns.telling);
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    PL_PICK_OPTIONS,
    {.name = "metric",
     .argument = "METRIC",
     .help = "a column with its best value, or \"last METRIC\", \"best-valid METRIC\"",
     .repeats = true},
    {.name = "sort",
     .argument = "COLUMN",
     .help = "by this column, the best of a metric first (-COLUMN: the other way)"},
    {.name = "limit", .letter = 'n', .argument = "N", .help = "at most N runs"},
    {.name = "all", .help = "show every column, not only settings that differ"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
    PL_NO_COLLECT,
};

const struct pl_command pl_cmd_runs = {
    .name = "runs",
    .summary = "list runs, their status and settings",
    .arguments = "",
    .description =
        "Lists the runs in the database, one a line, with the settings in which the listed runs differ. "
        "--where and --sort take settings, the columns of the view runs (docs/database.md), and what --metric "
        "shows.",
    .example = "poula runs --metric \"best loss\" --sort loss --where \"lambda<0.1\" --limit 20",
    PL_OPTIONS(options),
    .run = run,
};
