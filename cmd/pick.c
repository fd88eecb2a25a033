/* Which runs a command line means, as SQL over the views. */
#include "pick.h"

#include "cmd_results.h"
#include "store/look.h"
#include "train/train.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int take_column(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_run_pick *pick = self;
    (void)count;
    pl_names_add(&pick->columns, cells[0].text);
    if (cells[1].integer)
        pl_names_add(&pick->settings, cells[0].text);
    if (cells[1].integer && strcmp(cells[0].text, cells[2].text)) {
        pl_names_add(&pick->renamed, cells[2].text);
        pl_names_add(&pick->renamed, cells[0].text);
    }
    return 0;
}

void pl_pick_add_name(struct pl_text *sql, const char *name)
{
    pl_store_add_identifier(sql, name);
}

static const char *find_column(const struct pl_run_pick *pick, const char *name)
{
    for (size_t i = 0; i < pick->columns.count; i++)
        if (!strcmp(pick->columns.names[i], name))
            return pick->columns.names[i];
    return NULL;
}

/* The column of a setting whose own name is a fact's in some view: setting_n of n. */
static const char *renamed(const struct pl_run_pick *pick, const char *key)
{
    for (size_t i = 0; i < pick->renamed.count; i += 2)
        if (!strcmp(pick->renamed.names[i], key))
            return pick->renamed.names[i + 1];
    return NULL;
}

const char *pl_pick_column(const struct pl_run_pick *pick, const char *key)
{
    const char *column = find_column(pick, key);
    column = column ? column : renamed(pick, key);
    size_t at = 0;
    for (const char *other; !column && (other = pl_train_key_of(key, &at));)
        column = find_column(pick, other);
    return column;
}

int pl_pick_unknown(const struct pl_run_pick *pick, const char *key)
{
    struct pl_candidates names = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < pick->columns.count; i++)
        pl_candidates_add(&names, pick->columns.names[i]);
    pl_candidates_hint(&names, key, "", &hint);
    int code = pl_cmd_usage_error(pick->args, "no run has a setting \"%s\"%s", key, pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&names);
    return code;
}

/* ---- conditions ---- */

static void add_alternative(struct pl_text *sql, const char *column, const struct pl_condition *condition, size_t i)
{
    struct pl_text quoted = {0};
    pl_pick_add_name(&quoted, column);
    pl_store_add_alternative(sql, pl_text(&quoted), condition, i);
    pl_text_release(&quoted);
}

struct listing {
    int64_t count, words;
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
    enum { SHOWN = 12 };
    struct listing *l = self;
    (void)count;
    pl_text_addf(l->text, "%s%s", l->count ? ", " : "", l->count < SHOWN ? cells[0].text : "...");
    l->count++;
    l->words += cells[0].kind == PL_CELL_TEXT;
    return 0;
}

/* Says what is wrong with an alternative that no run has. */
static int complain(const struct pl_run_pick *pick, const char *column, const struct pl_condition *condition, size_t i)
{
    struct pl_text sql = {0}, there = {0}, why = {0};
    struct pl_error err;
    struct listing l = {0, 0, &there};
    pl_text_add(&sql, "SELECT DISTINCT ");
    pl_pick_add_name(&sql, column);
    pl_text_addf(&sql, " FROM (%s) WHERE ", pl_text(&pick->base));
    pl_pick_add_name(&sql, column);
    pl_text_add(&sql, " IS NOT NULL ORDER BY 1 LIMIT 13");
    int code = pl_store_query(pick->store, pl_text(&sql), NULL, take_value, &l, &err) ? pl_cmd_fail(pick->args, &err)
                                                                                      : 0;
    if (!code) {
        pl_condition_slip(condition, i, "", l.count && !l.words, &why);
        pl_text_addf(&why, "; there %s: %s", l.count == 1 ? "is" : "are", l.count ? pl_text(&there) : "none at all");
        if (renamed(pick, condition->key) && strcmp(column, renamed(pick, condition->key)))
            pl_text_addf(&why, "; the setting %s is %s here", condition->key, renamed(pick, condition->key));
        code = pl_cmd_usage_error(pick->args, "%s", pl_text(&why));
    }
    pl_text_release(&sql);
    pl_text_release(&there);
    pl_text_release(&why);
    return code;
}

static bool is_setting(const struct pl_run_pick *pick, const char *column)
{
    return pl_names_have(&pick->settings, column) || !strcmp(column, "seed") || !strcmp(column, "status");
}

/* A value that no run has is more likely a slip than a question: says what there is. How far a fact or a metric goes is
 * a question. */
