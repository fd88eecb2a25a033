#include "answer.h"
#include "collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is compared: a run, a configuration (all its seeds), or a study. */
enum side_kind { RUN, CONFIG, STUDY };
struct side {
    enum side_kind kind;
    int64_t number; /* of the run, the configuration, the sweep */
    int64_t config; /* of a run */
    const char *name;
};

static int find_side(struct pl_store *store, const char *given, struct side *side, struct pl_error *err)
{
    static const char prefix[] = "config:";
    const struct pl_sweep_info *sweeps;
    struct pl_run_info info;
    struct pl_error other = {0};
    struct pl_settings settings = {0};
    size_t count;
    side->name = given;
    if (!strncmp(given, prefix, strlen(prefix))) {
        side->kind = CONFIG;
        if (!pl_integer_read(given + strlen(prefix), &side->number) ||
            pl_store_config(store, side->number, &settings, &other))
            return pl_fail(err, PL_EINPUT, "there is no configuration %s; the view runs numbers them", given);
        side->config = side->number;
        pl_settings_release(&settings);
        return 0;
    }
    bool digits = !given[strspn(given, "0123456789")]; /* a run; other names of studies may begin keys: ada, beef */
    bool study = !pl_store_sweeps(store, given, &sweeps, &count, &other);
    int64_t sweep = study ? sweeps[0].id : 0;
    if ((digits || !study) && !pl_store_run_info(store, given, &info, err)) {
        *side = (struct side){RUN, info.run, info.config, given};
        pl_run_info_release(&info);
        return 0;
    }
    if (!study)
        return pl_fail(err, PL_EINPUT, "%s is neither a run nor a study, nor like config:12", given);
    *side = (struct side){STUDY, sweep, 0, given};
    return 0;
}

/* ---- the questions: $A and $B are the numbers of the sides, $a and $b those of their configurations ---- */

/* clang-format off */
/* A setting that one side lacks is NULL there. */
static const char settings_sql[] =
    "SELECT coalesce(x.key, y.key) AS setting, x.value AS A, y.value AS B FROM (SELECT key, value FROM setting WHERE config = $a) AS x"
    " FULL JOIN (SELECT key, value FROM setting WHERE config = $b) AS y ON y.key = x.key WHERE x.value IS NOT y.value$seeds ORDER BY 1;";
static const char run_seeds[] =
    " UNION ALL SELECT 'seed', x.seed, y.seed FROM run AS x JOIN run AS y ON y.id = $B WHERE x.id = $A AND x.seed <> y.seed";

#define FACT(name) "SELECT '" name "', a." name ", b." name ", 0 FROM a, b"
static const char outcomes_sql[] =
    "WITH a AS (SELECT r.*, p.cpu, p.version FROM runs AS r LEFT JOIN provenance AS p ON p.run = r.run WHERE r.run = $A),"
    " b AS (SELECT r.*, p.cpu, p.version FROM runs AS r LEFT JOIN provenance AS p ON p.run = r.run WHERE r.run = $B),"
    " facts (fact, A, B, shown) AS (SELECT 'status', a.status, b.status, 1 FROM a, b UNION ALL " FACT ("bad_epoch") " UNION ALL "
    FACT ("reason") " UNION ALL " FACT ("attempts") " UNION ALL " FACT ("seconds") " UNION ALL " FACT ("started") " UNION ALL "
    FACT ("host") " UNION ALL " FACT ("cpu") " UNION ALL " FACT ("version") " UNION ALL " FACT ("study") " UNION ALL "
    FACT ("tags") " UNION ALL " FACT ("note") " UNION ALL " FACT ("thinned") " UNION ALL " FACT ("extends") ")"
    " SELECT fact, A, B FROM facts WHERE shown OR A IS NOT B;";

