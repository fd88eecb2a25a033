#include "cmd.h"

#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 5 }; /* differences of one run that are printed */

struct verification {
    struct pl_store *store;
    const char *version, *data;
    char cpu[256];
    struct pl_run_values stored, again;
    int64_t compared, values, differing;
};

/* What the database holds of a run: metric, epoch, value, kind, axis. */
static int take_stored(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_sink *sink = self;
    (void)count;
    double value = cells[2].real;
    if (cells[2].kind == PL_CELL_NULL)
        value = !strcmp(cells[3].text, "inf") ? INFINITY : !strcmp(cells[3].text, "-inf") ? -INFINITY : NAN;
    double epoch = cells[1].kind == PL_CELL_INTEGER ? (double)cells[1].integer : cells[1].real;
    enum pl_series_axis axis = strcmp(cells[4].text, "step") ? PL_BY_EPOCH : PL_BY_STEP;
    sink->value(sink->self, sink->series(sink->self, cells[0].text, axis), epoch, value);
    return 0;
}

static int read_stored(struct verification *v, int64_t run, struct pl_error *err)
{
    struct pl_sink sink = pl_run_values_sink(&v->stored);
    char sql[200];
    pl_run_values_clear(&v->stored);
    snprintf(sql, sizeof sql,
             "SELECT metric, epoch, value, kind, axis FROM curves WHERE run = %lld ORDER BY metric, axis, epoch",
             (long long)run);
    return pl_store_query(v->store, sql, NULL, take_stored, &sink, err);
}

static void report(const struct verification *v, const struct pl_run_info *info, const struct pl_text *differences,
                   size_t count)
{
    printf("run %lld (seed %lld) differs:\n", (long long)info->run, (long long)info->seed);
    pl_cmd_lines(stdout, pl_text(differences));
    if (count > MOST_SHOWN)
        printf("  and %zu more\n", count - MOST_SHOWN);
    if (info->version && strcmp(info->version, v->version))
        pl_cmd_line(stdout, "  it was recorded by poula %s; this is %s", info->version, v->version);
    if (info->cpu && strcmp(info->cpu, v->cpu))
        pl_cmd_line(stdout, "  it was recorded on a %s; this is a %s", info->cpu, v->cpu);
}

static int compare(struct verification *v, const struct pl_run_info *info, const struct pl_run_result *result)
{
    struct pl_text differences = {0};
    bool diverged = info->status == PL_RUN_DIVERGED;
    size_t count = 0;
    if ((result->outcome == PL_DIVERGED) != diverged || (result->outcome != PL_FINISHED && !diverged)) {
        count++;
        pl_text_addf(&differences, "  it was %s, and now %s%s%s\n", pl_status_name(info->status),
                     pl_outcome_name(result->outcome), result->reason[0] ? ": " : "", result->reason);
    } else if (diverged && result->bad_epoch != info->bad_epoch) {
        count++;
        pl_text_addf(&differences, "  it diverged at %.10g, and now at %.10g\n", info->bad_epoch, result->bad_epoch);
    }
    count += pl_run_values_compare(&v->stored, &v->again, info->thinned, MOST_SHOWN, &differences);
    if (count)
        report(v, info, &differences, count);
    pl_text_release(&differences);
    v->differing += count > 0;
    return 0;
}

static int verify_run(struct verification *v, const char *name, struct pl_error *err)
{
    struct pl_run_info info = {0};
    struct pl_settings settings = {0};
    int status = pl_store_run_info(v->store, name, &info, err);
    if (status)
        return status;
    if (info.status != PL_RUN_FINISHED && info.status != PL_RUN_DIVERGED) {
        status = pl_fail(err, PL_EINPUT, "run %lld is %s: there is no result to verify", (long long)info.run,
                         pl_status_name(info.status));
        goto done;
    }
    status = pl_store_config(v->store, info.config, &settings, err);
    if (!status)
        status = read_stored(v, info.run, err);
    if (status)
        goto done;
    struct pl_sink sink = pl_run_values_sink(&v->again);
    struct pl_run_request request = {.settings = &settings,
                                     .seed = info.seed,
                                     .threads = info.threads > 0 ? info.threads : 1,
                                     .reading = info.reading,
                                     .data = v->data};
    struct pl_run_result result;
    pl_run_values_clear(&v->again);
    status = pl_train_run(&request, &sink, &result, err);
    if (status)
        goto done;
    v->compared++;
    for (size_t i = 0; i < v->stored.series.count; i++)
        if (pl_train_is_repeatable(v->stored.series.all[i].metric))
            v->values += (int64_t)v->stored.series.all[i].count;
    compare(v, &info, &result);
done:
    pl_run_info_release(&info);
    pl_settings_release(&settings);
    return status;
}

