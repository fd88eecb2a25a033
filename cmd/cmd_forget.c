#include "cmd.h"

#include "study/study.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runs that are meant. */
struct wish {
    struct pl_store *store;
    struct pl_condition *where;
    size_t where_count;
    bool *known; /* has any run what a condition is about? */
    int64_t *runs;
    size_t count, capacity;
    int64_t config; /* whose settings are these: */
    struct pl_settings settings;
    struct pl_error error;
};

static void add_run(struct wish *wish, int64_t run)
{
    void *list = wish->runs;
    pl_grow(&list, &wish->capacity, wish->count + 1, sizeof *wish->runs);
    wish->runs = list;
    wish->runs[wish->count++] = run;
}

static int take_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct wish *wish = self;
    int status = PL_RUN_PLANNED;
    (void)count;
    if (wish->config != cells[1].integer) {
        int failed = pl_store_config(wish->store, cells[1].integer, &wish->settings, &wish->error);
        if (failed)
            return failed;
        wish->config = cells[1].integer;
    }
    while (status + 1 < PL_STATUS_COUNT && strcmp(pl_status_name((enum pl_status)status), cells[3].text) != 0)
        status++;
    if (pl_where_holds(wish->where, wish->where_count, &wish->settings, cells[2].integer, (enum pl_status)status,
                       wish->known))
        add_run(wish, cells[0].integer);
    return 0;
}

/* Arguments are KEY=VALUE or names of runs. */
static int read_wish(const struct pl_args *args, struct wish *wish, struct pl_error *err)
{
    for (size_t i = 0; i < args->count; i++) {
        struct pl_run_info info;
        const char *given = args->arguments[i];
        if (strchr(given, '=')) {
            if (!pl_where_read(given, &wish->where, &wish->where_count))
                return pl_fail(err, PL_EINPUT, "'%s' must be like lambda=0.1, seed=1,2 or status=failed", given);
            continue;
        }
        int status = pl_store_run_info(wish->store, given, &info, err);
        if (status)
            return status;
        add_run(wish, info.run);
        pl_run_info_release(&info);
    }
    wish->known = pl_new(wish->where_count + 1);
    return 0;
}

static int choose(const struct pl_args *args, struct wish *wish, struct pl_error *err)
{
    const char *study = pl_args_get(args, "study", NULL);
    const struct pl_sweep_info *sweeps;
    struct pl_text sql = {0};
    size_t count;
    int status = study ? pl_store_sweeps(wish->store, study, &sweeps, &count, err) : 0;
    if (!status)
        status = read_wish(args, wish, err);
    if (!status && wish->count && (wish->where_count || study))
        status = pl_fail(err, PL_EINPUT, "give runs, or conditions and a study, but not both");
    if (!status && !wish->count && !wish->where_count && !study)
        status = pl_fail(err, PL_EINPUT, "say which runs: numbers or keys, KEY=VALUE, or --study NAME");
    if (status || wish->count)
        return status;
    pl_text_add(&sql, "SELECT run, config, seed, status FROM runs");
    if (study)
        pl_text_addf(&sql, " WHERE run IN (SELECT x.run FROM sweep_run AS x WHERE x.sweep = %lld)",
                     (long long)sweeps[0].id);
    pl_text_add(&sql, " ORDER BY run");
    status = pl_store_query(wish->store, pl_text(&sql), NULL, take_row, wish, err);
    if (status && wish->error.code)
        *err = wish->error;
    for (size_t i = 0; i < wish->where_count && !status; i++)
        if (!wish->known[i])
            status = pl_fail(err, PL_EINPUT, "no run has a setting %s", wish->where[i].key);
    if (!status && !wish->count)
        status = pl_fail(err, PL_EINPUT, "there is no such run");
    pl_text_release(&sql);
    return status;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    struct pl_text folders = {0};
    size_t forgotten = 0;
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err);
    struct wish wish = {.store = store};
    if (!status)
        status = choose(args, &wish, &err);
    pl_store_close(store);
    store = NULL;
    pl_args_folders(args, &folders);
    if (!status)
        status = pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err);
    if (!status)
        status = pl_sweep_forget_runs(store, wish.runs, wish.count, pl_text(&folders), &forgotten, &err);
    if (!status)
        printf("%zu run%s forgotten\n", forgotten, forgotten == 1 ? "" : "s");
    if (!status && forgotten < wish.count)
        pl_cmd_note("poula forget: %zu are missing anyway or at work, and were left alone", wish.count - forgotten);
    pl_store_close(store);
    pl_where_free(wish.where, wish.where_count);
    pl_settings_release(&wish.settings);
    pl_text_release(&folders);
    free(wish.known);
    free(wish.runs);
    return status ? pl_cmd_fail(args, &err) : 0;
}

static const struct pl_option options[] = {
    {.name = "study", .argument = "NAME", .help = "only runs of the newest sweep of this study"},
};

const struct pl_command pl_cmd_forget = {
    .name = "forget",
    .summary = "mark runs as missing, so that the next sweep runs them again",
    .arguments = "[RUN|KEY=VALUE...]",
    .description = "Takes runs by number, by the beginning of their key, or all that meet every condition: KEY=VALUE, "
                   "where VALUE,... is "
                   "any of several, and KEY may be seed or status. What an attempt came to stays (its outcome, log and "
                   "program, and "
                   "the lowest, highest and last value of each metric: the view superseded); its curves do not. The "
                   "folder of a run is "
                   "renamed to RUN.attempt-N. 'poula sweep --rerun' does the same and runs them at once.",
    .example = "poula forget optimizer=adam lambda=0.1 --study toy-steps",
    PL_OPTIONS(options),
    .most = 100000,
    .run = run,
};