static int check_alternative(const struct pl_run_pick *pick, const char *column, const struct pl_condition *condition,
                             size_t i)
{
    struct pl_text sql = {0};
    struct pl_error err;
    struct listing l = {0};
    if (i >= condition->count && !is_setting(pick, column))
        return 0;
    pl_text_addf(&sql, "SELECT EXISTS (SELECT 1 FROM (%s) WHERE ", pl_text(&pick->base));
    add_alternative(&sql, column, condition, i);
    pl_text_add(&sql, ")");
    int code = pl_store_query(pick->store, pl_text(&sql), NULL, take_count, &l, &err) ? pl_cmd_fail(pick->args, &err)
                                                                                      : 0;
    pl_text_release(&sql);
    return code || l.count ? code : complain(pick, column, condition, i);
}

static int add_condition(const struct pl_run_pick *pick, const struct pl_condition *condition, struct pl_text *sql)
{
    const char *column = pl_pick_column(pick, condition->key);
    int code = 0;
    if (!column)
        return pl_pick_unknown(pick, condition->key);
    pl_text_addf(sql, " AND %s(", condition->negated ? "NOT " : "");
    for (size_t i = 0; i < condition->count + condition->range_count && !code; i++) {
        pl_text_add(sql, i ? " OR " : "");
        add_alternative(sql, column, condition, i);
        code = check_alternative(pick, column, condition, i);
    }
    pl_text_add(sql, ")");
    return code;
}

/* ---- the runs of a study, and metrics ---- */

/* The runs of a study, with what it decides about those that came to their end. */
static void add_study(const struct pl_run_pick *pick, struct pl_text *sql, const char *study)
{
    pl_text_add(sql, "SELECT ");
    for (size_t i = 0; i < pick->columns.count; i++) {
        const char *name = pick->columns.names[i];
        bool judged = !strcmp(name, "status") || !strcmp(name, "bad_epoch");
        pl_text_add(sql, i ? ", " : "");
        pl_text_add(sql, judged ? "CASE WHEN s.status IN ('finished', 'diverged', 'stopped') THEN s."
                                : (strcmp(name, "stopped_at") ? "v." : "s."));
        pl_pick_add_name(sql, name);
        if (!judged)
            continue;
        pl_text_addf(sql, " ELSE v.%s END AS %s", name, name);
    }
    pl_text_add(sql, " FROM study_runs AS s JOIN runs AS v ON v.run = s.run WHERE s.study = ");
    pl_cmd_add_sql_text(sql, study);
}

/* A column with what --metric asks of each run. */
static int add_metric(struct pl_run_pick *pick, const char *study, const char *given, struct pl_text *columns)
{
    static const char *const of[PL_SELECT_COUNT] = {"value", "last", "at_best_valid"};
    enum pl_select select;
    const char *metric;
    struct listing known = {0};
    struct pl_text sql = {0};
    struct pl_error err;
    if (!pl_select_read(given, &select, &metric))
        return pl_cmd_usage_error(pick->args,
                                  "--metric is '%s', but must be like val_acc, or best, last or best-valid "
                                  "and a metric",
                                  given);
    pl_text_add(&sql, "SELECT count(*) FROM series WHERE name = ");
    pl_cmd_add_sql_text(&sql, metric);
    int code = pl_store_query(pick->store, pl_text(&sql), NULL, take_count, &known, &err)
                   ? pl_cmd_fail(pick->args, &err)
                   : 0;
    pl_text_release(&sql);
    if (!code && !known.count)
        return pl_cmd_usage_error(pick->args,
                                  "no run has recorded the metric %s; 'poula show metrics' lists those of a "
                                  "study",
                                  metric);
    pl_text_addf(columns, ", (SELECT b.%s FROM %s AS b WHERE b.run = q.run AND b.metric = ", of[select],
                 study ? "study_best" : "best");
    pl_cmd_add_sql_text(columns, metric);
    if (study) {
        pl_text_add(columns, " AND b.study = ");
        pl_cmd_add_sql_text(columns, study);
    }
    struct pl_text name = {0};
    pl_text_addf(&name, "%s%s", metric, pl_pick_column(pick, metric) ? "_value" : "");
    pl_text_add(columns, ") AS ");
    pl_pick_add_name(columns, pl_text(&name));
    pl_names_add(&pick->columns, pl_text(&name));
    pl_text_release(&name);
    return code;
}