struct names {
    char **list;
    size_t count, capacity;
};

static int take_name(void *self, const struct pl_cell *cells, size_t count)
{
    struct names *names = self;
    (void)count;
    void *list = names->list;
    pl_grow(&list, &names->capacity, names->count + 1, sizeof *names->list);
    names->list = list;
    names->list[names->count++] = pl_copy(cells[0].text);
    return 0;
}

/* --all and --sample: names of runs from the database. */
static int choose_runs(struct verification *v, int64_t sample, struct names *names, struct pl_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT run FROM runs WHERE status IN ('finished', 'diverged') ORDER BY %s LIMIT %lld",
             sample > 0 ? "random()" : "run", (long long)(sample > 0 ? sample : -1));
    int status = pl_store_query(v->store, sql, NULL, take_name, names, err);
    return status || names->count ? status : pl_fail(err, PL_EMISSING, "the database holds no finished run");
}

static int verify_runs(const struct pl_args *args, struct pl_store *store)
{
    struct verification v = {.store = store, .version = pl_version(), .data = pl_args_data(args)};
    struct pl_error err = {0};
    struct names names = {0};
    int64_t sample;
    int status = 0;
    pl_host_cpu(v.cpu, sizeof v.cpu);
    if (!pl_args_integer(args, "sample", 1, INT64_MAX, 0, &sample))
        return 2;
    for (size_t i = 0; i < args->count; i++)
        take_name(&names, &(struct pl_cell){.text = args->arguments[i]}, 1);
    if (!args->count)
        status = choose_runs(&v, sample, &names, &err);
    for (size_t i = 0; i < names.count && !status; i++)
        status = verify_run(&v, names.list[i], &err);
    int code = status ? pl_cmd_fail(args, &err) : v.differing ? 1 : 0;
    if (status == PL_EMISSING)
        code = 2; /* the user named a run that does not exist */
    if (!status)
        printf("%lld runs verified, %lld values: %lld runs differ\n", (long long)v.compared, (long long)v.values,
               (long long)v.differing);
    for (size_t i = 0; i < names.count; i++)
        free(names.list[i]);
    free(names.list);
    pl_run_values_release(&v.stored);
    pl_run_values_release(&v.again);
    return code;
}

static int verify_database(const struct pl_args *args, struct pl_store *store)
{
    struct pl_text problems = {0};
    struct pl_error err = {0};
    int code = pl_store_check(store, &problems, &err) ? pl_cmd_fail(args, &err) : problems.length ? 1 : 0;
    pl_cmd_lines(stdout, pl_text(&problems));
    if (!code)
        puts("the database is sound");
    pl_text_release(&problems);
    return code;
}

static int run(const struct pl_args *args)
{
    bool many = pl_args_has(args, "all") || pl_args_has(args, "sample"), database = pl_args_has(args, "database");
    if ((args->count > 0) + many + database != 1)
        return pl_cmd_usage_error(args, "give runs, or one of --all, --sample and --database");
    struct pl_store *store;
    struct pl_error err = {0};
    if (pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err))
        return pl_cmd_fail(args, &err);
    int code = database ? verify_database(args, store) : verify_runs(args, store);
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "all", .help = "every finished and diverged run"},
    {.name = "sample", .argument = "N", .help = "N of them, drawn by lot"},
    {.name = "database", .help = "check the file instead: SQLite's integrity and poula's own invariants"},
};

const struct pl_command pl_cmd_verify = {
    .name = "verify",
    .summary = "train finished runs again and compare every value",
    .arguments = "[RUN...]",
    .description = "Trains runs again, with the settings, seed, threads and reading of the output they were recorded "
                   "with, and compares every recorded "
                   "value exactly, all but the seconds it took. A run is named by its number or the beginning of its "
                   "key. Nothing is "
                   "written.\n"
                   "Exit code: 0 when everything agrees, 1 when something differs, 2 when there is nothing to compare.",
    .example = "poula verify --sample 10",
    PL_OPTIONS(options),
    .most = 1000,
    .run = run,
};
