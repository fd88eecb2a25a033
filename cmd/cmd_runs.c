#include "cmd_results.h"
#include "answer.h"
#include "collect.h"

#include "report/report.h"
#include "study/study.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct columns {
    struct pl_names all;    /* of the view runs */
    struct pl_names chosen; /* those of them that are shown only where they tell something */
    size_t settings;        /* so many of chosen are settings; the others are facts that most runs have not */
    bool *telling;          /* settings: do they differ among the runs to be shown? others: has a run one? */
};

static void add_name(struct pl_names *names, const char *name)
{
    names->names = pl_resize(names->names, names->count + 1, sizeof *names->names);
    names->names[names->count++] = pl_copy(name);
}

/* A view that an older poula made, in a file that cannot be written, may lack it: SQLite would take the name for a
 * text. */
static void add_fact(struct columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->all.count; i++)
        if (!strcmp(columns->all.names[i], name))
            add_name(&columns->chosen, name);
}

static int take_column(void *self, const struct pl_cell *cells, size_t count)
{
    struct columns *columns = self;
    (void)count;
    add_name(&columns->all, cells[0].text);
    if (cells[1].integer) {
        add_name(&columns->chosen, cells[0].text);
        columns->settings++;
    }
    return 0;
}

static int take_telling(void *self, const struct pl_cell *cells, size_t count)
{
    struct columns *columns = self;
    for (size_t i = 0; i < count; i++)
        columns->telling[i] = cells[i].integer != 0;
    return 0;
}

static void add_name_quoted(struct pl_text *sql, const char *name)
{
    pl_text_add_char(sql, '"');
    for (; *name; name++) {
        if (*name == '"')
            pl_text_add_char(sql, '"');
        pl_text_add_char(sql, *name);
    }
    pl_text_add_char(sql, '"');
}

/* The column that a condition means: its own name, or the setting of which it is another spelling. */
static const char *find_column(const struct columns *columns, const char *key)
{
    for (size_t i = 0; i < columns->all.count; i++)
        if (!strcmp(columns->all.names[i], key))
            return columns->all.names[i];
    struct pl_schema_sources sources = {0};
    const char *other = NULL;
    pl_train_schema_sources(&sources);
    for (size_t i = 0; i < sources.count && !other; i++) {
        const struct pl_schema_part *part = &sources.items[i].part;
        const struct pl_setting *setting = pl_setting_find(part->settings, part->count, key);
        other = setting && strcmp(setting->key, key) ? setting->key : NULL;
    }
    pl_schema_sources_release(&sources);
    return other ? find_column(columns, other) : NULL;
}

static void add_value(struct pl_text *sql, const struct pl_value *value)
{
    struct pl_text spelled = {0};
    pl_value_write(value, &spelled);
    if (value->type == PL_REAL && isinf(value->real))
        pl_text_add(sql, value->real > 0 ? "9e999" : "-9e999");
    else if (value->type == PL_BOOLEAN)
        pl_text_add(sql, value->boolean ? "1" : "0");
    else if (value->type != PL_STRING)
        pl_text_add(sql, pl_text(&spelled));
    if (value->type != PL_STRING)
        pl_text_add(sql, ", ");
    pl_cmd_add_sql_text(sql, pl_text(&spelled)); /* a text that looks like a number is a text all the same */
    pl_text_release(&spelled);
}

static void add_end(struct pl_text *sql, const char *column, const char *sign, bool open, double end)
{
    pl_text_add(sql, " AND ");
    add_name_quoted(sql, column);
    pl_text_addf(sql, " %s%s ", sign, open ? "" : "=");
    if (isinf(end))
        pl_text_add(sql, end > 0 ? "9e999" : "-9e999");
    else
        pl_text_add_number(sql, end);
}

/* One of the alternatives of a condition; texts are greater than all numbers in SQLite, so their type is asked for. */
static void add_alternative(struct pl_text *sql, const char *column, const struct pl_condition *condition, size_t i)
{
    if (i < condition->count) {
        add_name_quoted(sql, column);
        pl_text_add(sql, " IN (");
        add_value(sql, &condition->values[i]);
        pl_text_add(sql, ")");
        return;
    }
    const struct pl_range *range = &condition->ranges[i - condition->count];
    pl_text_add(sql, "(typeof(");
    add_name_quoted(sql, column);
    pl_text_add(sql, ") IN ('integer', 'real')");
    add_end(sql, column, ">", range->low_open, range->low);
    add_end(sql, column, "<", range->high_open, range->high);
    pl_text_add(sql, ")");
}

struct listing {
    int64_t count;
    struct pl_text *text;
};

static int take_count(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    ((struct listing *)self)->count = cells[0].integer;
    return 0;
}