static int add_base(struct pl_run_pick *pick)
{
    const char *study = pl_args_get(pick->args, "study", NULL), *given;
    struct pl_text metrics = {0};
    int code = 0;
    pl_text_add(&pick->base, "SELECT q.*");
    struct pl_text rows = {0};
    if (study)
        add_study(pick, &rows, study);
    else
        pl_text_add(&rows, "SELECT * FROM runs");
    for (size_t i = 0; !code && (given = pl_args_nth(pick->args, "metric", i)); i++)
        code = add_metric(pick, study, given, &metrics);
    pl_text_addf(&pick->base, "%s FROM (%s) AS q", pl_text(&metrics), pl_text(&rows));
    pl_text_release(&metrics);
    pl_text_release(&rows);
    return code;
}

int pl_pick_open(struct pl_run_pick *pick, const struct pl_args *args, struct pl_store *store)
{
    static const char names[] =
        "SELECT p.name, k.id IS NOT NULL, CAST(coalesce(k.key, p.name) AS TEXT) FROM pragma_table_info('runs') AS p"
        " LEFT JOIN setting_key AS k ON k.name = p.name ORDER BY p.cid";
    const struct pl_sweep_info *sweeps;
    struct pl_error err;
    size_t count;
    const char *study = pl_args_get(args, "study", NULL);
    pick->args = args;
    pick->store = store;
    if ((study && pl_store_sweeps(store, study, &sweeps, &count, &err)) ||
        pl_store_query(store, names, NULL, take_column, pick, &err))
        return pl_cmd_fail(args, &err);
    return add_base(pick);
}

void pl_pick_close(struct pl_run_pick *pick)
{
    pl_names_release(&pick->columns);
    pl_names_release(&pick->settings);
    pl_names_release(&pick->renamed);
    pl_text_release(&pick->base);
}

/* ---- the source ---- */

static int two_digits(const char *s)
{
    return 10 * (s[0] - '0') + s[1] - '0';
}

/* "2026-09-01", "2026-09-01T12:00" or with seconds, as the views spell times. */
static bool read_date(const char *given, struct pl_text *date)
{
    static const char like[] = "0000-00-00 00:00:00";
    size_t n = strlen(given);
    if (n != 10 && n != 16 && n != 19)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool fits = like[i] == '0' ? isdigit((unsigned char)given[i])
                                   : given[i] == like[i] || (like[i] == ' ' && given[i] == 'T');
        if (!fits)
            return false;
        pl_text_add_char(date, like[i] == ' ' ? ' ' : given[i]);
    }
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = two_digits(given + 5), day = two_digits(given + 8);
    int year = 100 * two_digits(given) + two_digits(given + 2);
    bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap) &&
           (n < 16 || (two_digits(given + 11) < 24 && two_digits(given + 14) < 60)) &&
           (n < 19 || two_digits(given + 17) < 60);
}

/* A tag that no run has is a slip, as a value is. */
static int check_tag(const struct pl_run_pick *pick, const char *tag)
{
    struct pl_text sql = {0}, there = {0};
    struct pl_error err;
    struct listing known = {0}, l = {0, 0, &there};
    pl_text_add(&sql, "SELECT EXISTS (SELECT 1 FROM tag WHERE name = ");
    pl_cmd_add_sql_text(&sql, tag);
    pl_text_add(&sql, ")");
    int status = pl_store_query(pick->store, pl_text(&sql), NULL, take_count, &known, &err);
    if (!status && !known.count)
        status = pl_store_query(pick->store, "SELECT DISTINCT name FROM tag ORDER BY name LIMIT 13", NULL, take_value,
                                &l, &err);
    int code = status ? pl_cmd_fail(pick->args, &err) : 0;
    if (!code && !known.count)
        code = pl_cmd_usage_error(pick->args, "no run has the tag %s; there %s: %s", tag, l.count == 1 ? "is" : "are",
                                  l.count ? pl_text(&there) : "none at all");
    pl_text_release(&sql);
    pl_text_release(&there);
    return code;
}

static int add_options(const struct pl_run_pick *pick, struct pl_text *sql)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(pick->args, "status", i)); i++) {
        pl_text_add(sql, i ? ", " : " AND status IN (");
        pl_cmd_add_sql_text(sql, given);
    }
    if (pl_args_has(pick->args, "status"))
        pl_text_add(sql, ")");
    for (size_t i = 0; (given = pl_args_nth(pick->args, "tag", i)); i++) {
        pl_text_add(sql, " AND run IN (SELECT t.run FROM tag AS t WHERE t.name = ");
        pl_cmd_add_sql_text(sql, given);
        pl_text_add(sql, ")");
        if (check_tag(pick, given))
            return 2;
    }
    if ((given = pl_args_get(pick->args, "since", NULL))) {
        struct pl_text date = {0};
        bool good = read_date(given, &date);
        pl_text_add(sql, " AND started >= ");
        pl_cmd_add_sql_text(sql, pl_text(&date));
        pl_text_release(&date);
        if (!good)
            return pl_cmd_usage_error(pick->args,
                                      "--since is '%s', but must be like 2026-09-01 or 2026-09-01T12:30 (UTC)", given);
    }
    return 0;
}