/* Curves that agree have no first difference. */
#define DIFFERS "x.value IS NOT y.value OR x.kind IS NOT y.kind OR x.epoch IS NULL OR y.epoch IS NULL"
static const char curves_sql[] =
    "WITH x AS (SELECT * FROM curves WHERE run = $A), y AS (SELECT * FROM curves WHERE run = $B), points AS ("
    "SELECT coalesce(x.metric, y.metric) AS metric, coalesce(x.axis, y.axis) AS axis, coalesce(x.epoch, y.epoch) AS epoch,"
    " " DIFFERS " AS differs, abs(x.value - y.value) AS gap, x.epoch IS NOT NULL AS in_x, y.epoch IS NOT NULL AS in_y"
    " FROM x FULL JOIN y ON y.metric = x.metric AND y.axis = x.axis AND y.epoch = x.epoch)"
    " SELECT p.metric, p.axis, (SELECT value FROM best WHERE run = $A AND metric = p.metric) AS best_A,"
    " (SELECT value FROM best WHERE run = $B AND metric = p.metric) AS best_B, (SELECT last FROM best WHERE run = $A"
    " AND metric = p.metric) AS last_A, (SELECT last FROM best WHERE run = $B AND metric = p.metric) AS last_B,"
    " sum(in_x) AS values_A, sum(in_y) AS values_B, min(CASE WHEN differs THEN epoch END) AS first_difference,"
    " sum(differs) AS different, max(gap) AS largest_difference FROM points AS p GROUP BY p.metric, p.axis ORDER BY p.metric, p.axis;";

static const char config_sql[] =
    "SELECT coalesce(x.metric, y.metric) AS metric, x.n AS n_A, y.n AS n_B, x.mean AS mean_A, y.mean AS mean_B, x.std AS std_A,"
    " y.std AS std_B, x.diverged AS diverged_A, y.diverged AS diverged_B, x.failed AS failed_A, y.failed AS failed_B"
    " FROM (SELECT * FROM summary WHERE config = $A) AS x FULL JOIN (SELECT * FROM summary WHERE config = $B) AS y"
    " ON y.metric = x.metric ORDER BY 1;";
static const char seeds_sql[] =
    "WITH pair AS (SELECT x.seed, x.id AS a, y.id AS b FROM run AS x JOIN run AS y ON y.config = $B AND y.seed = x.seed"
    " WHERE x.config = $A AND x.status IN (2, 3) AND y.status IN (2, 3))"
    " SELECT p.seed, v.metric, v.value AS best_A, w.value AS best_B, w.value - v.value AS difference, (SELECT min(x.epoch)"
    " FROM curves AS x JOIN curves AS y ON y.run = p.b AND y.metric = x.metric AND y.axis = x.axis AND y.epoch = x.epoch"
    " WHERE x.run = p.a AND x.metric = v.metric AND (x.value IS NOT y.value OR x.kind IS NOT y.kind)) AS first_difference"
    " FROM pair AS p JOIN best AS v ON v.run = p.a JOIN best AS w ON w.run = p.b AND w.metric = v.metric ORDER BY v.metric, p.seed;";