static int take_value(void *self, const struct pl_cell *cells, size_t count)
{
    struct listing *l = self;
    (void)count;
    pl_text_addf(l->text, "%s%s", l->count ? ", " : "", l->count < 12 ? cells[0].text : "...");
    l->count++;
    return 0;
}

/* A value that no run has is more likely a slip than a question: says what there is. */
static int check_alternative(const struct pl_args *args, struct pl_store *store, const char *column,
                             const struct pl_condition *condition, size_t i)
{
    struct pl_text sql = {0}, there = {0};
    struct pl_error err;
    struct listing l = {0, &there};
    int code = 0;
    pl_text_add(&sql, "SELECT EXISTS (SELECT 1 FROM runs WHERE ");
    add_alternative(&sql, column, condition, i);
    pl_text_add(&sql, ")");
    if (pl_store_query(store, pl_text(&sql), NULL, take_count, &l, &err))
        code = pl_cmd_fail(args, &err);
    if (!code && !l.count) {
        struct pl_condition one = {.key = condition->key};
        struct pl_text wanted = {0};
        bool value = i < condition->count;
        one.values = value ? &condition->values[i] : NULL;
        one.ranges = value ? NULL : &condition->ranges[i - condition->count];
        one.count = value;
        one.range_count = !value;
        pl_where_write(&one, &wanted);
        pl_text_clear(&sql);
        pl_text_add(&sql, "SELECT DISTINCT ");
        add_name_quoted(&sql, column);
        pl_text_add(&sql, " FROM runs WHERE ");
        add_name_quoted(&sql, column);
        pl_text_add(&sql, " IS NOT NULL ORDER BY 1 LIMIT 13");
        code = pl_store_query(store, pl_text(&sql), NULL, take_value, &l, &err) ? pl_cmd_fail(args, &err) : 0;
        if (!code)
            code = pl_cmd_usage_error(args, "no run has %s; there %s: %s", pl_text(&wanted),
                                      l.count == 1 ? "is" : "are", l.count ? pl_text(&there) : "none at all");
        pl_text_release(&wanted);
    }
    pl_text_release(&sql);
    pl_text_release(&there);
    return code;
}

static int add_condition(const struct pl_args *args, struct pl_store *store, const struct columns *columns,
                         const struct pl_condition *condition, struct pl_text *sql)
{
    const char *column = find_column(columns, condition->key);
    int code = 0;
    if (!column) {
        struct pl_candidates names = {0};
        struct pl_text hint = {0};
        for (size_t i = 0; i < columns->all.count; i++)
            pl_candidates_add(&names, columns->all.names[i]);
        pl_candidates_hint(&names, condition->key, "", &hint);
        code = pl_cmd_usage_error(args, "no run has a setting \"%s\"%s", condition->key, pl_text(&hint));
        pl_text_release(&hint);
        pl_candidates_release(&names);
        return code;
    }
    pl_text_addf(sql, " AND %s(", condition->negated ? "NOT " : "");
    for (size_t i = 0; i < condition->count + condition->range_count && !code; i++) {
        pl_text_add(sql, i ? " OR " : "");
        add_alternative(sql, column, condition, i);
        code = check_alternative(args, store, column, condition, i);
    }
    pl_text_add(sql, ")");
    return code;
}

/* The runs of a study, with what it decides about those that came to their end. */
static void add_study(struct pl_text *sql, const struct columns *columns, const char *study)
{
    pl_text_add(sql, "SELECT ");
    for (size_t i = 0; i < columns->all.count; i++) {
        const char *name = columns->all.names[i];
        bool judged = !strcmp(name, "status") || !strcmp(name, "bad_epoch");
        pl_text_add(sql, i ? ", " : "");
        pl_text_add(sql, judged ? "CASE WHEN s.status IN ('finished', 'diverged') THEN s." : "v.");
        add_name_quoted(sql, name);
        if (!judged)
            continue;
        pl_text_addf(sql, " ELSE v.%s END AS %s", name, name);
    }
    pl_text_add(sql, " FROM study_runs AS s JOIN runs AS v ON v.run = s.run WHERE s.study = ");
    pl_cmd_add_sql_text(sql, study);
}

/* FROM and WHERE of the runs to be shown. */
static int build_source(const struct pl_args *args, struct pl_store *store, const struct columns *columns,
                        struct pl_text *sql)
{
    struct pl_condition *where = NULL;
    size_t count = 0;
    int64_t limit;
    if (!pl_args_integer(args, "limit", 1, INT64_MAX, INT64_MAX, &limit) || !pl_cmd_read_where(args, &where, &count)) {
        pl_where_free(where, count);
        return 2;
    }
    const char *study = pl_args_get(args, "study", NULL), *status;
    pl_text_add(sql, " FROM (SELECT * FROM (");
    if (study)
        add_study(sql, columns, study);
    else
        pl_text_add(sql, "SELECT * FROM runs");
    pl_text_add(sql, ") WHERE 1");
    for (size_t i = 0; (status = pl_args_nth(args, "status", i)); i++) {
        pl_text_add(sql, i ? ", " : " AND status IN (");
        pl_cmd_add_sql_text(sql, status);
    }
    if (pl_args_has(args, "status"))
        pl_text_add(sql, ")");
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        code = add_condition(args, store, columns, &where[i], sql);
    pl_text_addf(sql, " ORDER BY run LIMIT %lld)", (long long)limit);
    pl_where_free(where, count);
    return code;
}