static bool is_condition(const char *argument)
{
    return argument[strcspn(argument, "=<>!")] != '\0';
}

/* Conditions of --where, and arguments that are conditions where the command takes runs. */
static int read_conditions(const struct pl_args *args, struct pl_condition **where, size_t *count)
{
    if (!pl_cmd_read_where(args, where, count))
        return 2;
    for (size_t i = 0; i < args->count; i++)
        if (is_condition(args->arguments[i]) && !pl_where_read(args->arguments[i], where, count))
            return pl_cmd_usage_error(args, "'%s' must be like lambda=0.1, seed=1,2, \"lambda<0.1\" or status=failed",
                                      args->arguments[i]);
    return 0;
}

int pl_pick_source(struct pl_run_pick *pick, struct pl_text *sql)
{
    struct pl_condition *where = NULL;
    size_t count = 0;
    pl_text_addf(sql, " FROM (SELECT * FROM (%s) WHERE 1", pl_text(&pick->base));
    int code = add_options(pick, sql);
    if (!code)
        code = read_conditions(pick->args, &where, &count);
    for (size_t i = 0; !code && i < count; i++)
        code = add_condition(pick, &where[i], sql);
    pl_text_add(sql, ")");
    pl_where_free(where, count);
    return code;
}

/* ---- runs by number ---- */

struct found {
    int64_t *runs;
    size_t count, capacity;
};

static void add_run(struct found *found, int64_t run)
{
    void *list = found->runs;
    for (size_t i = found->count; i-- > 0 && found->count < 1000;) /* typed twice */
        if (found->runs[i] == run)
            return;
    pl_grow(&list, &found->capacity, found->count + 1, sizeof *found->runs);
    found->runs = list;
    found->runs[found->count++] = run;
}

static int take_run(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    add_run(self, cells[0].integer);
    return 0;
}

static int take_names(const struct pl_args *args, struct pl_store *store, struct found *found)
{
    struct pl_run_info info;
    struct pl_error err;
    for (size_t i = 0; i < args->count; i++) {
        if (is_condition(args->arguments[i]))
            continue;
        if (pl_store_run_info(store, args->arguments[i], &info, &err))
            return pl_cmd_fail(args, &err);
        add_run(found, info.run);
        pl_run_info_release(&info);
    }
    return 0;
}

static int take_picked(const struct pl_args *args, struct pl_store *store, struct found *found)
{
    struct pl_run_pick pick = {0};
    struct pl_text source = {0}, sql = {0};
    struct pl_error err;
    int code = pl_pick_open(&pick, args, store);
    if (!code)
        code = pl_pick_source(&pick, &source);
    pl_text_addf(&sql, "SELECT run%s ORDER BY run", pl_text(&source));
    if (!code && pl_store_query(store, pl_text(&sql), NULL, take_run, found, &err))
        code = pl_cmd_fail(args, &err);
    pl_text_release(&source);
    pl_text_release(&sql);
    pl_pick_close(&pick);
    return code;
}

static bool has_filters(const struct pl_args *args)
{
    bool any = pl_args_has(args, "study") || pl_args_has(args, "status") || pl_args_has(args, "where") ||
               pl_args_has(args, "tag") || pl_args_has(args, "since");
    for (size_t i = 0; i < args->count; i++)
        any = any || is_condition(args->arguments[i]);
    return any;
}

bool pl_pick_is_asked(const struct pl_args *args)
{
    return args->count || has_filters(args);
}

int pl_pick_runs(const struct pl_args *args, struct pl_store *store, int64_t **runs, size_t *count)
{
    struct found found = {0};
    bool filters = has_filters(args);
    int code = take_names(args, store, &found);
    if (!code && found.count && filters)
        code = pl_cmd_usage_error(args, "give runs, or conditions and a study, but not both");
    else if (!code && !found.count && !filters)
        code = pl_cmd_usage_error(args,
                                  "say which runs: numbers or keys, conditions like lambda=0.1, --study, --tag, ...");
    else if (!code && filters)
        code = take_picked(args, store, &found);
    if (!code && !found.count)
        code = pl_cmd_usage_error(args, "there is no such run");
    *runs = found.runs;
    *count = found.count;
    return code;
}