static const char study_sql[] =
    "WITH v AS (SELECT DISTINCT x.sweep, s.key, s.value FROM sweep_run AS x JOIN setting AS s ON s.config = x.config"
    " WHERE x.sweep IN ($A, $B) ORDER BY s.value), k AS (SELECT DISTINCT key FROM v), side AS (SELECT key,"
    " (SELECT group_concat(value, ', ') FROM v WHERE v.sweep = $A AND v.key = k.key) AS A,"
    " (SELECT group_concat(value, ', ') FROM v WHERE v.sweep = $B AND v.key = k.key) AS B FROM k)"
    " SELECT key AS setting, A, B FROM side WHERE A IS NOT B ORDER BY 1;"
    "WITH a AS (SELECT * FROM sweep_run WHERE sweep = $A), b AS (SELECT * FROM sweep_run WHERE sweep = $B)"
    " SELECT (SELECT count(*) FROM a) AS runs_A, (SELECT count(*) FROM b) AS runs_B,"
    " (SELECT count(*) FROM a WHERE run IN (SELECT run FROM b)) AS runs_of_both,"
    " (SELECT count(DISTINCT config) FROM a WHERE config IN (SELECT config FROM b)) AS configurations_of_both;"
    "SELECT y.status, sum(y.study = $nameA) AS A, sum(y.study = $nameB) AS B FROM study_runs AS y WHERE y.study IN ($nameA, $nameB)"
    " GROUP BY 1 ORDER BY 1;"
    "SELECT metric, max(CASE WHEN study = $nameA THEN n END) AS seeds_A, max(CASE WHEN study = $nameB THEN n END) AS seeds_B,"
    " CASE better WHEN 'max' THEN max(CASE WHEN study = $nameA THEN mean END) WHEN 'min' THEN min(CASE WHEN study = $nameA THEN mean END) END"
    " AS best_mean_A, CASE better WHEN 'max' THEN max(CASE WHEN study = $nameB THEN mean END) WHEN 'min' THEN min(CASE WHEN study = $nameB"
    " THEN mean END) END AS best_mean_B, better FROM study_summary WHERE study IN ($nameA, $nameB) AND n > 0 GROUP BY metric, better"
    " ORDER BY 1;";
/* clang-format on */

static void expand(struct pl_text *sql, const char *text, const struct side *a, const struct side *b)
{
    while (*text) {
        size_t plain = strcspn(text, "$");
        pl_text_add_bytes(sql, text, plain);
        text += plain;
        if (!strncmp(text, "$name", 5)) {
            pl_cmd_add_sql_text(sql, text[5] == 'A' ? a->name : b->name);
            text += 6;
        } else if (!strncmp(text, "$seeds", 6)) {
            if (a->kind == RUN)
                expand(sql, run_seeds, a, b);
            text += 6;
        } else if (*text) {
            int64_t number = text[1] == 'A'   ? a->number
                             : text[1] == 'B' ? b->number
                             : text[1] == 'a' ? a->config
                                              : b->config;
            pl_text_addf(sql, "%" PRId64, number);
            text += 2;
        }
    }
}

static int run(const struct pl_args *args)
{
    static const char *const questions[][3] = {
        [RUN] = {settings_sql, outcomes_sql, curves_sql},
        [CONFIG] = {settings_sql, config_sql, seeds_sql},
        [STUDY] = {study_sql, "", ""},
    };
    struct pl_store *store;
    struct side a, b;
    struct pl_error err;
    struct pl_text sql = {0};
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (!code && (find_side(store, args->arguments[0], &a, &err) || find_side(store, args->arguments[1], &b, &err)))
        code = pl_cmd_fail(args, &err);
    if (!code && a.kind != b.kind)
        code = pl_cmd_usage_error(args, "%s and %s are not of a kind: give two runs, two configurations or two studies",
                                  a.name, b.name);
    if (!code) {
        for (int i = 0; i < 3; i++)
            expand(&sql, questions[a.kind][i], &a, &b);
        code = pl_cmd_answer(args, store, pl_text(&sql), stdout, pl_cmd_format(args, &pl_format_text));
    }
    pl_text_release(&sql);
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
    PL_NO_COLLECT,
};

const struct pl_command pl_cmd_diff = {
    .name = "diff",
    .summary = "what differs between two runs, configurations or studies",
    .arguments = "A B",
    .description = "A and B are runs (by number or the beginning of their key), configurations (config:12, as the view "
                   "runs numbers them) "
                   "or studies. First the settings that differ. Of two runs then how they ended and what with, and for "
                   "each metric best "
                   "and last values, the first epoch at which the curves differ, how many values do and by how much at "
                   "most. Of two "
                   "configurations the statistics of each metric, and seed by seed the best values and the first epoch "
                   "of difference. Of "
                   "two studies the runs they have in common, how their runs ended, and the best mean of each metric.",
    .example = "poula diff 1 2",
    PL_OPTIONS(options),
    .least = 2,
    .most = 2,
    .run = run,
};