static int find_telling(struct pl_store *store, const char *source, struct columns *columns, struct pl_error *err)
{
    struct pl_text sql = {0}, name = {0};
    columns->telling = pl_new(columns->chosen.count);
    for (size_t i = 0; i < columns->chosen.count; i++) {
        pl_text_clear(&name);
        add_name_quoted(&name, columns->chosen.names[i]);
        const char *n = pl_text(&name);
        pl_text_add(&sql, i ? ", " : "SELECT ");
        if (i < columns->settings)
            pl_text_addf(&sql, "min(%s) IS NOT max(%s) OR count(%s) NOT IN (0, count(*))", n, n, n);
        else
            pl_text_addf(&sql, "count(%s) > 0", n);
    }
    pl_text_add(&sql, source);
    int status = pl_store_query(store, pl_text(&sql), NULL, take_telling, columns, err);
    pl_text_release(&sql);
    pl_text_release(&name);
    return status;
}

static int list_runs(const struct pl_args *args, struct pl_store *store, struct columns *columns)
{
    struct pl_text source = {0}, sql = {0};
    struct pl_error err;
    bool wide = pl_args_has(args, "all");
    int code = build_source(args, store, columns, &source);
    if (!code && !wide && columns->chosen.count && find_telling(store, pl_text(&source), columns, &err))
        code = pl_cmd_fail(args, &err);
    if (!code) {
        pl_text_add(&sql, wide ? "SELECT *" : "SELECT run, substr(key, 1, 12) AS key, status, seed, seconds");
        for (size_t i = 0; !wide && i < columns->chosen.count; i++) {
            if (!columns->telling[i])
                continue;
            pl_text_add(&sql, ", ");
            add_name_quoted(&sql, columns->chosen.names[i]);
        }
        pl_text_add(&sql, pl_text(&source));
        code = pl_cmd_answer(args, store, pl_text(&sql), stdout, pl_cmd_format(args, &pl_format_text));
    }
    pl_text_release(&source);
    pl_text_release(&sql);
    return code;
}

static int run(const struct pl_args *args)
{
    static const char names[] = "SELECT p.name, k.id IS NOT NULL FROM pragma_table_info('runs') AS p"
                                " LEFT JOIN setting_key AS k ON k.name = p.name ORDER BY p.cid";
    struct pl_store *store;
    struct pl_error err;
    struct columns columns = {0};
    const struct pl_sweep_info *sweeps;
    size_t count;
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    const char *study = pl_args_get(args, "study", NULL);
    if ((study && pl_store_sweeps(store, study, &sweeps, &count, &err)) ||
        pl_store_query(store, names, NULL, take_column, &columns, &err))
        code = pl_cmd_fail(args, &err);
    if (!code) {
        if (pl_args_has(args, "status")) { /* where and since when they are at work, say */
            add_fact(&columns, "started");
            add_fact(&columns, "host");
        }
        add_fact(&columns, "at_epoch");
        add_fact(&columns, "bad_epoch");
        add_fact(&columns, "unsaved");
        add_fact(&columns, "reason");
        code = list_runs(args, store, &columns);
    }
    pl_names_release(&columns.all);
    pl_names_release(&columns.chosen);
    free(columns.telling);
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "study", .argument = "NAME", .help = "only runs of the newest sweep of this study"},
    {.name = "status",
     .argument = "STATUS",
     .help = "only runs with this status (repeatable)",
     .words = "planned queued running finished diverged failed interrupted"},
    {.name = "where",
     .argument = "KEY=VALUE",
     .help = "only runs with such a setting (repeatable; VALUE,... is any of, A..B a range; also <, >, !=)"},
    {.name = "limit", .letter = 'n', .argument = "N", .help = "at most N runs"},
    {.name = "all", .help = "show every column, not only settings that differ"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
    PL_NO_COLLECT,
};

const struct pl_command pl_cmd_runs = {
    .name = "runs",
    .summary = "list runs, their status and settings",
    .arguments = "",
    .description = "Lists the runs in the database, one a line, with the settings in which the listed runs differ.",
    .example = "poula runs --status failed --where optimizer=sgd --limit 20",
    PL_OPTIONS(options),
    .run = run,
};
